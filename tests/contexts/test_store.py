from __future__ import annotations

from pathlib import Path

import apsw
import pytest

from soundstage.contexts.engine.app_context import AppContext
from soundstage.contexts.engine.clock import from_ms
from soundstage.contexts.engine.problems import ContextBusy, ContextDamaged
from soundstage.contexts.engine.schema import ABSENT
from soundstage.contexts.engine.storage import DurableStorage
from soundstage.contexts.engine.store import Context, digest, open_context
from tests.contexts.conftest import EPOCH_MS
from tests.contexts.steps import step


def test_an_object_is_read_as_it_was_written(context: Context) -> None:
    book = {"shelf_id": "s", "number": 1, "title": "Tao", "price": 2.5, "lent": False, "notes": {"a": [1, None]}}
    step(context, lambda app: app.create("book", book))
    assert context.app("sample").get("book", ("s", 1)) == book


def test_absent_fields_stay_absent_and_json_null_stays_null(context: Context) -> None:
    step(context, lambda app: app.create("book", {"shelf_id": "s", "number": 1, "notes": None}))
    assert context.app("sample").get("book", ("s", 1)) == {"shelf_id": "s", "number": 1, "notes": None}


def test_a_missing_key_is_filled_in_the_declared_format(context: Context) -> None:
    owner = step(context, lambda app: app.create("owner", {"name": "Mei"}))
    assert owner["owner_id"].startswith("own_")
    assert len(owner["owner_id"]) == len("own_") + 8


def test_update_changes_only_the_named_fields_and_absent_removes_one(context: Context) -> None:
    step(context, lambda app: app.create("book", {"shelf_id": "s", "number": 1, "title": "Tao", "notes": [1]}))
    changed = step(context, lambda app: app.update("book", ("s", 1), {"lent": True, "notes": ABSENT}))
    assert changed == {"shelf_id": "s", "number": 1, "title": "Tao", "lent": True}


def test_updating_a_missing_object_names_it(context: Context) -> None:
    with pytest.raises(KeyError, match="does not exist"):
        step(context, lambda app: app.update("owner", "own_none", {"name": "x"}))
    context.rollback()


@pytest.mark.parametrize("method", ["create", "update"])
def test_fields_that_are_not_declared_are_refused(context: Context, method: str) -> None:
    def write(app: AppContext) -> object:
        if method == "create":
            return app.create("owner", {"owner_id": "o", "nmae": "x"})
        return app.update("owner", "o", {"nmae": "x"})

    with pytest.raises(KeyError, match="nmae"):
        step(context, write)
    context.rollback()


def test_list_filters_orders_and_pages(context: Context) -> None:
    def fill(app: AppContext) -> None:
        for number in range(1, 8):
            app.create("book", {"shelf_id": "s" if number % 2 else "t", "number": number, "price": float(number % 3)})

    step(context, fill)
    app = context.app("sample")

    def numbers(*args: object, **kwargs: object) -> list[int]:
        return [b["number"] for b in app.list("book", *args, **kwargs)]  # type: ignore[arg-type]

    assert numbers({"shelf_id": "s"}) == [1, 3, 5, 7]
    assert numbers({"shelf_id": "s", "number >": 1, "number <=": 5}) == [3, 5]
    assert numbers({"number in": [2, 7, 99]}) == [2, 7]
    assert numbers({"number in": []}) == []
    assert numbers({"number in": []}, limit=2) == []
    assert numbers({"number in": [], "shelf_id": "s"}, limit=2) == []
    assert numbers({"title": None, "number !=": 1}, order="-number") == [7, 6, 5, 4, 3, 2]
    assert numbers(order=("price", "-number"), limit=3, offset=1) == [3, 7, 4]
    assert app.count("book", {"shelf_id": "t"}) == 3
    assert app.count("book", {"title !=": None}) == 0
    assert app.count("book", {"price !=": None}) == 7
    with pytest.raises(KeyError, match="absence"):
        app.list("book", {"price >": None})
    assert app.first("book", {"shelf_id": "x"}) is None
    with pytest.raises(KeyError, match="no field"):
        app.list("book", {"shelf": "s"})
    with pytest.raises(KeyError, match="operator"):
        app.list("book", {"number like": 1})


