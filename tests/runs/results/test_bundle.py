"""A bundle can be verified and graded again without other files, and every change to it is found and located."""

from __future__ import annotations

import io
import json
import random
import zipfile
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from soundstage.grading.task import Task
from soundstage.grading.verdict import grade
from soundstage.runs.archive import Member, packed, unpacked
from soundstage.runs.bundle import Finished, InvalidBundle, finish, read_bundle, with_verdicts, written_bundle
from soundstage.runs.export import calls
from soundstage.runs.regrading import regrade, verdict_changes
from soundstage.runs.sealed import SealDamaged, Sealed, evidence_of, from_bytes, lines, to_bytes
from soundstage.runs.signing import BadKey, Key, data_key, holds, merkle_root, read_public
from soundstage.runs.verifying import verify


def _changed(data: bytes, at: int, to: int) -> bytes:
    return data[:at] + bytes([to]) + data[at + 1 :]


def _row_of(data: bytes, at: int) -> tuple[str, int] | None:
    """Return the trial and the row of a byte of a bundle, or None outside the trials."""
    for member in unpacked(data):
        if member.offset <= at < member.offset + len(member.data) and member.name.startswith("trials/"):
            trial = member.name.removeprefix("trials/").removesuffix(".jsonl")
            return trial, member.data.count(b"\n", 0, at - member.offset) + 1
    return None


def test_a_sealed_trial_is_restored_unchanged_and_grades_the_same(trials: list[Sealed], task: Task) -> None:
    for one in trials:
        back = from_bytes(to_bytes(one))
        assert back == one
        assert back.head == one.head
        assert grade(task, evidence_of(back, task)) == grade(task, evidence_of(one, task))


def test_only_calls_not_answered_by_a_kernel_are_sealed_with_answered_by(
    trials: list[Sealed],
) -> None:
    one = trials[0]
    steps = [json.loads(text)["step"] for text in lines(one) if text.startswith(b'{"step"')]
    assert steps
    assert not any("answered_by" in step for step in steps)
    other = replace(one, journal=(replace(one.journal[0], answered_by="none"), *one.journal[1:]))
    assert from_bytes(to_bytes(other)) == other
    assert other.head != one.head
    rows = list(calls([other]))
    assert rows[0]["answered_by"] == "none"
    assert {row["answered_by"] for row in rows[1:] if row["kind"] == "call"} == {"kernel"}


def test_bytes_that_are_not_a_sealed_trial_are_refused() -> None:
    with pytest.raises(SealDamaged, match="a sealed trial cannot be read: the data is not zlib data"):
        from_bytes(b"nothing of the kind")


def test_a_bundle_is_reproducible_and_readable_by_any_zip_program(
    bundle: bytes, finished: list[Finished], key: Key
) -> None:
    assert written_bundle({"agent": "oracle"}, reversed(finished), key) == bundle
    with zipfile.ZipFile(io.BytesIO(bundle)) as archive:
        assert archive.testzip() is None
        assert "tasks/studio/errand/task.yaml" in archive.namelist()
        lines = [json.loads(text) for text in archive.read("trials/tr_01.jsonl").splitlines()]
    assert lines[0]["is"]["trial"]["task"] == "studio/errand"


def test_an_unchanged_bundle_verifies(bundle: bytes, key: Key) -> None:
    checked = verify(bundle, key.public)
    assert (checked.damages, checked.keys, checked.trials) == ([], [key.public], 3)


def test_each_of_a_thousand_changed_bytes_is_found(finished: list[Finished], key: Key) -> None:
    bundle = written_bundle({}, finished[:1], key)
    random.seed(7)
    rows = 0
    for _ in range(1000):
        at = random.randrange(len(bundle))
        to = random.choice([b for b in range(256) if b != bundle[at]])
        damages = verify(_changed(bundle, at, to)).damages
        assert damages, f"byte {at} as {to}"
        if (place := _row_of(bundle, at)) is not None:
            rows += 1
            # A new line in the middle of a row splits it, and the first of the two rows is wrong.
            assert (damages[0].trial, damages[0].row) == place, f"byte {at} as {to}: {damages[0]}"
    assert rows > 500


def test_every_byte_outside_the_trials_is_checked(finished: list[Finished], key: Key) -> None:
    bundle = written_bundle({}, finished[:1], key)
    outside = [at for at in range(len(bundle)) if _row_of(bundle, at) is None]
    random.seed(7)
    for at in random.sample(outside, 300):
        assert verify(_changed(bundle, at, bundle[at] ^ 1)).damages, at


def test_a_change_is_reported_with_trial_row_and_step(bundle: bytes) -> None:
    steps = bundle.index(b'"is":{"step"', bundle.index(b"trials/tr_02.jsonl{"))
    at = bundle.index(b"Tuesday, 1 December, 15:30", steps)
    damages = verify(_changed(bundle, at, ord("X"))).damages
    assert len(damages) == 1
    assert damages[0].trial == "tr_02"
    assert "lark/im_v1_message_create" in str(damages[0])


