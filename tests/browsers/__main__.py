"""Compare every scenario in our browser and in Chromium behind the real servers: `python -m tests.browsers PACKAGES`.

`PACKAGES` is a `node_modules` folder with @executeautomation/playwright-mcp-server and
@modelcontextprotocol/server-puppeteer. The report lists how many actions are equal, by part, and each difference. The exit
status is 1 if `known_differences.py` does not name a difference.
"""

from __future__ import annotations

import argparse
import hashlib
import itertools
import json
import random
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from soundstage.worlds import library
from tests import built_worlds
from tests.browsers import known_differences
from tests.browsers.comparison import PARTS, PROBE, Seen, differing, seen
from tests.browsers.episodes import FILES, Episode, walk, written
from tests.browsers.real import Served, Unanswered
from tests.browsers.simulated import Simulated
from tests.browsers.sites import OWN, Sites, State, library_pages, own_pages

_STEPS = 12
_STARTS = ("form.html", "events.html", "keys.html", "moves.html", "words.html")


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.browsers", description="Our browser beside a real one.")
    parser.add_argument("packages", type=Path, help="a node_modules that has the real servers")
    parser.add_argument("--walks", type=int, default=24, help="how many episodes are drawn beside the written ones")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument(
        "--kept", type=Path, help="a folder that keeps what the real browser did, to ask it only for what is new"
    )
    parser.add_argument("--only", default="", help="a part of an episode's name")
    parser.add_argument("--show", type=int, default=300, help="how many characters are shown of what differs")
    options = parser.parse_args()
    began = built_worlds.create()
    try:
        library.serve(built_worlds.folder())
        return _compared(options)
    finally:
        if began:
            built_worlds.remove()


def _compared(options: argparse.Namespace) -> int:
    web = {entity: [*rows, *own_pages().get(entity, [])] for entity, rows in library_pages().items()}
    episodes = itertools.chain(written(), _drawn(web, options.walks, options.seed))
    equal, actions, unknown = Counter[str](), Counter[str](), 0
    with Sites() as sites:
        for episode in episodes:
            if options.only not in episode.name:
                continue
            try:
                ours, real = _ours(episode, web), _cached(episode, web, sites, options)
            except Unanswered as reason:
                print(f"{episode.name}: not compared, {reason}")
                continue
            for number, (action, our, their) in enumerate(zip(episode.actions, ours, real, strict=True)):
                wrong = differing(our, their)
                actions[episode.app] += 1
                equal.update(part for part in PARTS if part not in wrong)
                equal["all"] += not wrong
                new = [part for part in wrong if not known_differences.names(episode.name, number, part)]
                unknown += bool(new)
                if wrong:
                    mark = "" if new else " (known)"
                    print(
                        f"{episode.name} {number}: {action[0]} {json.dumps(action[1], ensure_ascii=False)[:120]}{mark}"
                    )
                for part in wrong:
                    print(f"  {part}")
                    print(f"    ours {_shown(our, their, part, options.show)}")
                    print(f"    real {_shown(their, our, part, options.show)}")
                sys.stdout.flush()
    total = sum(actions.values())
    print(", ".join(f"{app}: {count} actions" for app, count in actions.items()))
    for part in ("all", *PARTS):
        print(f"{part:10} {equal[part]} of {total} equal")
    return 1 if unknown else 0


def _drawn(web: State, count: int, seed: int) -> Iterator[Episode]:
    starts = [f"{OWN}/{name}" for name in _STARTS] + [
        row["url"] for row in web["page"] if "<form" in row["html"] and not row["url"].startswith(OWN)
    ]
    for number in range(count):
        draw = random.Random(f"{seed}-{number}")
        app = "puppeteer" if number % 4 == 3 else "playwright"
        driver = Simulated(app, web, FILES, built_worlds.folder())
        start = starts[number % len(_STARTS)] if number % 2 else draw.choice(starts)
        yield Episode(f"walk {seed}-{number}", app, list(walk(driver, app, start, _STEPS, draw)))
        driver.close()


def _ours(episode: Episode, web: State) -> list[Seen]:
    driver = Simulated(episode.app, web, FILES, built_worlds.folder())
    try:
        return list(seen(driver, episode.actions))
    finally:
        driver.close()


def _cached(episode: Episode, web: State, sites: Sites, options: argparse.Namespace) -> list[Seen]:
    """Return the results of the real browser, from the cache if it contains the same scenario."""
    if options.kept is None:
        return _real(episode, web, sites, options.packages)
    request = json.dumps([episode.app, episode.actions, own_pages(), PROBE], sort_keys=True)
    file = options.kept / f"{hashlib.sha256(request.encode()).hexdigest()[:24]}.json"
    if not file.exists():
        options.kept.mkdir(parents=True, exist_ok=True)
        file.write_text(json.dumps([one.parts for one in _real(episode, web, sites, options.packages)]))
    return [Seen(parts) for parts in json.loads(file.read_text())]


def _real(episode: Episode, web: State, sites: Sites, packages: Path) -> list[Seen]:
    behind = Simulated(episode.app, web, {}, built_worlds.folder())
    sites.serve(behind)
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as home:
        for path, text in FILES.items():
            (Path(home) / Path(path).name).write_text(text)
        driver = Served(episode.app, packages, Path(home), sites.port)
        try:
            return list(seen(driver, episode.actions))
        finally:
            driver.close()
            behind.close()


def _shown(one: Seen, other: Seen, part: str, most: int) -> str:
    """Return the parts of two lists that differ, or both values."""
    mine, theirs = one.parts[part], other.parts[part]
    if part == "controls" and mine and theirs and len(mine[0]) == len(theirs[0]):
        pairs = [a for a, b in zip(mine[0], theirs[0], strict=True) if a != b]
        mine = [pairs, mine[1] if mine[1] != theirs[1] else "same frames", mine[2]]
    elif isinstance(mine, list) and isinstance(theirs, list):
        same = next(
            (i for i, (a, b) in enumerate(zip(mine, theirs, strict=False)) if a != b), min(len(mine), len(theirs))
        )
        mine = mine[same:]
    return json.dumps(mine, ensure_ascii=False)[:most]


if __name__ == "__main__":
    sys.exit(main())
