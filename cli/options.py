"""Options that several commands share."""

from __future__ import annotations

import functools
import inspect
import os
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any

import typer

from soundstage.app_roots import ALLOW_UNCONFINED
from soundstage.cli.client import Control
from soundstage.cli.output import fail
from soundstage.gateway.settings import DEFAULT_HOST, DEFAULT_PORT

Data = Annotated[
    Path | None,
    typer.Option("--data", envvar="SOUNDSTAGE_DATA", help="Folder of sessions and worlds.", show_default="the user's"),
]
Host = Annotated[str, typer.Option(envvar="SOUNDSTAGE_HOST", help="Address to listen on.")]
Port = Annotated[
    int, typer.Option(envvar="SOUNDSTAGE_PORT", min=0, max=65535, help="Port to listen on; 0 is any that is free.")
]
Token = Annotated[str | None, typer.Option(envvar="SOUNDSTAGE_TOKEN", help="Token of the control plane.")]
TokenFile = Annotated[
    Path | None,
    typer.Option(
        envvar="SOUNDSTAGE_TOKEN_FILE",
        help="A file with the token instead; made, with a random one, where it is missing.",
        metavar="FILE",
    ),
]
AllowHost = Annotated[
    list[str] | None, typer.Option(envvar="SOUNDSTAGE_ALLOW_HOST", help="A further Host name to answer to; repeatable.")
]
Url = Annotated[
    str | None, typer.Option("--url", envvar="SOUNDSTAGE_URL", help="A gateway elsewhere, such as http://host:8700.")
]
Registry = Annotated[
    str | None,
    typer.Option(
        "--registry",
        envvar="SOUNDSTAGE_REGISTRY",
        help="The registry on PostgreSQL: postgresql://user:password@host/database.",
        metavar="URL",
        show_default="a file in the data folder",
    ),
]
AllowUnconfined = Annotated[
    bool,
    typer.Option(
        "--allow-unconfined-kernels",
        envvar=ALLOW_UNCONFINED,
        help="Run generated kernels even where the operating system does not confine them: they get this user's rights.",
    ),
]
Json = Annotated[bool, typer.Option("--json", help="Print JSON instead of text.")]
Session = Annotated[str, typer.Argument(help="A session's id or name.", metavar="SESSION")]
Run = Annotated[str | None, typer.Argument(help="A run's id.", metavar="RUN", show_default=False)]
Last = Annotated[bool, typer.Option("--last", help="The newest run.")]

HOST = DEFAULT_HOST
PORT = DEFAULT_PORT


def allow_unconfined(allowed: bool) -> None:
    """Let this process and its children run generated kernels without confinement if the operator allows it."""
    if allowed:
        os.environ[ALLOW_UNCONFINED] = "1"


def chosen(run: str | None, last: bool) -> str:
    """Return the run id for the control plane: the given id, or `last`."""
    if last == (run is not None):
        fail("name the run, or give --last for the newest")
    return run or "last"


def _control(data: Data = None, url: Url = None, token: Token = None) -> Control:
    return Control(data, url, token)


_CONTROL = inspect.signature(_control, eval_str=True).parameters


def controlled(command: Callable[..., None]) -> Callable[..., None]:
    """Add the gateway options to a command, and pass it the resulting `control`."""

    @functools.wraps(command)
    def run(**given: Any) -> None:
        command(control=_control(**{name: given.pop(name) for name in _CONTROL}), **given)

    own = [p for p in inspect.signature(command, eval_str=True).parameters.values() if p.name != "control"]
    own.sort(key=lambda p: p.name == "json")  # --help shows it last everywhere
    ends = [p.name for p in own].index("json") if any(p.name == "json" for p in own) else len(own)
    every = [*own[:ends], *_CONTROL.values(), *own[ends:]]
    run.__signature__ = inspect.Signature(  # type: ignore[attr-defined]
        [p.replace(kind=inspect.Parameter.KEYWORD_ONLY) for p in every]
    )
    return run
