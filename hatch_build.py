"""What is done when a wheel is built: tasks of the test split go in without their solutions."""

from __future__ import annotations

import runpy
import tempfile
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class PublishedTasks(BuildHookInterface[Any]):
    """Puts each task.yaml that is to be another one in the place of the file itself, which stays as it is."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        if version == "editable":  # which is the checkout
            return
        root = Path(self.root)
        published = runpy.run_path(str(root / "grading" / "published.py"))["published"]
        self._made = tempfile.TemporaryDirectory(prefix="published-tasks-")
        for file in sorted(root.glob("tasks/*/*/task.yaml")):
            written = file.read_bytes().decode()
            if (text := published(written)) != written:
                place = file.relative_to(root)
                made = Path(self._made.name, place)
                made.parent.mkdir(parents=True)
                made.write_bytes(text.encode())
                build_data["force_include"][str(made)] = place.as_posix()

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:
        if version != "editable":
            self._made.cleanup()
