"""PubMed queries: words, quoted phrases, fields in brackets, parentheses, and AND, OR and NOT from left to right.

PubMed ignores parts of a query that it does not know: stop words, and journals that it does not index. Source:
https://pubmed.ncbi.nlm.nih.gov/help/. Words are compared as in `words`; without a field, title, abstract and journal are
searched.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from soundstage.contexts.engine.schema import Object
from soundstage.kernels.medical.rules.words import has, telling, words_of

Fits = Callable[[Object], bool]
Operator = Literal["AND", "OR", "NOT"]

_WORD = re.compile(r'[^\s()\[\]"]+')
_OPERATORS: dict[str, Operator] = {"AND": "AND", "OR": "OR", "NOT": "NOT"}
_FIELDS = {
    **dict.fromkeys(("ti", "title"), ("title",)),
    **dict.fromkeys(("tiab", "title/abstract"), ("title", "abstract")),
    **dict.fromkeys(("ab", "abstract"), ("abstract",)),
    **dict.fromkeys(("au", "author", "fau"), ("authors", "collective_authors")),
}
_DEEPEST = 50
"""Groups within groups that are read; deeper parentheses are ignored."""
_ANYWHERE = ("title", "abstract", "journal")
_YEARS = re.compile(r"(\d{4})(?:\D[\d/]*)?(?::(\d{4}).*)?", re.ASCII)


def query_of(text: str, journals: frozenset[str]) -> Fits | None:
    """Return a predicate for articles that match a query, or None if PubMed ignores all of it.

    `journals` are the indexed journals in lower case.
    """
    return _Reader(list(_parts(text)), journals).expression()


def _parts(text: str) -> Iterator[str]:
    """Yield quoted phrases, fields in brackets, parentheses and words; an opening sign without its closing one is skipped."""
    closing = {'"': '"', "[": "]"}
    at = 0
    while at < len(text):
        sign = text[at]
        end = text.find(closing[sign], at + 1) if sign in closing else -1
        if end >= 0:
            yield text[at : end + 1]
            at = end + 1
        elif sign in "()":
            yield sign
            at += 1
        elif word := _WORD.match(text, at):
            yield word[0]
            at = word.end()
        else:
            closing.pop(sign, None)  # there is none further on either
            at += 1


@dataclass(slots=True)
class _Reader:
    """A parser of a query's parts; `at` is the next one."""

    parts: Sequence[str]
    journals: frozenset[str]
    at: int = 0
    depth: int = 0

    def expression(self) -> Fits | None:
        """Parse up to the closing parenthesis or the end."""
        terms: list[tuple[Operator, Fits]] = []
        operator: Operator = "AND"
        while self.at < len(self.parts):
            part = self.parts[self.at]
            if part == ")":
                self.at += 1
                break
            if part in _OPERATORS:
                operator = _OPERATORS[part]
                self.at += 1
                continue
            if (operand := self._operand()) is not None:
                terms.append((operator, operand))
            operator = "AND"
        return _joined(terms) if terms else None

    def _operand(self) -> Fits | None:
        part = self.parts[self.at]
        if part == "(":
            self.at += 1
            if self.depth == _DEEPEST:
                return None
            self.depth += 1
            try:
                return self.expression()
            finally:
                self.depth -= 1
        if part.startswith('"'):
            self.at += 1
            return self._term([part[1:-1]])
        words = []
        while self.at < len(self.parts) and self._is_word(self.parts[self.at]):
            words.append(self.parts[self.at])
            self.at += 1
        return self._term(words)

    def _is_word(self, part: str) -> bool:
        return part not in _OPERATORS and part[0] not in '()["'

    def _term(self, lines: list[str]) -> Fits | None:
        """Parse words or a phrase with its field in brackets, which turns words into a phrase."""
        field = ""
        if self.at < len(self.parts) and self.parts[self.at].startswith("["):
            field = self.parts[self.at][1:-1].split(":")[0].strip().lower()
            self.at += 1
        text = " ".join(lines)
        match field:
            case "pt" | "publication type":
                return lambda article: text.lower() in map(str.lower, article.get("publication_types") or [])
            case "journal" | "ta" | "jour":
                known = text.lower() in self.journals
                return (lambda article: (article.get("journal") or "").lower() == text.lower()) if known else None
            case "dp" | "pdat" | "date - publication":
                return _published(text)
            case "pmid" | "uid":
                return lambda article: article["pmid"] == text
            case _ if field:
                phrases = [words_of(text)]
            case _:
                phrases = [words_of(word) for word in lines]
        phrases = [list(words) for words in dict.fromkeys(map(tuple, phrases)) if telling(words)]
        places = _FIELDS.get(field, _ANYWHERE)
        return (lambda article: all(_stands(article, places, words) for words in phrases)) if phrases else None


def _joined(terms: list[tuple[Operator, Fits]]) -> Fits:
    """Combine terms from left to right; the first one's operator does not count."""
    first, rest = terms[0][1], terms[1:]

    def fits(article: Object) -> bool:
        result = bool(first(article))
        for operator, term in rest:
            result = (
                result or bool(term(article))
                if operator == "OR"
                else result and bool(term(article)) == (operator == "AND")
            )
        return result

    return fits if rest else first


def _stands(article: Object, places: Sequence[str], words: Sequence[str]) -> bool:
    for place in places:
        value = article.get(place) or ""
        if any(has(text, words) for text in ([value] if isinstance(value, str) else value)):
            return True
    return False


def _published(text: str) -> Fits | None:
    years = _YEARS.fullmatch(text.strip())
    if years is None:
        return None
    first, last = years[1], years[2] or years[1]
    return lambda article: first <= (article.get("date") or "")[:4] <= last
