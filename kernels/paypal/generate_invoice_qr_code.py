"""The `generate_invoice_qr_code` tool."""

from __future__ import annotations

from soundstage.contexts.engine.app_context import AppContext
from soundstage.kernels.paypal.rules.access import authorize
from soundstage.kernels.paypal.rules.errors import Issue, issue_error
from soundstage.kernels.paypal.rules.invoices import invoice, payer_link
from soundstage.kernels.paypal.rules.qr import picture
from soundstage.kernels.types import Arguments

_SMALLEST, _LARGEST = 150, 500
_NOT_WHOLE = Issue(400, "INVALID_PARAMETER_SYNTAX", "Value of the field does not conform to the expected format.")
_TOO_SMALL = Issue(400, "INVALID_INTEGER_MIN_VALUE", "Value less than minimum value.")
_TOO_LARGE = Issue(400, "INVALID_INTEGER_MAX_VALUE", "Value exceeds max value.")


def run(context: AppContext, arguments: Arguments) -> str:
    """Return the QR code with which an invoice is paid by phone.

    The reply is a multipart body with a PNG in Base64 as one text, because the toolkit does not parse it.
    """
    authorize(context)
    width, height = arguments["width"], arguments["height"]
    for side in (width, height):
        if side != int(side):
            raise issue_error(_NOT_WHOLE)
        if side < _SMALLEST:
            raise issue_error(_TOO_SMALL)
        if side > _LARGEST:
            raise issue_error(_TOO_LARGE)
    row = invoice(context, arguments["invoice_id"])
    image = picture(payer_link(row["id"])["href"], int(width), int(height))
    boundary = context.new_id("boundary", "------------------------{digits:24}")
    head = 'Content-Disposition: form-data; name="image"'
    return f"{boundary}\r\n{head}\r\n\r\n{image}\r\n{boundary}--\r\n"
