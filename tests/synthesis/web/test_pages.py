"""The gateway's pages of pools and syntheses, and their JSON: recorded text is escaped, and damage is reported."""

from __future__ import annotations

import threading
import time
from pathlib import Path

import httpx2
import pytest

from tests.conftest import Gateway
from tests.synthesis.generate.test_report import Read
from tests.synthesis.web.conftest import MARKUP, put_pool


def page(gateway: Gateway, path: str, status: int = 200) -> Read:
    answer = httpx2.get(f"{gateway.url}{path}", timeout=60)
    assert answer.status_code == status, answer.text
    return Read(answer.text)


def words(read: Read) -> str:
    return " ".join(read.text.split())


@pytest.mark.parametrize("path", ["/synthesis", "/synthesis/pools/kiosk", "/synthesis/apps/kiosk"])
def test_recorded_text_is_escaped(synthesis_gateway: Gateway, path: str) -> None:
    read = page(synthesis_gateway, path)
    assert MARKUP in read.text
    assert [at.get("src") for tag, at in read.tags if tag == "script"] == ["/static/soundstage.js"]


def test_no_page_has_styles_that_the_browser_would_refuse(synthesis_gateway: Gateway) -> None:
    for path in ("/synthesis", "/synthesis/pools/kiosk", "/synthesis/apps/kiosk"):
        assert not [at for _, at in page(synthesis_gateway, path).tags if "style" in at], path


def test_the_header_of_every_page_links_to_the_list_of_all(synthesis_gateway: Gateway) -> None:
    assert "/synthesis" in [at.get("href") for tag, at in page(synthesis_gateway, "/").tags if tag == "a"]
    read = page(synthesis_gateway, "/synthesis")
    links = [str(at.get("href")) for tag, at in read.tags if tag == "a"]
    assert {f"/synthesis/pools/{n}" for n in ("kiosk", "torn", "huge", "no-json")} <= {*links}
    assert "/synthesis/pools/a%20folder" not in links
    assert "/synthesis/apps/kiosk" in links
    assert "2 answers are stored" in words(read)


def test_a_pool_shows_coverage_graph_wordings_and_refused_calls(synthesis_gateway: Gateway) -> None:
    read = page(synthesis_gateway, "/synthesis/pools/kiosk")
    assert "3 calls in 1 episodes" in words(read)
    assert f"there is no {MARKUP}" in read.text
    assert "publish: it" in words(read)
    assert "places outside: needs `allow: true` in the plan" in words(read)
    assert "Flow of values" in read.text
    pool = synthesis_gateway.api("GET", "/synthesis/pools/kiosk").json()
    assert pool["refused_by_plan"].keys() == {"publish"}
    assert pool["per_tool"]["look"]["outcomes"] == {"success": 1, "refused": 1}
    assert pool["per_tool"]["look"]["refusals"] == [f"there is no {MARKUP}"]
    look = pool["per_tool"]["look"]
    assert look["applicable"] == look["covered"] + len(look["missing"]) > 0


def test_a_synthesis_shows_rounds_metrics_with_intervals_and_diffs(synthesis_gateway: Gateway) -> None:
    read = page(synthesis_gateway, "/synthesis/apps/kiosk")
    for text in (
        "30 of 40 60 to 86 %",
        "2 rounds, of which number 2 was chosen",
        "are used up",
        "3 of 4 whole held-out episodes",
    ):
        assert text in words(read)
    assert "nothing is served until a person accepts it" in words(read)
    assert len(read.of_class("gone")) == len(read.of_class("new")) == 2
    synthesis = synthesis_gateway.api("GET", "/synthesis/apps/kiosk").json()
    assert synthesis["tools"]["publish"]["held_out"]["exact"]["low"] == 0.6
    assert synthesis["tools"]["publish"]["worst"][0]["lines"][3] == {"kind": "gone", "text": f"-sold {MARKUP}"}


@pytest.mark.parametrize(
    ("what", "message"),
    [
        ("pools/planless", "has no plan.yaml; make one with `soundstage traverse plan`"),
        ("pools/scribbled", "episodes.jsonl:1: "),
        ("pools/otherwise", "expected an object, got list"),
        ("pools/no-json", "server.json: "),
        ("pools/huge", "it has 60 MiB of recorded calls, and pages are made of at most 48"),
        ("apps/garbage", "synthesis.json: "),
        ("apps/empty", "its files are not what a run writes"),
    ],
)
def test_a_damaged_or_incomplete_folder_is_reported(
    synthesis_gateway: Gateway, data: Path, what: str, message: str
) -> None:
    kind, name = what.split("/")
    answer = httpx2.get(f"{synthesis_gateway.url}/api/synthesis/{what}")
    assert answer.status_code == 409
    problem = answer.json()["error"]
    assert problem.startswith(f"{kind[:-1]} {name}: ")
    assert message in problem
    assert str(data) not in problem
    assert message in words(page(synthesis_gateway, f"/synthesis/{what}", 409))
    listed = {one["name"]: one for one in synthesis_gateway.api("GET", "/synthesis").json()[kind]}
    assert listed[name]["problem"] is None or listed[name]["problem"] in problem


def test_a_pool_whose_run_was_killed_is_read_up_to_its_end(synthesis_gateway: Gateway) -> None:
    assert synthesis_gateway.api("GET", "/synthesis/pools/torn").json()["calls"] == 3


@pytest.mark.parametrize(
    "what", ["pools/nothing", "pools/%2E%2E", "pools/a%20folder", "apps/nothing", "apps/..%2Fkiosk"]
)
def test_an_unknown_pool_or_app_answers_404(synthesis_gateway: Gateway, what: str) -> None:
    assert httpx2.get(f"{synthesis_gateway.url}/api/synthesis/{what}").status_code == 404


def test_a_pool_that_has_grown_is_read_again(synthesis_gateway: Gateway, data: Path) -> None:
    pool = put_pool(data / "pools" / "growing")
    first = synthesis_gateway.api("GET", "/synthesis/pools/growing").json()
    pool.append("episodes.jsonl", {**next(pool.lines("episodes.jsonl")), "id": "kiosk-e0001-09", "step": 9})
    assert synthesis_gateway.api("GET", "/synthesis/pools/growing").json()["calls"] == first["calls"] + 1


@pytest.mark.long
def test_others_are_answered_while_a_large_pool_is_read(synthesis_gateway: Gateway, data: Path) -> None:
    put_pool(data / "pools" / "large", calls=6000)
    answered = threading.Event()
    durations: list[int] = []

    def read() -> None:
        durations.append(httpx2.get(f"{synthesis_gateway.url}/synthesis/pools/large", timeout=120).status_code)
        answered.set()

    waits = []
    with httpx2.Client(base_url=synthesis_gateway.url, timeout=120) as others:
        assert others.get("/healthz").status_code == 200
        reading = threading.Thread(target=read)
        began = time.perf_counter()
        reading.start()
        while not answered.is_set():
            requested = time.perf_counter()
            assert others.get("/healthz").status_code == 200
            waits.append(time.perf_counter() - requested)
        took = time.perf_counter() - began
        reading.join()
    assert durations == [200]
    # If reading had blocked the event loop, another request would have waited for all of it, on any machine.
    assert max(waits) < took / 2
