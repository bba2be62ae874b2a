"""The commands of `soundstage worlds`."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.cli.test_commands import made, soundstage
from tests.worlds.builder.conftest import write_spec  # noqa: F401 a fixture

pytestmark = pytest.mark.long

WriteSpec = Callable[..., Path]
_FAX = '{"title": "a", "description": "b", "epoch": "2026-01-01T00:00:00Z", "trees": {"fax": {}}}'


def test_a_users_world_is_built_and_sessions_start_from_it(write_spec: WriteSpec, tmp_path: Path) -> None:  # noqa: F811
    spec, data = write_spec(), tmp_path / "data"
    done = made(soundstage("worlds", "build", str(spec), "--json", data=data))
    assert done["rows"]["lark"]["message"] >= 40
    assert Path(done["database"]).exists()
    assert "tiny" in {w["name"] for w in made(soundstage("worlds", "list", "--json", data=data))}
    created = made(soundstage("sessions", "create", "--name", "t", "--world", "tiny", "--json", data=data))
    assert created["world"] == "tiny"
    users = made(soundstage("sessions", "export", "t", "--app", "lark", data=data))["lark"]["user"]
    assert {u["name"] for u in users} == {"Ann Lee", "薄文", "Cy Ray"}


def test_an_invalid_spec_is_reported_with_the_place_and_leaves_nothing(
    write_spec: WriteSpec,  # noqa: F811
    tmp_path: Path,
) -> None:
    spec, data = write_spec({"{link:plan}": "{link:plane}"}), tmp_path / "data"
    done = soundstage("worlds", "build", str(spec), data=data)
    assert done.returncode == 1
    assert "story.yaml:14" in done.stderr
    assert "{link:plane} leads to nothing" in done.stderr
    assert not list((data / "worlds").rglob("*tiny*"))
    assert soundstage("worlds", "check", str(spec), data=data).returncode == 1


def test_show_prints_counts_people_and_storylines_and_draws_a_picture(write_spec: WriteSpec, tmp_path: Path) -> None:  # noqa: F811
    spec, data, picture = write_spec(), tmp_path / "data", tmp_path / "p.svg"
    soundstage("worlds", "build", str(spec), data=data)
    shown = made(soundstage("worlds", "show", "tiny", "--picture", str(picture), "--json", data=data))
    assert shown["storylines"][0]["beats"][0]["what"] == "It begins"
    assert {p["name"] for p in shown["people"]} == {"Ann Lee", "薄文", "Cy Ray"}
    assert shown["figures"]["messages"] >= 40
    assert "<svg" in picture.read_text()
    assert "05 Nov 10:00  It begins" in soundstage("worlds", "show", "tiny", data=data).stdout


@pytest.mark.parametrize("name", ["empty", "studio"])
def test_the_shipped_worlds_have_no_findings(name: str, tmp_path: Path) -> None:
    done = soundstage("worlds", "check", name, data=tmp_path)
    assert (done.returncode, done.stdout.strip().splitlines()[-1]) == (0, "no finding")
    assert done.stdout.count("sound alike") <= 1


def test_check_reports_the_writing_of_each_person_and_the_wording_of_papers(
    write_spec: WriteSpec,  # noqa: F811
    tmp_path: Path,
) -> None:
    report = made(soundstage("worlds", "check", str(write_spec()), "--json", data=tmp_path))
    assert report["findings"] == []
    assert {p["name"] for p in report["people"]} == {"Ann Lee", "薄文", "Cy Ray"}
    assert all(p["languages"] and p["messages"] > 0 for p in report["people"])
    assert {p["kind"] for p in report["papers"]} == {"events", "tasks", "documents"}
    printed = soundstage("worlds", "check", str(write_spec()), data=tmp_path).stdout
    assert "acknowledging %" in printed
    assert "described %" in printed


def test_export_and_import_create_a_world_with_the_same_content(write_spec: WriteSpec, tmp_path: Path) -> None:  # noqa: F811
    data, file = tmp_path / "data", tmp_path / "tiny.json"
    soundstage("worlds", "build", str(write_spec()), data=data)
    assert soundstage("worlds", "export", "tiny", "-o", str(file), data=data).returncode == 0
    assert "rows" in soundstage("worlds", "import", str(file), "copy", data=data).stdout
    digests = set()
    for world in ("tiny", "copy"):
        soundstage("sessions", "create", "--name", world, "--world", world, data=data)
        digests.add(made(soundstage("sessions", "show", world, "--json", data=data))["digest"])
    assert len(digests) == 1


@pytest.mark.parametrize(
    ("content", "message"),
    [("{", "is not valid JSON"), ("[]", "is not an exported world"), (_FAX, "unknown app")],
)  # fmt: skip
def test_an_invalid_world_file_is_refused(tmp_path: Path, content: str, message: str) -> None:
    file = tmp_path / "x.json"
    file.write_text(content)
    done = soundstage("worlds", "import", str(file), "copy", data=tmp_path / "data")
    assert done.returncode == 1
    assert message in done.stderr
