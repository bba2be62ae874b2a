"""The apps against recorded calls of the real servers."""

from __future__ import annotations

import asyncio

import pytest

from soundstage.servers.catalogue import app_names
from soundstage.synthesis.fidelity.report import run
from tests.conftest import shared_file


@pytest.mark.parametrize("app", ["lark", "notion", "slack", "xiaohongshu"])
def test_an_app_answers_as_the_real_server_did(app: str) -> None:
    file = shared_file("traces", f"{app}.jsonl")
    if app not in app_names():
        pytest.skip(f"there is no app {app} yet")
    report = asyncio.run(run([file]))
    assert not [p for p in report.problems if p.left_out]
    found = report.figures(app)
    differing = "\n".join(
        f"{d.line.trace.id} {d.comparison.outcome}: {'; '.join(d.comparison.findings)}" for d in report.disagreements()
    )
    assert found["false_positives"] == 0, differing
    assert (found["accuracy"] or 0) >= 0.97, differing
    assert (found["rouge_l"] or 0) >= 0.90, differing
