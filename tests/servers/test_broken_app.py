"""Invalid app files are reported with the file, the problem and the valid form."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from soundstage.contexts.app_errors import BrokenApp
from soundstage.servers import catalogue

_TOOL = {"name": "add", "description": "Add a note to a pad of one's own.", "input_schema": {}, "effect": "create"}
_APP = {
    "title": "Jotter",
    "category": "notes",
    "description": "Pads.",
    "server": {"name": "j", "version": "1"},
    "tools": [_TOOL],
}
_PLACE = "servers/jotter/tools.json"


@pytest.fixture
def jotter(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], None]:
    """Loads an app with this text as its tools.json and no other files."""

    def load(text: str) -> None:
        monkeypatch.setattr(catalogue, "_FOLDER", tmp_path)
        monkeypatch.setattr(catalogue, "app_names", lambda: ("jotter",))
        monkeypatch.setattr(catalogue, "table_names", lambda: ("jotter",))
        (tmp_path / "jotter").mkdir()
        (tmp_path / "jotter" / "tools.json").write_text(text)
        catalogue.load_app("jotter")

    return load


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{", f"{_PLACE} is not valid JSON"),
        (json.dumps([_TOOL]), f"{_PLACE} is no object {{title, category, description, server, tools}}"),
        (json.dumps({"tools": []}), f"{_PLACE} needs 'title'"),
        (json.dumps({**_APP, "tools": {}}), f"{_PLACE}: `tools` is no list"),
        (json.dumps({**_APP, "tools": ["add"]}), f"{_PLACE}: tools[0] is no object"),
        (json.dumps({**_APP, "tools": [{"name": "add"}]}), f"{_PLACE}: tools[0] needs 'description'"),
        (
            json.dumps({**_APP, "tools": [{**_TOOL, "params": {}}]}),
            f"{_PLACE}: tools[0]: 'params' is not known here; known: name",
        ),
        (json.dumps({**_APP, "tools": [{**_TOOL, "effect": "make"}]}), "effect 'make' is none of read, create"),
        (
            json.dumps({**_APP, "longest_string": 0}),
            f"{_PLACE}: longest_string 0 is not a number of characters between 1",
        ),
        (
            json.dumps({**_APP, "tools": [{**_TOOL, "longest_string": True}]}),
            "tools[0]: longest_string True is not a number of characters between 1 and 8388608",
        ),
        (
            json.dumps(_APP),
            "servers/jotter/dialect.py is missing: it words what jotter answers, in the functions check, success",
        ),
    ],
)
def test_a_mistake_is_reported_with_its_file(jotter: Callable[[str], None], text: str, message: str) -> None:
    with pytest.raises(BrokenApp) as broken:
        jotter(text)
    assert message in str(broken.value)


def test_an_app_without_tables_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(catalogue, "app_names", lambda: ("jotter",))
    with pytest.raises(BrokenApp, match=r"contexts/apps/jotter\.py is missing"):
        catalogue.load_app("jotter")
