"""How alike two texts are by ROUGE-L, over tokens that do justice to scripts without spaces."""

from __future__ import annotations

import re

from rouge_score.rouge_scorer import RougeScorer  # type: ignore[import-untyped]

_EAST_ASIAN = "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff\U00020000-\U0003ffff"
_SYMBOLS = "\u2190-\u21ff\u2600-\u27bf\U0001f000-\U0001faff"  # arrows, dingbats, emoji
_TOKEN = re.compile(rf"[{_EAST_ASIAN}{_SYMBOLS}]|[^\W{_EAST_ASIAN}]+")


def tokens(text: str) -> list[str]:
    """Split a text into case-sensitive words and single Chinese, Japanese or Korean characters, without punctuation."""
    return _TOKEN.findall(text)


def rouge_l(one: list[str], other: list[str]) -> float:
    """The longest common subsequence of two lists of tokens, as F-measure from 0 to 1."""
    return float(_ROUGE.score(" ".join(one), " ".join(other))["rougeL"].fmeasure)


class _Words:
    """A tokenizer for ROUGE; its default one drops everything but Latin letters and digits."""

    def tokenize(self, text: str) -> list[str]:
        return text.split()


_ROUGE = RougeScorer(["rougeL"], tokenizer=_Words())
