"""Reports are computed from results only, and equal results counted by hand."""

from __future__ import annotations

import csv
import io
import json
from typing import Any

import pytest

from soundstage.runs import export
from soundstage.runs.bundle import Finished, task_from_text
from soundstage.runs.plots import PLOTS
from soundstage.runs.plots.agents import pareto
from soundstage.runs.report import LineFilter, compare, report
from soundstage.runs.results import ResultLine, read_results, written
from tests.runs.results.lines import landed, result


def four_trials() -> list[ResultLine]:
    return [result("a", True), result("a", False, k=2, score=0.5), result("b", True), result("b", True, k=2)]


def test_an_agents_row_averages_over_tasks() -> None:
    (row,) = report(four_trials())["rows"]
    assert (row["tasks"], row["trials"]) == (2, 4)
    assert (row["success"]["value"], row["score"]["value"]) == (0.75, 0.875)
    assert row["pass_at"] == {"1": 0.75, "2": 1.0}
    assert row["pass_all"] == {"1": 0.75, "2": 0.5}
    assert row["tool_success"] == {"count": 12, "of": 16, "rate": 0.75}
    assert row["root_causes"] == {"Parameter Error": 4}


def test_failures_are_counted_by_kind() -> None:
    def failed(error: str, because: str) -> dict[str, Any]:
        return {**result("a", False)["figures"], "failure": {"error": error, "because": because}}

    failures = [("Query", "jotter/send"), ("Query", "jotter/find_pads"), ("Tool", "jotter/send"), ("Other", "limit")]
    lines = [result("a", False, k=k, figures=failed(*one)) for k, one in enumerate(failures, 1)]
    lines += [result("b", True), result("c", False, figures={**lines[0]["figures"], "failure": None})]
    (row,) = report(lines)["rows"]
    assert row["failed"] == 5
    assert row["failures"] == {"Other: limit": 1, "Query": 2, "Tool": 1, "untold": 1}
    trials = list(csv.DictReader(io.StringIO(export.as_csv(export.trials(lines)))))
    assert [(t["failure"], t["failed_because"]) for t in trials] == [*failures, ("", ""), ("", "")]


def test_lost_trials_stay_in_the_denominator_and_are_reported() -> None:
    (row,) = report([result("a", True), result("b", False, ended="infra")])["rows"]
    assert (row["success"]["value"], row["ended"], row["incomplete"]) == (0.5, {"answered": 1, "infra": 1}, True)
    assert not report([result("a", True), result("b", False, ended="timeout")])["rows"][0]["incomplete"]


def test_a_fault_that_lasts_counts_once_in_the_report() -> None:
    faults = [landed(3, "unavailable", False), landed(4, "unavailable", outage=3), landed(9, "unavailable")]
    once = [landed(5, "lost_ack", None, effects=2)]
    (row,) = report([result("a", True, faults="on", landed=faults), result("b", True, faults="on", landed=once)])[
        "rows"
    ]
    coping = {c["fault"]: (c["landed"], c["recovery"]["value"], c["few"]) for c in row["coping"]}
    assert coping == {"lost_ack": (1, None, True), "unavailable": (2, 0.5, True)}
    assert row["exactly_once"] == {"count": 2, "of": 3, "rate": 2 / 3}


def test_recovery_time_is_the_median_over_outages() -> None:
    long = landed(3, "timeout", calls_to_recover=7, seconds_to_recover=30.0)
    again = landed(4, "timeout", outage=3, calls_to_recover=6, seconds_to_recover=20.0)  # counted with the first
    quick = landed(9, "timeout", calls_to_recover=1, seconds_to_recover=2.0)
    quicker = landed(12, "timeout", calls_to_recover=2, seconds_to_recover=1.0)
    never = landed(15, "timeout", False, calls_to_recover=None, seconds_to_recover=None)
    [row] = report([result("a", True, landed=[long, again, quick, quicker, never])])["rows"]
    [coping] = row["coping"]
    assert (coping["landed"], coping["calls_to_recover"]["median"], coping["seconds_to_recover"]["median"]) == (
        4,
        2,
        2.0,
    )


