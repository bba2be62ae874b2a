"""An index cache on disk, by content hash: reading an index takes a tenth of the time of building it."""

from __future__ import annotations

import os
import zipfile
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from hashlib import blake2b
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import orjson
from numpy.typing import NDArray

from soundstage.code_hash import hashed_part
from soundstage.contexts.engine import lexical, words
from soundstage.contexts.engine.lexical import Postings
from soundstage.gateway.log import log
from soundstage.gateway.search.documents import Document

Parts = Mapping[str, NDArray[Any]]
"""The arrays of an index by name; never objects, so that reading a file runs no code."""

_POSTINGS = ("offsets", "documents", "weights")
PARTS = (
    *("words", "words.rarity", "grams", "grams.rarity", "phrases"),
    *(f"{name}.{part}" for name in ("words", "grams", "phrases") for part in _POSTINGS),
)
"""The names of an index's parts."""

_HERE = Path(__file__).parent
_BETWEEN = "\n"  # occurs in no word
_MAX_FILES = 16


class IndexCache:
    """A folder of indexes, shared by all processes of a data folder.

    A damaged index is rebuilt. If the folder is not writable, each process builds its own indexes.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def read(self, documents: Sequence[Document]) -> Parts | None:
        """Return the index of these documents built by the current code, or None if there is none."""
        file = self._file(documents)
        try:
            with np.load(file, allow_pickle=False) as archive:
                parts = {name: archive[name] for name in PARTS}
            os.utime(file)
        except FileNotFoundError:
            return None
        except (OSError, ValueError, KeyError, EOFError, zipfile.BadZipFile) as error:
            log.warning("a stored search index cannot be read; rebuilding it", file=str(file), reason=str(error))
            return None
        return parts

    def write(self, documents: Sequence[Document], parts: Parts) -> None:
        """Store an index atomically, with the same bytes for the same documents. The oldest indexes are removed."""
        try:
            self._folder.mkdir(exist_ok=True)
            with TemporaryDirectory(dir=self._folder, ignore_cleanup_errors=True) as part:
                np.savez(Path(part) / "made.npz", allow_pickle=False, **parts)
                (Path(part) / "made.npz").replace(self._file(documents))
            for old in sorted(self._folder.glob("*.npz"), key=lambda p: p.stat().st_mtime)[:-_MAX_FILES]:
                old.unlink(missing_ok=True)
        except OSError as error:
            log.warning("a search index cannot be stored", folder=str(self._folder), reason=str(error))

    def _file(self, documents: Sequence[Document]) -> Path:
        content = blake2b(orjson.dumps(documents), key=_code(), digest_size=16)
        return self._folder / f"{content.hexdigest()}.npz"


@cache
def _code() -> bytes:
    """Return a hash of everything that determines an index: the word lists and the code."""
    engine = (Path(lexical.__file__), Path(words.__file__))
    digest = blake2b(digest_size=32)
    for file in (*engine, *sorted(_HERE.glob("*.py")), *sorted((_HERE / "lexicon").glob("*.*"))):
        digest.update(hashed_part(file))
    return digest.digest()


def packed(names: Iterable[str]) -> NDArray[np.uint8]:
    """Encode words as one array."""
    return np.frombuffer(_BETWEEN.join(names).encode("utf-8", "surrogatepass"), np.uint8)


def unpacked(array: NDArray[np.uint8]) -> list[str]:
    """Decode the words of `packed`."""
    text = array.tobytes().decode("utf-8", "surrogatepass")
    return text.split(_BETWEEN) if text else []


def postings_parts(name: str, postings: Postings) -> dict[str, NDArray[Any]]:
    """Encode postings as parts whose names begin with `name`."""
    return {f"{name}.{part}": getattr(postings, part) for part in _POSTINGS}


def postings_of(name: str, parts: Parts) -> Postings:
    """Decode the postings of `postings_parts`."""
    return Postings(*(parts[f"{name}.{part}"] for part in _POSTINGS))
