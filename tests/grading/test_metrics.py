"""Every metric against journals that were counted by hand."""

from __future__ import annotations

from typing import Any

import pytest

from soundstage.grading.declarations import ToolData
from soundstage.grading.evidence import Step
from soundstage.grading.metrics import aggregates, trial
from soundstage.grading.metrics.calls import ast, ast_dag
from soundstage.grading.metrics.failure import Setting, failure
from soundstage.grading.verdict import CheckVerdict, Verdict, grade
from tests.grading.journals import call, evidence, injected_fault, made, task

TOOLS = {
    "jotter": {
        "find_pads": ToolData("read", "pad", ("query",)),
        "list_notes": ToolData("read", "note", ("pad_id",)),
        "add_note": ToolData("create", "note", ("pad_id", "text")),
        "send": ToolData("create", "postcard", ("to", "text")),
    },
    "mail": {"inbox": ToolData("read", "mail", ())},
}
ORACLE = [
    {"as": "pads", "call": "jotter/find_pads", "with": {"query": "home"}},
    {"as": "note", "call": "jotter/add_note", "with": {"pad_id": "${pads[0].id}", "text": "milk"}},
    {"as": "card", "call": "jotter/send", "after": ["note"], "with": {"to": "bob@desk.example", "text": "done"}},
]
PAD = "pad_4711abcd"


def verdict(*checks: tuple[str, bool, float, int | None], breaches: Any = ()) -> Verdict:
    judged = tuple(CheckVerdict(i, passed, part, "", step) for i, passed, part, step in checks)
    return Verdict(0.0, 0.0, all(c.passed for c in judged), judged, breaches)


def note(n: int, text: str = "milk") -> dict[str, Any]:
    return {"id": f"note_{n}", "pad_id": PAD, "text": text}


# -- over trials ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("by_task", "mean"),
    [
        ([[1, 0], [1]], 0.75),  # (1/2 + 1) / 2, and not 2 of 3
        ([[0.5, 0.25, 0.0], [1.0]], 0.625),
        ([[1, 1], []], 1.0),
        ([], None),
    ],
)
def test_success_and_score_are_means_over_tasks(by_task: list[list[float]], mean: float | None) -> None:
    assert aggregates.mean_of_tasks(by_task) == mean


@pytest.mark.parametrize(
    ("k", "n", "c", "any_of_k", "all_of_k"),
    [
        (1, 4, 1, 0.25, 0.25),
        (2, 4, 1, 0.5, 0.0),  # 1 - C(3,2)/C(4,2) = 1 - 3/6
        (2, 4, 3, 1.0, 0.5),  # C(3,2)/C(4,2) = 3/6
        (4, 4, 4, 1.0, 1.0),
        (3, 5, 0, 0.0, 0.0),
        (5, 4, 4, None, None),  # not padded
    ],
)
def test_pass_at_k_and_pass_all_k_of_one_task(
    k: int, n: int, c: int, any_of_k: float | None, all_of_k: float | None
) -> None:
    assert aggregates.pass_at(k, n, c) == any_of_k
    assert aggregates.pass_all(k, n, c) == all_of_k


def test_pass_at_k_leaves_out_tasks_with_too_few_trials() -> None:
    tasks = [(4, 1), (4, 3), (1, 1)]
    assert aggregates.mean_pass_at(2, tasks) == 0.75
    assert aggregates.mean_pass_all(2, tasks) == 0.25
    assert aggregates.mean_pass_at(5, tasks) is None


@pytest.mark.parametrize(("values", "count"), [([0.8, 0.81, 1.0], 2), ([0.8], 0), ([0.79, 0.9], 1)])
def test_sr_08_counts_only_scores_above_eight_tenths(values: list[float], count: int) -> None:
    assert aggregates.share_above(values, 0.8) == {"count": count, "of": len(values), "rate": count / len(values)}
    assert aggregates.share_above([], 0.8)["rate"] is None


