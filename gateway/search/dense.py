"""Rank by meaning: all-MiniLM-L6-v2 vectors of tools and queries, stored on disk by content hash."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import apsw
import numpy as np
import onnxruntime
from numpy.typing import NDArray
from tokenizers import Tokenizer

from soundstage.contexts.engine.words import pieces
from soundstage.gateway.search.documents import Document, fingerprint
from soundstage.gateway.search.lexicon import in_english
from soundstage.gateway.search.minilm.graph import WIDTH

Vectors = NDArray[np.float32]

_TOKENS = 128
_BATCH = 16
# The share of the server in a tool's vector: it helps tools with short descriptions.
_SERVER_SHARE = 0.15


class Encoder:
    """The model: texts in, vectors of length 1 out. It has one thread, which sleeps when idle."""

    def __init__(self, graph: Path, tokenizer: Path) -> None:
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = 1
        options.inter_op_num_threads = 1
        options.add_session_config_entry("session.intra_op.allow_spinning", "0")
        options.log_severity_level = 3
        self._session = onnxruntime.InferenceSession(str(graph), options, providers=["CPUExecutionProvider"])
        self._tokenizer = Tokenizer.from_file(str(tokenizer))
        self._tokenizer.enable_truncation(_TOKENS)
        self._tokenizer.enable_padding()

    def vectors(self, texts: Sequence[str]) -> Vectors:
        """Return a row for each text. Texts of similar length share a batch, to reduce padding."""
        rows = np.empty((len(texts), WIDTH), np.float32)
        order = sorted(range(len(texts)), key=lambda i: len(texts[i]))
        for start in range(0, len(order), _BATCH):
            batch = order[start : start + _BATCH]
            encoded = self._tokenizer.encode_batch([texts[i] for i in batch])
            inputs = {
                "input_ids": np.array([e.ids for e in encoded], np.int64),
                "attention_mask": np.array([e.attention_mask for e in encoded], np.int64),
            }
            rows[batch] = self._session.run(None, inputs)[0]
        return rows


class VectorStore:
    """Vectors on disk by the hash of their text, shared by all processes of a data folder."""

    def __init__(self, file: Path) -> None:
        try:
            self._connection = _opened(file)
        except (apsw.CorruptError, apsw.NotADBError):
            for part in (file, file.with_name(f"{file.name}-wal"), file.with_name(f"{file.name}-shm")):
                part.unlink(missing_ok=True)  # everything in it can be computed again
            self._connection = _opened(file)

    def vectors(self, texts: Sequence[str], encoder: Encoder) -> Vectors:
        """Return a row for each text: stored vectors are read, others are computed and stored."""
        keys = [fingerprint(text) for text in texts]
        known = self._known(keys)
        missing = {key: text for key, text in zip(keys, texts, strict=True) if key not in known}
        made = list(missing.items())
        for start in range(0, len(made), 64 * _BATCH):  # stored in batches, so that an interruption loses little
            part = made[start : start + 64 * _BATCH]
            rows = encoder.vectors([text for _, text in part]).astype(np.float16)
            with self._connection:
                self._connection.executemany(
                    "INSERT OR REPLACE INTO vector VALUES (?, ?)",
                    [(key, row.tobytes()) for (key, _), row in zip(part, rows, strict=True)],
                )
            known.update((key, row) for (key, _), row in zip(part, rows, strict=True))
        return np.array([known[key] for key in keys], np.float32).reshape(-1, WIDTH)

    def close(self) -> None:
        """Close the database."""
        self._connection.close()

    def _known(self, keys: Sequence[bytes]) -> dict[bytes, NDArray[np.float16]]:
        vectors: dict[bytes, NDArray[np.float16]] = {}
        for key in set(keys):
            row = self._connection.execute("SELECT value FROM vector WHERE text = ?", (key,)).fetchone()
            if row is not None and len(row[0]) == 2 * WIDTH:
                vectors[key] = np.frombuffer(row[0], np.float16)
        return vectors


def _opened(file: Path) -> apsw.Connection:
    connection = apsw.Connection(str(file))
    connection.set_busy_timeout(5000)
    connection.execute("PRAGMA journal_mode=WAL")
    connection.execute("PRAGMA synchronous=NORMAL")
    connection.execute("CREATE TABLE IF NOT EXISTS vector (text BLOB PRIMARY KEY, value BLOB) WITHOUT ROWID")
    return connection


def tool_vectors(documents: Sequence[Document], store: VectorStore, encoder: Encoder) -> Vectors:
    """Return a row for each tool: the tool's text, with a small share of its server's."""
    rows = store.vectors([_tool_text(d) for d in documents], encoder)
    rows += np.float32(_SERVER_SHARE) * store.vectors([_server_text(d) for d in documents], encoder)
    return rows


def _tool_text(document: Document) -> str:
    parameters = ", ".join(" ".join(pieces(p)) for p in document.parameters)
    server = " ".join(pieces(document.server))
    aliases = "".join(f" {alias}." for alias in document.aliases if alias.isascii())
    description = in_english(document.description)
    return f"{' '.join(pieces(document.name))}.{aliases} {description} Server: {server}. Parameters: {parameters}"


def _server_text(document: Document) -> str:
    return f"{' '.join(pieces(document.server))}. {document.server_description}".strip()
