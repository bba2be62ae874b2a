"""What Reddit looks at before it takes a post, a reply, or another text for one of them.

Order and sentences of `r2/r2/controllers/api.py` (POST_submit, POST_comment, POST_editusertext) and
`r2/r2/lib/validator/validator.py` in https://github.com/reddit-archive/reddit. Lengths count characters.
"""

from __future__ import annotations

import re

from soundstage.contexts.engine.app_context import AppContext
from soundstage.contexts.engine.schema import Object
from soundstage.kernels.reddit.rules.communities import named
from soundstage.kernels.reddit.rules.errors import api_errors, http_error
from soundstage.kernels.reddit.rules.things import DELETED

TITLE_MAX, COMMENT_MAX, TEXT_MAX = 300, 10_000, 40_000
_RATE_LIMIT = "you are doing that too much. try again in 9 minutes."


def need_text(text: str, longest: int) -> None:
    """Refuse a text that is empty, blank or too long.

    Raises:
        RedditError: in Reddit's words.
    """
    if not text or text.isspace():
        raise api_errors("invalid", "we need something here")
    need_length(text, longest)


def need_length(text: str, longest: int) -> None:
    """Refuse a text that is too long.

    Raises:
        RedditError: in Reddit's words.
    """
    if len(text) > longest:
        raise api_errors("limit", f"this is too long (max: {longest})")


def need_patience(context: AppContext, community_name: str) -> None:
    """Refuse when Reddit slows the account down in that community.

    Raises:
        RedditError: in Reddit's words.
    """
    if (named(context, community_name) or {}).get("ratelimited"):
        raise api_errors("rate_limited", _RATE_LIMIT)


def need_open_thread(post: Object | None, comment: Object | None, *, is_reply: bool) -> None:
    """Refuse an answer where none may be given any more: to a comment that is gone (`is_reply`), in an archived or locked thread.

    Raises:
        RedditError: in Reddit's words, several where several hold.
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
    """A post or comment that `author` has written and not taken back: its entity and its row. None where it is not his."""
    kind, _, key = fullname.partition("_")
    entity = "post" if kind == "t3" else "comment"
    row = context.get(entity, key)
    return (entity, row) if row is not None and row.get("author") == author else None


def edit(context: AppContext, fullname: str, author: str, text: str) -> None:
    """Put another text in the place of one's own.

    Within three minutes a text that hardly anybody has voted on can be mended without a mark.

    Raises:
        RedditError: for an empty text, what is not one's own, a post that is a link, or too long a text.
    """
    if not text or text.isspace():
        raise api_errors("invalid", "we need something here")
    found = own_thing(context, fullname, author)
    if found is None:
        raise api_errors("permission", "you can't do that")
    entity, row = found
    if entity == "post" and not row.get("is_self", True):
        raise http_error(403, "Failed to edit")
    need_length(text, TEXT_MAX if entity == "post" else COMMENT_MAX)
    now = context.now().timestamp()
    is_fresh = now - row.get("created_utc", 0) <= 180 and abs(row.get("score", 1)) <= 2
    changes = {"selftext" if entity == "post" else "body": text}
    context.update(entity, row["id"], changes if is_fresh else {**changes, "edited": now})


def delete(context: AppContext, fullname: str, author: str) -> None:
    """Take one's own post or comment back. What is another's, or nowhere, stays as it is, and Reddit says nothing (POST_del)."""
    found = own_thing(context, fullname, author)
    if found is None:
        return
    entity, row = found
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
    """The address that a link post leads to, as `sanitize_url` in `r2/r2/lib/utils/utils.py` has it.

    One without a scheme is of the web; a host in other letters, or with a dot at its end, is rewritten, and loses its port.

    Raises:
        RedditError: without any, or for one that leads nowhere.
    """
    if not written:
        raise api_errors("invalid", "a url is required")
    found = _ADDRESS.fullmatch(written.strip())
    scheme, place, rest = (found["scheme"], found["place"], found["rest"]) if found else (None, "", "")
    host = re.sub(r":\d*$", "", place).lower()
    plain = _plain_host(host)
    if (scheme or "http").lower() not in ("http", "https") or plain is None:
        raise api_errors("invalid", "you should check that url")
    return f"{scheme or 'http'}://{place if plain == host else plain}{rest}"


def same_target(one: str, other: str) -> bool:
    """Whether Reddit takes two addresses for the same: without scheme, www., slash and fragment at the end (`base_url`)."""
    return _base(one) == _base(other)


def _plain_host(host: str) -> str | None:
    """A host in ASCII, without a dot at its end; None for what is no host."""
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
    """The next id of an entity: base36 numbers that count on from `first`, past those that are taken."""
    while True:
        made = _base36(int(first, 36) + context.next_number(entity) - 1)
        if context.get(entity, made) is None:
            return made


def slug(title: str) -> str:
    """A title as an address has it.

    Letters and digits in lower case, every run of other characters an underscore, fifty at most; a question mark stays, as it
    was recorded ("Best light for a fern?").
    """
    return re.sub(r"[^a-z0-9?]+", "_", title.lower())[:50]


def _base36(number: int) -> str:
    digits = ""
    while number:
        number, rest = divmod(number, 36)
        digits = "0123456789abcdefghijklmnopqrstuvwxyz"[rest] + digits
    return digits
