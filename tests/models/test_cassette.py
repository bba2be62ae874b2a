"""Kept answers and budgets: nothing is asked twice, a killed run loses nothing that it paid for, and a budget is one."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from soundstage.models.asking import Answer, ModelError, Question
from soundstage.models.cassette import Cassette, CassetteError, NotKept
from soundstage.models.chat import Chat
from soundstage.models.scripted import Scripted
from soundstage.models.spend import Budget, Spend, Spent
from soundstage.models.stub import StubModel, Turn

FIRST, SECOND = Question.of("Where are the lanterns? 灯在哪里？"), Question.of("And the cables?", seed=1)


@pytest.fixture
def kept(tmp_path: Path) -> Path:
    return tmp_path / "model.jsonl"


def test_what_was_answered_is_not_asked_again_by_this_run_or_the_next(kept: Path) -> None:
    model = Scripted(["On the pier.", "In the van."])
    cassette = Cassette(kept, model)
    assert [cassette.ask(q).text for q in (FIRST, SECOND, FIRST)] == ["On the pier.", "In the van.", "On the pier."]
    again = Cassette(kept, model)
    assert again.ask(SECOND) == cassette.ask(SECOND)
    assert model.asked == [FIRST, SECOND]
    assert (again.total.questions, again.total.estimated) == (2, 2)
    line = json.loads(kept.read_text().splitlines()[0])
    assert (line["model"], line["answer"]["text"]) == ("scripted", "On the pier.")
    assert line["asked"]["messages"][0]["content"] == "Where are the lanterns? 灯在哪里？"


def test_with_no_model_what_is_kept_is_told_and_nothing_else(kept: Path) -> None:
    Cassette(kept, Scripted(["On the pier."])).ask(FIRST)
    assert Cassette(kept).ask(FIRST).text == "On the pier."
    with pytest.raises(NotKept, match="And the cables"):
        Cassette(kept).ask(SECOND)
    model = Scripted(["never"])
    with pytest.raises(NotKept):
        Cassette(kept, model, "none").ask(SECOND)
    assert model.asked == []


def test_all_asks_once_more_and_the_new_answer_stands(kept: Path) -> None:
    Cassette(kept, Scripted(["On the pier."])).ask(FIRST)
    model = Scripted(["In the harbour."])
    cassette = Cassette(kept, model, "all")
    assert [cassette.ask(FIRST).text for _ in range(2)] == ["In the harbour."] * 2
    assert Cassette(kept).ask(FIRST).text == "In the harbour."


def test_an_answer_is_its_models_own(kept: Path) -> None:
    Cassette(kept, Scripted(["On the pier."], "small")).ask(FIRST)
    assert Cassette(kept, Scripted(["In the harbour."], "large")).ask(FIRST).text == "In the harbour."
    assert Cassette(kept, Scripted([], "small")).ask(FIRST).text == "On the pier."


def test_an_answer_is_on_disk_before_it_is_used(kept: Path) -> None:
    answer = Cassette(kept, Scripted(["On the pier."])).ask(FIRST)
    assert answer.text in kept.read_text()


def test_a_model_that_fails_leaves_nothing(kept: Path) -> None:
    cassette = Cassette(kept, Scripted([]))
    with pytest.raises(ModelError):
        cassette.ask(FIRST)
    assert not kept.exists()


def test_a_line_that_was_not_written_to_its_end_is_none(kept: Path) -> None:
    Cassette(kept, Scripted(["On the pier."])).ask(FIRST)
    whole = kept.read_bytes()
    kept.write_bytes(whole + whole[:-20])
    model = Scripted(["In the van."])
    cassette = Cassette(kept, model)
    assert [cassette.ask(q).text for q in (FIRST, SECOND)] == ["On the pier.", "In the van."]
    assert model.asked == [SECOND]
    assert len([json.loads(line) for line in kept.read_text().splitlines()]) == 2


def test_a_line_that_is_none_is_named(kept: Path) -> None:
    Cassette(kept, Scripted(["On the pier."])).ask(FIRST)
    kept.write_bytes(kept.read_bytes() + b'{"question": "x"}\n')
    with pytest.raises(CassetteError, match=r"model\.jsonl:2 is no kept answer"):
        Cassette(kept)


def test_the_same_question_by_several_at_once_is_asked_once(kept: Path) -> None:
    asked: Counter[str] = Counter()

    class Slow:
        name = "slow"

        def ask(self, question: Question) -> Answer:
            asked[question.digest] += 1
            time.sleep(0.05)
            return Answer("Yes.", 1, 1, 0.05)

    cassette = Cassette(kept, Slow())
    with ThreadPoolExecutor(8) as several:
        list(several.map(cassette.ask, [FIRST, SECOND] * 8))
    assert asked == {FIRST.digest: 1, SECOND.digest: 1}
    assert len(kept.read_text().splitlines()) == 2


_ASKING = """
import sys
from pathlib import Path
from soundstage.models.asking import Question
from soundstage.models.cassette import Cassette
from soundstage.models.chat import Chat
cassette = Cassette(Path(sys.argv[1]), Chat(sys.argv[2]))
for i in range(200):
    print(cassette.ask(Question.of(f"question {i}", seed=i)).text, flush=True)
