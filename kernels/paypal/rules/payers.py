"""People who pay: who approves what a merchant asks for, and when.

Nobody can hurry them: an order, a subscription or an invoice that waits for somebody keeps in `awaited` what he will do, decided
when it was made. From that moment on the clock tells whether he has done it, whoever looks.
"""

from __future__ import annotations

from datetime import datetime, timedelta

from soundstage.contexts.engine.app_context import AppContext
from soundstage.contexts.engine.schema import Object
from soundstage.kernels.paypal.rules.moments import later, parsed, seconds

_USUAL_SECONDS = 2  # a clock that ticks a second a call: the first look comes too early, the second does not
_SOMEBODY: Object = {
    "name": {"given_name": "Mei", "surname": "Tan"},
    "email_address": "mei.tan@mail.example",
    "payer_id": "QZ4K8M2XV7TNC",
}


def awaited_from(context: AppContext, person: Object | None = None) -> Object | None:
    """What whoever is asked to pay now will do; None where he never will.

    `person` is whom the merchant names, by address and name: he acts as the `payer` of his address, without such a row as the
    first payer does. Without any payer an order finds somebody who pays soon.
    """
    named = {name: person[name] for name in ("name", "email_address") if person and person.get(name)}
    known = context.get("payer", named["email_address"]) if "email_address" in named else None
    habit = known or context.first("payer") or {}
    if habit.get("approves") is False:
        return None
    who = {**_SOMEBODY, **{name: habit[name] for name in _SOMEBODY if name in habit}, **named}
    return _promise(context, habit, who)


def awaited_of_recipient(context: AppContext, recipients: list[Object], day: datetime | None) -> Object | None:
    """The same of an invoice, which is paid by those alone of whom the state knows that they pay, once it has come (on `day`)."""
    for recipient in recipients:
        address = recipient.get("billing_info", {}).get("email_address")
        habit = context.get("payer", address) if address else None
        if habit is not None and habit.get("approves") is not False and not habit.get("declined"):
            who = {name: habit[name] for name in _SOMEBODY if name in habit}
            return _promise(context, habit, who, day)
    return None


def has_acted(context: AppContext, row: Object) -> bool:
    """Whether whom this waits for has done his part."""
    at = parsed(row.get("awaited", {}).get("at", ""))
    return at is not None and at <= context.now()


def _promise(context: AppContext, habit: Object, who: Object, day: datetime | None = None) -> Object | None:
    at = later(day or context.now(), timedelta(seconds=habit.get("after_seconds", _USUAL_SECONDS)))
    if at is None:
        return None
    return {"at": seconds(at), "payer": who, **({"declined": True} if habit.get("declined") else {})}
