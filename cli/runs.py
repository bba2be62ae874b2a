"""`soundstage runs …`: let agents work on tasks, and grade the results."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Annotated, Any

import typer

from soundstage.cli import graded, options
from soundstage.cli.client import Control
from soundstage.cli.drive import drive
from soundstage.cli.options import Last, Run, chosen, controlled
from soundstage.cli.output import print_json, print_table, print_text

app = typer.Typer(help="Let agents work on tasks, and grade what they did.", no_args_is_help=True)
app.command()(drive)
for command in (
    graded.report,
    graded.compare,
    graded.export,
    graded.bundle,
    graded.verify,
    graded.grade,
    graded.regrade_diff,
    graded.key,
):
    app.command()(command)

_LOOK_S = 2.0
_REPORTED_AT_ONCE = 100


@app.command()
@controlled
def start(
    control: Control,
    tasks: Annotated[
        list[str],
        typer.Argument(
            help="Tasks, or worlds for all tasks of theirs; `public` or `test` for a split; `all` for every one.",
            metavar="TASK…",
        ),
    ],
    k: Annotated[int, typer.Option("-k", "--trials", min=1, max=100, help="Trials of each task.")] = 1,
    seed: Annotated[int, typer.Option(help="The same seed gives the same trials.")] = 0,
    faults: Annotated[
        str,
        typer.Option(help="Presets of faults, separated by commas; a trial is made under each.", metavar="PRESET,…"),
    ] = "off",
    variant: Annotated[
        str, typer.Option(help="Wordings of the instruction, separated by commas.", metavar="NAME,…")
    ] = "default",
    tools: Annotated[
        str, typer.Option(help="Listed tools: task (as the task defines), all, search, needed, or a number of tools.")
    ] = "task",
    calls: Annotated[int | None, typer.Option(min=1, help="Another limit of calls than the tasks' own.")] = None,
    minutes: Annotated[float | None, typer.Option(help="Another limit of minutes.")] = None,
    agent_name: Annotated[str, typer.Option(help="The agent's name in results.")] = "agent",
    agent_version: Annotated[str | None, typer.Option(help="Its version.")] = None,
    model: Annotated[str | None, typer.Option(help="Its model.")] = None,
    durability: Annotated[
        str, typer.Option(help="durable, or memory: quicker, and gone with the gateway.")
    ] = "durable",
    answer_tool: Annotated[
        bool, typer.Option("--answer-tool", help="List a tool to answer with, for agents without a runner.")
    ] = False,
    open_names: Annotated[bool, typer.Option("--open", help="Show the tasks' names to runners.")] = False,
    tasks_dir: Annotated[Path | None, typer.Option(help="A folder of your own tasks.")] = None,
    keep_hours: Annotated[float, typer.Option(min=0, help="For how long sessions of trials can be looked into.")] = 168,
    json: options.Json = False,
) -> None:
    """Create a run. Its trials wait for `soundstage runs drive`, or for a runner with the token that this command prints."""
    body: dict[str, Any] = {
        "tasks": tasks,
        "k": k,
        "seed": seed,
        "faults": _listed(faults),
        "variants": _listed(variant),
        "tools": int(tools) if tools.isdecimal() else tools,
        "agent": {"name": agent_name, "version": agent_version, "model": model},
        "durability": durability,
        "answer_tool": answer_tool,
        "open": open_names,
        "tasks_dir": None if tasks_dir is None else str(tasks_dir.resolve()),
        "keep_sessions": keep_hours * 3600,
    }
    if calls is not None or minutes is not None:
        body["limits"] = {"calls": calls, "minutes": minutes}
    made = control.request("POST", "/api/runs", json=body)
    if json:
        print_json(made)
        return
    print_text(f"run {made['id']} with {made['trials']} trials\nrun token: {made['run_token']}")
    print_text(f"let an agent work on it: soundstage runs drive {made['id']} --agent COMMAND")


@app.command("list")
@controlled
def list_command(
    control: Control,
    limit: Annotated[int, typer.Option(min=1, max=1000)] = 20,
    json: options.Json = False,
) -> None:
    """List runs, newest first, with the results under each setting: success with its interval, score, calls, cost."""
    page = control.request("GET", "/api/runs", params={"limit": limit})
    if json:
        print_json(page)
        return
    listed = page["runs"]
    came = _by_run(control, listed)
    rows = [line for run in listed for line in _lines(run, came.get(run["id"], []))]
    columns = ["run", "agent", "tasks", "k", "state", "trials", "faults", "success (95 %)", "score", "calls", "USD"]
    print_table(columns, rows)
    if page["total"] > len(listed):
        print_text(f"{page['total'] - len(listed)} more; --limit shows them")


@app.command()
@controlled
def show(control: Control, run: Run = None, last: Last = False, json: options.Json = False) -> None:
    """Show a run: its progress and the results of its trials."""
    name = chosen(run, last)
    record = control.request("GET", f"/api/runs/{name}")
    trials = control.request("GET", f"/api/runs/{record['id']}/trials")
    if json:
        print_json({**record, "trials": trials})
        return
    _print_run(record)
    rows = [
        [t["id"], t["task"], str(t["k"]), t["faults"], t["variant"], t["ended"] or t["state"], _share(t["score"]),
         "" if t["success"] is None else "✓" if t["success"] else "✗"]
        for t in trials
    ]  # fmt: skip
    print_table(["trial", "task", "k", "faults", "variant", "ended", "score", ""], rows)


@app.command()
@controlled
def stop(control: Control, run: Run = None, last: Last = False, json: options.Json = False) -> None:
    """Stop assigning trials of a run, and close the open ones in their current state."""
    record = control.request("POST", f"/api/runs/{chosen(run, last)}/stop")
    print_json(record) if json else _print_run(record)


@app.command()
@controlled
def watch(control: Control, run: Run = None, last: Last = False, json: options.Json = False) -> None:
    """Follow a run until all its trials are done."""
    name = chosen(run, last)
    progress: dict[str, Any] = {}
    while True:
        record = control.request("GET", f"/api/runs/{name}")
        name = record["id"]  # another run may become the newest meanwhile
        if record["progress"] != progress:
            progress = record["progress"]
            print_json(record) if json else _print_run(record)
        if progress["done"] == progress["trials"]:
            return
        time.sleep(_LOOK_S)


def _print_run(run: dict[str, Any]) -> None:
    progress = run["progress"]
    ended = ", ".join(f"{n} {how}" for how, n in progress["ended"].items())
    print_text(
        f"run {run['id']} of {run['agent']['name']}: {run['state']}, {_done(run)} trials done{f' ({ended})' if ended else ''}, "
        f"{progress['open']} open, {progress['queued']} to go; success {_share(run['success'])}, score {_share(run['score'])}"
    )
    if run["state"] != "open" and not run["complete"]:
        print_text(
            "incomplete: trials are missing, or more than 2 % of them failed because of the infrastructure (infra)"
        )


def _listed(given: str) -> list[str]:
    return [one.strip() for one in given.split(",") if one.strip()]


def _by_run(control: Control, runs: list[dict[str, Any]]) -> dict[str, list[dict[str, Any]]]:
    """Return the report's rows on these runs, by run."""
    rows: dict[str, list[dict[str, Any]]] = {}
    for i in range(0, len(runs), _REPORTED_AT_ONCE):
        ids = [run["id"] for run in runs[i : i + _REPORTED_AT_ONCE]]
        for row in control.request("GET", "/api/runs/report", params={"run": ids})["rows"]:
            rows.setdefault(row["run"], []).append(row)
    return rows


def _lines(run: dict[str, Any], came: list[dict[str, Any]]) -> list[list[str]]:
    """Return a line for each setting of a run that has results, or one line for the run."""
    about = [run["id"], run["agent"]["name"], str(len(run["tasks"])), str(run["k"]), run["state"], _done(run)]
    if not came:
        return [[*about, ",".join(run["faults"]), "", "", "", ""]]
    return [
        [
            *about,
            _setting(row),
            graded.interval_text(row["success"]),
            graded.figure_text(row["score"]["value"]),
            graded.figure_text(row["calls"], 1),
            graded.figure_text(row["cost_usd"], 4),
        ]
        for row in came
    ]


def _setting(row: dict[str, Any]) -> str:
    """Return the faults of a row, with its wording and tools if they differ from the defaults."""
    wording = [] if row["variant"] == "default" else [row["variant"]]
    return ", ".join([row["faults"], *wording, *([] if row["tools"] == "all" else [row["tools"]])])


def _done(run: dict[str, Any]) -> str:
    return f"{run['progress']['done']} of {run['progress']['trials']}"


def _share(value: float | None) -> str:
    return "" if value is None else f"{value:.3f}"