@pytest.mark.parametrize(
    ("change", "message"),
    [
        pytest.param(
            lambda ms: [m for m in ms if "tr_02" not in m.name], "trials/tr_02.jsonl: is missing", id="a trial"
        ),
        pytest.param(lambda ms: [m for m in ms if m.name != "manifest.sig"], "manifest.sig: is missing", id="the seal"),
        pytest.param(lambda ms: [*ms, Member("notes.txt", b"")], "notes.txt: was not there", id="one too many"),
        pytest.param(lambda ms: [*ms, Member("manifest.json", b"{}")], "it contains a file twice", id="a file twice"),
        pytest.param(lambda ms: ms[:2] + ms[:1:-1], "is not as it was written", id="other order"),
        pytest.param(
            lambda ms: [
                Member(m.name, m.data.replace(b"studio/errand", b"studio/arrand")) for m in ms if "y" in m.name
            ],
            "manifest.json: is missing",
            id="hardly anything left",
        ),
    ],
)
def test_missing_and_extra_files_are_reported(bundle: bytes, change: Any, message: str) -> None:
    damages = verify(packed(change(unpacked(bundle)))).damages
    assert any(message in str(d) for d in damages), damages


def test_a_trial_sealed_again_by_another_key_is_reported(
    bundle: bytes, finished: list[Finished], key: Key, tmp_path: Path
) -> None:
    other = data_key(tmp_path)
    forged = written_bundle({"agent": "oracle"}, [finish(f.sealed, f.task_text, other) for f in finished], other)
    assert verify(forged).whole
    damages = [str(d) for d in verify(forged, key.public).damages]
    assert damages == [f"the seal: is {other.public}'s, not {key.public}'s"]


def test_an_improved_verdict_is_found(bundle: bytes) -> None:
    members = [Member(m.name, m.data.replace(b'"success":false', b'"success":true ')) for m in unpacked(bundle)]
    assert {d.where for d in verify(packed(members)).damages} >= {"verdicts.jsonl", "results.jsonl"}


def test_an_invalid_bundle_is_refused_with_the_reason(bundle: bytes) -> None:
    with pytest.raises(InvalidBundle, match="not a bundle, or damaged"):
        read_bundle(b"PK\x05\x06")
    assert "it ends within trials/tr_03" in str(verify(bundle[:-5_000]).damages[0])
    assert not verify(b"").whole


def test_regrading_gives_the_same_verdicts(bundle: bytes) -> None:
    read = read_bundle(bundle)
    again = regrade(read)
    assert again == read.verdicts
    assert [v["verdict"]["score"] for v in again] == [1.0, 0.5, 0.25]
    assert verdict_changes(read, again) == []


def test_regrading_with_another_task_reports_the_changes(bundle: bytes, task_text: bytes) -> None:
    read = read_bundle(bundle)
    fresh = {"studio/errand": task_text.replace(b"{time: $start}", b"{not: [nothing of the kind]}")}
    (now,) = verdict_changes(read, regrade(read, fresh))
    assert (now["trial"], now["before"], now["after"], now["checks"]) == ("tr_02", 0.5, 1.0, ["told"])


def test_both_verdicts_are_stored_and_sealed(bundle: bytes, key: Key, tmp_path: Path) -> None:
    read, regrader = read_bundle(bundle), data_key(tmp_path)
    regraded = with_verdicts(read, regrade(read), regrader)
    assert sorted(verify(regraded).keys) == sorted([key.public, regrader.public])
    again = read_bundle(regraded)
    assert again.regraded == [read.verdicts]
    twice = with_verdicts(again, again.verdicts, regrader)
    assert verify(twice).whole
    at = twice.index(b"0.25", twice.index(b"regraded/2.jsonl"))
    assert [d.where for d in verify(_changed(twice, at, ord("1"))).damages] == ["regraded/2.jsonl"]


def test_held_out_tasks_are_not_in_the_bundle(finished: list[Finished], key: Key, task_text: bytes) -> None:
    data = written_bundle({}, finished, key, held_out=True)
    assert b"oracle_answer" not in data
    assert verify(data).whole
    read = read_bundle(data)
    with pytest.raises(InvalidBundle, match="held out"):
        regrade(read)
    assert regrade(read, {"studio/errand": task_text}) == read.verdicts


def test_trials_of_two_runs_cannot_be_one_bundle(finished: list[Finished], key: Key) -> None:
    with pytest.raises(ValueError, match="trials of one run; these are of none"):
        written_bundle({}, [], key)


def test_a_key_is_reused_and_readable_only_by_its_owner(tmp_path: Path) -> None:
    made = data_key(tmp_path)
    assert data_key(tmp_path).public == made.public
    assert (tmp_path / "seal.key").stat().st_mode & 0o077 == 0
    public = tmp_path / "their.key"
    public.write_text(made.public + "\n")
    assert read_public(public) == made.public
    assert holds(made.sign(b"so"), b"so")
    assert not holds(made.sign(b"so"), b"otherwise")
    public.write_text("ssh-ed25519 AAAA")
    with pytest.raises(BadKey, match="right is a line such as ed25519:"):
        read_public(public)
    (tmp_path / "seal.key").write_text("nothing")
    with pytest.raises(BadKey, match="holds no private key"):
        data_key(tmp_path)


def test_a_merkle_root_depends_on_every_leaf_and_its_place() -> None:
    roots = {merkle_root(leaves) for leaves in ([b"a"], [b"a", b"b"], [b"b", b"a"], [b"a", b"b", b"c"], [b"ab"], [])}
    assert len(roots) == 6


def test_results_that_differ_from_the_sealed_trials_are_reported(finished: list[Finished], key: Key) -> None:
    first, *others = finished
    better = replace(first, result={**first.result, "success": not first.result["success"], "head": "b2:0"})
    damages = verify(written_bundle({}, [better, *others], key), key.public).damages
    assert [str(d) for d in damages] == [
        f"results.jsonl: head, success of {better.result['trial']} differ from the sealed trial"
    ]
