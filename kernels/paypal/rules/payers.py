"""The payers of orders, subscriptions and invoices, and their decisions.

The decision is made when the object is created and stored in its column `awaited`: the payer, the time and the outcome.
From that time on, every reader sees it as done; no call changes when it happens.
"""

from __future__ import annotations

from datetime import datetime, timedelta

from soundstage.contexts.engine.app_context import AppContext
from soundstage.contexts.engine.schema import Object
from soundstage.kernels.paypal.rules.times import add_duration, format_seconds, parse_time

_USUAL_SECONDS = 2  # the clock advances one second per call: the first look comes too early, the second does not
_DEFAULT_PAYER: Object = {
    "name": {"given_name": "Mei", "surname": "Tan"},
    "email_address": "mei.tan@mail.example",
    "payer_id": "QZ4K8M2XV7TNC",
}


def awaited_from(context: AppContext, person: Object | None = None) -> Object | None:
    """Return the future action of the payer who is asked now, or None if the payer never approves.

    `person` is the payer that the merchant names by address and name. The `payer` row of that address decides; without
    one, the first row does. If there are no payers at all, the default payer approves after two seconds.
    """
    named = {name: person[name] for name in ("name", "email_address") if person and person.get(name)}
    known = context.get("payer", named["email_address"]) if "email_address" in named else None
    habit = known or context.first("payer") or {}
    if habit.get("approves") is False:
        return None
    who = {**_DEFAULT_PAYER, **{name: habit[name] for name in _DEFAULT_PAYER if name in habit}, **named}
    return _promise(context, habit, who)


def awaited_of_recipient(context: AppContext, recipients: list[Object], day: datetime | None) -> Object | None:
    """Return the future payment of an invoice after its `day`.

    Invoices are paid only by recipients with a `payer` row.
    """
    for recipient in recipients:
        address = recipient.get("billing_info", {}).get("email_address")
        habit = context.get("payer", address) if address else None
        if habit is not None and habit.get("approves") is not False and not habit.get("declined"):
            who = {name: habit[name] for name in _DEFAULT_PAYER if name in habit}
            return _promise(context, habit, who, day)
    return None


def has_acted(context: AppContext, row: Object) -> bool:
    """Return whether the payer of an object has acted yet."""
    at = parse_time(row.get("awaited", {}).get("at", ""))
    return at is not None and at <= context.now()


def _promise(context: AppContext, habit: Object, who: Object, day: datetime | None = None) -> Object | None:
    at = add_duration(day or context.now(), timedelta(seconds=habit.get("after_seconds", _USUAL_SECONDS)))
    if at is None:
        return None
    return {"at": format_seconds(at), "payer": who, **({"declined": True} if habit.get("declined") else {})}
