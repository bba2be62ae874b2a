"""Comment trees: read depth first, cut to a size and a depth."""

from __future__ import annotations

from dataclasses import dataclass

from hypothesis import given
from hypothesis import strategies as st

from soundstage.kernels.engines.social.trees import Thread, thread


@dataclass(frozen=True)
class Said:
    name: str
    to: str
    score: int = 0


def read(*nodes: Said, limit: int = 100, max_depth: int = 10) -> Thread[Said]:
    return thread(
        nodes,
        "post",
        name=lambda said: said.name,
        parent=lambda said: said.to,
        order=lambda said: -said.score,
        limit=limit,
        max_depth=max_depth,
    )


TALK = (
    Said("a", "post", 1),
    Said("b", "post", 2),
    Said("c", "a"),
    Said("d", "b", 1),
    Said("e", "b", 5),
    Said("f", "d"),
)


def shown(found: Thread[Said]) -> list[tuple[str, int]]:
    return [(branch.node.name, branch.depth) for branch in found.shown]


def test_answers_follow_what_they_answer_in_order() -> None:
    assert shown(read(*TALK)) == [("b", 0), ("e", 1), ("d", 1), ("f", 2), ("a", 0), ("c", 1)]
    assert read(*TALK).more == []


def test_a_limit_counts_the_whole_tree_and_the_rest_is_more() -> None:
    found = read(*TALK, limit=3)
    assert shown(found) == [("b", 0), ("e", 1), ("d", 1)]
    assert [said.name for said in found.more] == ["f", "a", "c"]


def test_what_lies_too_deep_is_more() -> None:
    found = read(*TALK, max_depth=2)
    assert shown(found) == [("b", 0), ("e", 1), ("d", 1), ("a", 0), ("c", 1)]
    assert [said.name for said in found.more] == ["f"]


def test_equals_stay_as_they_came() -> None:
    assert shown(read(Said("x", "post"), Said("y", "post"), Said("z", "post"))) == [("x", 0), ("y", 0), ("z", 0)]


def test_what_answers_nothing_that_is_there_is_not_reached() -> None:
    assert shown(read(Said("a", "gone"), Said("b", "c"), Said("c", "b"), Said("d", "post"))) == [("d", 0)]


@given(st.lists(st.integers(-1, 30), max_size=30), st.integers(1, 40), st.integers(1, 12))
def test_nothing_is_shown_twice_or_lost(parents: list[int], limit: int, max_depth: int) -> None:
    nodes = [Said(str(i), "post" if parent < 0 else str(parent)) for i, parent in enumerate(parents)]
    found = read(*nodes, limit=limit, max_depth=max_depth)
    everything = [branch.node for branch in found.shown] + found.more
    assert len(everything) == len(set(everything)) <= len(nodes)
    assert len(found.shown) <= limit
    depths = {branch.node.name: branch.depth for branch in found.shown}
    for branch in found.shown:
        assert branch.depth == (0 if branch.node.to == "post" else depths[branch.node.to] + 1)
