"""Each sentence of the trust model names an existing test."""

from __future__ import annotations

import ast
import re

from tests.conftest import REPOSITORY

_PAGE = (REPOSITORY / "docs" / "operations.md").read_text()
_NAMED = re.compile(r"`(tests/[\w/]+\.py)::(test_\w+)`")


def test_every_sentence_of_the_trust_model_names_existing_tests() -> None:
    part = _PAGE.partition("## Who can reach what")[2]
    sentences = re.findall(r"^(?:\* |\*\*Secrets\*\*)(?:.+\n?)+?(?=^\* |^\s*$|\Z)", part, re.MULTILINE)
    assert len(sentences) > 15
    for sentence in sentences:
        named = _NAMED.findall(sentence)
        assert named, sentence
        for file, test in named:
            functions = {n.name for n in ast.walk(ast.parse((REPOSITORY / file).read_text())) if hasattr(n, "name")}
            assert test in functions, f"{file} has no {test}"
