"""Comment trees: read depth first, cut to a size and a depth."""

from __future__ import annotations

from dataclasses import dataclass

from hypothesis import given
from hypothesis import strategies as st

from soundstage.kernels.engines.social.trees import Thread, thread


@dataclass(frozen=True)
class Comment:
    name: str
    to: str
    score: int = 0


def read(*nodes: Comment, limit: int = 100, max_depth: int = 10) -> Thread[Comment]:
    return thread(
        nodes,
        "post",
        name=lambda comment: comment.name,
        parent=lambda comment: comment.to,
        order=lambda comment: -comment.score,
        limit=limit,
        max_depth=max_depth,
    )


TALK = (
    Comment("a", "post", 1),
    Comment("b", "post", 2),
    Comment("c", "a"),
    Comment("d", "b", 1),
    Comment("e", "b", 5),
    Comment("f", "d"),
)


def shown(tree: Thread[Comment]) -> list[tuple[str, int]]:
    return [(branch.node.name, branch.depth) for branch in tree.shown]


def test_replies_follow_their_comment_in_order() -> None:
    assert shown(read(*TALK)) == [("b", 0), ("e", 1), ("d", 1), ("f", 2), ("a", 0), ("c", 1)]
    assert read(*TALK).more == []


def test_a_limit_counts_the_whole_tree_and_the_rest_is_more() -> None:
    tree = read(*TALK, limit=3)
    assert shown(tree) == [("b", 0), ("e", 1), ("d", 1)]
    assert [comment.name for comment in tree.more] == ["f", "a", "c"]


def test_comments_below_the_maximum_depth_are_more() -> None:
    tree = read(*TALK, max_depth=2)
    assert shown(tree) == [("b", 0), ("e", 1), ("d", 1), ("a", 0), ("c", 1)]
    assert [comment.name for comment in tree.more] == ["f"]


def test_equals_stay_as_they_came() -> None:
    assert shown(read(Comment("x", "post"), Comment("y", "post"), Comment("z", "post"))) == [
        ("x", 0),
        ("y", 0),
        ("z", 0),
    ]


def test_replies_to_missing_comments_are_not_shown() -> None:
    assert shown(read(Comment("a", "gone"), Comment("b", "c"), Comment("c", "b"), Comment("d", "post"))) == [("d", 0)]


@given(st.lists(st.integers(-1, 30), max_size=30), st.integers(1, 40), st.integers(1, 12))
def test_nothing_is_shown_twice_or_lost(parents: list[int], limit: int, max_depth: int) -> None:
    nodes = [Comment(str(i), "post" if parent < 0 else str(parent)) for i, parent in enumerate(parents)]
    tree = read(*nodes, limit=limit, max_depth=max_depth)
    everything = [branch.node for branch in tree.shown] + tree.more
    assert len(everything) == len(set(everything)) <= len(nodes)
    assert len(tree.shown) <= limit
    depths = {branch.node.name: branch.depth for branch in tree.shown}
    for branch in tree.shown:
        assert branch.depth == (0 if branch.node.to == "post" else depths[branch.node.to] + 1)