def test_delete_also_removes_children(context: Context) -> None:
    def fill(app: AppContext) -> None:
        app.create("owner", {"owner_id": "o"})
        app.create("shelf", {"shelf_id": "s", "owner_id": "o"})
        app.create("shelf", {"shelf_id": "inner", "parent_shelf": "s"})
        app.create("book", {"shelf_id": "inner", "number": 1})
        app.create("book", {"shelf_id": "other", "number": 1})

    step(context, fill)
    assert step(context, lambda app: app.delete("owner", "o")) is True
    app = context.app("sample")
    assert [app.count(e) for e in ("owner", "shelf", "book")] == [0, 0, 1]
    assert step(context, lambda app: app.delete("owner", "o")) is False


def test_order_of_creation_survives_delete_and_undo(context: Context) -> None:
    from soundstage.contexts.engine import journal

    def fill(app: AppContext) -> None:
        for name in ("a", "b", "c"):
            app.create("owner", {"owner_id": name})

    step(context, fill)
    step(context, lambda app: app.delete("owner", "a"))
    journal.rewind(context, 1)
    assert [o["owner_id"] for o in context.app("sample").list("owner")] == ["a", "b", "c"]


def test_the_clock_starts_at_the_epoch_and_ticks_once_per_step(context: Context) -> None:
    seen = [step(context, lambda app: (app.now(), app.now())) for _ in range(3)]
    assert seen == [(from_ms(EPOCH_MS + i * 1000),) * 2 for i in range(3)]


def test_ids_and_randomness_repeat_with_the_seed_and_differ_between_steps(world_file: Path, tmp_path: Path) -> None:
    from soundstage.contexts.engine.clock import Clock

    def draw(folder: str, seed: int) -> list[object]:
        made = DurableStorage(tmp_path / folder).create("x", world_file, seed=seed, clock=Clock("tick", EPOCH_MS))
        return [step(made, lambda app: (app.new_id("owner"), app.random.random())) for _ in range(3)]

    first = draw("a", 5)
    assert first == draw("b", 5)
    assert first != draw("c", 6)
    assert len({str(d) for d in first}) == 3


def test_a_rolled_back_step_leaves_nothing(context: Context) -> None:
    before = digest(context)
    context.begin()
    context.app("sample").create("owner", {"owner_id": "o"})
    context.app("sample").new_id("owner")
    context.rollback()
    assert digest(context) == before
    assert context.read_meta().step == 0
    assert step(context, lambda app: app.next_number("sample.owner")) == 1


def test_digest_counts_objects_and_nothing_else(context: Context) -> None:
    empty = digest(context)
    step(context, lambda app: app.new_id("owner"))
    assert digest(context) == empty
    step(context, lambda app: [app.create("owner", {"owner_id": o}) for o in ("a", "b")])
    two = digest(context)
    step(context, lambda app: (app.delete("owner", "a"), app.create("owner", {"owner_id": "a"})))
    assert digest(context) == two != empty
    step(context, lambda app: app.update("owner", "a", {"name": ""}))
    assert digest(context) != two


def test_two_connections_share_one_context(world_file: Path) -> None:
    one, two = (open_context(apsw.Connection(str(world_file))) for _ in range(2))
    ids = [step(c, lambda app: app.new_id("owner")) for c in (one, two, one, two)]
    assert len(set(ids)) == 4
    assert one.read_meta().step == two.read_meta().step == 4
    one.begin()
    two.connection.set_busy_timeout(50)
    with pytest.raises(ContextBusy, match="another process"):
        two.begin()
    with pytest.raises(ContextBusy, match="another process"), two.transaction():
        pass
    one.rollback()
    one.close()
    two.close()


@pytest.mark.parametrize("damage", ["text", "cut", "scribble"])
def test_a_damaged_file_is_reported_as_such(world_file: Path, damage: str) -> None:
    content = world_file.read_bytes()
    world_file.write_bytes(
        {"text": b"not a database at all" * 100, "cut": content[:600], "scribble": content[:100] + b"\xff" * 4000}[
            damage
        ]
    )
    with pytest.raises(ContextDamaged, match="damaged"):
        open_context(apsw.Connection(str(world_file)))
