"""The `list_supported_providers` tool."""

from __future__ import annotations

from soundstage.contexts.engine.app_context import AppContext
from soundstage.kernels.email_163.rules.errors import TextReply
from soundstage.kernels.email_163.rules.providers import PROVIDERS
from soundstage.kernels.types import Arguments

_HOW_TO = (
    "💡 使用方法:\n"
    "1. 使用 setup_email_account 工具\n"
    "2. 填写完整邮箱地址和密码/授权码\n"
    "3. 系统会自动识别并配置对应的邮箱服务器\n\n"
    "⚠️  注意: 请确保已在对应邮箱中开启POP3/IMAP/SMTP服务并获取授权码！"
)


def run(context: AppContext, arguments: Arguments) -> TextReply:
    """List the supported providers."""
    text = "📋 支持的邮箱提供商:\n\n"
    for key, provider in PROVIDERS.items():
        text += f"🏢 {provider.name} ({key})\n   域名: {', '.join(provider.domains)}\n"
        text += f"   推荐协议: {provider.protocol}\n   示例: user@{provider.domains[0]}\n\n"
    return TextReply(text + _HOW_TO)
