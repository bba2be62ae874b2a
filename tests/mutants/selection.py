"""Selection of the apps to try: the apps that a change touches, and a sample of the others."""

from __future__ import annotations

import random
import re
import subprocess
from collections.abc import Sequence
from pathlib import Path

_OF_AN_APP = re.compile(r"(?:tests/kernels|kernels|servers|contexts/apps)/(\w+)(?:/|\.py$)")


class NoSuchRevision(ValueError):
    """Git cannot compare the checkout with the revision."""


def changed_apps(repository: Path, since: str, apps: Sequence[str]) -> list[str]:
    """Return the apps of `apps` whose kernels, tables, server or cases differ between the revision `since` and the checkout.

    Raises:
        NoSuchRevision: with the message of git.
    """
    command = ["git", "-C", str(repository), "diff", "--name-only", "--no-renames", since, "--"]
    try:
        done = subprocess.run(command, capture_output=True, text=True)
    except FileNotFoundError as error:
        raise NoSuchRevision(str(error)) from None
    if done.returncode != 0:
        raise NoSuchRevision(done.stderr.strip())
    touched = {match[1] for path in done.stdout.splitlines() if (match := _OF_AN_APP.match(path))}
    return [app for app in apps if app in touched]


def choose(apps: Sequence[str], changed: Sequence[str], *, at_most: int, others: int, seed: int) -> list[str]:
    """Return `at_most` of the changed apps and `others` of the rest, both drawn by the seed.

    Otherwise a change to all apps would try every app.
    """
    draw = random.Random(seed)
    chosen = draw.sample(changed, min(at_most, len(changed)))
    rest = [app for app in apps if app not in changed]
    chosen += draw.sample(rest, min(others, len(rest)))
    return sorted(chosen)
