"""Comparing one reply with the recorded one: hidden parts, differences that count, and the reported reasons."""

from __future__ import annotations

from typing import Any

import pytest

from soundstage.synthesis.fidelity.canonical import canonical
from soundstage.synthesis.fidelity.compare import Comparison, compare, key_paths
from soundstage.synthesis.fidelity.masks import MASK, mask
from soundstage.synthesis.fidelity.replay import Reply
from soundstage.synthesis.fidelity.traces import Expected


def reply_of(text: str, **more: Any) -> Reply:
    members: dict[str, Any] = {"channel": "result", "ok": True, "error_kind": None, "is_error": False, **more}
    return Reply(text=text, blocks=({"type": "text", "text": text},), **members)


def verdict(reply: Reply, **expect: Any) -> Comparison:
    return compare("lark", Expected.model_validate({"ok": True, "is_error": False, **expect}), reply)


@pytest.mark.parametrize(
    ("volatile", "reply", "hidden"),
    [
        ("$", {"a": 1}, MASK),
        ("$", "text", MASK),
        ("$.a", {"a": 1, "b": {"a": 2}}, {"a": MASK, "b": {"a": 2}}),
        ("a", {"a": 1, "b": [{"a": 2}]}, {"a": MASK, "b": [{"a": MASK}]}),
        ("$.b.c", {"b": {"c": [1]}, "c": 2}, {"b": {"c": MASK}, "c": 2}),
        ("$.b[*].c", {"b": [{"c": 1, "d": 2}, {"c": 3}]}, {"b": [{"c": MASK, "d": 2}, {"c": MASK}]}),
        ("$.b[1]", {"b": [1, 2, 3]}, {"b": [1, MASK, 3]}),
        ("$.*.id", {"x": {"id": 1}, "y": {"id": 2, "z": 3}}, {"x": {"id": MASK}, "y": {"id": MASK, "z": 3}}),
        ("$[*].result['file.mtime']", [{"result": {"file.mtime": 1}}], [{"result": {"file.mtime": MASK}}]),
        ("$.due date.id", {"due date": {"id": 1}}, {"due date": {"id": MASK}}),
        (
            "content[0].data",
            {"content": [{"data": "AA", "type": "image"}]},
            {"content": [{"data": MASK, "type": "image"}]},
        ),
        ("$.absent.member", {"a": "b"}, {"a": "b"}),
        (r"re:\d{4}", "lit 1887, dark 2026", f"lit {MASK}, dark {MASK}"),
        (r"re:(?<=ID: )\S+", {"said": ["ID: 7f", "ID: no more"]}, {"said": [f"ID: {MASK}", f"ID: {MASK} more"]}),
        (r"re:-?\d{10}", {"id": -1234567890, "n": 12}, {"id": MASK, "n": 12}),
        ("size", "size: 60\nname: lamp size: 3\n", f"size: {MASK}\nname: lamp size: 3\n"),
        ("free words mean nothing", {"free": 1}, {"free": 1}),
        ("re:(unclosed", "text", "text"),
    ],
)
def test_volatile_parts_are_hidden(volatile: str, reply: Any, hidden: Any) -> None:
    assert mask(reply, [volatile]) == hidden


def test_a_value_hidden_by_its_path_in_one_run_is_hidden_by_its_form_in_another() -> None:
    made = {"response": "Sent, id 1310000000004194304.", "volatile": [r"re:131000000\d{10}"]}
    assert verdict(reply_of("Sent, id 1480012345678901234."), **made).agrees
    assert not verdict(reply_of("Sent, id 148001234567890."), **made).agrees
    assert not verdict(reply_of("Sent as 1480012345678901234."), **made).agrees
    drawn = {"response": "media 3a-8sd", "volatile": ["re:3a-8sd"]}
    assert verdict(reply_of("media 7x-0qq"), **drawn).agrees
    assert not verdict(reply_of("media 77-0qq"), **drawn).agrees


def test_an_error_object_recorded_as_a_result_is_an_error() -> None:
    expected = {
        "ok": False,
        "is_error": True,
        "channel": "result",
        "response": {"code": -32602, "message": "no such tool"},
    }
    missing = reply_of("no such tool", ok=False, is_error=None, channel="jsonrpc_error", code=-32602)
    assert verdict(missing, **expected).agrees
    assert not verdict(reply_of("no such tool", ok=False, is_error=True), **expected).agrees
    expected["response"] = {"code": 404, "message": "no such tool"}
    error_reply = reply_of('{"code": 404, "message": "no such tool"}', ok=False, is_error=True)
    assert verdict(error_reply, **expected).agrees