def test_turns_are_averaged_over_trials_whose_runner_reports_them() -> None:
    lines = [result(f"t{i}", True, cost=0.1, turns=turns) for i, turns in enumerate((4, 7, None))]
    assert report(lines)["rows"][0]["turns"] == 5.5
    assert report([result("t", True)])["rows"][0]["turns"] is None


def test_robustness_compares_pairs_with_one_seed_and_number() -> None:
    lines = [result(t, True, k=k) for t in "abcdef" for k in (1, 2)]
    lines += [result(t, t == "a", k=k, faults="on", landed=[landed(1, "timeout")]) for t in "abcdef" for k in (1, 2)]
    lines.append(result("g", False, faults="on"))  # has no pair
    (pair_row,) = report(lines)["robustness"]
    assert (pair_row["pairs"], pair_row["tasks"], pair_row["landed"]) == (12, 6, 12)
    assert pair_row["test"]["difference"]["value"] == pytest.approx(-5 / 6)
    assert pair_row["test"]["method"] == "sign-flip permutation"
    assert pair_row["test"]["p"] == pytest.approx(2 * 0.5**5)


def test_rows_can_be_limited_to_some_tasks() -> None:
    lines = [result("a", True, tags=["calendar"], oracle_calls=3), result("b", False, language="zh", oracle_calls=12)]
    for line_filter, tasks in (
        (LineFilter(tag="calendar"), 1), (LineFilter(language="zh"), 1), (LineFilter(length=(1, 20)), 2),
        (LineFilter(length=(4, 8)), 0), (LineFilter(kind="ask"), 0), (LineFilter(app="jotter"), 2),
    ):  # fmt: skip
        rows = report(lines, line_filter)["rows"]
        assert sum(row["tasks"] for row in rows) == tasks, line_filter


def test_two_runs_are_compared_over_their_common_tasks() -> None:
    first = [result(t, False) for t in "abcdefgh"] + [result("x", True)]
    second = [result(t, True, run="r_02") for t in "abcdefgh"] + [result("y", True, run="r_02")]
    comparison = compare(first, second)
    assert (comparison["first"], comparison["second"], comparison["tasks"]) == ("r_01", "r_02", 8)
    assert (comparison["only_first"], comparison["only_second"]) == (["x"], ["y"])
    assert comparison["success"]["method"] == "McNemar, exact"
    assert comparison["success"]["p"] == pytest.approx(2 * 0.5**8)
    assert [f["task"] for f in comparison["flips"]] == list("abcdefgh")
    assert compare(first, first)["flips"] == []
    assert compare(first, first)["success"]["p"] == 1.0


def test_results_of_real_trials_are_written_read_and_reported(
    finished: list[Finished], tmp_path_factory: pytest.TempPathFactory
) -> None:
    file = tmp_path_factory.mktemp("results") / "results.jsonl"
    lines = [f.result for f in finished]
    file.write_bytes(written(lines))
    assert read_results(file) == lines
    assert [(r["success"], r["score"], r["doubled"]) for r in lines] == [
        (True, 1.0, 0),
        (False, 0.5, 0),
        (False, 0.25, 1),
    ]
    assert list(lines[0]["checks"]) == ["planned", "told"]
    assert "2026-12-01 14:30" in lines[1]["checks"]["told"]["why"]
    assert lines[0]["figures"]["ast"] == 1.0
    assert lines[0]["figures"]["schema"] == {"count": 6, "of": 6, "rate": 1.0}
    assert lines[0]["wall_s"] == 12.5
    file.write_bytes(b"{}\nno line\n")
    with pytest.raises(ValueError, match=r"results\.jsonl:2: no JSON"):
        read_results(file)


