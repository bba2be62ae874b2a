"""The metrics: the ratios of the confusion matrix, and the four similarity measures."""

from __future__ import annotations

import pytest

from soundstage.synthesis.fidelity.compare import Comparison, Outcome
from soundstage.synthesis.fidelity.scores import Verdict, figures
from soundstage.synthesis.fidelity.similarity import similarities, tokens


def verdicts(outcome: Outcome, count: int) -> list[Verdict]:
    comparison = Comparison(outcome, (), (), "", "", exact=True, measurable=False, key_paths=None)
    return [Verdict(comparison, None)] * count


def test_ratios_equal_those_of_the_published_table() -> None:
    """MCP-Persona's Table 4: 23, 24, 1 and 2 of 50 traces give 94.0, 95.8, 92.0 and, truncated, 93.8 %."""
    metrics = figures(
        verdicts("true positive", 23)
        + verdicts("true negative", 24)
        + verdicts("false positive", 1)
        + verdicts("false negative", 2)
    )
    shares = (metrics["accuracy"], metrics["precision"], metrics["recall"], metrics["f1"])
    assert [round(100 * (share or 0), 1) for share in shares] == [94.0, 95.8, 92.0, 93.9]
    assert metrics["traces"] == 50
    assert metrics["rouge_l"] is None


def test_an_empty_set_has_no_ratio() -> None:
    metrics = figures(verdicts("true negative", 3))
    assert metrics["accuracy"] == 1
    assert (metrics["precision"], metrics["recall"], metrics["f1"]) == (None, None, None)
    assert figures([])["accuracy"] is None


def test_words_and_east_asian_characters_are_tokens_and_punctuation_is_not() -> None:
    assert tokens('{"chat_id":"oc_7f","n":-1.5}') == ["chat_id", "oc_7f", "n", "1", "5"]
    assert tokens("✅ 已登录，用户名: Mira") == ["✅", "已", "登", "录", "用", "户", "名", "Mira"]
    assert tokens("ログイン 로그인 •••") == [*"ログイン", *"로그인"]


@pytest.mark.parametrize("text", ["lamp", "✅ 已登录", '{"a":1}', "", "…"])
def test_equal_texts_are_fully_similar_by_every_measure(text: str) -> None:
    assert similarities([(text, text)]) == [(1, 1, 1, 1)]


def test_texts_without_a_common_word_are_not_similar_by_any_measure() -> None:
    (similarity,) = similarities([("the lamp is lit", "foghorn sounded twice")])
    assert (similarity.tfidf, similarity.rouge_l, similarity.meteor) == (0, 0, 0)
    assert similarity.bleu < 0.1
    assert similarities([("lamp", ""), ("", "lamp")]) == [(0, 0, 0, 0), (0, 0, 0, 0)]


def test_rouge_uses_the_longest_common_sequence() -> None:
    (similarity,) = similarities([("keeper lights the lamp", "keeper lights lamp today")])
    assert similarity.rouge_l == pytest.approx(0.75)


def test_similarity_compares_single_chinese_characters() -> None:
    (near, far) = similarities([("用户已登录成功", "用户未登录成功"), ("用户已登录成功", "请求参数无效")])
    assert near.rouge_l == pytest.approx(6 / 7)
    assert all(a > b for a, b in zip(near, far, strict=True))


def test_only_meteor_compares_stems() -> None:
    (similarity,) = similarities([("meetings were moved", "meeting was moving")])
    assert similarity.meteor > 0.3
    assert similarity.rouge_l == 0


def test_rare_words_have_more_weight_in_tfidf() -> None:
    same = [("code 0 msg success", "code 0 msg success")] * 5
    *_, rare, common = similarities(
        [*same, ("code 0 msg 230001", "code 0 msg 190014"), ("code 0 msg success", "code 1 msg success")]
    )
    assert rare.tfidf < common.tfidf
