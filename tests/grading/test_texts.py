"""Texts are read as people read them: phrases, numbers, dates and times."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from soundstage.grading.matcher_parser import parse_matcher
from soundstage.grading.matchers import NumberIs, Reading, Ref
from soundstage.grading.texts.dates import date_mentions
from soundstage.grading.texts.normalize import normalize, says
from soundstage.grading.texts.numbers import number_of, numbers

ZONE = ZoneInfo("Asia/Shanghai")
NOW = int(datetime(2026, 11, 20, 9, 5, tzinfo=ZONE).timestamp())  # a Friday
SLOT = "2026-12-01 14:30"


def _current(text: str) -> list[set[str]]:
    """Return the current times in a text, each as the set of its readings. A day without a time is returned as the day."""
    return [
        {datetime.fromtimestamp(r, ZONE).strftime("%Y-%m-%d" if m.day_only else "%Y-%m-%d %H:%M") for r in m.readings}
        for m in date_mentions(normalize(text), ZONE, NOW)
        if not m.past
    ]


@pytest.mark.parametrize(
    ("text", "phrase", "there"),
    [
        ("The Dry-Run moved", "dry run", True),
        ("彩排改到周二", "彩排", True),
        ("３０ profiles", "30", True),
        ("there are 10 left", "1", False),
        ("version 3.10", "3.1", False),
        ("costs 1,150", "150", False),
        ("the total is 150.", "150", True),
        ("同步：0 次闪", "0 次闪", True),
        ("about b17: that is all", "b17", True),
        ("at 17:30", "17", False),
        ("Annabel writes", "Anna", False),
        ("**Fresnel** is free", "fresnel is free", True),
        ("café", "cafe", False),
    ],
)
def test_a_phrase_matches_only_at_the_borders_of_words_and_numbers(text: str, phrase: str, there: bool) -> None:
    assert says(normalize(text), phrase) is there


@pytest.mark.parametrize("written", ["1,150", "1150", "1.15k", "一千一百五十", "１１５０", "1150.0"])
def test_a_number_is_recognised_in_every_notation(written: str) -> None:
    assert [n.value for n in numbers(normalize(f"it is {written} now"))] == [1150]


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("ninety-six of a hundred", [96]),
        ("3.5万", [35_000]),
        ("十五 and 二十", [15, 20]),
        ("两百三十", [230]),
        ("二〇二六年", [2026]),
        ("一个人", []),
        ("two hundred", [200]),
        ("minus -3", [-3]),
        ("1.6万—2.2万", [16_000, 22_000]),
        ("10～20 分钟", [10, 20]),
        ("16000~22000", [16_000, 22_000]),
        ("大约~29 分钟, ~30", [29, 30]),
        ("还有96条没检查", [96]),
        ("约1,150个", [1150]),
        ("rc3, b17", []),
        ("14.5kg packed, 24h, 25fps", [14.5, 24, 25]),
        ("5 km, 3mm, 1.15k", [5, 3, 1150]),
    ],
)
def test_numbers_written_as_words_are_read(text: str, values: list[float]) -> None:
    assert [n.value for n in numbers(normalize(text))] == values


@pytest.mark.parametrize(
    ("text", "value"), [("0.53 m/s", 0.53), ("0.53m/s", 0.53), ("1.10 m wide", 1.1), ("1.5m people", 1_500_000)]
)
def test_an_m_for_metres_does_not_mean_millions(text: str, value: float) -> None:
    assert [n.value for n in numbers(normalize(text))] == [value]


@pytest.mark.parametrize(("text", "value"), [("900kg", 900), ("at most 1,200kg", 1200), ("7.5cm wide", 7.5)])
def test_a_unit_may_follow_its_number_without_a_blank(text: str, value: float) -> None:
    assert [n.value for n in numbers(normalize(text))] == [value]


def test_a_comma_joins_only_groups_of_three_digits() -> None:
    assert [n.value for n in numbers(normalize("11月27日19：00，9400；1,150"))][-2:] == [9400, 1150]
    assert [n.value for n in numbers(normalize("1,0.53"))] == [1, 0.53]
    assert [n.value for n in numbers(normalize("多扣 61.27，149.17"))] == [61.27, 149.17]


def test_a_cell_is_a_number_only_if_it_contains_nothing_else() -> None:
    assert (number_of("96"), number_of(96), number_of("96 profiles"), number_of(True), number_of(None)) == (
        96, 96, None, None, None,
    )  # fmt: skip


@pytest.mark.parametrize(
    "text",
    [
        "The dry run is on Tuesday, 1 December, 14:30",
        "14:30 on Tuesday 1 December",
        "Dec 1st at 2:30 pm",
        "2026-12-01 14:30",
        "2026-12-01T14:30:00+08:00",
        "06:30 UTC on 1 December",
        "06:30 in London on 1 December",
        "1 December, 06:30 for her in London",
        "12月1日伦敦时间早上6:30",
        "12月1日，伦敦时间06:30",
        "1 December, 14:30 Shanghai time",
        "12月1日下午两点半",
        "彩排改到12月1日（周二）14:30",
        "２０２６年１２月１日 １４：３０",
        "周二（12月1日）14点30分",
        "12 月 1 日 14:30",
        "日期：12月1日，时间：14:30",
        "Please do not forget: 1 December, 14:30",
        "not later than 14:30 on 1 December",
        "**1 December**, 14:30",
    ],
)
def test_a_time_is_recognised_in_every_notation(text: str) -> None:
    assert _current(text) == [{SLOT}]


@pytest.mark.parametrize(
    "text",
    [
        "Tuesday 1 December, 14:30 in Shanghai, which is 06:30 in London",
        "1 December, 14:30 Shanghai / 06:30 London",
        "1 December at 2:30 pm in Shanghai (6:30 am London time)",
        "12月1日上海14:30，伦敦06:30",
        "12月1日14:30（伦敦时间早上6点半）",
        "1 December, 14:30 (London: 06:30)",
    ],
)
def test_one_time_may_be_given_for_two_cities(text: str) -> None:
    assert _current(text) == [{SLOT}, {SLOT}]


def test_the_same_hour_in_another_city_is_another_time() -> None:
    assert _current("1 December, 14:30 in London") == [{"2026-12-01 22:30"}]


@pytest.mark.parametrize(
    ("text", "current"),
    [
        ("half past two on Tuesday the 1st of December", [{"2026-12-01 02:30", SLOT}]),
        ("Tuesday the 8th at four works for both", [{"2026-12-08 04:00", "2026-12-08 16:00"}]),
        ("8 December, 4 o'clock", [{"2026-12-08 04:00", "2026-12-08 16:00"}]),
        ("stopped at three percent on 1 December", [{"2026-12-01"}]),
        ("Thursday the 19th of November at 22:53", [{"2026-11-19 22:53"}]),
        ("next Tuesday at 14:30", [{"2026-11-24 14:30", SLOT}]),
        ("tomorrow at 9:00", [{"2026-11-21 09:00", "2026-11-21 21:00"}]),
        ("10–11 December", [{"2026-12-10"}, {"2026-12-11"}]),
        ("the 10th and 11th of December", [{"2026-12-10"}, {"2026-12-11"}]),
        ("December 10-11, 2026", [{"2026-12-10"}, {"2026-12-11"}]),
        ("moved from 1–2 December to 10–11 December", [{"2026-12-10"}, {"2026-12-11"}]),
        ("从12月1日、2日改到12月10日、11日", [{"2026-12-10"}, {"2026-12-11"}]),
        ("明天下午3点半", [{"2026-11-21 15:30"}]),
        ("下周二14:30", [{"2026-11-24 14:30"}]),
        ("on the 3rd", [{"2026-12-03"}]),
        ("3号之前", [{"2026-12-03"}]),
        ("5 January", [{"2027-01-05"}]),
        ("1 月 10、11 日", [{"2027-01-10"}, {"2027-01-11"}]),
        ("1月30日到2日", [{"2027-01-30"}, {"2027-02-02"}]),
        ("Thursday 10 and Friday 11 December", [{"2026-12-10"}, {"2026-12-11"}]),
        ("12 月 10、11 日（周四、周五）", [{"2026-12-10"}, {"2026-12-11"}]),
        ("Thursday and Friday, 10 and 11 December", [{"2026-12-10"}, {"2026-12-11"}]),
        ("图 11 月 23 日之前换完，12 月 1 日 14:30 提交", [{"2026-11-23"}, {SLOT}]),
    ],
)
def test_omitted_parts_of_a_date_are_filled_in_from_the_present(text: str, current: list[set[str]]) -> None:
    assert _current(text) == current


@pytest.mark.parametrize(
    "text",
    [
        "moved from 26 November 14:00 to 1 December 14:30",
        "It was overdue since 26 November, 14:00. The new date is 1 December, 14:30.",
        "The dry run was on Thursday 26 November at 14:00, it is now Tuesday 1 December, 14:30.",
        "彩排从11月26日14:00改到12月1日14:30",
        "Tues 1 Dec 2.30pm, not Thursday",
        "New time: 1 December, 14:30 (was Thu 26 Nov, 14:00)",
        "Thursday doesn't work; it is 1 December 14:30",
        "彩排定在12月1号星期二14:30，不再是26号",
        "12月1日14:30（原来是30日）",
        "之前是11月26日，现在是12月1日14:30",
        "It is on 1 December, 14:30; it used to be the 30th.",
    ],
)
def test_a_date_after_a_word_of_the_past_is_not_current(text: str) -> None:
    assert _current(text) == [{SLOT}]


def test_a_weekday_that_contradicts_its_date_is_also_returned() -> None:
    assert {"2026-11-23"} in _current("10 and 11 December (Monday and Friday)")


def test_the_same_words_in_reverse_order_mean_the_opposite() -> None:
    assert _current("moves from Tuesday 1 December, 14:30 to Thursday 26 November, 14:00") == [{"2026-11-26 14:00"}]


@pytest.mark.parametrize(
    "text",
    [
        "The two units are yours from 1 December.",
        "从 12 月 1 日起留给你们",
        "From 1 December on the units are yours, they stood on shelf B.",
    ],
)
def test_from_a_day_on_does_not_refer_to_the_past(text: str) -> None:
    assert _current(text) == [{"2026-12-01"}]


@pytest.mark.parametrize("text", ["Moved off from 26 November. It is on 1 December", "从26日挪走了。改在12月1日"])
def test_the_day_from_which_something_is_moved_is_not_current(text: str) -> None:
    assert _current(text) == [{"2026-12-01"}]


@pytest.mark.parametrize(
    "text", ["Wednesday the 11th of November", "the 11th of November, 9400 in all", "on the 11th November"]
)
def test_a_day_belongs_to_the_month_that_is_named(text: str) -> None:
    assert _current(text) == [{"2026-11-11"}]


@pytest.mark.parametrize(
    ("text", "fits"),
    [
        ("Priya writes it by 26 November.", True),
        ("Priya writes it by 26 November, the Chinese ones are due on 2 December.", True),
        ("Priya writes it by 26 November or by 27 November.", False),
        ("Priya writes it by 2 December.", False),
    ],
)
def test_an_allowed_second_time_is_optional_and_does_not_replace_the_first(text: str, fits: bool) -> None:
    wanted = parse_matcher({"says": ["priya", {"time": {"is": "2026-11-26", "beside": ["2026-12-02"]}}]})
    assert wanted.fits(text, Reading(ZONE, NOW, lambda name, app: frozenset())) is fits


@pytest.mark.parametrize(
    "text", ["1 December, 14:30 to 16:00", "1 December from 14:30 to 16:00", "2026-12-01 14:30–16:00"]
)
def test_both_ends_of_a_period_are_current(text: str) -> None:
    assert _current(text) == [{SLOT}, {"2026-12-01 16:00"}]


@pytest.mark.parametrize(
    ("text", "aside"),
    [
        ("Overdue since the 13th: can you have them here by 24 November?", ["the 13th"]),
        ("The office is closed on 30 November, so it is due on Friday, 27 November", ["30 november"]),
        ("Due on 27 November; on the 30th our office is closed.", ["the 30th"]),
        ("30 号公司放假，所以提前到 11 月 27 日（周五）", ["30 号"]),
        ("12 月 3 日可以取，昨天（19 号）那张回执能用 30 天", ["昨天(19 号"]),
        ("Due on Friday 27 November or on 30 November", []),
        ("27 November, and not before 26 November", []),
    ],
)
def test_a_reason_or_yesterday_does_not_contradict_a_time(text: str, aside: list[str]) -> None:
    plain_text = normalize(text)
    assert [plain_text[m.start : m.end].strip() for m in date_mentions(plain_text, ZONE, NOW) if m.aside] == aside


def test_a_day_of_the_month_next_to_a_relative_day_is_that_day() -> None:
    assert _current("昨天（19 号）") == [{"2026-11-19"}]
    assert _current("tomorrow, the 21st") == [{"2026-11-21"}]


_MOMENTS = st.datetimes(datetime(2026, 6, 1), datetime(2027, 4, 30)).map(lambda d: d.replace(second=0, microsecond=0))


@given(
    _MOMENTS,
    st.sampled_from(
        [
            "{d.day} {d:%B} {d.year}, {d:%H:%M}",
            "{d:%B} {d.day}, {d.year} at {d:%H:%M}",
            "{d:%H:%M} on {d:%A} {d.day} {d:%B} {d.year}",
            "{d:%Y-%m-%d} {d:%H:%M}",
            "{d.year}年{d.month}月{d.day}日{d:%H:%M}",
            "{d.year}年{d.month}月{d.day}日{d.hour}点{d.minute}分",
            "{d:%Y/%m/%d} {d:%I:%M %p}",
        ]
    ),
)
def test_any_time_is_read_from_its_usual_notations(moment: datetime, spelling: str) -> None:
    (mention,) = date_mentions(normalize("It is " + spelling.format(d=moment) + "."), ZONE, NOW)
    wanted = int(moment.replace(tzinfo=ZONE).timestamp())
    assert wanted in mention.readings
    assert all((r - wanted) % 43_200 == 0 for r in mention.readings)  # only twelve hours may be left open


@given(st.text(max_size=200))
def test_any_text_can_be_read_without_error(text: str) -> None:
    for moment in date_mentions(normalize(text), ZONE, NOW):
        assert all(abs(datetime.fromtimestamp(r, UTC).year - 2026) < 9000 for r in moment.readings)
    assert all(n.start < n.end for n in numbers(normalize(text)))


def test_the_present_is_that_of_the_worlds_time_zone() -> None:
    late = int((datetime(2026, 11, 20, 23, 30, tzinfo=ZONE) + timedelta(hours=1)).timestamp())
    (mention,) = date_mentions("today", ZONE, late)
    assert {datetime.fromtimestamp(r, ZONE).day for r in mention.readings} == {21}


@pytest.mark.parametrize(
    ("text", "right"),
    [
        ("1,150 of 2,000 activations", True),
        ("1150 out of the 2000 activations", True),
        ("1150/2000 activations", True),
        ("1,150 or 2,000 activations", False),
        ("2,000 activations", False),
        ("720 of 2,000 activations, not 1,150", False),
    ],
)
def test_the_total_after_a_part_is_not_a_second_number(text: str, right: bool) -> None:
    reading = Reading(ZONE, NOW, lambda _name, _app: frozenset())
    assert NumberIs(1150, unit=("activations",)).in_text(normalize(text), reading) is right


@pytest.mark.parametrize(("written", "fits"), [("n4ydtsp", True), ("t1_n4ydtsp", True), ("t1_n4ydtsq", False)])
def test_a_name_matches_an_id_that_contains_its_kind(written: str, fits: bool) -> None:
    reading = Reading(ZONE, NOW, lambda name, _app: frozenset({"n4ydtsp"}) if name == "comment" else frozenset())
    assert Ref("comment").fits(written, reading) is fits


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("六点二五个小时", 6.25),
        ("百分之七十点五", 70.5),
        ("零点五", 0.5),
        ("二十三块四。", 23.4),
        ("多扣六十一块两毛七，", 61.27),
        ("12 块 5 毛", 12.5),
    ],
)
def test_fractions_and_amounts_of_money_are_read_in_chinese(text: str, value: float) -> None:
    assert [n.value for n in numbers(normalize(text))] == [value]
    assert not date_mentions(normalize(text), ZONE, NOW)


@pytest.mark.parametrize("text", ["三块四寸的屏", "两块两个人的牌子"])
def test_counted_pieces_are_not_money(text: str) -> None:
    assert len(list(numbers(normalize(text)))) == 2


@pytest.mark.parametrize(
    ("text", "current"),
    [
        ("at 7:30 in the evening on 1 December", "2026-12-01 19:30"),
        ("on 1 December at 7 in the morning", "2026-12-01 07:00"),
        ("昨晚十点五十三分开始", "2026-11-19 22:53"),
        ("明早 8 点见", "2026-11-21 08:00"),
        ("下周三上午 11 点 30 分", "2026-11-25 11:30"),
        ("last night at 22:53", "2026-11-19 22:53"),
    ],
)
def test_words_next_to_a_clock_time_select_the_half_of_the_day(text: str, current: str) -> None:
    assert _current(text) == [{current}]


def test_an_event_on_a_past_day_is_past_unless_something_replaces_it() -> None:
    assert _current("The shortest night was 18 November, with 5 hours.") == [{"2026-11-18"}]
    assert _current("It was 18 November and is 1 December now.") == [{"2026-12-01"}]
    assert _current("The dry run was on 26 November.") == []


@pytest.mark.parametrize("text", ["11.27 周五 18:00", "周五(11.27)18:00 搬", "11.27 18:00", "11.27 晚上六点"])
def test_a_dotted_month_and_day_are_a_date_before_a_weekday_or_a_clock_time(text: str) -> None:
    assert _current(text) == [{"2026-11-27 18:00"}]


def test_a_month_without_a_day_is_not_a_date() -> None:
    assert _current("十一月一共六天") == []
    assert _current("十二月一日") == [{"2026-12-01"}]


@pytest.mark.parametrize(
    ("text", "phrase", "there"),
    [
        ("不是查重那篇，是猫那篇", "查重", False),
        ("是查重那篇，不是猫那篇", "查重", True),
        ("not the sofa but the cabinet", "sofa", False),
        ("not only the sofa but the cabinet", "sofa", True),
        ("film the rig, not the fixture profiles", "fixture profiles", True),
        ("那天我参加不了", "我参加", False),
        ("交不了", "交不了", True),
        ("81 Embers went out", "Ember", True),
        ("the old script pulls it", "pull", False),
    ],
)
def test_a_retracted_statement_does_not_count(text: str, phrase: str, there: bool) -> None:
    assert says(normalize(text), phrase) is there


@pytest.mark.parametrize(
    ("text", "right"),
    [
        ("96 条没人查，其中 19 条是摇头灯", True),
        ("115 条没人查，其中 96 条是摇头灯", False),
        ("96 profiles, of which 19 profiles move", True),
    ],
)
def test_a_part_of_a_total_is_not_a_second_number(text: str, right: bool) -> None:
    matcher = NumberIs(96, unit=("条", "profiles"))
    assert matcher.in_text(normalize(text), Reading(ZONE, NOW, ids=lambda app, name: frozenset())) is right
