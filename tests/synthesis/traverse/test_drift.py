"""Comparing a real server with its recording: no changes, changed schemas or replies, and accepted changes."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from tests.conftest import run_here
from tests.synthesis.traverse.test_traverse import SHOP, Plan, log, output_of, plan

pytest.importorskip("sklearn")
__all__ = ["log", "plan"]

LATER = ("--", "env", "SHOP_NEXT=yes", sys.executable, str(SHOP))


@pytest.fixture
def pool(plan: Plan) -> Path:
    made = plan()
    output_of(run_here("traverse", "run", str(made)))
    return made


def test_an_unchanged_server_has_not_drifted(pool: Path) -> None:
    assert "nothing has changed" in output_of(run_here("drift", str(pool)))


@pytest.mark.long
def test_a_later_server_is_detected_by_changed_schemas_and_replies(pool: Path) -> None:
    result = run_here("drift", str(pool), "--json", *LATER)
    assert result.exit_code == 4
    changes = {(one["kind"], one["tool"]): one for one in json.loads(result.output)["changes"]}
    assert changes["renamed", "remove_good"]["what"] == "is called withdraw_good now"
    assert changes["narrower", "add_good"]["calls"]  # green goods were sold
    assert changes["description", "list_goods"]["what"] == "description is another one"
    assert ("removed", "shop_settings") in changes
    assert "the reply differs" in changes["behaviour", "get_good"]["what"]


@pytest.mark.long
def test_accepted_changes_are_not_reported_again(pool: Path) -> None:
    assert "--by NAME" in run_here("drift", str(pool), "--accept", *LATER).output
    output_of(run_here("drift", str(pool), "--accept", "--by", "Lin", *LATER))
    assert "all of them accepted" in output_of(run_here("drift", str(pool), *LATER))
    assert len((pool / "drift.jsonl").read_text().splitlines()) == 3


@pytest.mark.long
def test_reads_only_writes_nothing_and_a_missing_server_is_reported(pool: Path, log: Path) -> None:
    log.unlink()
    assert "nothing has changed" in output_of(run_here("drift", str(pool), "--reads-only"))
    tools = {json.loads(line)["tool"] for line in log.read_text().splitlines()}
    assert tools <= {"get_good", "list_goods", "price_of", "search_goods", "shop_settings"}
    gone = run_here("drift", str(pool), "--", sys.executable, "-c", "pass")
    assert gone.exit_code == 5
    assert "does not answer as an MCP server" in gone.output
