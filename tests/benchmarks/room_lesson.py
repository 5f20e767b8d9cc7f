"""A class in a room through a whole lesson, while network, pages, server and store fail.

    python tests/benchmarks/room_lesson.py [--store embedded|redis] [--phones 40] [--steps 18]
                                           [--guess 60] [--pictures FOLDER]

The teacher is a Chromium, which goes through the lesson on ties; the phones are as many without a
screen (room_phones.py), and a Chromium, a Firefox and a WebKitGTK of the size of one. All vote on
the five questions of the lesson. A step counts when it is heard, and in browsers once it is
painted. All are on one machine, and so is who guesses codes for so many seconds, with 20 requests
at a time. With `redis`, rooms are in a Redis, which falls as well.

Ends with code 1 if a vote is lost or counted twice, a browser does not follow, a room is seen by
who guesses codes, or the server's log has an error.
"""

import argparse
import multiprocessing
import os
import shutil
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[2]))
sys.path.insert(0, str(Path(__file__).parents[1]))
sys.path.insert(0, str(Path(__file__).parents[1] / "e2e"))
sys.path.insert(0, str(Path(__file__).parents[1] / "e2e" / "journeys"))

from playwright.sync_api import sync_playwright
from playwright_tab import PlaywrightTab, start_firefox
from redis_server import RedisServer
from room import NAMES, guess
from room_class import SchoolClass, summary
from served import Served
from tab import Tab
from webkit_tab import WebKitTab, screen

#: Seconds for which something is away.
AWAY = 5.0


def later(does: Callable[[], Any]) -> Callable[[], Any]:
    """Does something after a while."""
    return lambda: (time.sleep(AWAY), does())


def teach(klass: SchoolClass, options: argparse.Namespace, redis: RedisServer | None) -> None:
    """The lesson on ties: ten scenes, of which five ask."""
    served, seats = klass.served, klass.seats

    def restart() -> None:
        served.kill()
        served.start()
        klass.together()

    def be_away() -> None:
        klass.lose()
        later(klass.find)()
        klass.together()

    klass.begin(1)
    klass.walk("", options.steps)
    klass.outage("connections are cut", klass.cut, lambda: None)
    klass.outage("nothing arrives for 5 s", seats.stand_still, later(seats.come_back))
    klass.outage("the network is away for 5 s", klass.lose, later(klass.find))
    klass.next()
    klass.ask("options")
    klass.picture(options.pictures, "options")
    klass.next()
    klass.ask("a number, connections are cut", klass.cut)
    klass.picture(options.pictures, "number")
    klass.next()
    klass.load_anew(*klass.tabs.values())
    klass.memory("before it is killed")
    klass.outage("the server is killed and begun anew", served.kill, served.start)
    klass.memory("with all back")
    klass.next()
    klass.walk(" after that", options.steps)
    klass.next()
    klass.ask("a number, the server is killed and begun anew", restart)
    klass.next()
    klass.ask("a number, the teacher loads the page anew", lambda: klass.load_anew(klass.teacher))
    klass.next()
    if redis:
        klass.outage("Redis is killed and begun anew, empty", redis.kill, later(redis.start))
    klass.next()
    klass.ask("a number, the network is away for 5 s", be_away)
    klass.next()
    if options.guess:
        with ProcessPoolExecutor(1, multiprocessing.get_context("spawn")) as other:
            guesses = other.submit(guess, served.port, options.guess, klass.code)
            time.sleep(3)
            klass.walk(" while somebody guesses codes", options.steps)
            klass.outage("connections are cut meanwhile", klass.cut, lambda: None)
            print(guesses.result())
            klass.is_fine &= not guesses.result().answers[200]
    drawn = [seconds for phone in klass.phones for seconds in phone.drawn]
    summary("another scene, from hearing of it until the server drew it", drawn, "s")
    klass.memory("at the end")


@contextmanager
def browsers(folder: Path) -> Iterator[tuple[PlaywrightTab, dict[str, Tab]]]:
    """The teacher's, and those of the phones."""
    executable = next(filter(None, map(shutil.which, NAMES)), None)
    with sync_playwright() as playwright, screen() as display:
        own, chromium = (
            playwright.chromium.launch(
                executable_path=executable, args=["--no-sandbox", "--disable-gpu"]
            )
            for _each in range(2)
        )
        firefox, webkit = start_firefox(playwright), WebKitTab(display, folder)
        try:
            projector = {"width": 1366, "height": 768}
            yield (
                PlaywrightTab(own.new_context(viewport=projector), "finger"),
                {
                    "Chromium": PlaywrightTab(chromium.new_context(), "finger"),
                    "Firefox": PlaywrightTab(firefox.new_context(), "made-up"),
                    "WebKit": webkit,
                },
            )
        finally:
            webkit.close()
            for browser in (own, chromium, firefox):
                browser.close()


def main(options: argparse.Namespace) -> bool:
    if options.pictures:
        # Else WebKitGTK takes none.
        os.environ["TOKVIZ_PICTURES"] = str(options.pictures)
    with ExitStack() as stack:
        place = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        redis, environment = None, {}
        if options.store == "redis":
            redis = stack.enter_context(RedisServer())
            own = place / "own.toml"
            own.write_text(f'[rooms]\nstore = "{redis.address}"\n', "utf-8")
            environment = {"TOKVIZ_LIMITS": str(own)}
        served = stack.enter_context(Served(place / "log", environment=environment))
        teacher, tabs = stack.enter_context(browsers(place))
        klass = SchoolClass(served, teacher, tabs, options.phones)
        teach(klass, options, redis)
        # The store is killed; and who goes to another scene may have asked for a part of the last.
        usual = "The store of rooms cannot", "Couldn't find fragment"
        errors = [line for line in served.errors() if not any(said in line for said in usual)]
        print(*errors, sep="\n")
    return klass.is_fine and not errors


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--store", choices=("embedded", "redis"), default="embedded")
    parser.add_argument("--phones", type=int, default=40)
    parser.add_argument("--steps", type=int, default=18)
    parser.add_argument("--guess", type=float, default=60)
    parser.add_argument("--pictures", type=Path)
    raise SystemExit(not main(parser.parse_args()))
