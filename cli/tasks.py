"""`soundstage tasks …`: instructions for agents, the grading of their work, and the validation of the grading."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, TypedDict

import typer

from soundstage.cli import options
from soundstage.cli.client import data_folder
from soundstage.cli.output import FAILED, fail, print_json, print_table, print_text

if TYPE_CHECKING:
    from soundstage.grading.oracle import Script
    from soundstage.grading.task import Task
    from soundstage.runs.lint import Cell, Report

app = typer.Typer(help="List tasks, look at them, try them, and prove their graders.", no_args_is_help=True)

Name = Annotated[
    str, typer.Argument(help="A task's name, such as studio/move-the-dry-run, or its folder.", metavar="TASK")
]
TasksDir = Annotated[
    Path | None,
    typer.Option(
        "--tasks-dir", help="A folder of your own tasks, <world>/<task>/task.yaml.", show_default="those shipped"
    ),
]


@app.command("list")
def list_command(tasks_dir: TasksDir = None, json: options.Json = False) -> None:
    """List the tasks."""
    from soundstage.runs.task_files import task_folders

    lines = [_line(folder, _read(folder)) for folder in task_folders(tasks_dir)]
    if json:
        print_json(lines)
    else:
        rows = [
            [
                t["task"],
                t["kind"],
                t["split"],
                ", ".join(t["apps"]),
                str(t["checks"]),
                str(t["oracle_calls"]),
                t["title"],
            ]
            for t in lines
        ]
        print_table(["task", "kind", "split", "apps", "checks", "oracle", "what it is"], rows)


@app.command()
def show(task: Name, tasks_dir: TasksDir = None, json: options.Json = False) -> None:
    """Show a task's instruction and its checks."""
    folder = _folder(task, tasks_dir)
    task_file = _read(folder)
    if json:
        checks = [{"id": c.id, "title": c.title, "weight": c.weight} for c in task_file.checks]
        print_json(
            {
                **_line(folder, task_file),
                "instruction": task_file.instruction,
                "variants": task_file.variants,
                "checks": checks,
            }
        )
        return
    print_text(f"{task_file.title} ({task_file.task}, version {task_file.version})\n\n{task_file.instruction}")
    print_table(["check", "weight", "what must hold"], [[c.id, f"{c.weight:g}", c.title] for c in task_file.checks])


@app.command("try")
def try_command(
    task: Name,
    script: Annotated[
        str, typer.Option(help="The agent: oracle, null, or the name of one of its near misses.")
    ] = "oracle",
    seed: Annotated[int, typer.Option(help="The session's seed.")] = 0,
    tasks_dir: TasksDir = None,
    data: options.Data = None,
    json: options.Json = False,
) -> None:
    """Run a script on a task in an in-memory session, and show the checks that it passes."""
    from soundstage.runs.dry_run import DryRun

    task_file = _read(_folder(task, tasks_dir))
    wanted = _script(task_file, script)
    trial = DryRun(task_file, *_worlds(data)).try_script(wanted, seed=seed)
    verdict = trial.verdict
    if json:
        print_json(
            {
                "score": verdict.score,
                "success": verdict.success,
                "calls": len(trial.evidence.calls),
                "checks": list(verdict.checks),
                "breaches": list(verdict.breaches),
                "broke": trial.broke,
            }
        )
        return
    marks = [["✓" if c.passed else "✗", c.id, "" if c.step is None else str(c.step), c.why] for c in verdict.checks]
    print_table(["", "check", "step", "why"], marks)
    for breach in verdict.breaches:
        fields = f" ({', '.join(breach.fields)})" if breach.fields else ""
        print_text(
            f"✗ unrequested: {breach.op} of {breach.app} {breach.entity} {breach.id}{fields}, step {breach.step}"
        )
    if trial.broke is not None:
        print_text(f"the script ended early: {trial.broke}")
    outcome = "success" if verdict.success else "no success"
    print_text(f"\nscore {verdict.score:.3f}, {outcome}, {len(trial.evidence.calls)} calls")


