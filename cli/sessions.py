"""`soundstage sessions …`: the control plane's sessions on the command line."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated, Any

import orjson
import typer

from soundstage.bounded_input import JSON_LIMITS, Refused, file_bytes, read_json
from soundstage.cli import options
from soundstage.cli.client import Control
from soundstage.cli.options import controlled
from soundstage.cli.output import fail, harmless, print_json, print_table, print_text, shortened

app = typer.Typer(help="Create, inspect, copy, restore and end sessions.", no_args_is_help=True)


@app.command("list")
@controlled
def list_sessions(
    control: Control,
    limit: Annotated[int, typer.Option(min=1, max=1000)] = 100,
    json: options.Json = False,
) -> None:
    """List sessions, newest first."""
    page = control.request("GET", "/api/sessions", params={"limit": limit})
    if json:
        print_json(page)
        return
    rows = [
        [s["id"], s["name"] or "", s["world"], ",".join(s["apps"]), _storage(s), s["created"], s["expires"] or ""]
        for s in page["sessions"]
    ]
    print_table(["id", "name", "world", "apps", "kept", "created", "expires"], rows)
    if page["total"] > len(rows):
        print_text(f"{page['total'] - len(rows)} more; --limit shows them")


@app.command()
@controlled
def create(
    control: Control,
    name: Annotated[str | None, typer.Option(help="A name; on this machine it leads to the session, too.")] = None,
    world: Annotated[str, typer.Option(help="The world it starts from.")] = "studio",
    user: Annotated[
        str | None, typer.Option(help="The session's user: a person of the world; by default the world's user.")
    ] = None,
    apps: Annotated[str | None, typer.Option(help="Apps, separated by commas; all when left out.")] = None,
    seed: Annotated[int, typer.Option(help="Seed of ids and randomness.")] = 0,
    clock: Annotated[str | None, typer.Option(help="tick, frozen, scaled or real.")] = None,
    at: Annotated[str | None, typer.Option(help="The clock's start; the world's epoch when left out.")] = None,
    ttl: Annotated[float | None, typer.Option(help="Seconds until it expires.")] = None,
    tools: Annotated[str | None, typer.Option(help="Listed tools: all, or search for the search tools only.")] = None,
    unavailable: Annotated[
        str | None, typer.Option(help="Tools of synthesised apps that nothing answers: hide, or list them.")
    ] = None,
    count: Annotated[
        int | None, typer.Option(help="Number of identical sessions to create, all or none.", min=1)
    ] = None,
    json: options.Json = False,
) -> None:
    """Create one or more sessions from a world."""
    clock_body = {k: v for k, v in {"mode": clock, "at": at}.items() if v is not None}
    body: dict[str, Any] = {"world": world, "seed": seed, "clock": clock_body}
    chosen = {"name": name, "user": user, "ttl": ttl, "tools": tools, "unavailable": unavailable, "n": count}
    body |= {k: v for k, v in chosen.items() if v is not None}
    if apps is not None:
        body["apps"] = [a.strip() for a in apps.split(",") if a.strip()]
    if count is None:
        _show(control.request("POST", "/api/sessions", json=body), json)
        return
    made = control.request("POST", "/api/sessions/batch", json=body)["sessions"]
    if json:
        print_json(made)
    else:
        print_table(["id", "address"], [[s["id"], s["mcp_url"]] for s in made])


@app.command()
@controlled
def show(
    control: Control,
    session: options.Session,
    json: options.Json = False,
) -> None:
    """Show a session: addresses, step, clock, digest."""
    _show(control.request("GET", f"/api/sessions/{session}"), json)


@app.command()
@controlled
def reset(
    control: Control,
    session: options.Session,
    json: options.Json = False,
) -> None:
    """Reset a session to its initial state."""
    _show(control.request("POST", f"/api/sessions/{session}/reset"), json)


@app.command()
@controlled
def fork(
    control: Control,
    session: options.Session,
    at: Annotated[int | None, typer.Option(help="Branch off after this step; now when left out.", min=0)] = None,
    name: Annotated[str | None, typer.Option(help="A name for the new session.")] = None,
    json: options.Json = False,
) -> None:
    """Create a session equal to this one, now or after a step."""
    body = {k: v for k, v in {"at": at, "name": name}.items() if v is not None}
    _show(control.request("POST", f"/api/sessions/{session}/fork", json=body), json)


@app.command()
@controlled
def seats(
    control: Control,
    session: options.Session,
    add: Annotated[str | None, typer.Option(metavar="PERSON", help="Give this person of the world a seat.")] = None,
    json: options.Json = False,
) -> None:
    """List the seats of a session: addresses at which other people of its world act in it."""
    if add is not None:
        taken = [control.request("POST", f"/api/sessions/{session}/seats", json={"user": add})]
    else:
        taken = control.request("GET", f"/api/sessions/{session}/seats")
    if json:
        print_json(taken[0] if add is not None else taken)
    else:
        print_table(["user", "apps", "address"], [[s["user"], ",".join(s["apps"]), s["mcp_url"]] for s in taken])


@app.command()
@controlled
def snapshot(
    control: Control,
    session: options.Session,
    json: options.Json = False,
) -> None:
    """Store a snapshot of a session's current state."""
    made = control.request("POST", f"/api/sessions/{session}/snapshots")
    print_json(made) if json else print_text(f"snapshot {made['id']} at step {made['step']}")


