"""Answer questions from the library without a language model.

A question is matched against the patterns of the realm `answers`. If no pattern matches, the answer quotes the sentence that
contains most of the question's words. If no sentence contains enough of them, the answer is a fallback text of the library. The
result is deterministic: the same question and the same `draw` yield the same answer.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from html.parser import HTMLParser
from typing import Any, Literal

import re2

from soundstage.contexts.engine.ids import drawn
from soundstage.contexts.engine.library import Library
from soundstage.contexts.engine.schema import Object
from soundstage.kernels.engines import passages
from soundstage.kernels.engines.passages import Passages, Sentence
from soundstage.kernels.engines.reckoning import RECKONINGS

_LONGEST_QUESTION = 4000
_LONGEST_FIELD = 120
_FAVOUR = 1.3
"""Weight of a passage that was written to be quoted, relative to a sentence of a web page."""
_FIELD = re.compile(r"\{(\w+)\}")
_WEEKDAYS_ZH = "一二三四五六日"
_MONTHS = (
    *("January", "February", "March", "April", "May", "June", "July"),
    *("August", "September", "October", "November", "December"),
)
_DAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
_ASKING = re2.compile(
    r"^(?:please |can you |could you |would you |tell me |i want to know |do you know |hey,? |hi,? "
    r"|请问|请|你能|能不能|告诉我|我想知道)*"
    r"(?:what(?:'s| is| are| was| were)|who(?:'s| is| was)|where(?: is| are)|when(?: is| was)"
    r"|how (?:do i|do you|to|can i)"
    r"|explain|describe|summari[sz]e|tell me about|write about|about"
    r"|什么是|谁是|哪里是|为什么|怎么|如何|解释一下|介绍一下|说说)?\s*(?:(?:the|a|an) )?"
)
_GREETING = re2.compile(
    r"^\s*(?:hi|hello|hey|good (?:morning|afternoon|evening)|greetings|howdy|你好|您好|大家好|早上好|下午好|晚上好|嗨|哈喽)"
    r"[呀啊]?[\s!！.,，。~]*(?:there|again|everyone|all)?[\s!！.。?？]*$"
)
_TRAILING = " \t\r\n?？!！.。,，:：;；\"'”“"


@dataclass(frozen=True, slots=True)
class Answer:
    """An answer and its basis: a matching pattern, a quoted sentence, or nothing."""

    text: str
    basis: Literal["pattern", "sentence", "nothing"]


def answer(
    library: Library, question: str, *, draw: str = "", now: datetime | None = None, texts: Iterable[str] | None = None
) -> Answer:
    """Answer a question from the library.

    Args:
        library: `context.library` of the calling app.
        question: English or Chinese text. Only the first 4,000 characters are used.
        draw: Additional input of the choice among equivalent texts, such as a seed, a model name or a turn number.
        now: Time for questions about the date (`context.now()`, in the time zone of the reply).
        texts: Texts to quote from, such as pages that a search returned. Defaults to all sentences of the library.
    """
    requested = question.strip()[:_LONGEST_QUESTION]
    if (answer_text := _stage_answer(library, "first", requested, draw, now)) is not None:
        return Answer(answer_text, "pattern")
    if texts is not None:
        result = best_sentences(requested, texts, 1)
    else:
        result = _known(library).best(requested, 1) if passages.asks_enough(requested) else []
    if result:
        return Answer(result[0], "sentence")
    return Answer(_stage_answer(library, "last", requested, draw, now) or "", "nothing")


def is_greeting(question: str) -> bool:
    """Return whether a message contains only a greeting."""
    return _GREETING.search(question.lower()) is not None


def best_sentences(question: str, texts: Iterable[str], limit: int) -> list[str]:
    """Return the sentences of `texts` that answer a question best, best first; empty if none is close enough."""
    return Passages(passages.sentences(texts)).best(question, limit)


def topic(question: str) -> str:
    """Return the topic of a question: its words without the interrogative phrase."""
    line = question.strip().splitlines()[0] if question.strip() else ""
    bare = line.strip(_TRAILING)
    asking = _ASKING.match(bare.lower())
    return _cut(bare[asking.end() :].strip(_TRAILING) or bare) if asking else _cut(bare)


def _stage_answer(library: Library, stage: str, question: str, draw: str, now: datetime | None) -> str | None:
    """Return the text of the first pattern that matches."""
    lower = question.lower()
    for expression, pattern in library.cached(f"answers.{stage}", lambda facts: _patterns(facts, stage)):
        match = expression.search(lower)
        if match is None:
            continue
        fields = {name: _as_written(question, lower, text) for name, text in match.groupdict().items() if text}
        if (reckon := pattern.get("compute")) is not None:
            result = RECKONINGS[reckon](fields)
            if result is None:
                continue
            fields["result"] = result
        say: Sequence[str] = pattern["say"]
        fields = {"topic": topic(question), **_moment(now), **fields}
        texts = [text for text in say if all(name in fields for name in _FIELD.findall(text))]
        if texts:
            return _filled(texts[_drawn(f"{draw}\x00{question}", len(texts))], fields)
    return None


def _patterns(library: Library, stage: str) -> list[tuple[Any, Object]]:
    rows = library.list("answers", "pattern", {"stage": stage})
    return [(re2.compile(row["ask"]), row) for row in rows]


def _known(library: Library) -> Passages:
    return library.cached("answers.passages", lambda facts: Passages(_everything(facts)))


def _everything(library: Library) -> list[Sentence]:
    """Return every sentence of the library with its topic."""
    passage_rows = library.list("answers", "passage")
    entries = [Sentence(row["text"], row.get("about") or "", _FAVOUR) for row in passage_rows]
    for page in library.list("web", "page") if "web" in library.realms else []:
        if page.get("status", 200) == 200:
            entries += passages.sentences(
                [_visible(str(page.get("html") or ""))], str(page.get("title") or ""), whole=True
            )
    return entries


def _as_written(question: str, lower: str, part: str) -> str:
    """Return a part of the lower-cased question as the user spelled it."""
    at = lower.find(part)
    return _cut(question[at : at + len(part)].strip(_TRAILING) if len(lower) == len(question) else part)


def _moment(now: datetime | None) -> dict[str, str]:
    if now is None:
        return {}
    return {
        "date": f"{now.day} {_MONTHS[now.month - 1]} {now.year}",
        "weekday": _DAYS[now.weekday()],
        "time": f"{now:%H:%M}",
        "year": str(now.year),
        "date_zh": f"{now.year}年{now.month}月{now.day}日",
        "weekday_zh": f"星期{_WEEKDAYS_ZH[now.weekday()]}",
    }


def _filled(text: str, fields: Mapping[str, str]) -> str:
    return _FIELD.sub(lambda match: fields[match[1]], text).strip()


def _drawn(name: str, count: int) -> int:
    return drawn(0, f"answers\x00{name}") % count


def _cut(text: str) -> str:
    return text if len(text) <= _LONGEST_FIELD else text[: _LONGEST_FIELD - 1].rstrip() + "…"


class _Visible(HTMLParser):
    """Extract the visible text of a page; each block element starts a new line."""

    _HIDDEN = frozenset(("script", "style", "head", "nav", "footer", "template"))
    _BLOCKS = frozenset(
        ("p", "li", "h1", "h2", "h3", "h4", "tr", "td", "th", "div", "br", "section", "article", "dd", "dt")
    )

    def __init__(self) -> None:
        super().__init__()
        self.parts: list[str] = []
        self._hidden = 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self._hidden += tag in self._HIDDEN
        if tag in self._BLOCKS:
            self.parts.append("\n")

    def handle_endtag(self, tag: str) -> None:
        self._hidden -= tag in self._HIDDEN and self._hidden > 0
        if tag in self._BLOCKS:
            self.parts.append("\n")

    def handle_data(self, data: str) -> None:
        if not self._hidden:
            self.parts.append(data)


def _visible(html: str) -> str:
    parser = _Visible()
    parser.feed(html)
    parser.close()
    return "".join(parser.parts)
