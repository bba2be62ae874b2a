"""Names and ids as people write them, converted to the form that Reddit expects.

Source: `src/utils/reddit-identifiers.ts` in https://github.com/jordanburke/reddit-mcp-server.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from soundstage.kernels.reddit.rules.errors import RedditError
from soundstage.kernels.reddit.rules.javascript import trim

_SUBREDDIT = re.compile(r"(u_)?[A-Za-z0-9][A-Za-z0-9_]{1,20}")
_USERNAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{1,19}")
_THING = re.compile(r"[a-z0-9]{1,13}")


def subreddit_name(written: str) -> str:
    """Return `science` for r/science or /r/science/; names joined by `+` stay joined.

    An empty text stays empty: the home feed.

    Raises:
        RedditError: The text is not a valid name.
    """
    if trim(written) == "":
        return ""
    parts = [trim(part) for part in _bare(written, ["r/"]).split("+")]
    if not all(_SUBREDDIT.fullmatch(part) for part in parts):
        raise RedditError(
            "invalid",
            f'Invalid subreddit name "{written}". Expected 2-21 characters of letters, digits, or underscores '
            '(e.g. "science").',
        )
    return "+".join(parts)


def username(written: str) -> str:
    """Return `spez` for u/spez, /user/spez and similar.

    Raises:
        RedditError: The text is not a valid name.
    """
    name = _bare(written, ["user/", "u/"])
    if not _USERNAME.fullmatch(name):
        raise RedditError(
            "invalid",
            f'Invalid Reddit username "{written}". Expected 2-20 characters of letters, digits, underscores, or hyphens '
            '(e.g. "spez").',
        )
    return name


def thing_id(written: str) -> str:
    """Return the base36 id of a post or comment without its prefix.

    Raises:
        RedditError: The text is not a valid id.
    """
    bare = _bare(written, ["t1_", "t3_", "t4_", "t5_"]).lower()
    if not _THING.fullmatch(bare):
        raise RedditError(
            "invalid",
            f'Invalid Reddit ID "{written}". Expected a base36 id such as "1abc2de", optionally prefixed with t1_ or t3_.',
        )
    return bare


def fullname(written: str, kind: str) -> str:
    """Return a fullname such as `t3_1abc2de`; `kind` (t1 or t3) is the default prefix.

    Raises:
        RedditError: The text is not a valid id.
    """
    start = trim(written).lower()[:3]
    return f"{start[:2] if start in ('t1_', 't3_') else kind}_{thing_id(written)}"


def _bare(written: str, prefixes: Sequence[str]) -> str:
    """Remove one leading slash, one of the prefixes and trailing slashes."""
    text = trim(written).removeprefix("/")
    prefix = next((p for p in prefixes if text.lower().startswith(p)), "")
    return text[len(prefix) :].rstrip("/")
