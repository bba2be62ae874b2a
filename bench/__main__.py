"""Measure the speed table and print it: `python -m bench [--row NAME …] [--rounds N] [--json FILE]`.

A slow result is reported but is not a failure; the reader judges it. Exits with 1 only if a row could not be measured.
"""

from __future__ import annotations

import argparse
import asyncio
import sys
import tempfile
from pathlib import Path

import orjson
from rich.console import Console
from rich.table import Table

from bench.figures import Bound, Line, Plan, Row, Unit
from bench.rows import (
    branching,
    confined,
    crowd,
    dispatch,
    footprint,
    grading,
    http_call,
    idle_sessions,
    large_session,
    listing,
    many_sessions,
    new_session,
    resident,
    startup,
    trial,
    upstream,
    workers,
)

ROWS = (
    Row("dispatch", "in-process dispatch of a writing tool, receipt and journal included", dispatch.measure),
    Row("confined", "a call of a generated kernel in the confined process", confined.measure),
    Row("http", "a writing tool over HTTP, all apps; 2 tools or 600", http_call.measure),
    Row("list", "tools/list of all apps over HTTP", listing.measure),
    Row(
        "session",
        "a new session over HTTP, from worlds of several sizes; all apps against four; its first call",
        new_session.measure,
    ),
    Row("branch", "fork and restore at any step of a session of 200 calls", branching.measure),
    Row("resident", "the memory of a session of 20 calls, with 4,000 of them", resident.measure),
    Row("footprint", "memory of an open session by number of apps, after 0, 20 and 100 mixed calls", footprint.measure),
    Row("many", "a call with 1,000 sessions instead of one", many_sessions.measure),
    Row("idle", "a call with 10,000 sessions, 2,000 open and 200 in use, instead of ten", idle_sessions.measure),
    Row("crowd", "how long the calls of 300 agents with sessions of 15 apps wait", crowd.measure),
    Row(
        "large",
        "how long calls wait while a session of 100,000 steps is read in every way at once",
        large_session.measure,
    ),
    Row("workers", "calls and new sessions per second of two workers instead of one process", workers.measure),
    Row("trial", "a writing tool in an open trial, whose calls are counted, instead of another session", trial.measure),
    Row("grade", "a bundle's trials graded again", grading.measure),
    Row("upstream", "a call through the gateway to an upstream", upstream.measure),
    Row("stdio", "soundstage stdio from start to the first tools/list", startup.measure),
    Row("help", "soundstage --help", startup.measure_help),
)

_WIDTH = 140  # width without a terminal


def main() -> None:
    """Run the chosen rows."""
    arguments = _parser().parse_args()
    console = Console()
    if not console.is_terminal:
        console = Console(width=_WIDTH)
    if sys.platform != "linux":
        sys.exit("the bench reads CPU times from /proc, so it runs on Linux alone")
    chosen = [row for row in ROWS if not arguments.row or row.name in arguments.row]
    lines: list[Line] = []
    failed = False
    for row in chosen:
        with console.status(f"{row.name}: {row.what}"):
            try:
                lines += _measured(row, arguments.rounds, arguments.seconds)
            except Exception as error:
                failed = True
                console.print(f"{row.name} could not be measured: {error}", style="red", markup=False)
        if arguments.json is not None:
            arguments.json.write_bytes(
                orjson.dumps([line.as_json() for line in lines], option=orjson.OPT_INDENT_2) + b"\n"
            )
    console.print(_table(lines))
    sys.exit(failed)


def _measured(row: Row, rounds: int, seconds: float) -> list[Line]:
    with (
        tempfile.TemporaryDirectory(prefix="soundstage-bench-") as folder,
        asyncio.Runner(loop_factory=_loop) as runner,
    ):
        return runner.run(row.measure(Plan(rounds, seconds, Path(folder))))


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m bench", description="Measure the speed table against its yardsticks."
    )
    rows = "; ".join(f"{row.name}: {row.what}" for row in ROWS)
    parser.add_argument(
        "--row", action="append", choices=[row.name for row in ROWS], help=f"{rows} (repeatable; default all)"
    )
    parser.add_argument("--rounds", type=int, default=5, help="turns that each side gets (default %(default)s)")
    parser.add_argument("--seconds", type=float, default=2.0, help="length of a turn under load (default %(default)s)")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the figures to a file, too")
    return parser


def _table(lines: list[Line]) -> Table:
    table = Table(title="Speed, against yardsticks of the same run", caption="medians; the ratio is that of the rounds")
    table.add_column("what", min_width=40, overflow="fold")
    table.add_column("yardstick", min_width=20, overflow="fold")
    for heading in ("its figure", "ours", "ratio", "bound"):
        table.add_column(heading, justify="right", no_wrap=True)
    table.add_column("reached", no_wrap=True)
    for row in ROWS:
        of_row = [line for line in lines if line.row == row.name]
        if of_row:
            table.add_section()
            table.add_row(f"[bold]{row.name}[/bold]: {row.what}")
        for line in of_row:
            table.add_row(
                f"{line.what}\n[dim]{_note(line)}[/dim]",
                line.yardstick,
                _figure(line.yardstick_figure, line.unit),
                _figure(line.ours, line.unit),
                f"{line.ratio:.2f} ×",
                _bound(line.bound, line.unit),
                _verdict(line),
            )
    return table


def _note(line: Line) -> str:
    return line.note if line.parts is None else f"{line.parts.told(line.unit)}; {line.note}"


def _figure(value: float, unit: Unit) -> str:
    return f"{value:.0f} {unit}" if value >= 100 else f"{value:.3g} {unit}"


def _bound(bound: Bound, unit: Unit) -> str:
    limits = [] if bound.at_most is None else [f"≤ {bound.at_most:g} {unit}"]
    if bound.times is not None:
        limits.append(f"≤ {bound.times:.3g} ×")
    if bound.at_least is not None:
        limits.append(f"≥ {bound.at_least:.3g} ×")
    return "\n".join(limits)


def _verdict(line: Line) -> str:
    if line.bound == Bound():
        return ""
    if line.reached:
        return "[green]yes[/green]"
    return "[yellow]by ratio[/yellow]" if line.reached_by_ratio else "[red]no[/red]"


def _loop() -> asyncio.AbstractEventLoop:
    """Return an event loop of uvloop if it is installed, because the client shares the machine with the server."""
    try:
        import uvloop
    except ImportError:
        return asyncio.new_event_loop()
    return uvloop.new_event_loop()


if __name__ == "__main__":
    main()
