"""`soundstage runs bundle`, `verify`, `grade` and further commands on results: sealed files, tables, comparisons."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from soundstage.cli import options
from soundstage.cli.client import Control, data_folder
from soundstage.cli.options import Last, Run, chosen, controlled
from soundstage.cli.output import FAILED, fail, print_json, print_note, print_table, print_text

if TYPE_CHECKING:
    from soundstage.runs.bundle import Bundle
    from soundstage.runs.regrading import VerdictChange

# Modules that read bundles are imported on use, so that help starts without them.

_MOST_BYTES = 2**32 - 1
"""The size limit of a bundle, which is that of its zip format."""
Bundled = Annotated[Path, typer.Argument(help="A bundle, as `soundstage runs bundle` writes it.", metavar="FILE")]
FreshTasks = Annotated[
    bool, typer.Option("--fresh-tasks", help="Grade by the tasks of today, not those in the bundle.")
]
TasksDir = Annotated[
    Path | None,
    typer.Option(help="A folder of your own tasks to grade by, <world>/<task>/task.yaml.", metavar="FOLDER"),
]
Output = Annotated[Path, typer.Option("-o", "--output", help="The file to write.", metavar="FILE")]


@controlled
def bundle(
    control: Control,
    output: Output,
    run: Run = None,
    last: Last = False,
    held_out: Annotated[
        bool, typer.Option("--held-out", help="Leave the tasks out, whose solutions are secret.")
    ] = False,
    json: options.Json = False,
) -> None:
    """Write a finished run to one sealed file, which can be verified and graded again anywhere."""
    name = chosen(run, last)
    data = control.download(f"/api/runs/{name}/bundle", params={"held_out": held_out})
    output.write_bytes(data)
    if json:
        print_json({"file": str(output), "bytes": len(data)})
    else:
        print_text(f"{output}: {len(data):,} bytes; `soundstage runs verify {output}` checks that it is unchanged")


def verify(
    file: Bundled,
    key: Annotated[
        Path | None,
        typer.Option(help="The required public key: a file with the output of `soundstage runs key`.", metavar="FILE"),
    ] = None,
    json: options.Json = False,
) -> None:
    """Verify that a bundle is unchanged since it was sealed. Exits with 1 and names the trial and row if a byte was changed."""
    from soundstage.runs.signing import BadKey, read_public
    from soundstage.runs.verifying import verify as look

    try:
        expected = None if key is None else read_public(key)
    except (BadKey, OSError) as error:
        fail(str(error))
    checked = look(_bytes(file), expected)
    if json:
        print_json({"whole": checked.whole, "trials": checked.trials, "keys": checked.keys, "damages": checked.damages})
    elif checked.whole:
        whose = "by the key that was asked for" if expected else f"by {', '.join(checked.keys)}"
        print_text(f"{file} is as it was sealed: {checked.trials} trials, {whose}")
        if not expected:
            print_text(
                "this proves integrity, not origin: anyone can seal a bundle with a new key. Compare the key with the one that "
                "its owner publishes, or pass it with --key FILE"
            )
    else:
        for damage in checked.damages:
            print_text(f"{file}: {damage}")
    if not checked.whole:
        raise typer.Exit(FAILED)


def grade(
    file: Bundled,
    fresh_tasks: FreshTasks = False,
    tasks_dir: TasksDir = None,
    output: Annotated[
        Path | None,
        typer.Option("-o", "--output", help="Write a bundle with both verdicts, sealed with this data folder's key."),
    ] = None,
    data: options.Data = None,
    json: options.Json = False,
) -> None:
    """Grade a bundle again, with its own tasks and the current grader. Needs no world, gateway or network."""
    from soundstage.runs.bundle import with_verdicts
    from soundstage.runs.regrading import verdict_changes
    from soundstage.runs.signing import data_key

    opened = _bundle(file)
    verdicts = _graded(opened, fresh_tasks, tasks_dir)
    if output is not None:
        output.write_bytes(with_verdicts(opened, verdicts, data_key(data_folder(data))))
    if json:
        print_json(verdicts)
        return
    tasks = {trial: sealed.header.task for trial, sealed in opened.trials.items()}
    rows = [
        [v["trial"], tasks[v["trial"]], f"{v['verdict']['score']:.3f}", "✓" if v["verdict"]["success"] else "✗"]
        for v in verdicts
    ]
    print_table(["trial", "task", "score", ""], rows)
    differing = verdict_changes(opened, verdicts)
    print_text(f"{len(verdicts) - len(differing)} of {len(verdicts)} verdicts are as they were sealed")


def regrade_diff(
    file: Bundled, fresh_tasks: FreshTasks = False, tasks_dir: TasksDir = None, json: options.Json = False
) -> None:
    """List the verdicts of a bundle that have changed since it was sealed.

    Compares with the stored verdicts of a later grading, or with those of the current grader.
    """
    from soundstage.runs.regrading import verdict_changes

    stored = _bundle(file)
    earlier = stored.regraded[-1] if stored.regraded and not fresh_tasks and tasks_dir is None else None
    differing = verdict_changes(stored, earlier if earlier is not None else _graded(stored, fresh_tasks, tasks_dir))
    if json:
        print_json(differing)
    else:
        print_moved(differing)


def print_moved(verdict_changes: list[VerdictChange]) -> None:
    """Print the trials whose grades have changed."""
    rows = [
        [m["trial"], m["task"], f"{m['before']:.3f} → {m['after']:.3f}", ", ".join(m["checks"]), f"{m['breaches']:+d}"]
        for m in verdict_changes
    ]
    if rows:
        print_table(["trial", "task", "score", "checks that moved", "breaches"], rows)
    else:
        print_text("every verdict is as it was sealed")


@controlled
def export(
    control: Control,
    run: Run = None,
    last: Last = False,
    form: Annotated[
        Literal["csv", "jsonl", "sft"], typer.Option("--as", help="The form; sft: conversations.")
    ] = "jsonl",
    table: Annotated[
        Literal["results", "trials", "checks", "calls", "faults", "questions"],
        typer.Option(help="Which table; results: results.jsonl unchanged; questions: the questions for judges."),
    ] = "trials",
    failed: Annotated[bool, typer.Option("--failed", help="Conversations of trials that failed, too.")] = False,
    output: Annotated[Path | None, typer.Option("-o", "--output", help="A file, instead of printing it.")] = None,
) -> None:
    """Export a run as a table, or its trials as conversations for training."""
    parameters = {"as": form, "table": table, "failed": failed}
    data = control.download(f"/api/runs/{chosen(run, last)}/export", params=parameters)
    if output is None:
        typer.echo(data, nl=False)
    else:
        output.write_bytes(data)


@controlled
def report(
    control: Control,
    runs: Annotated[list[str] | None, typer.Argument(help="Ids of runs.", metavar="[RUN]…", show_default=False)] = None,
    last: Last = False,
    tag: Annotated[str | None, typer.Option(help="Only tasks with this tag.")] = None,
    kind: Annotated[str | None, typer.Option(help="Only tasks of this kind: ask, operate, clarify, decline.")] = None,
    app: Annotated[str | None, typer.Option("--app", help="Only tasks with this app.")] = None,
    language: Annotated[str | None, typer.Option(help="Only tasks in this language.")] = None,
    length: Annotated[
        str | None,
        typer.Option(help="Only tasks whose oracle makes this number of calls, such as 4-8.", metavar="FROM-TO"),
    ] = None,
    plots: Annotated[Path | None, typer.Option(help="Write the pictures into this folder.", metavar="FOLDER")] = None,
    json: options.Json = False,
) -> None:
    """Show the results of agents: success, score, pass^k, collateral damage, calls, cost, and fault handling."""
    if last == bool(runs):
        fail("name the runs, or give --last for the newest")
    filters = {"tag": tag, "kind": kind, "app": app, "language": language, **_lengths(length)}
    given = {name: value for name, value in filters.items() if value is not None}
    results = control.request("GET", "/api/runs/report", params={"run": runs or ["last"], **given})
    if plots is not None:
        _write_plots(control, runs or ["last"], plots)
    if json:
        print_json(results)
        return
    _print_agents(results["rows"])
    _print_failures(results["rows"])
    _print_coping(results["rows"])
    for cost in results["robustness"]:
        print_text(
            f"{cost['agent']}, {cost['faults']} against off, {cost['landed']} faults landed: {_test_text(cost['test'])}"
        )


def _lengths(length: str | None) -> dict[str, int]:
    if length is None:
        return {}
    shortest, _, longest = length.partition("-")
    if not (shortest.isdecimal() and longest.isdecimal()):
        fail(f"--length {length}: right is a range such as 4-8")
    return {"shortest": int(shortest), "longest": int(longest)}


def _write_plots(control: Control, runs: list[str], folder: Path) -> None:
    from soundstage.runs.plots import PLOTS

    if len(runs) != 1:
        fail("--plots is of one run")
    folder.mkdir(parents=True, exist_ok=True)
    for name in PLOTS:
        (folder / f"{name}.svg").write_bytes(control.download(f"/api/runs/{runs[0]}/plots/{name}.svg"))


def _print_agents(rows: list[dict[str, Any]]) -> None:
    shown = [
        [
            row["agent"], row["faults"], row["variant"], str(row["tasks"]), str(row["trials"]), interval_text(row["success"]),
            figure_text(row["score"]["value"]), _last(row["pass_all"]), _rate(row["collateral"]), figure_text(row["calls"], 1),
            figure_text(row["turns"], 1), figure_text(row["cost_usd"], 4),
            ", ".join(f"{n} {how}" for how, n in row["ended"].items()),
        ]
        for row in rows
    ]  # fmt: skip
    columns = [
        "agent",
        "faults",
        "variant",
        "tasks",
        "trials",
        "success (95 %)",
        "score",
        "pass^k",
        "collateral",
        "calls",
    ]
    print_table([*columns, "turns", "USD", "ended"], shown)
    if any(row["incomplete"] for row in rows):
        print_note("incomplete: more than 2 % of the trials were lost to infrastructure")


def _print_failures(rows: list[dict[str, Any]]) -> None:
    shown = [
        [row["agent"], row["faults"], row["variant"], row["tools"], str(row["failed"]),
         ", ".join(f"{n} {why}" for why, n in row["failures"].items())]
        for row in rows
        if row["failed"]
    ]  # fmt: skip
    if shown:
        print_table(["agent", "faults", "variant", "tools", "failed", "by"], shown)


def _print_coping(rows: list[dict[str, Any]]) -> None:
    shown = [
        [row["agent"], row["faults"], one["fault"], f"{one['landed']}{' (few)' if one['few'] else ''}",
         interval_text(one["recovery"]), interval_text(one["flexibility"]),
         figure_text(one["calls_to_recover"]["median"], 1), figure_text(one["seconds_to_recover"]["median"], 1)]
        for row in rows
        for one in row["coping"]
    ]  # fmt: skip
    if shown:
        print_table(
            ["agent", "faults", "fault", "landed", "recovery (95 %)", "flexibility (95 %)", "calls to it", "seconds"],
            shown,
        )


@controlled
def compare(
    control: Control,
    first: Annotated[str, typer.Argument(help="A run's id.", metavar="RUN")],
    second: Annotated[str, typer.Argument(help="Another's; `last` is the newest.", metavar="RUN")],
    json: options.Json = False,
) -> None:
    """Compare two runs over their common tasks: the difference, its significance, and the tasks whose outcome changed."""
    comparison = control.request("GET", "/api/runs/compare", params={"a": first, "b": second})
    if json:
        print_json(comparison)
        return
    print_text(f"{comparison['first']} → {comparison['second']}, {comparison['tasks']} tasks of both")
    print_text(f"success: {_test_text(comparison['success'])}")
    print_text(f"score: {_test_text(comparison['score'])}")
    rows = [[f["task"], f"{f['first']['count']} of {f['first']['of']}", f"{f['second']['count']} of {f['second']['of']}"]
            for f in comparison["flips"]]  # fmt: skip
    if rows:
        print_table(["task that flipped", comparison["first"], comparison["second"]], rows)
    for name, tasks in (
        (comparison["first"], comparison["only_first"]),
        (comparison["second"], comparison["only_second"]),
    ):
        if tasks:
            print_note(f"only in {name}: {', '.join(tasks)}")


def key(data: options.Data = None) -> None:
    """Print the public key of this data folder's seals, which verifies its bundles. Creates the key if it is missing."""
    from soundstage.runs.signing import BadKey, data_key

    try:
        print_text(data_key(data_folder(data)).public)
    except BadKey as error:
        fail(str(error))


