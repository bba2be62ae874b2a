"""Built worlds, the library and the search index of a test run: built once for all its processes and gateways."""

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
"""Environment variable with the folder, which the run's other processes inherit."""


def create() -> bool:
    """Create the folder, unless another process of the run has done so. Return whether this process has to remove it."""
    if _FOLDER in os.environ:
        return False
    os.environ[_FOLDER] = tempfile.mkdtemp(prefix="soundstage-tests-")
    return True


def remove() -> None:
    shutil.rmtree(os.environ.pop(_FOLDER), ignore_errors=True)


def folder() -> Path:
    """Return the folder of built worlds and the library."""
    return Path(os.environ[_FOLDER])


def link_into(data: Path) -> None:
    """Link the built worlds, library and search index that a gateway would create first into a data folder. Further worlds are
    built in the data folder itself.
    """
    there, indexes = data / "worlds", index_folder(data)
    try:
        there.mkdir(parents=True, exist_ok=True)
        indexes.mkdir(exist_ok=True)
    except OSError:
        return  # the test is about the gateway's message for such a folder
    link(there, DEFAULT_WORLD, "empty")
    _link_all(indexes, _indexes())


def link(folder: Path, *names: str) -> None:
    """Link the library and these worlds into a folder of built worlds."""
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
    """Build the index of all apps' tools, which a gateway needs for its first request."""
    finder = ToolFinder(folder(), use_model=False)
    finder.prepare(shared_toolset(tuple(load_apps())).catalogue)
    finder.close()
    return tuple(index_folder(folder()).glob("*.npz"))
