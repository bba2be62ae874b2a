"""`soundstage synthesise …`: from a recording to a simulated app, each tool measured on calls that nobody has seen."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from soundstage.cli import options
from soundstage.cli.client import data_folder
from soundstage.cli.output import FAILED, fail, print_json, print_table, print_text, shortened

if TYPE_CHECKING:
    from soundstage.synthesis.generate.generators import Generator
    from soundstage.synthesis.traverse.plan import Planned

app = typer.Typer(
    help="Make a simulated app of a recording, and serve what of it is measured well.", no_args_is_help=True
)

PoolPath = Annotated[Path, typer.Argument(help="The pool's folder.", metavar="POOL")]
App = Annotated[str, typer.Argument(help="The app's name, as the pool's plan has it.", metavar="APP")]
Named = Annotated[
    str | None, typer.Option("--app", help="Another name for the app than the pool's plan has.", metavar="NAME")
]
Tools = Annotated[list[str] | None, typer.Option("--tool", help="This tool alone; repeatable.", metavar="TOOL")]
Data = options.Data


@app.command()
def plan(pool: PoolPath, name: Named = None, json: options.Json = False) -> None:
    """Show what a run would make of a pool: facts, entities, calls by share, the size of what is asked. Nothing is asked."""
    from soundstage.synthesis.generate.outlook import outlook

    with _problems():
        found = outlook(_planned(pool, name))
        if json:
            print_json(found)
            return
        print_text(f"{found['app']}: {found['envelope']}")
        for name, entity in found["entities"].items():
            print_text(
                f"entity {name}: key {entity['id_field']}; {', '.join(entity['fields'])}; {entity['shown_by'][0]}"
            )
        rows = [
            [
                t["tool"],
                t["effect"],
                str(t["train"]),
                str(t["dev"]),
                str(t["held-out"]),
                f"{t['brief'] / 1024:.0f} KiB",
                t["note"],
            ]
            for t in found["tools"]
        ]
        print_table(["tool", "effect", "train", "dev", "held-out", "brief", ""], rows)
        print_text(f"\nAbout {found['tokens']} tokens to read for one round of each.")


@app.command()
def run(
    pool: PoolPath,
    generator: Annotated[
        str,
        typer.Option(
            help="Who writes: chat (the model that SOUNDSTAGE_LLM_BASE_URL names), command:PROGRAM, or scripted:FOLDER.",
            metavar="KIND",
        ),
    ],
    name: Named = None,
    tool: Tools = None,
    changed: Annotated[bool, typer.Option("--changed", help="Only tools whose schema or calls have changed.")] = False,
    rounds: Annotated[int, typer.Option(min=1, max=10, help="How often a tool is tried at most.")] = 4,
    tokens: Annotated[int | None, typer.Option(min=1, help="How many tokens a model may take in all.")] = None,
    private: Annotated[
        bool, typer.Option("--private", help="Keep the server's own descriptions: for a package that is not shared.")
    ] = False,
    env: Annotated[
        list[str] | None, typer.Option(help="A variable that the program is to have; repeatable.", metavar="NAME")
    ] = None,
    data: Data = None,
    json: options.Json = False,
) -> None:
    """Have each tool written, try it apart from everything, repair it from what it got wrong, and measure it on held-out calls.

    What is measured well enough is accepted, and served from the next start on. Exits with 1 where no tool is.
    """
    from soundstage.synthesis.generate.generators import Kept, Scripted
    from soundstage.synthesis.generate.loop import CANDIDATES, Options, Synthesis
    from soundstage.synthesis.generate.sandbox import Sandbox

    root = _root(data)
    with _problems():
        planned = _planned(pool, name)
        kept = root / CANDIDATES / f"{planned.plan.app}.generations.jsonl"
        kept.parent.mkdir(parents=True, exist_ok=True)
        writer: Generator = _generator(generator, tokens, env or [])
        if not isinstance(
            writer, Scripted
        ):  # a folder costs nothing to be read again, and somebody may have changed it
            writer = Kept(writer, kept)
        wanted = Options(tuple(tool or ()), changed, private, rounds)
        with Sandbox() as sandbox:
            lock = Synthesis(planned, root, writer, sandbox, wanted, _quiet if json else print_text).run()
    _shown(lock.plain(), json)
    if not any(told["answered_by"] == "kernel" for told in lock.tools.values()):
        raise typer.Exit(FAILED)


@app.command()
def status(name: App, data: Data = None, json: options.Json = False) -> None:
    """Show each file: from where it is, whether somebody has edited it, whether it is accepted."""
    from soundstage.synthesis.generate.upkeep import file_states

    with _problems():
        rows = file_states(_root(data), name)
    if json:
        print_json(rows)
    else:
        print_table(["file", "origin", "accepted"], [[r["file"], r["origin"], r["accepted"]] for r in rows])


@app.command()
def report(
    name: App,
    html: Annotated[
        Path | None, typer.Option("--html", help="Write a page there, with the worst mismatches.", metavar="FILE")
    ] = None,
    data: Data = None,
    json: options.Json = False,
) -> None:
    """Show each tool: rounds, figures on held-out calls with n and interval, what it misses, what it cost."""
    from soundstage.synthesis.generate.lock import read_lock
    from soundstage.synthesis.generate.report import page
    from soundstage.synthesis.generate.upkeep import file_states

    with _problems():
        lock = read_lock(_root(data), name)
        if html is not None:
            html.write_text(page(lock, file_states(_root(data), name)), "utf-8")
    _shown(lock.plain(), json)


@app.command()
def accept(
    name: App,
    by: Annotated[str, typer.Option(help="Who accepts; it stands in the lock.", metavar="NAME")],
    tool: Tools = None,
    data: Data = None,
) -> None:
    """Accept files as they lie there now: edits, or tools that were not measured well enough. The gate must let them through."""
    from soundstage.synthesis.generate.upkeep import accept_files

    with _problems():
        done = accept_files(_root(data), name, tuple(tool or ()), by)
    print_text("accepted: " + (", ".join(done) or "nothing was open"))


@app.command()
def adopt(
    name: App,
    into: Annotated[Path, typer.Option(help="A checkout of Soundstage.", metavar="CHECKOUT")],
    data: Data = None,
) -> None:
    """Copy an app's accepted files into a source tree, where it is one of its own from then on."""
    from soundstage.synthesis.generate.upkeep import adopt_into

    with _problems():
        copied = adopt_into(_root(data), name, into)
    print_text(
        f"{len(copied)} files copied; what the tree asks of an app besides (docs, cases, aliases) is still to be written"
    )


