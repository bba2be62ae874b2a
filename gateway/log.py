"""Structured logs: one JSON object a line on stderr, each call with its id (`<session id>:<step>`), never a handle."""

from __future__ import annotations

import contextlib
import logging
import sys
from typing import TextIO, cast

import orjson
import structlog

log: structlog.stdlib.BoundLogger = structlog.get_logger("backlot")


def configure(*, level: int, **always: object) -> None:
    """Set up logging for this process, libraries included.

    `level` is one of the `logging` module's; every line says what is in `always`.
    """

    def add(logger: object, method: str, entry: structlog.typing.EventDict) -> structlog.typing.EventDict:
        return {**entry, **always}

    shared: list[structlog.typing.Processor] = [
        add,
        structlog.processors.add_log_level,
        structlog.processors.TimeStamper(fmt="iso", utc=True),
        structlog.processors.format_exc_info,
    ]
    structlog.configure(
        processors=[*shared, structlog.processors.JSONRenderer(serializer=_json)],
        wrapper_class=structlog.make_filtering_bound_logger(level),
        logger_factory=structlog.WriteLoggerFactory(file=cast(TextIO, _Stderr())),
        cache_logger_on_first_use=True,
    )
    # What libraries log goes the same way, from warnings on: uvicorn and the MCP SDK tell each request at INFO.
    handler = logging.StreamHandler(sys.stderr)
    render = structlog.processors.JSONRenderer()
    handler.setFormatter(structlog.stdlib.ProcessorFormatter(processor=render, foreign_pre_chain=shared))
    logging.basicConfig(handlers=[handler], level=max(level, logging.WARNING), force=True)


class _Stderr:
    """Standard error, which may be a file on a full disk: a line that cannot be written is lost, and nothing else."""

    def __init__(self) -> None:
        self._file = sys.stderr

    def write(self, text: str) -> None:
        with contextlib.suppress(OSError):
            self._file.write(text)

    def flush(self) -> None:
        with contextlib.suppress(OSError):
            self._file.flush()


def _json(entry: dict[str, object], default: object = None) -> str:
    return orjson.dumps(entry, default=repr).decode()
