"""Worlds, the library and the index for search as a run of the tests has them: built once, for all of its processes and all
gateways that it starts."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterable
from functools import cache
from pathlib import Path

from soundstage.gateway.calls.toolset import shared_toolset
from soundstage.gateway.search.finder import ToolFinder
from soundstage.gateway.settings import DEFAULT_WORLD, index_folder
from soundstage.servers.catalogue import load_apps
from soundstage.worlds import built, library, load_world

_FOLDER = "SOUNDSTAGE_TESTS_WORLDS"
"""Environment variable with the folder, which the run's further processes inherit."""


def create() -> bool:
    """Have a folder for them; whether it is this process that has made it, and is to remove it in the end."""
    if _FOLDER in os.environ:
        return False
    os.environ[_FOLDER] = tempfile.mkdtemp(prefix="soundstage-tests-")
    return True


def remove() -> None:
    shutil.rmtree(os.environ.pop(_FOLDER), ignore_errors=True)


def folder() -> Path:
    """The folder in which built worlds and the library are kept."""
    return Path(os.environ[_FOLDER])


def link_into(data: Path) -> None:
    """Have a data folder begin with the built worlds, library and index for search that a gateway would make there first, as
    links. What else is built there stays there."""
    there, indexes = data / "worlds", index_folder(data)
    try:
        there.mkdir(parents=True, exist_ok=True)
        indexes.mkdir(exist_ok=True)
    except OSError:
        return  # what a gateway says of such a folder is what the test is about
    link(there, DEFAULT_WORLD, "empty")
    _link_all(indexes, _indexes())


def link(folder: Path, *names: str) -> None:
    """Have a folder of built worlds begin with the library and these worlds."""
    _link_all(folder, _files(names))


def _link_all(folder: Path, files: Iterable[Path]) -> None:
    for file in files:
        beside = folder / file.name
        if not beside.exists():
            beside.symlink_to(file)


@cache
def _files(names: tuple[str, ...]) -> tuple[Path, ...]:
    starts = [built(load_world(name), folder()) for name in names]
    return (library.built(folder()), *starts, *(start.with_suffix(".names.json") for start in starts))


@cache
def _indexes() -> tuple[Path, ...]:
    """The index of all apps' tools, which a gateway makes before its first request."""
    finder = ToolFinder(folder(), use_model=False)
    finder.prepare(shared_toolset(tuple(load_apps())).catalogue)
    finder.close()
    return tuple(index_folder(folder()).glob("*.npz"))
