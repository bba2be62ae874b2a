"""The `get_login_qrcode` tool."""

from __future__ import annotations

from datetime import timedelta

from soundstage.contexts.engine.app_context import AppContext
from soundstage.contexts.engine.clock import to_ms
from soundstage.kernels.types import Arguments
from soundstage.kernels.xiaohongshu.rules.qrcode import LoginQrcode
from soundstage.kernels.xiaohongshu.rules.session import of_server, save_session, signed_in

_VALID = timedelta(minutes=4)


def run(context: AppContext, arguments: Arguments) -> str | LoginQrcode:
    """Return a QR code for signing in, valid for four minutes; only the latest one works.

    The agent cannot scan it: in the simulation, setting the session's `logged_in` completes the sign-in.
    """
    if signed_in(context) is not None:
        return "你当前已处于登录状态"
    expires = context.now() + _VALID
    code = {"qrId": context.new_id("qrId", "{digits:18}"), "qrExpiresAt": to_ms(expires)}
    session = of_server(context)
    if session is None:
        context.create("session", {"logged_in": False, **code})
    else:
        save_session(context, session, code)
    # The server's local time is UTC here.
    text = f"请用小红书 App 在 {expires:%Y-%m-%d %H:%M:%S} 前扫码登录 👇"
    return LoginQrcode(text, f"https://www.xiaohongshu.com/mobile/login?qrId={code['qrId']}")
