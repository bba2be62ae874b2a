"""The `configure_email_server` tool."""

from __future__ import annotations

from typing import Any

from soundstage.contexts.engine.app_context import AppContext
from soundstage.kernels.email_163.rules.environment import change, of_server
from soundstage.kernels.email_163.rules.errors import TextReply, no_property
from soundstage.kernels.engines import javascript
from soundstage.kernels.types import Arguments

_UNSET = "未设置"
# In the server's order. Flags are set by any value, other variables by truthy ones.
_VARIABLES = ("smtpHost", "smtpPort", "smtpSecure", "imapHost", "imapPort", "imapSecure", "user", "password")
_FLAGS = ("smtpSecure", "imapSecure")
_SHOWN = (
    ("SMTP服务器", "smtpHost"),
    ("SMTP端口", "smtpPort"),
    ("SMTP SSL", "smtpSecure"),
    ("IMAP服务器", "imapHost"),
    ("IMAP端口", "imapPort"),
    ("IMAP SSL", "imapSecure"),
)


def run(context: AppContext, arguments: Arguments) -> TextReply:
    """Set environment variables one by one; earlier changes persist if a later one fails."""
    changes: dict[str, Any] = {}
    problem = None
    for name in _VARIABLES:
        value = arguments.get(name)
        if name in _FLAGS and name in arguments and value is None:
            problem = no_property("toString", "null")
            break
        if name in arguments and (name in _FLAGS or javascript.is_true(value)):
            changes[name] = javascript.text(value)
    if changes:
        change(context, changes)
    if problem is not None:
        return TextReply(f"错误: {problem.message}", ok=False)
    now = of_server(context)
    lines = [f"{title}: {_value(now.get(name))}" for title, name in _SHOWN]
    user = javascript.text(arguments["user"]) if javascript.is_true(arguments.get("user")) else "未更新"
    return TextReply("\n".join(("邮箱配置已更新：", *lines, f"用户: {user}")))


def _value(value: Any) -> str:
    return _UNSET if value is None else javascript.text(value) or _UNSET
