"""SIGKILL while sessions are created, forked, restored and deleted leaves only sessions that answer, and no orphaned files."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.gateway.kills import KINDS, Rounds


@pytest.mark.long
def test_after_twenty_kills_every_listed_session_answers_and_no_file_is_orphaned(tmp_path: Path) -> None:
    rounds = Rounds(tmp_path, seed=20)
    for number in range(20):
        rounds.run(list(KINDS)[number % len(KINDS)])
    assert rounds.done["sessions looked at"] >= 20
