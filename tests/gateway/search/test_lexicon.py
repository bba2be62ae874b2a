"""The word lists that translate Chinese and everyday English into the words of tools."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from soundstage.contexts.engine.words import STOP_WORDS, stem
from soundstage.gateway.search.lexicon import chinese_segments, everyday, in_english, plain
from soundstage.gateway.search.query_terms import english_sentence, query_terms, tool_words
from tests.conftest import REPOSITORY

_LISTS = REPOSITORY / "gateway" / "search" / "lexicon"


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("给同事发一条消息", ["给", "同事", "发", "一条", "消息"]),
        ("会议室", ["会议室"]),  # not 会议 and 室
        ("帮我查饕餮天气", ["帮我", "查", "饕餮", "天气"]),
        ("send 邮件 now", ["邮件"]),
        ("", []),
    ],
)
def test_the_longest_known_word_is_taken_and_unknown_text_stays(text: str, words: list[str]) -> None:
    assert [segment.text for segment in chinese_segments(text)] == words


def test_an_english_model_gets_an_english_query() -> None:
    assert english_sentence("请给同事发一条消息").split() == ["colleague", "send", "message"]
    assert in_english("Read the 天气 now").split() == ["Read", "the", "weather", "now"]
    assert in_english("饕餮").strip() == ""
    assert english_sentence("Please send a mail to anna@example.com") == "send a mail to"


def test_character_pairs_come_from_one_run_of_text_in_any_language() -> None:
    assert "息会" not in query_terms("消息, 会议").stems
    assert {"メッ", "セー"} <= set(query_terms("メッセージを送る").stems)
    assert "메시" in query_terms("메시지 보내기").stems


def test_everyday_english_also_becomes_the_words_of_tools() -> None:
    stems = query_terms("log out of it").stems
    assert stems[stem("logout")] < stems[stem("log")] == 1
    assert query_terms("what is new in #design").stems["channel"] > 0


def test_a_tools_input_counts_less_than_its_action() -> None:
    stems = query_terms("send 'quarterly metrics' to anna@example.com at 10:30 tomorrow").stems
    assert stems["send"] == 1
    assert max(stems[s] for s in (stem("quarterly"), "anna", "10", stem("tomorrow"))) < 0.5
    assert query_terms("'quarterly metrics'").stems[stem("quarterly")] == 1  # the query contains nothing else


def test_a_tools_chinese_text_also_gets_english_words() -> None:
    assert {"weather", "forecast", "天气"} <= set(tool_words("天气预报"))


def test_the_lists_are_well_formed() -> None:
    for name, pattern in (("chinese.txt", r"[\u4e00-\u9fff]+"), ("everyday.txt", r"[a-z]+(_[a-z]+)*")):
        entries = [
            line.split() for line in (_LISTS / name).read_text("utf-8").splitlines() if line[:1] not in ("", "#")
        ]
        keys = [key for key, *_ in entries]
        assert [key for key in keys if not re.fullmatch(pattern, key)] == []
        assert sorted(key for key in set(keys) if keys.count(key) > 1) == []
        assert [
            key for key, *meant in entries if meant != ["-"] and not all(m.isascii() and m.islower() for m in meant)
        ] == []
        assert [key for key, *meant in entries if not meant or len(set(meant)) != len(meant)] == []
        assert [key for key, *meant in entries if set(meant) & STOP_WORDS] == []
    for line in (_LISTS / "chinese.txt").read_text("utf-8").splitlines():
        assert plain(line) == line, "the list is in simplified characters"
    for pair in (_LISTS / "traditional.txt").read_text("utf-8").splitlines()[1:]:
        assert all(len(p) == 2 and p[0] != p[1] and plain(p[1]) == p[1] for p in pair.split())


def test_no_everyday_word_maps_only_to_itself() -> None:
    assert [words for words, meant in everyday().items() if set(meant) <= set(words)] == []


@given(st.text() | st.text(alphabet="发给同事消息會議abc #'\"/:19"))
def test_any_text_can_be_analysed_as_query_and_as_document(text: str) -> None:
    assert all(weight > 0 for weight in query_terms(text).stems.values())
    tool_words(text)
    in_english(text)