"""


def test_a_run_that_is_killed_asks_nothing_twice_when_it_goes_on(kept: Path) -> None:
    with StubModel({"": [Turn("Yes.")]}) as model:
        running = subprocess.Popen(
            [sys.executable, "-c", _ASKING, str(kept), model.base_url], stdout=subprocess.DEVNULL
        )
        until = time.monotonic() + 30
        while len(model.asked) < 20 and time.monotonic() < until:
            time.sleep(0.005)
        os.kill(running.pid, signal.SIGKILL)
        running.wait()
        before, paid = len(kept.read_bytes().split(b"\n")) - 1, len(model.asked)
        assert 0 <= paid - before <= 1  # what was in flight
        chat = Chat(model.base_url)
        cassette = Cassette(kept, chat)
        for i in range(40):
            cassette.ask(Question.of(f"question {i}", seed=i))
        assert len(model.asked) - paid == 40 - before


def test_a_budget_of_questions_ends_it_and_keeps_what_was_answered(kept: Path) -> None:
    spend = Spend(Scripted(["a", "b", "c"]), Budget(questions=2))
    cassette = Cassette(kept, spend)
    for i in range(2):
        cassette.ask(Question.of(str(i)))
    with pytest.raises(Spent, match="the budget of 2 questions is used up"):
        cassette.ask(Question.of("2"))
    assert cassette.ask(Question.of("1")).text == "b"  # what is kept costs nothing
    assert spend.total.questions == 2


def test_a_budget_of_tokens_is_not_gone_beyond() -> None:
    answers = [Answer("…", 10, 40, 0.5)] * 10
    model = Scripted(answers)
    spend = Spend(model, Budget(tokens=160))
    question = Question.of("x" * 30, most_tokens=40)
    for _ in range(3):
        spend.ask(question)
    with pytest.raises(Spent, match="does not allow a question of up to 50: 150 are spent"):
        spend.ask(question)
    assert len(model.asked) == 3
    assert str(spend.total) == "3 questions, 30 tokens in and 120 out, 1.5 s"


def test_a_budget_holds_while_several_ask_at_once() -> None:
    together = threading.Barrier(2, timeout=10)

    class Waiting:
        name = "waiting"

        def ask(self, question: Question) -> Answer:
            together.wait()
            return Answer("…", 10, 40, 0.1)

    spend = Spend(Waiting(), Budget(tokens=100))
    question = Question.of("x" * 30, most_tokens=40)

    def ask(_: int) -> bool:
        try:
            spend.ask(question)
        except Spent:
            return False
        return True

    with ThreadPoolExecutor(3) as several:
        assert sorted(several.map(ask, range(3))) == [False, True, True]
    assert spend.total.tokens == 100


def test_a_question_that_was_not_answered_counts_as_one() -> None:
    spend = Spend(Scripted([]), Budget(questions=1))
    with pytest.raises(ModelError, match="has 0 answers"):
        spend.ask(FIRST)
    with pytest.raises(Spent):
        spend.ask(FIRST)
    assert str(spend.total) == "0 questions, 0 tokens in and 0 out, 0.0 s"


def test_answers_of_a_folder_come_in_the_order_of_their_names(tmp_path: Path) -> None:
    for name, text in (("02.md", "second"), ("01.md", "first"), (".hidden", "never")):
        (tmp_path / name).write_text(text)
    model = Scripted.folder(tmp_path)
    assert [model.ask(FIRST).text for _ in range(2)] == ["first", "second"]
    with pytest.raises(ModelError, match="has 2 answers, and one more is asked for"):
        model.ask(FIRST)
    with pytest.raises(ModelError, match="holds no answers"):
        Scripted.folder(tmp_path / "nowhere")
