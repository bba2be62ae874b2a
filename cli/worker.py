"""What a worker of `soundstage serve --workers` runs."""

from __future__ import annotations

from soundstage.cli.composed import build
from soundstage.gateway.serving.worker import run


def main() -> None:
    """Serve as a worker: a process of its own, started by name."""
    run(build)