def _bytes(file: Path) -> bytes:
    from soundstage.bounded_input import Limits, Refused, file_bytes

    try:
        return file_bytes(file, Limits(size=_MOST_BYTES, values=0, depth=0))
    except OSError as error:
        fail(f"{file} cannot be read ({error.strerror})")
    except Refused as refused:
        fail(f"{file} {refused}")


def _bundle(file: Path) -> Bundle:
    from soundstage.runs.bundle import InvalidBundle, read_bundle

    try:
        return read_bundle(_bytes(file))
    except InvalidBundle as error:
        fail(f"{file}: {error}")


def _graded(opened: Bundle, fresh_tasks: bool, tasks_dir: Path | None) -> list[Any]:
    from soundstage.runs.bundle import InvalidBundle
    from soundstage.runs.regrading import regrade, texts_of
    from soundstage.runs.task_files import UnknownTask
    from soundstage.source import SourceError

    try:
        fresh = texts_of(opened, tasks_dir) if fresh_tasks or tasks_dir is not None else None
        return list(regrade(opened, fresh))
    except (InvalidBundle, UnknownTask, SourceError) as error:
        fail(str(error))


def _test_text(test: dict[str, Any]) -> str:
    least = test["smallest"]
    sees = f"a difference of {least:.3f} would show four times in five" if least is not None else "too few to show any"
    return f"{interval_text(test['difference'], sign=True)}, p {test['p']:.3f} ({test['method']}, {test['pairs']} tasks; {sees})"


def interval_text(interval: dict[str, Any], *, sign: bool = False) -> str:
    """Format a value with its interval; empty without a value."""
    if interval["value"] is None:
        return ""
    text = f"{interval['value']:+.3f}" if sign else f"{interval['value']:.3f}"
    return text if interval["low"] is None else f"{text} ({interval['low']:.3f} to {interval['high']:.3f})"


def figure_text(value: float | None, digits: int = 3) -> str:
    """Format a value; empty without one."""
    return "" if value is None else f"{value:.{digits}f}"


def _rate(share: dict[str, Any]) -> str:
    return figure_text(share["rate"])


def _last(by_k: dict[str, float | None]) -> str:
    """Format the value of the largest k that has one."""
    known = [(k, value) for k, value in by_k.items() if value is not None]
    return f"{known[-1][1]:.3f} (k = {known[-1][0]})" if known else ""
