"""A mail as get_email_content shows it, after mailparser has read it.

A mail's text ends with a line break there, as it does in the mail. HTML alone is shown as text, too, unless files go along.
"""

from __future__ import annotations

from soundstage.contexts.engine.app_context import AppContext
from soundstage.contexts.engine.schema import Object
from soundstage.kernels.email_163.rules import dates
from soundstage.kernels.engines.mail.addresses import shown
from soundstage.kernels.engines.mail.html_as_text import to_mail_text

_RULE = "─" * 32


def rendered(context: AppContext, mail: Object, uid: str) -> str:
    """The whole text; `uid` as it was asked for."""
    lines = [f"📧 邮件详情 (UID: {uid})", _RULE, f"📅 日期: {_date(context, mail)}"]
    lines.append(f"👤 发件人: {shown(mail.get('from') or '') or '未知'}")
    lines.append(f"👥 收件人: {shown(mail.get('to') or '') or '未知'}")
    if mail.get("cc"):
        lines.append(f"📋 抄送: {shown(mail['cc'])}")
    lines += [f"📝 主题: {subject_of(mail)}", _RULE]
    files = mail.get("attachments") or []
    text, html = _ended(mail.get("text")), _ended(mail.get("html"))
    if html and not text and not files:
        text = to_mail_text(html)
    if text:
        lines += ["📄 文本内容:", text]
    if html and html != text:
        lines += ["🌐 HTML内容:", html]
    if files:
        lines.append("📎 附件列表:")
    lines += [f"  {i}. {f.get('filename') or '未命名'} ({_size(f)} bytes)" for i, f in enumerate(files, 1)]
    return "\n".join((*lines, ""))


def _date(context: AppContext, mail: Object) -> str:
    """What cannot be read is taken for now."""
    if not mail.get("date"):
        return "未知"
    return dates.long(context, dates.parsed(mail["date"]) or context.now())


def subject_of(mail: Object) -> str:
    """A mail's subject as mailparser has it: without blanks around it."""
    return (mail.get("subject") or "").strip() or "(无主题)"


def _ended(text: str | None) -> str:
    plain = (text or "").replace("\r\n", "\n")
    return plain if not plain or plain.endswith("\n") else f"{plain}\n"


def _size(file: Object) -> int:
    """The bytes of a file: of its content, where that is known."""
    content = str(file.get("content") or "").replace("\n", "")
    return len(content) // 4 * 3 - content[-2:].count("=") if content else int(file.get("size") or 0)
