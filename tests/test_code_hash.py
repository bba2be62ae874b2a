"""Hashes of source ignore prose and detect changes of code."""

from __future__ import annotations

import ast
import io
import tokenize
from pathlib import Path

import pytest

import soundstage
from soundstage.code_hash import code_of

_PACKAGE = Path(soundstage.__file__).parent
_LAYOUT = {tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT}
_MODULE = b'''"""A module."""

LIMIT = 3  # calls
"""How many."""


def run(a):
    """Return {a} # not a comment."""
    # Why.
    return f("""text  # part of the text
""", "a # b", [
        """also text"""
    ])
'''


@pytest.mark.parametrize("folder", ["contexts", "kernels/slack", "worlds/builder", "worlds/library", "gateway/search"])
def test_the_code_has_the_tokens_of_the_source_without_comments_and_docstrings(folder: str) -> None:
    files = sorted(_PACKAGE.joinpath(folder).rglob("*.py"))
    assert files
    for file in files:
        source = file.read_bytes()
        assert _tokens(code_of(source)) == _tokens(source, _docstrings(source)), file


def test_edited_prose_does_not_change_the_hash() -> None:
    edited = (
        _MODULE.replace(b"A module.", b"Another\n\nmodule, [unbalanced.")
        .replace(b"# calls", b"# ''' of \"\"\" a session")
        .replace(b"How many.", b"Number of calls.")
        .replace(b"# Why.\n", b"# Because\n    # of (this.\n\n")
        .replace(b"Return {a} # not a comment.", b"Return it.")
    )
    assert edited != _MODULE
    assert code_of(edited) == code_of(_MODULE)


@pytest.mark.parametrize("old", [b"= 3", b"# part of", b"a # b", b"also text", b"run(a)"])
def test_edited_code_changes_the_hash(old: bytes) -> None:
    assert code_of(_MODULE.replace(old, old + b"9")) != code_of(_MODULE)


def _tokens(source: bytes, without: list[tuple[int, int]] | None = None) -> list[str]:
    tokens = tokenize.generate_tokens(io.StringIO(source.decode() + "\n").readline)
    dropped = without or []
    return [
        token.string
        for token in tokens
        if token.type not in _LAYOUT and not any(first <= token.start[0] <= last for first, last in dropped)
    ]


def _docstrings(source: bytes) -> list[tuple[int, int]]:
    """Return the first and the last line of each string that is a statement."""
    return [
        (node.lineno, node.end_lineno or node.lineno)
        for node in ast.walk(ast.parse(source))
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)
    ]
