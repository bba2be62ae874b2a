"""What a gateway and its readers say to each other: frames of a mark, a length and so many bytes.

Both ends are the same program, started by the same user: values are pickled.
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
"""To a reader: `Work` to do, one at a time; and that nobody wants the answer any more."""

PART, VALUE, FAILED = b"P", b"V", b"F"
"""From a reader: a part of a streamed answer as it is; the answer, or None at the end of a streamed one; an error instead."""


@dataclass(frozen=True, slots=True)
class Work:
    """A function of a module, with its arguments. One that gives an iterator of bytes is answered in parts."""

    function: Callable[..., Any]
    arguments: tuple[Any, ...]


def framed(mark: bytes, content: bytes = b"") -> bytes:
    return HEAD.pack(mark, len(content)) + content


def told(error: BaseException) -> bytes:
    """An error, to be sent."""
    trace = "".join(traceback.format_exception(error))
    for kept in (dict(vars(error)), {}):
        try:
            return pickle.dumps((type(error), error.args, kept, trace))
        except (pickle.PicklingError, TypeError, AttributeError):
            continue
    return pickle.dumps((RuntimeError, (str(error),), {}, trace))


def raised(content: bytes) -> BaseException:
    """An error that was sent: of its kind, with its words and attributes, and the reader's traceback as a note."""
    kind, arguments, kept, trace = pickle.loads(content)  # noqa: S301 from a process of our own
    error: BaseException = kind.__new__(kind, *arguments)  # its __init__ makes words of other things
    error.args = arguments
    vars(error).update(kept)
    error.add_note(trace)
    return error
