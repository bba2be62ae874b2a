"""The session's files behave like real files: compared with a real folder, operation by operation."""

from __future__ import annotations

import errno
import os
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from soundstage.contexts.engine import journal, state
from soundstage.contexts.engine.app_context import AppContext
from soundstage.contexts.engine.disk import MAX_FILE, Disk, DiskError
from soundstage.contexts.engine.schema import AppTables, StateError
from soundstage.contexts.engine.store import Context, digest
from soundstage.contexts.engine.tree import export_tree
from tests.contexts.conftest import fresh_context
from tests.contexts.steps import step

_NAMES = st.sampled_from(["a", "b", "a.txt", "ü"])
_PATHS = st.lists(_NAMES, min_size=1, max_size=3).map(lambda names: "/" + "/".join(names))
_DATA = st.sampled_from([b"", b"one\n", "zwölf".encode(), b"\xff\xfe", b"nul\0"])
_DEEDS = st.one_of(
    st.tuples(st.just("write"), _PATHS, _DATA),
    st.tuples(st.sampled_from(["make_directory", "remove", "list", "read", "stat"]), _PATHS),
    st.tuples(st.sampled_from(["move", "make_link"]), _PATHS, _PATHS),
)


class Real:
    """The same operations in a folder of this machine."""

    def __init__(self, root: Path) -> None:
        self._root = str(root)

    def _at(self, path: str) -> str:
        return self._root + path

    def write(self, path: str, data: bytes) -> None:
        os.makedirs(os.path.dirname(os.path.realpath(self._at(path))), exist_ok=True)
        Path(self._at(path)).write_bytes(data)

    def read(self, path: str) -> bytes:
        return Path(self._at(path)).read_bytes()

    def make_directory(self, path: str) -> None:
        os.makedirs(os.path.realpath(self._at(path)), exist_ok=True)

    def make_link(self, path: str, target: str) -> None:
        os.makedirs(os.path.realpath(os.path.dirname(self._at(path))), exist_ok=True)
        os.symlink(self._at(target), self._at(path))

    def remove(self, path: str) -> None:
        place = self._at(path)
        os.rmdir(place) if os.path.isdir(place) and not os.path.islink(place) else os.unlink(place)

    def move(self, path: str, to: str) -> None:
        os.lstat(self._at(path))
        above = os.path.realpath(os.path.dirname(self._at(to)))
        if f"{above}/".startswith(f"{os.path.realpath(self._at(path))}/") and not os.path.islink(self._at(path)):
            raise OSError(errno.EINVAL, "into itself")  # the error of rename, before it creates folders
        os.makedirs(above, exist_ok=True)
        os.rename(self._at(path), self._at(to))

    def list(self, path: str) -> list[str]:
        return sorted(os.listdir(self._at(path)))

    def stat(self, path: str) -> tuple[str, int] | None:
        try:
            status = os.stat(self._at(path))
        except (FileNotFoundError, NotADirectoryError):
            return None
        return ("directory", 0) if os.path.isdir(self._at(path)) else ("file", status.st_size)


def _ours(disk: Disk, deed: tuple[Any, ...]) -> object:
    name, *arguments = deed
    result = getattr(disk, name)(*arguments)
    if name == "list":
        return [entry.name for entry in result]
    return None if result is None or name == "resolve" else (result.kind, result.size) if name == "stat" else result


def _outcome(work: Callable[[], object]) -> object:
    try:
        return work()
    except DiskError as error:
        return error.code
    except OSError as error:
        return errno.errorcode[error.errno or 0]


@settings(deadline=None)  # it works on the real disk
@given(st.lists(_DEEDS, max_size=12))
def test_files_behave_as_in_a_real_folder(
    tmp_path_factory: pytest.TempPathFactory, deeds: list[tuple[Any, ...]]
) -> None:
    root = tmp_path_factory.mktemp("real")
    real = Real(root)
    with fresh_context() as context, context.step("call", "test", {}, app="sample"):
        disk = context.app("sample").disk
        for deed in deeds:
            theirs = _outcome(lambda deed=deed: getattr(real, deed[0])(*deed[1:]))  # type: ignore[misc]
            ours = _outcome(lambda deed=deed: _ours(disk, deed))  # type: ignore[misc]
            if deed[0] == "list" and isinstance(ours, list) and isinstance(theirs, list):
                assert sorted(ours) == theirs
            elif isinstance(theirs, str) and isinstance(ours, str):
                pass  # both refuse; which of two reasons is reported differs between systems
            else:
                assert ours == theirs, deed
    shutil.rmtree(root)


def _write(path: str, data: bytes) -> Callable[[AppContext], None]:
    return lambda app: app.disk.write(path, data)


def test_files_are_recorded_forked_and_undone_like_rows(context: Context) -> None:
    step(context, _write("/home/lin/notes.txt", b"milk"))
    before = digest(context)
    step(context, _write("/home/lin/notes.txt", b"milk and lanterns"))
    *_, row = journal.read(context)
    (change,) = journal.changes(context, row.receipt.changeset)
    assert (change["app"], change["entity"], change["op"]) == ("disk", "file", "update")
    assert digest(context) != before
    assert export_tree(context, "disk")["file"]["/home/lin/notes.txt"]["text"] == "milk and lanterns"


def test_binary_content_is_preserved_byte_for_byte(context: Context) -> None:
    data = bytes(range(256))
    step(context, _write("/tmp/picture.png", data))
    assert context.app("sample").disk.read("/tmp/picture.png") == data
    assert "base64" in state.dump(context)["disk"]["file"][0]


