"""The examples of docs/deploying.md: room for all pages, and nothing uncompressed that could be."""

import re

import pytest
from helpers import ROOT

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


def test_proxies_compress_what_the_server_does_not():
    nginx, caddy = (
        re.search(pattern, TEXT, re.DOTALL)[1]
        for pattern in (r"```nginx\n(.*?)```", r"Caddy:\n\n```\n(.*?)```")
    )
    assert "gzip on;" in nginx
    # Whoever does not take it compressed gets another answer, and caches have to know.
    assert "gzip_vary on;" in nginx
    # HTML always is.
    assert {"application/json", "text/csv"} <= {*re.search("gzip_types (.*);", nginx)[1].split()}
    assert "encode zstd gzip" in caddy
