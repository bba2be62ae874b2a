"""The command: changes an app's kernels one at a time and prints the changes that no case notices."""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
import tomllib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from soundstage.contexts.engine.storage import MemoryStorage
from tests.kernels import cases
from tests.mutants.changes import Change, sample
from tests.mutants.selection import NoSuchRevision, changed_apps, choose
from tests.mutants.trials import Module, Verdict, baseline, imported, modules, try_changes

REPOSITORY = Path(__file__).parent.parent.parent
_LEAST_S = 5.0  # minimum time limit of a change, however fast the cases are
_TIMES = 5  # time limit as a multiple of the time without a change


class Unusable(Exception):
    """The app's cases cannot be used: there are none, one is invalid, or one fails without a change."""


@dataclass(frozen=True, slots=True)
class Options:
    count: int
    seed: int
    bar: float
    jobs: int


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.mutants", description=__doc__)
    parser.add_argument("app", nargs="*", help="whose kernels; every app that has cases where none is given")
    parser.add_argument("--count", type=int, default=200, help="how many changes (%(default)s)")
    parser.add_argument("--seed", type=int, default=0, help="which ones (%(default)s)")
    parser.add_argument("--bar", type=float, default=85, help="exit with 1 below this percentage (%(default)s)")
    parser.add_argument(
        "--since", metavar="REVISION", help="only apps that changed since then, and a sample of the others"
    )
    parser.add_argument(
        "--changed", type=int, default=8, help="with --since: at most this many changed apps (%(default)s)"
    )
    parser.add_argument("--others", type=int, default=4, help="with --since: this many other apps (%(default)s)")
    parser.add_argument("--draw", type=int, default=0, help="with --since: seed that draws the apps (%(default)s)")
    parser.add_argument("--jobs", type=int, default=2, help="how many processes at a time (%(default)s)")
    given = parser.parse_args()
    options = Options(given.count, given.seed, given.bar, given.jobs)
    with tempfile.TemporaryDirectory(prefix="soundstage-mutants-") as folder:
        try:
            passed = [try_app(app, Path(folder), options) for app in given.app or _apps(given)]
        except (Unusable, NoSuchRevision) as error:
            print(error, file=sys.stderr)
            return 2
    return 0 if all(passed) else 1


def _apps(given: argparse.Namespace) -> list[str]:
    """Return every app with cases, or with `--since` those that the options choose."""
    apps = apps_with_cases()
    if given.since is None:
        return apps
    changed = changed_apps(REPOSITORY, given.since, apps)
    chosen = choose(apps, changed, at_most=given.changed, others=given.others, seed=given.draw)
    print(f"{len(changed)} of {len(apps)} apps changed since {given.since}; trying {', '.join(chosen)}")
    return chosen


def apps_with_cases() -> list[str]:
    return sorted({path.parent.name for path in cases.FOLDER.glob("*/*.jsonl")})


def try_app(app: str, worlds: Path, options: Options) -> bool:
    """Try a sample of an app's changes, print the results, and return whether enough were killed.

    Raises:
        Unusable: if there are no cases, or one fails without any change.
    """
    start = time.monotonic()
    known = modules(REPOSITORY / "kernels" / app, f"soundstage.kernels.{app}")
    check = Cases(app, known, worlds)
    wrong, seconds = baseline(check)
    if wrong:
        raise Unusable(f"{app}: a case fails without any change: {wrong}")
    possible = [change for module in known for change in module.changes()]
    reasons = equivalents(cases.FOLDER / app / "equivalent.toml", possible)
    drawn = sample(possible, options.count, options.seed)
    print(f"{app}: {len(drawn)} of {len(possible)} possible changes, seed {options.seed}, {len(check.cases)} cases")
    limit_s = max(_LEAST_S, _TIMES * seconds)
    verdicts = try_changes(drawn, known, check, jobs=options.jobs, limit_s=limit_s)
    counted = [verdict for verdict in verdicts if verdict.change not in reasons]
    survived = [verdict for verdict in counted if not verdict.killed_by]
    denied = [verdict for verdict in verdicts if verdict.change in reasons and verdict.killed_by]
    _show("survived", survived)
    _show("listed as equivalent, and yet killed", denied)
    killed = len(counted) - len(survived)
    share = 100 * killed / len(counted) if counted else 100.0
    print(
        f"{app}: {killed} of {len(counted)} killed, {share:.1f} % (bar {options.bar:g} %); "
        f"{len(verdicts) - len(counted)} equivalent, not counted; {time.monotonic() - start:.0f} s"
    )
    return share >= options.bar and not denied


class Cases:
    """An app's cases as a check: returns the first failing case, starting with the tools that use the changed module."""

    def __init__(self, app: str, known: Sequence[Module], worlds: Path) -> None:
        try:
            self.cases = cases.read_cases(app)
        except ValueError as error:
            raise Unusable(str(error)) from None
        if not self.cases:
            raise Unusable(f"{app}: there are no cases in tests/kernels/{app}/")
        self._worlds = worlds
        self._used = {m.name.rpartition(".")[2]: imported(m, known) for m in known}

    def __call__(self, changed: str) -> str | None:
        storage = MemoryStorage()
        for case in self._nearest_first(changed):
            if problems := cases.mistakes(case, cases.run_case(case, storage, self._worlds)):
                return f"{case.where} ({case.name}): {problems[0]}"
        return None

    def _nearest_first(self, changed: str) -> Iterator[cases.Case]:
        def is_far(case: cases.Case) -> bool:
            return changed not in self._used.get(case.tool.replace("-", "_"), ())

        return iter(sorted(self.cases, key=is_far))


def equivalents(file: Path, possible: Sequence[Change]) -> dict[Change, str]:
    """Return the changes that a file lists as equivalent, with the reasons.

    Raises:
        Unusable: for an entry that fits no possible change, or has no reason.
    """
    entries = tomllib.loads(file.read_text()).get("equivalent", []) if file.exists() else []
    changes: dict[Change, str] = {}
    for entry in entries:
        meant = [
            change
            for change in possible
            if (change.file, change.text, change.before, change.after)
            == (entry.get("file"), entry.get("line"), entry.get("before"), entry.get("after"))
        ]
        if not meant or not entry.get("reason"):
            problem = "has no reason" if meant else "is no possible change"
            raise Unusable(f"{file}: {entry.get('before')} → {entry.get('after')} in {entry.get('file')} {problem}")
        changes |= dict.fromkeys(meant, entry["reason"])
    return changes


def _show(title: str, verdicts: Sequence[Verdict]) -> None:
    if verdicts:
        print(f"\n{title}:")
    for verdict in verdicts:
        change = verdict.change
        print(f"{change.file}:{change.line}  {change.before}  →  {change.after}")
        print(f"    {change.text}")
        if verdict.killed_by:
            print(f"    by {verdict.killed_by}")
    if verdicts:
        print()


if __name__ == "__main__":
    sys.exit(main())
