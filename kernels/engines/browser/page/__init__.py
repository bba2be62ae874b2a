"""The JavaScript of a page: one function that page scripts cannot see, put together from the files of this folder."""

from __future__ import annotations

from importlib.resources import files

_PARTS = ("tree", "html", "selecting", "rendering", "window", "forms", "dates", "locale", "driving")
"""In the order in which they are evaluated: later parts use names of earlier ones."""


def _read(part: str) -> str:
    return files(__package__).joinpath(f"{part}.js").read_text("utf-8")


SOURCE = "(() => {\n'use strict';\n" + "\n".join(map(_read, _PARTS)) + "\nreturn driver;\n})()"
