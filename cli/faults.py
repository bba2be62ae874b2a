"""`soundstage faults …`: fault schedules, injected faults, pairs of runs and reports."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import orjson
import typer

from soundstage.cli import options
from soundstage.cli.client import Control
from soundstage.cli.options import controlled
from soundstage.cli.output import fail, print_json, print_table, print_text

app = typer.Typer(help="Let sessions fail like the real apps, and see how agents cope.", no_args_is_help=True)


@app.command("list")
@controlled
def list_faults(control: Control, json: options.Json = False) -> None:
    """List the kinds of fault and the presets."""
    reply = control.request("GET", "/api/faults")
    if json:
        print_json(reply)
        return
    print_table(
        ["fault", "level", "what happens", "attributes"],
        [[f["name"], f["level"], f["description"], ", ".join(f["attributes"])] for f in reply["faults"]],
    )
    print_text("")
    print_table(["preset", "what it is"], [[p["name"], p["description"]] for p in reply["presets"]])


@app.command()
@controlled
def show(
    control: Control,
    name: Annotated[str, typer.Argument(help="A kind of fault, a preset, or a session's id or name.")],
    json: options.Json = False,
) -> None:
    """Show a fault's attributes, a preset's rules, or a session's schedule."""
    known = control.request("GET", "/api/faults")
    fault = next((f for f in known["faults"] if f["name"] == name), None)
    preset = next((p for p in known["presets"] if p["name"] == name), None)
    shown: Any = fault or (preset and preset["schedule"]) or control.request("GET", f"/api/sessions/{name}/faults")
    if json:
        print_json(shown)
    elif fault is not None:
        print_text(f"{fault['name']} ({fault['level']} level): {fault['description']}")
        rows = [[n, _default(a), a.get("description", "")] for n, a in fault["attributes"].items()]
        print_table(["attribute", "default", "meaning"], rows)
    else:
        schedule = shown if preset is not None else shown["schedule"]
        print_text("no faults" if schedule is None else _yaml(schedule))


@app.command("set")
@controlled
def set_schedule(
    control: Control,
    session: options.Session,
    what: Annotated[str, typer.Argument(help="A preset's name, a YAML or JSON file, or `off`.", metavar="PRESET|FILE")],
    json: options.Json = False,
) -> None:
    """Apply a fault schedule from the session's next call on. A schedule with mistakes is rejected as a whole."""
    made = control.request(
        "PUT",
        f"/api/sessions/{session}/faults",
        content=schedule_bytes(what),
        headers={"Content-Type": "application/yaml"},
    )
    if json:
        print_json(made)
    else:
        rules = (made["schedule"] or {}).get("rules", [])
        print_text(f"{len(rules)} rules in force" if made["schedule"] is not None else "no faults any more")


@app.command()
@controlled
def ledger(
    control: Control,
    session: options.Session,
    json: options.Json = False,
) -> None:
    """Show the faults drawn and injected in a session, and how the agent handled them."""
    entries = control.request("GET", f"/api/sessions/{session}/faults/ledger")
    if json:
        print_json(entries)
        return
    rows = [
        [
            str(e["step"]),
            e["fault"] or ", ".join(e["drawn"]),
            f"{e['app']} {e['tool']}",
            "yes" if e["landed"] else "no",
            "" if e["outage"] in (None, e["step"]) else f"step {e['outage']}",
            {True: "yes", False: "no", None: "?"}[e["recovered"]],
            e["recovered_by"] or "",
            "" if e["recovered_at"] is None else str(e["recovered_at"]),
            str(e["effects"]),
        ]
        for e in entries
    ]
    print_table(["step", "fault", "call", "landed", "since", "recovered", "by", "at step", "effects"], rows)


@app.command()
@controlled
def pair(
    control: Control,
    session: options.Session,
    at: Annotated[int, typer.Option(help="The step in which the fault landed.", min=1)],
    json: options.Json = False,
) -> None:
    """Fork a session twice from just before a fault: one fork with the fault, one without."""
    made = control.request("POST", f"/api/sessions/{session}/faults/pair", json={"at": at})
    if json:
        print_json(made)
    else:
        for label, fork in (("with fault", made["with_fault"]), ("without fault", made["without_fault"])):
            print_text(f"{label:<14} {fork['id']}  {fork['mcp_url']}")


@app.command()
@controlled
def report(
    control: Control,
    runs: Annotated[list[str], typer.Argument(help="Sessions, by id or name.", metavar="RUN…")],
    svg: Annotated[Path | None, typer.Option(help="Also write the report as a picture to this file.")] = None,
    json: options.Json = False,
) -> None:
    """Report by kind of fault how agents handled faults in one or more runs, with 95 % confidence intervals."""
    made = control.request("GET", "/api/faults/report", params={"session": runs})
    if svg is not None:
        image = control.request("GET", "/api/faults/report", params={"session": runs, "picture": True})
        try:
            svg.write_text(image, "utf-8")
        except OSError as error:
            fail(f"{svg} cannot be written ({error.strerror})")
    if json:
        print_json(made)
        return
    rows = [
        [
            line["fault"],
            str(line["landed"]),
            str(line["hits"]),
            _rate(line["recovery"]),
            _rate(line["flexibility"]),
            _time(line["calls_to_recover"]),
            _time(line["seconds_to_recover"]),
            _rate(line["doubled"]),
        ]
        for line in [*made["kinds"], made["all"]]
    ]
    print_table(
        ["fault", "landed", "calls hit", "recovered", "changed plan", "calls to recover", "seconds", "doubled"], rows
    )
    print_text(f"exactly once: {_rate(made['exactly_once'])}")


def schedule_bytes(what: str) -> bytes:
    """Return a schedule: the text of a file if it exists, otherwise the preset of this name."""
    path = Path(what)
    if path.suffix or path.exists():
        try:
            return path.read_bytes()
        except OSError as error:
            fail(f"{what} cannot be read ({error.strerror})")
    return orjson.dumps(what)


def _rate(value: dict[str, Any]) -> str:
    if value["rate"] is None:
        return "-"
    return f"{value['count']}/{value['of']} {value['rate']:.0%} ({value['low']:.0%}–{value['high']:.0%})"


def _time(value: dict[str, Any]) -> str:
    return "-" if value["median"] is None else f"{value['median']:g} ({value['low']:g}–{value['high']:g})"


def _default(attribute: dict[str, Any]) -> str:
    return orjson.dumps(attribute["default"]).decode() if "default" in attribute else "(needed)"


def _yaml(value: Any) -> str:
    import yaml

    return str(yaml.safe_dump(value, sort_keys=False, allow_unicode=True, width=110)).rstrip()
