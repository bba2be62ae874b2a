"""docker/Dockerfile, parsed for tests."""

from __future__ import annotations

import re
import shlex
from typing import Any

from tests.conftest import REPOSITORY

_FILE = REPOSITORY / "docker" / "Dockerfile"


def instructions() -> list[tuple[str, str]]:
    """Return every instruction with its argument, in order, with continued lines joined."""
    lines = [line for line in _FILE.read_text().splitlines() if line.strip() and not line.lstrip().startswith("#")]
    joined = re.sub(r"\\\n\s*", " ", "\n".join(lines))
    return [(name, rest.strip()) for name, _, rest in (line.partition(" ") for line in joined.splitlines())]


def final_stage() -> dict[str, Any]:
    """Return the last stage: each instruction's last argument, and `ENV` as names and values."""
    everything = instructions()
    start = max(index for index, (name, _) in enumerate(everything) if name == "FROM")
    stage: dict[str, Any] = dict(everything[start:])
    stage["ENV"] = dict(
        pair.split("=", 1) for name, rest in everything[start:] if name == "ENV" for pair in shlex.split(rest)
    )
    return stage
