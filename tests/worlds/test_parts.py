"""A context starts from the part of a world with its apps only. Parts are built once, limited in number, and safe among
processes.
"""

from __future__ import annotations

import multiprocessing
from pathlib import Path

import apsw
import pytest

from soundstage.contexts.apps import app_names, shipped_tables
from soundstage.contexts.engine import state
from soundstage.contexts.engine.store import open_context
from soundstage.worlds import World, built, load_world, parts, start_for
from tests import built_worlds


@pytest.fixture(scope="module")
def campus() -> World:
    return load_world("campus")


@pytest.fixture(scope="module")
def folder(campus: World, tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("worlds")
    built_worlds.link(made, campus.name)
    return made


def _tables(path: Path) -> set[str]:
    connection = apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READONLY)
    rows = connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall()
    connection.close()
    return {str(name) for (name,) in rows}


def test_a_part_has_its_apps_tables_and_objects_and_no_other(campus: World, folder: Path) -> None:
    whole = open_context(apsw.Connection(str(built(campus, folder))))
    for apps in (("xiaohongshu",), ("lark", "xiaohongshu"), ()):
        with start_for(campus, folder, apps) as path:
            expected = {entity.table.name for app in apps for entity in shipped_tables()[app].entities.values()}
            assert _tables(path) - {"_meta", "_app", "_account", "_journal"} == expected
            part = open_context(apsw.Connection(str(path)))
            assert state.dump(part) == {app: state.dump(whole, app)[app] for app in apps}
            assert part.read_meta() == whole.read_meta()
            part.close()
    whole.close()


def test_an_app_that_the_world_does_not_have_is_empty(folder: Path) -> None:
    with start_for(load_world("empty"), folder, ("slack",)) as path:
        part = open_context(apsw.Connection(str(path)))
        assert list(part.tables) == ["slack"]
        assert state.dump(part) == {}
        part.close()


def test_the_complete_world_is_the_part_with_every_app(campus: World, folder: Path) -> None:
    with start_for(campus, folder, app_names()) as path:
        assert path == built(campus, folder)


def test_a_part_is_built_once_for_any_order_of_its_apps(campus: World, folder: Path) -> None:
    with start_for(campus, folder, ("lark", "slack")) as path:
        made = path.stat().st_ino
    with start_for(campus, folder, ("slack", "lark")) as again:
        assert (again, again.stat().st_ino) == (path, made)


def test_the_least_recently_used_parts_are_removed_unless_in_use(
    campus: World, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    built_worlds.link(tmp_path, campus.name)
    monkeypatch.setattr(parts, "_MOST", 2)
    with start_for(campus, tmp_path, ("lark",)) as first:
        for apps in (("slack",), ("notion",), ("xiaohongshu",)):
            with start_for(campus, tmp_path, apps):
                pass
        assert first.exists()
    left = set((tmp_path / "parts").glob("*.db"))
    assert len(left) == 2
    assert first not in left
    with start_for(campus, tmp_path, ("lark",)) as again:
        assert again == first


_TURNS = 8


def _copies(folder: Path, number: int) -> int:
    parts._MOST = 1
    world, copied = load_world("campus"), 0
    for turn in range(_TURNS):
        with start_for(world, folder, (app_names()[(number + turn) % 3],)) as path:
            copied += len(path.read_bytes()) > 0
    return copied


def test_processes_can_create_use_and_remove_parts_at_once(campus: World, tmp_path: Path) -> None:
    built_worlds.link(tmp_path, campus.name)
    with multiprocessing.get_context("spawn").Pool(3) as pool:
        assert pool.starmap(_copies, [(tmp_path, number) for number in range(3)]) == [_TURNS] * 3
    assert not list((tmp_path / "parts").glob("*.partial"))


def test_a_part_whose_creation_was_interrupted_is_created_again(
    campus: World, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    built_worlds.link(tmp_path, campus.name)
    with monkeypatch.context() as patched:
        patched.setattr(Path, "replace", _dies)
        with pytest.raises(KeyboardInterrupt), start_for(campus, tmp_path, ("slack",)):
            pass
    with start_for(campus, tmp_path, ("slack",)) as path:
        assert "slack_message" in _tables(path)


def _dies(self: Path, target: Path) -> Path:
    raise KeyboardInterrupt
