"""Names and ids as people write them, in the form in which Reddit is asked.

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
    """`science` of r/science and /r/science/; several joined by `+` stay so. Nothing at all stays nothing: the home feed.

    Raises:
        RedditError: for what is no name.
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
    """`spez` of u/spez, /user/spez and the like.

    Raises:
        RedditError: for what is no name.
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
    """The base36 id of a post or comment, without its prefix.

    Raises:
        RedditError: for what is no id.
    """
    found = _bare(written, ["t1_", "t3_", "t4_", "t5_"]).lower()
    if not _THING.fullmatch(found):
        raise RedditError(
            "invalid",
            f'Invalid Reddit ID "{written}". Expected a base36 id such as "1abc2de", optionally prefixed with t1_ or t3_.',
        )
    return found


def fullname(written: str, kind: str) -> str:
    """`t3_1abc2de`: the prefix as it is written, `kind` (t1 or t3) where there is none.

    Raises:
        RedditError: for what is no id.
    """
    start = trim(written).lower()[:3]
    return f"{start[:2] if start in ('t1_', 't3_') else kind}_{thing_id(written)}"


def _bare(written: str, prefixes: Sequence[str]) -> str:
    """Without one slash in front, one of the prefixes, and slashes at the end."""
    text = trim(written).removeprefix("/")
    prefix = next((p for p in prefixes if text.lower().startswith(p)), "")
    return text[len(prefix) :].rstrip("/")
