"""`soundstage synthesise …`: create a simulated app from a recording, with each tool measured on held-out calls."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from soundstage.cli import options
from soundstage.cli.client import data_folder
from soundstage.cli.output import FAILED, fail, print_json, print_table, print_text, shortened

if TYPE_CHECKING:
    from soundstage.synthesis.generate.ablation import LevelResult
    from soundstage.synthesis.generate.generators import Generator
    from soundstage.synthesis.generate.lock import Lock
    from soundstage.synthesis.generate.loop import PlannedRequest
    from soundstage.synthesis.generate.prompt_level import PromptLevel
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
    """Show the plan for a recording: facts, entities, calls by share, and the size of the requests. Sends no request."""
    from soundstage.synthesis.generate.forecast import forecast

    with _problems():
        preview = forecast(_planned(pool, name))
        if json:
            print_json(preview)
            return
        print_text(f"{preview['app']}: {preview['envelope']}")
        for name, entity in preview["entities"].items():
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
            for t in preview["tools"]
        ]
        print_table(["tool", "effect", "train", "dev", "held-out", "brief", ""], rows)
        print_text(f"\nAbout {preview['tokens']} tokens to read for one round of each.")


@app.command()
def run(
    pool: PoolPath,
    generator: Annotated[
        str,
        typer.Option(
            help="The writer: chat (the model that SOUNDSTAGE_LLM_BASE_URL names), command:PROGRAM, or scripted:FOLDER.",
            metavar="KIND",
        ),
    ],
    name: Named = None,
    tool: Tools = None,
    changed: Annotated[bool, typer.Option("--changed", help="Only tools whose schema or calls have changed.")] = False,
    rounds: Annotated[int, typer.Option(min=1, max=10, help="How often a tool is tried at most.")] = 4,
    tokens: Annotated[int | None, typer.Option(min=1, help="How many tokens a model may take in all.")] = None,
    knowing: Annotated[
        str,
        typer.Option(
            help="Content of the prompt: schema, seeds, adversarial, sequences or accepted, each with all before it. "
            "With less than all, candidates are measured for `report --ablation`, and nothing is served.",
            metavar="LEVEL",
        ),
    ] = "accepted",
    longest: Annotated[int, typer.Option(min=1, help="How many tokens one answer of a model may have.")] = 8000,
    best_of: Annotated[
        int, typer.Option("--best-of", min=1, max=16, help="Candidates per round; the best one is continued.")
    ] = 1,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Show the requests and their maximum cost; send and write nothing.")
    ] = False,
    private: Annotated[
        bool, typer.Option("--private", help="Keep the server's own descriptions: for a package that is not shared.")
    ] = False,
    allow_unconfined: options.AllowUnconfined = False,
    env: Annotated[
        list[str] | None, typer.Option(help="A variable that the program is to have; repeatable.", metavar="NAME")
    ] = None,
    data: Data = None,
    json: options.Json = False,
) -> None:
    """Generate each tool, test it in isolation, repair its errors, and measure it on held-out calls.

    Tools that meet the thresholds are accepted, and served after the next start. Exits with 1 if no tool is accepted.
    """
    from soundstage.synthesis.generate.generators import CachedGenerator, NoGenerator, ScriptedGenerator
    from soundstage.synthesis.generate.lock import CANDIDATES
    from soundstage.synthesis.generate.loop import Options, Synthesis
    from soundstage.synthesis.generate.prompt_level import ALL
    from soundstage.synthesis.generate.sandbox import Sandbox

    options.allow_unconfined(allow_unconfined)
    root = _root(data)
    level = _level(knowing)
    if level != ALL and (tool or changed):
        raise typer.BadParameter("--knowing is about all tools: leave out --tool and --changed")
    wanted = Options(tuple(tool or ()), changed, private, rounds, level, best_of=best_of)
    with _problems():
        planned = _planned(pool, name)
        if dry_run:
            no_generator = NoGenerator(generator)
            questions = Synthesis(planned, root, no_generator, Sandbox(), wanted, _quiet).planned_requests()
            _show_questions(questions, rounds * best_of, longest, tokens, json)
            return
        record_file = root / CANDIDATES / f"{planned.plan.app}.generations.jsonl"
        record_file.parent.mkdir(parents=True, exist_ok=True)
        writer: Generator = _generator(generator, tokens, longest, env or [])
        if not isinstance(writer, ScriptedGenerator):  # reading a folder again is cheap, and its files may have changed
            writer = CachedGenerator(writer, record_file)
        with Sandbox() as sandbox:
            synthesis = Synthesis(planned, root, writer, sandbox, wanted, _quiet if json else print_text)
            if level != ALL:
                _levels({level: synthesis.measure_level()}, json)
                return
            lock = synthesis.run()
    _shown(lock.as_json(), json)
    if not any(entry["answered_by"] == "kernel" for entry in lock.tools.values()):
        raise typer.Exit(FAILED)


@app.command()
def status(name: App, data: Data = None, json: options.Json = False) -> None:
    """Show the origin of each file, whether it was edited, and whether it is accepted."""
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
    ablation: Annotated[
        bool,
        typer.Option(
            "--ablation", help="Instead, what each kind of recorded call is worth: a line for each `run --knowing`."
        ),
    ] = False,
    pool: Annotated[
        Path | None, typer.Option("--pool", help="The recording that the app was made of, for --keep.", metavar="POOL")
    ] = None,
    keep: Annotated[
        Path | None,
        typer.Option(
            "--keep", help="Keep the figures, and how far the recording went, for `soundstage parity`.", metavar="FILE"
        ),
    ] = None,
    reached: Annotated[
        str | None,
        typer.Option(
            "--reached", help="Branches of the server's code that the recording reached, for --keep.", metavar="N/ALL"
        ),
    ] = None,
    judged: Annotated[
        Path | None,
        typer.Option(
            "--judged",
            help="Recordings of others, as `fidelity --json` has judged the app by them, for --keep.",
            metavar="FILE",
        ),
    ] = None,
    data: Data = None,
    json: options.Json = False,
) -> None:
    """Show each tool: rounds, scores on held-out calls with n and interval, differences, and cost."""
    from soundstage.synthesis.generate import ablation as levels
    from soundstage.synthesis.generate.lock import read_lock
    from soundstage.synthesis.generate.report import page
    from soundstage.synthesis.generate.upkeep import file_states

    if ablation:
        with _problems():
            results = levels.read_levels(_root(data), name)
            if html is not None:
                html.write_text(levels.page(name, results), "utf-8")
        _levels(results, json)
        return
    with _problems():
        lock = read_lock(_root(data), name)
        if html is not None:
            html.write_text(page(lock, file_states(_root(data), name)), "utf-8")
        if keep is not None:
            if pool is None:
                raise typer.BadParameter("--keep needs --pool, the recording that the app was made of")
            _keep(lock, _planned(pool, name), levels.stored_levels(_root(data), name), keep, reached, judged)
    _shown(lock.as_json(), json)


@app.command()
def accept(
    name: App,
    by: Annotated[str, typer.Option(help="The name of the person who accepts; stored in the lock.", metavar="NAME")],
    tool: Tools = None,
    data: Data = None,
) -> None:
    """Accept the current files: edits, or tools below the thresholds. They must pass the checks."""
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
    """Copy an app's accepted files into a source tree, where it becomes a regular app."""
    from soundstage.synthesis.generate.upkeep import adopt_into

    with _problems():
        copied = adopt_into(_root(data), name, into)
    print_text(
        f"{len(copied)} files copied; the docs, cases and aliases that the tree requires of an app are still missing"
    )


