"""The protocol between a gateway and its readers: frames of a mark, a length and the content.

Both ends are the same program of the same user, so values are pickled.
"""

from __future__ import annotations

import pickle
import traceback
from collections.abc import Callable
from dataclasses import dataclass
from struct import Struct
from typing import Any

HEAD = Struct(">cI")

WORK, STOP = b"W", b"S"
"""To a reader: `Work` to do, one at a time; and that the answer is no longer needed."""

PART, VALUE, FAILED = b"P", b"V", b"F"
"""From a reader: a raw part of a streamed answer; the answer, or None at the end of a streamed one; an error."""


@dataclass(frozen=True, slots=True)
class Work:
    """A module-level function with its arguments. An iterator of bytes is streamed."""

    function: Callable[..., Any]
    arguments: tuple[Any, ...]


def to_frame(mark: bytes, content: bytes = b"") -> bytes:
    """Encode a frame."""
    return HEAD.pack(mark, len(content)) + content


def dump_error(error: BaseException) -> bytes:
    """Serialize an error."""
    trace = "".join(traceback.format_exception(error))
    for attributes in (dict(vars(error)), {}):
        try:
            return pickle.dumps((type(error), error.args, attributes, trace))
        except (pickle.PicklingError, TypeError, AttributeError):
            continue
    return pickle.dumps((RuntimeError, (str(error),), {}, trace))


def load_error(content: bytes) -> BaseException:
    """Deserialize an error: its type, message and attributes, with the reader's traceback as a note."""
    kind, arguments, attributes, trace = pickle.loads(content)  # noqa: S301 from a process of our own
    error: BaseException = kind.__new__(kind, *arguments)  # its __init__ may have other parameters
    error.args = arguments
    vars(error).update(attributes)
    error.add_note(trace)
    return error
