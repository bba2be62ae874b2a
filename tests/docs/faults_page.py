"""Generate the tables of docs/faults.md by injecting each fault in three apps.

`python -m tests.docs.faults_page` updates the page; `tests/docs/test_faults_page.py` checks that it is current.
"""

from __future__ import annotations

import json
import re
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from soundstage.contexts.engine import state
from soundstage.contexts.engine.clock import Clock, parse_moment, to_ms
from soundstage.contexts.engine.storage import MemoryStorage
from soundstage.gateway.calls.call import CallResult
from soundstage.gateway.calls.dispatch import dispatch
from soundstage.gateway.faults import schedule_store
from soundstage.gateway.faults.check import read_schedule
from soundstage.gateway.faults.kinds import KINDS
from soundstage.gateway.faults.schedule import preset, preset_names
from soundstage.gateway.registry.records import SessionRecord
from soundstage.gateway.sessions.session import Session
from soundstage.servers.catalogue import App, app_names, load_app, load_apps
from soundstage.servers.faults import fault_words
from soundstage.worlds import built, load_world
from tests.gateway.faults.small_state import READS, SMALL_STATE, WRITES

PAGE = Path(__file__).parent.parent.parent / "docs" / "faults.md"
_APPS = ("slack", "lark", "notion")
_ON_READS = {"truncate", "stale_read", "corrupt", "reorder", "partial_page"}
_ATTRIBUTES: dict[str, dict[str, Any]] = {
    "new_constraint": {"wish": "Please also tell Marta."},
    "stale_read": {"steps": 1},
    "latency": {"distribution": "constant", "ms": 800},
}
_SHOWN, _BEFORE = 420, 160


def generated() -> str:
    """Return everything below the marker in the page."""
    with tempfile.TemporaryDirectory() as folder:
        storage, world = MemoryStorage(), built(load_world("empty"), Path(folder))
        faults = "\n".join(_fault(kind, storage, world) for kind in KINDS)
    presets = "\n".join(f"| `{name}` | {preset(name)['description'].strip()} |" for name in preset_names())
    head = f"## Presets\n\n| preset | description |\n|---|---|\n{presets}\n"
    return f"{head}\n{faults}\n## Sources of the wordings\n\n{_sources()}"


def _fault(kind: str, storage: MemoryStorage, world: Path) -> str:
    fault = KINDS[kind]
    lines = [f"## {kind}", "", f"{fault.__doc__} Level: {fault.level}.", ""]
    members = fault.model_json_schema().get("properties", {})
    if members:
        lines += ["| attribute | default | meaning |", "|---|---|---|"]
        lines += [f"| `{n}` | {_default(a)} | {a.get('description', '')} |" for n, a in members.items()]
        lines.append("")
    for app in _APPS:
        lines += _seen(kind, app, storage, world)
    return "\n".join(lines)


def _seen(kind: str, name: str, storage: MemoryStorage, world: Path) -> Iterator[str]:
    app, (tool, _) = load_app(name), _call_for(kind, name)
    rule = {"fault": kind, "match": {"app": name, "tool": tool}, "times": 1, **_ATTRIBUTES.get(kind, {})}
    plain, _ = _made(kind, name, storage, world, None)
    made, session = _made(kind, name, storage, world, {"rules": [rule]})
    yield f"{app.title}, `{tool}`{_aside(made)}:"
    yield ""
    yield "```text"
    yield _shown(made, plain)
    yield "```"
    yield ""
    if kind in ("drift", "duplicate_delivery", "lost_ack"):
        yield f"Changes: {_changes(session, app)}."
        yield ""


def _call_for(kind: str, name: str) -> tuple[str, dict[str, Any]]:
    return (READS if kind in _ON_READS else WRITES)[name]


def _made(
    kind: str, name: str, storage: MemoryStorage, world: Path, schedule: dict[str, Any] | None
) -> tuple[CallResult, Session]:
    session, app = _session(storage, world, schedule), load_app(name)
    if kind == "stale_read":
        dispatch(session, app, *WRITES[name])
    return dispatch(session, app, *_call_for(kind, name)), session


def _session(storage: MemoryStorage, world: Path, schedule: dict[str, Any] | None) -> Session:
    clock = Clock("tick", to_ms(parse_moment("2026-11-20T08:00:00Z")))
    context = storage.create("page", world, seed=7, clock=clock)
    with context.transaction() as meta:
        state.load(context, SMALL_STATE)
        schedule_store.put(context, meta, None if schedule is None else read_schedule(schedule, load_apps()))
    return Session(
        SessionRecord("page", "page", None, "empty", app_names(), 7, clock, 0, None, durability="memory"), context
    )


def _aside(made: CallResult) -> str:
    return f" (after {made.delivery.wait.ms / 1000:g} s)" if made.delivery.wait else ""


def _shown(made: CallResult, plain: CallResult) -> str:
    """Return the agent's view, from shortly before the first difference to the answer without the fault."""
    if made.reply is None:
        return "(no answer: the connection breaks)"
    text, real = _text(made), _text(plain)
    differs = next((i for i, (a, b) in enumerate(zip(text, real, strict=False)) if a != b), min(len(text), len(real)))
    start = 0 if text == real or len(text) <= _SHOWN else max(0, min(differs - _BEFORE, len(text) - _SHOWN))
    end = start + _SHOWN
    return f"{'… ' if start else ''}{text[start:end]}{' …' if end < len(text) else ''}"


def _text(made: CallResult) -> str:
    """The blocks of a reply, a line each; indented JSON is drawn together."""
    reply = made.reply or {}
    blocks = [re.sub(r"\n\s*", " ", b["text"]) for b in reply["content"]]
    return "\n".join([*(["isError: true"] if reply.get("isError") else []), *blocks])


def _changes(session: Session, app: App) -> str:
    from soundstage.gateway.journal.lines import lines

    steps = []
    for line in lines(session.context):
        changes = [f"{c['op']} of a {c['entity']}" for c in line["changes"] if c["app"] == app.name]
        who = "the call" if line["app"] else "another person"
        steps.append(f"step {line['step']} by {who}: {', '.join(sorted(set(changes))) or 'nothing'}")
    return "; ".join(steps)


def _sources() -> str:
    rows = ["| app | fault | source |", "|---|---|---|"]
    for name in app_names():
        words = fault_words(name)
        rows += [f"| {name} | `{kind}` | {words.sources.get(kind, 'general wording')} |" for kind in words.wordings]
    return "\n".join(rows) + "\n"


def _default(attribute: dict[str, Any]) -> str:
    return f"`{json.dumps(attribute['default'])}`" if "default" in attribute else "required"


MARKER = "<!-- generated below this line by: python -m tests.docs.faults_page -->\n"


def page(written: str) -> str:
    """Return the page with its generated part updated."""
    return re.sub(rf"(?s){re.escape(MARKER)}.*", lambda _: f"{MARKER}\n{generated()}", written)


if __name__ == "__main__":
    PAGE.write_text(page(PAGE.read_text("utf-8")), "utf-8")