def test_a_text_that_is_one_json_string_was_recorded_as_its_value() -> None:
    assert verdict(reply_of(r'"two\nlines of \u706f"'), response="two\nlines of 灯").exact
    assert verdict(reply_of('"quoted"'), response='"quoted"').exact
    assert not verdict(reply_of('"two'), response="two").exact
    assert not verdict(reply_of('"2" 3'), response="2").exact


def test_equal_replies_agree_in_any_json_formatting() -> None:
    comparison = verdict(reply_of('{\n  "b": 1.0,\n  "a": "灯"\n}'), response={"a": "灯", "b": 1})
    assert comparison.agrees
    assert comparison.exact
    assert comparison.key_paths == 1
    assert canonical({"b": 1.0, "a": "灯"}) == '{"a":"灯","b":1}'


@pytest.mark.parametrize(
    ("recorded", "ours", "outcome"),
    [
        (True, True, "true positive"),
        (False, False, "true negative"),
        (False, True, "false positive"),
        (True, False, "false negative"),
    ],
)
def test_the_positive_class_is_the_real_servers_success(recorded: bool, ours: bool, outcome: str) -> None:
    comparison = verdict(reply_of("same", ok=ours), ok=recorded, response="same")
    assert comparison.outcome == outcome
    assert comparison.agrees == (recorded == ours)


@pytest.mark.parametrize(
    ("reply", "expect", "message"),
    [
        (reply_of("x"), {"response": "y"}, "the reply differs"),
        (reply_of("x", is_error=True), {"response": "x"}, "isError is true, recorded false"),
        (reply_of("x"), {"response": {"x": 1}, "must_contain": ["x", "lamp"]}, "lacks 'lamp'"),
        (
            reply_of("x", channel="jsonrpc_error", code=-32602),
            {"response": "x"},
            "channel is jsonrpc_error, recorded result",
        ),
        (
            reply_of("x", channel="jsonrpc_error", code=-32603, ok=False),
            {"ok": False, "channel": "jsonrpc_error", "jsonrpc_code": -32602, "response": "x"},
            "JSON-RPC code is -32603, recorded -32602",
        ),
        (
            reply_of("x", structured={"a": 1}),
            {"response": "x", "structured_content": {"a": 2}},
            "structured content differs",
        ),
        (reply_of("x", ok=False, error_kind="internal"), {"ok": False, "response": "x"}, "the app itself failed"),
        (reply_of("x", channel="unreadable"), {"response": "x"}, "channel is unreadable"),
    ],
)
def test_a_difference_is_reported(reply: Reply, expect: dict[str, Any], message: str) -> None:
    comparison = verdict(reply, **expect)
    assert not comparison.agrees
    assert any(message in finding for finding in comparison.findings), comparison.findings


def test_an_unrecorded_error_flag_is_not_compared() -> None:
    assert verdict(reply_of("x", is_error=True), is_error=None, response="x").agrees


def test_a_recorded_crash_requires_an_internal_error_and_has_no_similarity() -> None:
    crash = {"ok": False, "is_error": True, "response": None}
    internal = verdict(reply_of("Internal Error", ok=False, is_error=True, error_kind="internal"), **crash)
    assert internal.agrees
    assert not internal.measurable
    other = verdict(reply_of("not found", ok=False, is_error=True, error_kind="not_found"), **crash)
    assert other.outcome == "true negative"
    assert not other.agrees


def test_a_fully_volatile_reply_has_no_similarity() -> None:
    comparison = verdict(reply_of('{"who": "another"}'), response={"who": "one"}, volatile=["$"])
    assert comparison.agrees
    assert not comparison.measurable
    assert comparison.key_paths is None


def test_images_are_compared_without_their_bytes() -> None:
    blocks = ({"type": "text", "text": "scan"}, {"type": "image", "data": "iVBOR", "mimeType": "image/png"})
    reply = Reply("result", True, None, "scan", is_error=False, blocks=blocks)
    assert verdict(reply, response={"text": "scan", "image": {"mimeType": "image/png"}}).agrees
    assert verdict(reply, response={"content": list(blocks)}).agrees


def test_key_paths_are_counted_without_list_indexes() -> None:
    recorded = {"items": [{"id": 1, "name": "a"}, {"id": 2}], "more": False}
    assert key_paths(recorded) == {"$.items", "$.items[*].id", "$.items[*].name", "$.more"}
    assert verdict(reply_of('{"items": [{"id": 3, "size": 1}], "more": true}'), response=recorded).key_paths == 3 / 5
    assert verdict(reply_of("no JSON at all"), response=recorded).key_paths == 0
    assert verdict(reply_of("a text"), response="another text").key_paths is None