def test_an_app_that_declares_no_disk_sees_none(context: Context) -> None:
    with pytest.raises(KeyError, match="disk=True"):
        _ = context.app("slack").disk
    with pytest.raises(ValueError, match="disk=True"):
        AppTables("other").disk_view("attachment")


def test_state_in_the_words_of_an_app_is_on_the_disk(context: Context) -> None:
    given_state = {"sample": {"paper": [{"path": "/srv/a.txt", "content": "one"}, {"path": "/srv/b.bin", "size": 5}]}}
    with context.transaction():
        state.load(context, given_state)
    disk = context.app("sample").disk
    with context.transaction():
        assert (disk.read("/srv/a.txt"), disk.read("/srv/b.bin")) == (b"one", bytes(5))
    assert state.dump(context, "sample", "paper") == given_state | {}
    assert set(state.dump(context)) == {"disk"}


@pytest.mark.parametrize(
    ("row", "reason"),
    [
        ({"path": "notes.txt"}, "write an absolute one"),
        ({"path": "/a/../b"}, "is to be written as '/b'"),
        ({"path": "/a", "text": "x", "base64": "eA=="}, "both"),
        ({"path": "/a", "base64": "%"}, "base64"),
        ({"path": "/a", "text": "x" * (MAX_FILE + 1)}, "at most"),
        ({"path": "/a", "size": -1}, "size is out of range"),
        ({"path": "/a", "modified": 10**17}, "modified is out of range"),
        ({"path": "/a", "accessed": -1}, "accessed is out of range"),
        ({"path": "/a", "mode": "rw-"}, "three octal digits"),
        ({"path": "/a", "mode": "0644"}, "three octal digits"),
        ({"path": "/" + "n" * 300}, "ENAMETOOLONG"),
    ],
)
def test_an_invalid_file_is_refused(context: Context, row: dict[str, object], reason: str) -> None:
    with pytest.raises(StateError, match=reason):
        state.check(context, {"disk": {"file": [row]}})


def test_files_without_permissions_and_times_get_defaults(context: Context) -> None:
    row = {"path": "/bin/run", "text": "x", "mode": "755", "created": 1000, "modified": 2000, "accessed": 3000}
    with context.transaction():
        state.load(context, {"disk": {"file": [row, {"path": "/bin/plain", "text": "y"}]}})
        disk = context.app("sample").disk
        run, plain, folder = disk.stat("/bin/run"), disk.stat("/bin/plain"), disk.stat("/bin")
        assert run is not None
        assert plain is not None
        assert folder is not None
        assert (run.mode, run.created.second, run.modified.second, run.accessed.second) == ("755", 1, 2, 3)
        assert (plain.mode, folder.mode, plain.accessed) == ("644", "755", plain.modified)


def test_a_replaced_file_is_new_and_has_the_old_permissions(context: Context) -> None:
    row = {"path": "/bin/run", "base64": "/w==", "mode": "755", "created": 1000, "modified": 2000, "accessed": 3000}
    with context.transaction():
        state.load(context, {"disk": {"file": [row], "directory": [{"path": "/empty"}]}})
    step(context, lambda app: app.disk.replace("/bin/run", b"new"))
    with context.transaction():
        disk = context.app("sample").disk
        after = disk.stat("/bin/run")
        assert after is not None
        assert (disk.read("/bin/run"), after.mode) == (b"new", "755")
        assert (
            after.created == after.modified == after.accessed > after.created.fromtimestamp(3, tz=after.created.tzinfo)
        )
        for path, code in (("/none", "ENOENT"), ("/empty", "EISDIR"), ("/bin", "EISDIR")):
            with pytest.raises(DiskError, match=code):
                disk.replace(path, b"x")
        with pytest.raises(DiskError, match="EFBIG"):
            disk.replace("/bin/run", bytes(MAX_FILE + 1))


def test_names_lists_a_folder_without_reading_its_files(context: Context) -> None:
    rows = {
        "file": [
            {"path": "/a/z.txt", "text": "z"},
            {"path": "/a/b/c.txt", "size": 10**12},
            {"path": "/ab", "text": "x"},
        ],
        "directory": [{"path": "/a/empty"}],
        "symlink": [{"path": "/a/link", "target": "b"}],
    }
    with context.transaction():
        state.load(context, {"disk": rows})
        disk = context.app("sample").disk
        inside = {"b": "directory", "empty": "directory", "link": "symlink", "z.txt": "file"}
        assert disk.names("/a") == inside
        assert list(disk.names("/a")) == sorted(inside)
        assert disk.names("/a/link") == {"c.txt": "file"}
        assert disk.names("/") == {"a": "directory", "ab": "file"}
        for path, code in (("/none", "ENOENT"), ("/ab", "ENOTDIR")):
            with pytest.raises(DiskError, match=code):
                disk.names(path)


def test_links_in_a_circle_are_refused(context: Context) -> None:
    def circle(app: AppContext) -> None:
        app.disk.make_link("/a", "/b")
        app.disk.make_link("/b", "/a")

    step(context, circle)
    with context.transaction(), pytest.raises(DiskError, match="ELOOP"):
        context.app("sample").disk.read("/a")


def test_a_file_that_is_too_large_is_refused_and_nothing_changes(context: Context) -> None:
    before = digest(context)
    with pytest.raises(DiskError, match="EFBIG"):
        step(context, _write("/big", bytes(MAX_FILE + 1)))
    assert digest(context) == before
