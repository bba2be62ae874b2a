"""Findings of the check in an inconsistent state."""

from __future__ import annotations

import copy
from collections.abc import Callable
from pathlib import Path

import pytest

from soundstage.contexts.engine.schema import Object
from soundstage.contexts.engine.state import State
from soundstage.worlds.apps import all_wording
from soundstage.worlds.builder.build import CheckFailed, build, build_checked
from soundstage.worlds.builder.check import check_state
from soundstage.worlds.builder.draw import Draw
from soundstage.worlds.builder.writer import masked

Change = Callable[[dict[str, list[Object]]], None]


@pytest.fixture(scope="module")
def sound(tmp_path_factory: pytest.TempPathFactory) -> State:
    from tests.worlds.builder.conftest import SPEC, STORY

    folder = tmp_path_factory.mktemp("spec")
    (folder / "spec.yaml").write_text(SPEC.lstrip(), encoding="utf-8")
    (folder / "story.yaml").write_text(STORY.lstrip(), encoding="utf-8")
    return build_checked(folder / "spec.yaml").state


def _write_text(lark: dict[str, list[Object]], text: str) -> None:
    lark["document"][0]["content"] = text


def _with_guests(lark: dict[str, list[Object]]) -> Object:
    return next(e for e in lark["calendar_event"] if e["attendees"])


BREAKS: list[tuple[Change, str]] = [
    (lambda k: k["user"][0].update(name=7), r"lark\.user\[0\]\.name: expected text"),
    (lambda k: k["user"][0].update(shoe_size=44), r"lark\.user\[0\]\.shoe_size: is no declared field"),
    (lambda k: k["user"][0].update(union_id="on_1"), r"union_id: 'on_1' has not the form on_\{hex:32\}"),
    (lambda k: k["user"][1].update(email=k["user"][0]["email"]), r"lark\.user\[1\]\.email: .* is also that of \[0\]"),
    (lambda k: k["message"].append(dict(k["message"][0])), r"has the key of \[0\]"),
    (lambda k: k["message"][0].update(chat_id="oc_" + "0" * 32), r"message\[0\]\.chat_id: .*does not exist"),
    (
        lambda k: k["message"][0]["sender"].update(id="ou_" + "0" * 32),
        r"message\[0\]\.sender: author is .* does not exist",
    ),
    (lambda k: k["message"][0].update(create_time="1"), r"message\[0\]\.chat_id: place came later than this"),
    (lambda k: k["task"][0].update(updated_at="1"), r"task\[0\]\.updated_at: is edited before it came to be"),
    (
        lambda k: next(e for e in k["calendar_event"] if e["attendees"])["attendees"][0].update(user_id="ou_x"),
        r"attendees: it.person is 'ou_x'",
    ),
    (lambda k: _write_text(k, "key AKIAABCDEFGHIJKLMNOP"), "looks like a secret"),
    (lambda k: _write_text(k, "call +86 138 0013 8000"), r"\+86 138 0013 8000 is a number that somebody may have"),
    (lambda k: _write_text(k, "13800138000 anytime"), "13800138000 is a number"),
    (lambda k: _write_text(k, "see https://lantern.io/x"), "lantern.io may exist; use .example or .test"),
    (lambda k: _write_text(k, "write ann@company.cn"), "company.cn may exist"),
]


@pytest.mark.parametrize(("change", "message"), BREAKS, ids=[message[:30] for _, message in BREAKS])
def test_an_inconsistency_is_found(sound: State, change: Change, message: str) -> None:
    import re

    state = copy.deepcopy(sound)
    change(state["lark"])
    findings = [str(f) for f in check_state(state, all_wording())]
    assert any(re.search(message, f) for f in findings), findings


def test_reserved_numbers_and_domains_are_accepted(sound: State) -> None:
    state = copy.deepcopy(sound)
    _write_text(
        state["lark"],
        "+1 202 555 0123, +447700900123, a@b.example, https://x.test/1, https://example.com, 1793927520287",
    )
    assert check_state(state, all_wording()) == []


def test_a_value_out_of_its_bounds_is_reported(write_spec: Callable[..., Path]) -> None:
    path = write_spec({"sizes:": "bounds: {messages: {high: 5}, rows: {low: 9999}, beauty: {low: 1}}\nsizes:"})
    with pytest.raises(CheckFailed) as failed:
        build_checked(path)
    findings = [str(f) for f in failed.value.findings]
    assert any("bounds.messages: is 4" in t and "above 5" in t for t in findings)
    assert any("bounds.beauty: is no figure; known: messages" in t for t in findings)


def test_a_reference_may_dangle_if_the_spec_allows_it(write_spec: Callable[..., Path]) -> None:
    built = build(write_spec({"sizes:": "dangling: [lark.message.chat_id]\nsizes:"}))
    built.state["lark"]["message"][0]["chat_id"] = "oc_" + "0" * 32
    assert check_state(built.state, all_wording(), built.sources.spec) == []


def test_identities_are_masked() -> None:
    text = masked("@小红书用户 wrote to mei.li@mail.cn, 13800138000, https://xhs.cn/a", Draw(1, "t"))
    assert "小红书" not in text
    assert "mail.cn" not in text
    assert "13800138000" not in text
    assert "xhs.cn" not in text
