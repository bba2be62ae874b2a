"""Compare a simulated app's replies with the recorded replies of the real server."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any, Literal

import orjson

from soundstage.synthesis.fidelity.canonical import canonical
from soundstage.synthesis.fidelity.effects import difference
from soundstage.synthesis.fidelity.masks import hides_everything, mask, mask_like
from soundstage.synthesis.fidelity.replay import Reply
from soundstage.synthesis.fidelity.traces import Expected

Outcome = Literal["true positive", "true negative", "false positive", "false negative"]


@dataclass(frozen=True, slots=True)
class Comparison:
    """A trace's verdict.

    Attributes:
        findings: Differences other than the outcome, as text.
        remarks: Parts of the recording that could not be compared.
        recorded, ours: The replies with volatile parts masked, as text or JSON.
        exact: Whether the two are equal.
        measurable: Whether their similarity is defined: not if the real server never replied or the whole reply is volatile.
        key_paths: The share of equal member paths; None for replies other than JSON.
    """

    outcome: Outcome
    findings: tuple[str, ...]
    remarks: tuple[str, ...]
    recorded: Any
    ours: Any
    exact: bool
    measurable: bool
    key_paths: float | None

    @property
    def agrees(self) -> bool:
        """Whether nothing differs."""
        return self.outcome.startswith("true") and not self.findings


def compare(app: str, expect: Expected, reply: Reply) -> Comparison:
    """Compare a reply and the call's changes with the recording."""
    recorded = mask(expect.response, expect.volatile)
    ours = mask_like(reply_value(expect.response, reply), expect.volatile, expect.response)
    crashed = expect.response is None
    exact = reply.error_kind == "internal" if crashed else canonical(recorded) == canonical(ours)
    behind = difference(app, expect, reply.aftermath)
    measurable = not crashed and not hides_everything(expect.volatile)
    return Comparison(
        outcome=_outcome(expect.ok, reply.ok),
        findings=(*_findings(expect, reply, exact), *behind.findings),
        remarks=tuple(behind.remarks),
        recorded=recorded,
        ours=ours,
        exact=exact,
        measurable=measurable,
        key_paths=_key_path_share(recorded, ours) if measurable else None,
    )


def reply_value(recorded: Any, reply: Reply) -> Any:
    """Our reply in the form of the recorded one: text for a text, else the JSON in it.

    A reply of several blocks was recorded as MCP's `content`, or as an object with one member per block; pictures and
    sounds come without their bytes there. A text that is one JSON string was recorded as what that string says, or as it is.
    """
    if isinstance(recorded, str) and reply.channel == "result":
        return _read_text(reply.text) if _read_text(recorded) == recorded else reply.text
    if recorded is None or reply.channel != "result":
        return reply.text
    if isinstance(recorded, dict) and recorded.keys() == {"content"}:
        return {"content": list(reply.blocks)}
    if len(reply.blocks) != 1:
        return {b["type"]: b["text"] if b["type"] == "text" else _without_bytes(b) for b in reply.blocks}
    try:
        return orjson.loads(reply.text)
    except orjson.JSONDecodeError:
        return reply.text


def _read_text(text: str) -> str:
    """Decode a JSON string; return any other text unchanged."""
    try:
        value = orjson.loads(text) if text.startswith('"') else None
    except orjson.JSONDecodeError:
        return text
    return value if isinstance(value, str) else text


def key_paths(value: Any, above: str = "$") -> set[str]:
    """The paths of all members in JSON, such as `$.items[*].name`."""
    if isinstance(value, dict):
        result = {f"{above}.{name}" for name in value}
        return result.union(*(key_paths(item, f"{above}.{name}") for name, item in value.items()))
    if isinstance(value, list):
        return set().union(*(key_paths(item, f"{above}[*]") for item in value))
    return set()


def _outcome(recorded: bool, ours: bool) -> Outcome:
    if recorded:
        return "true positive" if ours else "false negative"
    return "false positive" if ours else "true negative"


def _findings(expect: Expected, reply: Reply, exact: bool) -> list[str]:
    if expect.response is None:
        kind = reply.error_kind or "none"
        finding = f"the real server crashed, so an internal error was expected; the error kind was: {kind}"
        return [] if exact else [finding]
    result: list[str] = []
    if reply.error_kind == "internal":
        result.append("the app itself failed: an internal error, whose traceback is in the log on stderr")
    if reply.channel != expect.channel:
        result.append(f"channel is {reply.channel}, recorded {expect.channel}")
    elif expect.channel == "jsonrpc_error" and expect.jsonrpc_code not in (None, reply.code):
        result.append(f"JSON-RPC code is {reply.code}, recorded {expect.jsonrpc_code}")
    elif expect.channel == "result" and expect.is_error not in (None, reply.is_error):
        result.append(f"isError is {_json(reply.is_error)}, recorded {_json(expect.is_error)}")
    texts = {reply.text, _unescaped(reply.text)}
    result += [f"lacks {text!r}" for text in expect.must_contain if not any(text in one for one in texts)]
    if not exact:
        result.append("the reply differs")
    if "structured_content" in expect.model_fields_set:
        recorded, structured = (
            canonical(mask(v, expect.volatile)) for v in (expect.structured_content, reply.structured)
        )
        if recorded != structured:
            result.append("the structured content differs")
    return result


def _unescaped(text: str) -> str:
    """JSON with its letters as they are instead of as escapes; any other text as it is."""
    try:
        return orjson.dumps(orjson.loads(text)).decode()
    except orjson.JSONDecodeError:
        return text


def _key_path_share(recorded: Any, ours: Any) -> float | None:
    if isinstance(recorded, str):
        return None
    wanted, got = key_paths(recorded), key_paths(ours)
    if not wanted | got:
        return 1.0 if canonical(recorded) == canonical(ours) else 0.0
    return len(wanted & got) / len(wanted | got)


def _without_bytes(block: dict[str, Any]) -> dict[str, Any]:
    return {name: item for name, item in block.items() if name not in ("type", "data")}


def _json(value: object) -> str:
    return json.dumps(value)
