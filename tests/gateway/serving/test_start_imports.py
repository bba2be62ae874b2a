"""A gateway starts for every test, every client and every restart, so packages that few requests need are imported on demand."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

from tests.conftest import REPOSITORY, start_gateway, stop_gateway

_IMPORTED = re.compile(r"^import time: +\d+ \| +\d+ \| +(\S+)$", re.MULTILINE)
_LATER = {
    "asyncpg": "asyncpg",  # for a registry in PostgreSQL
    "faker": "faker",  # for building worlds
    "fpdf": "fpdf2",  # for printing a page
    "nltk": "nltk",  # for comparing texts, by a command
    "onnxruntime": "onnxruntime",  # for semantic search, if it is installed
    "scipy": "scipy",  # for the statistics of a report
    "sklearn": "scikit-learn",  # for comparing texts, by a command
    "soundstage.worlds.builder": None,  # worlds are already built
    "tomlkit": "tomlkit",  # for writing clients' settings, by a command
}
"""Packages that a serving gateway must not have imported, by their distribution; None is our own."""


def test_a_serving_gateway_has_not_imported_rarely_needed_packages(tmp_path: Path) -> None:
    log = tmp_path / "log"
    gateway = start_gateway(tmp_path / "data", log=log, prefix=("env", "PYTHONPROFILEIMPORTTIME=1"))
    try:
        made = gateway.session(apps=["lark"])
        assert gateway.api("GET", f"/sessions/{made['id']}/state").status_code == 200
    finally:
        stop_gateway(gateway)
    imported = set(_IMPORTED.findall(log.read_text()))
    assert {"soundstage.gateway.app", "soundstage.runs.extension", "numpy"} <= imported
    assert {name for name in _LATER if name in imported} == set()


def test_the_deferred_packages_are_dependencies_of_soundstage() -> None:
    project = tomllib.loads((REPOSITORY / "pyproject.toml").read_text())["project"]
    wanted = [*project["dependencies"], *(w for extra in project["optional-dependencies"].values() for w in extra)]
    known = {re.split(r"[^\w-]", requirement)[0] for requirement in wanted}
    assert {d for d in _LATER.values() if d is not None} <= known
    assert all((REPOSITORY / "/".join(n.split(".")[1:])).is_dir() for n, d in _LATER.items() if d is None)
