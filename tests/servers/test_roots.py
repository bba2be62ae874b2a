"""Apps in separate folders: only files accepted by their lock are imported."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, cast

import pytest

from soundstage import app_roots
from soundstage.app_roots import digest
from soundstage.contexts.app_errors import BrokenApp
from soundstage.contexts.engine.app_context import AppContext
from soundstage.servers.catalogue import UnknownApp, app_names, broken_apps, load_app, load_apps
from soundstage.servers.confined import host
from soundstage.servers.confined.host import sources_of
from soundstage.servers.faults import Hit, fault_words
from tests.synthesis.generate.small_app import app_files

KERNEL = "def run(context, arguments):\n    return 'here'\n"
Put = Callable[..., Path]


class Still:
    """A context that only has the time."""

    def now(self) -> datetime:
        return datetime(2026, 11, 20, tzinfo=UTC)


def answer(app: str) -> Any:
    return load_app(app).tools["tool"].kernel(cast(AppContext, Still()), {})


@pytest.fixture
def put(tmp_path: Path) -> Iterator[Put]:
    """Returns a function that puts an app into a root and returns the root: put("shop", root="one", tool="…code…")."""
    added: list[Path] = []

    def make(app: str = "shop", *tools: str, root: str = "one", code: str = KERNEL) -> Path:
        folder = tmp_path / root
        contents = {
            path.replace("shop", app): content.replace(b'"shop"', json.dumps(app).encode())
            for path, content in app_files(*tools, tool=code).items()
        }
        for path, content in contents.items():
            (folder / path).parent.mkdir(parents=True, exist_ok=True)
            (folder / path).write_bytes(content)
        lock = {"accepted": {path: digest(content) for path, content in contents.items()}}
        (folder / "servers" / app / app_roots.LOCK).write_text(json.dumps(lock))
        app_roots.add(folder)
        added.append(folder)
        app_roots.changed()
        return folder

    yield make
    for folder in added:
        app_roots.remove(folder)


def test_an_accepted_app_is_like_any_other(put: Put) -> None:
    put("shop")
    assert "shop" in app_names()
    assert answer("shop") == "here"


def test_without_its_root_an_app_is_gone(put: Put) -> None:
    folder = put("shop")
    load_app("shop").tools["tool"].kernel  # noqa: B018 it is made
    app_roots.remove(folder)
    with pytest.raises(UnknownApp):
        load_app("shop")


def test_a_kernel_changed_after_its_acceptance_is_not_run(put: Put) -> None:
    folder = put("shop")
    load_app("shop")
    (folder / "kernels/shop/tool.py").write_text("raise SystemExit('it ran')\n")
    with pytest.raises(
        app_roots.NotAccepted, match="was changed after it had been accepted; see `soundstage synthesise accept`"
    ):
        app_roots.Root(folder).read("shop", "kernels/shop/tool.py")
    app_roots.changed()
    assert load_app("shop").tools == {}
    assert load_app("shop").silent == {"tool": "none"}


def test_an_unaccepted_file_is_not_read(put: Put) -> None:
    folder = put("shop")
    (folder / "kernels/shop/more.py").write_text("raise SystemExit('it ran')\n")
    with pytest.raises(app_roots.NotAccepted, match="has not been accepted"):
        app_roots.Root(folder).read("shop", "kernels/shop/more.py")
    assert sources_of("shop").keys() == {"kernels/shop/tool.py"}


@pytest.mark.parametrize("path", ["servers/shop/dialect.json", "servers/shop/tools.json", "contexts/apps/shop.json"])
def test_a_changed_file_disables_only_its_app_with_a_message(put: Put, path: str) -> None:
    folder = put("shop")
    put("stall", root="two")
    (folder / path).write_text("raise SystemExit('it ran')\n")
    app_roots.changed()
    with pytest.raises((BrokenApp, app_roots.NotAccepted), match="was changed after it had been accepted"):
        load_app("shop")
    assert load_app("stall").tools.keys() == {"tool"}
    assert "shop" not in load_apps()
    assert broken_apps().keys() == {"shop"}


def test_an_app_without_accepted_files_is_left_out_alone(put: Put) -> None:
    folder = put("shop")
    put("stall", root="two")
    (folder / "servers/shop" / app_roots.LOCK).write_text('{"accepted": {}}')
    app_roots.changed()
    assert "shop" not in load_apps()
    assert "has not been accepted; see `soundstage synthesise report shop`" in broken_apps()["shop"]
    assert load_app("stall").tools.keys() == {"tool"}


@pytest.mark.parametrize(
    "lock", [b"", b"\x00\xff", b"[]", b"{}", b'{"accepted": 5}', b'{"accepted": []}', b"[" * 100_000]
)
def test_an_invalid_lock_affects_no_other_app(put: Put, lock: bytes) -> None:
    folder = put("shop")
    put("stall", root="two")
    (folder / "servers/shop" / app_roots.LOCK).write_bytes(lock)
    app_roots.changed()
    with pytest.raises((BrokenApp, app_roots.NotAccepted, UnknownApp)):
        load_app("shop")
    assert load_app("stall").tools.keys() == {"tool"}


def test_the_names_of_shipped_apps_cannot_be_used(put: Put) -> None:
    folder = put("slack")
    assert app_roots.root_of("slack") is None
    assert "slack" not in app_roots.app_names()
    assert "tool" not in load_app("slack").tools
    assert folder.exists()


def test_the_first_of_two_roots_with_one_app_name_has_priority(put: Put) -> None:
    put("shop", root="one")
    put("shop", root="two", code=KERNEL.replace("here", "there"))
    put("stall", root="two")
    assert {"shop", "stall"} <= set(app_names())
    assert answer("shop") == "here"


def test_a_tool_without_a_kernel_is_marked_as_silent(put: Put) -> None:
    put("shop", "silent")
    app = load_app("shop")
    assert app.tools.keys() == {"tool"}
    assert app.silent == {"silent": "none"}


@pytest.mark.parametrize("name", ["Shop", "../shop", "shop.x", "_shop", "9shop", "s" * 41])
def test_an_invalid_name_is_not_an_app(tmp_path: Path, name: str) -> None:
    folder = tmp_path / "servers" / name
    folder.mkdir(parents=True)
    (folder / app_roots.LOCK).write_text('{"accepted": {}}')
    assert app_roots.Root(tmp_path).apps() == ()


def entity(**members: object) -> str:
    """Return tables of shop with one entity, whose members are replaced by these."""
    whole = {"name": "a", "columns": [{"name": "a", "type": "text"}], "key": ["a"], **members}
    return json.dumps({"format": 1, "app": "shop", "entities": [whole]})


BAD_TABLES = {
    "no JSON": ("{", "shop.json"),
    "an unknown member": ('{"format": 1, "app": "shop", "entities": [], "x": 1}', r"shop.json:1 x: is not known here; known: "),
    "another app": ('{"format": 1, "app": "slack", "entities": []}', r"app is 'slack'; the file of shop needs 'shop'"),
    "a name that is SQL": (entity(name="a;b"), r"entities\[0\].name: string should match pattern"),
    "a hidden column": (
        entity(columns=[{"name": "_seq", "type": "text"}]), r"columns\[0\].name: string should match pattern",
    ),
    "a key that is no column": (entity(key=["b"]), r"entities\[0\]: 'b' is not a column; columns: a"),
    "an id of a gigabyte": (entity(id_format="{hex:999999999}"), r"an id has at most 200 drawn characters"),
    "an unknown type": (entity(columns=[{"name": "a", "type": "blob"}]), r"type: input should be 'text', 'integer'"),
}  # fmt: skip


def accept(folder: Path, path: str, content: str) -> None:
    """Write a file into a root and accept it, whatever its content."""
    (folder / path).write_text(content)
    lock_file = folder / "servers/shop" / app_roots.LOCK
    lock = json.loads(lock_file.read_text())
    lock["accepted"][path] = digest(content.encode())
    lock_file.write_text(json.dumps(lock))
    app_roots.changed()


@pytest.mark.parametrize("name", BAD_TABLES)
def test_invalid_tables_are_refused_with_file_place_and_valid_form(put: Put, name: str) -> None:
    content, message = BAD_TABLES[name]
    accept(put("shop"), "contexts/apps/shop.json", content)
    assert "shop" not in load_apps()
    with pytest.raises(BrokenApp, match=message):
        load_app("shop")


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ('{"format": 1, "arguments": "own"}', "arguments: 'own' is not a family of argument checks; known: zod4 at_paths"),
        ('{"format": 2, "arguments": "none"}', "format: input should be 1"),
        ('{"format": 1, "arguments": "none", "refusals": {"code": "x"}}', "refusals.code: input should be a valid integer"),
    ],
)  # fmt: skip
def test_an_invalid_dialect_is_refused_with_its_place(put: Put, content: str, message: str) -> None:
    accept(put("shop"), "servers/shop/dialect.json", content)
    with pytest.raises(BrokenApp, match=message):
        load_app("shop")


def test_fault_words_are_texts_in_the_dialects_envelope(put: Put) -> None:
    words = '{"format": 1, "timeout": {"text": "Gave up after {seconds} s"}, "login_tools": ["tool"]}'
    accept(put("shop"), "servers/shop/faults.json", words)
    words_of_faults = fault_words("shop")
    assert words_of_faults.own == {"timeout"}
    assert words_of_faults.login_tools == ("tool",)
    hit = Hit(load_app("shop").tools["tool"], {}, cast(AppContext, Still()), 30)
    assert words_of_faults.wordings["timeout"](hit).wire()["content"][0]["text"] == "Gave up after 30 s"
    accept(put("shop"), "servers/shop/faults.json", '{"format": 1, "timeout": "x"}')
    with pytest.raises(BrokenApp, match=r"faults.json:1 timeout"):
        load_app("shop")


def test_an_app_with_python_tables_is_refused_with_a_remedy_and_not_run(put: Put) -> None:
    folder = put("shop")
    accept(folder, "contexts/apps/shop.py", "raise SystemExit('it ran')\n")
    with pytest.raises(BrokenApp, match="run `soundstage synthesise run` for shop again"):
        load_app("shop")


def test_tables_may_not_take_the_names_of_another_apps(put: Put) -> None:
    folder = put("google")
    content = entity(name="maps_place").replace("shop", "google")
    (folder / "contexts/apps/google.json").write_text(content)
    lock = json.loads((folder / "servers/google" / app_roots.LOCK).read_text())
    lock["accepted"]["contexts/apps/google.json"] = digest(content.encode())
    (folder / "servers/google" / app_roots.LOCK).write_text(json.dumps(lock))
    app_roots.changed()
    with pytest.raises(BrokenApp, match="a name for the tables of google_maps"):
        load_app("google")


def test_on_an_unconfined_system_an_app_needs_the_operators_permission(
    put: Put, monkeypatch: pytest.MonkeyPatch
) -> None:
    put("shop")
    monkeypatch.setattr(host.ConfinedProcess, "layers", ("limits", "audit"))
    app_roots.changed()
    assert "shop" not in load_apps()
    assert "--allow-unconfined-kernels" in broken_apps()["shop"]
    monkeypatch.setenv(app_roots.ALLOW_UNCONFINED, "1")
    app_roots.changed()
    assert "shop" in load_apps()
    assert answer("shop") == "here"
