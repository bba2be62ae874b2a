"""Cleaning of people's texts, and formatting of JSON.

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
    """Remove control and invisible characters and repeated blank lines, then trim and shorten a text."""
    if not text:
        return EMPTY
    cleaned = "".join(c for c in text if c in "\n\t" or unicodedata.category(c) not in ("Cc", "Cf"))
    cleaned = _BLANK_LINES.sub("\n\n", _INVISIBLE.sub("", cleaned)).strip()
    if not cleaned:
        return EMPTY
    return cleaned if len(cleaned) <= limit else cleaned[:limit] + "... [truncated]"


def clean_name(text: str | None, limit: int = 256) -> str:
    """Return a name or title as one line."""
    return _BLANKS.sub(" ", clean(text, limit).replace("\n", " ")).strip()


def results_json(records: Sequence[Mapping[str, Any]] | Mapping[str, Any], **members: Any) -> str:
    """Format the JSON of most tools: `{"results": …}` on one line, followed by other members."""
    return json_line({"results": records, **members})


def json_line(value: Any) -> str:
    """Format JSON on one line without escapes."""
    return json.dumps(value, ensure_ascii=False)


def indented_json(value: Any) -> str:
    """Format JSON indented by two spaces, with characters beyond ASCII escaped."""
    return json.dumps(value, indent=2)
