"""Whose mailbox a call works on, what its login allows, and which messages are in it.

Everything in the state without a `mailbox` is the account's that the state itself gives: the one of `credentials`, else the first
`account`. Another person who acts has what bears their address.
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
"""The address of an account that the state does not tell."""

_AUTH = "https://www.googleapis.com/auth/gmail."
_FULL = "https://mail.google.com/"
# What each method of the API asks for, any one of it. Source: the API's discovery document (gmail v1).
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
    """One person's mailbox. `owner` is what their rows bear as `mailbox`: None for the state's own account."""

    context: AppContext
    owner: str | None
    account: Object

    @property
    def address(self) -> str:
        return str(self.account["emailAddress"])

    @property
    def sender(self) -> tuple[str, str]:
        """The name (it may be empty) and the address that this person's mails are from."""
        return str(self.account.get("name") or ""), self.address

    @property
    def zone(self) -> tzinfo:
        """Where this person's days begin and end."""
        try:
            return ZoneInfo(str(self.account.get("timeZone") or "UTC"))
        except (ZoneInfoNotFoundError, ValueError):
            return UTC

    def needs(self, method: str) -> None:
        """Refuse what the login does not allow, before anything else is looked at.

        Raises:
            ApiError: Insufficient Permission.
        """
        scopes = self.account.get("scopes")
        if scopes is not None and not set(scopes) & set(_SCOPES[method]):
            raise insufficient_permission()

    @property
    def may_search(self) -> bool:
        """Whether the login sees more of messages than their headers."""
        scopes = self.account.get("scopes")
        return scopes is None or bool(set(scopes) & set(_SCOPES["attachment"]))

    def rows(self, entity: str) -> list[Object]:
        """This mailbox's objects of a kind, in the order in which they came to be."""
        return self.context.list(entity, {"mailbox": self.owner})

    def newest(self) -> list[Object]:
        """All messages, the newest first."""
        found = sorted(self.rows("message"), key=lambda m: int(m.get("internalDate") or 0))
        return found[::-1]

    def message(self, message_id: str) -> Object:
        """One message.

        Raises:
            ApiError: Invalid id value, for what is no number of 63 bits; Requested entity was not found.
        """
        found = self.context.get("message", message_id)
        if found is None:
            found = self.context.get("message", canonical_id(message_id))
        if found is None or found.get("mailbox") != self.owner:
            raise not_found()
        return found

    def owned(self, value: Object) -> Object:
        """A new object as this mailbox's."""
        return value if self.owner is None else {**value, "mailbox": self.owner}


def acting(context: AppContext) -> Mailbox:
    """The mailbox of whoever acts."""
    if (address := context.account) is not None:
        return Mailbox(context, address, context.get("account", address) or {"emailAddress": address})
    return Mailbox(context, None, _own(context))


def everybody(context: AppContext) -> list[Mailbox]:
    """All mailboxes, by which mail finds those who have one here."""
    own = _own(context)
    others = [a for a in context.list("account") if a["emailAddress"] != own["emailAddress"]]
    return [Mailbox(context, None, own), *(Mailbox(context, str(a["emailAddress"]), a) for a in others)]


def canonical_id(value: str) -> str:
    """An id as the API writes it: the hexadecimal number in small letters.

    Raises:
        ApiError: Invalid id value. Measured at the real API.
    """
    if not 1 <= len(value) <= 16 or any(c not in "0123456789abcdefABCDEF" for c in value) or int(value, 16) >= 2**63:
        raise invalid_id()
    return f"{int(value, 16):x}"


def _own(context: AppContext) -> Object:
    login = context.first("credentials")
    named = context.get("account", login["emailAddress"]) or login if login is not None else None
    return named or context.first("account") or {"emailAddress": NOBODY}
