from __future__ import annotations

import pytest
from sqlalchemy import Column, Text

from soundstage.contexts.engine.schema import AppTables


def _app() -> AppTables:
    tables = AppTables("x")
    tables.entity("a", Column("id", Text, primary_key=True), Column("c", Text))
    return tables


def test_mistakes_in_declarations_are_told_when_they_are_made() -> None:
    with pytest.raises(ValueError, match="declared twice"):
        _app().entity("a", Column("id", Text, primary_key=True))
    with pytest.raises(ValueError, match="needs a key"):
        _app().entity("b", Column("id", Text))
    with pytest.raises(ValueError, match="'nope' is not declared"):
        _app().entity("b", Column("id", Text, primary_key=True), parents={"nope": "id"})
    with pytest.raises(ValueError, match="the link gives"):
        _app().entity("b", Column("id", Text, primary_key=True), Column("d", Text), parents={"a": ("id", "d")})
    with pytest.raises(ValueError, match="would hide"):
        _app().entity("c", Column("id", Text, primary_key=True), Column("up", Text), parents={"a": "up"})


def test_the_fingerprint_tells_other_tables_apart() -> None:
    other = AppTables("x")
    other.entity("a", Column("id", Text, primary_key=True))
    assert _app().fingerprint() == _app().fingerprint() != other.fingerprint()
