"""The pages Find and Data over HTTP: the pages, their JSON, files, and permission to run SQL."""

from __future__ import annotations

import csv
import html
import io
import re
from typing import Any

import httpx2
import pytest

from tests.conftest import REPOSITORY, Gateway
from tests.gateway.web.conftest import call

ATTACK = "<img src=x onerror=alert(1)>\"'<script>alert(2)</script>"


@pytest.fixture
def session(gateway: Gateway) -> str:
    made: str = gateway.session(world="empty")["id"]
    user = {"open_id": "ou_1", "name": ATTACK, "en_name": "Lamp 灯"}
    chat = {"chat_id": "oc_1", "name": "灯具"}
    gateway.api("PUT", f"/sessions/{made}/state?mode=add", json={"lark": {"user": [user], "chat": [chat]}})
    call(gateway, made, "lark", "task_v2_task_create", data={"summary": f"灯 {ATTACK}"})
    call(gateway, made, "slack", "no_such_tool", text="灯")
    return made


def _get(gateway: Gateway, path: str, **query: Any) -> str:
    answer = httpx2.get(gateway.url + path, params=query or None, timeout=30)
    assert answer.status_code == 200, answer.text[:500]
    assert "<script>alert" not in answer.text
    assert "<img src=x" not in answer.text
    return answer.text


def test_search_results_link_to_calls_and_objects(gateway: Gateway, session: str) -> None:
    page = _get(gateway, f"/sessions/{session}/search", q="灯")
    assert re.findall(r'data-step="(\d+)"', page) == ["3", "2", "1"]
    assert "<mark>灯</mark>" in page
    links = [html.unescape(link) for link in re.findall(rf'href="(/sessions/{session}/apps/lark[^"#]*)"', page)]
    own = next(link for link in links if "view=people" in link and "oc_1" in link)
    assert "灯具" in _get(gateway, own)
    failed = _get(gateway, f"/sessions/{session}/search", q="灯", ok="false")
    assert re.findall(r'data-step="(\d+)"', failed) == ["3"]
    assert "Objects have no tool, outcome, fault or effect" in failed
    created = _get(gateway, f"/sessions/{session}/search", effect="create")
    assert re.findall(r'data-step="(\d+)"', created) == ["2"]


def test_search_results_are_the_same_as_json(gateway: Gateway, session: str) -> None:
    page = _get(gateway, f"/sessions/{session}/search", q="灯", app="lark", ok="perhaps")
    twin = re.search(r'<a href="([^"]+)">This page as JSON', page)
    assert twin is not None
    results = httpx2.get(gateway.url + html.unescape(twin[1])).json()
    assert [c["step"] for c in results["calls"]] == [2]
    assert results["calls"][0]["excerpt"]["match"] == "灯"
    assert [(o["entity"], o["key"]) for o in results["objects"]][:2] == [("user", ["ou_1"]), ("chat", ["oc_1"])]
    attack = gateway.api("GET", f"/sessions/{session}/search", params={"q": "%' OR 1=1 --"}).json()
    assert (attack["calls"], attack["objects"]) == ([], [])


def test_sql_runs_from_the_page_only_with_its_form_token(gateway: Gateway, session: str) -> None:
    path = f"/sessions/{session}/data"
    with httpx2.Client(base_url=gateway.url) as client:
        csrf = re.search(r'name="csrf" value="([0-9a-f]+)"', client.get(path).text)
        assert csrf is not None
        form = {"csrf": csrf[1], "sql": 'SELECT name AS "<b>who</b>" FROM lark_user'}
        shown = client.post(path, data=form)
        assert shown.status_code == 200
        assert html.escape(ATTACK, quote=False) in html.unescape(shown.text).replace("<", "&lt;").replace(">", "&gt;")
        assert "<img src=x" not in shown.text
        assert "<b>who</b>" not in shown.text
        refused = client.post(path, data={**form, "sql": "DELETE FROM lark_user"})
        assert refused.status_code == 400
        assert "DELETE is not allowed here" in refused.text
        assert "DELETE FROM lark_user</textarea>" in refused.text
        assert client.post(path, data={**form, "csrf": ""}).status_code == 403
        assert client.get(path, params={"sql": "SELECT 77777"}).text.count("77777") == 0
    state = gateway.api("GET", f"/sessions/{session}/state", params={"app": "lark", "entity": "user"}).json()
    assert len(state["lark"]["user"]) == 1


def test_sql_runs_over_the_control_api(gateway: Gateway, session: str) -> None:
    answer = gateway.api(
        "POST", f"/sessions/{session}/query", json={"sql": "SELECT step, ok, reply IS NULL FROM _journal"}
    )
    assert answer.json()["columns"] == ["step", "ok", "reply IS NULL"]
    assert answer.json()["rows"] == [[1, 1, 1], [2, 1, 0], [3, 0, 0]]
    (example,) = re.findall(
        r"```sql\n(.*?)```", (REPOSITORY / "docs" / "web.md").read_text(encoding="utf-8"), re.DOTALL
    )
    shown = gateway.api("POST", f"/sessions/{session}/query", json={"sql": example}).json()
    assert ["slack", "no_such_tool", 1, 1] in shown["rows"]
    refused = gateway.api("POST", f"/sessions/{session}/query", json={"sql": "PRAGMA database_list"})
    assert (refused.status_code, "PRAGMA is not allowed here" in refused.json()["error"]) == (400, True)


def test_every_table_and_the_timeline_can_be_downloaded(gateway: Gateway, session: str) -> None:
    page = _get(gateway, f"/sessions/{session}/data")
    files = [html.unescape(f) for f in re.findall(r'href="(/api/[^"]+)" download', page)]
    assert len(files) > 60
    csv_file = next(f for f in files if f.endswith("lark/user?format=csv"))
    answer = httpx2.get(gateway.url + csv_file)
    assert answer.headers["content-type"] == "text/csv; charset=utf-8"
    assert answer.headers["content-disposition"].startswith("attachment; filename=")
    (row,) = csv.DictReader(io.StringIO(answer.text, newline=""))
    assert row["en_name"] == "Lamp 灯"
    timeline = httpx2.get(f"{gateway.url}/api/sessions/{session}/journal.csv").text
    assert [r["step"] for r in csv.DictReader(io.StringIO(timeline, newline=""))] == ["1", "2", "3"]
    users = gateway.api("GET", f"/sessions/{session}/tables/lark/user").json()
    assert users == gateway.api("GET", f"/sessions/{session}/state", params={"app": "lark"}).json()["lark"]["user"]
    for path, status in (("lark/nothing", 404), ("nowhere/user", 400)):
        assert gateway.api("GET", f"/sessions/{session}/tables/{path}").status_code == status
