"""How the server cleans what people have written, and how it lays out JSON.

Source: sanitize.py of the server.
"""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Mapping, Sequence
from typing import Any

_INVISIBLE = re.compile("[\u200b-\u200f\u2028\u2029\u202a-\u202e\u2060-\u2064\ufeff\ufff9-\ufffb]")
_BLANK_LINES = re.compile(r"\n{3,}")
_BLANKS = re.compile(r" {2,}")
EMPTY = "[empty]"


def clean(text: str | None, limit: int = 4096) -> str:
    """A text without control and invisible characters, with at most one blank line in a row, trimmed and cut."""
    if not text:
        return EMPTY
    kept = "".join(c for c in text if c in "\n\t" or unicodedata.category(c) not in ("Cc", "Cf"))
    kept = _BLANK_LINES.sub("\n\n", _INVISIBLE.sub("", kept)).strip()
    if not kept:
        return EMPTY
    return kept if len(kept) <= limit else kept[:limit] + "... [truncated]"


def clean_name(text: str | None, limit: int = 256) -> str:
    """A name or title as one line."""
    return _BLANKS.sub(" ", clean(text, limit).replace("\n", " ")).strip()


def results(records: Sequence[Mapping[str, Any]] | Mapping[str, Any], **beside: Any) -> str:
    """The JSON of most tools: `{"results": …}` on one line, with other members after it."""
    return one_line({"results": records, **beside})


def one_line(value: Any) -> str:
    """JSON on one line, in plain letters."""
    return json.dumps(value, ensure_ascii=False)


def indented(value: Any) -> str:
    """JSON indented by two blanks, other letters than ASCII's escaped."""
    return json.dumps(value, indent=2)
