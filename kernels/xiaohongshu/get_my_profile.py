"""The `get_my_profile` tool."""

from __future__ import annotations

from soundstage.contexts.engine.app_context import AppContext
from soundstage.contexts.engine.schema import Object
from soundstage.kernels.types import Arguments
from soundstage.kernels.xiaohongshu.rules import profile
from soundstage.kernels.xiaohongshu.rules.errors import panic_error
from soundstage.kernels.xiaohongshu.rules.session import signed_in


def run(context: AppContext, arguments: Arguments) -> Object:
    """Return the profile page of the signed-in account with one of its tabs."""
    tab = profile.parse_tab("获取我的主页", arguments.get("tab", ""))
    session = signed_in(context)
    if session is None:
        # The server waits for the sidebar's link 我, which the page lacks while signed out.
        raise panic_error("get_my_profile", "context deadline exceeded", "unauthorized")
    user_id, nickname = session.get("userId", ""), session.get("nickname", "")
    user = context.get("user", user_id) or {"userId": user_id, "basicInfo": {"nickname": nickname}}
    return profile.to_reply(context, user, tab)
