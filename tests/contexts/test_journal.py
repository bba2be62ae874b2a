from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from soundstage.contexts.engine import journal
from soundstage.contexts.engine.app_context import AppContext
from soundstage.contexts.engine.problems import ContextError
from soundstage.contexts.engine.store import Context, digest
from tests.contexts import sample
from tests.contexts.conftest import EPOCH_MS
from tests.contexts.steps import step


def test_a_receipt_names_exactly_the_rows_that_changed(context: Context) -> None:
    step(context, lambda app: [app.create("owner", {"owner_id": o, "name": o}) for o in ("a", "b", "c")])

    def change(app: AppContext) -> None:
        app.update("owner", "a", {"name": "A"})
        app.update("owner", "b", {"name": "b"})  # no change
        app.delete("owner", "c")
        app.create("book", {"shelf_id": "s", "number": 3, "lent": True, "notes": {"x": 1}})

    step(context, change)
    (row,) = journal.read(context, after=1)
    assert journal.changes(context, row.receipt.changeset) == [
        {"app": "sample", "entity": "owner", "id": "a", "op": "update", "before": {"name": "a"}, "after": {"name": "A"}},
        {"app": "sample", "entity": "owner", "id": "c", "op": "delete", "before": {"owner_id": "c", "name": "c"}, "after": None},
        {
            "app": "sample",
            "entity": "book",
            "id": ["s", 3],
            "op": "insert",
            "before": None,
            "after": {"shelf_id": "s", "number": 3, "lent": True, "notes": {"x": 1}},
        },
    ]  # fmt: skip


def test_rewinding_to_an_unknown_step_is_refused(context: Context) -> None:
    step(context, lambda app: app.create("owner", {"owner_id": "a"}))
    before = digest(context)
    for never in (-1, 2, 10**9):
        with pytest.raises(ContextError, match="has steps 0"):
            journal.rewind(context, never)
    assert digest(context) == before


_OPERATIONS = st.lists(
    st.tuples(st.sampled_from(["create", "update", "delete", "id"]), st.integers(0, 5), st.text(max_size=5)), max_size=4
)


@settings(max_examples=60, deadline=None)
@given(st.lists(_OPERATIONS, min_size=1, max_size=12), st.data())
def test_rewinding_to_any_step_restores_it_and_later_steps_repeat(
    plan: list[list[tuple[str, int, str]]], data: st.DataObject
) -> None:
    import apsw

    from soundstage.contexts.engine.clock import Clock
    from soundstage.contexts.engine.store import create_tables, open_context

    connection = apsw.Connection(":memory:")
    create_tables(connection, {"sample": sample.TABLES}, world="sample", seed=3, clock=Clock("tick", EPOCH_MS))
    context = open_context(connection)

    def run(operations: list[tuple[str, int, str]]) -> list[object]:
        def work(app: AppContext) -> list[object]:
            drawn: list[object] = [app.random.random()]
            for kind, number, text in operations:
                if kind == "id":
                    drawn.append(app.new_id("owner"))
                elif kind == "create" and app.get("owner", str(number)) is None:
                    app.create("owner", {"owner_id": str(number), "name": text})
                elif kind == "update" and app.get("owner", str(number)) is not None:
                    app.update("owner", str(number), {"name": text})
                elif kind == "delete":
                    app.delete("owner", str(number))
            return drawn

        drawn: list[object] = step(context, work)
        return drawn

    def moment() -> tuple[object, ...]:
        return digest(context), context.read_meta()

    moments, drawn = [moment()], []
    for operations in plan:
        drawn.append(run(operations))
        moments.append(moment())
    back = data.draw(st.integers(0, len(plan)))
    journal.rewind(context, back)
    assert moment() == moments[back]
    assert [r.step for r in journal.read(context)] == list(range(1, back + 1))
    assert [run(operations) for operations in plan[back:]] == drawn[back:]
    assert moment() == moments[-1]
    context.close()