@app.command()
@controlled
def snapshots(
    control: Control,
    session: options.Session,
    json: options.Json = False,
) -> None:
    """List a session's snapshots."""
    rows = control.request("GET", f"/api/sessions/{session}/snapshots")
    if json:
        print_json(rows)
    else:
        print_table(["id", "step", "created"], [[s["id"], str(s["step"]), s["created"]] for s in rows])


@app.command()
@controlled
def restore(
    control: Control,
    session: options.Session,
    snapshot: Annotated[str | None, typer.Option(help="Back to this snapshot.")] = None,
    step: Annotated[int | None, typer.Option(help="Restore the state after this step.", min=0)] = None,
    json: options.Json = False,
) -> None:
    """Restore a session to a snapshot or a step."""
    body = {k: v for k, v in {"snapshot": snapshot, "step": step}.items() if v is not None}
    _show(control.request("POST", f"/api/sessions/{session}/restore", json=body), json)


@app.command()
@controlled
def delete(
    control: Control,
    session: options.Session,
    json: options.Json = False,
) -> None:
    """End a session permanently."""
    control.request("DELETE", f"/api/sessions/{session}")
    print_json({"deleted": session}) if json else print_text(f"deleted {session}")


@app.command()
@controlled
def diff(
    control: Control,
    session: options.Session,
    start: Annotated[int, typer.Option("--from", help="After this step (0: the start).", min=0)] = 0,
    end: Annotated[int | None, typer.Option("--to", help="The later step; by default the current one.", min=0)] = None,
    json: options.Json = False,
) -> None:
    """Show the net row changes between two steps."""
    params = {"from": start} | ({} if end is None else {"to": end})
    changes = control.request("GET", f"/api/sessions/{session}/diff", params=params)
    if json:
        print_json(changes)
    else:
        print_text("\n".join(change_line(c) for c in changes) or "nothing has changed")


@app.command()
@controlled
def journal(
    control: Control,
    session: options.Session,
    after: Annotated[int, typer.Option(help="Only the steps after this one.", min=0)] = 0,
    limit: Annotated[int | None, typer.Option(help="Maximum number of steps, oldest first.", min=1)] = None,
    kind: Annotated[
        str | None, typer.Option(help="Only steps of this kind: call, search, upstream, state, clock, faults, …")
    ] = None,
    json: options.Json = False,
) -> None:
    """Show a session's calls: caller, arguments, replies, faults, and the changes of each. --json prints NDJSON."""
    chosen = {"after": after, "limit": limit, "kind": kind}
    params = {name: value for name, value in chosen.items() if value is not None}
    text = control.request("GET", f"/api/sessions/{session}/journal", params=params) or ""
    if json:
        sys.stdout.write(harmless(text, sys.stdout))
        return
    from soundstage.cli.steps import step_text  # imported on use: it imports the journal reader

    for raw in text.splitlines():
        line = orjson.loads(raw)
        if "error" in line:  # the rest of the journal cannot be read
            fail(line["error"])
        print_text("\n".join(step_text(line)))
        for change in line["changes"]:
            print_text(f"       {change_line(change)}")


