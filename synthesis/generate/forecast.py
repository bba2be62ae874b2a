"""Predict the result of a run from a recording, before any request."""

from __future__ import annotations

from collections import Counter
from typing import Any

from soundstage.models.asking import estimated_tokens
from soundstage.synthesis.generate.accept import Thresholds
from soundstage.synthesis.generate.cases import cases_of, entities_of
from soundstage.synthesis.generate.package import (
    chosen_family,
    effect_of,
    envelope_of,
    facts_of,
    tables_json,
    tables_path,
)
from soundstage.synthesis.generate.prompt import kernel_prompt
from soundstage.synthesis.traverse.derive import Derived
from soundstage.synthesis.traverse.plan import Planned


def forecast(planned: Planned) -> dict[str, Any]:
    """Facts, entities, calls of each tool by share, and about how much a generator would read."""
    derived = Derived(planned)
    entities = entities_of(planned, derived)
    family = chosen_family(planned, derived)
    facts = facts_of(planned, derived, entities, family, envelope_of(planned, derived, family))
    cases = cases_of(planned, derived, entities)
    app = planned.plan.app
    package = {tables_path(app): tables_json(app, entities)}
    least = Thresholds().least
    tools: list[dict[str, Any]] = []
    for name in planned.tools:
        own = [case for case in cases if case.tool == name]
        shares = Counter(case.share for case in own)
        train = [case for case in own if case.share == "train"]
        size = len(kernel_prompt(app, name, 1, facts, package, train, None).text.encode())
        note = "" if shares["held-out"] >= least else f"thin: fewer than {least} held-out calls"
        tools.append({
            "tool": name, "effect": effect_of(planned, name), "brief": size, "note": note,
            **{share: shares[share] for share in ("train", "dev", "held-out")},
        })  # fmt: skip
    return {
        "app": app, "envelope": facts["envelope"], "entities": facts["entities"], "tools": tools,
        "tokens": estimated_tokens(sum(tool["brief"] for tool in tools)), "thresholds": Thresholds().as_json(),
    }  # fmt: skip
