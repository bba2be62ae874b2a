"""The odd shop, which no model has seen, recorded and synthesised: ids, times and refusals in unusual words."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from soundstage.synthesis.generate.entities import id_format_of
from tests.conftest import run_here
from tests.synthesis.traverse.test_traverse import Plan, log, output_of, plan

__all__ = ["log", "plan"]
GOOD = Path(__file__).parent / "shop" / "good"


def synthesised(pool: Path, data: Path) -> dict[str, Any]:
    run = ("synthesise", "run", str(pool), "--generator", f"scripted:{GOOD}", "--data", str(data), "--json")
    lock: dict[str, Any] = json.loads(output_of(run_here(*run)))
    return lock


@pytest.mark.long
def test_the_reproducible_part_of_the_odd_shop_is_served_and_the_rest_is_not(plan: Plan, tmp_path: Path) -> None:
    pool = plan()
    output_of(run_here("traverse", "run", str(pool)))
    lock = synthesised(pool, tmp_path / "data")
    kernels = {name for name, tool in lock["tools"].items() if tool["answered_by"] == "kernel"}
    assert kernels == {"add_good", "get_good", "list_goods", "price_of", "remove_good", "search_goods"}
    assert lock["tools"]["shop_settings"]["why"] == ["no candidate"]  # it returns the environment of its process
    assert lock["tools"]["order_good"]["held_out"]["cases"] == 0  # the plan does not allow it
    whole = lock["whole"]
    assert whole["held_out"]["exact"]["count"] == whole["held_out"]["cases"] > 40
    assert whole["episodes"]["agree"] == whole["episodes"]["of"] > 5
    root = tmp_path / "data" / "apps"
    assert "gd_{hex:10}" in (root / "contexts" / "apps" / "shop.json").read_text()
    assert "There is no tool {}" in (root / "servers" / "shop" / "dialect.json").read_text()


@pytest.mark.parametrize(
    ("ids", "template"),
    [
        (["gd_44b405ce84", "gd_1fad021ab5", "gd_0123456789", "gd_ffe0c1d2a3", "gd_9a8b7c6d5e"], "gd_{hex:10}"),
        (["T04K2M9QX", "T0ZZ81QWE", "T11P4L7AB", "T9C3D5E7F", "T5T6Y7U8I"], "{upper:9}"),
        ([f"0000000{i}-aaaa-4bbb-8ccc-dddddddddddd" for i in range(5)], "{uuid4}"),
        (["harbour", "lantern", "gardens", "pebbles", "islands"], None),  # words of one length
        (["gd_44b405ce84", "gd_1fad021ab5"], None),  # too few to decide
        ([1, 2, 3, 4, 5, 6], None),
    ],
)
def test_ids_drawn_by_a_server_are_recognised_by_their_form(ids: list[Any], template: str | None) -> None:
    assert id_format_of(ids) == template
