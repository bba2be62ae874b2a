"""The `list_transactions` tool."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

from soundstage.contexts.engine.app_context import AppContext
from soundstage.kernels.engines.javascript import number_text
from soundstage.kernels.paypal.rules.access import authorize, merchant
from soundstage.kernels.paypal.rules.errors import BAD_SYNTAX, PaypalError, issue_error, toolkit_error
from soundstage.kernels.paypal.rules.ledger import between, entries
from soundstage.kernels.paypal.rules.links import TRANSACTIONS, link
from soundstage.kernels.paypal.rules.paging import page_of, totals
from soundstage.kernels.paypal.rules.times import (
    a_month_before,
    add_duration,
    format_milliseconds,
    format_reported,
    is_reportable,
    parse_time,
)
from soundstage.kernels.types import Arguments

_LONGEST = timedelta(days=31)
_USUAL_SIZE = 100
USUAL_MONTHS = 12
_EPOCH = 1970  # PayPal did not exist before


def run(context: AppContext, arguments: Arguments) -> dict[str, Any]:
    """Return the merchant's transactions of at most 31 days, or search for one of them by id.

    Returns `{transaction_details, account_number, start_date, …}`; with an id `{found, transaction_details,
    total_items}`.
    """
    if arguments.get("transaction_id"):
        return _one(context, arguments)
    start_date, end_date = _window(context.now(), arguments.get("start_date"), arguments.get("end_date"))
    authorize(context)
    start, end = _reportable(start_date), _reportable(end_date)
    rows = between(entries(context), start, end, arguments["transaction_status"])
    page, page_size = arguments.get("page", 1), arguments.get("page_size", _USUAL_SIZE)
    return {
        "transaction_details": page_of(rows, page, page_size),
        "account_number": merchant(context)["account_number"],
        "start_date": format_reported(start),
        "end_date": format_reported(end),
        "last_refreshed_datetime": format_reported(context.now() - timedelta(seconds=1)),
        "page": page,
        **totals(rows, page_size),
        "links": [link(TRANSACTIONS)],
    }


def _one(context: AppContext, arguments: Arguments) -> dict[str, Any]:
    """Search for a transaction month by month, backwards from now.

    Errors that PayPal reports during the search are ignored: the transaction then counts as not found.

    Raises:
        PaypalError: None of these months contains the transaction.
    """
    wanted, months = arguments["transaction_id"], arguments["search_months"] or USUAL_MONTHS
    page, page_size = arguments.get("page", 1), arguments.get("page_size", _USUAL_SIZE)
    try:
        authorize(context)
        infos = [info for info in entries(context) if info.get("transaction_id") == wanted]
        end, start = context.now(), context.now() - _LONGEST
        month = 0
        while month < months and end.year > _EPOCH:
            rows = page_of(between(infos, start, end, arguments["transaction_status"]), page, page_size)
            if rows:
                return {"found": True, "transaction_details": rows[:1], "total_items": 1}
            end, start = start, a_month_before(start)
            month += 1
    except PaypalError:
        pass
    raise not_found(wanted, months)


def _window(now: datetime, start_date: str | None, end_date: str | None) -> tuple[str, str]:
    """Return the dates that the toolkit requests, at most 31 days before the end date.

    Raises:
        PaypalError: The only date that is given is not a date.
    """
    start_date = format_milliseconds(now - _LONGEST) if start_date is None else start_date
    end_date = format_milliseconds(now) if end_date is None else end_date
    if not start_date and not end_date:
        return format_milliseconds(now - _LONGEST), format_milliseconds(now)
    if not end_date:
        return start_date, _moved(start_date, _LONGEST)
    if not start_date:
        return _moved(end_date, -_LONGEST), end_date
    start, end = parse_time(start_date), parse_time(end_date)
    if start is not None and end is not None and end - start > _LONGEST:
        return format_milliseconds(end - _LONGEST), end_date
    return start_date, end_date


def _moved(date: str, by: timedelta) -> str:
    moment = parse_time(date)
    if moment is None:
        raise toolkit_error("Invalid time value")  # JavaScript's RangeError
    moved = add_duration(moment, by)
    return f"+{date}" if moved is None else format_milliseconds(moved)  # a year of five digits, which PayPal rejects


def _reportable(date: str) -> datetime:
    moment = parse_time(date)
    if moment is None or not is_reportable(date):
        raise issue_error(BAD_SYNTAX)
    return moment


def not_found(transaction_id: str, months: float) -> PaypalError:
    """Return the toolkit's error for a transaction that the search did not find."""
    message = (
        f"The transaction ID {transaction_id} was not found in the last {number_text(months)} months. Please verify the "
        "transaction ID and try again, or let me know if there's anything else I can assist you with!"
    )
    body = {"found": False, "transaction_details": [], "total_items": 0, "message": message}
    return PaypalError("not_found", message, body)
