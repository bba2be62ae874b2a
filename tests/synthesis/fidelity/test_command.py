"""The command `soundstage fidelity`."""

from __future__ import annotations

import json
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest

from soundstage.servers.catalogue import load_app
from tests.conftest import clean_environment, soundstage_command

pytestmark = pytest.mark.long

LIGHTHOUSE = Path(__file__).with_name("lighthouse.jsonl")
Done = subprocess.CompletedProcess[str]


def fidelity(*arguments: str | Path) -> Done:
    command = [*soundstage_command(), "fidelity", *(str(a) for a in arguments)]
    return subprocess.run(command, capture_output=True, text=True, env=clean_environment(), timeout=120)


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("fidelity") / "report.html"


@pytest.fixture(scope="module")
def report(page: Path) -> dict[str, Any]:
    """The report on the lighthouse's traces, replayed with --json and --html."""
    done = fidelity(LIGHTHOUSE, "--json", "--html", page)
    assert done.returncode == 0, done.stderr
    parsed: dict[str, Any] = json.loads(done.stdout)
    return parsed


def test_metrics_are_reported_for_each_app_and_for_all(report: dict[str, Any]) -> None:
    def matrix(of: dict[str, Any]) -> tuple[int, ...]:
        return tuple(of[f"{t}_{s}"] for t, s in (
            ("true", "positives"), ("true", "negatives"), ("false", "positives"), ("false", "negatives")))  # fmt: skip

    assert {app: matrix(of) for app, of in report["apps"].items()} == {
        "lark": (2, 0, 0, 1),
        "xiaohongshu": (3, 2, 1, 0),
    }
    overall = report["overall"]
    assert matrix(overall) == (5, 2, 1, 1)
    assert overall["traces"] == 9
    assert overall["accuracy"] == pytest.approx(7 / 9)
    assert overall["precision"] == pytest.approx(5 / 6)
    assert overall["recall"] == pytest.approx(5 / 6)
    assert overall["exact"] == 6
    assert overall["compared"] == 8  # one reply was a crash
    assert all(0.7 < overall[m] < 0.9 for m in ("tfidf", "rouge_l", "bleu", "meteor"))


def test_disagreements_are_sorted_worst_first(report: dict[str, Any]) -> None:
    disagreements = report["disagreements"]
    assert [(d["id"], d["outcome"]) for d in disagreements] == [
        ("keeper-false-positive", "false positive"),
        ("keeper-false-negative", "false negative"),
        ("keeper-crash", "true negative"),
    ]
    assert disagreements[0]["line"] == 6
    assert "isError is false, recorded true" in disagreements[0]["findings"]
    assert "✅ 已登录" in disagreements[0]["ours"]
    assert "an internal error was expected" in disagreements[2]["findings"][0]
    assert disagreements[2]["similarity"] is None


def test_a_report_names_the_app_version_and_the_source_of_the_recordings(report: dict[str, Any]) -> None:
    lark = report["measured"]["lark"]
    assert lark["version"] == load_app("lark").version
    assert lark["recorded"] == {"made up for this project's tests": 3}


def test_a_comparison_with_a_report_of_another_version_says_so(report: dict[str, Any], tmp_path: Path) -> None:
    earlier = json.loads(json.dumps(report))
    earlier["measured"]["lark"]["version"] = "0123456789ab"
    earlier["apps"]["lark"]["exact"] -= 1
    fixed, broken = "keeper-message", next(d for d in report["disagreements"] if d["app"] == "lark")
    earlier["disagreements"] = [{"id": fixed, "app": "lark", "outcome": "false positive"}]
    earlier["measured"]["jotter"] = {"version": "1", "recorded": {}}
    file, page = tmp_path / "earlier.json", tmp_path / "page.html"
    file.write_text(json.dumps(earlier))
    done = fidelity(LIGHTHOUSE, "--app", "lark", "--against", file, "--html", page)
    assert f"lark: measured across versions (0123456789ab then, {load_app('lark').version} now)" in done.stdout
    assert f"exact {earlier['apps']['lark']['exact']} → {report['apps']['lark']['exact']}" in done.stdout
    assert f"worse: lark {broken['id']}" in done.stdout
    assert f"better: lark {fixed}" in done.stdout
    assert "jotter: only in" in done.stdout
    assert "measured across versions" in page.read_text()
    earlier["measured"].pop("jotter")
    file.write_text(json.dumps(report))
    same = json.loads(fidelity(LIGHTHOUSE, "--json", "--against", file).stdout)["against"]
    assert not any(same.values())


