"""Answers without a language model: known questions, quoted sentences, and a reply that admits to know nothing."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest

from soundstage.contexts.engine.library import Library
from soundstage.contexts.library import realms
from soundstage.kernels.engines.answers import answer, best_sentences, topic
from soundstage.worlds import library as building

NOON = datetime(2026, 11, 20, 12, 5, tzinfo=UTC)
TEXTS = ["Line 3 opened on 12 March 2026. It rained.", "The harbour ferry leaves every 20 minutes from Pier 4."]


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Library:
    folder: Path = tmp_path_factory.mktemp("library")
    return Library(building.built(folder), realms())


@pytest.mark.parametrize(
    ("question", "result"),
    [
        ("What is 12*(3+4)?", "84"),
        ("2^10=?", "1,024"),
        ("15% of 80", "15% of 80 is 12."),
        ("convert 5 km to miles", "5 km is 3.1069 miles."),
        ("how many grams are there in 2 pounds?", "2 pounds is 907.1847 grams."),
        ("25 °C to °F", "25 °C is 77 °F."),
        ("68 fahrenheit in celsius", "68 °F is 20 °C."),
        ("3公里等于多少米", "3 公里等于 3,000 米。"),
        ("80的15%是多少", "80 的 15% 是 12。"),
        ("What time is it?", "It is 12:05."),
        ("今天几号？", "今天是2026年11月20日，星期五。"),
    ],
)
def test_arithmetic_is_calculated(library: Library, question: str, result: str) -> None:
    assert answer(library, question, now=NOON).text == result


@pytest.mark.parametrize(
    "question", ["8 / 0", "2^9999999", "((((1", "9^9^9^9^9", "5 km to kilograms", "-" * 3000 + "1+1"]
)
def test_text_that_is_not_arithmetic_is_not_calculated(library: Library, question: str) -> None:
    assert answer(library, question).basis != "pattern"


def test_the_same_question_has_the_same_answer(library: Library) -> None:
    assert answer(library, "hello", draw="7") == answer(library, "hello", draw="7")
    assert len({answer(library, "hello", draw=str(n)).text for n in range(20)}) > 1


def test_a_sentence_with_the_questions_words_is_quoted(library: Library) -> None:
    reply = answer(library, "When did metro line 3 open?", texts=TEXTS)
    assert (reply.basis, reply.text) == ("sentence", "Line 3 opened on 12 March 2026.")


def test_without_texts_the_library_is_searched(library: Library) -> None:
    assert "12 March 2026" in answer(library, "When did metro line 3 of Yunhai open?").text
    assert "22:00" in answer(library, "海鸥咖啡馆几点开门").text


def test_nothing_is_made_up(library: Library) -> None:
    reply = answer(library, "Who is the mayor of Yunhai?")
    assert reply.basis == "nothing"
    assert "mayor of Yunhai" in reply.text
    assert "云海的市长" in answer(library, "云海的市长叫什么名字").text


@pytest.mark.parametrize("question", ["", "  ", "🙂", "?" * 5000, "a" * 9000, "中" * 9000, "{topic} {date}", "\0"])
def test_any_question_gets_an_answer(library: Library, question: str) -> None:
    assert answer(library, question).text


def test_the_best_sentences_come_first() -> None:
    assert best_sentences("How often does the ferry leave?", TEXTS, 3) == [TEXTS[1]]
    assert best_sentences("volcano", TEXTS, 3) == []


def test_a_topic_is_a_question_without_the_words_that_ask() -> None:
    assert topic("What is the tallest building in Yunhai?") == "tallest building in Yunhai"
    assert topic("请问什么是量子纠缠？") == "量子纠缠"
    assert len(topic("x" * 500)) == 120


def test_every_pattern_has_an_answer_text(library: Library) -> None:
    rows = library.list("answers", "pattern")
    assert len(rows) >= 80
    assert all(row["say"] for row in rows)
