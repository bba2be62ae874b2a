"""Kernels only compute: they cannot access files, networks, processes, the wall clock or random numbers."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

from soundstage.servers.catalogue import app_names
from tests.conftest import REPOSITORY

PURE = {
    "__future__", "base64", "binascii", "bisect", "bs4", "calendar", "collections", "contextlib", "cssselect", "dataclasses",
    "datetime", "dateutil", "decimal", "difflib", "email", "fpdf", "functools", "hashlib", "heapq", "html", "http",
    "importlib", "io", "ipaddress",
    "itertools", "json", "lxml", "markdown_it", "markdownify", "math", "numpy", "operator", "orjson", "PIL",
    "posixpath", "quickjs", "re", "re2", "shlex", "soundstage",
    "struct", "textwrap", "typing", "unicodedata", "urllib", "uuid", "zlib",
    "zoneinfo",
}  # fmt: skip
PURE_PARTS = {
    "email": {
        "email.errors",
        "email.header",
        "email.message",
        "email.parser",
        "email.policy",
        "email.format_datetime",
        "email.parsedate_to_datetime",
    },
    "html": {"html.escape", "html.parser"},
    "http": {"http.HTTPStatus"},
    "importlib": {"importlib.resources"},  # the files of a package
    "posixpath": {"basename", "dirname", "join", "normpath", "splitext"},  # the others access the machine
    "shlex": {"quote"},
    "urllib": {"urllib.parse"},
    "uuid": {"UUID"},
}
OWN = ("soundstage.contexts", "soundstage.kernels")
FORBIDDEN_NAMES = {"open", "eval", "exec", "compile", "__import__", "input", "print", "globals", "hash", "id"}
CLOCKS = {"today", "utcnow"}


@pytest.mark.parametrize("path", sorted((REPOSITORY / "kernels").rglob("*.py")), ids=lambda p: "/".join(p.parts[-2:]))
def test_a_kernel_reaches_nothing_outside_its_context(path: Path) -> None:
    assert list(_ways_out(ast.parse(path.read_text()))) == []


@pytest.mark.parametrize("app", app_names())
def test_no_apps_kernels_import_anothers(app: str) -> None:
    others = [f"soundstage.kernels.{other}" for other in app_names() if other != app]
    for path in (REPOSITORY / "kernels" / app).rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            named = [node.module or ""] if isinstance(node, ast.ImportFrom) else []
            named += [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            assert not [n for n in named if any(f"{n}.".startswith(f"{other}.") for other in others)], path


def test_forbidden_accesses_are_found() -> None:
    for way in (
        "import os",
        "from pathlib import Path",
        "import urllib.request",
        "from urllib import request",
        "from uuid import uuid4",
        "import random",
        "from soundstage.gateway import files",
        "import soundstage",
        "open('x')",
        "hash(('a', 1))",
        "datetime.now()",
        "datetime.now(UTC)",
        "date.today()",
        "context._context.execute('DELETE FROM _meta')",
    ):
        assert list(_ways_out(ast.parse(way))), way


def _ways_out(tree: ast.AST) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (a.name for a in node.names if not _is_pure(a.name, ()))
        elif isinstance(node, ast.ImportFrom):
            names = [a.name for a in node.names]
            if not node.level and not _is_pure(node.module or "", names):
                yield f"from {node.module} import {', '.join(names)}"
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in FORBIDDEN_NAMES:
            yield f"{node.func.id}(…)"
        elif isinstance(node, ast.Attribute):
            of = node.value.id if isinstance(node.value, ast.Name) else ""
            if node.attr in CLOCKS or (node.attr == "now" and of in ("datetime", "date", "time")):
                yield f"{of}.{node.attr}"
            if node.attr.startswith("_") and not node.attr.startswith("__") and of not in ("self", "cls"):
                yield f"{of}.{node.attr}"


def _is_pure(module: str, names: tuple[str, ...] | list[str]) -> bool:
    top = module.partition(".")[0]
    if top not in PURE:
        return False
    if top == "soundstage":
        return any(f"{module}.".startswith(f"{own}.") for own in OWN)
    parts = PURE_PARTS.get(top)
    return parts is None or module in parts or (bool(names) and all(n in parts or f"{top}.{n}" in parts for n in names))
