"""Recorded answers and budgets: no question is asked twice, a killed run loses no answer it paid for, and budgets are not
exceeded.
"""

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
from soundstage.models.cassette import Cassette, CassetteError, NotStored
from soundstage.models.chat import Chat
from soundstage.models.scripted import Scripted
from soundstage.models.spend import Budget, BudgetSpent, Spend
from soundstage.models.stub import StubModel, Turn

FIRST, SECOND = Question.of("Where are the lanterns? 灯在哪里？"), Question.of("And the cables?", seed=1)


@pytest.fixture
def cassette_file(tmp_path: Path) -> Path:
    return tmp_path / "model.jsonl"


def test_an_answered_question_is_not_asked_again_in_this_run_or_the_next(cassette_file: Path) -> None:
    model = Scripted(["On the pier.", "In the van."])
    cassette = Cassette(cassette_file, model)
    assert [cassette.ask(q).text for q in (FIRST, SECOND, FIRST)] == ["On the pier.", "In the van.", "On the pier."]
    again = Cassette(cassette_file, model)
    assert again.ask(SECOND) == cassette.ask(SECOND)
    assert model.questions == [FIRST, SECOND]
    assert (again.total.questions, again.total.estimated) == (2, 2)
    line = json.loads(cassette_file.read_text().splitlines()[0])
    assert (line["model"], line["answer"]["text"]) == ("scripted", "On the pier.")
    assert line["asked"]["messages"][0]["content"] == "Where are the lanterns? 灯在哪里？"


def test_without_a_model_only_recorded_answers_are_returned(cassette_file: Path) -> None:
    Cassette(cassette_file, Scripted(["On the pier."])).ask(FIRST)
    assert Cassette(cassette_file).ask(FIRST).text == "On the pier."
    with pytest.raises(NotStored, match="And the cables"):
        Cassette(cassette_file).ask(SECOND)
    model = Scripted(["never"])
    with pytest.raises(NotStored):
        Cassette(cassette_file, model, "none").ask(SECOND)
    assert model.questions == []


def test_mode_all_asks_again_and_replaces_the_recorded_answer(cassette_file: Path) -> None:
    Cassette(cassette_file, Scripted(["On the pier."])).ask(FIRST)
    model = Scripted(["In the harbour."])
    cassette = Cassette(cassette_file, model, "all")
    assert [cassette.ask(FIRST).text for _ in range(2)] == ["In the harbour."] * 2
    assert Cassette(cassette_file).ask(FIRST).text == "In the harbour."


def test_an_answer_belongs_to_its_model(cassette_file: Path) -> None:
    Cassette(cassette_file, Scripted(["On the pier."], "small")).ask(FIRST)
    assert Cassette(cassette_file, Scripted(["In the harbour."], "large")).ask(FIRST).text == "In the harbour."
    assert Cassette(cassette_file, Scripted([], "small")).ask(FIRST).text == "On the pier."


def test_an_answer_is_on_disk_before_it_is_used(cassette_file: Path) -> None:
    answer = Cassette(cassette_file, Scripted(["On the pier."])).ask(FIRST)
    assert answer.text in cassette_file.read_text()


def test_a_failing_model_records_nothing(cassette_file: Path) -> None:
    cassette = Cassette(cassette_file, Scripted([]))
    with pytest.raises(ModelError):
        cassette.ask(FIRST)
    assert not cassette_file.exists()


def test_an_incomplete_last_line_is_ignored(cassette_file: Path) -> None:
    Cassette(cassette_file, Scripted(["On the pier."])).ask(FIRST)
    whole = cassette_file.read_bytes()
    cassette_file.write_bytes(whole + whole[:-20])
    model = Scripted(["In the van."])
    cassette = Cassette(cassette_file, model)
    assert [cassette.ask(q).text for q in (FIRST, SECOND)] == ["On the pier.", "In the van."]
    assert model.questions == [SECOND]
    assert len([json.loads(line) for line in cassette_file.read_text().splitlines()]) == 2


def test_an_invalid_line_is_reported_with_its_number(cassette_file: Path) -> None:
    Cassette(cassette_file, Scripted(["On the pier."])).ask(FIRST)
    cassette_file.write_bytes(cassette_file.read_bytes() + b'{"question": "x"}\n')
    with pytest.raises(CassetteError, match=r"model\.jsonl:2 is not a stored answer"):
        Cassette(cassette_file)


