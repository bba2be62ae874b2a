"""A whole run: trace files in, figures and disagreements out."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypedDict

from soundstage.servers.catalogue import UnknownApp, load_app
from soundstage.synthesis.fidelity.canonical import canonical
from soundstage.synthesis.fidelity.compare import Comparison, compare
from soundstage.synthesis.fidelity.masks import not_masks
from soundstage.synthesis.fidelity.replay import NotReplayed, Replayer, replayer
from soundstage.synthesis.fidelity.scores import Figures, Verdict, figures
from soundstage.synthesis.fidelity.similarity import Similarity, similarities
from soundstage.synthesis.fidelity.traces import Line, Problem, Trace, read_traces

_WORST_FIRST = ("false positive", "false negative", "true positive", "true negative")


@dataclass(frozen=True, slots=True)
class JudgedLine:
    """A replayed line with its verdict."""

    line: Line
    verdict: Verdict

    @property
    def comparison(self) -> Comparison:
        """The verdict's comparison."""
        return self.verdict.comparison


class Disagreement(TypedDict):
    """A trace whose reply was not the recorded one. `recorded` and `ours` have their volatile parts hidden."""

    file: str
    line: int
    id: str
    app: str
    tool: str
    outcome: str
    findings: list[str]
    similarity: dict[str, float] | None
    recorded: Any
    ours: Any


@dataclass(frozen=True, slots=True)
class MeasuredApp:
    """An app's measured `version` (see `soundstage apps`) and its real servers: `provenance.where` → number of traces."""

    version: str
    recorded: dict[str, int]


@dataclass(frozen=True, slots=True)
class Report:
    """The report of a run.

    `problems` are lines that were skipped or only partly used, in the order of files and lines. `versions` are those of the
    servers that replied, if they were not simulated apps.
    """

    judged: Sequence[JudgedLine]
    problems: Sequence[Problem]
    versions: Mapping[str, str] | None = None

    def apps(self) -> list[str]:
        """Return the names of the measured apps."""
        return sorted({j.line.trace.app for j in self.judged})

    def measured(self) -> dict[str, MeasuredApp]:
        """Each app's version, and where its recordings are from, the most frequent first."""
        return {
            app: MeasuredApp(
                version=(self.versions or {}).get(app) or load_app(app).version,
                recorded=dict(self._sources(app).most_common()),
            )
            for app in self.apps()
        }

    def figures(self, app: str | None = None) -> Figures:
        """The figures of an app, or of all."""
        return figures([j.verdict for j in self.judged if app in (None, j.line.trace.app)])

    def disagreements(self) -> list[JudgedLine]:
        """Return the differing calls: false positives, false negatives, then replies that differ only in content."""
        differing = [j for j in self.judged if not j.comparison.agrees]
        return sorted(differing, key=lambda j: _WORST_FIRST.index(j.comparison.outcome))

    def _sources(self, app: str) -> Counter[str]:
        traces = (j.line.trace for j in self.judged if j.line.trace.app == app)
        return Counter(t.provenance.where for t in traces if t.provenance is not None)

    def as_json(self) -> dict[str, Any]:
        """Return the report as JSON data."""
        return {
            "measured": self.measured(),
            "apps": {app: self.figures(app) for app in self.apps()},
            "overall": self.figures(),
            "disagreements": [_disagreement(j) for j in self.disagreements()],
            "problems": [
                {"file": p.file, "line": p.number, "problem": p.text, "left_out": p.left_out} for p in self.problems
            ],
        }


def read(files: Sequence[Path], apps: Collection[str] = ()) -> tuple[list[Line], list[Problem]]:
    """Read the traces of these files, optionally only of some apps, and the problems of other lines."""
    lines: list[Line] = []
    problems: list[Problem] = []
    for path in files:
        readable, wrong = read_traces(path)
        lines += (line for line in readable if not apps or line.trace.app in apps)
        problems += wrong
    return lines, problems


def parse_traces(path: Path, traces: Iterable[Mapping[str, Any]]) -> list[Line]:
    """Convert traces in memory to lines of the file that they would be in."""
    return [Line(str(path), number, Trace.model_validate(trace)) for number, trace in enumerate(traces, start=1)]


async def run(files: Sequence[Path], apps: Collection[str] = (), built: Path | None = None) -> Report:
    """Replay the traces of these files, optionally only of some apps; built worlds are cached in `built` if it is given."""
    lines, problems = read(files, apps)
    compared: list[tuple[Line, Comparison]] = []
    seen: dict[tuple[str, str], Line] = {}
    async with replayer(built) as replays:
        for line in lines:
            try:
                comparison = await _replayed(replays, line, seen)
            except NotReplayed as error:
                problems.append(Problem(line.file, line.number, str(error)))
            else:
                compared.append((line, comparison))
                problems += _remarks(line, comparison)
    return reported(files, compared, problems)


def reported(
    files: Sequence[Path],
    compared: Sequence[tuple[Line, Comparison]],
    problems: Sequence[Problem],
    versions: Mapping[str, str] | None = None,
) -> Report:
    """Build the report of some comparisons."""
    order = [str(path) for path in files]
    sorted_problems = sorted(problems, key=lambda p: (order.index(p.file), p.number or 0))
    return Report(_judged(compared), sorted_problems, versions)


async def _replayed(replays: Replayer, line: Line, seen: dict[tuple[str, str], Line]) -> Comparison:
    """A line's comparison.

    Raises:
        NotReplayed: when it cannot be made, or was made already.
    """
    trace = line.trace
    first = seen.setdefault((trace.app, trace.id), line)
    if first is not line:
        raise NotReplayed(f"{trace.id} was replayed already; it is also line {first.number} of {first.file}")
    try:
        load_app(trace.app)
    except UnknownApp as error:
        raise NotReplayed(str(error)) from None
    return compare(trace.app, trace.expect, await replays.replay(trace))


def _remarks(line: Line, comparison: Comparison) -> list[Problem]:
    texts = [f"expect.volatile: {text}; nothing is masked by it" for text in not_masks(line.trace.expect.volatile)]
    texts += comparison.remarks
    return [Problem(line.file, line.number, text, left_out=False) for text in texts]


def _judged(compared: Sequence[tuple[Line, Comparison]]) -> list[JudgedLine]:
    """With likeness, which is counted app by app: how rare a word is depends on the replies that are looked at."""
    alike: dict[int, Similarity] = {}
    for app in {line.trace.app for line, _ in compared}:
        chosen = [i for i, (line, c) in enumerate(compared) if line.trace.app == app and c.measurable]
        pairs = [(canonical(compared[i][1].recorded), canonical(compared[i][1].ours)) for i in chosen]
        alike.update(zip(chosen, similarities(pairs), strict=True))
    return [JudgedLine(line, Verdict(comparison, alike.get(i))) for i, (line, comparison) in enumerate(compared)]


def _disagreement(judged: JudgedLine) -> Disagreement:
    trace, comparison, similarity = judged.line.trace, judged.comparison, judged.verdict.similarity
    return Disagreement(
        file=judged.line.file,
        line=judged.line.number,
        id=trace.id,
        app=trace.app,
        tool=trace.tool,
        outcome=comparison.outcome,
        findings=list(comparison.findings),
        similarity=None if similarity is None else similarity._asdict(),
        recorded=comparison.recorded,
        ours=comparison.ours,
    )
