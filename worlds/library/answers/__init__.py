"""Questions and answers, from the files next to this one: `first` and `last` patterns in two languages, and passages."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from soundstage.contexts.engine.schema import Object
from soundstage.source import read
from soundstage.worlds.library import Facts

_FOLDER = Path(__file__).parent


def rows(facts: Facts) -> Iterator[tuple[str, Object]]:
    """The patterns in the order in which they are tried, then the passages."""
    for stage in ("first", "last"):
        for language in ("zh", "en"):  # Chinese first, because Chinese questions also contain Latin words
            for name, entry in _read(f"{stage}.{language}.yaml").items():
                yield "pattern", {"name": f"{language}-{name}", "stage": stage, **entry}
    for name, entry in _read("passages.yaml").items():
        yield "passage", {"name": name, **entry}


def _read(file: str) -> dict[str, dict[str, Any]]:
    content: dict[str, dict[str, Any]] = read(_FOLDER / file, file).value
    return content
