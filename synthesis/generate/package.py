"""An app's files that are made by rule: tables, `tools.json`, dialect. Kernels and what they share are candidates' work."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping
from typing import Any

from soundstage.servers.tool import Tool
from soundstage.synthesis.generate.entities import OWN_KEY, Entities
from soundstage.synthesis.generate.families import Chosen, Envelope, choose, envelope
from soundstage.synthesis.traverse.derive import Derived
from soundstage.synthesis.traverse.plan import Planned
from soundstage.synthesis.traverse.replies import said
from soundstage.synthesis.traverse.values import makes

HEAD = "# Synthesised: see synthesis.json. Edit freely; an edited file is never overwritten.\n"
_EFFECTS = (
    ("create", "create add new insert make"),
    ("delete", "delete remove drop clear"),
    ("update", "update set edit change move"),
)


def tool_of(app: str, declared: Mapping[str, Any], effect: str) -> Tool:
    """A real server's tool, as an app has it."""
    schema = declared.get("inputSchema") or {"type": "object"}
    return Tool(app, declared["name"], str(declared.get("description", "")), schema, effect)  # type: ignore[arg-type]


def tools_of(planned: Planned) -> dict[str, Tool]:
    """Every tool of a pool's server."""
    return {name: tool_of(planned.plan.app, tool, effect_of(planned, name)) for name, tool in planned.tools.items()}


def effect_of(planned: Planned, tool: str) -> str:
    """read, create, update, delete or other: by its class in the plan, and of what writes by its name."""
    class_ = planned.plan.tools[tool].class_
    if class_ == "read":
        return "read"
    first = tool.replace("-", "_").split("_")
    named = next((effect for effect, words in _EFFECTS if set(words.split()) & set(first)), None)
    return named or ("delete" if class_ == "destructive" and not makes(tool) else "other")


def chosen_family(planned: Planned, derived: Derived) -> Chosen:
    """How the server checks arguments."""
    return choose(tools_of(planned), derived.calls, _refused(derived))


def envelope_of(planned: Planned, derived: Derived, family: Chosen) -> Envelope:
    """What stands around the server's replies."""
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


def tables_source(app: str, entities: Entities) -> bytes:
    """`contexts/apps/<app>.py`."""
    kinds = {column.kind for draft in entities.drafts for column in draft.columns}
    imported = sorted({"AppTables", *(kind for kind in kinds if kind in ("Flag", "Json"))})
    if any(draft.id_format for draft in entities.drafts):
        imported.append("id_format")
    plain = sorted({"Column", "Text", *(kind for kind in kinds if kind == "Integer")} if entities.drafts else {})
    lines = [HEAD, f'"""The entities that {app} shows."""\n', "\nfrom __future__ import annotations\n\n"]
    if plain:
        lines.append(f"from sqlalchemy import {', '.join(plain)}\n\n")
    lines.append(
        f"from soundstage.contexts.engine.schema import {', '.join(imported)}\n\nTABLES = AppTables({json.dumps(app)})\n"
    )
    for draft in entities.drafts:
        lines.append(f"\nTABLES.entity(\n    {json.dumps(draft.name)},\n")
        if draft.key == (OWN_KEY,):
            lines.append(
                f'    Column("{OWN_KEY}", Text, primary_key=True, info=id_format({json.dumps(draft.id_format)})),\n'
            )
        for column in sorted(draft.columns, key=lambda c: c.name not in draft.key):
            key = ", primary_key=True" if column.name in draft.key else ""
            key += f", info=id_format({json.dumps(draft.id_format)})" if key and draft.id_format is not None else ""
            lines.append(f"    Column({json.dumps(column.name)}, {column.kind}{key}),\n")
        lines.append(")\n")
    return "".join(lines).encode()


def tools_json(planned: Planned, answered_by: Mapping[str, str], *, private: bool) -> bytes:
    """`servers/<app>/tools.json`. The server's own descriptions go into a `private` package alone; others get plain ones."""
    info = planned.server["serverInfo"]
    tools = []
    for name, tool in planned.tools.items():
        told = str(tool.get("description", "")) if private else _described(name)
        shown: dict[str, Any] = {"name": name, "description": told}
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


