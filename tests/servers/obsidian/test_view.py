"""The vault's page: rendered notes that link to each other, and nothing in them that a browser would run."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest

from soundstage.contexts.engine import state
from soundstage.gateway.calls.dispatch import dispatch
from soundstage.gateway.sessions.session import Session
from soundstage.gateway.web.apps import show_app
from soundstage.servers.catalogue import load_app

_AT = {"ctime": 1773133200000, "mtime": 1773133200000}


@pytest.fixture
def page(new_session: Callable[..., Session]) -> Callable[..., str]:
    """Returns a function that puts files into a new vault and renders its page."""

    def show(files: dict[str, str], calls: tuple[tuple[str, dict[str, Any]], ...] = (), **query: str) -> str:
        session = new_session(at="2026-03-10T09:00:00Z")
        vault_files = [{"path": path, "content": content, "stat": _AT} for path, content in files.items()]
        settings = [{"vault": "5eed000000000001", "name": "Allotment", "zone": "Asia/Shanghai"}]
        with session.context.step("state", "state", None):
            state.load(session.context, {"obsidian": {"file": vault_files, "settings": settings}})
        for tool, arguments in calls:
            dispatch(session, load_app("obsidian"), tool, arguments)
        return str(show_app(session.context, session.id, "obsidian", None, query)[0])

    return show


def _words(html: str) -> str:
    return re.sub(r"<[^>]*>|\s+", " ", html)


def test_a_note_is_rendered(page: Callable[..., str]) -> None:
    note = "---\nstatus: draft\ntags: [a, b]\n---\n# Beds\n\n- [x] **peas** ^p\n- [ ] `leeks` #late\n\n| a |\n|---|\n| 1 |\n"
    shown = page({"Garden/Plan.md": note}, file="Garden/Plan.md")
    for part in (
        "<h1>Beds</h1>",
        "<strong>peas</strong>",
        "<code>leeks</code>",
        "<td>1</td>",
        '<span class="tag">#late</span>',
    ):
        assert part in shown
    assert "☑" in shown
    assert "☐" in shown
    assert "status draft" in re.sub(" +", " ", _words(shown))
    assert "Allotment" in shown
    assert "17:00" in shown  # in the vault's zone


def test_notes_link_to_each_other_by_name_path_and_label(page: Callable[..., str]) -> None:
    files = {"a/One.md": "see [[two]], [[b/Two#Part|there]] and [[Nowhere]]", "b/Two.md": "x"}
    shown = page(files, file="a/One.md")
    assert shown.count('class="note"') == 2
    assert "file=b%2FTwo.md" in shown
    assert ">there</a>" in shown
    assert '<span class="missing" title="There is no such note">Nowhere</span>' in shown
    assert "Linked from" not in shown
    assert "Linked from" in page(files, file="b/Two.md")


@pytest.mark.parametrize(
    "text",
    [
        "<script>alert(1)</script>", "<img src=x onerror=alert(1)>", "[x](javascript:alert(1))", "![x](http://evil.test/p.png)",
        "[[<b>|<i>]]", "`<u>`", "```\n<u>\n```", "[x](<http://a.test/\"onclick=alert(1)>)", "#<tag>", "&lt;b&gt;",
    ],
)  # fmt: skip
def test_a_note_creates_no_element_and_no_external_address(page: Callable[..., str], text: str) -> None:
    shown = page({f"{text[:3]}.md": f"---\nx: {text!r}\n---\n{text}"}).partition('<article class="leaf"')[2]
    assert not re.search(r"<(?:script|img|b|i|u|tag)\b", shown)
    assert not re.search(r'(?:href|src)="(?!/sessions/)', shown)
    assert not re.search(r"<[^>\"]*(?:\"[^\"]*\"[^>\"]*)*\son\w+=", shown)


def test_the_page_opens_at_the_note_that_the_last_call_changed(page: Callable[..., str]) -> None:
    call = ("obsidian_append_content", {"filepath": "b/Two.md", "content": "fresh"})
    shown = page({"a/One.md": "x", "b/Two.md": "y"}, (call,))
    assert "fresh" in shown.partition('id="changed"')[2]


def test_deeply_nested_content_is_shown(page: Callable[..., str]) -> None:
    assert "peas" in page({"a.md": "*" * 2000 + "peas" + "*" * 2000})
    assert "peas" in page({f"{'d/' * 60}a.md": "peas"})


def test_an_empty_vault_says_so(page: Callable[..., str]) -> None:
    assert "The vault is empty" in page({})
