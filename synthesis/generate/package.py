"""Derive an app's tables, `tools.json` and dialect by rule; generators write kernels and their shared rules."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping
from typing import Any

from soundstage.contexts.engine.table_files import FORMAT as TABLES_FORMAT
from soundstage.contexts.engine.table_files import ColumnType
from soundstage.servers.declared import FORMAT as DIALECT_FORMAT
from soundstage.servers.tool import Tool
from soundstage.synthesis.generate.entities import OWN_KEY, Entities, EntityDraft
from soundstage.synthesis.generate.families import Envelope, FamilyChoice, choose, envelope
from soundstage.synthesis.traverse.derive import Derived
from soundstage.synthesis.traverse.plan import Planned
from soundstage.synthesis.traverse.replies import text_of
from soundstage.synthesis.traverse.values import creates

_EFFECTS = (
    ("create", "create add new insert make"),
    ("delete", "delete remove drop clear"),
    ("update", "update set edit change move"),
)


def tool_of(app: str, declared: Mapping[str, Any], effect: str) -> Tool:
    """Convert a real server's tool to an app's tool."""
    schema = declared.get("inputSchema") or {"type": "object"}
    return Tool(app, declared["name"], str(declared.get("description", "")), schema, effect)  # type: ignore[arg-type]


def tools_of(planned: Planned) -> dict[str, Tool]:
    """Return every tool of a recording's server."""
    return {name: tool_of(planned.plan.app, tool, effect_of(planned, name)) for name, tool in planned.tools.items()}


def effect_of(planned: Planned, tool: str) -> str:
    """Return read, create, update, delete or other: by the tool's class in the plan, and for writing tools by name."""
    class_ = planned.plan.tools[tool].class_
    if class_ == "read":
        return "read"
    first = tool.replace("-", "_").split("_")
    named = next((effect for effect, words in _EFFECTS if set(words.split()) & set(first)), None)
    return named or ("delete" if class_ == "destructive" and not creates(tool) else "other")


def chosen_family(planned: Planned, derived: Derived) -> FamilyChoice:
    """Choose the family by which the server checks arguments."""
    return choose(tools_of(planned), derived.calls, _refused(derived))


def envelope_of(planned: Planned, derived: Derived, family: FamilyChoice) -> Envelope:
    """Return the outer form of the server's replies."""
    tools, worded = tools_of(planned), set()
    for call in derived.calls:
        if call.tool in tools:
            try:
                family.family.check(tools[call.tool], call.arguments)
            except Exception:
                worded.add(call.id)
        else:
            worded.add(call.id)
    done = {call_id: not refused for call_id, refused in _refused(derived).items()}
    return envelope(derived.calls, done, frozenset(worded), tools)


_KINDS: Mapping[str, ColumnType] = {"Text": "text", "Integer": "integer", "Flag": "flag", "Json": "json"}


def tables_path(app: str) -> str:
    """Return the path of an app's tables below an app root."""
    return f"contexts/apps/{app}.json"


def dialect_path(app: str) -> str:
    """Return the path of an app's dialect below an app root."""
    return f"servers/{app}/dialect.json"


def faults_path(app: str) -> str:
    """Return the path of an app's fault texts below an app root; a person writes them, because no recording has any."""
    return f"servers/{app}/faults.json"


def tables_json(app: str, entities: Entities) -> bytes:
    """`contexts/apps/<app>.json`; see `soundstage.contexts.engine.table_files`."""
    return _json({
        "format": TABLES_FORMAT,
        "app": app,
        "entities": [_entity(draft) for draft in entities.drafts],
    })  # fmt: skip


def _entity(draft: EntityDraft) -> dict[str, Any]:
    columns = [{"name": column.name, "type": _KINDS[column.kind]} for column in draft.columns]
    if draft.key == (OWN_KEY,):
        columns.insert(0, {"name": OWN_KEY, "type": "text"})
    made: dict[str, Any] = {"name": draft.name, "columns": columns, "key": list(draft.key)}
    if draft.id_format is not None:
        made["id_format"] = draft.id_format
    return made


