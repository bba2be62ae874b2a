"""Compare two reports: improvements, regressions, and whether the same app was measured at all."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypedDict

from pydantic import BaseModel, ConfigDict, ValidationError

from soundstage.bounded_input import JSON_LIMITS, Refused, file_bytes, read_json
from soundstage.synthesis.fidelity.report import MeasuredApp, Report

_COUNTED = ("traces", "accuracy", "f1", "exact", "tfidf", "key_paths")


class InvalidReport(ValueError):
    """A file is not a report that `--json` wrote; the message has the reason."""


class _Disagreement(BaseModel):
    model_config = ConfigDict(extra="ignore")
    id: str
    app: str
    outcome: str


class EarlierReport(BaseModel):
    """The parts of an earlier report that are compared."""

    model_config = ConfigDict(extra="ignore")
    measured: dict[str, MeasuredApp]
    apps: dict[str, dict[str, float | None]]
    disagreements: list[_Disagreement]


class MovedTrace(TypedDict):
    """A trace that agrees with its recording in one of the reports alone."""

    app: str
    id: str


class ReportComparison(TypedDict):
    """A comparison, with values as (then, now).

    `versions` and `recorded` list those that differ; `figures` the changed scores by app. `worse` and `better` list traces;
    traces that only one report contains cannot be classified.
    """

    versions: dict[str, tuple[str, str]]
    recorded: dict[str, tuple[dict[str, int], dict[str, int]]]
    figures: dict[str, dict[str, tuple[float | None, float | None]]]
    worse: list[MovedTrace]
    better: list[MovedTrace]
    only_then: list[str]
    only_now: list[str]


@dataclass(frozen=True, slots=True)
class _Side:
    measured: Mapping[str, MeasuredApp]
    figures: Mapping[str, Mapping[str, Any]]
    disagreeing: frozenset[tuple[str, str]]


def read_earlier_report(path: Path) -> EarlierReport:
    """An earlier report.

    Raises:
        InvalidReport
    """
    try:
        return EarlierReport.model_validate(read_json(file_bytes(path, JSON_LIMITS)))
    except OSError as error:
        raise InvalidReport(f"{path} cannot be read ({error.strerror or error})") from None
    except Refused as refused:
        raise InvalidReport(f"{path} {refused}") from None
    except ValidationError as error:
        where = ".".join(str(part) for part in error.errors()[0]["loc"])
        raise InvalidReport(
            f"{path} is not a report of `soundstage fidelity --json`: {where or 'it'} is missing or wrong"
        ) from None


def compare_reports(earlier: EarlierReport, report: Report) -> ReportComparison:
    """Return the changes between two reports in the apps that both measured."""
    then = _Side(earlier.measured, earlier.apps, frozenset((d.app, d.id) for d in earlier.disagreements))
    now = _Side(
        report.measured(),
        {app: dict(report.figures(app)) for app in report.apps()},
        frozenset((j.line.trace.app, j.line.trace.id) for j in report.disagreements()),
    )
    both = [app for app in now.measured if app in then.measured]
    return ReportComparison(
        versions={
            app: (then.measured[app].version, now.measured[app].version)
            for app in both
            if then.measured[app].version != now.measured[app].version
        },
        recorded={
            app: (then.measured[app].recorded, now.measured[app].recorded)
            for app in both
            if then.measured[app].recorded != now.measured[app].recorded
        },
        figures={
            app: moved
            for app in both
            if (
                moved := {
                    name: (then.figures[app].get(name), now.figures[app][name])
                    for name in _COUNTED
                    if then.figures[app].get(name) != now.figures[app][name]
                }
            )
        },
        worse=[MovedTrace(app=app, id=id) for app, id in sorted(now.disagreeing - then.disagreeing) if app in both],
        better=[MovedTrace(app=app, id=id) for app, id in sorted(then.disagreeing - now.disagreeing) if app in both],
        only_then=[app for app in then.measured if app not in now.measured],
        only_now=[app for app in now.measured if app not in then.measured],
    )


def summary_lines(comparison: ReportComparison, name: str) -> list[str]:
    """A comparison with the report of that name, line by line."""
    lines = [
        f"{app}: measured across versions ({then} then, {now} now); differences may come from the app"
        for app, (then, now) in comparison["versions"].items()
    ]
    lines += [
        f"{app}: the recordings are not the same ({_sources(then)} then, {_sources(now)} now)"
        for app, (then, now) in comparison["recorded"].items()
    ]
    for app, moved in comparison["figures"].items():
        lines.append(f"{app}: {', '.join(f'{n} {_number(a)} → {_number(b)}' for n, (a, b) in moved.items())}")
    lines += [f"worse: {m['app']} {m['id']}" for m in comparison["worse"]]
    lines += [f"better: {m['app']} {m['id']}" for m in comparison["better"]]
    lines += [f"{app}: only in {name}" for app in comparison["only_then"]]
    lines += [f"{app}: not in {name}" for app in comparison["only_now"]]
    return lines or ["the same apps in the same versions, and the same figures"]


def _sources(recorded: Mapping[str, int]) -> str:
    return "; ".join(f"{count} × {where}" for where, count in recorded.items()) or "nothing said"


def _number(value: float | None) -> str:
    return "–" if value is None else f"{value:g}" if value == int(value) else f"{value:.3f}"
