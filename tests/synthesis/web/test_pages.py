"""The gateway's pages of pools and syntheses, and the same as JSON: what strangers said is text, and what is damaged is told."""

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
def test_what_strangers_said_is_text(synthesis_gateway: Gateway, path: str) -> None:
    read = page(synthesis_gateway, path)
    assert MARKUP in read.text
    assert [at.get("src") for tag, at in read.tags if tag == "script"] == ["/static/soundstage.js"]


def test_no_page_styles_what_the_browser_would_refuse(synthesis_gateway: Gateway) -> None:
    for path in ("/synthesis", "/synthesis/pools/kiosk", "/synthesis/apps/kiosk"):
        assert not [at for _, at in page(synthesis_gateway, path).tags if "style" in at], path


def test_the_head_of_every_page_leads_there_and_it_lists_all(synthesis_gateway: Gateway) -> None:
    assert "/synthesis" in [at.get("href") for tag, at in page(synthesis_gateway, "/").tags if tag == "a"]
    read = page(synthesis_gateway, "/synthesis")
    links = [str(at.get("href")) for tag, at in read.tags if tag == "a"]
    assert {f"/synthesis/pools/{n}" for n in ("kiosk", "torn", "huge", "no-json")} <= {*links}
    assert "/synthesis/pools/a%20folder" not in links
    assert "/synthesis/apps/kiosk" in links
    assert "2 answers are kept" in words(read)


def test_a_pool_shows_coverage_graph_wordings_and_what_the_plan_refused(synthesis_gateway: Gateway) -> None:
    read = page(synthesis_gateway, "/synthesis/pools/kiosk")
    assert "3 calls in 1 episodes" in words(read)
    assert f"there is no {MARKUP}" in read.text
    assert "publish: it" in words(read)
    assert "places outside: needs `allow: true` in the plan" in words(read)
    assert "What leads to what" in read.text
    told = synthesis_gateway.api("GET", "/synthesis/pools/kiosk").json()
    assert told["refused_by_plan"].keys() == {"publish"}
    assert told["per_tool"]["look"]["outcomes"] == {"success": 1, "refused": 1}
    assert told["per_tool"]["look"]["refusals"] == [f"there is no {MARKUP}"]
    look = told["per_tool"]["look"]
    assert look["applicable"] == look["covered"] + len(look["missing"]) > 0


def test_a_synthesis_shows_rounds_figures_with_intervals_and_differences(synthesis_gateway: Gateway) -> None:
    read = page(synthesis_gateway, "/synthesis/apps/kiosk")
    for said in (
        "30 of 40 60 to 86 %",
        "2 rounds, of which number 2 was chosen",
        "are worn",
        "3 of 4 whole held-out episodes",
    ):
        assert said in words(read)
    assert "nothing is served until somebody accepts it" in words(read)
    assert len(read.of_class("gone")) == len(read.of_class("new")) == 2
    told = synthesis_gateway.api("GET", "/synthesis/apps/kiosk").json()
    assert told["tools"]["publish"]["held_out"]["exact"]["low"] == 0.6
    assert told["tools"]["publish"]["worst"][0]["lines"][3] == {"kind": "gone", "text": f"-sold {MARKUP}"}


@pytest.mark.parametrize(
    ("what", "said"),
    [
        ("pools/planless", "has no plan.yaml; make one with `soundstage traverse plan`"),
        ("pools/scribbled", "episodes.jsonl:1: "),
        ("pools/otherwise", "its files are not what a run writes"),
        ("pools/no-json", "server.json: "),
        ("pools/huge", "it has 60 MiB of recorded calls, and pages are made of at most 48"),
        ("apps/garbage", "synthesis.json: "),
        ("apps/empty", "its files are not what a run writes"),
    ],
)
def test_what_is_damaged_or_half_written_is_told_in_words(
    synthesis_gateway: Gateway, data: Path, what: str, said: str
) -> None:
    kind, name = what.split("/")
    answer = httpx2.get(f"{synthesis_gateway.url}/api/synthesis/{what}")
    assert answer.status_code == 409
    problem = answer.json()["error"]
    assert problem.startswith(f"{kind[:-1]} {name}: ")
    assert said in problem
    assert str(data) not in problem
    assert said in words(page(synthesis_gateway, f"/synthesis/{what}", 409))
    listed = {one["name"]: one for one in synthesis_gateway.api("GET", "/synthesis").json()[kind]}
    assert listed[name]["problem"] is None or listed[name]["problem"] in problem


def test_a_pool_whose_run_was_killed_is_read_as_far_as_it_goes(synthesis_gateway: Gateway) -> None:
    assert synthesis_gateway.api("GET", "/synthesis/pools/torn").json()["calls"] == 3


@pytest.mark.parametrize(
    "what", ["pools/nothing", "pools/%2E%2E", "pools/a%20folder", "apps/nothing", "apps/..%2Fkiosk"]
)
def test_what_is_not_there_is_not_found(synthesis_gateway: Gateway, what: str) -> None:
    assert httpx2.get(f"{synthesis_gateway.url}/api/synthesis/{what}").status_code == 404


def test_a_pool_that_has_grown_is_read_anew(synthesis_gateway: Gateway, data: Path) -> None:
    pool = put_pool(data / "pools" / "growing")
    first = synthesis_gateway.api("GET", "/synthesis/pools/growing").json()
    pool.append("episodes.jsonl", {**next(pool.lines("episodes.jsonl")), "id": "kiosk-e0001-09", "step": 9})
    assert synthesis_gateway.api("GET", "/synthesis/pools/growing").json()["calls"] == first["calls"] + 1


@pytest.mark.long
def test_while_a_large_pool_is_read_others_are_answered(synthesis_gateway: Gateway, data: Path) -> None:
    put_pool(data / "pools" / "large", calls=6000)
    answered = threading.Event()
    found: list[int] = []

    def read() -> None:
        found.append(httpx2.get(f"{synthesis_gateway.url}/synthesis/pools/large", timeout=120).status_code)
        answered.set()

    waits = []
    with httpx2.Client(base_url=synthesis_gateway.url, timeout=120) as others:
        assert others.get("/healthz").status_code == 200
        reading = threading.Thread(target=read)
        began = time.perf_counter()
        reading.start()
        while not answered.is_set():
            asked = time.perf_counter()
            assert others.get("/healthz").status_code == 200
            waits.append(time.perf_counter() - asked)
        took = time.perf_counter() - began
        reading.join()
    assert found == [200]
    # Where the reading held the loop, somebody would have waited for all of it, however fast or slow the machine is.
    assert max(waits) < took / 2
