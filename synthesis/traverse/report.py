"""Present a recording as a table, a web page, and JSON."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from functools import cache
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from soundstage.models.cassette import Cassette
from soundstage.synthesis.traverse.derive import Derived
from soundstage.synthesis.traverse.plan import Planned
from soundstage.synthesis.traverse.recording import MODEL
from soundstage.synthesis.traverse.replies import text_of

REPORT = "report.html"
_SHOWN = 12
_ROW = 26


def as_json(planned: Planned, derived: Derived) -> dict[str, Any]:
    """Return all figures of a recording.

    `refused_by_plan` has the reason for each tool that was not called, `model` the model's proposals and their cost.
    """
    coverage = derived.coverage
    allowed = planned.allowed
    covered = sum(coverage[name].covered for name in allowed)
    applicable = sum(coverage[name].applicable for name in allowed)
    return {
        "app": planned.plan.app,
        "server": planned.server["serverInfo"],
        "tools": len(coverage),
        "called": len(allowed),
        "succeed": sum(coverage[name].succeeds for name in allowed),
        "calls": len(derived.calls),
        "episodes": len({call.episode for call in derived.calls}),
        "repeated": len(derived._again),
        "flaky": len(derived.flaky),
        "unclear": sum(v.outcome == "unclear" for v in derived.verdicts.values()),
        "goals": {"covered": covered, "applicable": applicable, "share": round(covered / applicable, 4) if applicable else None},
        "edges": derived.graph(),
        "volatile": derived.volatile,
        "model": {
            "calls": sum(call.intent.by == "model" for call in derived.calls),
            **asdict(Cassette(planned.recording.folder / MODEL).total),
        },
        "refused_by_plan": {n: why for n, tool in planned.tools.items() if (why := planned.plan.refusal(tool)) is not None},
        "per_tool": {
            name: {"calls": c.calls, "outcomes": c.outcomes, "covered": c.covered, "applicable": c.applicable, "kinds": c.kinds,
                   "unseen": round(c.unseen, 4), "missing": c.missing}
            for name, c in coverage.items()
        },
    }  # fmt: skip


def page(planned: Planned, derived: Derived) -> str:
    """Render the report as a page: figures, the data flow, each tool with its error messages, one example of each outcome."""
    made: str = _template().render(**whole(planned, derived))
    return made


def whole(planned: Planned, derived: Derived) -> dict[str, Any]:
    """Return the data of a recording's page.

    They are the figures of `as_json`, the laid-out graph (`picture`), and by tool one example of each outcome, its error
    messages, and the number of further ones.
    """
    examples: dict[str, list[dict[str, Any]]] = {name: [] for name in planned.tools}
    seen: set[tuple[str, str]] = set()
    for call in derived.calls:
        outcome = derived.verdicts[call.id].outcome
        if call.tool in examples and (call.tool, outcome) not in seen:
            seen.add((call.tool, outcome))
            examples[call.tool].append(
                {"id": call.id, "outcome": outcome, "arguments": call.arguments, "reply": text_of(call.reply)[:800]}
            )
    data = as_json(planned, derived)
    refusals = {name: coverage.refusals[:_SHOWN] for name, coverage in derived.coverage.items()}
    more = {name: max(0, len(coverage.refusals) - _SHOWN) for name, coverage in derived.coverage.items()}
    picture = _picture(data["edges"])
    return {"figures": data, "examples": examples, "refusals": refusals, "more": more, "picture": picture}


def _picture(edges: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Lay out the graph: producers on the left, consumers on the right, one line for each pair."""
    proofs: dict[tuple[str, str], bool] = {}
    for edge in edges:
        pair = (str(edge["producer"]), str(edge["consumer"]))
        proofs[pair] = proofs.get(pair, False) or bool(edge["proof"])
    left, right = (sorted({pair[side] for pair in proofs}) for side in (0, 1))
    y = {(side, name): _ROW * (i + 1) for side, names in enumerate((left, right)) for i, name in enumerate(names)}
    lines = []
    for (producer, consumer), proof in sorted(proofs.items(), key=lambda one: one[1]):
        begin, end = y[0, producer] - 4, y[1, consumer] - 4
        lines.append({"d": f"M 226 {begin} C 310 {begin} 310 {end} 394 {end}", "proof": proof})
    texts = [
        {"x": 400 if side else 220, "y": at, "anchor": "start" if side else "end", "name": name}
        for (side, name), at in y.items()
    ]
    return {"width": 620, "height": _ROW * (max(len(left), len(right)) + 1), "lines": lines, "texts": texts}


@cache
def _template() -> Any:
    loader = FileSystemLoader(Path(__file__).parent)
    return Environment(loader=loader, autoescape=True, undefined=StrictUndefined, trim_blocks=True).get_template(
        "report.html.jinja"
    )
