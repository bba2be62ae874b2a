from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from soundstage.contexts.engine import state, tree
from soundstage.contexts.engine.clock import Clock
from soundstage.contexts.engine.schema import StateError
from soundstage.contexts.engine.storage import MemoryStorage
from soundstage.contexts.engine.store import Context, digest
from tests.contexts import sample
from tests.contexts.conftest import EPOCH_MS

LIBRARY = {
    "owner": [{"owner_id": "o.1", "name": "Mei"}, {"owner_id": "o]2\\"}],
    "shelf": [
        {"shelf_id": "s", "owner_id": "o.1", "label": "top"},
        {"shelf_id": "inner", "parent_shelf": "s"},
        {"shelf_id": "lost", "owner_id": "nobody"},
    ],
    "book": [{"shelf_id": "inner", "number": 1, "title": "Tao"}, {"shelf_id": "nowhere", "number": 2}],
}


def _load(context: Context, given: state.State) -> None:
    context.begin()
    state.load(context, given)
    context.finish()
    context.commit()


def test_children_are_below_their_parents_and_orphans_at_the_top(context: Context) -> None:
    _load(context, {"sample": LIBRARY})
    exported = tree.export_tree(context, "sample")
    assert exported["owner"]["o.1"]["shelf"]["s"]["shelf"]["inner"]["book"]["1"]["title"] == "Tao"
    assert set(exported["shelf"]) == {"lost"}
    assert set(exported["book"]) == {"nowhere/2"}


@pytest.mark.parametrize(
    ("path", "field", "value"),
    [
        ("owner[o.1]", "name", "Mei"),
        ("owner[o.1].shelf[s]", "label", "top"),
        ("owner[o.1].shelf[s].shelf[inner].book[1]", "title", "Tao"),
        ("owner[o\\]2\\\\]", "owner_id", "o]2\\"),
        ("book[inner/1]", "title", "Tao"),
    ],
)
def test_paths_lead_to_objects(context: Context, path: str, field: str, value: str) -> None:
    _load(context, {"sample": LIBRARY})
    assert tree.find(context, "sample", path)[field] == value


@pytest.mark.parametrize(
    ("path", "message"),
    [
        ("", "empty"),
        ("owner", r"expected entity\[key\]"),
        ("owner[o.1", r"expected entity\[key\]"),
        ("owner[o.1]shelf[s]", "expected '.'"),
        ("owner[zzz]", "does not exist"),
        ("owner[o.1].book[1]", "possible: shelf"),
        ("magazine[1]", "possible: owner, shelf, book"),
    ],
)
def test_an_invalid_path_is_reported_with_its_valid_part(context: Context, path: str, message: str) -> None:
    _load(context, {"sample": LIBRARY})
    with pytest.raises(StateError, match=message):
        tree.find(context, "sample", path)


@pytest.mark.parametrize(
    ("broken", "message"),
    [
        ([], "expected a tree"),
        ({"magazine": {}}, "magazine: unknown entity"),
        ({"owner": []}, "owner: expected a map"),
        ({"owner": {"a": 3}}, r"owner\[a\]: expected an object"),
        ({"owner": {"a": {"shelf": {"s": {"book": 1}}}}}, r"owner\[a\].shelf\[s\].book: expected a map"),
    ],
)
def test_an_invalid_tree_is_refused_with_the_path(broken: object, message: str) -> None:
    with pytest.raises(StateError, match=message):
        tree.flatten(sample.TABLES, broken)


_KEYS = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=6)


@st.composite
def _libraries(draw: Callable[..., object]) -> state.State:
    owners = draw(st.lists(_KEYS, unique=True, max_size=4))
    shelves = draw(st.lists(_KEYS, unique=True, max_size=5))
    books = draw(st.lists(st.tuples(_KEYS, st.integers(-9, 99)), unique=True, max_size=6))
    pick = draw(st.randoms(use_true_random=False))
    library: dict[str, list[dict[str, object]]] = {
        "owner": [{"owner_id": o, "name": pick.choice(["", "n"]), "unknown_to_us": {"kept": True}} for o in owners],  # type: ignore
        "shelf": [],
        "book": [],
    }
    for i, shelf in enumerate(shelves):  # type: ignore[arg-type,var-annotated]
        above = {"owner_id": pick.choice(owners)} if owners and pick.random() < 0.5 else {}  # type: ignore
        if i and not above:
            above = {"parent_shelf": shelves[i - 1]}  # type: ignore[index]
        library["shelf"].append({"shelf_id": shelf, **above})
    for shelf, number in books:  # type: ignore[attr-defined]
        library["book"].append({"shelf_id": pick.choice([shelf, *shelves]), "number": number, "notes": [shelf]})  # type: ignore
    seen = set()
    library["book"] = [b for b in library["book"] if not ((k := (b["shelf_id"], b["number"])) in seen or seen.add(k))]  # type: ignore
    return {"sample": library}


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(_libraries())
def test_a_tree_holds_the_whole_state(world_file: Path, given_state: state.State) -> None:
    storage = MemoryStorage()
    one, two = (storage.create(n, world_file, seed=0, clock=Clock("tick", EPOCH_MS)) for n in ("one", "two"))
    _load(one, given_state)
    exported = json.loads(json.dumps(tree.export_tree(one, "sample")))
    _load(two, tree.flatten(sample.TABLES, exported))
    assert digest(two) == digest(one)
    storage.delete("one")
    storage.delete("two")


def test_the_state_form_round_trips_to_an_equal_digest(world_file: Path) -> None:
    storage = MemoryStorage()
    one, two = (storage.create(n, world_file, seed=0, clock=Clock("tick", EPOCH_MS)) for n in ("one", "two"))
    _load(one, {"sample": LIBRARY})
    _load(two, json.loads(json.dumps(state.dump(one))))
    assert digest(two) == digest(one)
