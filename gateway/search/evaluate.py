"""Evaluate search: queries with their correct tools, over tools from a file or over Soundstage's own apps."""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import orjson

from soundstage.gateway.search.documents import Catalogue, Document, document_of
from soundstage.gateway.search.finder import ToolFinder
from soundstage.servers.catalogue import load_apps

DEPTH = 10
PERSONAS = ("problem-oriented", "goal-oriented", "category-aware", "function-specific", "tool-explicit")
"""Types of users, after HumanMCP (Laddha et al.): from the novice with a problem to the expert who names the tool."""

USER_QUERY_SOURCES = ("English, dev", "English, held", "Chinese, dev", "Chinese, held")
"""Everyday queries by language. Search was tuned on the failures of `dev`; the `held` ones are held out and were never inspected.
"""

_PERSONA_FILE = Path(__file__).parent / "personas.jsonl"
_USER_QUERY_FILE = Path(__file__).parent / "user_queries.jsonl"


class BadFile(Exception):
    """A file of tools or queries is invalid; the message names the file and the line."""


@dataclass(frozen=True, slots=True)
class Query:
    """A query, the ids (`server/name`) of its correct tools, any of which is a hit, and its source."""

    text: str
    gold: frozenset[str]
    source: str


@dataclass(frozen=True, slots=True)
class RankingMetrics:
    """Hit rates (in percent) among the first 1, 5 and 10 results, and the mean reciprocal rank within 10."""

    queries: int
    hit_1: float
    hit_5: float
    hit_10: float
    mrr_10: float


@dataclass(frozen=True, slots=True)
class Evaluation:
    """The results of an evaluation.

    Times are for one query in milliseconds; `cpu_ms` is the mean CPU time, which excludes waiting on a busy machine. Memory is
    the process's peak.
    """

    overall: RankingMetrics
    by_source: dict[str, RankingMetrics]
    tools: int
    model: bool
    index_s: float
    vectors_s: float
    p50_ms: float
    p99_ms: float
    cpu_ms: float
    memory_mb: float | None


def read_tools(file: Path) -> dict[str, Document]:
    """Read tools by id from a JSON lines file.

    Each line is {"server", "name", "description"?, "params"?, "param_docs"?, "server_description"?, "id"?}; the default id is
    server/name.

    Raises:
        BadFile: the message names the line.
    """
    tools: dict[str, Document] = {}
    for number, line in _lines(file):
        texts = {
            key: line.get(key, "") for key in ("server", "name", "description", "param_docs", "server_description")
        }
        parameters = line.get("params", [])
        wrong = [key for key, value in texts.items() if not isinstance(value, str)]
        if wrong or not texts["name"]:
            raise BadFile(f"{file}, line {number}: {(wrong or ['name'])[0]} must be a text")
        if not isinstance(parameters, list) or not all(isinstance(p, str) for p in parameters):
            raise BadFile(f"{file}, line {number}: params must be a list of names")
        key = str(line.get("id", f"{texts['server']}/{texts['name']}"))
        if key in tools:
            raise BadFile(f"{file}, line {number}: there is a tool {key!r} already")
        tools[key] = Document(
            name=texts["name"],
            server=texts["server"],
            description=texts["description"],
            parameters=tuple(parameters),
            parameter_texts=texts["param_docs"],
            server_description=texts["server_description"],
        )
    if not tools:
        raise BadFile(f"{file} has no tools")
    return tools


def read_queries(file: Path, known: Iterable[str]) -> list[Query]:
    """Read queries from a JSON lines file: {"query", "gold": [tool ids], "source"?}.

    Raises:
        BadFile: a line is invalid, or names a tool id that is not in `known`.
    """
    ids = set(known)
    queries: list[Query] = []
    for number, line in _lines(file):
        text, gold = line.get("query"), line.get("gold")
        if not isinstance(text, str) or not isinstance(gold, list) or not gold:
            raise BadFile(f'{file}, line {number}: expected {{"query": text, "gold": [tool ids]}}')
        strange = next((g for g in gold if g not in ids), None)
        if strange is not None:
            raise BadFile(f"{file}, line {number}: there is no tool {strange!r}")
        queries.append(Query(text, frozenset(gold), str(line.get("source", "all"))))
    if not queries:
        raise BadFile(f"{file} has no queries")
    return queries


