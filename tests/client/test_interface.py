"""The modules that `import soundstage` loads, and the agreement of the interface's types with the gateway's API."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Mapping
from typing import Any, get_args, get_type_hints

import pytest

import soundstage
from soundstage.client import shapes
from soundstage.contexts.engine import journal
from soundstage.contexts.engine.clock import ClockMode
from soundstage.contexts.engine.state import LoadMode
from soundstage.gateway.control import faults, models
from soundstage.gateway.faults.ledger import Entry
from soundstage.gateway.journal.lines import Line
from soundstage.gateway.sessions.session import Durability
from soundstage.gateway.settings import ToolList

_HEAVY = (
    "apsw",
    "fastapi",
    "mcp",
    "numpy",
    "pydantic",
    "sqlalchemy",
    "starlette",
    "structlog",
    "typer",
    "uvicorn",
    "uvloop",
)
_GATEWAY = ("cli", "contexts", "gateway", "kernels", "models", "servers", "synthesis", "worlds")


def _loaded_by(program: str) -> set[str]:
    shown = subprocess.run(
        [sys.executable, "-c", f"{program}\nimport sys; print(*sys.modules)"],
        capture_output=True,
        text=True,
        check=True,
    )
    return set(shown.stdout.split())


def test_importing_soundstage_loads_nothing_else() -> None:
    assert {name for name in _loaded_by("import soundstage") if name.startswith("soundstage.")} == set()


@pytest.mark.parametrize(
    "program",
    [
        "import soundstage; soundstage.serve; soundstage.Session",
        "import soundstage; soundstage.connect('http://127.0.0.1:9').close()",
        "import soundstage.pytest_plugin",
    ],
)
def test_a_client_program_loads_nothing_of_the_gateway(program: str) -> None:
    loaded = _loaded_by(program)
    assert not loaded & {*_HEAVY, *(f"soundstage.{part}" for part in _GATEWAY)}


def test_every_name_of_the_interface_exists() -> None:
    for name in soundstage.__all__:
        assert getattr(soundstage, name) is not None
    with pytest.raises(AttributeError, match="no attribute 'stage'"):
        _ = soundstage.stage  # type: ignore[attr-defined]


def test_dir_lists_the_public_interface_and_loads_nothing() -> None:
    assert dir(soundstage) == sorted(soundstage.__all__)
    assert "soundstage.client" not in _loaded_by("import soundstage; dir(soundstage); soundstage.__version__")


def test_the_interface_has_every_choice_of_the_api() -> None:
    assert set(get_args(shapes.StepKind)) == set(get_args(journal.Kind))
    assert set(get_args(shapes.ClockMode)) == set(get_args(ClockMode))
    assert set(get_args(shapes.Durability)) == set(get_args(Durability))
    assert set(get_args(shapes.ToolList)) == set(get_args(ToolList))
    assert set(get_args(shapes.LoadMode)) == set(get_args(LoadMode))


@pytest.mark.parametrize(
    ("shape", "members"),
    [
        (shapes.SessionOptions, {**models.SessionBody.model_fields, "user": None}),
        (shapes.SessionShown, models.SessionDetail.model_fields),
        (shapes.SessionExamined, models.SessionExamined.model_fields),
        (shapes.Clock, models.ClockShown.model_fields),
        (shapes.ClockChange, models.ClockBody.model_fields),
        (shapes.Change, models.ChangeShown.model_fields),
        (shapes.Change, journal.Change.__annotations__),
        (shapes.JournalLine, Line.__annotations__),
        (shapes.Call, models.CallShown.model_fields),
        (shapes.Snapshot, models.SnapshotShown.model_fields),
        (shapes.Faults, faults.ScheduleShown.model_fields),
        (shapes.LedgerEntry, Entry.__annotations__),
    ],
    ids=lambda value: getattr(value, "__name__", ""),
)
def test_the_interfaces_types_have_the_members_of_the_api(shape: type, members: Mapping[str, Any]) -> None:
    assert get_type_hints(shape).keys() == members.keys()
