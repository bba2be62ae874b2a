"""Options of `soundstage serve` that limit the resources of clients."""

from __future__ import annotations

from typing import Annotated

import typer

from soundstage.gateway.settings import MOST_WARM

MaxSessions = Annotated[
    int | None,
    typer.Option(
        envvar="SOUNDSTAGE_MAX_SESSIONS", min=1, help="How many sessions there may be.", show_default="no limit"
    ),
]
MaxSessionBytes = Annotated[
    int,
    typer.Option(envvar="SOUNDSTAGE_MAX_SESSION_BYTES", min=1024 * 1024, help="How large calls may make a session."),
]
MaxRate = Annotated[
    float | None,
    typer.Option(
        envvar="SOUNDSTAGE_MAX_RATE",
        min=0.001,
        help="Requests a second for each session's agent, and for the control plane.",
        metavar="PER_SECOND",
        show_default="no limit",
    ),
]
MinFree = Annotated[
    int,
    typer.Option(
        envvar="SOUNDSTAGE_MIN_FREE", min=0, help="Bytes of the disk that new sessions leave free.", metavar="BYTES"
    ),
]
Idle = Annotated[
    float,
    typer.Option(
        envvar="SOUNDSTAGE_IDLE",
        min=0.1,
        help="Time without a call after which a session's files are closed; the next call opens them.",
        metavar="SECONDS",
    ),
]
MaxOpen = Annotated[
    int,
    typer.Option(
        envvar="SOUNDSTAGE_MAX_OPEN", min=1, help="How many sessions have their files open at once, three each."
    ),
]
Warm = Annotated[
    int,
    typer.Option(
        envvar="SOUNDSTAGE_WARM",
        min=0,
        max=MOST_WARM,
        help="Number of new sessions that are prepared for each requested world, apps and durability.",
    ),
]
MaxInFlight = Annotated[
    int,
    typer.Option(
        envvar="SOUNDSTAGE_MAX_IN_FLIGHT",
        min=1024,
        help="Bytes of bodies held at once.",
        metavar="BYTES",
    ),
]
HeadTimeout = Annotated[
    float,
    typer.Option(
        envvar="SOUNDSTAGE_HEAD_TIMEOUT", min=0.1, help="How long a request's head may take to come.", metavar="SECONDS"
    ),
]
BodyTimeout = Annotated[
    float,
    typer.Option(
        envvar="SOUNDSTAGE_BODY_TIMEOUT", min=0.1, help="How long a request's body may take to come.", metavar="SECONDS"
    ),
]