def dialect_source(app: str, chosen: Chosen, shown: Envelope) -> bytes:
    """`servers/<app>/dialect.py`: the family's words, the envelope that the pool shows."""
    family = chosen.family
    unknown = _unknown(chosen, shown)
    writers = sorted({name for name in ("compact_json", "indented_json") if name in shown.json_text})
    replies = sorted(
        {
            "Answer",
            "Result",
            "failed",
            "text_block",
            *writers,
            *(["ProtocolFailure"] if shown.error_code is not None or unknown.startswith("ProtocolFailure") else []),
        }
    )
    standard = "import json\n" if "json.dumps" in shown.json_text else ""
    if shown.error_code is None:
        refusal = f"failed(error.message, error.kind, is_error={shown.is_error})"
    else:
        refusal = f"ProtocolFailure({shown.error_code}, error.message, error.kind)"
    return f'''{HEAD}"""How {app} words things: arguments are checked as {family.name} does."""

from __future__ import annotations

{standard}from typing import Any

from soundstage.contexts.engine.app_context import AppContext
from soundstage.kernels.errors import AppError
from soundstage.kernels.types import Arguments, Reply
from soundstage.servers.reply import {", ".join(replies)}
from soundstage.servers.tool import Tool
from soundstage.servers.wording import {", ".join(sorted(family.imports, key=lambda n: (n.islower(), n)))}


def check(tool: Tool, arguments: Arguments | None) -> Arguments:
    return {family.check_text}


def success(tool: Tool, reply: Reply) -> Answer:
    """A kernel's reply: what the text says, or that and the structured content."""
    said, structured = reply if isinstance(reply, tuple) else (reply, None)
    return Result([text_block(said if isinstance(said, str) else _text(said))], ok=True, structured=structured)


def failure(tool: Tool, error: AppError, context: AppContext) -> Answer:
    if isinstance(error, InvalidArguments):
        return {family.fails_text}
    return {refusal}


def internal_error(tool: Tool, call_id: str) -> Answer:
    return failed(f"Internal error ({{call_id}})", "internal")


def unknown_tool(name: str) -> Answer:
    return {unknown}


def _text(said: Any) -> str:
    return {shown.json_text}
'''.encode()


def _unknown(chosen: Chosen, shown: Envelope) -> str:
    """What the dialect says of names that the server does not have: the family's words, or, where no family fits, the recorded
    ones.
    """
    if chosen.of or shown.unknown is None:
        return chosen.family.unknown_text
    code, flag, words = shown.unknown
    text = f'{json.dumps(words)}.replace("{{}}", name)'
    if code is None:
        return f'failed({text}, "unknown_tool", is_error={flag})'
    return f'ProtocolFailure({code}, {text}, "unknown_tool")'


def facts_of(planned: Planned, derived: Derived, entities: Entities, chosen: Chosen, shown: Envelope) -> dict[str, Any]:
    """What a pool tells of its server by rule, in the form in which apps' facts are written down."""
    info = planned.server["serverInfo"]
    refused: dict[str, Counter[str]] = {}
    split = derived.split()
    for call in derived.calls:
        may = split[call.episode] == "train"  # facts stand in briefs, which have nothing of the other shares
        if may and derived.verdicts[call.id].outcome == "refused" and call.tool in planned.tools:
            refused.setdefault(call.tool, Counter())[said(call.reply)[:200]] += 1
    return {
        "app": planned.plan.app,
        "title": str(info.get("title") or info.get("name")),
        "category": "synthesised",
        "real_server": {"source": planned.server["target"], "version": str(info.get("version", ""))},
        "envelope": (
            f"arguments: {chosen.family.name} ({chosen.right} of {chosen.of} refusals in its words); "
            f"JSON as {shown.json_text}; structured content of {', '.join(sorted(shown.structured)) or 'no tool'}; refusals "
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
