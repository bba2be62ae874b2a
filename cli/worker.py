"""The program of a worker of `soundstage serve --workers`."""

from __future__ import annotations

from soundstage.cli.composed import build
from soundstage.gateway.serving.worker import run


def main() -> None:
    """Serve as a worker process."""
    run(build)