def own_tools() -> dict[str, Document]:
    """Return the tools of Soundstage's own apps by id, `app/name`."""
    return {
        f"{app.name}/{tool.name}": document_of(app, tool) for app in load_apps().values() for tool in app.tools.values()
    }


def persona_queries() -> list[Query]:
    """Return the project's own queries for its apps' tools; their source is the persona."""
    return [
        Query(line[persona], frozenset(line["tools"]), persona)
        for _, line in _lines(_PERSONA_FILE)
        for persona in PERSONAS
    ]


def user_queries() -> list[Query]:
    """Return everyday queries for the own apps' tools, two for each tool and language.

    Their source is one of `USER_QUERY_SOURCES`.
    """
    return read_queries(_USER_QUERY_FILE, own_tools())


def evaluate(tools: dict[str, Document], queries: Sequence[Query], finder: ToolFinder) -> Evaluation:
    """Run every query. If the finder's data folder has a model, its vectors are computed first."""
    catalogue, ids = Catalogue(tools.values()), tuple(tools)
    started = time.perf_counter()
    finder.index(catalogue)
    indexed = time.perf_counter()
    finder.prepare(catalogue)
    prepared = time.perf_counter()
    finder.search(catalogue, queries[0].text, DEPTH)
    ranks: list[int | None] = []
    cpu = time.process_time()
    times: list[float] = []
    for query in queries:
        before = time.perf_counter()
        hits = finder.search(catalogue, query.text, DEPTH)
        times.append((time.perf_counter() - before) * 1000)
        ranks.append(next((n for n, hit in enumerate(hits, 1) if ids[hit.position] in query.gold), None))
    cpu = time.process_time() - cpu
    sources = list(dict.fromkeys(q.source for q in queries))
    by_source = {
        source: _metrics([r for r, q in zip(ranks, queries, strict=True) if q.source == source]) for source in sources
    }
    return Evaluation(
        overall=_metrics(ranks),
        by_source=by_source,
        tools=len(ids),
        model=finder.has_vectors(catalogue),
        index_s=indexed - started,
        vectors_s=prepared - indexed,
        p50_ms=float(np.percentile(times, 50)),
        p99_ms=float(np.percentile(times, 99)),
        cpu_ms=1000 * cpu / len(queries),
        memory_mb=_memory_mb(),
    )


def _metrics(ranks: Sequence[int | None]) -> RankingMetrics:
    def share(depth: int) -> float:
        return 100 * sum(r is not None and r <= depth for r in ranks) / len(ranks)

    mrr = sum(1 / r for r in ranks if r is not None) / len(ranks)
    return RankingMetrics(len(ranks), share(1), share(5), share(DEPTH), mrr)


def _lines(file: Path) -> Iterable[tuple[int, dict[str, Any]]]:
    try:
        content = file.read_bytes()
    except OSError as error:
        raise BadFile(f"{file} cannot be read ({error.strerror or error})") from None
    for number, raw in enumerate(content.splitlines(), 1):
        if not raw.strip():
            continue
        try:
            line = orjson.loads(raw)
        except orjson.JSONDecodeError as error:
            raise BadFile(f"{file}, line {number}: no JSON ({error})") from None
        if not isinstance(line, dict):
            raise BadFile(f"{file}, line {number}: expected an object")
        yield number, line


def _memory_mb() -> float | None:
    try:
        import resource
        import sys
    except ImportError:  # Windows
        return None
    unit = 1 if sys.platform == "darwin" else 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit / 1e6
