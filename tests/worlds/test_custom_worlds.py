"""Custom worlds: created from a small one that builds, refused by name, and never served if the check fails."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from typer.testing import CliRunner

from soundstage.cli.worlds import app
from soundstage.worlds import BrokenWorld, built, list_worlds, load_world, own_folder
from soundstage.worlds.builder.build import build_checked
from soundstage.worlds.own import WorldNameError, write_starter
from tests.worlds.builder.conftest import write_spec  # noqa: F401 a fixture

WriteSpec = Callable[..., Path]
_TOO_MUCH = {"sizes: {rows": "bounds: {messages: {low: 9999}}\nsizes: {rows"}


def _command(*arguments: str, data: Path) -> tuple[int, str]:
    done = CliRunner().invoke(app, [*arguments, "--data", str(data)])
    assert done.exception is None or isinstance(done.exception, SystemExit), done.exception
    return done.exit_code, done.output


def test_the_starter_world_builds_and_has_a_little_of_everything(tmp_path: Path) -> None:
    spec, *others = write_starter("harbour", tmp_path)
    assert {p.name for p in others} == {"people.yaml", "places.yaml", "market.yaml", "wiki.yaml"}
    made = build_checked(spec)
    assert made.sources.spec.world == "harbour"
    assert len(made.state["lark"]["user"]) == 3
    assert set(made.people.accounts["wenna"]) == {"lark", "notion"}
    for name, entities in {
        "lark": ("message", "calendar_event", "task", "document"),
        "notion": ("page", "block", "comment"),
    }.items():
        assert all(made.state[name][entity] for entity in entities)


@pytest.mark.parametrize(
    ("name", "why"),
    [("9lives", "is no name"), ("a-b", "is no name"), ("../up", "is no name"), ("", "is no name"), ("x" * 101, "at most 100"),
     ("studio", "comes with Soundstage")],
)  # fmt: skip
def test_an_invalid_name_is_refused_and_nothing_is_written(tmp_path: Path, name: str, why: str) -> None:
    with pytest.raises(WorldNameError, match=why):
        write_starter(name, tmp_path)
    assert not list(tmp_path.iterdir())


def test_existing_files_are_left_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    data = tmp_path / "data"
    assert _command("new", "harbour", data=data)[0] == 0
    (tmp_path / "harbour" / "people.yaml").write_text("mine")
    code, output = _command("new", "harbour", data=data)
    assert (code, "is there already" in output) == (1, True)
    assert (tmp_path / "harbour" / "people.yaml").read_text() == "mine"


def test_the_name_of_a_built_world_is_refused(
    write_spec: WriteSpec, tmp_path: Path, monkeypatch: pytest.MonkeyPatch  # noqa: F811
) -> None:  # fmt: skip
    monkeypatch.chdir(tmp_path)
    assert _command("build", str(write_spec()), data=tmp_path / "data")[0] == 0
    code, output = _command("new", "tiny", data=tmp_path / "data")
    assert (code, "there is a world 'tiny' already" in output) == (1, True)
    assert not (tmp_path / "tiny").exists()


def test_a_spec_cannot_have_the_name_of_a_shipped_world(
    write_spec: WriteSpec,  # noqa: F811
    tmp_path: Path,
) -> None:
    code, output = _command("build", str(write_spec({"world: tiny": "world: studio"})), data=tmp_path / "data")
    assert (code, "comes with Soundstage" in output) == (1, True)


def test_worlds_can_be_in_any_folder(write_spec: WriteSpec, tmp_path: Path) -> None:  # noqa: F811
    mine = tmp_path / "worlds" / "tiny"
    mine.mkdir(parents=True)
    for file in (write_spec(), tmp_path / "story.yaml"):
        file.rename(mine / file.name)
    assert _command("build", str(mine), data=tmp_path / "data")[0] == 0
    assert load_world("tiny", own_folder(tmp_path / "data" / "worlds")).title == "Tiny"


def test_a_world_that_failed_its_check_is_unavailable(write_spec: WriteSpec, tmp_path: Path) -> None:  # noqa: F811
    code, output = _command("build", str(write_spec(_TOO_MUCH)), data=tmp_path / "data")
    assert (code, "below 9999" in output) == (1, True)
    code, output = _command("export", "tiny", data=tmp_path / "data")
    assert (code, "there is no world 'tiny'" in output) == (1, True)


def test_a_failed_build_leaves_the_last_valid_world(write_spec: WriteSpec, tmp_path: Path) -> None:  # noqa: F811
    data = tmp_path / "data"
    own = own_folder(data / "worlds")
    _command("build", str(write_spec()), data=data)
    before = built(load_world("tiny", own), data / "worlds")
    assert _command("build", str(write_spec({**_TOO_MUCH, "title: Tiny": "title: Huge"})), data=data)[0] == 1
    assert load_world("tiny", own).title == "Tiny"
    assert built(load_world("tiny", own), data / "worlds") == before


@pytest.mark.parametrize(
    "change", [("{low: 1}", "{low: 9999}"), ("owner: ann", "owner: nobody"), ("seed: 3", "seed: [")]
)
def test_a_world_edited_into_an_invalid_one_cannot_be_exported(
    write_spec: WriteSpec, tmp_path: Path, change: tuple[str, str]  # noqa: F811
) -> None:  # fmt: skip
    data = tmp_path / "data"
    own = own_folder(data / "worlds")
    _command("build", str(write_spec({"sizes: {rows": "bounds: {messages: {low: 1}}\nsizes: {rows"})), data=data)
    spec_file = own / "tiny" / "spec.yaml"
    spec_file.write_text(spec_file.read_text().replace(*change))
    for command in (("build", "tiny"), ("export", "tiny")):
        assert _command(*command, data=data)[0] == 1
    with pytest.raises(BrokenWorld, match="tiny"):
        built(load_world("tiny", own), data / "worlds")
    assert "tiny" in {w.name for w in list_worlds(own)}
