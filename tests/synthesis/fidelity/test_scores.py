"""The figures: the confusion matrix's shares, and the four measures of likeness."""

from __future__ import annotations

import pytest

from soundstage.synthesis.fidelity.compare import Comparison, Outcome
from soundstage.synthesis.fidelity.scores import Verdict, figures
from soundstage.synthesis.fidelity.similarity import similarities, tokens


def verdicts(outcome: Outcome, count: int) -> list[Verdict]:
    comparison = Comparison(outcome, (), (), "", "", exact=True, measurable=False, key_paths=None)
    return [Verdict(comparison, None)] * count


def test_shares_are_those_of_the_published_table() -> None:
    """MCP-Persona's Table 4: 23, 24, 1, 2 of 50 traces give 94.0, 95.8, 92.0 and, cut off, 93.8 %."""
    found = figures(
        verdicts("true positive", 23)
        + verdicts("true negative", 24)
        + verdicts("false positive", 1)
        + verdicts("false negative", 2)
    )
    shares = (found["accuracy"], found["precision"], found["recall"], found["f1"])
    assert [round(100 * (share or 0), 1) for share in shares] == [94.0, 95.8, 92.0, 93.9]
    assert found["traces"] == 50
    assert found["rouge_l"] is None


def test_a_share_of_nothing_is_no_number() -> None:
    found = figures(verdicts("true negative", 3))
    assert found["accuracy"] == 1
    assert (found["precision"], found["recall"], found["f1"]) == (None, None, None)
    assert figures([])["accuracy"] is None


def test_words_and_east_asian_characters_are_tokens_and_punctuation_is_none() -> None:
    assert tokens('{"chat_id":"oc_7f","n":-1.5}') == ["chat_id", "oc_7f", "n", "1", "5"]
    assert tokens("✅ 已登录，用户名: Mira") == ["✅", "已", "登", "录", "用", "户", "名", "Mira"]
    assert tokens("ログイン 로그인 •••") == [*"ログイン", *"로그인"]


@pytest.mark.parametrize("text", ["lamp", "✅ 已登录", '{"a":1}', "", "…"])
def test_equal_texts_are_alike_by_every_measure(text: str) -> None:
    assert similarities([(text, text)]) == [(1, 1, 1, 1)]


def test_texts_without_a_common_word_are_not_alike_by_any() -> None:
    (found,) = similarities([("the lamp is lit", "foghorn sounded twice")])
    assert (found.tfidf, found.rouge_l, found.meteor) == (0, 0, 0)
    assert found.bleu < 0.1
    assert similarities([("lamp", ""), ("", "lamp")]) == [(0, 0, 0, 0), (0, 0, 0, 0)]


def test_the_longest_common_sequence_counts_for_rouge() -> None:
    (found,) = similarities([("keeper lights the lamp", "keeper lights lamp today")])
    assert found.rouge_l == pytest.approx(0.75)


def test_likeness_sees_single_chinese_characters() -> None:
    (near, far) = similarities([("用户已登录成功", "用户未登录成功"), ("用户已登录成功", "请求参数无效")])
    assert near.rouge_l == pytest.approx(6 / 7)
    assert all(a > b for a, b in zip(near, far, strict=True))


def test_stems_count_for_meteor_and_not_for_the_others() -> None:
    (found,) = similarities([("meetings were moved", "meeting was moving")])
    assert found.meteor > 0.3
    assert found.rouge_l == 0


def test_rare_words_weigh_more_in_tfidf() -> None:
    same = [("code 0 msg success", "code 0 msg success")] * 5
    *_, rare, common = similarities(
        [*same, ("code 0 msg 230001", "code 0 msg 190014"), ("code 0 msg success", "code 1 msg success")]
    )
    assert rare.tfidf < common.tfidf
