"""Analyse a query: its words with their weights, translated to the words that tools use."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

from soundstage.contexts.engine.words import is_cjk, pieces, stem, words
from soundstage.gateway.search.lexicon import chinese_segments, everyday, in_english, plain, without_grammar
from soundstage.gateway.search.query_intent import is_question

_ENDINGS = "|".join(
    (
        *("txt", "md", "csv", "tsv", "json", "ya?ml", "xml", "ini", "toml", "cfg", "log", "py", "js", "html?", "zip"),
        *("pdf", "docx?", "xlsx?", "pptx?", "png", "jpe?g", "gif", "webp", "svg", "mp[34]", "mov", "wav", "ogg"),
    )
)

# Argument values, which do not describe the tool: quoted texts, addresses, paths, numbers, times.
_QUOTED = re.compile(
    r"(?<!\w)'[^']{2,}'(?!\w)|\"[^\"]{2,}\"|“[^”]{2,}”|‘[^’]{2,}’|「[^」]{2,}」|《[^》]{2,}》|`[^`]{2,}`"
)
_VALUES = re.compile(
    r"https?://\S+|www\.\S+|\S+@\S+\.\S+|(?<!\w)[~.]?/[\w./-]+|[A-Za-z]:\\\S+|"
    rf"[\w-]+\.(?:{_ENDINGS})(?![A-Za-z0-9_])|"
    r"\b[0-9a-fA-F]{8,}\b|\b\d[\d.,:%-]*\b"
)
_WHEN = re.compile(
    r"\b(?:today|tomorrow|yesterday|tonight|mornings?|afternoons?|evenings?|noon|midnight|(?:mon|tues|wednes|thurs|fri|satur|sun)"
    r"days?|january|february|april|june|july|august|september|october|november|december|[ap]m|(?:this|next|last) week)\b",
    re.IGNORECASE,
)
_COURTESY = re.compile(
    r"\b(please|kindly|thanks?( you)?|hi|hello|hey|(could|can|would) you|i('d| would) like to|i (want|need)( to)?|help me)\b",
    re.IGNORECASE,
)
# The kind of a value indicates the objects that the tool handles.
_KINDS = (
    (re.compile(r"(?<![\w/#&])#(?=[^\W\d])"), ("channel",)),
    (re.compile(r"https?://|www\."), ("url", "page", "link")),
    (re.compile(r"(?<!\S)\S+@\S+\.\w"), ("mail", "email")),
    (re.compile(r"(?<![\w@.])@[A-Za-z]"), ("user", "username")),
    (re.compile(r"(?<![\w./:~])~?/[^\W\d][\w.-]*/|(?<![A-Za-z])[A-Za-z]:\\"), ("file", "path", "disk", "filesystem")),
    (
        re.compile(r"(?<![\w./:~])~?/[^\W\d][\w-]*/(?:[\w-]+/)*[\w-]*(?![\w./-])"),
        ("folder", "directory", "disk", "filesystem"),
    ),
    (re.compile(rf"[\w*-]\.(?:{_ENDINGS})(?![A-Za-z0-9_])", re.IGNORECASE), ("file",)),
    (re.compile(r"(?<![\d.])-?\d{1,3}\.\d+\s*[,，]\s*-?\d{1,3}\.\d+(?![\d.])"), ("coordinates", "point")),
)

# A value may still describe the tool (a currency, a city's name), so it has some weight.
_VALUE_SHARE = 0.25
_QUOTED_SHARE = 0.4
# A synonym is a guess. The more synonyms a word has, the less each of them counts.
_SYNONYM_SHARE = 0.25
_PAIR_SHARE = 0.5
# A path or an address is certain, so it counts more than an ambiguous word.
_KIND_SHARE = 1.5
_LONGEST_PHRASE = 3


@dataclass(frozen=True, slots=True)
class QueryTerms:
    """The terms of a query.

    `stems` are the search terms with their weights; `words_as_spelled` are the words themselves, for character similarity.
    `is_question` is the result of the function of that name.
    """

    stems: dict[str, float]
    words_as_spelled: list[str]
    is_question: bool | None


def query_terms(query: str) -> QueryTerms:
    """Return the terms of a query: its own words and the corresponding words of tools."""
    text = _without(_COURTESY, plain(query))
    unquoted = _without(_QUOTED, text)
    topic = _without(_WHEN, _without(_VALUES, unquoted))
    shares = {text: _QUOTED_SHARE, unquoted: _VALUE_SHARE, topic: 1.0}  # of equal texts the last weight counts
    stems: dict[str, float] = {}
    for part, share in shares.items():
        stems.update({s: max(weight * share, stems.get(s, 0.0)) for s, weight in _stems(part).items()})
    return QueryTerms(stems, _as_spelled(topic), is_question(text))


def tool_words(text: str) -> list[str]:
    """Return the words of a tool's text, with English words for Chinese ones."""
    text = plain(text)
    return words(text) + [english for segment in chinese_segments(text) for english in segment.english or ()]


def english_sentence(query: str) -> str:
    """Return a query for a model of English sentences: in English, without values and politeness, unless nothing else remains."""
    text = in_english(query)
    cleaned = " ".join(_COURTESY.sub(" ", _VALUES.sub(" ", text)).split())
    return cleaned or text


def _without(what: re.Pattern[str], text: str) -> str:
    """Remove matching parts of a text, unless nothing else remains."""
    rest = what.sub(" ", text)
    return rest if words(rest) else text


def _stems(text: str) -> dict[str, float]:
    weights: dict[str, float] = {}
    for meant in _phrases([stem(word) for word in pieces(text)]):
        weights.update(dict.fromkeys(meant, _SYNONYM_SHARE))
    for pattern, kinds in _KINDS:
        if pattern.search(text):
            weights.update({stem(kind): max(_KIND_SHARE, weights.get(stem(kind), 0.0)) for kind in kinds})
    for segment in chinese_segments(text):
        for english in segment.english or ():
            weight = len(segment.english or ()) ** -0.5
            weights[stem(english)] = max(weight, weights.get(stem(english), 0.0))
    own_words = [word for word in words(text) or pieces(text) if not is_cjk(word)]
    # Long queries repeat their topic and their values, so each repetition of a word counts less.
    weights.update({word: times**0.5 for word, times in Counter(map(stem, own_words)).items()})
    # A pair of characters counts if both belong to the request.
    pairs = Counter(pair for pair in pieces(without_grammar(text)) if is_cjk(pair))
    weights.update({pair: _PAIR_SHARE * times**0.5 for pair, times in pairs.items()})
    return weights


def _as_spelled(text: str) -> list[str]:
    own_words = [word for word in words(text) if not is_cjk(word)]
    return own_words + [english for segment in chinese_segments(text) for english in segment.english or ()] or pieces(
        text
    )


def _phrases(stems: Sequence[str]) -> list[tuple[str, ...]]:
    """Return the tool words for the phrases of a query, longest phrase first at each position."""
    known = _everyday_stems()
    matches: list[tuple[str, ...]] = []
    at = 0
    while at < len(stems):
        sizes = range(min(_LONGEST_PHRASE, len(stems) - at), 0, -1)
        size = next((n for n in sizes if tuple(stems[at : at + n]) in known), 0)
        matches += [known[tuple(stems[at : at + size])]] if size else []
        at += size or 1
    return matches


@cache
def _everyday_stems() -> dict[tuple[str, ...], tuple[str, ...]]:
    return {tuple(map(stem, phrase)): tuple(map(stem, meant)) for phrase, meant in everyday().items()}
