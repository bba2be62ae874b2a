"""Options that several commands share."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

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
Json = Annotated[bool, typer.Option("--json", help="Print JSON instead of text.")]
Session = Annotated[str, typer.Argument(help="A session's id or name.", metavar="SESSION")]

HOST = DEFAULT_HOST
PORT = DEFAULT_PORT
