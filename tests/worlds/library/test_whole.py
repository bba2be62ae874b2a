"""The shipped library builds, passes its check, and is reproducible."""

from __future__ import annotations

from pathlib import Path

import pytest

from soundstage.contexts.engine.library import Library
from soundstage.contexts.library import realms
from soundstage.worlds import library as building
from soundstage.worlds.library.check import check


def test_the_library_passes_its_check(tmp_path: Path) -> None:
    building.build(tmp_path / "library.db")
    assert [str(mistake) for mistake in check(Library(tmp_path / "library.db", realms()))] == []


@pytest.mark.long
def test_building_it_twice_gives_the_same_library(tmp_path: Path) -> None:
    digests = []
    for name in ("once.db", "again.db"):
        building.build(tmp_path / name)
        digests.append(Library(tmp_path / name, realms()).digest)
    assert digests[0] == digests[1]
