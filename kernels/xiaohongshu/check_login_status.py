"""The `check_login_status` tool."""

from __future__ import annotations

from soundstage.contexts.engine.app_context import AppContext
from soundstage.kernels.types import Arguments
from soundstage.kernels.xiaohongshu.rules.session import signed_in


def run(context: AppContext, arguments: Arguments) -> str:
    """Report whether an account is signed in, and which; being signed out is not an error."""
    session = signed_in(context)
    if session is None:
        return "❌ 未登录\n\n请使用 get_login_qrcode 工具获取二维码进行登录。"
    return f"✅ 已登录\n用户名: {session.get('nickname', '')}\n\n你可以使用其他功能了。"
