"""Structured logs: one JSON object a line on stderr, each call with its id (`<session id>:<step>`), never a handle."""

from __future__ import annotations

import sys

import structlog

log: structlog.typing.FilteringBoundLogger = structlog.get_logger("backlot")


def configure(*, level: int) -> None:
    """Set up logging for this process. `level` is one of the `logging` module's."""
    structlog.configure(
        processors=[
            structlog.processors.add_log_level,
            structlog.processors.TimeStamper(fmt="iso", utc=True),
            structlog.processors.format_exc_info,
            structlog.processors.JSONRenderer(sort_keys=False),
        ],
        wrapper_class=structlog.make_filtering_bound_logger(level),
        logger_factory=structlog.WriteLoggerFactory(file=sys.stderr),
    )
