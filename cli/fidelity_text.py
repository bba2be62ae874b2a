"""Texts, table rows and pages that the commands on fidelity share."""

from __future__ import annotations

from typing import TYPE_CHECKING

from soundstage.cli.output import fail

if TYPE_CHECKING:
    from pathlib import Path

    from soundstage.synthesis.fidelity.episodes import EpisodeFigures
    from soundstage.synthesis.fidelity.report import JudgedLine


def share_rows(figures: EpisodeFigures) -> list[list[str]]:
    """Return the table rows of an app's scores: name, share, number of cases and interval."""
    rows = (
        ("outcome as recorded", figures["outcome"]),
        ("false positives, of refusals", figures["false_positives"]),
        ("false negatives, of successes", figures["false_negatives"]),
        ("exact", figures["exact"]),
        ("key paths", figures["key_paths"]),
        ("state, as shown by later reads", figures["probes"]),
        ("episodes that agree to their end", figures["to_the_end"]),
    )
    return [
        [name, score_text(s["share"]), str(s["n"]), f"{score_text(s['low'])} to {score_text(s['high'])}"]
        for name, s in rows
    ]


def disagreement_text(judged: JudgedLine) -> str:
    """Describe a disagreement: its trace, file and line, then each difference on a separate line."""
    line, comparison = judged.line, judged.comparison
    head = f"{comparison.outcome}: {line.trace.id} {line.trace.app} {line.trace.tool} ({line.file}, line {line.number})"
    return "\n".join((head, *(f"  {finding}" for finding in comparison.findings)))


def score_text(value: float | None) -> str:
    """Format a score with three digits; a missing one is a dash."""
    return "–" if value is None else f"{value:.3f}"


def write_page(path: Path, page: str) -> None:
    """Write an HTML page. Exits with an error message if the file cannot be written."""
    try:
        path.write_text(page, encoding="utf-8")
    except OSError as error:
        fail(f"{path} cannot be written ({error.strerror or error})")
