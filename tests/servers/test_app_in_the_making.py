"""An app with missing kernels, and the changes that give an app another version, shown in a copy of the project."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import REPOSITORY, clean_environment, soundstage_command

pytestmark = pytest.mark.long

MISSING = "channels_list"


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """A separate copy of the package, which programs import with `_run`."""
    package = tmp_path / "copy" / "soundstage"
    shutil.copytree(REPOSITORY / "src" / "soundstage", package, ignore=shutil.ignore_patterns("__pycache__"))
    return package


def _run(copy: Path, *command: str) -> str:
    environment = {**clean_environment(), "PYTHONPATH": str(copy.parent), "SOUNDSTAGE_DATA": str(copy.parent / "data")}
    done = subprocess.run(command, capture_output=True, text=True, env=environment, timeout=120)
    assert done.returncode in (0, 1), done.stderr
    return done.stdout + done.stderr


def _soundstage(copy: Path, *arguments: str) -> str:
    return _run(copy, *soundstage_command(), *arguments)


def _versions(copy: Path) -> dict[str, str]:
    apps: list[dict[str, Any]] = json.loads(_soundstage(copy, "apps", "--json"))
    return {a["name"]: a["version"] for a in apps}


def _append(path: Path, text: str) -> None:
    path.write_text(path.read_text(encoding="utf-8") + text, encoding="utf-8")


def test_a_tool_without_a_kernel_is_not_listed_found_or_answered_and_apps_reports_it(copy: Path) -> None:
    assert f'"{MISSING}"' in _soundstage(copy, "tools", "slack", "--json")
    (copy / "kernels" / "slack" / f"{MISSING}.py").unlink()
    assert f"slack has no kernel yet for: {MISSING}" in _soundstage(copy, "apps")
    assert f'"{MISSING}"' not in _soundstage(copy, "tools", "slack", "--json")
    assert f'"{MISSING}"' not in _soundstage(
        copy, "search", "list channels of the workspace", "--app", "slack", "--json"
    )
    missing = _soundstage(copy, "call", "slack", MISSING, "{}")
    unknown = _soundstage(copy, "call", "slack", "no_such_tool", "{}")
    assert missing == unknown.replace("no_such_tool", MISSING)


def test_listing_tools_imports_no_kernel() -> None:
    program = (
        "import sys; from soundstage.servers.catalogue import load_apps; "
        "assert all(app.tools for app in load_apps().values()); "
        "print([m for m in sys.modules if m.startswith('soundstage.kernels.') and m.endswith(('_list', '_create', '_search'))])"
    )
    environment = {**os.environ, "PYTHONPATH": str(REPOSITORY / "src")}
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, env=environment, check=True)
    assert done.stdout.strip() == "[]"


@pytest.mark.parametrize(
    "changed",
    ["kernels/slack/channels_list.py", "kernels/slack/rules", "servers/slack/dialect.py", "contexts/apps/slack.py"],
)
def test_a_changed_kernel_rule_dialect_or_table_changes_the_version_of_its_app_only(copy: Path, changed: str) -> None:
    before = _versions(copy)
    path = copy / changed
    _append(next(p for p in sorted(path.glob("*.py")) if p.stem != "__init__") if path.is_dir() else path, "\n_ = 0\n")
    after = _versions(copy)
    assert {app for app in before if before[app] != after[app]} == {"slack"}


def test_a_shared_module_is_part_of_the_version_of_apps_that_import_it(copy: Path) -> None:
    engines = copy / "kernels" / "engines"
    engines.mkdir(exist_ok=True)
    (engines / "__init__.py").touch()
    (engines / "signs.py").write_text("SIGNS = 3\n")
    (engines / "talk.py").write_text("from soundstage.kernels.engines import (\n    signs,\n)\n\nTALK = signs.SIGNS\n")
    _append(
        copy / "kernels" / "slack" / "channels_list.py", "\nfrom soundstage.kernels.engines.talk import TALK as _\n"
    )
    before = _versions(copy)
    _append(engines / "signs.py", "MORE = 4\n")
    _append(copy / "contexts" / "engine" / "clock.py", "\n_ = 0\n")
    after = _versions(copy)
    assert {app for app in before if before[app] != after[app]} == {"slack"}
