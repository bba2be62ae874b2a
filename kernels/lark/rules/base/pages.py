"""Pages of a base's tables and fields. Their page token is the last id shown, and comes on the last page as well."""

from __future__ import annotations

from soundstage.contexts.engine.schema import Object
from soundstage.kernels.lark.rules.base.refusals import BaseRefusals
from soundstage.kernels.lark.rules.errors import field_violation
from soundstage.kernels.types import Arguments

PAGE_SIZE = 20


def page_size(params: Arguments, most: int, refusal: BaseRefusals) -> int:
    """The page size asked for.

    Raises:
        LarkError: not positive (1254011), above the most or no whole number (99992402).
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
    """The page that begins after the item whose id the token is.

    Raises:
        LarkError: 1254002 for a token that is no item's id.
    """
    ids = [item[key] for item in items]
    if token and token not in ids:
        raise refusal(1254002)
    start = ids.index(token) + 1 if token else 0
    shown = items[start : start + size]
    last = shown[-1][key] if shown else ""
    return {"has_more": start + size < len(items), "page_token": last, "total": len(items), "items": shown}
