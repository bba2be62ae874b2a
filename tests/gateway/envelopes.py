"""How each real server wraps its replies: which parts a reply has, how errors are flagged, and which texts are JSON.

The table follows the facts recorded about each server, app by app.
"""

from __future__ import annotations

import json

from soundstage.servers.reply import Answer, ProtocolFailure

_FLAGS = {None: "", False: " false", True: " error"}

_FORMS: dict[str, tuple[str, str]] = {
    "alipay": ("text", "text | text error"),
    "amap": ("json false", "json false | text error"),
    "baidu_maps": ("json false | json false structured", "text error"),
    "context7": ("text", "text | text error"),
    "deep_research": ("text", "-32603"),
    "deepseek": ("text structured", "text error | text error structured"),
    "discord": ("text false", "text error"),
    "email_163": ("text", "text | -32000 | -32001"),
    "filesystem": (
        "text structured | image structured | audio structured | resource structured",
        "text error",
    ),
    "finance": ("json false structured", "json false structured | text false structured | text error"),
    "firecrawl": ("text false", "text error"),
    "gmail": ("text", "text | -32000 | -32001"),
    "google_maps": ("json false", "text error"),
    "google_search": ("json", "text error | -32602 | -32603"),
    "instagram": ("json false structured", "json false structured | text error"),
    "lark": ("json", "json | json error | text error"),
    "mcpollinations": ("text | image+text", "text error"),
    "medical": ("text", "text | -32602"),
    "monitor": ("json", "text error"),
    "notion": ("json structured", "json error structured | text error"),
    "obsidian": ("text false", "text false | text error"),
    "paypal": ("json", "json | text error"),
    "playwright": ("text false", "text error | -32001"),
    "puppeteer": ("text false | image+text false", "text error | -32001 | -32603"),
    "reddit": ("text", "text error | -32602"),
    "slack": ("text | image+text", "json | text error | -32603"),
    "tavily": ("text", "text error | -32603"),
    "telegram": ("text false structured", "text false structured | text error"),
    "tushare": ("text false", "text false | text error"),
    "wecom": ("text", "text error | -32000"),
    "xiaohongshu": ("text | image+text", "text error | -32602"),
}
"""The forms of successful and of refused calls: kinds of content, flag and structured content, or a code on JSON-RPC's error
channel. `json` is a text that always is JSON.
"""


def misfit(app: str, answer: Answer) -> str | None:
    """Return how a reply's form differs from those of the real server, or None if the real server has replies like it."""
    allowed = _FORMS[app][0 if answer.ok else 1].split(" | ")
    if isinstance(answer, ProtocolFailure):
        form = str(answer.code)
        return None if form in allowed else f"has the form {form!r}, and should have one of {allowed}"
    texts = [block["text"] for block in answer.content if block["type"] == "text"]
    form = "+".join(sorted({block["type"] for block in answer.content}))
    form += _FLAGS[answer.is_error] + ("" if answer.structured is None else " structured")
    if form in allowed or (form.replace("text", "json", 1) in allowed and all(map(_is_json, texts))):
        return None
    return f"has the form {form!r}, and should have one of {allowed}: {str(answer.wire())[:300]}"


def _is_json(text: str) -> bool:
    try:
        json.loads(text)
    except ValueError:
        return False
    return True
