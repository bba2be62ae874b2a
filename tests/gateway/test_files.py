"""Files are replaced as a whole or not at all."""

from __future__ import annotations

from pathlib import Path

import pytest

from soundstage.gateway.files import made_anew


def test_a_replaced_file_leaves_no_other_file(tmp_path: Path) -> None:
    file = tmp_path / "word.json"
    for content in (b"one", b"two"):
        made_anew(file, content)
        assert file.read_bytes() == content
    assert list(tmp_path.iterdir()) == [file]


def test_the_old_file_stays_if_writing_the_new_one_fails(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "word.json"
    made_anew(file, b"one")

    def ended(path: Path, content: bytes) -> int:
        raise SystemExit(0)

    monkeypatch.setattr(Path, "write_bytes", ended)
    with pytest.raises(SystemExit):
        made_anew(file, b"two")
    assert file.read_bytes() == b"one"
    assert list(tmp_path.iterdir()) == [file]


def test_leftovers_of_a_killed_process_are_removed(tmp_path: Path) -> None:
    file = tmp_path / "word.json"
    (tmp_path / ".word.json-0123").write_bytes(b"half")
    made_anew(file, b"whole")
    assert list(tmp_path.iterdir()) == [file]
