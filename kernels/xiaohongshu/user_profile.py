"""The `user_profile` tool."""

from __future__ import annotations

from soundstage.contexts.engine.app_context import AppContext
from soundstage.contexts.engine.schema import Object
from soundstage.kernels.types import Arguments
from soundstage.kernels.xiaohongshu.rules import profile
from soundstage.kernels.xiaohongshu.rules.errors import failure, require

_ACTION = "获取用户主页"


def run(context: AppContext, arguments: Arguments) -> Object:
    """Return a user's profile page with one of its tabs."""
    user_id, _ = require(arguments, _ACTION, "user_id", "xsec_token")
    tab = profile.parse_tab(_ACTION, arguments.get("tab", ""))
    user = context.get("user", user_id)
    if user is None:
        raise failure(_ACTION, "user.userPageData.value not found in __INITIAL_STATE__", "not_found")
    return profile.to_reply(context, user, tab)
