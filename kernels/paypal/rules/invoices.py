"""Invoices and their status: DRAFT, SENT, UNPAID, SCHEDULED, PAID, CANCELLED.

A sent invoice is SENT if it has recipients, UNPAID if it has none and SCHEDULED if its date is in the future; it is
then PAID or CANCELLED. Source: invoicing_v2.json; the allowed transitions follow the descriptions of its errors.
"""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal

from soundstage.contexts.engine.app_context import AppContext
from soundstage.contexts.engine.schema import Object
from soundstage.kernels.paypal.rules.access import merchant
from soundstage.kernels.paypal.rules.errors import UNKNOWN_ID, Issue, issue_error, message_error
from soundstage.kernels.paypal.rules.links import INVOICES, SITE, Link, link
from soundstage.kernels.paypal.rules.money import amount
from soundstage.kernels.paypal.rules.payers import awaited_of_recipient, has_acted
from soundstage.kernels.paypal.rules.times import format_seconds, parse_time

_OWN = ("no_access", "number", "create_time", "notices", "awaited")  # internal fields, or shown within `detail`
_SENDABLE = ("DRAFT", "SCHEDULED", "SENT", "UNPAID", "PARTIALLY_PAID")
_REMINDABLE = ("UNPAID", "SENT", "PARTIALLY_PAID")
_PAYABLE = ("SENT", "UNPAID", "PARTIALLY_PAID")
_LONGEST_NOTE = 4000
_MOST_RECIPIENTS = 100

ANOTHER_MERCHANTS = Issue(403, "PERMISSION_DENIED", "The requested invoice is not associated with the requested user.")
LONG_NOTE = Issue(400, "INVALID_STRING_MAX_LENGTH", "the value of a field is too long.")
LONG_CANCELLATION = Issue(
    400, "INVALID_STRING_MAX_LENGTH", "Field value exceeded the maximum allowed number of characters."
)
MANY_RECIPIENTS = Issue(
    400, "INVALID_ARRAY_MAX_ITEMS", "Only maximum of 100 email address is supported in additional recipients."
)
# PayPal's message names DRAFT whatever the status is.
CANNOT_REMIND = Issue(
    422,
    "CANNOT_REMIND_INVOICE",
    "You cannot remind an invoice which is in DRAFT status. Only UNPAID, SENT and PARTIALLY_PAID invoices can be reminded.",
    "conflict",
)
_PAID = Issue(422, "CANNOT_CANCEL_PAID_INVOICE", "Cannot cancel a paid or partially paid invoice.", "conflict")
_REFUNDED = Issue(
    422, "CANNOT_CANCEL_REFUNDED_INVOICE", "Cannot cancel a refunded or partially refunded invoice.", "conflict"
)
CANNOT_CANCEL = {
    "DRAFT": Issue(422, "CANNOT_CANCEL_DRAFT_INVOICE", "Draft invoice cannot be canceled.", "conflict"),
    **dict.fromkeys(("PAID", "PARTIALLY_PAID", "MARKED_AS_PAID"), _PAID),
    **dict.fromkeys(("REFUNDED", "PARTIALLY_REFUNDED", "MARKED_AS_REFUNDED"), _REFUNDED),
    "SCHEDULED": Issue(422, "CANNOT_CANCEL_SCHEDULED_INVOICE", "Cannot cancel a scheduled invoice.", "conflict"),
    "CANCELLED": Issue(422, "INVOICE_CANCELED_ALREADY", "Invoice is already cancelled.", "conflict"),
}


def invoice(context: AppContext, invoice_id: str) -> Object:
    """Return an invoice as it is now.

    Raises:
        PaypalError: No invoice has this id, or it belongs to another merchant.
    """
    row = context.get("invoice", invoice_id)
    if row is None:
        raise issue_error(UNKNOWN_ID)
    if row.get("no_access"):
        raise issue_error(ANOTHER_MERCHANTS)
    return as_it_is(context, row)


def as_it_is(context: AppContext, row: Object) -> Object:
    """Apply to a stored invoice what has happened since: scheduled ones are sent on their date, then paid."""
    scheduled = any(notice["kind"] == "scheduled" for notice in row.get("notices", []))
    if row.get("status") == "SCHEDULED" and scheduled and not is_to_come(context, row):
        row = {**row, "status": _sent_status(row)}
    if row.get("status") not in _PAYABLE or not has_acted(context, row):
        return row
    awaited, due = row["awaited"], row.get("due_amount") or row["amount"]
    paid = {
        "type": "PAYPAL",
        "payment_id": awaited["payment_id"],
        "payment_date": awaited["at"][:10],
        "method": "PAYPAL",
        "amount": due,
    }
    payments = {"paid_amount": row["amount"], "transactions": [paid]}
    return {**row, "status": "PAID", "due_amount": amount(due["currency_code"], Decimal(0)), "payments": payments}