def test_tables_have_a_row_for_each_trial_check_call_and_fault(finished: list[Finished]) -> None:
    lines = [f.result for f in finished]
    trials = list(csv.DictReader(io.StringIO(export.as_csv(export.trials(lines)))))
    assert [t["score"] for t in trials] == ["1.0", "0.5", "0.25"]
    checks = [json.loads(text) for text in export.as_jsonl(export.checks(lines)).splitlines()]
    assert [(c["trial"], c["check"], c["passed"]) for c in checks][:2] == [
        ("tr_01", "planned", True),
        ("tr_01", "told", True),
    ]
    assert [f["fault"] for f in export.faults(lines)] == ["lost_ack"]
    calls = list(export.calls(f.sealed for f in finished))
    assert [c["step"] for c in calls if c["trial"] == "tr_01"] == [1, 2, 3, 4, 5, 6]
    assert export.as_csv([]) == ""


def test_conversations_are_exported_only_of_successful_trials(finished: list[Finished]) -> None:
    lines = [f.result for f in finished]
    sealed = {f.sealed.header.trial: f.sealed for f in finished}
    task = task_from_text(finished[0].task_text, "errand")
    (one,) = export.conversations(lines, sealed.__getitem__, lambda _: task)
    assert one["trial"] == "tr_01"
    assert [m["role"] for m in one["messages"]] == ["user", *["assistant", "tool"] * 6, "assistant"]
    assert one["messages"][0]["content"] == task.instruction
    called = {m["tool_calls"][0]["function"]["name"] for m in one["messages"] if "tool_calls" in m}
    assert called == {t["function"]["name"] for t in one["tools"]}
    everything = list(export.conversations(lines, sealed.__getitem__, lambda _: task, failed=True))
    assert len(everything) == 3
    assert "" in [m["content"] for m in everything[2]["messages"] if m["role"] == "tool"]  # the lost answer


def lively() -> list[ResultLine]:
    """Return results with content for every plot."""
    lines: list[ResultLine] = []
    for i, task in enumerate(("a", "b", "c <&> d")):
        for k in (1, 2):
            lines.append(result(task, i != 1, k=k, cost=0.1, ranks=[1, 3, None], oracle_calls=2 + 5 * i))
            lines.append(result(task, k == 1, k=k, agent="other", cost=0.3, checks={"one": True, "two": k == 1}))
            faults = [landed(2, "timeout", k == 1), landed(4, "lost_ack")]
            lines.append(result(task, i == 0, k=k, faults="adversarial", landed=faults))
    return lines


@pytest.mark.parametrize("name", PLOTS)
def test_a_plot_shows_its_values_without_script_and_is_reproducible(name: str) -> None:
    import xml.etree.ElementTree as ET

    picture = PLOTS[name](lively())
    assert PLOTS[name](list(lively())) == picture
    root = ET.fromstring(picture)
    assert root.tag == "{http://www.w3.org/2000/svg}svg"
    tags = {e.tag.partition("}")[2] for e in root.iter()}
    assert tags <= {"svg", "title", "rect", "text", "path", "circle"}
    titles = [e.text for e in root.iter("{http://www.w3.org/2000/svg}title")]
    assert len(titles) > 2, "every mark tells its figures"
    assert "nan" not in picture
    ET.fromstring(PLOTS[name]([]))  # an empty result is a valid picture, too


def test_plot_marks_have_their_values_as_titles() -> None:
    lines = lively()
    assert "acme: 67% of 3 tasks, 6 trials" in PLOTS["success"](lines)
    assert "other: pass^2 0%" in PLOTS["pass"](lines)
    assert "acme, adversarial: 67% to 33% in 6 pairs" in PLOTS["faults"](lines)
    assert "acme faults adversarial, timeout: 6 landed, fewer than 20, 50% recovered" in PLOTS["recovery"](lines)
    assert "acme, tools all: 33% of 18 searches at 1" in PLOTS["recall"](lines)
    assert "a, two: 1 of 2" in PLOTS["checks"](lines)
    assert "c &lt;&amp;&gt; d" in PLOTS["checks"](lines)


def test_the_pareto_front_contains_agents_that_none_beats_in_both() -> None:
    assert pareto([(0.3, 0.5), (0.1, 0.5), (0.2, 0.9), (0.4, 0.95), (0.5, 0.2)]) == [
        (0.1, 0.5),
        (0.2, 0.9),
        (0.4, 0.95),
    ]
    assert pareto([]) == []
