"""Each app's entities are worded, and wording that does not fit them is named with its place."""

from __future__ import annotations

import pytest
from sqlalchemy import Column, Text

from soundstage.contexts.apps import shipped_tables
from soundstage.contexts.engine.schema import AppTables
from soundstage.worlds import apps
from soundstage.worlds.apps import all_wording
from soundstage.worlds.builder import fill
from soundstage.worlds.builder.wording import Rows, word


def _pens() -> AppTables:
    pens = AppTables("pens")
    pens.entity("pen", Column("id", Text, primary_key=True), Column("colour", Text))
    return pens


def test_every_entity_of_every_app_is_worded() -> None:
    worded = {app: list(entities) for app, entities in all_wording().items()}
    assert worded == {app: list(tables.entities) for app, tables in shipped_tables().items()}


def test_an_app_whose_wording_is_missing_is_named_with_the_file_to_write(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(apps, "shipped_tables", lambda: {**shipped_tables(), "pens": _pens()})
    with pytest.raises(ValueError, match=r"worlds/apps/pens\.py is missing"):
        all_wording.__wrapped__()


def test_an_entity_without_wording_is_named() -> None:
    with pytest.raises(ValueError, match=r"worlds/apps/pens\.py: says nothing of the entity 'pen'"):
        word(_pens(), {})


def test_wording_of_an_entity_that_the_app_does_not_have_is_named() -> None:
    with pytest.raises(ValueError, match="unknown entity 'cap'; pens has: pen"):
        word(_pens(), {"pen": Rows(), "cap": Rows()})


def test_wording_of_a_column_that_the_entity_does_not_have_is_named() -> None:
    with pytest.raises(ValueError, match="pen has no column 'color'; it has: id, colour"):
        word(_pens(), {"pen": Rows(columns={"color": fill.always("blue")})})
