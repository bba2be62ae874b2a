"""Receipts compared with SQLite's session extension, which records the same changes independently."""

from __future__ import annotations

import contextlib
import random
from typing import Any

import apsw
import pytest

from soundstage.contexts.engine.schema import ABSENT, Entity
from soundstage.contexts.engine.store import Context

_VALUES: dict[str, tuple[Any, ...]] = {
    "JSON": (None, {"a": 1}, [1, "ü"], {"page_id": "k1"}),
    "true or false": (True, False),
    "a whole number": (0, 1, -7, 2**62, 10.0),
    "a number": (0.5, 2.0, 3),
    "text": ("", "x", "ü" * 70, "long" * 40),
}


def _noted(changeset: bytes) -> list[tuple[str, ...]]:
    return sorted(
        (c.name, c.op, repr(c.old), repr(c.new), repr(sorted(c.pk_columns))) for c in apsw.Changeset.iter(changeset)
    )


def _change(rng: random.Random, context: Context, entity: Entity) -> None:
    view = context.app(entity.app)
    key = tuple(rng.choice(("k0", "k1", "k2")) if entity.types[k] == "text" else rng.randrange(3) for k in entity.key)
    names = rng.sample(
        [n for n in entity.fields if n not in entity.key], k=min(4, len(entity.fields) - len(entity.key))
    )
    values = {n: rng.choice(_VALUES[entity.types[n]]) for n in names[: rng.randrange(5)]}
    with contextlib.suppress(KeyError, apsw.ConstraintError):
        match rng.choice("ccuud"):
            case "c":
                undeclared = {"undeclared": 1} if rng.random() < 0.2 else {}
                view.put(entity, {**dict(zip(entity.key, key, strict=True)), **values, **undeclared})
            case "u":
                view.update(entity.name, key, {n: rng.choice((v, ABSENT)) for n, v in values.items()})
            case _:
                view.delete(entity.name, key)


@pytest.mark.parametrize("seed", range(4))
def test_receipts_equal_the_changes_of_the_session_extension(context: Context, seed: int) -> None:
    rng = random.Random(seed)
    entities = [e for tables in context.tables.values() for e in tables.entities.values()]
    changes = 0
    for _ in range(150):
        context.begin()
        witness = apsw.Session(context.connection, "main")
        witness.attach()
        for entity in rng.sample(entities, 2):
            for _ in range(rng.randrange(1, 6)):
                _change(rng, context, entity)
        expected = _noted(witness.changeset())
        witness.close()
        assert _noted(context.finish().changeset) == expected
        context.commit()
        changes += len(expected)
    assert changes > 150


def test_circles_of_parents_can_be_deleted(context: Context) -> None:
    context.begin()
    app = context.app("sample")
    for shelf, above in (("a", "b"), ("b", "a"), ("self", "self")):
        app.create("shelf", {"shelf_id": shelf, "parent_shelf": above})
    assert app.delete("shelf", "a")
    assert app.delete("shelf", "self")
    assert app.count("shelf") == 0
    context.rollback()


def test_keys_cannot_be_changed(context: Context) -> None:
    context.begin()
    app = context.app("sample")
    app.create("owner", {"owner_id": "a"})
    with pytest.raises(KeyError, match="cannot be changed"):
        app.update("owner", "a", {"owner_id": "b"})
    context.rollback()
