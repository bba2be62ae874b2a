"""Properties of every app: its tools equal the real server's, each has one kernel, and names are valid."""

from __future__ import annotations

import ast
import json

import jsonschema_rs
import pytest

from soundstage.contexts.apps import shipped_tables
from soundstage.gateway.calls.toolset import app_toolset, shared_toolset
from soundstage.servers.catalogue import App, UnknownApp, app_names, load_app, load_apps
from tests.conftest import REPOSITORY, shared_file

APPS = list(load_apps().values())
KERNELS = REPOSITORY / "kernels"
EFFECTS = {"read", "create", "update", "delete", "other"}


@pytest.mark.parametrize("app", APPS, ids=lambda a: a.name)
def test_tools_have_the_real_servers_schemas(app: App) -> None:
    facts = json.loads(shared_file("apps", f"{app.name}.json").read_text())
    expected = {t["name"]: t["input_schema"] for t in facts["tools"]}
    listed = {t["name"]: t["inputSchema"] for t in app_toolset(app.name).tools}
    assert listed == expected
    effects = {t["name"]: t["effect"] for t in facts["tools"]}
    assert {t.name: t.effect for t in app.tools.values()} == effects


@pytest.mark.parametrize("app", APPS, ids=lambda a: a.name)
def test_every_tool_has_one_kernel_and_every_kernel_a_tool(app: App) -> None:
    files = {p.stem for p in (KERNELS / app.name).glob("*.py")} - {"__init__"}
    tools = {**app.tools, **app.older}
    assert files == {t.replace("-", "_") for t in tools}
    for tool in tools.values():
        assert callable(tool.kernel)
        assert tool.kernel.__module__ == f"soundstage.kernels.{app.name}.{tool.name.replace('-', '_')}"


@pytest.mark.parametrize("app", APPS, ids=lambda a: a.name)
def test_tools_are_described_and_their_schemas_are_sound(app: App) -> None:
    for tool in app.tools.values():
        assert len(tool.description) > 20, tool.name
        assert "TODO" not in tool.shown_description
        assert tool.effect in EFFECTS
        jsonschema_rs.meta.validate(tool.input_schema)
        for path in tool.parameters:
            assert _declared(tool.input_schema, path), f"{tool.name}: documents {path}, which its schema does not have"


@pytest.mark.parametrize("app", APPS, ids=lambda a: a.name)
def test_every_tool_has_aliases_in_english_and_chinese_that_no_list_shows(app: App) -> None:
    declared = json.loads((REPOSITORY / "servers" / app.name / "aliases.json").read_text("utf-8"))
    assert set(declared["tools"]) == {*app.tools, *app.unfinished}
    shown = app_toolset(app.name).tools
    for tool, listed in zip(app.tools.values(), shown, strict=True):
        english = {a for a in tool.aliases if a.isascii()}
        assert len(english) > 3, tool.name
        assert len(set(tool.aliases) - english) > 3, tool.name
        assert len(set(tool.aliases)) == len(tool.aliases), tool.name
        assert "aliases" not in listed
        assert not any(a in json.dumps(listed, ensure_ascii=False) for a in tool.aliases if not a.isascii()), tool.name


_MODULES_OF_THE_MACHINE = {
    "asyncio", "httpx", "io", "os", "pathlib", "random", "requests", "secrets", "socket", "subprocess", "sys", "time",
}  # fmt: skip
_CALLS_OF_THE_MACHINE = {
    "open",
    "print",
    "input",
    "hash",
    "datetime.now",
    "datetime.today",
    "datetime.utcnow",
    "date.today",
}


@pytest.mark.parametrize("app", APPS, ids=lambda a: a.name)
def test_kernels_do_no_io_and_do_not_read_the_machines_clock(app: App) -> None:
    for path in (KERNELS / app.name).rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            used: set[str] = set()
            if isinstance(node, ast.Import):
                used = {a.name.partition(".")[0] for a in node.names} & _MODULES_OF_THE_MACHINE
            elif isinstance(node, ast.ImportFrom):
                used = {(node.module or "").partition(".")[0]} & _MODULES_OF_THE_MACHINE
            elif isinstance(node, ast.Call):
                used = {ast.unparse(node.func)} & _CALLS_OF_THE_MACHINE
            assert not used, f"{path.name}:{getattr(node, 'lineno', 0)} uses {used}"


def test_names_at_a_shared_address_are_unique_and_short_enough() -> None:
    toolset = shared_toolset(app_names())
    assert len(toolset.targets) == sum(len(a.tools) for a in APPS)
    for name, target in toolset.targets.items():
        assert len(name) <= 64
        assert name.startswith(target.app.name)


def test_every_app_has_separate_tables() -> None:
    assert set(app_names()) <= set(shipped_tables())


def test_an_unknown_app_is_reported_with_the_known_ones() -> None:
    with pytest.raises(UnknownApp, match="lark"):
        load_app("myspace")


def _declared(schema: dict[str, object], path: str) -> bool:
    """Return whether a documented path such as `data.members[].id` exists in the schema."""
    here: object = schema
    for step in path.split("."):
        name, array = step.removesuffix("[]"), step.endswith("[]")
        assert isinstance(here, dict)
        here = here.get("properties", {}).get(name)
        if here is None:
            return False
        if array:
            here = here.get("items", {})
    return True
