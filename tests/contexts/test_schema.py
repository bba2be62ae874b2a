from __future__ import annotations

import pytest
from sqlalchemy import Column, Text

from soundstage.contexts.apps import app_names, meaning_of, tables_of
from soundstage.contexts.engine.schema import AppTables


def _app() -> AppTables:
    tables = AppTables("x")
    tables.entity("a", Column("id", Text, primary_key=True), Column("c", Text))
    return tables


def test_invalid_declarations_are_refused_when_they_are_made() -> None:
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


def test_the_fingerprint_differs_for_other_tables() -> None:
    other = AppTables("x")
    other.entity("a", Column("id", Text, primary_key=True))
    assert _app().fingerprint() == _app().fingerprint() != other.fingerprint()


def test_display_declarations_refer_to_existing_entities() -> None:
    for app in app_names():
        meaning, entities = meaning_of(app), tables_of(app).entities
        assert {*meaning.automatic, *meaning.bookkeeping, *meaning.outward, *meaning.text} <= entities.keys()
        for entity, paths in meaning.automatic.items():
            assert {path.partition(".")[0] for path in paths} <= {*entities[entity].fields}, (app, entity)