def test_a_question_asked_concurrently_is_asked_once(cassette_file: Path) -> None:
    question_counts: Counter[str] = Counter()

    class Slow:
        name = "slow"

        def ask(self, question: Question) -> Answer:
            question_counts[question.digest] += 1
            time.sleep(0.05)
            return Answer("Yes.", 1, 1, 0.05)

    cassette = Cassette(cassette_file, Slow())
    with ThreadPoolExecutor(8) as several:
        list(several.map(cassette.ask, [FIRST, SECOND] * 8))
    assert question_counts == {FIRST.digest: 1, SECOND.digest: 1}
    assert len(cassette_file.read_text().splitlines()) == 2


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


def test_a_killed_run_asks_no_question_twice_when_it_continues(cassette_file: Path) -> None:
    with StubModel({"": [Turn("Yes.")]}) as model:
        running = subprocess.Popen(
            [sys.executable, "-c", _ASKING, str(cassette_file), model.base_url], stdout=subprocess.DEVNULL
        )
        until = time.monotonic() + 30
        while len(model.requests) < 20 and time.monotonic() < until:
            time.sleep(0.005)
        os.kill(running.pid, signal.SIGKILL)
        running.wait()
        before, paid = len(cassette_file.read_bytes().split(b"\n")) - 1, len(model.requests)
        assert 0 <= paid - before <= 1  # the question in flight
        chat = Chat(model.base_url)
        cassette = Cassette(cassette_file, chat)
        for i in range(40):
            cassette.ask(Question.of(f"question {i}", seed=i))
        assert len(model.requests) - paid == 40 - before


def test_a_budget_of_questions_ends_the_run_and_preserves_the_answers(cassette_file: Path) -> None:
    spend = Spend(Scripted(["a", "b", "c"]), Budget(questions=2))
    cassette = Cassette(cassette_file, spend)
    for i in range(2):
        cassette.ask(Question.of(str(i)))
    with pytest.raises(BudgetSpent, match="the budget of 2 questions is used up"):
        cassette.ask(Question.of("2"))
    assert cassette.ask(Question.of("1")).text == "b"  # a recorded answer costs nothing
    assert spend.total.questions == 2


def test_a_budget_of_tokens_is_not_exceeded() -> None:
    answers = [Answer("…", 10, 40, 0.5)] * 10
    model = Scripted(answers)
    spend = Spend(model, Budget(tokens=160))
    question = Question.of("x" * 30, most_tokens=40)
    for _ in range(3):
        spend.ask(question)
    with pytest.raises(BudgetSpent, match="does not allow a question of up to 50: 150 are spent"):
        spend.ask(question)
    assert len(model.questions) == 3
    assert str(spend.total) == "3 questions, 30 tokens in and 120 out, 1.5 s"


def test_a_budget_holds_under_concurrent_questions() -> None:
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
        except BudgetSpent:
            return False
        return True

    with ThreadPoolExecutor(3) as several:
        assert sorted(several.map(ask, range(3))) == [False, True, True]
    assert spend.total.tokens == 100


def test_an_unanswered_question_counts() -> None:
    spend = Spend(Scripted([]), Budget(questions=1))
    with pytest.raises(ModelError, match="has 0 answers"):
        spend.ask(FIRST)
    with pytest.raises(BudgetSpent):
        spend.ask(FIRST)
    assert str(spend.total) == "0 questions, 0 tokens in and 0 out, 0.0 s"


def test_recorded_answers_of_a_folder_are_read_in_the_order_of_file_names(tmp_path: Path) -> None:
    for name, text in (("02.md", "second"), ("01.md", "first"), (".hidden", "never")):
        (tmp_path / name).write_text(text)
    model = Scripted.folder(tmp_path)
    assert [model.ask(FIRST).text for _ in range(2)] == ["first", "second"]
    with pytest.raises(ModelError, match="has 2 answers, and one more is asked for"):
        model.ask(FIRST)
    with pytest.raises(ModelError, match="holds no answers"):
        Scripted.folder(tmp_path / "nowhere")
