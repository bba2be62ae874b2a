"""`soundstage parity`: the page on how closely the apps match the real servers, generated from stored results."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from soundstage.cli import options
from soundstage.cli.output import FAILED, fail, print_json, print_text


def parity(
    results: Annotated[Path, typer.Option(help="The folder with results that `fidelity --pairs --keep` wrote.")] = Path(
        "docs/parity"
    ),
    page: Annotated[Path, typer.Option(help="The page that is written.")] = Path("docs/parity.md"),
    check: Annotated[
        bool, typer.Option("--check", help="Write nothing; exit with 1 where the page is another one.")
    ] = False,
    json: options.Json = False,
) -> None:
    """Generate docs/parity.md from stored comparisons with real servers, and from synthesised apps."""
    from soundstage.synthesis.fidelity.parity import InvalidResult, read_results
    from soundstage.synthesis.fidelity.parity import page as page_of
    from soundstage.synthesis.generate import parity as generated

    try:
        results_by_app, synthesised = read_results(results), generated.read_results(results / generated.FOLDER)
        if not results_by_app and not synthesised:
            fail(
                f"{results} has no results; make one with `soundstage fidelity --pairs sim live:APP --keep {results}/APP.json`"
            )
        text = page_of(results_by_app, generated.section(synthesised))
        if check:
            if not page.exists() or page.read_text(encoding="utf-8") != text:
                print_text(f"{page} is not what {results} says; run `soundstage parity`")
                raise typer.Exit(FAILED)
            return
        page.write_text(text, encoding="utf-8")
    except InvalidResult as error:
        fail(str(error))
    except OSError as error:
        fail(f"{page} cannot be written ({error.strerror or error})")
    if json:
        print_json(
            [
                {name: one[name] for name in ("app", "version", "server", "at", "seed", "calls")}
                for one in results_by_app
            ]
        )
    else:
        print_text(f"{page}: {len(results_by_app)} results, {len(synthesised)} synthesised apps")