def _show_questions(parts: Sequence[PlannedRequest], each: int, longest: int, tokens: int | None, json: bool) -> None:
    """Print the requests of a run. A model may receive a few more if an answer cannot be used."""
    from dataclasses import asdict

    from soundstage.synthesis.generate.loop import ONCE

    counted = [one for one in parts if one.tokens is not None]
    questions = sum(1 if one.what == ONCE else each for one in counted)
    reads = sum((one.tokens or 0) * (1 if one.what == ONCE else each) for one in counted)
    if json:
        print_json({
            "parts": [asdict(one) for one in parts], "questions": questions, "tokens_in": reads,
            "tokens_out_at_most": questions * longest, "tokens_at_most": tokens,
        })  # fmt: skip
        return
    rows = [[one.part, one.what, "" if one.tokens is None else f"{one.tokens}"] for one in parts]
    print_table(["part", "", "tokens of its brief"], rows)
    print_text(
        f"\nAt most {questions} questions ({each} for a tool, fewer where one is right), each up to 4 times where a model's "
        f"answer cannot be used; about {reads} input tokens if each is asked once, plus the errors to repair; answers of "
        f"at most {longest} tokens."
    )
    print_text(f"--tokens {tokens} ends it." if tokens is not None else "Without --tokens nothing ends it before.")


