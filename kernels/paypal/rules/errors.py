"""PayPal's errors, folded into one object as the toolkit presents them to a model, and the toolkit's own errors.

A PayPal error has a name, a message, a debug id, details (issue, description) and links. The toolkit's
`handleAxiosError` preserves the status, the message and the descriptions, together at most 200 characters. Sources:
`typescript/src/shared/functions.ts` and `llmError.ts` of https://github.com/paypal/agent-toolkit 1.8.0; names, messages
and descriptions are those of https://github.com/paypal/paypal-rest-api-specifications.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

from soundstage.kernels.errors import AppError, ErrorKind

_MESSAGES: Final[dict[int, str]] = {
    400: "Request is not well-formed, syntactically incorrect, or violates schema.",
    403: "Authorization failed due to insufficient permissions.",
    404: "The specified resource does not exist.",
    422: "The requested action could not be performed, semantically incorrect, or failed business validation.",
    429: "Too many requests. Blocked due to rate limiting.",
    500: "An internal server error occurred.",
    503: "Service Unavailable.",
}
_KINDS: Final[dict[int, ErrorKind]] = {
    400: "invalid",
    401: "unauthorized",
    403: "permission",
    404: "not_found",
    422: "invalid",
    429: "rate_limited",
    500: "internal",
    503: "unavailable",
}
_LONGEST_MESSAGE = 200


@dataclass(frozen=True, slots=True)
class Issue:
    """One detail of a PayPal error.

    `kind` is set if it differs from the kind that the status implies.
    """

    status: int
    issue: str
    description: str
    kind: ErrorKind | None = None


class PaypalError(AppError):
    """A failed call; `body` is the object in the tool's reply."""

    def __init__(self, kind: ErrorKind, message: str, body: dict[str, Any]) -> None:
        """Set the kind, the message and the body of the reply."""
        super().__init__(kind, message)
        self.body = body


def issue_error(issue: Issue) -> PaypalError:
    """Return PayPal's error with one detail."""
    return http_error(issue.status, f"{_MESSAGES[issue.status]}: {issue.description}", issue.kind)


def message_error(status: int, kind: ErrorKind | None = None) -> PaypalError:
    """Return PayPal's error with its message alone."""
    return http_error(status, _MESSAGES[status], kind)


def http_error(status: int, message: str, kind: ErrorKind | None = None) -> PaypalError:
    """Return an unsuccessful HTTP response of PayPal."""
    shown = message[:_LONGEST_MESSAGE]
    body = {"ok": False, "status": status, "code": "PAYPAL_API_HTTP_ERROR", "message": shown}
    return PaypalError(kind or _KINDS[status], shown, body)


def no_response(message: str) -> PaypalError:
    """Return the error for an unreachable PayPal, with the message of axios."""
    return PaypalError(
        "unavailable", message, {"ok": False, "code": "PAYPAL_API_NO_RESPONSE", "message": message[:_LONGEST_MESSAGE]}
    )


def toolkit_error(message: str, kind: ErrorKind = "invalid") -> PaypalError:
    """Return an error that the toolkit itself throws."""
    return PaypalError(kind, message, {"error": {"message": message, "type": "paypal_error"}})


UNKNOWN_ID = Issue(
    404,
    "INVALID_RESOURCE_ID",
    "Specified resource ID does not exist. Please check the resource ID and try again.",
)
NO_PERMISSION = Issue(
    403, "PERMISSION_DENIED", "You do not have permission to access or perform operations on this resource."
)

# -- 400: format of a field -------------------------------------------------------------------------------------------
BAD_SYNTAX = Issue(400, "INVALID_PARAMETER_SYNTAX", "The value of a field does not conform to the expected format.")
BAD_VALUE = Issue(400, "INVALID_PARAMETER_VALUE", "The value of a field is invalid.")
MISSING = Issue(400, "MISSING_REQUIRED_PARAMETER", "A required field is missing.")
TOO_SHORT = Issue(400, "INVALID_STRING_MIN_LENGTH", "The value of a field is too short.")
TOO_LONG = Issue(400, "INVALID_STRING_MAX_LENGTH", "The value of a field is too long.")
INTEGER_TOO_SMALL = Issue(400, "INVALID_INTEGER_MIN_VALUE", "The integer value of a field is too small.")
INTEGER_TOO_LARGE = Issue(400, "INVALID_INTEGER_MAX_VALUE", "The integer value of a field is too large.")
WRONG_LENGTH = Issue(400, "INVALID_STRING_LENGTH", "The value of a field is either too short or too long")

# -- 422: money ------------------------------------------------------------------------------------------------------
NOT_POSITIVE = Issue(
    422,
    "CANNOT_BE_ZERO_OR_NEGATIVE",
    "Must be greater than zero. If the currency supports decimals, only two decimal place precision is supported.",
)
NEGATIVE = Issue(
    422,
    "CANNOT_BE_NEGATIVE",
    "Must be greater than or equal to 0. If the currency supports decimals, only two decimal place precision is supported.",
)
TOO_PRECISE = Issue(
    422, "DECIMAL_PRECISION", "If the currency supports decimals, only two decimal place precision is supported."
)
NO_DECIMALS = Issue(422, "DECIMALS_NOT_SUPPORTED", "Currency does not support decimals.")
TOO_MUCH = Issue(422, "MAX_VALUE_EXCEEDED", "Should be less than or equal to 999999999999999.99.")
UNKNOWN_CURRENCY = Issue(
    422,
    "INVALID_CURRENCY_CODE",
    "Currency code is invalid or is not currently supported. Please refer "
    "https://developer.paypal.com/api/rest/reference/currency-codes/ for list of supported currency codes.",
)
