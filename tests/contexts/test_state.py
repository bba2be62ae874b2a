from __future__ import annotations

import pytest

from soundstage.contexts.engine import state
from soundstage.contexts.engine.schema import StateError
from soundstage.contexts.engine.store import Context, digest
from tests.contexts.steps import step


def _put(context: Context, given: object, mode: state.LoadMode = "replace") -> None:
    context.begin()
    try:
        state.load(context, given, mode)
        context.finish()
        context.commit()
    finally:
        context.rollback()


def test_replace_makes_an_entity_hold_just_the_given_objects(context: Context) -> None:
    step(context, lambda app: (app.create("owner", {"owner_id": "a"}), app.create("shelf", {"shelf_id": "s"})))
    _put(context, {"sample": {"owner": [{"owner_id": "b"}]}})
    assert state.dump(context) == {"sample": {"owner": [{"owner_id": "b"}], "shelf": [{"shelf_id": "s"}]}}


def test_add_inserts_and_overwrites_by_key(context: Context) -> None:
    step(context, lambda app: [app.create("owner", {"owner_id": o, "name": "old"}) for o in ("a", "b")])
    _put(context, {"sample": {"owner": [{"owner_id": "b"}, {"owner_id": "c", "name": "new"}]}}, "add")
    assert {o["owner_id"]: o.get("name") for o in context.app("sample").list("owner")} == {
        "a": "old",
        "b": None,
        "c": "new",
    }


def test_undeclared_fields_are_preserved(context: Context) -> None:
    owner = {"owner_id": "a", "name": "Mei", "badge": {"colour": "red"}, "since": 3}
    _put(context, {"sample": {"owner": [owner]}})
    assert context.app("sample").get("owner", "a") == owner


def test_hints_of_recorded_states_are_dropped_or_find_their_entity(context: Context) -> None:
    given = {"owner": [{"owner_id": "a", "_no_access": True}], "_weather": [{"rain": 1}], "_owners": [{"name": "Mei"}]}
    _put(context, {"sample": given}, "add")
    assert [o.get("name") for o in context.app("sample").list("owner")] == [None, "Mei"]


def test_a_missing_key_is_generated_if_its_format_is_known(context: Context) -> None:
    _put(context, {"sample": {"owner": [{"name": "a"}, {"name": "b"}]}})
    assert len({o["owner_id"] for o in context.app("sample").list("owner")}) == 2


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ([], "state: expected an object"),
        ({"nope": {}}, "nope: is not an app of this session; its apps: "),
        ({"sample": []}, "sample: expected an object"),
        ({"sample": {"ownr": []}}, "sample.ownr: unknown entity; sample has: owner, shelf, book"),
        ({"sample": {"owner": {}}}, "sample.owner: expected a list"),
        ({"sample": {"owner": [{"owner_id": "a"}, 3]}}, r"sample.owner\[1\]: expected an object"),
        ({"sample": {"owner": [{"owner_id": 3}]}}, r"owner\[0\].owner_id: expected text, got a number \(3\)"),
        ({"sample": {"owner": [{"owner_id": "a"}, {"owner_id": "a"}]}}, r"owner\[1\]: the key 'a' occurs twice"),
        ({"sample": {"book": [{"shelf_id": "s"}]}}, r"book\[0\].number: is missing"),
        ({"sample": {"book": [{"shelf_id": "s", "number": 1.5}]}}, r"book\[0\].number: expected a whole number"),
        ({"sample": {"book": [{"shelf_id": "s", "number": True}]}}, r"book\[0\].number: expected a whole number"),
        ({"sample": {"book": [{"shelf_id": "s", "number": 2**63}]}}, r"book\[0\].number: expected a whole number"),
        ({"sample": {"book": [{"shelf_id": "s", "number": 1, "lent": 1}]}}, r"book\[0\].lent: expected true or false"),
        ({"sample": {"book": [{"shelf_id": "s", "number": 1, "price": "2"}]}}, r"book\[0\].price: expected a number"),
    ],
)
def test_an_invalid_state_is_refused_as_a_whole_with_the_path(context: Context, given: object, message: str) -> None:
    step(context, lambda app: app.create("owner", {"owner_id": "kept"}))
    before = digest(context), context.read_meta().step
    with pytest.raises(StateError, match=message):
        _put(context, given)
    assert (digest(context), context.read_meta().step) == before


def test_dump_can_be_limited_to_an_app_or_entity_and_reports_unknown_names(context: Context) -> None:
    step(context, lambda app: (app.create("owner", {"owner_id": "a"}), app.create("shelf", {"shelf_id": "s"})))
    assert state.dump(context, "sample", "shelf") == {"sample": {"shelf": [{"shelf_id": "s"}]}}
    for app, entity in (("nope", None), ("sample", "nope"), (None, "owner")):
        with pytest.raises(StateError, match=r"unknown entity|is not an app of this session"):
            state.dump(context, app, entity)


_SETTING = {"name": "NOTION_MARKDOWN_CONVERSION", "value": "true"}


def test_a_hint_within_an_object_fills_the_field_of_that_name_unless_it_is_given(context: Context) -> None:
    owners = [
        {"owner_id": "own_1", "_name": "Ada", "_mood": "calm"},
        {"owner_id": "own_2", "name": "Bo", "_name": "Not Bo"},
    ]
    _put(context, {"sample": {"owner": owners}})
    assert state.dump(context, "sample", "owner")["sample"]["owner"] == [
        {"owner_id": "own_1", "name": "Ada"},
        {"owner_id": "own_2", "name": "Bo"},
    ]


@pytest.mark.parametrize(
    ("hint", "given"),
    [("_settings", {_SETTING["name"]: _SETTING["value"]}), ("_setting", _SETTING), ("_settings", _SETTING)],
)
def test_a_hint_fills_a_table_of_names_and_values(context: Context, hint: str, given: dict[str, str]) -> None:
    _put(context, {"notion": {hint: [given]}})
    assert context.app("notion").list("setting") == [_SETTING]
