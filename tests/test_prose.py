"""The number of dialect words, which the style guide replaces, may only fall."""

from __future__ import annotations

import pytest

from tests import prose


@pytest.fixture(scope="module")
def hit_counts() -> dict[str, int]:
    return prose.counts()


def test_no_package_exceeds_its_limit_of_dialect_words(hit_counts: dict[str, int]) -> None:
    limits = prose.lists()["limits"]
    more = {package: (n, limits.get(package, 0)) for package, n in hit_counts.items() if n > limits.get(package, 0)}
    assert not more, f"(now, limit) by package: {more}; `python -m tests.prose PACKAGE` prints each place"


def test_no_package_exceeds_its_limit_of_participle_names() -> None:
    limits = prose.lists()["name_limits"]
    more = {p: (n, limits.get(p, 0)) for p, n in prose.name_counts().items() if n > limits.get(p, 0)}
    assert not more, f"(now, limit) by package: {more}; `python -m tests.prose PACKAGE` prints each place"


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("Whether whom this waits for has done his part.", ["whom"]),
        ("That is no file.", ["is no"]),
        ("There is no file.", []),
        ("What takes long is awaited.", ["What"]),
        ("What takes long?", []),
        ("Return the stored rows, newest first.", []),
        ("The call is made anew, and `told` is a name.", ["anew"]),
    ],
)
def test_a_pattern_matches_the_dialect_and_not_plain_english(text: str, words: list[str]) -> None:
    passage = prose.Passage("a.py", 1, "docstring", text)
    assert [hit.words for hit in prose.hits(passage)] == words


def test_docstrings_comments_messages_and_test_names_are_prose() -> None:
    source = '''"""Module."""


def test_what_is_told() -> None:
    """Test."""
    # One,
    # two.
    raise ValueError(f"a session {1} that is told of")
'''
    hit_counts = {(p.kind, p.line, p.text) for p in prose.passages("gateway/a.py", source)}
    assert hit_counts == {
        ("docstring", 1, "Module."),
        ("docstring", 5, "Test."),
        ("name", 4, "test what is told"),
        ("comment", 6, "One, two."),
        ("message", 8, "a session x that is told of"),
    }
