"""Pages of a base's tables and fields; the page token is the last id shown, even on the last page."""

from __future__ import annotations

from soundstage.contexts.engine.schema import Object
from soundstage.kernels.lark.rules.base.refusals import BaseRefusals
from soundstage.kernels.lark.rules.errors import field_violation
from soundstage.kernels.types import Arguments

PAGE_SIZE = 20


def page_size(params: Arguments, most: int, refusal: BaseRefusals) -> int:
    """Return the requested page size.

    Raises:
        LarkError: The size is not positive (1254011), too large or not an integer (99992402).
    """
    size = params.get("page_size", PAGE_SIZE)
    if size <= 0:
        raise refusal(1254011)
    if size > most:
        raise field_violation("page_size", f"the max value is {most}")
    if size != int(size):
        raise field_violation("page_size", "page_size should be an integer")
    return int(size)


def page_after(items: list[Object], key: str, size: int, token: str | None, refusal: BaseRefusals) -> Object:
    """Return the page after the item whose id is the token.

    Raises:
        LarkError: 1254002 if the token is not the id of an item.
    """
    ids = [item[key] for item in items]
    if token and token not in ids:
        raise refusal(1254002)
    start = ids.index(token) + 1 if token else 0
    shown = items[start : start + size]
    last = shown[-1][key] if shown else ""
    return {"has_more": start + size < len(items), "page_token": last, "total": len(items), "items": shown}