@pytest.mark.parametrize(
    ("checks", "acc", "exec_acc"),
    [
        ([(True, 1.0), (True, 1.0)], 1.0, 1.0),
        ([(True, 1.0), (False, 0.5), (False, 0.49), (False, 0.0)], 0.375, 0.25),  # (1 + ½ + 0 + 0) / 4
        ([(False, 0.75), (False, 0.5)], 0.5, 0.0),
    ],
)
def test_acc_gives_half_a_point_if_half_of_the_checks_hold(checks: list[Any], acc: float, exec_acc: float) -> None:
    judged = verdict(*((f"c{i}", passed, part, None) for i, (passed, part) in enumerate(checks)))
    assert (judged.acc, judged.exec_acc) == (acc, exec_acc)


def test_half_of_a_checks_matchers_gives_half_a_point() -> None:
    both = {"text": {"eq": "milk"}, "pad_id": {"eq": "another"}}
    graded_task = task(checks=[{"id": "noted", "title": "Noted", "created": {"jotter": "note"}, "where": both}])
    one = grade(graded_task, evidence(graded_task, call(1, "add_note", {}, "", [made("note", note(1))])))
    none = grade(graded_task, evidence(graded_task, call(1, "add_note", {}, "", [made("note", note(1, "bread"))])))
    nothing = grade(graded_task, evidence(graded_task))
    assert [(v.checks[0].part, v.acc) for v in (one, none, nothing)] == [(0.5, 0.5), (0.0, 0.0), (0.0, 0.0)]


@pytest.mark.parametrize(
    ("pairs", "delta"),
    [
        ({"a": [(1, 1), (1, 0)], "b": [(1, 0)]}, {"a": 0.5, "b": 1.0}),
        ({"a": [(0, 1)]}, {"a": -1.0}),
        ({"a": [], "b": [(1, 1)]}, {"b": 0.0}),
    ],
)
def test_robustness_is_the_loss_by_faults_per_task(pairs: Any, delta: dict[str, float]) -> None:
    assert aggregates.robustness(pairs) == delta


@pytest.mark.parametrize(
    ("k", "ranks", "rate"),
    [(1, [1, 2, None, 1], 0.5), (5, [1, 2, None, 6], 0.5), (10, [1, 2, 7, 6], 1.0), (1, [], None)],
)
def test_recall_at_k_is_the_share_of_ranks_up_to_k(k: int, ranks: list[int | None], rate: float | None) -> None:
    assert aggregates.recall_at(k, ranks)["rate"] == rate


@pytest.mark.parametrize(("effects", "rate"), [([0, 1, 2], 2 / 3), ([1, 1], 1.0), ([3], 0.0), ([], None)])
def test_exactly_once_also_counts_calls_without_effect(effects: list[int], rate: float | None) -> None:
    assert aggregates.exactly_once(effects)["rate"] == rate


# -- of one trial -----------------------------------------------------------------------------------------------------


def test_tool_calls_exclude_calls_with_faults() -> None:
    calls = [
        call(1, "add_note"),
        call(2, "add_note", ok=False, error_kind="invalid"),
        call(3, "add_note", ok=False, reply=None, fault="timeout"),
        call(4, "send"),
    ]
    assert trial.tool_calls(calls) == {
        "jotter/add_note": {"count": 1, "of": 2, "rate": 0.5},
        "jotter/send": {"count": 1, "of": 1, "rate": 1.0},
    }
    assert trial.tool_calls([]) == {}
    assert trial.tool_calls(calls[2:3]) == {}


@pytest.mark.parametrize(
    ("kind", "reply", "cause"),
    [
        ("invalid_arguments", "", "Parameter Error"),
        ("limit", "", "Parameter Error"),
        ("not_found", "", "Resource Not Found"),
        ("permission", "", "Auth Error"),
        ("conflict", "", "API Error"),
        ("unavailable", "", "Rate/HTTP Error"),
        (None, None, "Rate/HTTP Error"),
        ("unknown_tool", "", "Unknown Tool"),
    ],
)
def test_root_causes_are_derived_from_the_error_and_the_reply(kind: str | None, reply: str | None, cause: str) -> None:
    failed = call(1, "send", reply=reply, ok=False, error_kind=kind)
    assert trial.root_causes([failed, call(2, "send"), failed]) == {cause: 2}
    assert trial.root_causes([call(1, "send", ok=False, error_kind="internal", fault="server_error")]) == {}


