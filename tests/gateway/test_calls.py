"""Calls follow one path for every toolset, and the number of cached toolsets is bounded."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from pathlib import Path

import pytest
from structlog.testing import capture_logs

from soundstage.contexts.engine import journal
from soundstage.gateway.app import build_app
from soundstage.gateway.calls.service import CallService
from soundstage.gateway.calls.toolset import app_toolset, shared_toolset
from soundstage.gateway.journal.replay import replay
from soundstage.gateway.registry.database import Database
from soundstage.gateway.search.finder import ToolFinder
from soundstage.gateway.sessions.session import Session
from soundstage.gateway.sessions.sessions import Sessions
from soundstage.gateway.settings import DataFolderError, Settings
from soundstage.servers.catalogue import app_names


@pytest.fixture
def calls(tmp_path: Path) -> CallService:
    return CallService(ToolFinder(tmp_path))


async def test_an_unknown_tool_name_is_refused_and_recorded(
    new_session: Callable[..., Session], calls: CallService, tmp_path: Path
) -> None:
    session, again = new_session(), new_session()
    made = await calls.make_call(session, shared_toolset(app_names()), "slack_slack_post_message", {"text": "x"})
    assert (made.app, made.tool, made.answer.error_kind) == ("", "slack_slack_post_message", "unknown_tool")
    (row,) = journal.read(session.context)
    assert (row.tool, row.arguments, row.ok) == ("slack_slack_post_message", {"text": "x"}, False)
    assert "Did you mean slack_post_message" in row.reply["error"]["message"]
    assert replay(Sessions(Settings(data=tmp_path)), [row], again) == []


async def test_call_tool_calls_the_tool_that_it_names(new_session: Callable[..., Session], calls: CallService) -> None:
    session, toolset = new_session(), shared_toolset(app_names())
    wanted = {"name": "lark_task_v2_task_create", "arguments": {"data": {"summary": "paint the flat"}}}
    made = await calls.make_call(session, toolset, "call_tool", wanted)
    assert (made.app, made.tool, made.answer.ok) == ("lark", "task_v2_task_create", True)
    assert session.context.read_meta().step == 1


def test_the_number_of_cached_toolsets_is_bounded() -> None:
    most = shared_toolset.cache_info().maxsize
    assert most is not None
    for chosen in itertools.islice(itertools.permutations(app_names(), 2), 2 * most):
        _ = shared_toolset(chosen).tools_json
    assert shared_toolset.cache_info().currsize == most


def test_the_toolset_of_one_app_has_no_search_tools() -> None:
    assert not app_toolset("slack").is_search_tool("search_tools")


def test_a_gateway_creates_its_data_folder_or_reports_the_problem(tmp_path: Path) -> None:
    folder = tmp_path / "deep" / "down"
    build_app(Settings(data=folder))
    assert folder.stat().st_mode & 0o777 == 0o700
    folder.chmod(0o755)
    build_app(Settings(data=folder))
    assert folder.stat().st_mode & 0o777 == 0o700, "one that others could read is tightened"
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(DataFolderError, match="cannot be written"):
        build_app(Settings(data=tmp_path / "file" / "data"))


def test_a_folder_with_other_content_stays_unchanged_and_causes_a_warning(tmp_path: Path) -> None:
    (tmp_path / "diary.txt").write_text("mine, and for all to read")
    tmp_path.chmod(0o755)
    with capture_logs() as logs:
        build_app(Settings(data=tmp_path))
    assert tmp_path.stat().st_mode & 0o777 == 0o755
    assert any("other users of this machine" in entry["event"] for entry in logs)


def _modes(folder: Path) -> dict[str, int]:
    return {file.name: file.stat().st_mode & 0o777 for file in folder.glob("registry.db*")}


async def test_only_the_owner_can_read_the_registry_even_if_it_was_readable_before(tmp_path: Path) -> None:
    (tmp_path / "registry.db").touch(mode=0o644)
    (tmp_path / "registry.db").chmod(0o644)
    database = Database(tmp_path, None)
    await database.connect()
    try:
        modes = _modes(tmp_path)
    finally:
        await database.close()
    assert set(modes) == {"registry.db", "registry.db-wal", "registry.db-shm"}
    assert set(modes.values()) == {0o600}
