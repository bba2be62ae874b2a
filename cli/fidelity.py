"""`soundstage fidelity`: replay recorded calls of real servers against the simulated apps."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from soundstage.cli import options
from soundstage.cli.client import own_apps
from soundstage.cli.fidelity_text import disagreement_text, score_text, share_rows, write_page
from soundstage.cli.output import FAILED, fail, print_json, print_table, print_text

if TYPE_CHECKING:
    from collections.abc import Sequence

    from soundstage.synthesis.fidelity.episodes import ComparedCall
    from soundstage.synthesis.fidelity.live import PlannedTarget
    from soundstage.synthesis.fidelity.report import Report

_EXTRA = frozenset({"jinja2", "nltk", "rouge_score", "sacrebleu", "sklearn"})


def fidelity(
    files: Annotated[
        list[Path] | None, typer.Argument(help="Traces, one JSON object a line.", metavar="FILE.jsonl…")
    ] = None,
    app: Annotated[list[str] | None, typer.Option(help="Replay this app's traces alone; repeatable.")] = None,
    html: Annotated[Path | None, typer.Option(help="Write a page that shows each disagreement side by side.")] = None,
    against: Annotated[
        str | None,
        typer.Option(
            help="Compare with an earlier report, a file that --json wrote. With sim the calls of an episode are made one after "
            "another in one session, free-running. With live:APP they are made so to the real server of the pool in whose folder "
            "the traces are, rather than to a simulated app.",
            metavar="REPORT.json|sim|live:APP",
        ),
    ] = None,
    given: Annotated[
        Path | None,
        typer.Option(
            help="With --against sim: the state of a reset server, {entity: [objects]}, which each episode begins with.",
            metavar="STATE.json",
        ),
    ] = None,
    split: Annotated[
        str | None,
        typer.Option(
            help="With --against: the episodes of this share of the pool alone.", metavar="train|dev|held-out"
        ),
    ] = None,
    pairs: Annotated[
        tuple[str, str] | None,
        typer.Option(
            help="sim and live:APP: draw new calls and make them on both, the simulated app (--app, where it has another name) "
            "and the real server of the pool in whose folder FILE.jsonl is (without it: pool/traces.jsonl).",
            metavar="sim live:APP",
        ),
    ] = None,
    new: Annotated[
        int, typer.Option(help="With --pairs: how many calls, half of them born on each side.", min=2)
    ] = 300,
    seed: Annotated[int, typer.Option(help="With --pairs: another one draws other calls.")] = 0,
    keep: Annotated[
        Path | None,
        typer.Option(help="With --pairs: keep the result, for `soundstage parity`.", metavar="RESULT.json"),
    ] = None,
    data: options.Data = None,
    json: options.Json = False,
) -> None:
    """Measure how closely the apps match real servers: replay recorded calls and compare the replies.

    Exits with 1 if no line could be run.
    """
    from soundstage.servers.catalogue import UnknownApp, load_apps
    from soundstage.synthesis.fidelity.episodes import episodes_of

    live = against is not None and against.startswith("live:")
    again = live or against == "sim"
    if not again and not pairs and (given or split):
        raise typer.BadParameter("--given and --split are for episodes: --against sim or --against live:APP")
    if pairs is not None and (against or split or pairs[0] != "sim" or not pairs[1].startswith("live:")):
        raise typer.BadParameter("expected sim and live:APP, without --against and --split", param_hint="--pairs")
    if keep is not None and pairs is None:
        raise typer.BadParameter("is for --pairs", param_hint="--keep")
    if not files:
        if pairs is None:
            raise typer.BadParameter("name the files of traces", param_hint="FILE.jsonl…")
        files = [Path("pool") / "traces.jsonl"]
    own_apps(data)
    try:
        load_apps(() if live else tuple(app or ()))
    except UnknownApp as error:
        fail(str(error))
    try:
        from soundstage.synthesis.fidelity import report_comparison as comparing
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
    if pairs is not None:
        from soundstage.cli.pairs import side_by_side

        real = _planned(files[0].parent, pairs[1].removeprefix("live:"))
        side_by_side(
            real, (app or [pairs[1].removeprefix("live:")])[0], _state(given), new, seed, keep, html, json=json
        )
        return
    try:
        earlier = None if against is None or again else comparing.read_earlier_report(Path(against))
    except comparing.InvalidReport as error:
        fail(str(error))
    compared: list[ComparedCall] | None = None
    if live:
        report, compared = _live(files, str(against).removeprefix("live:"), split)
    elif again:
        report, compared = _sim(files, app or (), given, split)
    else:
        report = asyncio.run(run(files, app or (), built_worlds_cache()))
    changes = None if earlier is None else comparing.compare_reports(earlier, report)
    lines = [] if changes is None else comparing.summary_lines(changes, str(against))
    if json:
        scenarios = {} if compared is None else {"episodes": episodes_of(compared)}
        print_json(report.as_json() | scenarios | ({} if changes is None else {"against": changes}))
    else:
        if compared:
            _show_episodes(compared)
        _show(report)
        if lines:
            print_text(f"\nAgainst {against}:")
        for line in lines:
            print_text(f"  {line}")
    if html is not None:
        write_page(html, render(report, lines))
    if not report.judged:
        raise typer.Exit(FAILED)


def _sim(
    files: list[Path], apps: Sequence[str], given: Path | None, split: str | None
) -> tuple[Report, list[ComparedCall]]:
    """Replay traces on the simulated apps, each scenario in one session."""
    import asyncio

    from soundstage.synthesis.fidelity.sim import run_sim
    from soundstage.synthesis.traverse.recording import RecordingError

    try:
        return asyncio.run(run_sim(files, apps, _state(given), _episodes(files, split)))
    except RecordingError as error:
        fail(str(error))


def _state(path: Path | None) -> dict[str, list[dict[str, Any]]]:
    """Read a state from a file; without a file it is empty."""
    from soundstage.bounded_input import JSON_LIMITS, Refused, file_bytes, read_json

    if path is None:
        return {}
    try:
        state: Any = read_json(file_bytes(path, JSON_LIMITS), JSON_LIMITS)
    except OSError as error:
        fail(f"{path} cannot be read ({error.strerror or error})")
    except Refused as refused:
        fail(f"{path}: {refused}")
    if not isinstance(state, dict) or not all(isinstance(objects, list) for objects in state.values()):
        fail(f"{path}: expected {{entity: [objects]}}")
    return dict(state)


def _episodes(files: list[Path], split: str | None) -> set[str] | None:
    """Return the scenarios of a split of the files' recordings; None for all of them.

    Raises:
        RecordingError: the split is unknown.
    """
    from soundstage.synthesis.traverse.recording import Recording

    if split is None:
        return None
    return {episode for file in files for episode in Recording(file.parent).episodes_of(split)}


def _live(files: list[Path], app: str, split: str | None) -> tuple[Report, list[ComparedCall]]:
    """Replay traces on the real server of their recording."""
    import asyncio

    from soundstage.synthesis.fidelity.live import run_live
    from soundstage.synthesis.targets.target import Unreachable
    from soundstage.synthesis.traverse.recording import RecordingError

    try:
        return asyncio.run(run_live(files, _planned(files[0].parent, app), _episodes(files, split)))
    except (RecordingError, Unreachable) as error:
        fail(str(error))


def _planned(folder: Path, app: str) -> PlannedTarget:
    """Return the real server of a recording's folder, limited by its plan."""
    import os

    from soundstage.gateway.upstream.config import UpstreamConfigError
    from soundstage.source import SourceError
    from soundstage.synthesis.fidelity.live import PlannedTarget
    from soundstage.synthesis.traverse.derive import Derived
    from soundstage.synthesis.traverse.plan import live, read_plan
    from soundstage.synthesis.traverse.recording import Recording, RecordingError
    from soundstage.synthesis.traverse.scrub import Scrubber

    try:
        planned = read_plan(Recording(folder))
        if planned.plan.app != app:
            fail(f"the pool in {folder} is of {planned.plan.app}, not of {app}")
        target = live(planned.plan, os.environ)
        scrubber = Scrubber(target.declaration.secrets, planned.plan.server)
        return PlannedTarget(planned, target, scrubber, Derived(planned).failure_templates)
    except (RecordingError, SourceError, UpstreamConfigError) as error:
        fail(str(error))