@pytest.mark.parametrize(
    ("tool", "reply", "counted"),
    [
        ("find_pads", [], {"Empty Result": 1}),
        ("find_pads", {"pads": [], "more": False}, {"Empty Result": 1}),
        ("find_pads", [{"id": PAD, "notes": []}], {}),  # a pad, even if it has no notes
        ("find_pads", {"id": PAD}, {}),  # not a list
        ("find_pads", "nothing", {}),
        ("list_notes", [], {}),  # the oracle uses nothing of it
    ],
)
def test_an_empty_result_counts_only_if_the_oracle_uses_it(tool: str, reply: Any, counted: Any) -> None:
    graded_task = task(oracle=ORACLE)
    left = evidence(graded_task, call(1, tool, {}, reply))
    assert trial.figures(graded_task, left, grade(graded_task, left), TOOLS)["root_causes"] == counted


@pytest.mark.parametrize(("fits", "rate"), [([True, True, False, None], 0.5), ([True], 1.0), ([None], 0.0), ([], None)])
def test_schema_compliance_is_the_share_of_valid_calls(fits: list[bool | None], rate: float | None) -> None:
    from dataclasses import replace

    calls: list[Step] = [replace(call(i, "send"), fits=one) for i, one in enumerate(fits)]
    assert trial.schema(calls)["rate"] == rate


@pytest.mark.parametrize(
    ("oks", "count", "of"),
    [
        ([True, False, True], 1, 1),
        ([False, False, True], 1, 2),
        ([True, False], 0, 0),
        ([True, True], 0, 0),
        ([], 0, 0),
    ],
)
def test_recovery_by_turns_counts_failures_followed_by_a_success(oks: list[bool], count: int, of: int) -> None:
    result = trial.recovery_by_turns([call(i, "send", ok=ok) for i, ok in enumerate(oks)])
    assert (result["count"], result["of"]) == (count, of)


@pytest.mark.parametrize(
    ("steps", "count", "of"),
    [
        ({"noted": 2, "sent": 5, "told": 3}, 1, 2),
        ({"noted": 2, "sent": 5, "told": 6}, 2, 2),
        ({"noted": 2, "sent": None, "told": 6}, 0, 0),
    ],
)
def test_order_counts_only_edges_between_steps_that_happened(steps: dict[str, int | None], count: int, of: int) -> None:
    checks = [
        {"id": "noted", "title": "", "created": {"jotter": "note"}},
        {"id": "sent", "title": "", "created": {"jotter": "postcard"}, "after": "noted"},
        {"id": "told", "title": "", "answer": {"text": "done"}, "after": "sent"},
    ]
    result = trial.order(task(checks=checks), verdict(*((i, True, 1.0, s) for i, s in steps.items())))
    assert (result["count"], result["of"]) == (count, of)


def test_diversity_counts_the_apps_that_the_oracle_reads() -> None:
    two = task(apps=["jotter", "mail"], oracle=[*ORACLE, {"as": "in", "call": "mail/inbox"}])
    assert trial.diversity(two, [call(1, "find_pads")], TOOLS) == 0.5
    assert trial.diversity(two, [call(1, "find_pads"), call(2, "inbox", app="mail")], TOOLS) == 1.0
    assert trial.diversity(two, [call(1, "find_pads", ok=False), call(2, "add_note")], TOOLS) == 0.0
    assert trial.diversity(task(oracle=[ORACLE[2] | {"after": []}]), [], TOOLS) is None


def test_a_search_has_the_rank_of_the_first_useful_tool() -> None:
    graded_task = task(oracle=ORACLE)

    def search(step: int, *names: str) -> Step:
        result = {"tools": [{"name": name} for name in names]}
        return call(step, "search_tools", {"query": "note"}, result, kind="search", app=None)

    steps = [search(1, "mail_inbox", "jotter_add_note"), search(2, "send"), search(3, "mail_inbox"), search(4)]
    assert [(s["found"], s["rank"]) for s in trial.searches(graded_task, steps)] == [
        (2, 2),
        (1, 1),
        (1, None),
        (0, None),
    ]
    assert trial.searches(graded_task, [call(1, "describe_tool", {}, {"name": "send"}, kind="search", app=None)]) == []


