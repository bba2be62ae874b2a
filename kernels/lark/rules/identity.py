"""The identity of a call and its scopes.

Without `useUAT` a call runs as the app (tenant token), with it as the user. The app is the same for all people; the
user is the acting person. The entity `authorization` holds the server's tokens and the scopes that they lack; without a
row, the token is present with every scope. Its row "user" belongs to the default account; another person's row has the
open_id.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import orjson

from soundstage.contexts.engine.app_context import AppContext
from soundstage.contexts.engine.schema import Object
from soundstage.kernels.lark.rules.errors import LarkError, LarkServerError
from soundstage.kernels.types import Arguments

_USER_LACKS_SCOPE = (
    "Current user_access_token lacks required permissions. Please ensure the corresponding permissions are enabled in "
    "the developer console, then re-authorize using the following Authorization URL or login command."
)
_USER_SIGN_IN_EXPIRED = "Current user_access_token is invalid or expired"


@dataclass(frozen=True, slots=True)
class Caller:
    """The caller: the app (`id` is its app_id) or a user (`id` is the open_id; "" if the state has none).

    `is_own` marks the app and the default account, which own objects without a named owner.
    """

    kind: Literal["app", "user"]
    id: str
    name: str
    tenant_key: str
    is_own: bool = True


def caller(context: AppContext, arguments: Arguments, *scopes: str) -> Caller:
    """Return the identity that `useUAT` selects, after checking the scopes of its token.

    Raises:
        LarkServerError: The user token is missing, expired or lacks the scope (the server rewraps 99991668/99991679).
        LarkError: The app's token is invalid (99991663) or lacks the scope (99991672).
    """
    return as_user(context, *scopes) if arguments.get("useUAT") else as_app(context, *scopes)


def as_app(context: AppContext, *scopes: str) -> Caller:
    """Return the app's identity; see `caller`."""
    authorization = context.get("authorization", "app") or {}
    if authorization.get("expired"):
        message = "Invalid access token for authorization. Please make a request with token attached."
        raise LarkError(99991663, message, kind="unauthorized")
    if missing := _missing(authorization, scopes):
        message = f"Access denied. One of the following scopes is required: [{', '.join(missing)}]"
        violations = [{"type": "action_scope_required", "subject": scope} for scope in missing]
        details = {"message": message, "permission_violations": violations}
        raise LarkError(99991672, message, kind="permission", details=details)
    app = context.first("app") or {}
    return Caller("app", app.get("app_id", ""), "", app.get("tenant_key", ""))


def as_user(context: AppContext, *scopes: str) -> Caller:
    """Return the user's identity; see `caller`."""
    authorization = _user_authorization(context)
    if authorization.get("expired"):
        raise LarkServerError({"errorMessage": _USER_SIGN_IN_EXPIRED, "instruction": ""}, kind="unauthorized")
    if missing := _missing(authorization, scopes):
        violations = [{"type": "action_privilege_required", "subject": scope} for scope in missing]
        payload = {
            "errorCode": 99991679,
            "errorMessage": _USER_LACKS_SCOPE,
            "instruction": "",
            "rawErrorText": _raw_violation(context, violations),
        }
        raise LarkServerError(payload, kind="permission")
    account = context.account
    user = _user_of(context, account, authorization) or {}
    return Caller("user", user.get("open_id", ""), user.get("name", ""), user.get("tenant_key", ""), account is None)


def signed_in_user(context: AppContext) -> Object | None:
    """Return the user of the user token.

    This is the acting person; for the default account, the user that `authorization` names, else the first of the
    tenant.
    """
    return _user_of(context, context.account, _user_authorization(context))


def _user_of(context: AppContext, account: str | None, authorization: Object) -> Object | None:
    if open_id := account or authorization.get("open_id"):
        return context.get("user", open_id) or {"open_id": open_id}
    return context.first("user")


def _user_authorization(context: AppContext) -> Object:
    return context.get("authorization", context.account or "user") or {}


def _missing(authorization: Object, scopes: tuple[str, ...]) -> list[str]:
    """Return the scopes to name in the error; a state lists only missing scopes that matter, so one is enough."""
    lacking = authorization.get("missing_scopes") or []
    return [scope for scope in scopes if scope in lacking]


def lacks(context: AppContext, scope: str) -> bool:
    """Return whether the app's token lacks a scope that a service requires beyond the gateway's checks."""
    authorization = context.get("authorization", "app") or {}
    return scope in (authorization.get("missing_scopes") or [])


def _raw_violation(context: AppContext, violations: list[dict[str, str]]) -> str:
    log_id = f"{context.now():%Y%m%d%H%M%S}{context.new_id('log_id', '{hex:18}').upper()}"
    message = (
        "Unauthorized. You do not have permission to perform the requested operation on the resource. "
        "Please request user re-authorization and try again."
    )
    error = {"log_id": log_id, "permission_violations": violations}
    return orjson.dumps({"code": 99991679, "msg": message, "error": error}).decode()
