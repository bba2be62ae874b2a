"""The view of the allowed folders: tree, sizes, symlinks, texts, pictures, and changes."""

from __future__ import annotations

import base64
import html
import io
import re
from typing import Any

import httpx2
import pytest
from PIL import Image

from tests.conftest import Gateway
from tests.gateway.web.conftest import call

_HOSTILE = "<script>alert(1)</script>"


def _png() -> str:
    made = io.BytesIO()
    Image.new("RGB", (4, 3), "teal").save(made, "PNG")
    return base64.b64encode(made.getvalue()).decode()


_FILES = [
    {"path": "/srv/workspace/notes/todo.md", "text": f"rope {_HOSTILE}"},
    {"path": "/srv/workspace/data/film.mov", "size": 20_000_000},
    {"path": "/srv/workspace/shore.png", "base64": _png()},
    {"path": "/srv/workspace/shore.svg", "text": f'<svg xmlns="http://www.w3.org/2000/svg">{_HOSTILE}</svg>'},
    {"path": "/srv/other/deep/er/list.txt", "text": "one"},
    {"path": "/etc/hosts", "text": "127.0.0.1"},
]
_LINKS = [
    {"path": "/srv/workspace/latest", "target": "notes/todo.md"},
    {"path": "/srv/workspace/gone", "target": "nowhere"},
    {"path": "/srv/workspace/out", "target": "/etc"},
]


@pytest.fixture
def session(gateway: Gateway) -> str:
    made: str = gateway.session(world="empty", apps=["filesystem"])["id"]
    app = {
        "allowed_directory": [{"path": "/srv/workspace"}, {"path": "/srv/other"}],
        "setting": [{"name": "time_zone", "value": "Asia/Shanghai"}],
    }
    state = {"disk": {"file": _FILES, "symlink": _LINKS}, "filesystem": app}
    put = gateway.api("PUT", f"/sessions/{made}/state", json=state)
    assert put.status_code == 200, put.text
    return made


def _page(gateway: Gateway, session: str, **query: Any) -> str:
    answer = httpx2.get(f"{gateway.url}/sessions/{session}/apps/filesystem", params=query, timeout=30)
    assert answer.status_code == 200, answer.text[:500]
    assert _HOSTILE not in answer.text
    return answer.text


def _words(page: str) -> str:
    return re.sub(r"\s+", " ", re.sub(r"<[^>]*>", " ", page))


def test_the_tree_has_the_allowed_folders_and_the_open_one_lists_folders_first(gateway: Gateway, session: str) -> None:
    page = _page(gateway, session, path="/srv/workspace")
    tree = _words(page.partition('class="tree"')[2].partition("</nav>")[0])
    assert [tree.index(name) for name in ("/srv/workspace", "data", "notes", "/srv/other")] == sorted(
        tree.index(name) for name in ("/srv/workspace", "data", "notes", "/srv/other")
    )
    assert "deep" not in tree
    assert "time zone: Asia/Shanghai" in tree
    rows = _words(page.partition("<tbody>")[2].partition("</tbody>")[0])
    assert rows.index("data") < rows.index("notes") < rows.index("gone") < rows.index("shore.png")
    assert "latest → notes/todo.md" in rows
    assert "gone → nowhere leads nowhere" in rows
    assert "out → /etc leads outside" in rows
    deep = _words(
        _page(gateway, session, path="/srv/other/deep/er").partition('class="tree"')[2].partition("</nav>")[0]
    )
    assert deep.index("/srv/other") < deep.index("deep") < deep.index(" er ")
    assert "19.1 MB" in _words(_page(gateway, session, path="/srv/workspace/data"))


def test_a_text_is_shown_and_a_path_outside_is_marked_as_refused(gateway: Gateway, session: str) -> None:
    assert "rope &lt;script&gt;" in _page(gateway, session, path="/srv/workspace/latest")
    assert "the server refuses" not in _page(gateway, session, path="/srv/workspace/latest")
    assert "the server refuses" in _page(gateway, session, path="/srv/workspace/out")
    assert "Nothing is at /srv/workspace/gone" in _words(_page(gateway, session, path="/srv/workspace/gone"))


@pytest.mark.parametrize("app", ["filesystem", "disk"])
def test_a_picture_is_shown_from_the_disk_and_a_possible_script_as_text(
    gateway: Gateway, session: str, app: str
) -> None:
    here = f"{gateway.url}/sessions/{session}/apps/{app}"
    page = httpx2.get(here, params={"path": "/srv/workspace/shore.png"}).text
    source = re.search(r'<img src="([^"]+)"', page)
    assert source is not None
    picture = httpx2.get(gateway.url + html.unescape(source[1]))
    assert picture.headers["content-type"] == "image/png"
    assert picture.content == base64.b64decode(_png())
    assert "&lt;svg" in httpx2.get(here, params={"path": "/srv/workspace/shore.svg"}).text
    for path in ("/srv/workspace/shore.svg", "/srv/workspace", "/nowhere", "relative"):
        assert httpx2.get(f"{here}/picture", params={"path": path}).status_code == 404, path


def test_the_page_opens_at_the_last_written_moved_or_created_entry(gateway: Gateway, session: str) -> None:
    call(gateway, session, "filesystem", "write_file", path="/srv/workspace/notes/plan.txt", content="Row north.")
    page = _page(gateway, session)
    assert "plan.txt" in page.partition('id="changed"')[2][:400]
    assert "Row north." in page
    call(
        gateway, session, "filesystem", "move_file",
        source="/srv/workspace/notes/plan.txt", destination="/srv/other/plan.txt",
    )  # fmt: skip
    page = _page(gateway, session)
    assert "plan.txt" in page.partition('id="changed"')[2][:400]
    assert page.count('id="changed"') == 1
    assert "move_file" in page
    assert "plan.txt" not in _words(_page(gateway, session, at=1))
    call(gateway, session, "filesystem", "create_directory", path="/srv/workspace/new")
    assert 'aria-current="page"><span aria-hidden="true">📁</span> new' in _page(gateway, session)


def test_a_missing_allowed_folder_is_empty_and_invalid_paths_break_nothing(gateway: Gateway) -> None:
    session = str(gateway.session(world="empty", apps=["filesystem"])["id"])
    page = _words(_page(gateway, session))
    assert "/srv/workspace" in page
    assert "Nothing is in here." in page
    state = {"filesystem": {"allowed_directory": [{"path": "relative"}, {"path": "/" + "n" * 5000}]}}
    assert gateway.api("PUT", f"/sessions/{session}/state", json=state).status_code == 200
    assert "relative" in _page(gateway, session, view="people")


def test_the_tables_of_the_app_are_still_available(gateway: Gateway, session: str) -> None:
    call(gateway, session, "filesystem", "write_file", path="/srv/workspace/a.txt", content="a")
    assert "allowed_directory" in _page(gateway, session, view="tables")
    assert "leads outside" in _page(gateway, session, view="people", path="/srv/workspace")
