"""Small files that are made once, by whichever process comes first."""

from __future__ import annotations

import contextlib
import os
import secrets
from pathlib import Path


def made_once(path: Path, text: str) -> str:
    """The text of a file that only its owner may read, made with `text` where it is missing.

    Of several processes that start together all get the same: a link is made whole or not at all.

    Raises:
        OSError: when it can be neither read nor made.
    """
    if not path.exists():
        fresh = path.with_name(f".{path.name}-{secrets.token_hex(8)}")
        with open(os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as file:
            file.write(text)
        with contextlib.suppress(FileExistsError):
            os.link(fresh, path)
        fresh.unlink()
    return path.read_text().strip()