NAMED = {
    "names": {"home": {"jotter": "pad", "world": "home"}},
    "checks": [
        {
            "id": "noted",
            "title": "Noted",
            "created": {"jotter": "note"},
            "where": {"pad_id": {"ref": "home"}, "text": {"eq": "milk"}},
        }
    ],
}
HOME = {"names": {"home": ("jotter", "pad", PAD)}, "start": {("jotter", "pad", PAD): {"id": PAD}}}


@pytest.mark.parametrize(
    ("steps", "blind"),
    [
        ([call(1, "find_pads", {}, [{"id": "pad_9"}])], True),
        ([call(1, "find_pads", {}, [{"id": PAD}])], False),
        ([], True),
        ([call(1, "add_note", {}, "", [made("note", note(1))])], None),
    ],
)
def test_under_explored_means_that_a_row_was_never_shown(steps: list[Step], blind: bool | None) -> None:
    graded_task = task(**NAMED)
    left = evidence(graded_task, *steps, **HOME)
    assert trial.under_explored(graded_task, left, grade(graded_task, left)) is blind


@pytest.mark.parametrize(
    ("between", "far"), [([32_100], True), ([20_000, 12_100], True), ([31_000], False), ([], False)]
)
def test_over_long_context_means_that_a_row_was_shown_long_ago(between: list[int], far: bool) -> None:
    graded_task = task(**NAMED)
    reads = [call(2 + i, "list_notes", {}, "x" * size) for i, size in enumerate(between)]
    left = evidence(graded_task, call(1, "find_pads", {}, [{"id": PAD}]), *reads, **HOME)
    assert trial.over_long_context(graded_task, left, grade(graded_task, left)) is far


@pytest.mark.parametrize(
    ("calls", "invented"),
    [
        ([call(1, "list_notes", {"pad_id": "pad_99ffee001"})], 1),
        ([call(1, "find_pads", {}, [{"id": "pad_99ffee001"}]), call(2, "list_notes", {"pad_id": "pad_99ffee001"})], 0),
        ([call(1, "list_notes", {"pad_id": PAD, "since": "2026-12-01T09:00:00+08:00", "n": 1796106600})], 0),
        ([call(1, "list_notes", {"pad_id": "pad_99ffee001"}), call(2, "list_notes", {"pad_id": "pad_99ffee001"})], 2),
    ],
)
def test_an_id_is_invented_if_no_reply_contained_it(calls: list[Step], invented: int) -> None:
    graded_task = task(**NAMED)
    assert trial.invented_ids(graded_task, evidence(graded_task, *calls, **HOME)) == invented


PADS_FOUND = call(1, "find_pads", {"query": "home"}, [{"id": PAD}])
NOTED = call(2, "add_note", {"pad_id": PAD, "text": "Milk"}, {"id": "note_1"})
SENT = call(3, "send", {"to": "bob@desk.example", "text": "done"}, "")


@pytest.mark.parametrize(
    ("calls", "matched", "hangs"),
    [
        pytest.param([PADS_FOUND, NOTED, SENT], 1.0, True, id="as the oracle does"),
        pytest.param([PADS_FOUND, SENT], 0.5, True, id="one of two; the last one is there"),
        pytest.param([PADS_FOUND, NOTED], 0.5, False, id="the last one is missing"),
        pytest.param([NOTED, SENT], 0.5, True, id="an id that no reply had told"),
        pytest.param(
            [PADS_FOUND, call(2, "add_note", {"pad_id": PAD, "text": "bread"}), SENT], 0.5, True, id="other words"
        ),
        pytest.param([], 0.0, False, id="nothing"),
    ],
)
def test_ast_matches_writing_calls_one_to_one(calls: list[Step], matched: float, hangs: bool) -> None:
    graded_task = task(oracle=ORACLE)
    left = evidence(graded_task, *calls)
    assert ast(graded_task, left, TOOLS) == matched
    assert ast_dag(graded_task, left, TOOLS) is hangs


