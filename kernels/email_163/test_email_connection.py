"""The `test_email_connection` tool."""

from __future__ import annotations

from soundstage.contexts.engine.app_context import AppContext
from soundstage.kernels.email_163.rules import connections
from soundstage.kernels.email_163.rules.environment import of_server
from soundstage.kernels.email_163.rules.errors import MailError, TextReply
from soundstage.kernels.types import Arguments

_TESTS = {"smtp": connections.smtp, "imap": connections.imap}


def run(context: AppContext, arguments: Arguments) -> TextReply:
    """Log in over SMTP, IMAP or both; other values of `testType` test nothing and return no lines."""
    wanted = arguments.get("testType", "both")
    environment = of_server(context)
    lines, failed = [], False
    for name, log_in in _TESTS.items():
        if wanted not in (name, "both"):
            continue
        try:
            log_in(context, environment)
            lines.append(f"✅ {name.upper()}服务器连接测试成功！")
        except MailError as error:
            lines.append(f"❌ {name.upper()}连接测试失败: {error.message}")
            failed = True
    return TextReply("\n".join(lines), ok=bool(lines) and not failed)
