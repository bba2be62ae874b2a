"""Entities backed by the library: their rows before and after a state is loaded."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import apsw
import pytest
from sqlalchemy import Column, Integer, Text

from soundstage.contexts.app_errors import BrokenApp
from soundstage.contexts.engine import library, state, store
from soundstage.contexts.engine.app_context import AppContext
from soundstage.contexts.engine.clock import Clock
from soundstage.contexts.engine.library import Library
from soundstage.contexts.engine.schema import AppTables, Json, StateError
from soundstage.contexts.engine.store import Context, create_tables, open_context
from soundstage.worlds import library as building

FACTS = AppTables("herbs")
FACTS.entity("herb", Column("latin", Text, primary_key=True), Column("height_cm", Integer), Column("uses", Json))

GARDEN = AppTables("garden", library=True)
GARDEN.entity(
    "plant",
    Column("name", Text, primary_key=True),
    Column("height", Integer),
    Column("uses", Json),
    Column("planted", Text),
    backed="SELECT latin AS name, height_cm AS height, uses, _seq FROM herbs_herb",
)
GARDEN.entity("note", Column("text", Text, primary_key=True))

HERBS = [
    {"latin": "Mentha", "height_cm": 60, "uses": ["tea", "salad"]},
    {"latin": "Salvia", "height_cm": 40},
    {"latin": "Thymus", "uses": []},
]


@pytest.fixture
def built(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Library:
    monkeypatch.setattr(building, "realms", lambda: {"herbs": FACTS})
    monkeypatch.setattr(building, "shipped_tables", lambda: {"garden": GARDEN})
    monkeypatch.setattr(building, "_rows", lambda _realm, _facts: (("herb", row) for row in HERBS))
    building.build(tmp_path / "library.db")
    made = Library(tmp_path / "library.db", {"herbs": FACTS})
    monkeypatch.setattr(library, "_opened", made)
    return made


@pytest.fixture
def context(built: Library, monkeypatch: pytest.MonkeyPatch) -> Iterator[Context]:
    tables = {"garden": GARDEN, library.NAME: library.TABLES}
    monkeypatch.setattr(store, "tables_of", tables.__getitem__)
    connection = apsw.Connection(":memory:")
    create_tables(connection, tables, world="sample", seed=7, clock=Clock("tick", 0))
    made = open_context(connection)
    yield made
    made.close()


@pytest.fixture
def garden(context: Context) -> AppContext:
    return context.app("garden")


def put(context: Context, given: object, mode: state.LoadMode = "replace") -> None:
    with context.step("state", "put", {}):
        state.load(context, given, mode)


def names(garden: AppContext, **options: object) -> list[str]:
    return [plant["name"] for plant in garden.list("plant", **options)]  # type: ignore[arg-type]


def test_an_entity_reads_the_library_until_its_state_is_put(context: Context, garden: AppContext) -> None:
    assert garden.source("plant") == "library"
    assert garden.get("plant", "Mentha") == {"name": "Mentha", "height": 60, "uses": ["tea", "salad"]}
    assert garden.list("plant", {"height >": 30}, order="-name", limit=1) == [{"name": "Salvia", "height": 40}]
    assert (garden.first("plant", {"height": None}), garden.count("plant")) == ({"name": "Thymus", "uses": []}, 3)
    assert state.dump(context) == {}  # library rows are not part of the session's state

    put(context, {"garden": {"plant": [{"name": "Aloe", "planted": "May"}]}})
    assert garden.source("plant") == "own"
    assert (names(garden), garden.get("plant", "Mentha"), garden.count("plant")) == (["Aloe"], None, 1)
    put(context, {"garden": {"plant": []}})
    assert (names(garden), garden.first("plant")) == ([], None)


def test_added_rows_complement_the_library_and_replace_rows_with_their_key(
    context: Context, garden: AppContext
) -> None:
    put(context, {"garden": {"plant": [{"name": "Salvia", "height": 99}, {"name": "Aloe"}]}}, "add")
    assert garden.source("plant") == "both"
    assert names(garden) == ["Mentha", "Thymus", "Salvia", "Aloe"]
    assert names(garden, order="name") == ["Aloe", "Mentha", "Salvia", "Thymus"]
    assert names(garden, order="-height", limit=2) == ["Salvia", "Mentha"]
    assert names(garden, order=("height", "-name"), offset=1) == ["Aloe", "Mentha", "Salvia"]
    assert names(garden, where={"height <": 50}) == []  # the library's Salvia is hidden
    assert (garden.count("plant"), garden.get("plant", "Salvia")) == (4, {"name": "Salvia", "height": 99})
    assert garden.get("plant", "Mentha") is not None


def test_the_source_of_an_entity_is_part_of_the_state(context: Context, garden: AppContext) -> None:
    put(context, {"garden": {"plant": [{"name": "Aloe"}]}}, "add")
    dumped = state.dump(context)
    assert dumped[library.NAME] == {"source": [{"app": "garden", "entity": "plant", "reads": "both"}]}
    put(context, {"garden": {"plant": []}})
    assert names(garden) == []
    put(context, dumped)
    assert names(garden) == ["Mentha", "Salvia", "Thymus", "Aloe"]
    put(context, {library.NAME: {"source": []}})
    assert names(garden) == ["Mentha", "Salvia", "Thymus"]
    with pytest.raises(StateError, match="reads: library, own or both"):
        put(context, {library.NAME: {"source": [{"app": "garden", "entity": "plant", "reads": "elsewhere"}]}})


def test_no_call_can_write_entities_backed_by_the_library(context: Context, garden: AppContext) -> None:
    with pytest.raises(KeyError, match="backed by the library"), context.transaction():
        garden.create("plant", {"name": "Aloe"})


def test_an_index_is_built_once(built: Library, garden: AppContext) -> None:
    made: list[int] = []

    def index(facts: Library) -> dict[str, int]:
        made.append(1)
        return {herb["latin"]: herb.get("height_cm", 0) for herb in facts.list("herbs", "herb", order="latin")}

    assert garden.library.cached("heights", index) is garden.library.cached("heights", index)
    assert (built.cached("heights", index)["Mentha"], made) == (60, [1])
    assert built.get("herbs", "herb", "Salvia") == {"latin": "Salvia", "height_cm": 40}


def test_the_same_facts_make_the_same_bytes(built: Library, tmp_path: Path) -> None:
    building.build(tmp_path / "again.db")
    assert (tmp_path / "again.db").read_bytes() == (tmp_path / "library.db").read_bytes()


@pytest.mark.parametrize(
    ("backed", "message"),
    [
        ("SELECT latin AS name FROM herbs_herb", "gives no _seq"),
        ("SELECT latin, _seq FROM herbs_herb", "gives 'latin', which is no field of it"),
        ("SELECT 1 AS name, _seq FROM weeds", "no such table"),
    ],
)
def test_an_entity_backed_by_an_invalid_query_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, backed: str, message: str, built: Library
) -> None:
    tables = AppTables("garden", library=True)
    tables.entity("plant", Column("name", Text, primary_key=True), backed=backed)
    monkeypatch.setattr(building, "shipped_tables", lambda: {"garden": tables})
    with pytest.raises(BrokenApp, match=message):
        building.build(tmp_path / "other.db")


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ({"latin": "Mentha", "height_cm": "tall"}, "expected a whole number"),
        ({"latin": "Mentha", "colour": "green"}, "colour: is no field"),
    ],
)
def test_an_invalid_fact_is_reported_with_its_place(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, row: dict[str, object], message: str, built: Library
) -> None:
    monkeypatch.setattr(building, "_rows", lambda _realm, _facts: (("herb", one) for one in (HERBS[1], row)))
    with pytest.raises(StateError, match=rf"herbs\.herb\[1\].*{message}"):
        building.build(tmp_path / "other.db")


def test_an_app_says_that_it_uses_the_library() -> None:
    with pytest.raises(ValueError, match="library=True"):
        AppTables("garden").entity("plant", Column("name", Text, primary_key=True), backed="SELECT 1")
