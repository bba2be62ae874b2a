"""Build hook for wheels: omit the solutions of tasks of the test split."""

from __future__ import annotations

import runpy
import tempfile
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class PublishedTasks(BuildHookInterface[Any]):
    """Replace each task.yaml with its published form in the wheel; the file itself is unchanged."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Add the published form of each task to the wheel."""
        if version == "editable":  # the checkout itself
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
        """Remove the temporary files."""
        if version != "editable":
            self._made.cleanup()
