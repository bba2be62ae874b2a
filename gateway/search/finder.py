"""Search for the gateway: indexes cached by content, and the model if it is installed."""

from __future__ import annotations

import asyncio
import threading
from collections import OrderedDict
from collections.abc import Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from concurrent.futures import TimeoutError as NotYet
from pathlib import Path
from typing import TYPE_CHECKING

from soundstage.gateway.log import log
from soundstage.gateway.search.documents import Catalogue
from soundstage.gateway.search.minilm.files import GRAPH, TOKENIZER, is_installed
from soundstage.gateway.settings import index_folder, model_folder

if TYPE_CHECKING:  # numpy and the model's runtime load with the first search, because most processes never search
    from soundstage.gateway.search.dense import Encoder, Vectors, VectorStore
    from soundstage.gateway.search.index import Hit, ToolIndex

Keep = Sequence[bool]

_MAX_INDEXES = 32
_PATIENCE_S = 2.0


class ToolFinder:
    """Finds tools in catalogues. Equal catalogues share one index, which `keep` stores in the data folder.

    If the data folder has a model, its vectors join the ranking as soon as they are available. The vectors of a new catalogue
    are computed in a separate thread; a search waits for them briefly and otherwise ranks by words.
    """

    def __init__(self, data: Path, *, use_model: bool = True, keep: bool = True) -> None:
        self._folder = model_folder(data)
        self._cache_folder = index_folder(data) if keep and data.is_dir() else None
        self._indexes: OrderedDict[Catalogue, ToolIndex] = OrderedDict()
        self._making: dict[int, Future[None]] = {}  # by the index's identity
        self._worker = ThreadPoolExecutor(1, "tool-vectors")
        self._lock = threading.Lock()
        self._loaded: tuple[Encoder | None] | None = None if use_model else (None,)
        self._store: VectorStore | None = None

    def has_vectors(self, catalogue: Catalogue) -> bool:
        """Whether searches of a catalogue use the model now."""
        return self.index(catalogue).vectors is not None

    async def find(self, catalogue: Catalogue, query: str, k: int, keep: Keep | None = None) -> list[Hit]:
        """Return the best tools for a query. Indexing and the model do not block the event loop."""
        if catalogue in self._indexes and (self._loaded == (None,) or not self._folder.exists()):
            return self.search(catalogue, query, k, keep)
        return await asyncio.to_thread(self.search, catalogue, query, k, keep)

    def search(self, catalogue: Catalogue, query: str, k: int, keep: Keep | None = None) -> list[Hit]:
        """Return the best tools for a query, in the caller's thread."""
        index = self.index(catalogue)
        encoder = self._encoder()
        vector: Vectors | None = None
        if encoder is not None and self._has_vectors(index, _PATIENCE_S):
            from soundstage.gateway.search.query_terms import english_sentence

            vector = encoder.vectors([english_sentence(query)])[0]
        return index.search(query, k, vector=vector, keep=keep)

    def prepare(self, catalogue: Catalogue) -> None:
        """Build the index, and its vectors if a model is installed, and wait for them."""
        index = self.index(catalogue)
        if self._encoder() is not None:
            self._has_vectors(index, None)

    def index(self, catalogue: Catalogue) -> ToolIndex:
        """Return the index of a catalogue."""
        from soundstage.gateway.search.index import ToolIndex
        from soundstage.gateway.search.index_cache import IndexCache

        with self._lock:
            index = self._indexes.get(catalogue)
            if index is None:
                index = self._indexes[catalogue] = ToolIndex(
                    catalogue.documents, None if self._cache_folder is None else IndexCache(self._cache_folder)
                )
                if len(self._indexes) > _MAX_INDEXES:
                    _, dropped = self._indexes.popitem(last=False)
                    self._making.pop(id(dropped), None)
            self._indexes.move_to_end(catalogue)
            return index

    def close(self) -> None:
        """Stop running work, and close the vector store."""
        self._worker.shutdown(wait=True, cancel_futures=True)
        if self._store is not None:
            self._store.close()

    def _encoder(self) -> Encoder | None:
        """Return the model if it is installed and loads. A failure is logged once."""
        with self._lock:
            if self._loaded is None:
                self._loaded = (self._load(),)
            return self._loaded[0]

    def _load(self) -> Encoder | None:
        if not is_installed(self._folder):
            return None
        try:
            from soundstage.gateway.search.dense import Encoder

            return Encoder(self._folder / GRAPH, self._folder / TOKENIZER)
        except ModuleNotFoundError as error:
            log.warning(
                "the model for search is installed, but not what runs it: pip install 'soundstage[dense]'; ranking by words",
                missing=error.name,
            )
        except Exception as error:  # the runtime's exceptions have no common base
            log.warning(
                "the model for search cannot be loaded; `soundstage models install minilm` installs it again; ranking by words",
                reason=str(error),
            )
        return None

    def _has_vectors(self, index: ToolIndex, patience_s: float | None) -> bool:
        if index.vectors is not None:
            return True
        with self._lock:
            making = self._making.get(id(index))
            if making is None:
                making = self._making[id(index)] = self._worker.submit(self._make_vectors, index)
        try:
            making.result(patience_s)
        except NotYet:
            return False
        return index.vectors is not None

    def _make_vectors(self, index: ToolIndex) -> None:
        """Compute vectors in the worker, even if the store is unavailable."""
        from soundstage.gateway.search.dense import VectorStore, tool_vectors

        encoder = self._encoder()
        if encoder is None:
            return
        try:
            if self._store is None:
                self._store = VectorStore(self._folder / "vectors.db")
            index.vectors = tool_vectors(index.documents, self._store, encoder)
        except Exception as error:
            log.warning("no vectors for search; ranking by words", reason=str(error), tools=len(index.documents))
