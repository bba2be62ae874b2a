"""Ranking of the index: tools that queries must find, tools that they must not find, and robustness against any text."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from soundstage.gateway.search.documents import Document
from soundstage.gateway.search.evaluate import own_tools
from soundstage.gateway.search.fusion import levelled
from soundstage.gateway.search.index import ToolIndex
from tests.conftest import clean_environment

TOOLS = own_tools()
IDS = list(TOOLS)
INDEX = ToolIndex(list(TOOLS.values()))


def _top(query: str, k: int = 5) -> list[str]:
    return [IDS[hit.position] for hit in INDEX.search(query, k)]


@pytest.mark.parametrize(
    ("query", "tool"),
    [
        ("create a calendar event", "lark/calendar_v4_calendarEvent_create"),
        ("adding emoji reactions to messages", "slack/reactions_add"),
        ("publish a note with a video", "xiaohongshu/publish_with_video"),
        ("query rows of a data source", "notion/notion_query_data_source"),
        ("freebusy", "lark/calendar_v4_freebusy_list"),
        ("join a chanel", "slack/conversations_join"),
        ("put a row into the project table", "lark/bitable_v1_appTableRecord_create"),
        ("reply in that conversation", "slack/slack_reply_to_thread"),
        ("tell my team the meeting moved", "lark/im_v1_message_create"),
        ("who is free tomorrow afternoon", "lark/calendar_v4_freebusy_list"),
        ("给同事发一条消息", "lark/im_v1_message_create"),
        ("給同事發一條消息", "slack/conversations_add_message"),
        ("会议", "lark/calendar_v4_calendarEvent_create"),
        ("日历", "lark/calendar_v4_calendar_primary"),
    ],
)
def test_a_simple_query_finds_its_tool(query: str, tool: str) -> None:
    assert tool in _top(query)


def test_a_query_does_not_find_a_tool_that_is_only_spelled_alike() -> None:
    assert "xiaohongshu/delete_cookies" not in _top("who is free tomorrow afternoon")  # "afterwards someone has to …"


@pytest.mark.parametrize(
    ("query", "app"),
    [
        ("what is the weather, says AMap", "amap"),
        ("百度地图怎么走", "baidu_maps"),
        ("a Telegram tool for stickers", "telegram"),
        ("who am I on reddit", "reddit"),
        ("在飞书里发消息", "lark"),
    ],
)
def test_a_query_that_names_an_app_gets_only_its_tools(query: str, app: str) -> None:
    assert {tool.partition("/")[0] for tool in _top(query)} == {app}


def test_an_app_is_not_named_by_a_part_of_another_name_or_word() -> None:
    maps, search = (
        Document("find", s, "Find places.", called=n) for s, n in (("a", ("Google Maps",)), ("b", ("Google",)))
    )
    index = ToolIndex([search, maps])
    assert index.search("find places with google maps", 1)[0].position == 1
    assert index.search("find places with Google", 1)[0].position == 0
    named, unnamed = (index.search(f"find places {by}", 2) for by in ("with Google", "by googlemaps"))
    assert named[0].score - named[1].score > 2 > unnamed[0].score - unnamed[1].score


def test_a_question_finds_reading_tools_and_a_command_changing_ones() -> None:
    index = ToolIndex(
        [Document("role_add", "a", reads=False), Document("role_list", "a", reads=True), Document("x", "b")]
    )
    for query, first in (
        ("which role is there?", 1),
        ("make somebody a role", 0),
        ("谁有 role", 1),
        ("给他 role", 0),
        ("Can you tell me the role", 1),
    ):
        assert index.search(query, 1)[0].position == first, query


def test_a_known_phrase_counts_word_for_word() -> None:
    index = ToolIndex(
        [Document("people", "a", aliases=("who am I", "会谈")), Document("profile", "a", aliases=("who is it", "谈谈"))]
    )
    assert [hit.position for hit in index.search("tell me, who is it?", 1)] == [1]
    assert [hit.position for hit in index.search("who am I here", 1)] == [0]


@pytest.mark.parametrize(
    ("query", "tool"),
    [
        ("what does ~/plans/summer.md say", "filesystem/read_text_file"),
        ("which address is 31.2304, 121.4737", "google_maps/maps_reverse_geocode"),
        ("show me /srv/footage/june/", "filesystem/list_directory"),
    ],
)
def test_a_value_in_the_query_hints_at_the_kind_of_tool(query: str, tool: str) -> None:
    assert tool in _top(query)


def test_traditional_and_simplified_characters_find_the_same() -> None:
    for simplified, traditional in (("发消息给团队", "發消息給團隊"), ("会议记录", "會議記錄"), ("查询", "查詢")):
        assert _top(traditional) == _top(simplified) != []


def test_chinese_queries_find_english_tools_and_english_queries_chinese_ones() -> None:
    index = ToolIndex(
        [
            Document("get_forecast", "sky", "Weather for the next days."),
            Document("convert_currency", "bank", "Exchange rate between two currencies."),
            Document("book", "train", "预订火车票"),
        ]
    )
    first = [index.search(query, 1)[0].position for query in ("明天天气怎么样", "汇率换算", "reserve a train ticket")]
    assert first == [0, 1, 2]


def test_quoted_text_counts_less_than_the_action_around_it() -> None:
    index = ToolIndex([Document("send_contract", "law"), Document("create_task", "todo", "Makes a task.")])
    assert [hit.position for hit in index.search("create a task 'send contract'", 2)] == [1, 0]
    assert [hit.position for hit in index.search("'send contract'", 1)] == [0]


@pytest.mark.parametrize("name", [name for i in IDS if "_" in (name := i.partition("/")[2])])
def test_a_tool_called_by_its_name_is_first(name: str) -> None:
    assert _top(f"please run {name} with the usual values", 1)[0].endswith(f"/{name}")


def test_unknown_words_find_nothing() -> None:
    assert _top("zzyzx qqqq") == []
    assert _top("!?") == []
    assert _top("kumquat") == []
    assert _top("彩虹") == []


def test_a_query_of_only_stop_words_gets_an_answer_or_none() -> None:
    assert isinstance(_top("what can you do for me"), list)


def test_chinese_words_find_chinese_descriptions() -> None:
    index = ToolIndex([Document("send", "a", "发送消息给联系人"), Document("weather", "b", "查询天气预报")])
    assert [hit.position for hit in index.search("今天的天气怎么样", 5)] == [1]


def test_a_word_in_the_name_counts_more_than_in_the_description() -> None:
    index = ToolIndex(
        [Document("list_files", "a", "Also shows invoices."), Document("list_invoices", "a", "Shows files.")]
    )
    assert [hit.position for hit in index.search("invoices", 2)] == [1, 0]


def test_equal_tools_are_in_the_order_of_the_catalogue() -> None:
    index = ToolIndex([Document("send_message", "a", "Send a message.")] * 7)
    assert [hit.position for hit in index.search("message", 3)] == [0, 1, 2]


def test_an_empty_catalogue_has_no_answers() -> None:
    assert ToolIndex([]).search("message", 5) == []


def test_documents_without_words_do_not_matter() -> None:
    index = ToolIndex([Document("", ""), Document("send", "mail"), Document("…", "")])
    assert [hit.position for hit in index.search("send", 5)] == [1]


def test_a_filtered_tool_is_never_found() -> None:
    keep = [i.startswith("slack/") for i in IDS]
    hits = INDEX.search("send a message", 50, keep=keep)
    assert hits
    assert all(IDS[hit.position].startswith("slack/") for hit in hits)
    assert INDEX.search("send a message", 50, keep=[False] * len(IDS)) == []


@pytest.mark.long
def test_every_process_finds_the_same_tools() -> None:
    ask = (
        "from soundstage.gateway.search.evaluate import user_queries, own_tools\n"
        "from soundstage.gateway.search.index import ToolIndex\n"
        "index = ToolIndex(list(own_tools().values()))\n"
        "print([[(h.position, h.score) for h in index.search(q.text, 10)] for q in user_queries()[::4]])"
    )
    answers = {
        subprocess.run(
            [sys.executable, "-c", ask],
            env={**clean_environment(), "PYTHONHASHSEED": seed},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in ("1", "2")
    }
    assert len(answers) == 1


@settings(max_examples=200, suppress_health_check=[HealthCheck.too_slow], deadline=None)
@given(
    st.text(max_size=300) | st.sampled_from(sorted({w for d in TOOLS.values() for w in d.description.split()})),
    st.integers(1, 200),
)
def test_any_query_gives_at_most_k_tools_best_first(query: str, k: int) -> None:
    hits = INDEX.search(query, k)
    assert len(hits) <= k
    assert len({hit.position for hit in hits}) == len(hits)
    scores = [hit.score for hit in hits]
    assert scores == sorted(scores, reverse=True)
    assert all(np.isfinite(scores))
    assert INDEX.search(query, k) == hits
    assert INDEX.search(query, max(1, k // 2)) == hits[: max(1, k // 2)]


@given(st.lists(st.floats(-1e6, 1e6, width=32), max_size=60))
def test_levelled_scores_keep_their_order_and_stay_in_bounds(values: list[float]) -> None:
    scores = np.array(values, np.float32)
    made = levelled(scores)
    assert len(made) == len(scores)
    assert np.isfinite(made).all()
    for low, high in zip(np.argsort(scores, kind="stable"), np.argsort(scores, kind="stable")[1:], strict=False):
        assert made[low] <= made[high]
    if len(made):
        assert made.max() <= 3.01
