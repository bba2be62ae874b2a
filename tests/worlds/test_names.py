"""The names that a world's sources give its rows are stored in a file next to its database, and nowhere else."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import orjson
import pytest

from soundstage import worlds
from soundstage.contexts.apps import shipped_tables
from soundstage.source import SourceError
from soundstage.worlds import World, built, content, load_world, names
from soundstage.worlds.builder.build import build
from tests.worlds.builder.conftest import write_spec

__all__ = ["write_spec"]

WriteSpec = Callable[..., Path]


@pytest.fixture
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of built worlds. It is not below the spec, whose folder contains only sources."""
    return tmp_path_factory.mktemp("built")


def _world(spec: Path) -> World:
    return World("tiny", "Tiny", "", 0, spec.parent)


def test_a_name_refers_to_the_row_in_every_app_that_has_it(write_spec: WriteSpec, folder: Path) -> None:
    world = _world(write_spec({"accounts: {slack: {}": "", "- bo +3m:": "- bo +3m id=good:"}))
    names_by_app = names(world, folder)
    state = content(world).objects
    rows = {(app, entity): rows for app, entities in state.items() for entity, rows in entities.items()}
    (ann,) = [u for u in rows["lark", "user"] if u["open_id"] == names_by_app["lark"]["user"]["ann"]]
    assert ann["name"] == "Ann Lee"
    (in_slack,) = [u for u in rows["slack", "user"] if u["id"] == names_by_app["slack"]["user"]["ann"]]
    assert in_slack["real_name"] == "Ann Lee"
    (plan,) = [d for d in rows["lark", "document"] if d["document_id"] == names_by_app["lark"]["document"]["plan"]]
    assert plan["title"] == "Plan"
    (reply_message,) = [
        m for m in rows["lark", "message"] if m["message_id"] == names_by_app["lark"]["message"]["story/0/3/good"]
    ]
    assert orjson.loads(reply_message["body"]["content"])["text"] == "好"
    (place,) = [c for c in rows["lark", "chat"] if c["chat_id"] == names_by_app["lark"]["chat"]["room"]]
    assert place["name"] == "Room"


@pytest.mark.long
def test_a_key_of_several_columns_is_the_list_of_their_values(tmp_path: Path) -> None:
    names_by_app = names(load_world("studio"), tmp_path)
    for app, entities in names_by_app.items():
        for entity, keys in entities.items():
            size = len(shipped_tables()[app].entities[entity].key)
            assert all(len(key) == size if isinstance(key, list) else size == 1 for key in keys.values()), entity
    rows = content(load_world("studio")).objects["slack"]["message"]
    assert {tuple(key) for key in names_by_app["slack"]["message"].values()} == {(m["channel"], m["ts"]) for m in rows}


def test_every_row_of_a_built_world_has_one_name(tmp_path: Path) -> None:
    world = load_world("campus")
    names_by_app = names(world, tmp_path)
    objects = content(world).objects
    assert {a: {e: len(keys) for e, keys in entities.items() if keys} for a, entities in names_by_app.items()} == {
        a: {e: len(rows) for e, rows in entities.items()} for a, entities in objects.items()
    }


def test_two_rows_of_an_entity_with_one_name_are_refused(write_spec: WriteSpec) -> None:
    with pytest.raises(SourceError, match=r"two rows of lark\.message are called 'story/0/3/0'"):
        build(write_spec({"- bo +3m:": "- bo +3m id=0:"}))


@pytest.mark.long
def test_names_are_the_same_bytes_in_another_process(tmp_path: Path) -> None:
    program = (
        "import sys; from pathlib import Path; from soundstage.worlds import load_world, names; "
        "names(load_world('campus'), Path(sys.argv[1]))"
    )
    contents = set()
    for seed in ("1", "77"):
        environment = {**os.environ, "PYTHONHASHSEED": seed, "LC_ALL": "C"}
        subprocess.run([sys.executable, "-c", program, str(tmp_path / seed)], env=environment, check=True)
        (file,) = (tmp_path / seed).glob("*.names.json")
        contents.add(file.read_bytes())
    assert len(contents) == 1


def test_a_world_of_given_objects_has_no_names(tmp_path: Path) -> None:
    assert names(load_world("empty"), tmp_path) == {}


def test_missing_files_of_a_built_world_are_built_again(write_spec: WriteSpec, folder: Path) -> None:
    world = _world(write_spec())
    whole = names(world, folder)
    for suffix in ("*.db", "*.names.json"):
        (file,) = folder.glob(suffix)
        file.unlink()
        assert names(world, folder) == whole
        assert built(world, folder).exists()


def test_an_interrupted_build_leaves_no_database_without_names(
    write_spec: WriteSpec, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    world = _world(write_spec())
    renamed: list[Path] = []

    def dies_at_the_second(self: Path, target: Path) -> Path:
        if renamed:
            raise KeyboardInterrupt
        renamed.append(target)
        os.replace(self, target)
        return target

    with monkeypatch.context() as patched:
        patched.setattr(Path, "replace", dies_at_the_second)
        with pytest.raises(KeyboardInterrupt):
            built(world, folder)
    assert not list(folder.glob("*.db"))
    assert names(world, folder)["lark"]["user"].keys() == {"ann", "bo", "cy"}


def test_no_context_contains_the_names(tmp_path: Path) -> None:
    world = load_world("studio")
    database = built(world, tmp_path).read_bytes()
    assert b"flat_list" in (tmp_path / f"studio-{worlds.fingerprint(world)}.names.json").read_bytes()
    assert b"flat_list" not in database
