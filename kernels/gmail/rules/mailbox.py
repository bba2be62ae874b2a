"""Mailboxes: their owner, the scopes of the login, and their messages.

Rows without `mailbox` belong to the state's own account: that of `credentials`, or the first `account`. If another account
acts, its rows have its address as `mailbox`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, tzinfo
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from soundstage.contexts.engine.app_context import AppContext
from soundstage.contexts.engine.schema import Object
from soundstage.kernels.gmail.rules.errors import insufficient_permission, invalid_id, not_found

NOBODY = "me@gmail.com"
"""The address of an account that the state does not define."""

_AUTH = "https://www.googleapis.com/auth/gmail."
_FULL = "https://mail.google.com/"
# The OAuth scopes that allow each API method; one of them suffices. Source: the API's discovery document (gmail v1).
_SCOPES: Mapping[str, tuple[str, ...]] = {
    "send": (_FULL, f"{_AUTH}modify", f"{_AUTH}compose", f"{_AUTH}send"),
    "draft": (_FULL, f"{_AUTH}modify", f"{_AUTH}compose"),
    "list": (_FULL, f"{_AUTH}modify", f"{_AUTH}readonly", f"{_AUTH}metadata"),
    "get": (_FULL, f"{_AUTH}modify", f"{_AUTH}readonly", f"{_AUTH}metadata"),
    "attachment": (_FULL, f"{_AUTH}modify", f"{_AUTH}readonly"),
    "modify": (_FULL, f"{_AUTH}modify"),
    "delete": (_FULL,),
    "labels": (_FULL, f"{_AUTH}modify", f"{_AUTH}readonly", f"{_AUTH}labels", f"{_AUTH}metadata"),
    "edit_labels": (_FULL, f"{_AUTH}modify", f"{_AUTH}labels"),
    "filters": (_FULL, f"{_AUTH}modify", f"{_AUTH}readonly", f"{_AUTH}settings.basic"),
    "edit_filters": (f"{_AUTH}settings.basic",),
}


@dataclass(frozen=True, slots=True)
class Mailbox:
    """An account's mailbox. `owner` is the value of `mailbox` in its rows: None for the state's own account."""

    context: AppContext
    owner: str | None
    account: Object

    @property
    def address(self) -> str:
        """Return the account's address."""
        return str(self.account["emailAddress"])

    @property
    def sender(self) -> tuple[str, str]:
        """Return the account's name (possibly empty) and address for From headers."""
        return str(self.account.get("name") or ""), self.address

    @property
    def zone(self) -> tzinfo:
        """Return the account's time zone."""
        try:
            return ZoneInfo(str(self.account.get("timeZone") or "UTC"))
        except (ZoneInfoNotFoundError, ValueError):
            return UTC

    def needs(self, method: str) -> None:
        """Check the scopes of the login before anything else.

        Raises:
            ApiError: The scopes are insufficient.
        """
        scopes = self.account.get("scopes")
        if scopes is not None and not set(scopes) & set(_SCOPES[method]):
            raise insufficient_permission()

    @property
    def may_search(self) -> bool:
        """Return whether the login may read more than message headers."""
        scopes = self.account.get("scopes")
        return scopes is None or bool(set(scopes) & set(_SCOPES["attachment"]))

    def rows(self, entity: str) -> list[Object]:
        """Return this mailbox's rows of an entity, in order of creation."""
        return self.context.list(entity, {"mailbox": self.owner})

    def newest(self) -> list[Object]:
        """Return all messages, newest first."""
        rows = sorted(self.rows("message"), key=lambda m: int(m.get("internalDate") or 0))
        return rows[::-1]

    def message(self, message_id: str) -> Object:
        """Return a message.

        Raises:
            ApiError: The id is not a 63-bit number, or the message does not exist.
        """
        row = self.context.get("message", message_id)
        if row is None:
            row = self.context.get("message", canonical_id(message_id))
        if row is None or row.get("mailbox") != self.owner:
            raise not_found()
        return row

    def owned(self, value: Object) -> Object:
        """Return a new row that belongs to this mailbox."""
        return value if self.owner is None else {**value, "mailbox": self.owner}


def acting(context: AppContext) -> Mailbox:
    """Return the mailbox of the acting account."""
    if (address := context.account) is not None:
        return Mailbox(context, address, context.get("account", address) or {"emailAddress": address})
    return Mailbox(context, None, _own(context))


def everybody(context: AppContext) -> list[Mailbox]:
    """Return all mailboxes, for the delivery of messages."""
    own = _own(context)
    others = [a for a in context.list("account") if a["emailAddress"] != own["emailAddress"]]
    return [Mailbox(context, None, own), *(Mailbox(context, str(a["emailAddress"]), a) for a in others)]


def canonical_id(value: str) -> str:
    """Return an id as the API writes it: a lower-case hexadecimal number.

    Raises:
        ApiError: The id is invalid. The limits were measured with the real API.
    """
    if not 1 <= len(value) <= 16 or any(c not in "0123456789abcdefABCDEF" for c in value) or int(value, 16) >= 2**63:
        raise invalid_id()
    return f"{int(value, 16):x}"


def _own(context: AppContext) -> Object:
    login = context.first("credentials")
    named = context.get("account", login["emailAddress"]) or login if login is not None else None
    return named or context.first("account") or {"emailAddress": NOBODY}
