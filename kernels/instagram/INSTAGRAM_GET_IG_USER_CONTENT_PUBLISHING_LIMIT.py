"""The `INSTAGRAM_GET_IG_USER_CONTENT_PUBLISHING_LIMIT` tool."""

from __future__ import annotations

from soundstage.contexts.engine.app_context import AppContext
from soundstage.kernels.instagram.rules.account import own_user
from soundstage.kernels.instagram.rules.errors import nonexisting_field
from soundstage.kernels.instagram.rules.fields import parse
from soundstage.kernels.instagram.rules.publishing import quota_total, quota_usage
from soundstage.kernels.instagram.rules.replies import Envelope, success_envelope
from soundstage.kernels.types import Arguments

_FIELDS = "quota_usage,config"
_DAY_S = 86400


def run(context: AppContext, arguments: Arguments) -> Envelope:
    """Report how much of the daily publishing quota is used."""
    own_user(context, arguments)
    requested = {field.name for field in parse(arguments["fields"] or _FIELDS)}
    # Always in this order, and without an id (recorded).
    known = {
        "config": {"quota_total": quota_total(context), "quota_duration": _DAY_S},
        "quota_usage": quota_usage(context, context.now()),
    }
    for name in sorted(requested - known.keys()):
        raise nonexisting_field(name, "ContentPublishingLimitResponse")
    return success_envelope([{name: value for name, value in known.items() if name in requested}])
