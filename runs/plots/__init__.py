"""Plots of results: SVG without scripts, byte-identical for equal results."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from soundstage.runs.plots.agents import by_cost, by_length, pass_all, success
from soundstage.runs.plots.checks import heat_map
from soundstage.runs.plots.faults import pairs, recovery
from soundstage.runs.plots.search import recall
from soundstage.runs.results import ResultLine

Plot = Callable[[Sequence[ResultLine]], str]

PLOTS: dict[str, Plot] = {
    "success": success,
    "pass": pass_all,
    "length": by_length,
    "cost": by_cost,
    "faults": pairs,
    "recovery": recovery,
    "recall": recall,
    "checks": heat_map,
}
"""Every plot by its name."""
