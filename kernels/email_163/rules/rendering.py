"""Messages as get_email_content shows them after parsing with mailparser.

The text ends with a line break, as in the message. HTML without text is shown as text too, unless there are attachments.
"""

from __future__ import annotations

from soundstage.contexts.engine.app_context import AppContext
from soundstage.contexts.engine.schema import Object
from soundstage.kernels.email_163.rules import dates
from soundstage.kernels.engines.mail.addresses import shown
from soundstage.kernels.engines.mail.html_as_text import to_mail_text

_RULE = "─" * 32


def rendered(context: AppContext, mail: Object, uid: str) -> str:
    """Return the whole text; `uid` is the requested one."""
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
    """Format the date; an invalid date counts as now."""
    if not mail.get("date"):
        return "未知"
    return dates.long(context, dates.parsed(mail["date"]) or context.now())


def subject_of(mail: Object) -> str:
    """Return the trimmed subject, like mailparser."""
    return (mail.get("subject") or "").strip() or "(无主题)"


def _ended(text: str | None) -> str:
    plain = (text or "").replace("\r\n", "\n")
    return plain if not plain or plain.endswith("\n") else f"{plain}\n"


def _size(file: Object) -> int:
    """Return the size of an attachment, computed from its content if available."""
    content = str(file.get("content") or "").replace("\n", "")
    return len(content) // 4 * 3 - content[-2:].count("=") if content else int(file.get("size") or 0)
