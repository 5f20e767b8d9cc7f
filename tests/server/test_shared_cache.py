"""What is kept for everybody goes when it is the oldest and there is no room."""

from tokviz.server.shared_cache import Shelf


def names(shelf):
    return list(shelf.places)


def test_the_least_recently_used_goes_by_number():
    shelf = Shelf(places=3, megabytes=1)
    for name in "abca":
        shelf.place(name)
    shelf.place("d")
    assert names(shelf) == ["c", "a", "d"]


def test_and_by_bytes_but_never_the_latest():
    shelf = Shelf(places=9, megabytes=1)
    for name in "abc":
        shelf.place(name)
        shelf.weigh(name, "made", 400_000)
    assert names(shelf) == ["b", "c"]
    shelf.weigh("c", "drawn", 5_000_000)
    assert names(shelf) == ["c"]
    assert shelf.bytes > 5_400_000
    shelf.weigh("c", "drawn", 0)
    assert shelf.bytes < 500_000


def test_what_is_being_made_stays():
    shelf = Shelf(places=2, megabytes=1)
    shelf.place("a")["training"] = "a job"
    shelf.place("b")
    shelf.place("c")
    assert names(shelf) == ["a", "c"]


def test_a_text_of_ones_own_counts_as_well():
    shelf = Shelf(places=9, megabytes=1)
    shelf.place(("long", "x" * 900_000))
    shelf.place(("other", "y" * 900_000))
    assert [key[0] for key in names(shelf)] == ["other"]


def test_who_holds_a_place_goes_on_with_it():
    shelf = Shelf(places=1, megabytes=1)
    place = shelf.place("a")
    shelf.place("b")
    place["made"] = 1
    shelf.weigh("a", "made", 10)
    assert "made" not in shelf.place("a")


def test_the_total_is_what_all_parts_take():
    shelf = Shelf(places=3, megabytes=1)
    for turn, name in enumerate("abcabdeaf"):
        shelf.place(name)
        shelf.weigh(name, "made", 1000 * turn)
        shelf.weigh(name, f"drawn{turn}", 300_000 if turn == 5 else 10)
    shelf.remove("a")
    shelf.remove("nobody")
    assert names(shelf) == ["e", "f"]
    assert shelf.bytes == sum(sum(parts.values()) for parts in shelf.bytes_by_part.values()) > 0
    shelf.clear()
    assert shelf.bytes == 0
