"""Schedules: all mistakes are reported with their place, and the presets are valid."""

from __future__ import annotations

from typing import Any

import pytest

from soundstage.gateway.faults.check import read_schedule
from soundstage.gateway.faults.schedule import ScheduleMistakes, document_of, preset_names, read_yaml, with_lines
from soundstage.servers.catalogue import load_apps


def mistakes(document: object) -> dict[str, str]:
    with pytest.raises(ScheduleMistakes) as refused:
        read_schedule(document, load_apps())
    return {m.place: m.problem for m in refused.value.mistakes}


@pytest.mark.parametrize("name", preset_names())
def test_the_presets_fit_the_apps(name: str) -> None:
    schedule = read_schedule(document_of(name), load_apps())
    assert schedule.rules
    assert schedule.document["description"]


@pytest.mark.parametrize(
    ("rule", "place", "says"),
    [
        ({"fault": "rate_limt"}, "rules[0].fault", "rate_limit"),
        ({"fault": "timeout", "wait": 1}, "rules[0].wait", "wait_s"),
        ({"fault": "timeout", "wait_s": "long"}, "rules[0].wait_s", "long"),
        ({"fault": "timeout", "match": {"app": "slak"}}, "rules[0].match.app", "slack"),
        ({"fault": "timeout", "match": {"app": "slack", "tool": "nope"}}, "rules[0].match.tool", "nope"),
        ({"fault": "timeout", "match": {"effect": "write"}}, "rules[0].match.effect", "create"),
        (
            {"fault": "timeout", "match": {"tool": "slack_post_message", "effect": "read"}},
            "rules[0].match.effect",
            "read",
        ),
        ({"fault": "timeout", "match": {"arguments": {"channle": "x"}}}, None, ""),
        (
            {"fault": "timeout", "match": {"tool": "slack_post_message", "arguments": {"channle": "x"}}},
            "rules[0].match.arguments.channle",
            "argument",
        ),
        ({"fault": "lost_ack", "match": {"effect": "read"}}, "rules[0].match", "lost_ack"),
        ({"fault": "timeout", "when": {"probability": 1.5}}, "rules[0].when.probability", "1.5"),
        ({"fault": "timeout", "when": {"call": 0}}, "rules[0].when.call[0]", "0"),
        ({"fault": "timeout", "when": {"after": 5, "before": 6}}, "rules[0].when.before", "call 5"),
        ({"fault": "timeout", "when": {"call": 2, "after": 5}}, "rules[0].when.call", "call 2"),
        ({"fault": "timeout", "when": {"steps": [9, 3]}}, "rules[0].when.steps", "9"),
        (
            {"fault": "timeout", "when": {"state": [{"app": "slack", "entity": "mesage"}]}},
            "rules[0].when.state[0].entity",
            "message",
        ),
        (
            {"fault": "timeout", "when": {"state": [{"app": "slack", "entity": "message", "where": {"txt": 1}}]}},
            "rules[0].when.state[0].where.txt",
            "text",
        ),
        ({"fault": "drift", "change": "quake"}, "rules[0].change", "message_arrives"),
        ({"fault": "new_constraint"}, "rules[0].wish", "required"),
    ],
)
def test_a_mistake_is_reported_with_its_place(rule: dict[str, Any], place: str | None, says: str) -> None:
    if place is None:  # a free-form argument of some tool
        read_schedule({"rules": [rule]}, load_apps())
        return
    problems = mistakes({"rules": [rule]})
    assert list(problems) == [place]
    assert says in problems[place]


def test_contradictory_budgets_are_reported() -> None:
    rules = [{"fault": "timeout", "times": 1}, {"fault": "latency", "when": {"probability": 0.5}}]
    problems = mistakes({"rules": rules, "budget": {"timeout": 2, "latency": 1, "reorder": 1, "nope": 1}, "turns": 30})
    assert problems.keys() == {"budget.timeout", "budget.reorder", "budget.nope", "rules[1].when.probability"}
    assert mistakes({"rules": [{"fault": "timeout"}], "budget": {"timeout": 9}, "turns": 8}).keys() == {
        "budget.timeout"
    }


def test_all_mistakes_are_reported_at_once_with_their_lines() -> None:
    second = "  - fault: timeout\n    name: a\n    match:\n      app: slak\n"
    text = f"rules:\n  - fault: nope\n{second}  - {{fault: timeout, name: a}}\nturns: x\n"
    document, lines = read_yaml(text)
    with pytest.raises(ScheduleMistakes) as refused:
        read_schedule(document, load_apps())
    places = {(m.place, m.line) for m in with_lines(refused.value, lines).mistakes}
    assert places == {("rules[0].fault", 2), ("rules[1].match.app", 6), ("rules[2].name", 7), ("turns", 8)}


@pytest.mark.parametrize("document", [[], "", 3, {"rules": 3}, {"rules": [3]}, {"rulez": []}])
def test_an_invalid_schedule_is_refused(document: object) -> None:
    assert mistakes(document)


def test_invalid_yaml_is_reported_with_its_line() -> None:
    with pytest.raises(ScheduleMistakes, match="line 2"):
        read_yaml("rules: [\n  }")
