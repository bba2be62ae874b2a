"""Small files that are made once, by whichever process comes first."""

from __future__ import annotations

import contextlib
import os
import secrets
from pathlib import Path

from soundstage.contexts.engine.unfinished import in_work, left_behind


def made_once(path: Path, text: str) -> str:
    """The text of a file that only its owner may read, made with `text` where it is missing.

    Of several processes that start together all get the same: a link is made whole or not at all.

    Raises:
        OSError: when it can be neither read nor made.
    """
    if not path.exists():
        fresh = path.with_name(f".{path.name}-{secrets.token_hex(8)}")
        with in_work(fresh):
            fresh.write_text(text)
            with contextlib.suppress(FileExistsError):
                os.link(fresh, path)
            fresh.unlink()
    with left_behind(path.parent, f".{path.name}-*") as left:
        for fresh in left:
            fresh.unlink()
    return path.read_text().strip()