@app.command("export")
@controlled
def export_state(
    control: Control,
    session: options.Session,
    app_name: Annotated[str | None, typer.Option("--app", help="Only this app.")] = None,
    tree: Annotated[
        bool, typer.Option("--tree", help="As a tree, children below their parents (needs --app).")
    ] = False,
    output: Annotated[Path | None, typer.Option("--output", "-o", help="Write to a file instead of stdout.")] = None,
    json: options.Json = True,
) -> None:
    """Write a session's objects as JSON: {app: {entity: [objects]}}, or one app as a tree."""
    if tree:
        if app_name is None:
            fail("--tree shows one app; name it with --app")
        exported = control.request("GET", f"/api/sessions/{session}/tree", params={"app": app_name})
    else:
        params = {} if app_name is None else {"app": app_name}
        exported = control.request("GET", f"/api/sessions/{session}/state", params=params)
    if output is None:
        print_json(exported)
        return
    try:
        output.write_bytes(orjson.dumps(exported, option=orjson.OPT_INDENT_2) + b"\n")
    except OSError as error:
        fail(f"{output} cannot be written ({error.strerror})")


@app.command("import")
@controlled
def import_state(
    control: Control,
    session: options.Session,
    file: Annotated[Path, typer.Argument(help="A file that export wrote, or one like it.")],
    add: Annotated[
        bool, typer.Option("--add", help="Add to the existing objects instead of replacing entities.")
    ] = False,
    tree_app: Annotated[
        str | None, typer.Option("--tree", help="The file is the tree of this app.", metavar="APP")
    ] = None,
    json: options.Json = False,
) -> None:
    """Load objects from a file into a session, as one step."""
    try:
        wanted = read_json(file_bytes(file, JSON_LIMITS))
    except OSError as error:
        fail(f"{file} cannot be read ({error.strerror})")
    except Refused as refused:
        fail(f"{file} {refused}")
    path = f"/api/sessions/{session}/state" if tree_app is None else f"/api/sessions/{session}/tree"
    params = {"mode": "add" if add else "replace"} | ({} if tree_app is None else {"app": tree_app})
    made = control.request("PUT", path, params=params, content=orjson.dumps(wanted))
    print_json(made) if json else print_text(f"imported as step {made['step']}")


def change_line(change: dict[str, Any]) -> str:
    """Format a row change on one line."""
    key = change["id"] if not isinstance(change["id"], list) else "/".join(str(k) for k in change["id"])
    name = f"{change['app']} {change['entity']}[{key}]"
    match change["op"]:
        case "insert":
            return f"+ {name} {_brief(change['after'])}"
        case "delete":
            return f"- {name}"
        case _:
            before, after = change["before"], change["after"]
            fields = [f"{f}: {_value(before.get(f))} → {_value(after.get(f))}" for f in {**before, **after}]
            return f"~ {name} {', '.join(fields)}"


def _brief(value: dict[str, Any]) -> str:
    return shortened(orjson.dumps(value).decode(), 200)


def _value(value: Any) -> str:
    return shortened(orjson.dumps(value).decode(), 60)


def _storage(session: dict[str, Any]) -> str:
    return str(session["durability"] if session["damaged"] is None else f"damaged: {session['damaged']}")


def _version(session: dict[str, Any], app: str) -> str:
    made = session["versions"].get(app)
    return "" if made is None else f"(made with version {made})"


def _show(session: dict[str, Any], json: bool) -> None:
    if json:
        print_json(session)
        return
    rows = [
        ["id", session["id"]],
        ["name", session["name"] or ""],
        ["user", session["user"] or ""],
        ["world", f"{session['world']} (seed {session['seed']}, {session['durability']})"],
        ["step", str(session["step"])],
        ["clock", f"{session['clock']['now']} ({session['clock']['mode']})"],
        *([["digest", session["digest"]]] if "digest" in session else []),
        ["expires", session["expires"] or "never"],
        ["all apps", session["mcp_url"]],
        *([app, f"{address} {_version(session, app)}".rstrip()] for app, address in session["apps"].items()),
        *(["no kernel", f"{app}: {', '.join(tools)}"] for app, tools in session["unanswered"].items()),
    ]
    for label, value in rows:
        print_text(f"{label:<9} {value}")
