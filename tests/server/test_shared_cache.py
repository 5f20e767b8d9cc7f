"""What is kept for everybody goes when it is the oldest and there is no room."""

from tokviz.server.shared_cache import SharedCache


def names(cache):
    return list(cache.entries)


def test_the_least_recently_used_goes_by_number():
    cache = SharedCache(entries=3, megabytes=1)
    for name in "abca":
        cache.entry(name)
    cache.entry("d")
    assert names(cache) == ["c", "a", "d"]


def test_and_by_bytes_but_never_the_latest():
    cache = SharedCache(entries=9, megabytes=1)
    for name in "abc":
        cache.entry(name)
        cache.weigh(name, "made", 400_000)
    assert names(cache) == ["b", "c"]
    cache.weigh("c", "drawn", 5_000_000)
    assert names(cache) == ["c"]
    assert cache.bytes > 5_400_000
    cache.weigh("c", "drawn", 0)
    assert cache.bytes < 500_000


def test_what_is_being_made_stays():
    cache = SharedCache(entries=2, megabytes=1)
    cache.entry("a")["training"] = "a job"
    cache.entry("b")
    cache.entry("c")
    assert names(cache) == ["a", "c"]


def test_a_text_of_ones_own_counts_as_well():
    cache = SharedCache(entries=9, megabytes=1)
    cache.entry(("long", "x" * 900_000))
    cache.entry(("other", "y" * 900_000))
    assert [key[0] for key in names(cache)] == ["other"]


def test_who_holds_a_place_goes_on_with_it():
    cache = SharedCache(entries=1, megabytes=1)
    entry = cache.entry("a")
    cache.entry("b")
    entry["made"] = 1
    cache.weigh("a", "made", 10)
    assert "made" not in cache.entry("a")


def test_the_total_is_what_all_parts_take():
    cache = SharedCache(entries=3, megabytes=1)
    for turn, name in enumerate("abcabdeaf"):
        cache.entry(name)
        cache.weigh(name, "made", 1000 * turn)
        cache.weigh(name, f"drawn{turn}", 300_000 if turn == 5 else 10)
    cache.remove("a")
    cache.remove("nobody")
    assert names(cache) == ["e", "f"]
    assert cache.bytes == sum(sum(parts.values()) for parts in cache.bytes_by_part.values()) > 0
    cache.clear()
    assert cache.bytes == 0
