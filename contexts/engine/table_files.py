"""Entities declared as data: `contexts/apps/<app>.json` of an app root, checked field by field.

The Python modules in `contexts/apps/` declare the entities of the shipped apps. An app that comes from elsewhere is not
trusted, so it declares its entities in a JSON file, and none of its code runs here:

    {"format": 1, "app": "shop", "entities": [
      {"name": "goods", "columns": [{"name": "id", "type": "text"}, {"name": "price", "type": "integer"}],
       "key": ["id"], "id_format": "gd_{hex:10}"}]}
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Annotated, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, model_validator
from sqlalchemy import REAL, Column, Integer, Text

from soundstage.app_roots import NAME
from soundstage.contexts.app_errors import BrokenApp
from soundstage.contexts.engine.ids import check_template
from soundstage.contexts.engine.schema import AppTables, Flag, Json
from soundstage.source import SourceError, checked, parse

FORMAT = 1
ColumnType = Literal["text", "integer", "number", "flag", "json"]
_TYPES = {"text": Text, "integer": Integer, "number": REAL, "flag": Flag, "json": Json}
_LONGEST_TEMPLATE = 100
_MOST_DRAWN = 200
_UUID = 36
_FIELD = re.compile(r"\{\w+(?::(\d+))?\}")

EntityName = Annotated[str, Field(pattern=r"^[a-z][a-z0-9_]{0,59}$")]
ColumnName = Annotated[str, Field(pattern=r"^[A-Za-z][A-Za-z0-9_]{0,59}$")]


class _Model(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)


class DeclaredColumn(_Model):
    """A field of the app's objects. `json` holds any nested value, `flag` is true or false."""

    name: ColumnName
    type: ColumnType


class DeclaredEntity(_Model):
    """An entity: its columns, the columns of its key, and its parents (entity → the columns here that hold its key).

    `id_format` is the template of the ids that the app gives to new objects; see `soundstage.contexts.engine.ids`.
    """

    name: EntityName
    columns: Annotated[list[DeclaredColumn], Field(min_length=1, max_length=200)]
    key: Annotated[list[ColumnName], Field(min_length=1, max_length=8)]
    id_format: str | None = None
    parents: dict[EntityName, Annotated[list[ColumnName], Field(min_length=1, max_length=8)]] = Field(
        default_factory=dict
    )

    @model_validator(mode="after")
    def _fits(self) -> Self:
        names = [column.name for column in self.columns]
        if (twice := _repeated([name.lower() for name in names])) is not None:
            raise ValueError(f"the column {twice!r} is declared twice (SQLite ignores case)")
        for name in (*self.key, *(name for columns in self.parents.values() for name in columns)):
            if name not in names:
                raise ValueError(f"{name!r} is not a column; columns: {', '.join(names)}")
        types = {column.name: column.type for column in self.columns}
        if wrong := [name for name in self.key if types[name] not in ("text", "integer")]:
            raise ValueError(f"the key column {wrong[0]!r} must be of type text or integer")
        if self.id_format is not None:
            check_id_format(self.id_format)
            if types[self.key[-1]] != "text":
                raise ValueError(
                    f"id_format needs a key column of type text; {self.key[-1]!r} is {types[self.key[-1]]}"
                )
        return self


class DeclaredTables(_Model):
    """The file as a whole."""

    format: Literal[1]
    app: Annotated[str, Field(pattern=f"^{NAME.pattern}$")]
    entities: Annotated[list[DeclaredEntity], Field(max_length=100)]

    @model_validator(mode="after")
    def _fits(self) -> Self:
        if (twice := _repeated([entity.name for entity in self.entities])) is not None:
            raise ValueError(f"the entity {twice!r} is declared twice")
        return self


def read_tables(app: str, content: bytes, file: str) -> AppTables:
    """Build an app's tables from the content of its file.

    Raises:
        BrokenApp: naming the file, the place and the valid form.
    """
    try:
        source = parse(content, file)
        declared = checked(DeclaredTables, source.value, source)
    except SourceError as error:
        raise BrokenApp(str(error)) from None
    if declared.app != app:
        raise BrokenApp(f"{file}: app is {declared.app!r}; the file of {app} needs {app!r}")
    tables = AppTables(app)
    try:
        for entity in declared.entities:
            _declare(tables, entity)
    except ValueError as error:
        raise BrokenApp(f"{file}: {error}") from None
    return tables


def tables_of_module(module_file: str) -> AppTables:
    """Read `<app>.json` next to the module `<app>.py`: for an app that was adopted into the source tree."""
    path = Path(module_file).with_suffix(".json")
    return read_tables(path.stem, path.read_bytes(), path.name)


def check_id_format(template: str) -> None:
    """Check a template that does not come from the package: it must be short, and so must the ids that it makes.

    Raises:
        ValueError
    """
    if len(template) > _LONGEST_TEMPLATE:
        raise ValueError(f"an id template has at most {_LONGEST_TEMPLATE} characters; this one has {len(template)}")
    check_template(template)
    drawn = sum(int(length or _UUID) for length in _FIELD.findall(template))
    if drawn > _MOST_DRAWN:
        raise ValueError(f"an id has at most {_MOST_DRAWN} drawn characters; {template!r} draws {drawn}")


def _declare(tables: AppTables, entity: DeclaredEntity) -> None:
    columns = sorted(entity.columns, key=lambda column: column.name not in entity.key)
    tables.entity(
        entity.name,
        *(
            Column(
                column.name,
                _TYPES[column.type],
                primary_key=column.name in entity.key,
                info={"id_format": entity.id_format} if column.name == entity.key[-1] and entity.id_format else None,
            )
            for column in columns
        ),
        parents=entity.parents or None,
    )


def _repeated(names: list[str]) -> str | None:
    return next((name for i, name in enumerate(names) if name in names[:i]), None)
