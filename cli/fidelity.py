"""`soundstage fidelity`: recorded calls of real servers, made again against the simulated apps."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from soundstage.cli import options
from soundstage.cli.output import FAILED, fail, print_json, print_table, print_text

if TYPE_CHECKING:
    from soundstage.synthesis.fidelity.report import Judged, Report

_EXTRA = frozenset({"jinja2", "nltk", "rouge_score", "sacrebleu", "sklearn"})


def fidelity(
    files: Annotated[list[Path], typer.Argument(help="Traces, one JSON object a line.", metavar="FILE.jsonl…")],
    app: Annotated[list[str] | None, typer.Option(help="Replay this app's traces alone; repeatable.")] = None,
    html: Annotated[Path | None, typer.Option(help="Write a page that shows each disagreement side by side.")] = None,
    against: Annotated[
        str | None,
        typer.Option(
            help="Compare with an earlier report, a file that --json wrote. With live:APP the calls are made to the real server "
            "of the pool in whose folder the traces are, rather than to a simulated app.",
            metavar="REPORT.json|live:APP",
        ),
    ] = None,
    json: options.Json = False,
) -> None:
    """Measure how real the apps are: replay recorded calls and compare the replies. Exits with 1 when no line could be run."""
    from soundstage.servers.catalogue import UnknownApp, load_apps

    live = against is not None and against.startswith("live:")
    try:
        load_apps(() if live else tuple(app or ()))
    except UnknownApp as error:
        fail(str(error))
    try:
        from soundstage.synthesis.fidelity import against as comparing
        from soundstage.synthesis.fidelity.html import render
        from soundstage.synthesis.fidelity.report import run
    except ModuleNotFoundError as error:
        missing = (error.name or "").partition(".")[0]
        if missing not in _EXTRA:
            raise
        fail(
            f"{missing} is missing; install Soundstage with its extra `fidelity`: pip install 'soundstage[fidelity]' "
            "(in a checkout: .venv/bin/pip install -e '.[fidelity]')"
        )
    import asyncio

    from soundstage.gateway import log
    from soundstage.gateway.settings import built_worlds_cache

    log.configure(level="error")
    try:
        earlier = None if against is None or live else comparing.read_earlier(Path(against))
    except comparing.NoReport as error:
        fail(str(error))
    report = (
        _live(files, str(against).removeprefix("live:"))
        if live
        else asyncio.run(run(files, app or (), built_worlds_cache()))
    )
    found = None if earlier is None else comparing.against(earlier, report)
    lines = [] if found is None else comparing.words(found, str(against))
    if json:
        print_json(report.as_json() | ({} if found is None else {"against": found}))
    else:
        _show(report)
        if lines:
            print_text(f"\nAgainst {against}:")
        for line in lines:
            print_text(f"  {line}")
    if html is not None:
        _write(html, render(report, lines))
    if not report.judged:
        raise typer.Exit(FAILED)


def _live(files: list[Path], app: str) -> Report:
    """The traces made again to the real server of their pool."""
    import asyncio
    import os

    from soundstage.gateway.upstream.config import UpstreamConfigError
    from soundstage.source import SourceError
    from soundstage.synthesis.fidelity.live import run_live
    from soundstage.synthesis.target.live import Unreachable
    from soundstage.synthesis.traverse.derive import Derived
    from soundstage.synthesis.traverse.plan import live, read_plan
    from soundstage.synthesis.traverse.pool import Pool, PoolError
    from soundstage.synthesis.traverse.scrub import Scrubber

    try:
        planned = read_plan(Pool(files[0].parent))
        if planned.plan.app != app:
            fail(f"the pool in {files[0].parent} is of {planned.plan.app}, not of {app}")
        target = live(planned.plan, os.environ)
        scrubber = Scrubber(target.declaration.secrets, planned.plan.server)
        return asyncio.run(run_live(files, planned, target, scrubber, Derived(planned).envelope))
    except (PoolError, SourceError, Unreachable, UpstreamConfigError) as error:
        fail(str(error))


def _show(report: Report) -> None:
    apps = report.apps()
    tables = [(name, report.figures(name)) for name in apps]
    if len(apps) > 1:
        tables.append(("overall", report.figures()))
    if apps:
        print_table(
            ["app", "traces", "TP", "TN", "FP", "FN", "accuracy", "precision", "recall", "F1", "exact"],
            [
                [
                    name,
                    *(str(n) for n in (f["traces"], f["true_positives"], f["true_negatives"])),
                    *(str(n) for n in (f["false_positives"], f["false_negatives"])),
                    *(_number(x) for x in (f["accuracy"], f["precision"], f["recall"], f["f1"])),
                    str(f["exact"]),
                ]
                for name, f in tables
            ],
        )
        print_text("")
        print_table(
            ["app", "compared", "TF-IDF", "ROUGE-L", "BLEU", "METEOR", "key paths"],
            [
                [
                    name,
                    str(f["compared"]),
                    *(_number(x) for x in (f["tfidf"], f["rouge_l"], f["bleu"], f["meteor"], f["key_paths"])),
                ]
                for name, f in tables
            ],
        )
        print_text("")
        for name, measured in report.measured().items():
            recorded = "; ".join(f"{count} × {where}" for where, count in measured.recorded.items())
            print_text(f"{name}: version {measured.version}, recorded from: {recorded or 'not said'}")
    for judged in report.disagreements():
        print_text(f"\n{_disagreement(judged)}")
    if report.problems:
        print_text("\nProblems with the files:")
    told: dict[tuple[str, str], list[int]] = {}
    for problem in report.problems:
        told.setdefault((problem.file, problem.text), []).extend(() if problem.number is None else (problem.number,))
    for (file, text), numbers in told.items():
        print_text(f"  {file}{_places(numbers)}: {text}")


def _disagreement(judged: Judged) -> str:
    line, comparison = judged.line, judged.comparison
    head = f"{comparison.outcome}: {line.trace.id} {line.trace.app} {line.trace.tool} ({line.file}, line {line.number})"
    return "\n".join((head, *(f"  {finding}" for finding in comparison.findings)))


def _places(numbers: list[int]) -> str:
    """Line numbers as people read them: `, lines 1, 4 to 9`."""
    if not numbers:
        return ""
    runs: list[list[int]] = []
    for number in numbers:
        if runs and number == runs[-1][-1] + 1:
            runs[-1].append(number)
        else:
            runs.append([number])
    told = ", ".join(str(r[0]) if len(r) == 1 else f"{r[0]} to {r[-1]}" for r in runs)
    return f", line{'s' if len(numbers) > 1 else ''} {told}"


def _number(value: float | None) -> str:
    return "–" if value is None else f"{value:.3f}"


def _write(path: Path, page: str) -> None:
    try:
        path.write_text(page, encoding="utf-8")
    except OSError as error:
        fail(f"{path} cannot be written ({error.strerror or error})")