def details(row: Object) -> Object:
    """Return the fields of an invoice that PayPal shows."""
    fields = {name: value for name, value in row.items() if name not in _OWN}
    if "number" in row:
        detail = {"invoice_number": row["number"], **row.get("detail", {})}
        metadata = {"metadata": {"create_time": row["create_time"]}} if "create_time" in row else {}
        fields["detail"] = {**detail, **metadata}
    return {**fields, "links": own_links(row["id"])}


def own_links(invoice_id: str) -> list[Link]:
    """Return the links of an invoice."""
    return [link(f"{INVOICES}/{invoice_id}")]


def payer_link(invoice_id: str) -> Link:
    """Return the link of the page on which the recipient sees and pays an invoice."""
    return link(f"{SITE}/invoice/p/#{invoice_id.removeprefix('INV2').replace('-', '')}", "payer-view")


def is_to_come(context: AppContext, row: Object) -> bool:
    """Return whether the date of an invoice is in the future."""
    return str(row.get("detail", {}).get("invoice_date", "")) > format_seconds(context.now())[:10]


def send(
    context: AppContext,
    invoice_id: str,
    *,
    note: str | None = None,
    send_to_recipient: bool | None = None,
    additional_recipients: Sequence[str] = (),
) -> Link | str:
    """Send an invoice or schedule it; return the payer's link, or an empty text if its date is in the future.

    Raises:
        PaypalError: The invoice cannot be sent.
    """
    check_notice(LONG_NOTE, note, additional_recipients)
    row = invoice(context, invoice_id)
    if row.get("status") not in _SENDABLE or merchant(context).get("send_fails"):
        raise message_error(422, "conflict")
    later = is_to_come(context, row)
    kind = "scheduled" if later else "sent"
    changes: Object = {"notices": with_notice(context, row, kind, note, send_to_recipient, additional_recipients)}
    if row["status"] in ("DRAFT", "SCHEDULED"):
        changes["status"] = "SCHEDULED" if later else _sent_status(row)
    if "awaited" not in row:
        day = parse_time(row["detail"]["invoice_date"]) if later else None
        awaited = awaited_of_recipient(context, row.get("primary_recipients", []), day)
        if awaited is not None:
            changes["awaited"] = {**awaited, "payment_id": context.new_id("capture")}
    context.update("invoice", invoice_id, changes)
    return "" if later else payer_link(invoice_id)


def check_remindable(row: Object) -> None:
    """Check that an invoice has a status in which reminders are allowed.

    Raises:
        PaypalError: The status does not allow a reminder.
    """
    if row.get("status") not in _REMINDABLE:
        raise issue_error(CANNOT_REMIND)


def check_notice(too_long: Issue, note: str | None, additional_recipients: Sequence[str], subject: str = "") -> None:
    """Validate a mail about an invoice against PayPal's schema.

    Raises:
        PaypalError: A text has more than 4000 characters (`too_long`), or there are more than 100 recipients.
    """
    if len(note or "") > _LONGEST_NOTE or len(subject) > _LONGEST_NOTE:
        raise issue_error(too_long)
    if len(additional_recipients) > _MOST_RECIPIENTS:
        raise issue_error(MANY_RECIPIENTS)


def with_notice(
    context: AppContext,
    row: Object,
    kind: str,
    note: str | None,
    to_recipient: bool | None = None,
    additional_recipients: Sequence[str] = (),
    subject: str | None = None,
) -> list[Object]:
    """Return the mails that were sent about an invoice, with one more."""
    notice: Object = {"kind": kind, "at": format_seconds(context.now())}
    details = {"subject": subject, "note": note, "send_to_recipient": to_recipient}
    notice |= {name: value for name, value in details.items() if value is not None}
    if additional_recipients:
        notice["additional_recipients"] = list(additional_recipients)
    return [*row.get("notices", []), notice]


def _sent_status(row: Object) -> str:
    """Return the status of a sent invoice: UNPAID without a recipient's address, because it is shared by its link."""
    infos = [recipient.get("billing_info", {}) for recipient in row.get("primary_recipients", [])]
    return "SENT" if any(info.get("email_address") for info in infos) else "UNPAID"
