"""The pages of tasks, runs and trials: their content, their links, and their JSON."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from html import unescape
from typing import Any

import httpx2
import pytest

from soundstage.runs.plots import PLOTS
from soundstage.runs.task_files import task_folders
from tests.gateway.web.conftest import browser as _browser
from tests.runs.conftest import ERRAND, TOKEN, Runner, Stage

browser = _browser  # the fixture of the gateway's pages


@dataclass(frozen=True, slots=True)
class Visitor:
    """A signed-in user."""

    client: httpx2.Client

    def page(self, path: str, status: int = 200) -> str:
        response = self.client.get(path)
        assert response.status_code == status, response.text[:500]
        return response.text

    def words(self, path: str) -> str:
        """Return the text of a page without its markup."""
        return re.sub(r"\s+", " ", unescape(re.sub(r"<[^>]*>", " ", self.page(path).replace("<wbr>", ""))))


@pytest.fixture(scope="module")
def visitor(stage: Stage) -> Iterator[Visitor]:
    with httpx2.Client(base_url=stage.url, follow_redirects=True, timeout=60) as client:
        form = client.get("/login").text
        csrf = re.search(r'name="csrf" value="([^"]+)"', form)
        assert csrf is not None
        client.post("/login", data={"csrf": csrf[1], "token": TOKEN})
        yield Visitor(client)


@pytest.fixture(scope="module")
def finished(stage: Stage) -> tuple[Runner, dict[str, dict[str, Any]]]:
    """A run of two trials: one solved, and one in which no message was sent."""
    runner = stage.begin(k=2, agent={"name": "forgetful", "model": "m-1"})
    for number in range(2):
        trial, agent = runner.take()
        answer = agent.solve(ERRAND, stage.worlds) if number == 0 else "All done."
        runner.submit(trial, answer)
    stage.until_done(runner, 2)
    return runner, {"won" if t["success"] else "lost": t for t in stage.trials(runner)}


def test_tasks_are_listed_with_the_proof_of_each(visitor: Visitor) -> None:
    page = visitor.page("/tasks")
    for folder in task_folders():
        assert f'href="/tasks/{folder.parent.name}/{folder.name}"' in page
    narrowed = visitor.page("/tasks?kind=decline")
    assert "把押金转过去" in narrowed
    assert "A slot on Tuesday" not in narrowed
    assert "No task is like that" in visitor.words("/tasks?world=nowhere")
    assert 'aria-current="page">Tasks</a>' in page


def test_a_task_page_shows_its_instruction_checks_and_solution(visitor: Visitor, stage: Stage) -> None:
    words = visitor.words(f"/tasks/{ERRAND}")
    task = stage.api("GET", f"/tasks/{ERRAND}").json()
    for part in (
        task["instruction"].split("\n")[0],
        "planned",
        "The launch chat knows when",
        "calendar_v4_freebusy_list",
    ):
        assert part in words
    assert "Green , for the current task" in words
    visitor.page("/tasks/studio/nothing", 404)


def test_a_task_can_be_proven_from_its_page(visitor: Visitor, stage: Stage) -> None:
    csrf = re.search(r'name="csrf" value="([^"]+)"', visitor.page("/tasks/studio/sign-off-by-qiu-min"))
    assert csrf is not None
    path = "/tasks/studio/sign-off-by-qiu-min/lint"
    assert visitor.client.post(path, data={"csrf": "other"}).status_code == 403
    proof = visitor.client.post(path, data={"csrf": csrf[1]}).text
    assert '<span class="good">green</span>' in proof
    assert "be caught" in proof


def test_a_run_page_is_a_map_of_its_trials_with_their_results(
    visitor: Visitor, finished: tuple[Runner, dict[str, dict[str, Any]]]
) -> None:
    runner, trials = finished
    page = visitor.page(f"/runs/{runner.run}")
    assert re.search(rf'class="cell h5 won" href="/trials/{trials["won"]["id"]}"', page)
    assert re.search(rf'class="cell h0" href="/trials/{trials["lost"]["id"]}"', page)
    assert "2 of 2 trials" in visitor.words(f"/runs/{runner.run}")
    assert re.search(r"Why trials failed .*forgetful off 1 1 Other: work", visitor.words(f"/runs/{runner.run}"))
    listed = visitor.words("/runs?by=success")
    assert re.search(r"forgetful m-1 off 1 2 50\.0 %", listed)
    assert "No graded trial is like that" in visitor.words("/runs?language=zh&length=16-25")
    assert visitor.client.get("/runs?length=long").status_code == 400
    plots = re.findall(r'src="(/api/runs/[^"]+\.svg)"', page)
    assert len(plots) == len(PLOTS)
    for plot in plots:
        drawn = visitor.client.get(plot)
        assert drawn.headers["content-type"] == "image/svg+xml"
        assert drawn.text.startswith("<svg")


def test_a_trial_page_marks_its_checks_and_links_to_the_step_behind_each(
    visitor: Visitor, stage: Stage, finished: tuple[Runner, dict[str, dict[str, Any]]]
) -> None:
    _, trials = finished
    won, lost = trials["won"], trials["lost"]
    page = visitor.page(f"/trials/{won['id']}")
    result = stage.api("GET", f"/trials/{won['id']}").json()["result"]
    for check in result["checks"].values():
        assert f'href="#step-{check["step"]}"' in page
        assert f'href="/sessions/{won["session"]}/apps/lark?at={check["step"]}"' in page
        assert f'id="step-{check["step"]}"' in page
        assert visitor.client.get(f"/sessions/{won['session']}/apps/lark?at={check['step']}").status_code == 200
    words = visitor.words(f"/trials/{lost['id']}")
    assert "No success score 0" in words
    assert "✗ The launch chat knows when" in words
    assert "It made none" in words
    assert "Other error: work" in words
    visitor.page("/trials/tr_nothing", 404)


def test_two_runs_are_compared_by_their_flipped_tasks(
    visitor: Visitor, stage: Stage, finished: tuple[Runner, dict[str, dict[str, Any]]]
) -> None:
    first, _ = finished
    second = stage.begin(agent={"name": "idle"})
    trial, _ = second.take()
    assert "no task in common" in visitor.words(f"/runs/compare?a={first.run}&b={second.run}")
    second.submit(trial, outcome="gave_up")
    stage.until_done(second)
    words = visitor.words(f"/runs/compare?a={first.run}&b={second.run}")
    assert "forgetful and idle 1 tasks that both have" in words
    assert re.search(rf"{ERRAND} 1 of 2 0 of 1", words)
    flips = stage.api("GET", "/runs/compare", params={"a": first.run, "b": second.run}).json()["flips"]
    assert [flip["task"] for flip in flips] == [ERRAND]


def test_each_page_has_a_json_twin_and_requires_a_login(
    visitor: Visitor, stage: Stage, finished: tuple[Runner, dict[str, dict[str, Any]]]
) -> None:
    runner, trials = finished
    paths = ("/tasks", f"/tasks/{ERRAND}", "/runs", f"/runs/{runner.run}", f"/trials/{trials['won']['id']}")
    for path in paths:
        twin = re.search(r'<a href="([^"]+)">This page as JSON</a>', visitor.page(path))
        assert twin is not None
        assert visitor.client.get(unescape(twin[1])).headers["content-type"].startswith("application/json")
        assert httpx2.get(stage.url + path).headers["location"].startswith("/login")


@pytest.mark.long
@pytest.mark.parametrize("script", [True, False], ids=["with JavaScript", "without"])
def test_links_lead_from_the_table_of_runs_to_the_app_at_a_step(
    browser: Any,
    stage: Stage,
    finished: tuple[Runner, dict[str, dict[str, Any]]],
    script: bool,
) -> None:
    runner, trials = finished
    context = browser.new_context(java_script_enabled=script, viewport={"width": 1200, "height": 900})
    page = context.new_page()
    page.goto(f"{stage.url}/login")
    page.fill("input[name=token]", TOKEN)
    page.click("main button")
    page.goto(f"{stage.url}/runs")
    page.click(f'a[href="/runs/{runner.run}"] >> nth=0')
    page.click(f'a[href="/trials/{trials["won"]["id"]}"]')
    assert page.locator(".ticks .passed").count() == 2
    page.click('.ticks a:has-text("lark then") >> nth=0')
    assert "?at=" in page.url
    assert "Lark" in page.content()
    page.goto(f"{stage.url}/trials/{trials['lost']['id']}")
    page.click(".ticks .broken a >> nth=0")
    assert f"/tasks/{ERRAND}#check-" in page.url
    page.set_viewport_size({"width": 390, "height": 800})
    for path in ("/tasks", f"/tasks/{ERRAND}", "/runs", f"/runs/{runner.run}", f"/trials/{trials['won']['id']}"):
        page.goto(stage.url + path)
        assert page.locator("body").bounding_box()["width"] <= 390
    context.close()
