"""The server's environment: the configured account and servers. Each acting account has a separate one."""

from __future__ import annotations

from soundstage.contexts.engine.app_context import AppContext
from soundstage.contexts.engine.schema import Object
from soundstage.kernels.email_163.rules.errors import MailError
from soundstage.kernels.email_163.rules.providers import detected

_NO_USER = "缺少邮箱用户名配置。请设置 EMAIL_USER 环境变量。"
_NO_PASSWORD = "缺少邮箱密码配置。请设置 EMAIL_PASSWORD 环境变量。"  # noqa: S105
_HINTS = {"smtp": "（如: 'exmail' 代表腾讯企业邮箱）", "imap": "", "pop3": ""}


def of_server(context: AppContext) -> Object:
    """Return the environment of the acting account, by default empty or that of its mailbox."""
    holder = context.account
    row = context.first("account", {"holder": holder})
    if row is None and holder is not None and (mailbox := context.get("mailbox", holder)) is not None:
        row = {"user": holder, "password": mailbox.get("code"), "provider": mailbox.get("provider")}
    return row or {}


def change(context: AppContext, changes: Object) -> None:
    """Set environment variables."""
    now = of_server(context)
    if "id" in now:
        context.update("account", now["id"], changes)
    else:
        holder = {} if context.account is None else {"holder": context.account}
        context.create("account", {**now, **holder, **changes})


def check_configured(environment: Object, protocol: str) -> None:
    """Check that a server is configured or the provider is recognised; a configured server suffices.

    Raises:
        MailError: Neither is the case.
    """
    if environment.get(f"{protocol}Host") or environment.get("receive_protocol"):
        return
    user = environment.get("user")
    if not user:
        raise MailError("unauthorized", _NO_USER)
    if detected(user, environment.get("provider")) is None:
        words = f"无法识别邮箱类型: {user}。如果是企业邮箱，请设置 EMAIL_TYPE 环境变量"
        raise MailError("invalid", words + _HINTS[protocol])
    if not environment.get("password"):
        raise MailError("unauthorized", _NO_PASSWORD)
