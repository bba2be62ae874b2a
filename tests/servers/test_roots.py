"""Apps in folders of their own: what is imported of them is what their lock has accepted."""

from __future__ import annotations

import importlib
import json
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from soundstage import roots
from soundstage.contexts.broken import BrokenApp
from soundstage.roots import digest
from soundstage.servers.catalogue import UnknownApp, app_names, broken_apps, load_app, load_apps
from tests.synthesis.generate.small_app import app_files

KERNEL = "def run(context, arguments):\n    return 'here'\n"
Put = Callable[..., Path]


@pytest.fixture
def put(tmp_path: Path) -> Iterator[Put]:
    """Puts an app into a root, and has the root: put("shop", root="one", tool="…code…")."""
    added: list[Path] = []

    def make(app: str = "shop", *tools: str, root: str = "one", code: str = KERNEL) -> Path:
        folder = tmp_path / root
        found = {
            path.replace("shop", app): content.replace(b'"shop"', json.dumps(app).encode())
            for path, content in app_files(*tools, tool=code).items()
        }
        for path, content in found.items():
            (folder / path).parent.mkdir(parents=True, exist_ok=True)
            (folder / path).write_bytes(content)
        lock = {"accepted": {path: digest(content) for path, content in found.items()}}
        (folder / "servers" / app / roots.LOCK).write_text(json.dumps(lock))
        roots.add(folder)
        added.append(folder)
        roots.changed()
        return folder

    yield make
    for folder in added:
        roots.remove(folder)


def test_an_accepted_app_is_one_like_any_other(put: Put) -> None:
    put("shop")
    assert "shop" in app_names()
    assert load_app("shop").tools["tool"].kernel.__name__ == "guard"
    assert importlib.import_module("soundstage.kernels.shop.tool").run(None, {}) == "here"


def test_without_its_root_an_app_is_gone(put: Put) -> None:
    folder = put("shop")
    load_app("shop").tools["tool"].kernel  # noqa: B018 it is imported
    roots.remove(folder)
    with pytest.raises(UnknownApp):
        load_app("shop")
    assert "soundstage.kernels.shop.tool" not in sys.modules
    with pytest.raises(ImportError):
        importlib.import_module("soundstage.kernels.shop.tool")


def test_a_kernel_that_was_changed_afterwards_is_not_run(put: Put) -> None:
    folder = put("shop")
    load_app("shop")
    (folder / "kernels/shop/tool.py").write_text("raise SystemExit('it ran')\n")
    with pytest.raises(
        roots.NotAccepted, match="was changed after it had been accepted; see `soundstage synthesise accept`"
    ):
        importlib.import_module("soundstage.kernels.shop.tool")
    roots.changed()
    assert load_app("shop").tools == {}
    assert load_app("shop").silent == {"tool": "none"}


def test_a_file_that_nobody_accepted_is_not_there(put: Put) -> None:
    folder = put("shop")
    (folder / "kernels/shop/more.py").write_text("raise SystemExit('it ran')\n")
    with pytest.raises(roots.NotAccepted, match="has not been accepted"):
        importlib.import_module("soundstage.kernels.shop.more")


@pytest.mark.parametrize("path", ["servers/shop/dialect.py", "servers/shop/tools.json", "contexts/apps/shop.py"])
def test_a_changed_file_breaks_its_app_in_words_and_no_other(put: Put, path: str) -> None:
    folder = put("shop")
    put("stall", root="two")
    (folder / path).write_text("raise SystemExit('it ran')\n")
    roots.changed()
    with pytest.raises((BrokenApp, roots.NotAccepted), match="was changed after it had been accepted"):
        load_app("shop")
    assert load_app("stall").tools.keys() == {"tool"}
    assert "shop" not in load_apps()
    assert broken_apps().keys() == {"shop"}


def test_an_app_of_which_nothing_was_accepted_is_left_out_and_no_other(put: Put) -> None:
    folder = put("shop")
    put("stall", root="two")
    (folder / "servers/shop" / roots.LOCK).write_text('{"accepted": {}}')
    roots.changed()
    assert "shop" not in load_apps()
    assert "has not been accepted; see `soundstage synthesise report shop`" in broken_apps()["shop"]
    assert load_app("stall").tools.keys() == {"tool"}


@pytest.mark.parametrize(
    "lock", [b"", b"\x00\xff", b"[]", b"{}", b'{"accepted": 5}', b'{"accepted": []}', b"[" * 100_000]
)
def test_a_lock_that_is_garbage_takes_nothing_else_down(put: Put, lock: bytes) -> None:
    folder = put("shop")
    put("stall", root="two")
    (folder / "servers/shop" / roots.LOCK).write_bytes(lock)
    roots.changed()
    with pytest.raises((BrokenApp, roots.NotAccepted, UnknownApp)):
        load_app("shop")
    assert load_app("stall").tools.keys() == {"tool"}


def test_the_houses_names_are_not_to_be_had(put: Put) -> None:
    folder = put("slack")
    assert roots.root_of("slack") is None
    assert "slack" not in roots.app_names()
    assert "tool" not in load_app("slack").tools
    assert folder.exists()


def test_of_two_roots_with_an_app_of_one_name_the_first_has_it(put: Put) -> None:
    put("shop", root="one")
    put("shop", root="two", code=KERNEL.replace("here", "there"))
    put("stall", root="two")
    assert {"shop", "stall"} <= set(app_names())
    assert importlib.import_module("soundstage.kernels.shop.tool").run(None, {}) == "here"


def test_a_tool_that_no_kernel_answers_is_told_apart(put: Put) -> None:
    put("shop", "silent")
    app = load_app("shop")
    assert app.tools.keys() == {"tool"}
    assert app.silent == {"silent": "none"}


@pytest.mark.parametrize("name", ["Shop", "../shop", "shop.x", "_shop", "9shop", "s" * 41])
def test_a_strange_name_is_no_app(tmp_path: Path, name: str) -> None:
    folder = tmp_path / "servers" / name
    folder.mkdir(parents=True)
    (folder / roots.LOCK).write_text('{"accepted": {}}')
    assert roots.Root(tmp_path).apps() == ()
