"""Offer newly generated code for a file that was edited by hand.

Both versions stay, and their merge is offered as a third file. This module never overwrites an edit.
"""

from __future__ import annotations

import shutil
import subprocess
import tempfile
from pathlib import Path

from soundstage.app_roots import digest
from soundstage.synthesis.generate.lock import CANDIDATES, write

BASES = f"{CANDIDATES}/.bases"
"""The folder in a root for the last generated version of each file before any edits."""
MERGED = ".merged"


def keep_base(root: Path, path: str, content: bytes) -> None:
    """Store a generated file as the merge base for later edits."""
    write(root / BASES / path, content)


def offer(root: Path, path: str, new: bytes, *, generated: str | None) -> str:
    """Write the new version, and its merge with the edited file, next to the edited file.

    `generated` is the digest of the version that the edit began with, from the lock.

    Returns:
        A message that describes the result.
    """
    candidate = f"{CANDIDATES}/{path}"
    write(root / candidate, new)
    merged_path = root / f"{candidate}{MERGED}"
    merged_path.unlink(missing_ok=True)
    message = f"{path} was edited and stays unchanged; the new version is in {candidate}"
    base = root / BASES / path
    if not base.is_file() or digest(base.read_bytes()) != generated:
        return f"{message}; the version before the edit is missing, so nothing is merged"
    if base.read_bytes() == new:
        return f"{message}, and equals the version before the edit"
    merged = merge(base.read_bytes(), (root / path).read_bytes(), new)
    if merged is None:
        return f"{message}; merging them requires git"
    content, conflicts = merged
    write(merged_path, content)
    how = "without a conflict" if not conflicts else f"with {conflicts} conflict{'s' * (conflicts > 1)}, marked"
    return f"{message}, and the merge of both is in {candidate}{MERGED}, {how}"


def merge(base: bytes, edited: bytes, new: bytes) -> tuple[bytes, int] | None:
    """Merge three versions; return the merge and the number of conflicts, or None if git is missing or fails."""
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
    # The exit status is the number of conflicts, at most 127, or 255 for an error.
    return (done.stdout, done.returncode) if done.returncode <= 127 else None