def test_one_call_matches_only_one_of_two_equal_nodes() -> None:
    again = [ORACLE[0], ORACLE[1], ORACLE[1] | {"as": "note_again"}]
    graded_task = task(oracle=again)
    assert ast(graded_task, evidence(graded_task, PADS_FOUND, NOTED), TOOLS) == 0.5
    assert (
        ast(graded_task, evidence(graded_task, PADS_FOUND, NOTED, call(3, NOTED.tool, NOTED.arguments, "")), TOOLS)
        == 1.0
    )


def test_a_single_reading_call_matches_fully_or_not_at_all() -> None:
    graded_task = task(oracle=ORACLE[:1])
    assert ast(graded_task, evidence(graded_task, PADS_FOUND), TOOLS) == 1.0
    assert ast(graded_task, evidence(graded_task, call(1, "find_pads", {"query": "office"}, [])), TOOLS) == 0.0
    assert ast(task(), evidence(task()), TOOLS) is None


def test_arguments_are_compared_by_meaning() -> None:
    graded_task = task(oracle=[{"as": "note", "call": "jotter/add_note", "with": {"pad_id": 5, "text": "Milk!"}}])
    same = call(1, "add_note", {"pad_id": "5.0", "text": "milk"})
    assert ast(graded_task, evidence(graded_task, same), TOOLS) == 1.0
    assert ast(graded_task, evidence(graded_task, call(1, "add_note", {"pad_id": "6", "text": "milk"})), TOOLS) == 0.0


def test_the_last_call_depends_on_calls_about_the_same_entities() -> None:
    chain = [
        ORACLE[0],
        {"as": "notes", "call": "jotter/list_notes", "with": {"pad_id": "${pads[0].id}"}},
        {"as": "card", "call": "jotter/send", "with": {"to": "${notes[0].author}", "text": "done"}},
    ]
    graded_task = task(oracle=chain)
    author = "ada_lovelace_01"
    listed = call(2, "list_notes", {"pad_id": PAD}, [{"author": author}])
    sent = call(3, "send", {"to": author, "text": "done"})
    assert ast_dag(graded_task, evidence(graded_task, PADS_FOUND, listed, sent), TOOLS) is True
    elsewhere = call(1, "find_pads", {"query": "home"}, [{"id": PAD, "author": author}])
    assert ast_dag(graded_task, evidence(graded_task, elsewhere, sent), TOOLS) is False  # it never read a note
    assert ast_dag(graded_task, evidence(graded_task, PADS_FOUND, listed), TOOLS) is False


# -- reasons for a failed trial --------------------------------------------------------------------------------------


def lookup(step: int, *names: str, **graded_task: Any) -> Step:
    reply = {"tools": [{"app": "jotter", "name": name} for name in names]}
    return call(step, "search_tools", {"query": "a pad", **graded_task}, reply, kind="search", app=None)


SEARCHED = Setting(searched=True, findable={"jotter/find_pads": 2, "jotter/add_note": 7, "jotter/send": None})
REFUSED = call(4, "send", {"to": "bob"}, "", ok=False, error_kind="invalid_arguments")
LOST = call(4, "send", {}, None, ok=False, fault="timeout")