def _generator(given: str, tokens: int | None, longest: int, env: list[str]) -> Generator:
    from soundstage.models.asking import ModelError
    from soundstage.models.chat import BASE_URL, Chat
    from soundstage.models.command import Command
    from soundstage.synthesis.generate.generators import CommandGenerator, ModelGenerator, NoAnswer, ScriptedGenerator

    kind, _, rest = given.partition(":")
    try:
        if kind == "chat" and not rest:
            model = Chat.from_environment()
            if model is None:
                fail(f"no model is named; set {BASE_URL}")
            return ModelGenerator(model, tokens, longest)
        if kind == "command" and rest:
            return CommandGenerator(Command.read(rest, env, os.environ))
        if kind == "scripted" and rest:
            return ScriptedGenerator(Path(rest))
    except (ModelError, NoAnswer) as error:
        fail(str(error))
    raise typer.BadParameter(f"--generator {given}: expected chat, command:PROGRAM or scripted:FOLDER")


def _keep(
    lock: Lock,
    planned: Planned,
    levels: Mapping[PromptLevel, LevelResult],
    to: Path,
    reached: str | None,
    judged: Path | None,
) -> None:
    """Store an app's results for the parity page."""
    import json
    from datetime import UTC, datetime

    from soundstage.synthesis.generate.parity import result_of

    run, _, there = (reached or "").partition("/")
    if reached and not (run.isdecimal() and there.isdecimal()):
        raise typer.BadParameter(f"--reached {reached}: expected N/ALL, such as 47/48")
    summary = result_of(
        lock, planned, levels, at=datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ"),
        reached=(int(run), int(there)) if reached else None,
        judged=None if judged is None else json.loads(judged.read_text("utf-8")),
    )  # fmt: skip
    to.parent.mkdir(parents=True, exist_ok=True)
    to.write_text(json.dumps(summary, ensure_ascii=False, indent=1) + "\n", "utf-8")


def _level(given: str) -> PromptLevel:
    from soundstage.synthesis.generate.prompt_level import LEVELS

    known_level = next((level for level in LEVELS if level == given), None)
    if known_level is None:
        raise typer.BadParameter(f"--knowing {given}: expected one of {', '.join(LEVELS)}")
    return known_level


def _levels(levels: Mapping[PromptLevel, LevelResult], json: bool) -> None:
    """Print the measurements of candidates by the prompt level of their generators."""
    from soundstage.synthesis.generate.ablation import FIGURES, rows

    if json:
        print_json(levels)
        return
    print_table(["knowing", "calls", *(figure.replace("_", " ") for figure in FIGURES)], rows(levels))
    writers = dict.fromkeys(one["generator"] for one in levels.values())
    for writer in writers:
        whose = ", ".join(name for name, one in levels.items() if one["generator"] == writer)
        print_text(f"{whose}: written by {writer}")


def _shown(lock: dict[str, Any], json: bool) -> None:
    if json:
        print_json(lock)
        return
    from soundstage.synthesis.generate.ablation import shown_rate

    rows = []
    for name, entry in lock["tools"].items():
        held_out = entry["held_out"]
        rows.append([
            name,
            entry["answered_by"] + (" (thin)" if entry["thin"] else ""),
            str(entry["rounds"]),
            shown_rate(held_out["outcome"]),
            shown_rate(held_out["false_positives"]),
            shown_rate(held_out["exact"]),
            shown_rate(held_out["state"]),
            shortened("; ".join(entry["why"]), 80),
        ])  # fmt: skip
    print_table(["tool", "answered by", "rounds", "outcome", "false positives", "exact", "state", "why not"], rows)
    episodes, whole = lock["whole"]["episodes"], lock["whole"]
    print_text(
        f"\nheld-out calls were looked at {lock['heldout_looks']} times; episodes that agree to their end: "
        f"{episodes['agree']} of {episodes['of']}"
        + ("" if whole["enough"] else "; too few, so no tool is served until a person accepts it")
    )
    print_text(f"written by: {lock['generator']}; apart from everything by: {', '.join(whole['sandbox'])}")


def _root(data: Path | None) -> Path:
    from soundstage.gateway.settings import APPS

    return data_folder(data) / APPS


def _planned(pool: Path, name: str | None) -> Planned:
    from soundstage.synthesis.traverse.plan import read_plan
    from soundstage.synthesis.traverse.recording import Recording

    pool_plan = read_plan(Recording(pool))
    return pool_plan if name is None else replace(pool_plan, plan=pool_plan.plan.model_copy(update={"app": name}))


def _quiet(line: str) -> None:
    """Print nothing, because the output is JSON."""


@contextmanager
def _problems() -> Iterator[None]:
    """Exit with an error message on problems with a recording, an app or a generator."""
    from soundstage.source import SourceError
    from soundstage.synthesis.generate.lock import LockError
    from soundstage.synthesis.generate.loop import SynthesisError
    from soundstage.synthesis.generate.sandbox import SandboxFailed
    from soundstage.synthesis.traverse.recording import RecordingError

    try:
        yield
    except (RecordingError, SourceError, SynthesisError, LockError, SandboxFailed) as error:
        fail(str(error))
