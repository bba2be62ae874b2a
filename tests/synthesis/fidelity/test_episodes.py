"""Recorded scenarios replayed, each call on the state left by the earlier ones."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import Result
from structlog.testing import capture_logs

from soundstage.synthesis.fidelity.episodes import ComparedCall, episode_figures, episodes_on
from soundstage.synthesis.fidelity.ids import Ids, is_id
from soundstage.synthesis.fidelity.report import parse_traces
from soundstage.synthesis.fidelity.shares import share_of
from soundstage.synthesis.targets.sim import SimTarget, gateway_here
from soundstage.synthesis.traverse.replies import content_of
from tests.conftest import run_here

APP = "paypal"
DRAWN = ["$.id", "$.create_time", "$.products[*].id", "$.products[*].create_time"]
CALLS: list[tuple[str, dict[str, Any], dict[str, Any]]] = [
    ("create_product", {"name": "Lantern", "type": "PHYSICAL"}, {}),
    ("create_product", {"name": "Chart", "type": "DIGITAL"}, {}),
    ("list_products", {}, {}),
    ("show_product_details", {"product_id": ""}, {"$.product_id": {"step": 1, "path": "$.id"}}),
    ("list_products", {"page": "first"}, {}),
]
Lines = list[dict[str, Any]]


def fidelity(file: Path, *options: str) -> Result:
    with capture_logs():
        return run_here("fidelity", str(file), "--against", "sim", *options)


async def _recorded() -> Lines:
    """Return the calls as recordings of a server that draws other ids than ours."""
    lines: Lines = []
    replies: dict[int, Any] = {}
    async with gateway_here() as http, SimTarget(http, APP).fresh() as connection:
        for step, (tool, arguments, refs) in enumerate(CALLS, start=1):
            sent = {**arguments, "product_id": replies[1]["id"]} if refs else arguments
            answer = await connection.call(tool, sent)
            assert answer.reply is not None
            replies[step] = content_of(answer.reply)
            expect = {
                "ok": answer.ok,
                "is_error": bool(answer.reply.get("isError")),
                "response": replies[step],
                "volatile": DRAWN,
            }
            lines.append(
                {"id": f"p-{step}", "app": APP, "tool": tool, "given": {}, "arguments": sent, "expect": expect}
                | {"episode": "e1", "step": step, "refs": refs}
            )
    text = json.dumps(lines)
    for number, step in enumerate((1, 2)):
        text = text.replace(replies[step]["id"], f"PROD-REC0RDED0000{number}")
    again: Lines = json.loads(text)
    return again


@pytest.fixture(scope="module")
def recorded() -> Callable[[], Lines]:
    text = json.dumps(asyncio.run(_recorded()))
    return lambda: json.loads(text)


def played(lines: Lines) -> list[ComparedCall]:
    async def play() -> list[ComparedCall]:
        async with gateway_here() as http:
            return await episodes_on(SimTarget(http, APP), parse_traces(Path("made.jsonl"), lines))

    return asyncio.run(play())


def test_calls_of_a_scenario_use_the_objects_of_earlier_calls_under_their_own_ids(
    recorded: Callable[[], Lines],
) -> None:
    compared = played(recorded())
    assert [one.comparison.findings for one in compared] == [()] * len(CALLS)
    assert "PROD-REC0RDED00000" in compared[3].comparison.ours["links"][0]["href"]
    figures = episode_figures(compared)
    assert figures["to_the_end"]["share"] == figures["exact"]["share"] == 1
    assert (figures["outcome"]["n"], figures["false_positives"]["n"], figures["false_negatives"]["n"]) == (5, 1, 4)


def test_an_id_that_refers_to_another_object_is_found_even_if_a_mask_hides_it(
    recorded: Callable[[], Lines],
) -> None:
    lines = recorded()
    products = lines[2]["expect"]["response"]["products"]
    products[0]["id"], products[1]["id"] = products[1]["id"], products[0]["id"]
    mixed = played(lines)[2].comparison
    assert not mixed.exact
    assert any(finding.startswith("ids: $.products[0].id: PROD-") for finding in mixed.findings)


def test_one_id_for_two_recorded_ids_is_found() -> None:
    ids = Ids()
    assert ids.meet({"id": "gd_01"}, {"id": "gd_77"}, ["$.id"]) == []
    assert "both gd_02 and gd_01" in ids.meet({"id": "gd_02"}, {"id": "gd_77"}, ["$.id"])[0]
    assert "in place of the recorded id gd_03" in ids.meet({"id": "gd_03"}, {"id": None}, ["$.id"])[0]
    assert ids.as_ours({"good": "gd_01", "note": "see gd_01, not gd_010"}) == {
        "good": "gd_77",
        "note": "see gd_77, not gd_010",
    }
    text = Ids()
    assert text.meet("Commit: 'a1b2c3d4'", "Commit: 'ffee0011'", ["re:(?<=Commit: ')[^\\r\\n]+?(?=')"]) == []
    assert text.as_recorded("reset to ffee0011") == "reset to a1b2c3d4"


def test_reads_after_a_call_compare_the_state_with_the_recorded_one(recorded: Callable[[], Lines]) -> None:
    first, second, listed, *_ = recorded()
    state = {"tool": "list_products", "arguments": {}, "response": listed["expect"]["response"], "volatile": DRAWN}
    second["probes"] = [state]
    assert [one.probes for one in played([first, second])] == [(), (True,)]
    assert [one.probes for one in played([first, second, listed])] == [(), (True,), ()]  # the read is one of the calls
    first["probes"] = [state]
    (wrong, *_) = played([first])
    assert wrong.probes == (False,)
    assert not wrong.agrees
    assert wrong.comparison.agrees


def test_a_single_call_is_replayed_after_the_earlier_changing_calls(recorded: Callable[[], Lines]) -> None:
    first, second, listed, *_ = recorded()
    before = [{"tool": one["tool"], "arguments": one["arguments"]} for one in (first, second)]
    listed["before"] = before
    assert played([listed])[0].agrees
    second["before"] = before[:1]
    assert all(one.agrees for one in played([first, second, listed]))  # and are not repeated
    listed["before"] = []
    assert not played([listed])[0].agrees


def test_the_command_reports_each_share_with_its_total(recorded: Callable[[], Lines], tmp_path: Path) -> None:
    pytest.importorskip("sklearn")
    file = tmp_path / "traces.jsonl"
    lines = recorded()
    lines[4]["expect"] |= {"ok": True, "is_error": False}
    file.write_text("\n".join(json.dumps(line) for line in lines))
    shown = fidelity(file)
    assert shown.exit_code == 0, shown.output
    assert "paypal: 5 calls in 1 episodes, free-running" in shown.output
    told_lines = {line.split("  ")[0]: line.split() for line in shown.output.splitlines()}
    assert told_lines["outcome as recorded"][-5:] == ["0.800", "5", "0.376", "to", "0.964"]
    assert told_lines["episodes that agree to their end"][-5:] == ["0.000", "1", "0.000", "to", "0.793"]
    scenarios = json.loads(fidelity(file, "--json").output)["episodes"]
    assert scenarios["tools"][APP]["list_products"]["false_negatives"]["share"] == 0.5
    (tmp_path / "split.json").write_text('{"e1": "train", "e2": "held-out"}')
    assert fidelity(file, "--split", "held-out").exit_code == 1  # no line is left
    assert "there are: held-out, train" in fidelity(file, "--split", "dev").output
    assert run_here("fidelity", str(file), "--split", "train").exit_code == 2


def test_a_reset_server_may_start_with_a_state(tmp_path: Path) -> None:
    pytest.importorskip("sklearn")
    given, file = tmp_path / "given.json", tmp_path / "traces.jsonl"
    given.write_text('{"allowed_directory": [{"path": "/scratch"}]}')
    expect = {"ok": True, "response": "Allowed directories:\n/scratch"}
    call = {"id": "1", "app": "filesystem", "tool": "list_allowed_directories", "given": {}, "arguments": {}}
    file.write_text(json.dumps(call | {"episode": "e1", "step": 1, "expect": expect}))
    figures = json.loads(fidelity(file, "--given", str(given), "--json").output)
    assert figures["apps"]["filesystem"]["exact"] == 1
    given.write_text('{"allowed_directory": {}}')
    assert "expected {entity: [objects]}" in fidelity(file, "--given", str(given)).output


@pytest.mark.parametrize(
    ("name", "value", "names"),
    [
        ("id", "gd_0a1b2c", True),
        ("id", 17, True),
        ("channel_id", "C012345", True),
        ("", "9fceb02d0ae598e95dc970b74767f19372d61af8", True),
        ("", "3f0c6f0e-5a3b-4b1e-9c55-0d8f5e7a1b20", True),
        ("created", "2026-11-20T09:00:00Z", False),
        ("", "Sun Nov 22 2026 20:34:44 GMT+0000", False),
        ("", "1763802000", False),
        ("count", 17, False),
        ("next_cursor", "a1b2c3d4e5", False),
        ("id", None, False),
    ],
)
def test_a_varying_value_is_classified_as_id_time_or_neither(name: str, value: Any, names: bool) -> None:
    assert is_id(name, value) is names


def test_a_share_has_the_interval_of_its_sample_size() -> None:
    share = share_of(47, 50)  # the paper's 94 %
    assert share["low"] == pytest.approx(0.838, abs=0.001)
    assert share["high"] == pytest.approx(0.979, abs=0.001)
    assert share_of(0, 0) == {"share": None, "n": 0, "low": None, "high": None}
    assert share_of(5, 5)["high"] == 1
