"""Texts by a model over real HTTP: bad answers, interruption, and rebuilds without a model."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import Column, Text

from soundstage.contexts.engine.schema import AppTables, id_format
from soundstage.models.asking import ModelError
from soundstage.models.chat import Chat
from soundstage.worlds.apps import all_wording
from soundstage.worlds.builder import build as build_module
from soundstage.worlds.builder import fill
from soundstage.worlds.builder.build import build
from soundstage.worlds.builder.wording import Rows, word
from soundstage.worlds.builder.written import Request, Written, write

GOOD = {"title": "A title", "text": "A text."}
REQUEST = Request("note", "office", "Ann: lead", "en", (5, 50), "k")


@dataclass
class Endpoint:
    """An OpenAI-compatible endpoint for tests: plays `script` first, and then answers well."""

    url: str
    script: list[Any] = field(default_factory=list)
    received: list[dict[str, Any]] = field(default_factory=list)

    def model(self, **options: Any) -> Chat:
        self.pauses: list[float] = []
        return Chat(self.url, "tiny", "key-1", pause=self.pauses.append, **options)


@pytest.fixture
def endpoint() -> Iterator[Endpoint]:
    made = Endpoint("")
    lock = threading.Lock()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            with lock:
                made.received.append({"path": self.path, "key": self.headers["Authorization"], **body})
                number = len(made.received)
                step = made.script.pop(0) if made.script else 200
            status, content = 200, json.dumps({**GOOD, "text": f"Text {number}."})
            match step:
                case int():
                    status = step
                case str():
                    content = step
            answer = json.dumps({"choices": [{"message": {"role": "assistant", "content": content}}]}).encode()
            self.send_response(status)
            self.send_header("Content-Length", str(len(answer)))
            self.end_headers()
            self.wfile.write(answer)

        def log_message(self, *_: Any) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.handle_error = lambda *_: None  # type: ignore[method-assign]
    made.url = f"http://127.0.0.1:{server.server_port}/v1"
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield made
    server.shutdown()
    thread.join()
    server.server_close()


def test_a_text_is_requested_as_a_chat_completion(endpoint: Endpoint) -> None:
    assert write(endpoint.model(), REQUEST) == ("A title", "Text 1.")
    (body,) = endpoint.received
    assert (body["path"], body["key"], body["model"]) == ("/v1/chat/completions", "Bearer key-1", "tiny")
    assert "note about office as Ann: lead would write it, in English, 5 to 50 words" in body["messages"][0]["content"]


@pytest.mark.parametrize(
    ("fault", "message"),
    [
        ("no JSON at all", "there is no JSON object in it"),
        ('{"title": "x"}', 'it is not {"title"'),
        ('{"text": ""}', "a text that says something"),
        ('{"text": 3}', "a text that says something"),
        ('["text"]', 'it is not {"title"'),
        ("{", "the JSON in it is broken"),
    ],
)
def test_an_unusable_answer_is_requested_again_with_the_reason(endpoint: Endpoint, fault: str, message: str) -> None:
    endpoint.script = [fault, fault]
    assert write(endpoint.model(), REQUEST)[1] == "Text 3."
    first, second, third = endpoint.received
    assert message in second["messages"][0]["content"]
    assert len({first["seed"], second["seed"], third["seed"]}) == 3


def test_json_in_a_code_fence_is_read(endpoint: Endpoint) -> None:
    endpoint.script = ['Here you are:\n```json\n{"title": "T", "text": "Inside."}\n```']
    assert write(endpoint.model(), REQUEST) == ("T", "Inside.")


@pytest.fixture
def noted(write_spec: Callable[..., Path], monkeypatch: pytest.MonkeyPatch) -> Path:
    """A spec with an app whose twelve notes are free text."""
    notes = AppTables("notes")
    notes.entity(
        "note",
        Column("id", Text, primary_key=True, info=id_format("n_{hex:8}")),
        Column("title", Text),
        Column("text", Text),
    )
    rows = {"note": Rows(columns={"title": fill.free_form("note", part="title"), "text": fill.free_form("note")})}
    monkeypatch.setattr(build_module, "all_wording", lambda: {**all_wording(), "notes": word(notes, rows)})
    return write_spec(
        {"sizes: {rows: {": "sizes: {rows: {notes: {note: 12}, ", "accounts: {": "accounts: {notes: {}, "}
    )


def test_a_rebuild_needs_no_model_and_has_the_same_result(endpoint: Endpoint, noted: Path) -> None:
    first = build(noted, model=endpoint.model())
    assert {n["text"] for n in first.state["notes"]["note"]} <= {f"Text {i}." for i in range(1, 13)}
    written = (noted.parent / "written.jsonl").read_bytes()
    assert len(written.splitlines()) == len(endpoint.received) == 12
    again = build(noted, model=endpoint.model())
    assert len(endpoint.received) == 12
    assert again.state == first.state == build(noted).state
    assert (noted.parent / "written.jsonl").read_bytes() == written


def test_without_a_model_the_corpora_write(noted: Path) -> None:
    rows = build(noted).state["notes"]["note"]
    assert all(len(n["text"]) > 80 for n in rows if "text" in n)
    assert not (noted.parent / "written.jsonl").exists()


def test_an_interrupted_build_continues_where_it_stopped(endpoint: Endpoint, noted: Path) -> None:
    endpoint.script = [200, 200, 200, 200, 200, 401]
    with pytest.raises(ModelError):
        build(noted, model=endpoint.model())
    written = noted.parent / "written.jsonl"
    done = len(written.read_bytes().splitlines())
    assert 4 <= done < 12
    with written.open("ab") as file:
        file.write(b'{"id": "half a li')  # the process was killed during a write
    before = len(endpoint.received)
    build(noted, model=endpoint.model())
    assert len(endpoint.received) - before == 12 - done
    assert len([json.loads(line) for line in written.read_bytes().splitlines()]) == 12


def test_the_order_of_answers_does_not_change_the_stored_texts(tmp_path: Path, endpoint: Endpoint) -> None:
    requests = [Request("note", "", "", "en", (1, 9), str(i)) for i in range(6)]
    for name, order in (("a", requests), ("b", requests[::-1])):
        store = Written(tmp_path / f"{name}.jsonl", collect=True)
        for request in order:
            store.text(request)
        endpoint.received.clear()
        store.ask(endpoint.model(), lambda *_: None, at_once=1)
    ids = [[json.loads(line)["id"] for line in (tmp_path / f"{n}.jsonl").read_bytes().splitlines()] for n in "ab"]
    assert ids[0] == ids[1] == sorted(ids[0])
