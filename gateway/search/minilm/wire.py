"""Write ONNX files without the onnx package, from the few protobuf messages that a graph needs.

Field numbers are those of https://github.com/onnx/onnx/blob/main/onnx/onnx.proto
"""

from __future__ import annotations

import struct
from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

FLOAT, UINT8, INT8, INT32, INT64 = 1, 2, 3, 6, 7
_TYPES = {"float32": FLOAT, "uint8": UINT8, "int8": INT8, "int32": INT32, "int64": INT64}
_IR_VERSION = 9
_OPSET = 20
_VARINT, _LENGTH, _FIXED32 = 0, 2, 5


def tensor(name: str, array: NDArray[np.generic]) -> bytes:
    """Encode a constant (TensorProto)."""
    dims = b"".join(_int(1, d) for d in array.shape)
    data = np.ascontiguousarray(array).astype(array.dtype.newbyteorder("<"), copy=False).tobytes()
    return dims + _int(2, _TYPES[array.dtype.name]) + _text(8, name) + _bytes(9, data)


def node(operator: str, inputs: Iterable[str], outputs: Iterable[str], **attributes: float | list[int]) -> bytes:
    """Encode an operation (NodeProto). Attributes are integers, floats or lists of integers."""
    return (
        b"".join(_text(1, name) for name in inputs)
        + b"".join(_text(2, name) for name in outputs)
        + _text(4, operator)
        + b"".join(_bytes(5, _attribute(name, value)) for name, value in attributes.items())
    )


def value(name: str, element: int, shape: Sequence[int | str]) -> bytes:
    """Encode a graph's input or output (ValueInfoProto); a dimension is a number or, if it varies, a name."""
    dims = b"".join(_bytes(1, _int(1, d) if isinstance(d, int) else _text(2, d)) for d in shape)
    return _text(1, name) + _bytes(2, _bytes(1, _int(1, element) + _bytes(2, dims)))


def model(
    name: str, nodes: Iterable[bytes], constants: Iterable[bytes], inputs: Iterable[bytes], outputs: Iterable[bytes]
) -> bytes:
    """Encode the whole file (ModelProto)."""
    graph = (
        b"".join(_bytes(1, n) for n in nodes)
        + _text(2, name)
        + b"".join(_bytes(5, c) for c in constants)
        + b"".join(_bytes(11, i) for i in inputs)
        + b"".join(_bytes(12, o) for o in outputs)
    )
    return _int(1, _IR_VERSION) + _text(2, "soundstage") + _bytes(7, graph) + _bytes(8, _text(1, "") + _int(2, _OPSET))


def _attribute(name: str, value: float | list[int]) -> bytes:
    if isinstance(value, list):
        return _text(1, name) + b"".join(_int(8, v) for v in value) + _int(20, 7)
    if isinstance(value, float):
        return _text(1, name) + _key(2, _FIXED32) + struct.pack("<f", value) + _int(20, 1)
    return _text(1, name) + _int(3, value) + _int(20, 2)


def _varint(number: int) -> bytes:
    number &= 2**64 - 1  # negative numbers take ten bytes
    encoded = bytearray()
    while number > 0x7F:
        encoded.append(number & 0x7F | 0x80)
        number >>= 7
    encoded.append(number)
    return bytes(encoded)


def _key(field: int, kind: int) -> bytes:
    return _varint(field << 3 | kind)


def _int(field: int, number: int) -> bytes:
    return _key(field, _VARINT) + _varint(number)


def _bytes(field: int, content: bytes) -> bytes:
    return _key(field, _LENGTH) + _varint(len(content)) + content


def _text(field: int, text: str) -> bytes:
    return _bytes(field, text.encode())