def _generator(given: str, tokens: int | None, env: list[str]) -> Generator:
    from soundstage.models.asking import ModelError
    from soundstage.models.chat import BASE_URL, Chat
    from soundstage.models.command import Command
    from soundstage.synthesis.generate.generators import NoAnswer, Program, Scripted, Written

    kind, _, rest = given.partition(":")
    try:
        if kind == "chat" and not rest:
            model = Chat.from_environment()
            if model is None:
                fail(f"no model is named; set {BASE_URL}")
            return Written(model, tokens)
        if kind == "command" and rest:
            return Program(Command.read(rest, env, os.environ))
        if kind == "scripted" and rest:
            return Scripted(Path(rest))
    except (ModelError, NoAnswer) as error:
        fail(str(error))
    raise typer.BadParameter(f"--generator {given}: expected chat, command:PROGRAM or scripted:FOLDER")


def _shown(lock: dict[str, Any], json: bool) -> None:
    if json:
        print_json(lock)
        return
    rows = []
    for name, told in lock["tools"].items():
        held = told["held_out"]
        rows.append([
            name,
            told["answered_by"] + (" (thin)" if told["thin"] else ""),
            str(told["rounds"]),
            _share(held["outcome"]),
            _share(held["false_positives"]),
            _share(held["exact"]),
            _share(held["state"]),
            shortened("; ".join(told["why"]), 80),
        ])  # fmt: skip
    print_table(["tool", "answered by", "rounds", "outcome", "false positives", "exact", "state", "why not"], rows)
    episodes, whole = lock["whole"]["episodes"], lock["whole"]
    print_text(
        f"\nheld-out calls were looked at {lock['heldout_looks']} times; episodes that agree to their end: "
        f"{episodes['agree']} of {episodes['of']}"
        + ("" if whole["enough"] else "; too few, so nothing is served until somebody accepts it")
    )
    print_text(f"written by: {lock['generator']}; apart from everything by: {', '.join(whole['sandbox'])}")


def _share(rate: dict[str, Any]) -> str:
    if rate["rate"] is None:
        return "-"
    return f"{rate['count']}/{rate['of']} ({rate['low']:.0%}-{rate['high']:.0%})"


def _root(data: Path | None) -> Path:
    from soundstage.gateway.settings import APPS

    return data_folder(data) / APPS


def _planned(pool: Path, name: str | None) -> Planned:
    from soundstage.synthesis.traverse.plan import read_plan
    from soundstage.synthesis.traverse.pool import Pool

    found = read_plan(Pool(pool))
    return found if name is None else replace(found, plan=found.plan.model_copy(update={"app": name}))


def _quiet(line: str) -> None:
    """Nothing: what is printed is JSON."""


@contextmanager
def _problems() -> Iterator[None]:
    """Say what is wrong with a pool, an app or a generator, and end."""
    from soundstage.source import SourceError
    from soundstage.synthesis.generate.lock import LockError
    from soundstage.synthesis.generate.loop import SynthesisError
    from soundstage.synthesis.generate.sandbox import SandboxFailed
    from soundstage.synthesis.traverse.pool import PoolError

    try:
        yield
    except (PoolError, SourceError, SynthesisError, LockError, SandboxFailed) as error:
        fail(str(error))
