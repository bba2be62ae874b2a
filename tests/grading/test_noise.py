"""Careless runs: slips are drawn from a seed, and a slip drawn at a small share is also drawn at any larger share."""

from __future__ import annotations

from collections import Counter

from soundstage.grading.noise import ANSWER, Effect, altered, slips, with_slips
from soundstage.grading.oracle import Script
from soundstage.grading.task import OracleCall

WHO = OracleCall.model_validate({"as": "who", "call": "jotter/find", "with": {"query": "Ada"}})
PLAN = OracleCall.model_validate({"as": "plan", "call": "jotter/add", "with": {"for": "${who.id}"}})
TELL = OracleCall.model_validate(
    {"as": "tell", "call": "jotter/send", "with": {"to": "${who.id}", "what": "${plan.id}"}}
)
TICK = OracleCall.model_validate({"as": "tick", "call": "jotter/tick", "with": {"id": "t_1"}})
WHOLE = Script("oracle", (WHO, PLAN, TELL, TICK), "It is planned for 14:30.", "done")
EFFECTS: dict[str, Effect] = {"who": "read", "plan": "create", "tell": "create", "tick": "update"}
SEEDS = [str(i) for i in range(400)]


def test_slips_at_a_small_share_are_the_same_at_a_larger_share() -> None:
    for seed in SEEDS:
        few, many, every = (slips(WHOLE, EFFECTS, share=share, seed=seed) for share in (0.1, 0.4, 1.0))
        assert few.items() <= many.items() <= every.items()
        assert every.keys() == {"plan", "tell", "tick", ANSWER}
        assert slips(WHOLE, EFFECTS, share=0, seed=seed) == {}


def test_the_requested_share_of_actions_slips_and_reads_never_do() -> None:
    counts = Counter(label for seed in SEEDS for label in slips(WHOLE, EFFECTS, share=0.2, seed=seed))
    assert counts.keys() == {"plan", "tell", "tick", ANSWER}
    assert all(0.13 < number / len(SEEDS) < 0.27 for number in counts.values())


def test_only_creating_calls_are_doubled() -> None:
    ways = {(label, slip) for seed in SEEDS for label, slip in slips(WHOLE, EFFECTS, share=1, seed=seed).items()}
    assert {label for label, slip in ways if slip == "made twice"} == {"plan", "tell"}
    assert {slip for label, slip in ways if label == "tick"} == {"left out", "made otherwise"}


def test_an_omitted_call_takes_its_dependents_along_and_a_doubled_call_appears_twice() -> None:
    assert [c.as_ for c in with_slips(WHOLE, {"plan": "left out"}).calls] == ["who", "tick"]
    assert [c.as_ for c in with_slips(WHOLE, {"plan": "left out", "tell": "made twice"}).calls] == ["who", "tick"]
    assert [c.as_ for c in with_slips(WHOLE, {"tell": "made twice"}).calls] == [
        "who",
        "plan",
        "tell",
        "tell_again",
        "tick",
    ]
    assert with_slips(WHOLE, {ANSWER: "left out"}).answer == ""
    assert "14:30" not in with_slips(WHOLE, {ANSWER: "made otherwise"}).answer


def test_a_changed_call_has_another_person_place_or_time() -> None:
    swaps = {"wrong person": {"ada": {"u_ada": "u_bob"}}, "wrong place": {"pad": {"pad_1": "pad_2"}}}
    arguments = {
        "to": "u_ada",
        "pad": ["pad_1"],
        "at": "1796106600",
        "ms": 1796106600000,
        "text": "am 2026-12-01 um 14:30",
    }
    variants = [altered(arguments, swaps, seed) for seed in SEEDS[:40]]
    changed = Counter(name for wrong in variants for name in arguments if wrong[name] != arguments[name])
    assert changed.keys() == arguments.keys()
    late = next(wrong for wrong in variants if wrong["at"] != arguments["at"])
    assert late == arguments | {"at": "1796711400", "ms": 1796711400000, "text": "am 2026-12-02 um 15:30"}
    assert altered({"text": "hello"}, swaps, "1") is None
