"""Worlds and the library as a run of the tests has them: built once, for all of its processes and all gateways that it starts."""

from __future__ import annotations

import os
import shutil
import tempfile
from functools import cache
from pathlib import Path

from soundstage.gateway.settings import DEFAULT_WORLD
from soundstage.worlds import built, library, load_world

_FOLDER = "SOUNDSTAGE_TESTS_WORLDS"
"""Environment variable with the folder, which the run's further processes inherit."""


def begin() -> bool:
    """Have a folder for them; whether it is this process that has made it, and is to remove it in the end."""
    if _FOLDER in os.environ:
        return False
    os.environ[_FOLDER] = tempfile.mkdtemp(prefix="soundstage-tests-")
    return True


def end() -> None:
    shutil.rmtree(os.environ.pop(_FOLDER), ignore_errors=True)


def worlds() -> Path:
    """The folder in which built worlds and the library are kept."""
    return Path(os.environ[_FOLDER])


def put_into(data: Path) -> None:
    """Have a data folder begin with the built worlds and library that a gateway would make there first, as links. What else is
    built there stays there."""
    there = data / "worlds"
    try:
        there.mkdir(parents=True, exist_ok=True)
    except OSError:
        return  # what a gateway says of such a folder is what the test is about
    link(there, DEFAULT_WORLD, "empty")


def link(folder: Path, *names: str) -> None:
    """Have a folder of built worlds begin with the library and these worlds."""
    for file in _files(names):
        beside = folder / file.name
        if not beside.exists():
            beside.symlink_to(file)


@cache
def _files(names: tuple[str, ...]) -> tuple[Path, ...]:
    starts = [built(load_world(name), worlds()) for name in names]
    return (library.built(worlds()), *starts, *(start.with_suffix(".names.json") for start in starts))