@app.command()
def lint(
    tasks: Annotated[
        list[str] | None, typer.Argument(help="Tasks by name or folder.", metavar="TASK…", show_default=False)
    ] = None,
    every: Annotated[bool, typer.Option("--all", help="Every task.")] = False,
    jobs: Annotated[int, typer.Option(help="How many tasks to look at side by side.", min=1)] = 1,
    lines: Annotated[
        Path | None,
        typer.Option(help="The file for one line of JSON per run.", show_default="lint.jsonl in the data folder"),
    ] = None,
    tasks_dir: TasksDir = None,
    data: options.Data = None,
    json: options.Json = False,
) -> None:
    """Prove that tasks are graded correctly, with runs that must pass, runs that must score nothing, and cheating runs.

    A task that passes gets a task.lock next to it. Exits with 1 if a task does not.
    """
    from soundstage.runs.lint import lint_tasks, write_lines, write_lock
    from soundstage.runs.task_files import task_folders

    if every == bool(tasks):
        fail("name the tasks to look at, or give --all")
    folders = task_folders(tasks_dir) if every else [_folder(task, tasks_dir) for task in tasks or ()]
    built, own = _worlds(data)
    reports: list[Report] = []
    for folder, report in zip(folders, lint_tasks(folders, built, own, jobs=jobs), strict=True):
        reports.append(report)
        if report.green and not report.by_lock:
            write_lock(folder, report)
        if not json:
            _print_report(report)
    write_lines(lines or built.parent / "lint.jsonl", reports)
    if json:
        print_json([_report_json(report) for report in reports])
    elif len(reports) > 1:
        _print_matrix(reports)
    if not all(report.green for report in reports):
        raise typer.Exit(FAILED)


def _report_json(report: Report) -> dict[str, object]:
    return {
        "task": report.task,
        "green": report.green,
        "by_lock": report.by_lock,
        "findings": report.findings,
        "matrix": report.matrix(),
        "results": report.results,
    }


def _print_report(report: Report) -> None:
    wrong, caught = report.mistakes()
    colour = "green" if report.green else "red"
    if report.by_lock:
        print_text(
            f"{report.task}: {colour} by its lock ({caught} of {wrong} wrong runs caught): its oracle is not here"
        )
        return
    print_text(f"{report.task}: {colour}, {len(report.results)} runs, {caught} of {wrong} wrong ones caught")
    for finding in report.findings:
        print_text(f"  - {finding}")


def _print_matrix(reports: list[Report]) -> None:
    """Print a table of tasks and operators; each cell is the number of runs with the expected result, of all."""
    rows = {report.task: report.matrix() for report in reports}
    operators = list(dict.fromkeys(operator for row in rows.values() for operator in row))
    table = [
        [operator, *(_cell(row[operator]) if operator in row else "" for row in rows.values())]
        for operator in operators
    ]
    print_table(["operator", *(task.partition("/")[2] for task in rows)], table)


def _cell(cell: Cell) -> str:
    return str(cell["runs"]) if cell["right"] == cell["runs"] else f"{cell['right']} of {cell['runs']}"


def _script(task: Task, name: str) -> Script:
    from soundstage.grading.oracle import Script, derived_script, oracle
    from soundstage.runs.task_files import missing_solution_message

    if name == "null":
        return Script("null", (), "", "gave_up")
    if task.kept_back:
        fail(missing_solution_message(task))
    if name == "oracle":
        return oracle(task)
    for miss in (*task.equivalents, *task.near_misses):
        if miss.name == name:
            return derived_script(task, miss)
    known = ", ".join(["oracle", "null", *(repr(m.name) for m in (*task.equivalents, *task.near_misses))])
    fail(f"{task.task} has no script {name!r}; known: {known}")


class _Line(TypedDict):
    task: str
    version: int
    title: str
    kind: str
    language: str
    world: str
    apps: tuple[str, ...]
    tags: tuple[str, ...]
    split: str
    checks: int
    oracle_calls: int


def _line(folder: Path, task: Task) -> _Line:
    from soundstage.runs.lint import oracle_calls

    return {
        "task": task.task,
        "version": task.version,
        "title": task.title,
        "kind": task.kind,
        "language": task.language,
        "world": task.world,
        "apps": task.apps,
        "tags": task.tags,
        "split": task.split,
        "checks": len(task.checks),
        "oracle_calls": oracle_calls(folder, task),
    }


def _folder(task: str, tasks_dir: Path | None) -> Path:
    from soundstage.runs.task_files import UnknownTask, task_folder

    try:
        return task_folder(task, tasks_dir)
    except UnknownTask as error:
        fail(str(error))


def _read(folder: Path) -> Task:
    from soundstage.grading.task import read_task
    from soundstage.source import SourceError

    try:
        return read_task(folder)[0]
    except SourceError as error:
        fail(str(error))


def _worlds(data: Path | None) -> tuple[Path, Path]:
    """Return the folder of built worlds, and that of the user's own worlds."""
    from soundstage.worlds import own_folder

    folder = data_folder(data) / "worlds"
    return folder, own_folder(folder)
