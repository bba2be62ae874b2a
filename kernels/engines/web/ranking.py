"""Page search with BM25 over titles, descriptions and texts in English and Chinese, and passages within pages."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from soundstage.contexts.engine.lexical import FieldWeight, Occurrences, WordIndex, joined, occurrences, reordered
from soundstage.contexts.engine.words import is_cjk, stem, words

_WORD = re.compile(r"\w+")
_BETWEEN = re.compile(r"(?<=[.!?])\s+|(?<=[。！？])\s*|\n+")
_FIELDS = (
    FieldWeight(3.0, 0.4),  # title
    FieldWeight(1.5, 0.5),  # description
    FieldWeight(1.0, 0.7),  # text
    FieldWeight(1.0, 0.5),  # address
)
_SATURATION = 1.2
# Chinese stop words; `words` handles the English ones.
_GRAMMAR = re.compile(
    "什么时候|什么|怎么样|怎么|怎样|如何|哪里|哪儿|哪个|哪些|为什么|多少|请问|一下|可以|能不能|有没有|是不是|我们|你们"
    "|[吗呢吧的了在要是有我想和与]"
)
# Share of the query's weight that a page must contain; pages with only the least significant of five words are off topic. Only
# words that occur in some page count, because most pairs of characters of a Chinese query straddle two words.
_ENOUGH = 0.35


@dataclass(frozen=True, slots=True)
class Document:
    """A page as the search engine sees it."""

    url: str
    title: str
    description: str
    text: str


@dataclass(frozen=True, slots=True)
class _Words:
    """The words of documents: by field in `_FIELDS` as numbers in the vocabulary, and the stems of each document."""

    vocabulary: dict[str, int]
    fields: Sequence[Occurrences]
    stems: Sequence[set[str]]


class PageIndex:
    """A searchable index of pages."""

    def __init__(self, documents: Sequence[Document], words_read: _Words | None = None) -> None:
        """Index the given documents. `words_read` are their words if these have been read already."""
        self.documents = tuple(documents)
        self._words = words_read or _read(documents, {})
        weighted = list(zip(_FIELDS, self._words.fields, strict=True))
        self._index = WordIndex(weighted, self._words.vocabulary, len(documents), _SATURATION)

    def with_documents(self, documents: Sequence[int | Document]) -> PageIndex:
        """Return an index of the given documents in their order; an integer is the place of a document of this index.

        Only the new documents are split into words. For the library's 2,100 pages that takes half a second.
        """
        new = [document for document in documents if isinstance(document, Document)]
        new_places = iter(range(len(self.documents), len(self.documents) + len(new)))
        order = [next(new_places) if isinstance(document, Document) else document for document in documents]
        known, added = self._words, _read(new, dict(self._words.vocabulary))
        fields = [
            reordered(joined(old_field, len(self.documents), new_field), order)
            for old_field, new_field in zip(known.fields, added.fields, strict=True)
        ]
        every_document, every_stems = [*self.documents, *new], [*known.stems, *added.stems]
        words_read = _Words(added.vocabulary, fields, [every_stems[i] for i in order])
        return PageIndex([every_document[i] for i in order], words_read)

    def ranked(self, query: str) -> list[int]:
        """Return the indices of the documents that match a query, best first; ties keep their order."""
        requested = dict.fromkeys((stem(w) for w in words(_GRAMMAR.sub(" ", query))), 1.0)
        if not requested or not self.documents:
            return []
        known = {s: rarity for s in requested if (rarity := self._index.rarity(s)) is not None}
        scores = self._index.scores(requested)
        order = np.argsort(-scores, kind="stable")
        return [int(i) for i in order if scores[i] > 0 and self._covers(int(i), known)]

    def _covers(self, place: int, parameters: Mapping[str, float]) -> bool:
        return sum(stated for s, stated in parameters.items() if s in self._words.stems[place]) >= _ENOUGH * sum(
            parameters.values()
        )


def _read(documents: Sequence[Document], vocabulary: dict[str, int]) -> _Words:
    """Split documents into words; new words are added to the vocabulary."""
    texts = [
        [d.title for d in documents],
        [d.description for d in documents],
        [d.text for d in documents],
        [d.url.partition("://")[2] for d in documents],
    ]
    fields = [occurrences(field, vocabulary, words) for field in texts]
    stems = [{stem(w) for w in words(f"{d.title} {d.description} {d.text}")} for d in documents]
    return _Words(vocabulary, fields, stems)


def spelled(text: str) -> list[str]:
    """Return the distinct words of a text in lower case, not stemmed."""
    return list(dict.fromkeys(_WORD.findall(text.lower())))


def has_word(text_words: frozenset[str], text: str, word: str) -> bool:
    """Return whether a text contains a word; Chinese words may occur anywhere, as Chinese has no spaces between words."""
    return word in text_words or (is_cjk(word) and word in text)


def having(query: str, documents: Sequence[tuple[str, str]], *, every: bool) -> list[int]:
    """Return the indices of the documents (title and text) that contain every word of a query, or any if `every` is False.

    Documents with more of the words come first, then those with more of them in the title.
    """
    requested = spelled(query)
    results: list[tuple[int, int, int]] = []
    for place, (title, text) in enumerate(documents):
        low_title, low_text = title.lower(), f"{title}\n{text}".lower()
        in_title, in_text = frozenset(_WORD.findall(low_title)), frozenset(_WORD.findall(low_text))
        hits = sum(has_word(in_text, low_text, word) for word in requested)
        if hits and (hits == len(requested) or not every):
            results.append((-hits, -sum(has_word(in_title, low_title, word) for word in requested), place))
    return [place for _, _, place in sorted(results)]


def sentences(text: str) -> list[str]:
    """Split an English or Chinese text into sentences."""
    return [result for part in _BETWEEN.split(text) if (result := part.strip())]


def passage(text: str, query: str, length: int) -> str:
    """Return the passage of a text that fits a query best: whole sentences, about `length` characters."""
    if len(text) <= length:
        return text
    parameters = {stem(w) for w in words(query)}
    parts = sentences(text)
    has = [parameters & {stem(w) for w in words(part)} for part in parts]
    best, most = 0, -1
    for start in range(len(parts)):
        size, score, distinct = 0, 0, set[str]()
        for i in range(start, len(parts)):
            size += len(parts[i]) + 1
            if size > length and i > start:
                break
            score += len(has[i])
            distinct |= has[i]
        if (
            total := score + 10 * len(distinct)
        ) >= most:  # on ties the last one wins: it begins with the words of the query
            best, most = start, total
    end, size = best, 0
    while end < len(parts) and (end == best or size + len(parts[end]) + 1 <= length):
        size += len(parts[end]) + 1
        end += 1
    return " ".join(parts[best:end])[:length]
