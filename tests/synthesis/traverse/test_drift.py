"""Holding a real server against what was recorded of it: nothing, schemas or answers have changed, and somebody accepts it."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from tests.conftest import run_here
from tests.synthesis.traverse.test_traverse import SHOP, Plan, log, plan, told

pytest.importorskip("sklearn")
__all__ = ["log", "plan"]

LATER = ("--", "env", "SHOP_NEXT=yes", sys.executable, str(SHOP))


@pytest.fixture
def pool(plan: Plan) -> Path:
    made = plan()
    told(run_here("traverse", "run", str(made)))
    return made


def test_the_same_server_has_not_drifted(pool: Path) -> None:
    assert "nothing has changed" in told(run_here("drift", str(pool)))


@pytest.mark.long
def test_a_later_server_is_told_by_what_its_schemas_and_answers_have_become(pool: Path) -> None:
    found = run_here("drift", str(pool), "--json", *LATER)
    assert found.exit_code == 4
    changes = {(one["kind"], one["tool"]): one for one in json.loads(found.output)["changes"]}
    assert changes["renamed", "remove_good"]["what"] == "is called withdraw_good now"
    assert changes["narrower", "add_good"]["calls"]  # green goods were sold
    assert changes["description", "list_goods"]["what"] == "description is another one"
    assert ("removed", "shop_settings") in changes
    assert "the reply differs" in changes["behaviour", "get_good"]["what"]


@pytest.mark.long
def test_what_somebody_has_accepted_is_no_news(pool: Path) -> None:
    assert "--by NAME" in run_here("drift", str(pool), "--accept", *LATER).output
    told(run_here("drift", str(pool), "--accept", "--by", "Lin", *LATER))
    assert "all of them accepted" in told(run_here("drift", str(pool), *LATER))
    assert len((pool / "drift.jsonl").read_text().splitlines()) == 3


@pytest.mark.long
def test_with_reads_only_nothing_is_written_and_a_server_that_is_gone_is_said(pool: Path, log: Path) -> None:
    log.unlink()
    assert "nothing has changed" in told(run_here("drift", str(pool), "--reads-only"))
    asked = {json.loads(line)["tool"] for line in log.read_text().splitlines()}
    assert asked <= {"get_good", "list_goods", "price_of", "search_goods", "shop_settings"}
    gone = run_here("drift", str(pool), "--", sys.executable, "-c", "pass")
    assert gone.exit_code == 5
    assert "does not answer as an MCP server" in gone.output