def tools_json(planned: Planned, answered_by: Mapping[str, str], *, private: bool) -> bytes:
    """`servers/<app>/tools.json`. The server's own descriptions go into a `private` package alone; others get plain ones."""
    info = planned.server["serverInfo"]
    tools = []
    for name, tool in planned.tools.items():
        description = str(tool.get("description", "")) if private else _described(name)
        shown: dict[str, Any] = {"name": name, "description": description}
        shown["input_schema"] = tool.get("inputSchema") or {"type": "object"}
        shown["effect"] = effect_of(planned, name)
        if "outputSchema" in tool:
            shown["output_schema"] = tool["outputSchema"]
        if "annotations" in tool:
            shown["annotations"] = tool["annotations"]
        shown["answered_by"] = answered_by.get(name, "none")
        tools.append(shown)
    whole = {
        "title": str(info.get("title") or info.get("name") or planned.plan.app),
        "category": "synthesised",
        "description": f"{planned.plan.app}, as a recording of its real server shows it.",
        "server": {k: info[k] for k in ("name", "title", "version") if k in info},
        "tools": tools,
    }
    return json.dumps(whole, ensure_ascii=False, indent=1).encode() + b"\n"


def _described(name: str) -> str:
    return f"{name.replace('_', ' ').replace('-', ' ').capitalize()}."


def dialect_json(chosen: FamilyChoice, shown: Envelope) -> bytes:
    """Build `servers/<app>/dialect.json` from the chosen family and envelope; see `soundstage.servers.declared`."""
    declared: dict[str, Any] = {
        "format": DIALECT_FORMAT,
        "arguments": chosen.family.name,
        "json": shown.layout,
        "refusals": {"code": shown.error_code, "is_error": shown.is_error},
    }
    if not chosen.of and shown.unknown is not None:  # without a fitting family only the recorded texts are known
        code, flag, words = shown.unknown
        declared["unknown_tool"] = {"code": code, "is_error": flag, "text": words}
    return _json(declared)


def _json(value: Mapping[str, Any]) -> bytes:
    return json.dumps(value, ensure_ascii=False, indent=1).encode() + b"\n"


def facts_of(
    planned: Planned, derived: Derived, entities: Entities, chosen: FamilyChoice, shown: Envelope
) -> dict[str, Any]:
    """Derive the facts of a recording's server in the format of apps' facts files."""
    info = planned.server["serverInfo"]
    refused: dict[str, Counter[str]] = {}
    split = derived.split()
    for call in derived.calls:
        may = split[call.episode] == "train"  # prompts contain facts, so facts use only the training share
        if may and derived.verdicts[call.id].outcome == "refused" and call.tool in planned.tools:
            refused.setdefault(call.tool, Counter())[text_of(call.reply)[:200]] += 1
    return {
        "app": planned.plan.app,
        "title": str(info.get("title") or info.get("name")),
        "category": "synthesised",
        "real_server": {"source": planned.server["target"], "version": str(info.get("version", ""))},
        "envelope": (
            f"arguments: {chosen.family.name} ({chosen.right} of {chosen.of} refusals in its words); "
            f"JSON as {shown.layout}; structured content of {', '.join(sorted(shown.structured)) or 'no tool'}; refusals "
            + (f"as isError: {shown.is_error}" if shown.error_code is None else f"as JSON-RPC error {shown.error_code}")
        ),
        "tools": [
            {
                "name": name,
                "input_schema": tool.get("inputSchema"),
                "output_schema": tool.get("outputSchema"),
                "annotations": tool.get("annotations"),
                "effect": effect_of(planned, name),
                "errors": [
                    {"text": text, "when": "", "n": count}
                    for text, count in refused.get(name, Counter()).most_common(40)
                ],
            }
            for name, tool in planned.tools.items()
        ],
        "entities": {
            draft.name: {
                "id_field": ", ".join(draft.key),
                "fields": {column.name: column.kind for column in draft.columns},
                "shown_by": [f"{tool} {path}" for tool, path in draft.shown],
            }
            for draft in entities.drafts
        },
        "rules": [],
    }


def _refused(derived: Derived) -> dict[str, bool]:
    """Call → whether it was refused, of those about which that is known."""
    outcomes = {call.id: derived.verdicts[call.id].outcome for call in derived.calls}
    return {
        call_id: outcome == "refused"
        for call_id, outcome in outcomes.items()
        if outcome in ("success", "accepted", "refused")
    }
