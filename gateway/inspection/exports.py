"""Export a session, or a part of it, as chunks of JSON."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import orjson

from soundstage.contexts.engine import journal, state, tree
from soundstage.contexts.engine.store import Context
from soundstage.gateway.faults.ledger import ledger
from soundstage.gateway.journal.lines import difference, lines
from soundstage.gateway.sessions.at_step import at_step

_PIECE = 64 * 1024


def journal_lines(context: Context, after: int, limit: int | None, kind: journal.Kind | None) -> Iterator[bytes]:
    """Yield the journal as NDJSON; see `lines`."""
    return pieces(orjson.dumps(line) + b"\n" for line in lines(context, after=after, limit=limit, kind=kind))


def changes(context: Context, start: int, end: int | None) -> Iterator[bytes]:
    """Yield the net changes between two steps as a list; see `difference`."""
    return _list(difference(context, start=start, end=end))


def ledger_of(context: Context) -> Iterator[bytes]:
    """Yield every fault of the session as a list; see `ledger`."""
    return _list(ledger(context))


def objects(context: Context, app: str | None, entity: str | None, at: int | None) -> Iterator[bytes]:
    """Yield the objects, now or after step `at`; see `state.dump`."""
    with at_step(context, at) as then:
        yield from _cut(orjson.dumps(state.dump(then, app, entity)))


def app_tree(context: Context, app: str, path: str | None) -> Iterator[bytes]:
    """Yield an app's objects as a tree, or the part at a path of it."""
    part = tree.export_tree(context, app) if path is None else tree.find(context, app, path)
    return _cut(orjson.dumps(part))


def pieces(texts: Iterable[bytes]) -> Iterator[bytes]:
    """Join texts to chunks of a reasonable size. If a text raises an error, the earlier texts are yielded first."""
    chunk: list[bytes] = []
    size = 0
    try:
        for text in texts:
            chunk.append(text)
            size += len(text)
            if size >= _PIECE:
                whole, chunk, size = b"".join(chunk), [], 0
                yield from _cut(whole)
    except Exception:
        if chunk:
            yield b"".join(chunk)
        raise
    yield b"".join(chunk)


def _list(values: Iterable[object]) -> Iterator[bytes]:
    return pieces(_listed(values))


def _listed(values: Iterable[object]) -> Iterator[bytes]:
    before = b"["
    for value in values:
        yield before + orjson.dumps(value)
        before = b","
    yield b"[]" if before == b"[" else b"]"


def _cut(text: bytes) -> Iterator[bytes]:
    return (text[i : i + _PIECE] for i in range(0, len(text), _PIECE))