@pytest.mark.parametrize(
    ("steps", "setting", "error", "because"),
    [
        # All tools are listed, as by default.
        pytest.param([PADS_FOUND, NOTED, SENT], Setting(), "Other", "work", id="every tool did what was asked"),
        pytest.param([PADS_FOUND, NOTED], Setting(), "Other", "work", id="one that was listed was never called"),
        pytest.param([PADS_FOUND, NOTED, REFUSED], Setting(), "Tool", "jotter/send", id="only refused"),
        pytest.param([PADS_FOUND, NOTED, REFUSED, SENT], Setting(), "Other", "work", id="refused, then done"),
        pytest.param([PADS_FOUND, NOTED, LOST], Setting(), "Other", "work", id="a fault's doing is no tool's"),
        pytest.param(
            [PADS_FOUND, call(2, "jot", {}, "", error_kind=None), REFUSED], Setting(), "Tool", "jotter/send",
            id="another tool that does the same is as good",
        ),
        # Only the search tools are listed. They return five tools unless the call requests another number.
        pytest.param([], SEARCHED, "Query", "jotter/find_pads", id="it never searched; the second of five would be it"),
        pytest.param([lookup(1, "list_notes")], SEARCHED, "Query", "jotter/find_pads", id="its words found another tool"),
        pytest.param(
            [lookup(1, "jotter_find_pads"), PADS_FOUND], SEARCHED, "Retrieve", "jotter/add_note",
            id="even the tool's own words find it seventh of five",
        ),
        pytest.param(
            [lookup(1, "jotter_find_pads", k=7), PADS_FOUND], SEARCHED, "Query", "jotter/add_note", id="but seventh of seven",
        ),
        pytest.param(
            [lookup(1, "find_pads", "add_note"), PADS_FOUND, NOTED], SEARCHED, "Retrieve", "jotter/send", id="nothing finds it"
        ),
        pytest.param(
            [lookup(1, "find_pads", "add_note"), PADS_FOUND, NOTED, REFUSED], SEARCHED, "Tool", "jotter/send",
            id="called by its name although no search had told it",
        ),
        pytest.param(
            [lookup(1, "find_pads"), call(2, "find_pads", ok=False, error_kind="invalid")], SEARCHED, "Tool",
            "jotter/find_pads", id="a tool that was refused comes before those that were not found",
        ),
        pytest.param([lookup(1, "find_pads", "add_note", "send")], SEARCHED, "Other", "work", id="found, never called"),
        # Failures that are not the agent's fault, and limits.
        pytest.param([REFUSED], Setting("infra"), "Other", "infra", id="nobody's fault comes before all"),
        pytest.param([], Setting("stopped"), "Other", "stopped", id="the run was stopped"),
        pytest.param([PADS_FOUND], Setting("limit_calls"), "Other", "limit", id="it ran out of calls"),
        pytest.param([PADS_FOUND], Setting("timeout"), "Other", "limit", id="it ran out of time"),
        pytest.param([REFUSED], Setting("timeout"), "Tool", "jotter/send", id="it ran out of time on refusals"),
    ],
)  # fmt: skip
def test_a_failed_trial_is_attributed_to_tool_query_retrieval_or_other(
    steps: list[Step], setting: Setting, error: str, because: str
) -> None:
    graded_task = task(oracle=ORACLE)
    alike = {"jotter": {**TOOLS["jotter"], "jot": ToolData("create", "note", ())}}
    left = evidence(graded_task, *steps)
    assert failure(graded_task, left, verdict(("noted", False, 0.0, None)), alike, setting) == {
        "error": error,
        "because": because,
    }


def test_an_unrecovered_fault_is_the_reason_for_a_failed_trial() -> None:
    graded_task = task(oracle=ORACLE)
    failed = verdict(("noted", False, 0.0, None))
    for recovered, because in ((False, "fault"), (True, "work"), (None, "work")):
        left = evidence(graded_task, PADS_FOUND, LOST, faults=[injected_fault(4, "timeout", recovered=recovered)])
        assert failure(graded_task, left, failed, TOOLS, Setting()) == {"error": "Other", "because": because}


def test_the_reason_for_a_failure_is_unknown_if_nothing_shows_it() -> None:
    graded_task = task(oracle=ORACLE)
    failed = verdict(("noted", False, 0.0, None))
    assert failure(graded_task, evidence(graded_task), verdict(("noted", True, 1.0, 1)), TOOLS, SEARCHED) is None
    assert failure(graded_task, evidence(graded_task), failed, TOOLS, Setting(searched=True)) is None
    held_back = task(split="test")
    assert failure(held_back, evidence(held_back), failed, TOOLS, Setting()) is None
    assert failure(held_back, evidence(held_back), failed, TOOLS, Setting("infra")) == {
        "error": "Other",
        "because": "infra",
    }
