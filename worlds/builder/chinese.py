"""Chinese punctuation: full width where the text before it is Chinese, as every Chinese keyboard writes it."""

from __future__ import annotations

import re

HAN = re.compile(r"[\u4e00-\u9fff]")
_WORD = re.compile(r"[A-Za-z][A-Za-z'’-]*")
_WIDE = {",": "，", ";": "；", ":": "：", "?": "？", "!": "！", ".": "。"}
# After a Chinese character, perhaps with a quotation mark or bracket between them.
_AFTER_HAN = re.compile(r"(?<=[\u4e00-\u9fff])([\"'”’」』）]?)([,;:?!])[ \t]*(?![\d/]{2})")
_STOP_AFTER_HAN = re.compile(r"(?<=[\u4e00-\u9fff])([\"'”’」』）]?)\.(?=\s|$)")
# Between Latin letters or figures and Chinese, in a sentence that is Chinese: "用 b17, 别的不动".
_BEFORE_HAN = re.compile(r"(?P<clause>[^,;?!，；。？！]*[A-Za-z0-9%])([,;?!])[ \t]*(?=[\u4e00-\u9fff])")
# Punctuation after a mention: "@Tang Wei, 你看".
_LEADING = re.compile(r"^([,;?!])[ \t]*(?=[\u4e00-\u9fff])")
_BRACKETS = re.compile(r"(?<=[\u4e00-\u9fff])[ ]?\(([^()\n]*)\)")


def is_chinese(text: str) -> bool:
    """Whether a text is a Chinese one, with or without English words in it."""
    return len(HAN.findall(text)) > len(_WORD.findall(text))


def full_width(text: str) -> str:
    """Convert the punctuation in the Chinese parts of a text to full width. Full-width punctuation stays unchanged."""
    if not HAN.search(text):
        return text
    text = _BRACKETS.sub(r"（\1）", text)
    text = _AFTER_HAN.sub(lambda match: match[1] + _WIDE[match[2]], text)
    return "\n".join(_line(line) for line in text.split("\n"))


def _line(line: str) -> str:
    if not is_chinese(line):
        return line
    line = _STOP_AFTER_HAN.sub(r"\1。", line)
    line = _BEFORE_HAN.sub(_after_clause, line)
    return _LEADING.sub(lambda match: _WIDE[match[1]], line)


def _after_clause(match: re.Match[str]) -> str:
    """Keep the half-width mark after a clause of English words before Chinese text: "Thanks, 韩笑"."""
    clause = match["clause"]
    return clause + _WIDE[match[2]] if HAN.search(clause) else match[0]
