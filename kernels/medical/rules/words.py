"""Word matching of the sources: by prefix, ignoring case and stop words."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import lru_cache

_WORD = re.compile(r"\w+")
# The most frequent of PubMed's stop words (https://pubmed.ncbi.nlm.nih.gov/help/#help-stopwords).
_SILENT = frozenset(
    (
        "a",
        "about",
        "again",
        "all",
        "almost",
        "also",
        "although",
        "always",
        "among",
        "an",
        "and",
        "another",
        "any",
        "are",
        "as",
        "at",
        "be",
        "because",
        "been",
        "before",
        "being",
        "between",
        "both",
        "but",
        "by",
        "can",
        "could",
        "did",
        "do",
        "does",
        "done",
        "due",
        "during",
        "each",
        "either",
        "enough",
        "especially",
        "etc",
        "for",
        "found",
        "from",
        "further",
        "had",
        "has",
        "have",
        "having",
        "here",
        "how",
        "however",
        "i",
        "if",
        "in",
        "into",
        "is",
        "it",
        "its",
        "itself",
        "just",
        "kg",
        "km",
        "made",
        "mainly",
        "make",
        "may",
        "mg",
        "might",
        "ml",
        "mm",
        "most",
        "mostly",
        "must",
        "nearly",
        "neither",
        "no",
        "nor",
        "obtained",
        "of",
        "often",
        "on",
        "our",
        "overall",
        "perhaps",
        "pmid",
        "quite",
        "rather",
        "really",
        "regarding",
        "seem",
        "seen",
        "several",
        "should",
        "show",
        "showed",
        "shown",
        "shows",
        "significantly",
        "since",
        "so",
        "some",
        "such",
        "than",
        "that",
        "the",
        "their",
        "theirs",
        "them",
        "then",
        "there",
        "therefore",
        "these",
        "they",
        "this",
        "those",
        "through",
        "thus",
        "to",
        "upon",
        "use",
        "used",
        "using",
        "various",
        "very",
        "was",
        "we",
        "were",
        "what",
        "when",
        "which",
        "while",
        "with",
        "within",
        "without",
        "would",
    )
)


def words_of(text: str) -> list[str]:
    """Return the words of a text in lower case."""
    return _WORD.findall(text.lower())


def telling(words: Iterable[str]) -> list[str]:
    """Return the words that are not stop words."""
    return [word for word in words if word not in _SILENT]


@lru_cache(maxsize=4096)
def flat(text: str) -> str:
    """Return the words of a text with one space around each."""
    return f" {' '.join(words_of(text))} "


# A search compares one query with every entry of a source, so the last few queries are cached.
_flat_query = lru_cache(maxsize=8)(flat.__wrapped__)


@lru_cache(maxsize=8)
def query_words(query: str) -> tuple[str, ...]:
    """Return the words of a query, each once."""
    return tuple(dict.fromkeys(words_of(query)))


@lru_cache(maxsize=8)
def _distinct_words(query: str) -> tuple[str, ...]:
    """Return the significant words of a query, each once."""
    return tuple(telling(query_words(query)))


def has(text: str, words: Sequence[str]) -> bool:
    """Return whether a text contains consecutive words; the last one may be a prefix or a singular."""
    if 2 * len(words) > len(flat(text)):
        return False
    sought = f" {' '.join(words)}"
    if sought in flat(text):
        return True
    return len(words[-1]) > 3 and sought.endswith("s") and f"{sought[:-1]} " in flat(text)


def has_phrase(text: str, phrase: str) -> bool:
    """Return whether a text contains a phrase as whole words."""
    sought = _flat_query(phrase)
    return bool(sought.strip()) and sought in flat(text)


def mentions(texts: Sequence[str], query: str) -> bool:
    """Return whether every significant word of a query occurs in one of the texts."""
    words = _distinct_words(query)
    return bool(words) and all(any(has(text, [word]) for text in texts) for word in words)
