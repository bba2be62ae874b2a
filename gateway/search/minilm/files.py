"""The files of an installed model."""

from __future__ import annotations

from pathlib import Path

GRAPH = "model.int8.onnx"
TOKENIZER = "tokenizer.json"


def is_installed(folder: Path) -> bool:
    """Whether the folder holds the model."""
    return (folder / GRAPH).is_file() and (folder / TOKENIZER).is_file()