def _show_episodes(compared: Sequence[ComparedCall]) -> None:
    """Print the results of scenarios, in which each call runs on the state that the preceding calls produced."""
    from soundstage.synthesis.fidelity.episodes import episodes_of

    scores = episodes_of(compared)
    for app, figures in scores["apps"].items():
        print_text(f"{app}: {figures['calls']} calls in {figures['episodes']} episodes, free-running")
        print_table(["", "share", "n", "95 %"], share_rows(figures))
        print_text("")


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
                    *(score_text(x) for x in (f["accuracy"], f["precision"], f["recall"], f["f1"])),
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
                    *(score_text(x) for x in (f["tfidf"], f["rouge_l"], f["bleu"], f["meteor"], f["key_paths"])),
                ]
                for name, f in tables
            ],
        )
        print_text("")
        for name, measured in report.measured().items():
            recorded = "; ".join(f"{count} × {where}" for where, count in measured.recorded.items())
            print_text(f"{name}: version {measured.version}, recorded from: {recorded or 'not said'}")
    for judged in report.disagreements():
        print_text(f"\n{disagreement_text(judged)}")
    if report.problems:
        print_text("\nProblems with the files:")
    lines_by_problem: dict[tuple[str, str], list[int]] = {}
    for problem in report.problems:
        lines_by_problem.setdefault((problem.file, problem.text), []).extend(
            () if problem.number is None else (problem.number,)
        )
    for (file, text), numbers in lines_by_problem.items():
        print_text(f"  {file}{_places(numbers)}: {text}")


def _places(numbers: list[int]) -> str:
    """Format line numbers for people: `, lines 1, 4 to 9`."""
    if not numbers:
        return ""
    runs: list[list[int]] = []
    for number in numbers:
        if runs and number == runs[-1][-1] + 1:
            runs[-1].append(number)
        else:
            runs.append([number])
    text = ", ".join(str(r[0]) if len(r) == 1 else f"{r[0]} to {r[-1]}" for r in runs)
    return f", line{'s' if len(numbers) > 1 else ''} {text}"
