"""People of a world write in personal ways, and the check reports exceptions."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from soundstage.source import SourceError
from soundstage.worlds.builder import text as texts
from soundstage.worlds.builder.build import Built, CheckFailed, build, build_checked, check
from soundstage.worlds.builder.chinese import full_width
from soundstage.worlds.builder.draw import Draw
from soundstage.worlds.builder.spec import Voice
from soundstage.worlds.builder.speech import Speech, sound_alike, speeches
from soundstage.worlds.builder.voices import contracted, halves, own_words, slip, voiced

WriteSpec = Callable[..., Path]


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("好的, 明天见!", "好的，明天见！"),
        ("谁改的? 先别动.", "谁改的？先别动。"),
        ("用 b17, 别的不动", "用 b17，别的不动"),
        ("Frozen means frozen. 谁要改, 先来找我", "Frozen means frozen. 谁要改，先来找我"),
        ("On Oskar's old laptop, 我凌晨三点搬了", "On Oskar's old laptop, 我凌晨三点搬了"),
        ("站会改到 11:30, 三楼(Gobo)", "站会改到 11:30，三楼（Gobo）"),
        ("1,200 kuai, see https://a.example/x?y=1", "1,200 kuai, see https://a.example/x?y=1"),
        ("好，就这样。", "好，就这样。"),
    ],
)
def test_chinese_gets_chinese_punctuation_and_english_is_unchanged(written: str, meant: str) -> None:
    assert full_width(written) == meant
    assert full_width(meant) == meant


@pytest.mark.parametrize(
    ("written", "spoken"),
    [
        ("It is not here, I am sure.", "It isn't here, I'm sure."),
        ("I do not know where it is.", "I don't know where it is."),
        ("We cannot, {@b} will not.", "We can't, {@b} won't."),
        ("That is what they are. We have sent it.", "That's what they are. We've sent it."),
        ("I have a photo. Let us see.", "I have a photo. Let's see."),
        ("You and I are late.", "You and I are late."),
    ],
)
def test_contractions_are_used_where_people_use_them(written: str, spoken: str) -> None:
    assert contracted(written) == spoken


def test_a_voice_changes_a_text_and_no_voice_leaves_it() -> None:
    plain = "I do not think so. The lift is out again, on the third floor."
    assert voiced(plain, Voice(), Draw(1, "t")) == plain
    spoken = voiced(
        plain, Voice(contractions=100, stops=0, lower=True, fillers=["hmm, ~"], filler_percent=100), Draw(1, "t")
    )
    assert spoken == "hmm, i don't think so. the lift is out again, on the third floor"
    assert voiced("明天十点到仓库", Voice(stops=100), Draw(1, "t")) == "明天十点到仓库。"
    assert voiced("On it.", Voice(emoji=["👍"], emoji_percent=100), Draw(1, "t")) == "On it 👍"
    assert voiced("Is it on?", Voice(emoji=["👍"], emoji_percent=100), Draw(1, "t")) == "Is it on?"


def test_a_persons_phrases_are_in_the_language_of_the_conversation() -> None:
    voice = Voice(says={"ok": ["roger", "收到"]})
    assert own_words("{ok}", voice, "zh", ["en", "zh"], Draw(1, "t")) == "收到"
    assert own_words("{ok}", voice, "en", ["zh", "en"], Draw(1, "t")) == "roger"
    assert own_words("{ok}", voice, "zh", ["en"], Draw(1, "t")) == "roger"
    assert own_words("{ok}", Voice(switches=100, says=voice.says), "zh", ["zh", "en"], Draw(1, "t")) == "roger"


def test_long_sentences_are_split_and_slips_are_corrected() -> None:
    assert halves("Back at five. The key is in the drawer.") == ("Back at five", "The key is in the drawer.")
    assert halves("好的。我五点到") is None
    assert halves("Only one sentence here") is None
    for number in range(20):
        slipped = slip("the calibrated panel arrives tomorrow", Draw(1, "slip", number))
        if slipped is not None:
            assert slipped.text != "the calibrated panel arrives tomorrow"
            assert slipped.meant in {"calibrated", "panel", "arrives", "tomorrow"}


THREADS = """
threads:
  - id: news
    topic: office
    lang: en
    received: 1
    turns:
      - a: "The door code changes tonight."
      - b +2m: "{thanks}"
  - id: abroad
    topic: travel
    lang: en
    cast: {a: [away], b: [here]}
    turns: [{a: "It is raining here."}, {b +1m: "Not here."}]
  - id: photo
    topic: travel
    lang: en
    turns: [{a: {image: true}}, {a +5s edited=30s: "The new shelf."}, {b +1m recalled: "wrong chat"}]
