"""Classify a query as a question or an instruction to change something."""

from __future__ import annotations

import re

_HAN = re.compile(r"[\u4e00-\u9fff]")
_QUESTION_MARK = re.compile(r"[?？]\s*$")
_CHANGE = re.compile(
    r"^\W*(?:accept|add|announce|answer|approve|archive|assign|ban|bill|block|call|cancel|change|clear|click|close|correct|create|"
    r"delete|demote|disable|drag|draw|drop|edit|enable|end|export|fill|fix|follow|forget|forward|give|have|import|invite|join|"
    r"kick|leave|let|lift|like|log|make|mark|move|mute|open|pay|pin|post|press|promote|publish|put|react|record|refund|register|"
    r"remind|remove|rename|reorder|replace|reply|run|save|schedule|send|set|share|sign|start|stop|subscribe|swap|take|tell|throw|"
    r"turn|type|unblock|unmute|unpin|update|upload|wipe|write)\b(?! me\b)",
    re.IGNORECASE,
)
_KNOW = re.compile(
    r"^\W*(?:who|whose|what|which|where|when|why|how|is|are|am|was|were|will|do|does|did|has|have|any|show|list|find|see|look|check|"
    r"read|get|fetch|count|search|compare|(?:tell|give|let) me)\b|\b(?:know|find out|wonder|see whether|see if|look up)\b",
    re.IGNORECASE,
)
_KNOW_HAN = re.compile(
    r"谁|哪|什么|多少|几个|几条|吗|呢|看看|看一下|查|有没有|是不是|是否|没有$|怎么|列出|列一下|找|搜|读|了解|多久|多大|多高"
)
_CHANGE_HAN = re.compile(
    r"^(?:我要|我想)?(?:把|将|给|让|发|删|改|加|建|设|取消|新建|撤|移|拉|踢|转发|回复|置顶|退|关|开|标|换|存|上传|创建|邀请|清空|禁|解|分享|"
    r"订阅|写|画|点|填|按|录|拖|保存|更新)"
)
_DONE_TO = re.compile(r"^(?:把|将)")


def is_question(query: str) -> bool | None:
    """Return True for a question and False for an instruction; None if the query (without courtesy) is unclear."""
    text = query.strip()
    if _HAN.search(text):
        if _KNOW_HAN.search(text) and not _DONE_TO.search(text):
            return True
        return False if _CHANGE_HAN.search(text) else None
    if _CHANGE.search(text) and not _QUESTION_MARK.search(text):
        return False
    return True if _QUESTION_MARK.search(text) or _KNOW.search(text) else None
