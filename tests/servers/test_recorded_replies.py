"""Recorded calls of the real servers, replayed over MCP: flags equal, every stated part of the reply there, the rest alike."""

from __future__ import annotations

import asyncio

import pytest

from soundstage.servers.catalogue import app_names
from soundstage.synthesis.fidelity.report import run
from tests.conftest import shared_file

# A reply may differ elsewhere than in its stated parts; how far is what accuracy and likeness measure.
_DIFFERS = ("the reply differs", "the structured content differs")


@pytest.mark.parametrize("app", app_names())
def test_recorded_calls_are_answered_as_the_real_server_did(app: str) -> None:
    report = asyncio.run(run([shared_file("traces", f"{app}.jsonl")]))
    assert not [p for p in report.problems if p.left_out]
    found = report.figures(app)
    differing = {d.line.trace.id: [d.comparison.outcome, *d.comparison.findings] for d in report.disagreements()}
    assert not {i: misses for i, (_, *findings) in differing.items() if (misses := set(findings) - set(_DIFFERS))}
    assert found["false_positives"] == 0, differing
    assert (found["accuracy"] or 0) >= 0.97, differing
    assert (found["rouge_l"] or 0) >= 0.90, differing
