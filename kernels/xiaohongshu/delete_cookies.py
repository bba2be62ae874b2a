"""The `delete_cookies` tool."""

from __future__ import annotations

from soundstage.contexts.engine.app_context import AppContext
from soundstage.contexts.engine.schema import ABSENT
from soundstage.kernels.types import Arguments
from soundstage.kernels.xiaohongshu.rules.session import of_server, save_session

_DEFAULT_PATH = "cookies.json"


def run(context: AppContext, arguments: Arguments) -> str:
    """Sign out by removing the server's cookie file; it also succeeds without one."""
    session = of_server(context)
    path = session["cookie_path"] if session else _DEFAULT_PATH
    if session is not None:
        save_session(context, session, {"logged_in": False, "nickname": ABSENT, "userId": ABSENT})
    return f"Cookies 已成功删除，登录状态已重置。\n\n删除的文件路径: {path}\n\n下次操作时，需要重新登录。"
