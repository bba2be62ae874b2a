"""`soundstage search` and `soundstage search-eval`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from soundstage.cli import options
from soundstage.cli.client import Control
from soundstage.cli.options import controlled
from soundstage.cli.output import fail, print_json, print_table, print_text
from soundstage.gateway.settings import default_data_folder

if TYPE_CHECKING:
    from soundstage.gateway.search.evaluate import Evaluation, RankingMetrics


@controlled
def search(
    control: Control,
    query: Annotated[str, typer.Argument(help="The action that the tool should perform.")],
    k: Annotated[int, typer.Option("-k", help="How many tools to show, 1 to 50.")] = 5,
    app: Annotated[str | None, typer.Option(help="Only tools of this app.")] = None,
    json: options.Json = False,
) -> None:
    """Search for tools by a description of the action."""
    params = {"q": query, "k": k} | ({} if app is None else {"app": app})
    hits = control.request("GET", "/api/search", params=params)
    if json:
        print_json(hits)
    elif not hits:
        from soundstage.gateway.search.declared import nothing_found

        print_text(nothing_found(app))
    else:
        rows = [[f"{t['score']:.2f}", t["app"], t["name"], t["description"]] for t in hits]
        print_table(["score", "app", "tool", "what it does"], rows)


def search_eval(
    tools: Annotated[
        Path | None,
        typer.Argument(help="Tools, one JSON object a line; Soundstage's own when left out.", metavar="TOOLS"),
    ] = None,
    queries: Annotated[
        Path | None, typer.Argument(help="Queries with the tools that answer them.", metavar="QUERIES")
    ] = None,
    errands: Annotated[
        bool,
        typer.Option(
            "--errands",
            help="For Soundstage's own apps: plain user queries in English and Chinese instead of personas.",
        ),
    ] = False,
    words_only: Annotated[bool, typer.Option("--words-only", help="Leave the model out, if one is installed.")] = False,
    data: options.Data = None,
    json: options.Json = False,
) -> None:
    """Measure search over a file of tools, or over Soundstage's own apps with persona or user queries."""
    from soundstage.gateway.search.evaluate import (
        BadFile,
        evaluate,
        own_tools,
        persona_queries,
        read_queries,
        read_tools,
        user_queries,
    )
    from soundstage.gateway.search.finder import ToolFinder

    if tools is not None and queries is None:
        fail("name a file of queries too: soundstage search-eval TOOLS QUERIES")
    if tools is not None and errands:
        fail("--errands are for Soundstage's own apps; leave out TOOLS and QUERIES, or the option")
    try:
        known = own_tools() if tools is None else read_tools(tools)
        own = user_queries if errands else persona_queries
        chosen_queries = own() if queries is None else read_queries(queries, known)
    except BadFile as error:
        fail(str(error))
    finder = ToolFinder(data or default_data_folder(), use_model=not words_only, keep=False)
    try:
        measured = evaluate(known, chosen_queries, finder)
    finally:
        finder.close()
    if json:
        from dataclasses import asdict

        print_json(asdict(measured))
    else:
        _show(measured)


def _show(measured: Evaluation) -> None:
    rows = [_row(source, metrics) for source, metrics in measured.by_source.items()]
    if len(rows) != 1:
        rows.append(_row("overall", measured.overall))
    print_table(["source", "queries", "Hit@1", "Hit@5", "Hit@10", "MRR@10"], rows)
    print_text("")
    model = "words and model" if measured.model else "words alone"
    memory = "" if measured.memory_mb is None else f"; {measured.memory_mb:.0f} MB of memory"
    vectors = f", vectors in {measured.vectors_s:.1f} s" if measured.model else ""
    print_text(
        f"{measured.tools} tools, ranked by {model}: index in {measured.index_s:.2f} s{vectors}; "
        f"a query takes {measured.p50_ms:.2f} ms (p50), {measured.p99_ms:.2f} ms (p99), {measured.cpu_ms:.2f} ms of CPU{memory}"
    )


def _row(source: str, metrics: RankingMetrics) -> list[str]:
    shares = (metrics.hit_1, metrics.hit_5, metrics.hit_10)
    return [source, str(metrics.queries), *(f"{share:.1f}" for share in shares), f"{metrics.mrr_10:.3f}"]
