"""What would be generated now beside what somebody has edited: both stay, and what comes of the two together is offered as a
third file. Nothing here writes over an edit.
"""

from __future__ import annotations

import shutil
import subprocess
import tempfile
from pathlib import Path

from soundstage.app_roots import digest
from soundstage.synthesis.generate.lock import CANDIDATES, write

BASES = f"{CANDIDATES}/.bases"
"""Where in a root lies what was generated last, as it was before anybody edited it."""
MERGED = ".merged"


def keep_base(root: Path, path: str, content: bytes) -> None:
    """Keep a generated file, for the day on which somebody has edited it and another one is generated."""
    write(root / BASES / path, content)


def offer(root: Path, path: str, new: bytes, *, generated: str | None) -> str:
    """Put what would be made now beside an edited file, and the two merged beside that. `generated` is the digest of what the
    edit began with, as the lock has it.

    Returns:
        What there is now, in words.
    """
    beside = f"{CANDIDATES}/{path}"
    write(root / beside, new)
    merged_path = root / f"{beside}{MERGED}"
    merged_path.unlink(missing_ok=True)
    said = f"{path} was edited, and stays; what would be made now lies in {beside}"
    base = root / BASES / path
    if not base.is_file() or digest(base.read_bytes()) != generated:
        return f"{said}; what it was edited from is not kept, so nothing is merged"
    if base.read_bytes() == new:
        return f"{said}, and is what it was edited from"
    merged = merge(base.read_bytes(), (root / path).read_bytes(), new)
    if merged is None:
        return f"{said}; git is not there to merge the two"
    content, conflicts = merged
    write(merged_path, content)
    how = "without a conflict" if not conflicts else f"with {conflicts} conflict{'s' * (conflicts > 1)}, marked"
    return f"{said}, and the two merged in {beside}{MERGED}, {how}"


def merge(base: bytes, edited: bytes, new: bytes) -> tuple[bytes, int] | None:
    """The three merged, and in how many places they conflict; None where git is not there or cannot."""
    git = shutil.which("git")
    if git is None:
        return None
    with tempfile.TemporaryDirectory(prefix="merge-") as made:
        folder = Path(made)
        for name, content in (("edited", edited), ("base", base), ("new", new)):
            (folder / name).write_bytes(content)
        labels = [part for label in ("edited", "generated before", "generated now") for part in ("-L", label)]
        done = subprocess.run(  # noqa: S603 files of our own
            [git, "merge-file", "-p", *labels, "edited", "base", "new"], cwd=folder, capture_output=True, check=False
        )
    # It exits with the number of conflicts, at most 127, and with 255 where it could not.
    return (done.stdout, done.returncode) if done.returncode <= 127 else None
