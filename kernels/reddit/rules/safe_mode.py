"""Safe mode (REDDIT_SAFE_MODE): the server spaces an account's writes and never sends the same text twice.

Source: `buildSafeModeConfig` in `src/index.ts`, `enforceWriteRateLimit` and `checkDuplicateContent` in
`src/client/reddit-client.ts` of https://github.com/jordanburke/reddit-mcp-server. The server's memory is a row here.
Deletions are not affected.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar

from soundstage.contexts.engine.app_context import AppContext
from soundstage.kernels.reddit.rules.errors import RedditError, Unfinished
from soundstage.kernels.reddit.rules.host import variable
from soundstage.kernels.reddit.rules.javascript import trim

Done = TypeVar("Done")


@dataclass(frozen=True, slots=True)
class _Mode:
    """The minimum `delay` (ms) between two writes, and the number of texts that are remembered."""

    delay: int
    remembered: int


_MODES = {"standard": _Mode(2000, 10), "strict": _Mode(5000, 20)}


def write(
    context: AppContext, account: str, text: str, subreddit: str | None, do: Callable[[], Done]
) -> Done | Unfinished:
    """Perform a write under the limits of safe mode; `subreddit` is the target of a new post.

    From here on the text counts as sent, even if Reddit refuses it.

    Raises:
        RedditError: The text was sent before; with safe mode off, any error of `do`.
    """
    mode = _MODES.get(variable(context, "REDDIT_SAFE_MODE") or "standard")
    if mode is None:
        return do()
    now = round(context.now().timestamp() * 1000)
    memory = context.get("safe_mode", account) or context.create("safe_mode", {"user": account, "recent": []})
    ready = max(now, memory["last_write"] + mode.delay) if "last_write" in memory else now
    context.wait(ready - now)
    context.update("safe_mode", account, {"last_write": ready})
    digest = hashlib.sha256(trim(text).lower().encode()).hexdigest()
    recent = memory["recent"]
    twin = next((sent for sent in recent if sent["hash"] == digest), None)
    if twin is not None:
        return Unfinished(_sent_before(subreddit is not None and twin["subreddit"] not in ("", subreddit)))
    context.update(
        "safe_mode", account, {"recent": [*recent, {"hash": digest, "subreddit": subreddit or ""}][-mode.remembered :]}
    )
    try:
        return do()
    except RedditError as error:
        return Unfinished(error)


def _sent_before(is_elsewhere: bool) -> RedditError:
    if is_elsewhere:
        return RedditError(
            "invalid",
            "Cross-subreddit duplicate detected. Reddit's Responsible Builder Policy prohibits posting identical or "
            "substantially similar content across multiple subreddits. Please create unique content for each subreddit.",
        )
    return RedditError(
        "invalid",
        "Duplicate content detected. Reddit's spam filter may ban your account for posting identical content. "
        "Please modify your content and try again.",
    )
