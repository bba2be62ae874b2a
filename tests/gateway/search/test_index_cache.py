"""Indexes stored on disk: the same answers, the same bytes, and no harm from a damaged file."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from structlog.testing import capture_logs

from soundstage.gateway.search.documents import Catalogue, Document
from soundstage.gateway.search.evaluate import own_tools
from soundstage.gateway.search.finder import ToolFinder
from soundstage.gateway.search.index import Hit
from tests.conftest import clean_environment

TOOLS = Catalogue(own_tools().values())
QUERIES = (
    "send a message",
    "谁在群里",
    "what does /tmp/a.txt say",
    "adding emojis in Slack",
    "who am I on Telegram",
    "zzyzx",
)


def _answers(data: Path) -> list[list[Hit]]:
    finder = ToolFinder(data)
    try:
        return [finder.search(TOOLS, query, 20) for query in QUERIES]
    finally:
        finder.close()


def test_a_stored_index_gives_the_same_answers_as_a_new_one(tmp_path: Path) -> None:
    made = _answers(tmp_path)
    (file,) = (tmp_path / "search").iterdir()
    written = file.stat().st_ino, file.read_bytes()
    assert _answers(tmp_path) == made == _answers(tmp_path / "none")
    assert (file.stat().st_ino, file.read_bytes()) == written


def test_the_bytes_of_an_index_are_the_same_in_every_process(tmp_path: Path) -> None:
    program = (
        "import sys; from pathlib import Path; from soundstage.gateway.search.documents import Catalogue;"
        "from soundstage.gateway.search.evaluate import own_tools; from soundstage.gateway.search.finder import ToolFinder;"
        "f = ToolFinder(Path(sys.argv[1])); f.index(Catalogue(own_tools().values())); f.close()"
    )
    for seed in ("1", "2"):
        (tmp_path / seed).mkdir()
        subprocess.run(
            [sys.executable, "-c", program, tmp_path / seed],
            check=True,
            env={**clean_environment(), "PYTHONHASHSEED": seed},
        )
    first, second = ([(f.name, f.read_bytes()) for f in (tmp_path / seed / "search").iterdir()] for seed in ("1", "2"))
    assert first == second != []


@pytest.mark.parametrize("damage", [b"", b"PK\x03\x04", b"x" * 5000])
def test_a_damaged_index_is_reported_and_rebuilt(tmp_path: Path, damage: bytes) -> None:
    made = _answers(tmp_path)
    (file,) = (tmp_path / "search").iterdir()
    whole = file.read_bytes()
    file.write_bytes(damage)
    with capture_logs() as logs:
        assert _answers(tmp_path) == made
    assert [line["event"] for line in logs] == ["a stored search index cannot be read; rebuilding it"]
    assert file.read_bytes() == whole


def test_an_incomplete_index_is_rebuilt(tmp_path: Path) -> None:
    made = _answers(tmp_path)
    (file,) = (tmp_path / "search").iterdir()
    whole = file.read_bytes()
    with file.open("wb") as other:
        np.savez(other, words=np.zeros(3, np.uint8))
    assert _answers(tmp_path) == made
    assert file.read_bytes() == whole


def test_a_read_only_folder_does_no_harm(tmp_path: Path) -> None:
    (tmp_path / "search").write_text("in the way")
    with capture_logs() as logs:
        assert _answers(tmp_path)[0]
    assert "a search index cannot be stored" in {line["event"] for line in logs}


def test_indexes_of_few_tools_are_not_stored_and_the_number_of_others_is_limited(tmp_path: Path) -> None:
    finder = ToolFinder(tmp_path)
    few = TOOLS.documents[:20]
    finder.search(Catalogue(few), "message", 1)
    assert not (tmp_path / "search").exists()
    for number in range(20):
        finder.search(Catalogue([Document(f"extra_{number}", "other")] * 200), "extra", 1)
    assert len(list((tmp_path / "search").iterdir())) == 16
    finder.close()
