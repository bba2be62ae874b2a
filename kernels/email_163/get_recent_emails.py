"""The `get_recent_emails` tool."""

from __future__ import annotations

from soundstage.contexts.engine.app_context import AppContext
from soundstage.kernels.email_163.rules.environment import check_configured, of_server
from soundstage.kernels.email_163.rules.errors import MailError, TextReply
from soundstage.kernels.email_163.rules.listing import over_imap, over_pop3
from soundstage.kernels.email_163.rules.providers import PROVIDERS, detected
from soundstage.kernels.types import Arguments

_ADVICE = "建议：\n1. 检查邮箱IMAP/POP3设置\n2. 确认使用正确的授权码\n3. 尝试使用QQ邮箱等其他邮箱服务"


def run(context: AppContext, arguments: Arguments) -> TextReply:
    """List recent messages: over POP3 for providers that prefer it, otherwise over IMAP with POP3 as fallback."""
    environment = of_server(context)
    provider = detected(environment.get("user") or "", environment.get("provider"))
    if environment.get("user") and provider is not None and PROVIDERS[provider].use_pop3:
        return over_pop3(context, environment, arguments)
    try:
        check_configured(environment, "imap")
    except MailError as error:
        return TextReply(f"❌ IMAP功能不可用: {error.message}\n\n{_ADVICE}", ok=False)
    try:
        return over_imap(context, environment, arguments)
    except MailError:
        return over_pop3(context, environment, arguments)
