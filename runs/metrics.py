"""The metrics of runs for /metrics."""

from __future__ import annotations

from prometheus_client import Counter

from soundstage.gateway.metrics import REGISTRY

TRIALS = Counter("soundstage_trials_total", "Trials graded, by how they ended.", ("ended",), registry=REGISTRY)
LOST = Counter(
    "soundstage_trials_lost_total",
    "Attempts lost for reasons outside the agent: runner, gateway or disk.",
    registry=REGISTRY,
)
SECONDS = Counter("soundstage_trials_closing_seconds_total", "Time taken to seal and grade trials.", registry=REGISTRY)
