"""The part of Python source that decides what a program does, for hashes that must not change when only prose changes.

Fingerprints of worlds and versions of apps hash source files. Comments and docstrings are removed first, so that an edited
sentence leaves task locks and recorded versions valid.
"""

from __future__ import annotations

import re
from pathlib import Path

_SINGLE = rb""""(?!"")(?:[^"\\\n]++|\\.)*+"|'(?!'')(?:[^'\\\n]++|\\.)*+'"""
_STRING = re.compile(_SINGLE, re.DOTALL)
# One match is code with strings of one line, up to a comment or a triple-quoted string. Few matches keep it fast: 2.6 MB of
# kernels take 0.11 s, and every process that makes a session of all apps waits for them.
_NEXT = re.compile(
    rb"""(?P<code>(?:[^"'#]++|""" + _SINGLE + rb""")*+)(?:\#[^\n]*+|\Z|"""
    rb"(?P<triple>" + rb'"""(?:[^"\\]++|\\.|"(?!""))*+"""|' + rb"'''(?:[^'\\]++|\\.|'(?!''))*+'''))",
    re.DOTALL,
)
_LINE_ENDS = re.compile(rb"[ \t]*\n(?:[ \t]*\n)*")
_PREFIXES = (b"", b"r")


def hashed_part(file: Path) -> bytes:
    """Return what of a file counts in a hash: the code of a Python module, the whole content of any other file."""
    content = file.read_bytes()
    return code_of(content) if file.suffix == ".py" else content


def code_of(source: bytes) -> bytes:
    """Return Python source without comments, docstrings, blank lines and trailing spaces.

    A docstring is a triple-quoted string that is a statement, also the one below an attribute. The result is for hashing: it
    may be invalid Python, because a function may consist of its docstring.
    """
    stored: list[bytes] = []
    code = b""
    brackets = 0
    for match in _NEXT.finditer(source):
        piece, triple = match["code"], match["triple"]
        bare = _STRING.sub(b"", piece)
        brackets += sum(map(bare.count, (b"(", b"[", b"{"))) - sum(map(bare.count, (b")", b"]", b"}")))
        code += piece
        if triple is None:
            continue
        above, _, line = code.rpartition(b"\n")
        if brackets == 0 and line.strip() in _PREFIXES:
            code = above + b"\n"
        else:
            stored += [_LINE_ENDS.sub(b"\n", code), triple]
            code = b""
    stored.append(_LINE_ENDS.sub(b"\n", code))
    return b"".join(stored).strip()
