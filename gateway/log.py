"""Structured logs: one JSON object a line on stderr, each call with its id (`<session id>:<step>`), never a handle."""

from __future__ import annotations

import contextlib
import logging
import os
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from datetime import UTC, datetime
from typing import Any, Literal

import orjson
import structlog

log: structlog.stdlib.BoundLogger = structlog.get_logger("soundstage")

Entry = dict[str, object]
_render: Callable[[object, str, Entry], bytes] | None = None  # None until `configure` has said how lines look


def configure(*, level: Literal["info", "warning", "error"], **always: object) -> None:
    """Set up logging for this process, libraries included; every line says what is in `always`."""
    global _render
    lowest = logging.getLevelNamesMapping()[level.upper()]
    _render = _renderer(always) if lowest <= logging.INFO else lambda *_: b""

    def add(logger: object, method: str, entry: structlog.typing.EventDict) -> structlog.typing.EventDict:
        return {**entry, **always}

    shared: list[structlog.typing.Processor] = [
        add,
        structlog.processors.add_log_level,
        structlog.processors.TimeStamper(fmt="iso", utc=True),
        structlog.processors.format_exc_info,
    ]
    structlog.configure(
        processors=[_renderer(always)],
        wrapper_class=structlog.make_filtering_bound_logger(lowest),
        logger_factory=lambda *names: _Stderr(),
        cache_logger_on_first_use=True,
    )
    # Libraries log the same way, warnings and errors only: uvicorn and the MCP SDK log each request at INFO.
    handler = logging.StreamHandler(sys.stderr)
    render = structlog.processors.JSONRenderer()
    handler.setFormatter(structlog.stdlib.ProcessorFormatter(processor=render, foreign_pre_chain=shared))
    logging.basicConfig(handlers=[handler], level=max(lowest, logging.WARNING), force=True)


@contextlib.contextmanager
def quiet() -> Iterator[None]:
    """Log nothing inside the block: measuring an app reports its exceptions as results."""
    processors = structlog.get_config()["processors"]  # loggers share this list
    before = list(processors)
    processors[:] = [_drop]
    try:
        yield
    finally:
        processors[:] = before


def _drop(logger: object, method: str, entry: structlog.typing.EventDict) -> structlog.typing.EventDict:
    raise structlog.DropEvent


def log_together(event: str, entries: Iterable[Entry]) -> None:
    """Log past events together at level info: one line for each entry, which has its `timestamp`."""
    if _render is None:
        for entry in entries:
            log.info(event, **entry)
        return
    render = _render
    _Stderr().write(b"".join([render(None, "info", {**entry, "event": event}) for entry in entries]))


class _Stderr:
    """Standard error, which may be a file on a full disk: a line that cannot be written is dropped silently."""

    def write(self, line: bytes) -> None:
        """Write one line at once, because several processes may share the file."""
        with contextlib.suppress(OSError, ValueError):
            os.write(sys.stderr.fileno(), line)

    debug = info = warning = error = critical = exception = msg = write


def _renderer(always: Mapping[str, object]) -> Callable[[object, str, Any], bytes]:
    """Return a formatter of lines as JSON: one structlog processor instead of several, because every call is logged."""

    def render(logger: object, method: str, entry: structlog.typing.EventDict) -> bytes:
        if "exc_info" in entry:
            entry = structlog.processors.format_exc_info(logger, method, entry)
        entry.update(always)
        entry["level"] = method
        entry["timestamp"] = entry.pop("timestamp", None) or datetime.now(UTC)
        return orjson.dumps(entry, default=repr, option=_JSON_LINE)

    return render


_JSON_LINE = orjson.OPT_APPEND_NEWLINE | orjson.OPT_UTC_Z
