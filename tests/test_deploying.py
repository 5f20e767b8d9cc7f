"""The examples of docs/deploying.md: room for all pages, and nothing uncompressed that could be."""

import re

import pytest
from helpers import ROOT
from sticky_proxy import ATTRIBUTES, COOKIE

from tokviz.server.limits import LIMITS

TEXT = (ROOT / "docs" / "deploying.md").read_text("utf-8")


@pytest.mark.parametrize(
    "named",
    [
        r"^LimitNOFILE=(\d+)$",
        r"`LimitNOFILE=(\d+)`",
        r"--ulimit nofile=(\d+):\1",
        r"`worker_rlimit_nofile (\d+);`",
        r"`worker_connections (\d+);`",
    ],
)
def test_every_page_may_be_open(named):
    """The server asks for two files a page and 2,000 more; a proxy has both ends of a page open."""
    [allowed] = map(int, re.findall(named, TEXT, re.MULTILINE))
    assert allowed >= 2 * LIMITS.visits.pages + 2000


NGINX, CADDY = (
    re.search(pattern, TEXT, re.DOTALL)[1]
    for pattern in (r"```nginx\n(.*?)```", r"Caddy:\n\n```\n(.*?)```")
)


def test_proxies_compress_what_the_server_does_not():
    assert "gzip on;" in NGINX
    # Whoever does not take it compressed gets another answer, and caches have to know.
    assert "gzip_vary on;" in NGINX
    # HTML always is.
    assert {"application/json", "text/csv"} <= {*re.search("gzip_types (.*);", NGINX)[1].split()}
    assert "encode zstd gzip" in CADDY


def test_proxies_keep_each_visitor_with_one_replica():
    """By the rule of the proxy in tests/e2e/test_replicas.py: a cookie names who answered last, and
    who cannot be reached is replaced by the other."""
    assert f"lb_policy cookie {COOKIE}\n" in CADDY
    assert f"map $cookie_{COOKIE} $asked {{ default any; a a; b b; }}" in NGINX
    assert "proxy_pass http://$asked;" in NGINX
    names = dict(re.findall(r"~:(\d+)\$ (\w);", NGINX))
    assert sorted(names.values()) == ["a", "b"]
    behind = {
        name: re.findall(r"server 127.0.0.1:(\d+)( backup)?;", servers)
        for name, servers in re.findall(r"upstream (\w+) \{ (.*) \}", NGINX)
    }
    assert [port for port, _backup in behind.pop("any")] == [*names]
    for name, (first, second) in behind.items():
        assert names[first[0]] == name
        assert (first[1], second[1]) == ("", " backup")
        assert {first[0], second[0]} == {*names}
    assert ATTRIBUTES == {"path": "/", "secure": True, "httponly": True, "samesite": "Lax"}
    said = f"{COOKIE}=$replica; Path=/; Secure; HttpOnly; SameSite=Lax"
    assert f'add_header Set-Cookie "{said}" always;' in NGINX
