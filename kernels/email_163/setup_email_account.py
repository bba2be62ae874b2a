"""The `setup_email_account` tool."""

from __future__ import annotations

from typing import Any

from soundstage.contexts.engine.app_context import AppContext
from soundstage.kernels.email_163.rules.coercion import member
from soundstage.kernels.email_163.rules.environment import change
from soundstage.kernels.email_163.rules.errors import TextReply
from soundstage.kernels.email_163.rules.providers import PROVIDERS, Provider, detected
from soundstage.kernels.engines import javascript
from soundstage.kernels.types import Arguments


def run(context: AppContext, arguments: Arguments) -> TextReply:
    """Configure the account; user and password are stored even if the rest fails, and no login is attempted."""
    shown = member(arguments, "email")
    change(context, {"user": shown, "password": member(arguments, "password")})
    key: str | None
    if javascript.is_true(arguments.get("provider")):
        key = javascript.text(arguments["provider"])
    elif (problem := _no_text(arguments)) is not None:
        return TextReply(f"❌ 邮箱设置失败: {problem}", ok=False)
    elif (key := detected(shown)) is None:
        text = "支持的邮箱类型请使用 list_supported_providers 查看，或手动指定 provider 参数。"
        return TextReply(f"❌ 无法识别邮箱类型: {shown}\n\n{text}", ok=False)
    provider = PROVIDERS.get(key)
    if provider is None:
        return TextReply(f"❌ 邮箱设置失败: 不支持的邮箱类型: {key}", ok=False)
    change(context, _servers(provider))
    server = provider.pop3 if provider.use_pop3 else provider.imap
    lines = (
        "✅ 邮箱账号设置成功！\n",
        f"📧 邮箱地址: {shown}",
        f"🏢 邮箱提供商: {provider.name}",
        f"📤 SMTP服务器: {provider.smtp.shown}",
        f"📥 接收协议: {provider.protocol}",
        f"📥 {provider.protocol}服务器: {server.shown}",
        "\n💡 提示: 配置已自动完成，您现在可以使用邮件功能了！",
    )
    return TextReply("\n".join(lines))


def _no_text(arguments: Arguments) -> str | None:
    """Return JavaScript's error for an address that is not a string, or None."""
    if isinstance(email := arguments.get("email"), str):
        return None
    if email is None:
        return f"Cannot read properties of {member(arguments, 'email')} (reading 'split')"
    return "email.split is not a function"


def _servers(provider: Provider) -> dict[str, Any]:
    smtp, imap = provider.smtp, provider.imap
    hosts = {"smtpHost": smtp.host, "imapHost": imap.host, "pop3Host": provider.pop3.host}
    ports = {"smtpPort": smtp.port, "smtpSecure": smtp.secure, "imapPort": imap.port, "imapSecure": imap.secure}
    return {**hosts, **ports}
