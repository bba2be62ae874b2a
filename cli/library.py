"""`soundstage library …`: the facts that all sessions share. Lists and searches them, and checks their consistency."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from soundstage.cli import options
from soundstage.cli.client import data_folder
from soundstage.cli.output import FAILED, fail, print_json, print_table, print_text, shortened

if TYPE_CHECKING:
    from soundstage.contexts.engine.library import Library
    from soundstage.contexts.engine.schema import Entity

app = typer.Typer(
    help="Look at and check the library: places, web pages, companies and medicines. They are the same for all sessions.",
    invoke_without_command=True,
)

Realm = Annotated[str, typer.Argument(help="A kind of facts, such as places.", metavar="REALM")]
EntityName = Annotated[str, typer.Argument(help="A table of it, such as venue.", metavar="ENTITY")]
_SHOWN = 100
_LONG = 500


@app.callback()
def library(context: typer.Context, data: options.Data = None, json: options.Json = False) -> None:
    """List the kinds of facts with their numbers."""
    if context.invoked_subcommand is not None:
        return
    opened = _library(data)
    counts = opened.counts()
    if json:
        print_json({"digest": opened.digest, "realms": counts})
        return
    rows = [[realm, entity, str(count)] for realm, entities in counts.items() for entity, count in entities.items()]
    print_table(["realm", "entity", "facts"], rows)
    print_text(f"\ndigest {opened.digest}")


@app.command()
def show(
    realm: Realm,
    entity: EntityName,
    key: Annotated[str | None, typer.Argument(help="The key of one fact; without it the first are listed.")] = None,
    limit: Annotated[int, typer.Option(min=1, help="How many are listed.")] = 20,
    data: options.Data = None,
    json: options.Json = False,
) -> None:
    """Show one complete fact, or list some."""
    from soundstage.contexts.engine.library import key_text

    opened = _library(data)
    declared = _entity(opened, realm, entity)
    if key is not None:
        one = opened.by_text(realm, entity, key)
        if one is None:
            fail(f"there is no {realm} {entity} {key!r}; its key is {'/'.join(declared.key)}")
        print_json(one)
        return
    facts = opened.list(realm, entity, limit=limit)
    if json:
        print_json(facts)
    else:
        print_table(["key", "what it is"], [[key_text(declared, row), shortened(_line(row), _SHOWN)] for row in facts])


@app.command()
def find(
    words: Annotated[str, typer.Argument(help="Part of a name or a text, in any case.")],
    limit: Annotated[int, typer.Option(min=1, help="How many of each kind are listed.")] = 5,
    data: options.Data = None,
    json: options.Json = False,
) -> None:
    """Find facts of every kind by a name."""
    facts = list(_library(data).find(words, limit))
    if json:
        print_json([asdict(one) for one in facts])
    else:
        rows = [[one.realm, one.entity, one.key, shortened(_line(one.fact), _SHOWN)] for one in facts]
        print_table(["realm", "entity", "key", "what it is"], rows)


@app.command()
def check(data: options.Data = None, json: options.Json = False) -> None:
    """Check the library's consistency: links, addresses, codes, names. Exits with 1 on findings."""
    from soundstage.worlds.library.check import check as check_library

    findings = check_library(_library(data))
    if json:
        print_json({"ok": not findings, "findings": [str(finding) for finding in findings]})
    else:
        for finding in findings:
            print_text(str(finding))
        print_text(f"{len(findings)} findings" if findings else "the library holds together")
    if findings:
        raise typer.Exit(FAILED)


@app.command()
def build(data: options.Data = None) -> None:
    """Build the library now instead of at its first use, and print the path of its file."""
    from soundstage.worlds.library import built

    print_text(str(built(data_folder(data) / "worlds")))


def _library(data: Path | None) -> Library:
    from soundstage.contexts.engine.library import shared
    from soundstage.worlds.library import serve

    serve(data_folder(data) / "worlds")
    return shared()


def _entity(opened: Library, realm: str, entity: str) -> Entity:
    declared = opened.declared(realm, entity)
    if declared is None:
        known = ", ".join(f"{r} {e}" for r, entities in opened.counts().items() for e in entities)
        fail(f"there are no facts called {realm!r} {entity!r}; known: {known}")
    return declared


def _line(fact: dict[str, Any]) -> str:
    """Format a fact on one line. Only the length of long values is shown; `show` with the key prints them."""
    return "; ".join(f"{name}: {_value_text(str(value))}" for name, value in fact.items())


def _value_text(value: str) -> str:
    return value if len(value) <= _LONG else f"({len(value):,} characters)"
