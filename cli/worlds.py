"""`soundstage worlds …`: build, show, check, export and import the worlds that sessions start from."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from soundstage.cli import options
from soundstage.cli.client import Control, data_folder
from soundstage.cli.options import controlled
from soundstage.cli.output import fail, print_json, print_table, print_text

if TYPE_CHECKING:
    from soundstage.models.asking import Model
    from soundstage.worlds import World
    from soundstage.worlds.builder.build import Built, Progress
    from soundstage.worlds.builder.papers import Papers
    from soundstage.worlds.builder.speech import Speech

app = typer.Typer(help="List, build, look at, check, export and import worlds.", invoke_without_command=True)

Name = Annotated[str, typer.Argument(help="A world's name.", metavar="WORLD")]
SpecPath = Annotated[str, typer.Argument(help="A spec file, its folder, or a world's name.", metavar="SPEC")]


@app.callback()
@controlled
def worlds(
    control: Control,
    context: typer.Context,
    json: options.Json = False,
) -> None:
    """List the worlds that sessions can start from, or work with one of them."""
    if context.invoked_subcommand is None:
        _list(control, json)


@app.command("list")
@controlled
def list_command(control: Control, json: options.Json = False) -> None:
    """List the worlds."""
    _list(control, json)


def _list(control: Control, json: bool) -> None:
    listed = control.request("GET", "/api/worlds")
    if json:
        print_json(listed)
    else:
        print_table(["world", "epoch", "what it is"], [[w["name"], w["epoch"], w["description"]] for w in listed])


@app.command()
def new(
    name: Annotated[str, typer.Argument(help="The world's name.", metavar="NAME")],
    data: options.Data = None,
) -> None:
    """Write a small complete world as the folder NAME: three people, two apps, a storyline. It can be built unchanged."""
    from soundstage.worlds import own_folder
    from soundstage.worlds.own import WorldNameError, check_name, write_starter

    try:
        check_name(name)
        if (own_folder(data_folder(data) / "worlds") / name).exists():
            fail(f"there is a world {name!r} already, see `soundstage worlds list`; give the new one another name")
        made = write_starter(name, Path())
    except WorldNameError as error:
        fail(str(error))
    except FileExistsError:
        fail(f"{Path(name).resolve()} is there already; give the world another name, or move it out of the way")
    except OSError as error:
        fail(f"{Path(name).resolve()} cannot be written ({error.strerror})")
    print_text("\n".join(str(path) for path in made))
    print_text(f"Change them as you like, then: soundstage worlds build {name}")


@app.command()
def build(
    spec: SpecPath,
    data: options.Data = None,
    corpus: Annotated[
        bool, typer.Option("--corpus", help="Take texts from the corpora even where a model is set.")
    ] = False,
    json: options.Json = False,
) -> None:
    """Build a world from its spec, check it, and store it for sessions.

    With SOUNDSTAGE_LLM_BASE_URL set, a model writes the missing texts; they are stored next to the spec.
    """
    from soundstage.models.asking import ModelError
    from soundstage.models.chat import Chat
    from soundstage.worlds import Content, keep, list_worlds, own_folder
    from soundstage.worlds.own import WorldNameError, adopted, check_name

    folder = data_folder(data) / "worlds"
    own = own_folder(folder)
    path = _spec(spec, own)
    try:
        model = None if corpus else Chat.from_environment()
    except ModelError as error:
        fail(str(error))
    built = _built(path, model)
    made = Content(built.state, built.names, built.people)
    name = built.sources.spec.world
    at_home = [w for w in list_worlds(own) if w.spec is not None and w.spec.resolve() == path.resolve()]
    if at_home and at_home[0].name != name:
        fail(
            f"{path}: `world: {name}` is in the folder of {at_home[0].name}; call it so, or build it from a folder of your own"
        )
    elif at_home:
        database = keep(at_home[0], made, folder)
    else:
        try:
            check_name(name)
        except WorldNameError as error:
            fail(f"{path}: `world`: {error}")
        with adopted(path, built.sources.files, name, own) as world:
            database = keep(world, made, folder)
    counts = _counts(built.state)
    if json:
        print_json({"world": name, "database": str(database), "rows": counts})
    else:
        print_text(f"{name}: {sum(sum(e.values()) for e in counts.values())} rows, checked, in {database}")


@app.command()
def show(
    world: Name,
    data: options.Data = None,
    picture: Annotated[
        Path | None, typer.Option("--picture", help="Write the timeline and the conversation graph as an SVG file.")
    ] = None,
    json: options.Json = False,
) -> None:
    """Show the content of a world: counts, people, storylines, figures."""
    from soundstage.worlds import content
    from soundstage.worlds.apps import all_wording
    from soundstage.worlds.builder.figures import figures
    from soundstage.worlds.builder.picture import draw, storyline_lines

    described = _world(world, data)
    if described.spec is None:
        counts = _counts(content(described).objects)
        if json:
            print_json({"world": described.name, "title": described.title, "rows": counts})
        else:
            print_text(f"{described.title}: {described.description}\n")
            _print_counts(counts)
        return
    built = _built(described.spec, None, checked=False)
    spec = built.sources.spec
    measured = figures(built.state, all_wording(), spec.zone)
    if picture is not None:
        picture.write_text(draw(built), encoding="utf-8")
    people = [
        {"key": p.key, "name": p.values["name"], "role": p.values.get("role", ""), "about": p.values.get("about", ""),
         "accounts": sorted(p.values["accounts"])}
        for p in built.plan.of_kind("person")
    ]  # fmt: skip
    if json:
        arcs = [
            {"storyline": a.key, "title": a.title, "beats": [{"at": at, "what": w} for at, w in a.beats]}
            for a in built.arcs
        ]
        print_json({"world": described.name, "title": described.title, "rows": _counts(built.state), "people": people,
                    "storylines": arcs, "figures": measured})  # fmt: skip
        return
    print_text(f"{described.title}: {described.description}\n")
    _print_counts(_counts(built.state))
    print_text("")
    print_table(["person", "role", "about"], [[str(p["name"]), str(p["role"]), str(p["about"])] for p in people])
    for line in storyline_lines(built):
        print_text(line)
    print_text("")
    print_table(["figure", ""], [[name, f"{value:.1f}"] for name, value in measured.items()])
    if picture is not None:
        print_text(f"\nThe picture is in {picture}")


@app.command()
def check(spec: SpecPath, data: options.Data = None, json: options.Json = False) -> None:
    """Check a world: schema, references, order, uniqueness, ids, real names, figures. Exits with 1 on findings.

    Also reports how each person writes and how diaries, lists and documents are worded, with remarks on people who cannot be
    distinguished and on implausible wording.
    """
    from soundstage.source import SourceError
    from soundstage.worlds import BrokenWorld, UnknownWorld, content, load_world, own_folder
    from soundstage.worlds.apps import all_wording
    from soundstage.worlds.builder import build
    from soundstage.worlds.builder.check import check_state
    from soundstage.worlds.builder.papers import papers, unlike_an_office
    from soundstage.worlds.builder.speech import sound_alike, speeches

    own = own_folder(data_folder(data) / "worlds")
    mistakes: list[str] = []
    spoken: list[Speech] = []
    read: list[Papers] = []
    try:
        world: World | None = load_world(spec, own)
    except (UnknownWorld, BrokenWorld):
        world = None
    if world is not None and world.spec is None:
        mistakes = [str(f) for f in check_state(content(world).objects, all_wording())]
    else:
        try:
            with _progress() as progress:
                built = build.build(_spec(spec, own), progress)
        except SourceError as error:
            mistakes = [str(m) for m in error.mistakes]
        else:
            mistakes = [str(f) for f in build.check(built)]
            spoken, read = speeches(built.plan), papers(built.plan)
    remarks = [f"{one.name} and {other.name} sound alike" for one, other in sound_alike(spoken)]
    remarks += unlike_an_office(read)
    if json:
        people, wording = [asdict(speech) for speech in spoken], [asdict(kind) for kind in read]
        print_json({"findings": mistakes, "remarks": remarks, "people": people, "papers": wording})
    else:
        if spoken:
            _print_speeches(spoken)
        if read:
            _print_papers(read)
        print_text("\n".join([*remarks, *mistakes]) if mistakes else "\n".join([*remarks, "no finding"]))
    if mistakes:
        raise typer.Exit(1)


def _print_speeches(spoken: list[Speech]) -> None:
    columns = [
        "person",
        "messages",
        "median length",
        "closed %",
        "contracted %",
        "emoji %",
        "acknowledging %",
        "languages %",
    ]
    print_table(columns, [
        [s.name, str(s.messages), str(s.median), str(s.closing), str(s.contractions), str(s.emoji), str(s.acknowledgements),
         ", ".join(f"{lang} {percent}" for lang, percent in s.languages.items())]
        for s in spoken
    ])  # fmt: skip


def _print_papers(read: list[Papers]) -> None:
    columns = ["kind", "number", "title length", "titles closed %", "described %", "length", "sentence", "contracted %"]
    print_table(columns, [
        [p.kind, str(p.number), str(p.title), str(p.titles_closed), str(p.described), str(p.text), str(p.sentence),
         str(p.contractions)]
        for p in read
    ])  # fmt: skip


@app.command("export")
def export_world(
    world: Name,
    output: Annotated[Path | None, typer.Option("--output", "-o", help="Write to a file instead of stdout.")] = None,
    data: options.Data = None,
) -> None:
    """Export a world as Context-Trees: {title, description, epoch, trees: {app: tree}}."""
    import apsw
    import orjson

    from soundstage.contexts.engine.clock import iso
    from soundstage.contexts.engine.store import open_context
    from soundstage.contexts.engine.tree import export_tree
    from soundstage.worlds import BrokenWorld, built

    content = _world(world, data)
    try:
        with _progress() as progress:
            database = built(content, data_folder(data) / "worlds", progress)
    except BrokenWorld as error:
        fail(str(error))
    context = open_context(apsw.Connection(str(database), flags=apsw.SQLITE_OPEN_READONLY))
    trees = {name: tree for name in context.tables if (tree := export_tree(context, name))}
    context.close()
    exported = {
        "title": content.title,
        "description": content.description,
        "epoch": iso(content.epoch_ms),
        "trees": trees,
    }
    if output is None:
        print_json(exported)
    else:
        output.write_bytes(orjson.dumps(exported, option=orjson.OPT_INDENT_2) + b"\n")


@app.command("import")
def import_world(
    file: Annotated[Path, typer.Argument(help="A file that export wrote, or one like it.")],
    name: Annotated[str, typer.Argument(help="The name of the new world.")],
    data: options.Data = None,
) -> None:
    """Import a world from Context-Trees; sessions can start from it at once."""
    import orjson

    from soundstage.bounded_input import JSON_LIMITS, Refused, file_bytes, read_json
    from soundstage.contexts.apps import shipped_tables
    from soundstage.contexts.engine.clock import parse_moment
    from soundstage.contexts.engine.schema import StateError
    from soundstage.contexts.engine.tree import flatten
    from soundstage.worlds import own_folder
    from soundstage.worlds.apps import all_wording
    from soundstage.worlds.builder.check import check_state
    from soundstage.worlds.own import WorldNameError, check_name

    try:
        check_name(name)
        wanted: dict[str, Any] = read_json(file_bytes(file, JSON_LIMITS))
        described = {k: str(wanted[k]) for k in ("title", "description", "epoch")}
        parse_moment(described["epoch"])
        tables = shipped_tables()
        state: dict[str, Any] = {}
        for app_name, tree in wanted["trees"].items():
            if app_name not in tables:
                fail(f"{file}: trees.{app_name}: unknown app; known: {', '.join(tables)}")
            state |= flatten(tables[app_name], tree)
    except WorldNameError as error:
        fail(str(error))
    except OSError as error:
        fail(f"{file} cannot be read ({error.strerror})")
    except Refused as refused:
        fail(f"{file} {refused}")
    except (KeyError, TypeError, AttributeError):
        fail(f"{file} is not an exported world: expected {{title, description, epoch, trees: {{app: tree}}}}")
    except (StateError, ValueError) as error:
        fail(f"{file}: {error}")
    home = own_folder(data_folder(data) / "worlds") / name
    shutil.rmtree(home, ignore_errors=True)
    (home / "state").mkdir(parents=True)
    (home / "world.json").write_bytes(orjson.dumps(described, option=orjson.OPT_INDENT_2) + b"\n")
    for app_name, entities in state.items():
        (home / "state" / f"{app_name}.json").write_bytes(orjson.dumps(entities, option=orjson.OPT_INDENT_2) + b"\n")
    findings = check_state(state, all_wording())
    rows = sum(len(v) for entities in state.values() for v in entities.values())
    print_text(
        f"{name}: {rows} rows"
        + (f"; the check has {len(findings)} findings, see `soundstage worlds check {name}`" if findings else "")
    )


def _built(path: Path, model: Model | None, *, checked: bool = True) -> Built:
    from soundstage.models.asking import ModelError
    from soundstage.source import SourceError
    from soundstage.worlds.builder.build import CheckFailed, build_checked
    from soundstage.worlds.builder.build import build as build_only

    try:
        with _progress() as progress:
            return (build_checked if checked else build_only)(path, progress, model=model)
    except ModelError as error:
        fail(f"{error}; the texts it wrote are stored: build again to continue")
    except (SourceError, CheckFailed) as error:
        fail(str(error))


@contextmanager
def _progress() -> Iterator[Progress]:
    """Show a progress bar on the error stream, one line for each item."""
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeElapsedColumn
    from rich.progress import Progress as Bar

    bar = Bar(
        TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn(), console=Console(stderr=True),
        transient=True,
    )  # fmt: skip
    tasks: dict[str, Any] = {}

    def tell(what: str, done: int, total: int) -> None:
        if what not in tasks:
            tasks[what] = bar.add_task(what, total=total)
        bar.update(tasks[what], completed=done, total=total)

    with bar:
        yield tell


def _spec(text: str, own: Path) -> Path:
    from soundstage.worlds import BrokenWorld, UnknownWorld, load_world

    path = Path(text)
    try:
        folder = path.is_dir()
        path = path / "spec.yaml" if folder else path
        if path.is_file():
            return path
    except (OSError, ValueError) as error:  # not a valid file name
        fail(f"{text[:100]!r} is not a readable file ({getattr(error, 'strerror', None) or error})")
    try:
        spec = load_world(text, own).spec
    except UnknownWorld as error:
        fail(f"{path if folder else text} is not a file; and {error}")
    except BrokenWorld as error:
        fail(str(error))
    if spec is None:
        fail(f"the world {text} has no spec: its objects are given as they are")
    return spec


def _world(name: str, data: Path | None) -> World:
    from soundstage.worlds import BrokenWorld, UnknownWorld, load_world, own_folder

    try:
        return load_world(name, own_folder(data_folder(data) / "worlds"))
    except (UnknownWorld, BrokenWorld) as error:
        fail(str(error))


def _counts(state: dict[str, dict[str, list[Any]]]) -> dict[str, dict[str, int]]:
    return {name: {entity: len(rows) for entity, rows in entities.items()} for name, entities in state.items()}


def _print_counts(counts: dict[str, dict[str, int]]) -> None:
    rows = [[name, entity, str(number)] for name, entities in counts.items() for entity, number in entities.items()]
    print_table(["app", "entity", "rows"], rows)