"""


@pytest.fixture
def talk(write_spec: WriteSpec, tmp_path: Path) -> Callable[..., Built]:
    """Builds the small world with the threads above, and with changes."""

    def made(changes: dict[str, str] | None = None) -> Built:
        (tmp_path / "threads.yaml").write_text(THREADS, encoding="utf-8")
        path = write_spec(
            {
                "[story.yaml]": "[story.yaml, threads.yaml]",
                "topics: [office, lunch]": "topics: [travel]",
                **(changes or {}),
            }
        )
        return build(path)

    return made


def _messages_of(built: Built, thread: str) -> list[tuple[str, str]]:
    return [
        (m.values["author"].key, texts.plain(m.values["text"]))
        for m in built.plan.of_kind("message")
        if m.values["thread"].endswith(f"/{thread}")
    ]


ABROAD = {"role: Writer, team: product,": "role: Writer, team: product, city: Lisbon, zone: Europe/Lisbon,"}


def test_a_thread_gets_people_who_are_at_its_place(talk: Callable[..., Built]) -> None:
    assert next(who for who, _ in _messages_of(talk(ABROAD), "abroad")) == "cy"
    assert _messages_of(talk(), "abroad") == []


def test_people_elsewhere_do_not_talk_about_the_office(talk: Callable[..., Built]) -> None:
    built = talk({**ABROAD, "topics: [travel]": "topics: [office, lunch]"})
    assert "cy" not in {m.values["author"].key for m in built.plan.of_kind("message") if m.values["local"]}


def test_a_thread_can_contain_pictures_edits_and_recalls(talk: Callable[..., Built]) -> None:
    made = [m for m in talk().plan.of_kind("message") if m.values["thread"].endswith("/photo")]
    assert [(m.values["form"], m.values["changed"], m.values["recalled"]) for m in made] == [
        ("image", False, False), ("text", True, False), ("text", False, True),
    ]  # fmt: skip


def test_news_is_acknowledged_in_personal_phrases(talk: Callable[..., Built]) -> None:
    voice = 'joined: "2025-01-01 09:00", voice: {says: {ok: [aye], thanks: [ta]}}'
    built = talk(
        {
            'joined: "2025-01-01 09:00"': voice,
            "topics: [travel]": "topics: [office]",
        }
    )
    messages = dict(_messages_of(built, "news"))
    assert len(messages) == 3
    assert messages.get("ann") in ("aye", "ta", "The door code changes tonight.")


@pytest.mark.parametrize(
    ("broken", "message"),
    [
        ("cast: {a: [away], b: ['native:fr']}", "'native:fr' is no demand"),
        ("where: moon", "'moon' is neither here nor anywhere"),
    ],
)
def test_an_impossible_demand_of_a_thread_is_reported(
    write_spec: WriteSpec, tmp_path: Path, broken: str, message: str
) -> None:
    (tmp_path / "threads.yaml").write_text(THREADS.replace("cast: {a: [away], b: [here]}", broken), encoding="utf-8")
    with pytest.raises(SourceError, match=message):
        build(write_spec({"[story.yaml]": "[story.yaml, threads.yaml]"}))


def test_the_check_finds_people_where_they_cannot_be(write_spec: WriteSpec) -> None:
    path = write_spec({
        **ABROAD, 'domain: tiny.example, rooms: [Blue]': 'domain: tiny.example, city: Shanghai, rooms: ["Blue (2F)"]',
        'ann +1m: "Thanks, {bo}"': 'cy +1m: "I am in Blue already"',
        "with: [bo], location: Blue": 'with: [bo, cy], location: "Blue (2F)", online: false',
    })  # fmt: skip
    with pytest.raises(CheckFailed) as failed:
        build_checked(path)
    findings = [str(f) for f in failed.value.findings]
    assert any(re.search(r"cy works in Lisbon, and speaks of Blue in Shanghai", t) for t in findings)
    assert any(re.search(r"cy works in Lisbon, and is to sit in Blue \(2F\) in Shanghai", t) for t in findings)


def test_the_check_finds_chinese_with_half_width_commas(write_spec: WriteSpec) -> None:
    built = build(write_spec({"name: 薄文": "name: 薄文, about: x"}))
    built.state["lark"]["document"][0]["content"] = "好的, 明天"
    assert any("Chinese with half-width punctuation: …好的, 明天…" in str(f) for f in check(built))


def test_people_with_indistinguishable_statistics_are_reported() -> None:
    one = Speech("ann", "Ann", 40, 40, 90, 10, 0, 0, 0, {"en": 100})
    same, curt = replace(one, person="bo", median=42), replace(one, person="cy", median=20, closing=20)
    assert list(sound_alike([one, same, curt])) == [(one, same)]
    assert list(sound_alike([one, replace(same, messages=5)])) == []


def test_writing_statistics_are_counted_from_the_texts(write_spec: WriteSpec) -> None:
    story = 'bo +3m: "好"\n          - bo +1m: "I don\'t know 🙂"\n          - bo +1m: "It is late."'
    (bo,) = [
        s
        for s in speeches(build(write_spec({'bo +3m: "好"': story, "message: 40,": "message: 1,"})).plan)
        if s.person == "bo"
    ]
    assert bo == Speech("bo", "薄文", 3, 11, 33, 50, 33, 33, 0, {"en": 67, "zh": 33})
