"""The documentation as a whole: every page is linked, every package is named, and the project has one name."""

from __future__ import annotations

import re
import subprocess
from hashlib import sha256
from pathlib import Path

import pytest

from tests.conftest import REPOSITORY

_LINK = re.compile(r"\]\((?!https?://)([^)#]+)")
_FORMER = "back" + "lot"


def test_every_page_is_linked_from_the_readme() -> None:
    reached: set[Path] = set()
    ahead = [REPOSITORY / "README.md"]
    while ahead:
        page = ahead.pop()
        if page in reached:
            continue
        reached.add(page)
        for link in _LINK.findall(page.read_text()):
            target = (page.parent / link).resolve()
            ahead += [target] if target.suffix == ".md" else sorted(target.glob("*.md"))
    assert set((REPOSITORY / "docs").rglob("*.md")) - reached == set()


def test_the_architecture_names_every_package() -> None:
    page = (REPOSITORY / "docs" / "architecture.md").read_text()
    packages = {path.parent.name for path in (REPOSITORY / "src" / "soundstage").glob("*/__init__.py")}
    assert {name for name in packages if not re.search(rf"\b{name}/", page)} == set()


def test_the_project_has_one_name() -> None:
    if not (REPOSITORY / ".git").exists():
        pytest.skip("needs a git checkout")
    command = ["git", "grep", "--ignore-case", "--count", _FORMER]
    matches = subprocess.run(command, cwd=REPOSITORY, capture_output=True, text=True).stdout
    assert matches.splitlines() == ["CHANGELOG.md:1"]


def test_the_licence_is_the_apache_licence_unmodified() -> None:
    text = (REPOSITORY / "LICENSE").read_bytes()
    assert sha256(text).hexdigest() == "cfc7749b96f63bd31c3c42b5c471bf756814053e847c10f3eb003417bc523d30"
