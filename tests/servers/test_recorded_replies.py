"""Recorded calls of the real servers, replayed over MCP: equal flags, every stated part of the reply, and a similar rest."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from soundstage.servers.catalogue import app_names
from soundstage.synthesis.fidelity.report import Report, run
from tests.conftest import shared_file

# A reply may differ outside its stated parts; accuracy and similarity measure how far.
_DIFFERS = ("the reply differs", "the structured content differs")


@pytest.fixture(scope="module")
def report(worlds_folder: Path) -> Report:
    files = [shared_file("traces", f"{app}.jsonl") for app in app_names()]
    return asyncio.run(run(files, built=worlds_folder))


@pytest.mark.parametrize("app", app_names())
def test_recorded_calls_are_answered_like_by_the_real_server(app: str, report: Report) -> None:
    assert not [p for p in report.problems if p.left_out and Path(p.file).stem == app]
    figures = report.figures(app)
    its = [d for d in report.disagreements() if d.line.trace.app == app]
    differing = {d.line.trace.id: [d.comparison.outcome, *d.comparison.findings] for d in its}
    assert not {i: misses for i, (_, *findings) in differing.items() if (misses := set(findings) - set(_DIFFERS))}
    assert figures["false_positives"] == 0, differing
    assert (figures["accuracy"] or 0) >= 0.97, differing
    assert (figures["rouge_l"] or 0) >= 0.90, differing