def test_every_unusable_line_is_listed_with_its_number(report: dict[str, Any]) -> None:
    problems = {p["line"]: p["problem"] for p in report["problems"]}
    assert list(problems) == [9, 10, 12, 13, 14, 15, 16, 17, 18, 19]
    assert "no app 'semaphore'; known: " in problems[16]
    assert "lark.lamp: unknown entity; lark has: " in problems[17]
    assert f"line 1 of {LIGHTHOUSE}" in problems[18]
    assert "'whatever the weather is like' is neither" in problems[19]
    assert [p["line"] for p in report["problems"] if not p["left_out"]] == [19]


def test_the_page_shows_disagreements_side_by_side_and_is_self_contained(report: dict[str, Any], page: Path) -> None:
    text = page.read_text()
    elements, marked = _read(text)
    assert not elements & {"script", "link", "img", "iframe"}
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in text
    assert any("浏览器没有启动" in m for m in marked)
    for disagreement in report["disagreements"]:
        assert disagreement["id"] in text
    assert "semaphore" in text


def test_the_text_output_has_tables_and_reasons() -> None:
    done = fidelity(LIGHTHOUSE, "--app", "lark")
    assert done.returncode == 0, done.stderr
    assert "ROUGE-L" in done.stdout
    assert "false negative: keeper-false-negative lark im_v1_chatMembers_get" in done.stdout
    assert "xiaohongshu" not in done.stdout.partition("Problems")[0]
    assert "lighthouse.jsonl, line 9: is not valid JSON (" in done.stdout
    assert "whatever the weather" not in done.stdout


def test_a_run_without_a_usable_line_exits_with_1(tmp_path: Path) -> None:
    empty = tmp_path / "empty.jsonl"
    empty.write_text("\n")
    done = fidelity(empty, tmp_path / "missing.jsonl")
    assert done.returncode == 1
    assert "Traceback" not in done.stderr
    assert "missing.jsonl: cannot be read" in done.stdout


@pytest.mark.parametrize(
    ("options", "code", "message"),
    [
        ([LIGHTHOUSE, "--app", "semaphore"], 1, "known: "),
        ([LIGHTHOUSE, "--html", "/no/such/folder/report.html"], 1, "/no/such/folder/report.html cannot be written"),
        ([LIGHTHOUSE, "--against", LIGHTHOUSE], 1, "is not valid JSON"),
        ([LIGHTHOUSE, "--against", Path("/no/such/report.json")], 1, "cannot be read"),
        ([], 2, "FILE"),
    ],
)
def test_mistakes_are_reported_without_a_traceback(options: list[str | Path], code: int, message: str) -> None:
    done = fidelity(*options)
    assert done.returncode == code
    assert message in done.stderr
    assert "Traceback" not in done.stderr


def test_a_missing_library_is_reported_with_its_extra() -> None:
    program = (
        "import sys; sys.modules['rouge_score'] = None; sys.argv = ['soundstage', 'fidelity', 'x.jsonl']\n"
        "from soundstage.cli.main import main; main()"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, env=clean_environment())
    assert done.returncode == 1
    assert "rouge_score is missing" in done.stderr
    assert "soundstage[fidelity]" in done.stderr
    assert "Traceback" not in done.stderr


def _read(text: str) -> tuple[set[str], list[str]]:
    """Return the kinds of elements of a page, and the texts that it marks."""
    elements: set[str] = set()
    marked: list[str] = []

    class Reader(HTMLParser):
        inside = False

        def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
            elements.add(tag)
            self.inside = tag == "mark"

        def handle_endtag(self, tag: str) -> None:
            self.inside = False

        def handle_data(self, data: str) -> None:
            if self.inside:
                marked.append(data)

    Reader().feed(text)
    return elements, marked
