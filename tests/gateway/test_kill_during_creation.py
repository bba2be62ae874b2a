"""SIGKILL while sessions are made, copied, put back and deleted leaves none that does not answer, and no file of none."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.gateway.kills import KINDS, Rounds


@pytest.mark.long
def test_after_twenty_kills_every_listed_session_answers_and_no_file_is_left_over(tmp_path: Path) -> None:
    rounds = Rounds(tmp_path, seed=20)
    for number in range(20):
        rounds.run(list(KINDS)[number % len(KINDS)])
    assert rounds.done["sessions looked at"] >= 20
