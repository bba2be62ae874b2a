"""Goals of recorded calls: their form in files is stable, and every text reads back unchanged."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from soundstage.synthesis.traverse.goals import EXISTING, PRECONDITION, TWICE, Goal


@pytest.mark.parametrize(
    ("goal", "text"),
    [
        (PRECONDITION, "precondition"),
        (EXISTING, "nominal:existing"),
        (EXISTING.again(2), "nominal:existing again 2"),
        (Goal.seed(0), "seed"),
        (Goal.seed(1).again(1), "seed 2 again 1"),
        (TWICE, "sequence:twice"),
        (Goal.after("delete_note"), "sequence:after delete_note"),
        (Goal("enum", "$.sort=price: low again 3"), "enum:$.sort=price: low again 3"),
        (Goal("semantic.not_found", "$.id"), "semantic.not_found:$.id"),
        (Goal("imported", "e0001-3"), "imported:e0001-3"),
    ],
)
def test_goals_have_one_form_in_files(goal: Goal, text: str) -> None:
    assert str(goal) == text
    assert Goal.parse(text) == goal


@given(st.text(max_size=30) | st.from_regex(r"(seed|nominal)[: ]\w* again \d+", fullmatch=True))
def test_any_text_is_a_goal_and_reads_back_unchanged(text: str) -> None:
    assert str(Goal.parse(text)) == text
