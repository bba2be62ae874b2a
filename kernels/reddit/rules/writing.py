"""Reddit's checks of a new post, a reply or an edited text.

Order and sentences are those of `r2/r2/controllers/api.py` (POST_submit, POST_comment, POST_editusertext) and
`r2/r2/lib/validator/validator.py` in https://github.com/reddit-archive/reddit. Lengths count characters.
"""

from __future__ import annotations

import re

from soundstage.contexts.engine.app_context import AppContext
from soundstage.contexts.engine.schema import Object
from soundstage.kernels.reddit.rules.communities import find_community
from soundstage.kernels.reddit.rules.errors import api_errors, http_error
from soundstage.kernels.reddit.rules.things import DELETED

TITLE_MAX, COMMENT_MAX, TEXT_MAX = 300, 10_000, 40_000
_RATE_LIMIT = "you are doing that too much. try again in 9 minutes."


def need_text(text: str, longest: int) -> None:
    """Reject a text that is empty, blank or too long.

    Raises:
        RedditError: The text is invalid, in Reddit's words.
    """
    if not text or text.isspace():
        raise api_errors("invalid", "we need something here")
    need_length(text, longest)


def need_length(text: str, longest: int) -> None:
    """Reject a text that is too long.

    Raises:
        RedditError: The text is too long, in Reddit's words.
    """
    if len(text) > longest:
        raise api_errors("limit", f"this is too long (max: {longest})")


def need_rate_limit(context: AppContext, community_name: str) -> None:
    """Reject the write if Reddit limits the account's rate in the community.

    Raises:
        RedditError: The account is limited, in Reddit's words.
    """
    if (find_community(context, community_name) or {}).get("ratelimited"):
        raise api_errors("rate_limited", _RATE_LIMIT)


def need_open_thread(post: Object | None, comment: Object | None, *, is_reply: bool) -> None:
    """Reject a reply to a deleted comment (`is_reply`) or in an archived or locked thread.

    Raises:
        RedditError: All objections that apply, in Reddit's words.
    """
    objections: list[str] = []
    if is_reply and (comment is None or comment.get("author", DELETED) == DELETED):
        objections.append("that comment has been deleted")
    if post is not None and post.get("archived"):
        objections.append("that's a piece of history now; it's too late to reply to it")
    elif post is not None and post.get("locked"):
        objections.append("Comments are locked.")
    if objections:
        raise api_errors("permission", *objections)


def own_thing(context: AppContext, fullname: str, author: str) -> tuple[str, Object] | None:
    """Return entity and row of a post or comment written by `author` and not deleted, or None."""
    kind, _, key = fullname.partition("_")
    entity = "post" if kind == "t3" else "comment"
    row = context.get(entity, key)
    return (entity, row) if row is not None and row.get("author") == author else None


def edit(context: AppContext, fullname: str, author: str, text: str) -> None:
    """Replace the text of the author's own post or comment.

    Within three minutes a text with hardly any votes can be changed without an "edited" mark.

    Raises:
        RedditError: The text is empty or too long, the thing is not the author's, or the post is a link.
    """
    if not text or text.isspace():
        raise api_errors("invalid", "we need something here")
    own = own_thing(context, fullname, author)
    if own is None:
        raise api_errors("permission", "you can't do that")
    entity, row = own
    if entity == "post" and not row.get("is_self", True):
        raise http_error(403, "Failed to edit")
    need_length(text, TEXT_MAX if entity == "post" else COMMENT_MAX)
    now = context.now().timestamp()
    is_fresh = now - row.get("created_utc", 0) <= 180 and abs(row.get("score", 1)) <= 2
    changes = {"selftext" if entity == "post" else "body": text}
    context.update(entity, row["id"], changes if is_fresh else {**changes, "edited": now})


def delete(context: AppContext, fullname: str, author: str) -> None:
    """Delete the author's own post or comment.

    Reddit ignores other people's and unknown ones without an error (POST_del).
    """
    own = own_thing(context, fullname, author)
    if own is None:
        return
    entity, row = own
    if entity == "post":
        gone = {"author": DELETED, "selftext": DELETED} if row.get("is_self", True) else {"author": DELETED}
        context.update("post", row["id"], {**gone, "removed_by_category": "deleted"})
        return
    context.update("comment", row["id"], {"author": DELETED, "body": DELETED})
    post = context.get("post", row.get("link_id", "").removeprefix("t3_"))
    if post is not None and post.get("num_comments"):
        context.update("post", post["id"], {"num_comments": post["num_comments"] - 1})


_ADDRESS = re.compile(r"(?s)(?:(?P<scheme>[A-Za-z][A-Za-z0-9+.-]*)://|//)?(?P<place>[^/?#]*)(?P<rest>.*)")
_LABEL = re.compile(r"[-a-zA-Z0-9_]+")


def link_target(written: str) -> str:
    """Return the address of a link post as `sanitize_url` in `r2/r2/lib/utils/utils.py` does.

    An address without a scheme gets http. A host in other letters or with a trailing dot is rewritten and loses its
    port.

    Raises:
        RedditError: The address is missing or invalid.
    """
    if not written:
        raise api_errors("invalid", "a url is required")
    match = _ADDRESS.fullmatch(written.strip())
    scheme, place, rest = (match["scheme"], match["place"], match["rest"]) if match else (None, "", "")
    host = re.sub(r":\d*$", "", place).lower()
    plain = _plain_host(host)
    if (scheme or "http").lower() not in ("http", "https") or plain is None:
        raise api_errors("invalid", "you should check that url")
    return f"{scheme or 'http'}://{place if plain == host else plain}{rest}"


def same_target(one: str, other: str) -> bool:
    """Return whether Reddit treats two addresses as equal.

    Scheme, www., a trailing slash and the fragment are ignored (`base_url`).
    """
    return _base(one) == _base(other)


def _plain_host(host: str) -> str | None:
    """Return a host in ASCII without a trailing dot, or None if it is not a host."""
    try:
        plain = host.encode("idna").decode().removesuffix(".")
    except UnicodeError:
        return None
    fits = len(host) <= 255 and all(_LABEL.fullmatch(label) for label in plain.split("."))
    return plain if fits else None


def _base(url: str) -> str:
    bare = re.sub(r"^[a-z]+://", "", url.partition("#")[0].lower()).rstrip("/")
    return re.sub(r"^www\d*\.(?=[^/]*\.)", "", bare)


def new_id(context: AppContext, entity: str, first: str) -> str:
    """Return the next free id of an entity: base36 numbers that count from `first`."""
    while True:
        made = _base36(int(first, 36) + context.next_number(entity) - 1)
        if context.get(entity, made) is None:
            return made


def slug(title: str) -> str:
    """Return a title as part of an address.

    Letters and digits in lower case, every run of other characters as an underscore, at most fifty characters. A
    question mark is preserved, as recorded ("Best light for a fern?").
    """
    return re.sub(r"[^a-z0-9?]+", "_", title.lower())[:50]


def _base36(number: int) -> str:
    digits = ""
    while number:
        number, rest = divmod(number, 36)
        digits = "0123456789abcdefghijklmnopqrstuvwxyz"[rest] + digits
    return digits
