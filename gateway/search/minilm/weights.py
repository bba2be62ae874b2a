"""Read a safetensors file as arrays: eight bytes of length, a JSON header, then the numbers.

https://github.com/huggingface/safetensors#format
"""

from __future__ import annotations

import numpy as np
import orjson
from numpy.typing import NDArray

Weights = dict[str, NDArray[np.float32]]


def read_safetensors(content: bytes) -> Weights:
    """Return the tensors of type F32 by name; others are left out."""
    size = int.from_bytes(content[:8], "little")
    header = orjson.loads(content[8 : 8 + size])
    tensors: Weights = {}
    for name, entry in header.items():
        if name != "__metadata__" and entry["dtype"] == "F32":
            start, end = entry["data_offsets"]
            raw = np.frombuffer(content, "<f4", count=(end - start) // 4, offset=8 + size + start)
            tensors[name] = raw.reshape(entry["shape"])
    return tensors
