"""A run in one file, `….soundstage`: all data of its trials with their tasks, verdicts and seals.

It is a zip archive of JSON lines. A run can be verified and graded again from it without world, gateway or network.

    manifest.json     the run, its trials with heads and seals, the digest of every other file, the Merkle root of the trials
    manifest.sig      the signature of manifest.json
    results.jsonl     one line per trial (docs/results.md)
    verdicts.jsonl    the sealed verdicts
    tasks/<task>/task.yaml
    trials/<trial>.jsonl     lines `{"h": …, "is": …}`: the data, and the digest of it and of all previous lines
    regraded/<n>.jsonl, .sig     later verdicts with their graders
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import orjson
from pydantic import TypeAdapter
from typing_extensions import TypedDict

from soundstage.grading.verdict import grade
from soundstage.runs.archive import ArchiveDamaged, Member, packed, unpacked
from soundstage.runs.results import GRADER, ResultLine, line, written
from soundstage.runs.sealed import (
    Sealed,
    began,
    canonical,
    chained,
    evidence_of,
    from_lines,
    header_data,
    lines,
)
from soundstage.runs.signing import Key, digest, merkle_root, sign_trial, verdict_data
from soundstage.runs.task_files import task_from_text

FORM = 1
MANIFEST, SIGNATURE, RESULTS, VERDICTS = "manifest.json", "manifest.sig", "results.jsonl", "verdicts.jsonl"


class InvalidBundle(ValueError):
    """The bytes are not a bundle, or have a format that this version cannot read."""


class TrialEntry(TypedDict):
    """A trial in the manifest; `sig` is its seal."""

    trial: str
    task: str
    head: str
    sig: str


class Manifest(TypedDict):
    """A bundle's manifest; `about` is the run's own data, `held_out` means that the tasks are omitted."""

    form: int
    run: str
    about: dict[str, Any]
    grader: str
    held_out: bool
    trials: list[TrialEntry]
    files: dict[str, str]
    root: str


class Regraded(TypedDict):
    """A later verdict of a bundle, with its grader."""

    trial: str
    grader: str
    verdict: dict[str, Any]


_MANIFEST = TypeAdapter(Manifest)
_REGRADED = TypeAdapter(Regraded)


@dataclass(frozen=True, slots=True)
class Finished:
    """A sealed and graded trial; `task_text` is the bytes of its task.yaml, `result` its line with the seal."""

    sealed: Sealed
    task_text: bytes
    verdict: Mapping[str, Any]
    result: ResultLine


def finish(sealed: Sealed, task_text: bytes, key: Key) -> Finished:
    """Grade a trial and seal it.

    Raises:
        SourceError: The task cannot be read.
    """
    task = task_from_text(task_text, sealed.header.task)
    verdict = grade(task, evidence_of(sealed, task))
    sig = sign_trial(key, sealed.header, sealed.head, verdict_data(verdict), GRADER)
    return Finished(sealed, task_text, verdict_data(verdict), line(sealed, task, verdict, sig))


@dataclass(frozen=True, slots=True)
class Bundle:
    """A parsed bundle, not verified."""

    manifest: Manifest
    signature: str
    trials: dict[str, Sealed]
    tasks: dict[str, bytes]
    verdicts: list[Regraded]
    regraded: list[list[Regraded]]
    members: list[Member] = field(repr=False)


# -- writing ----------------------------------------------------------------------------------------------------------


def written_bundle(about: dict[str, Any], trials: Iterable[Finished], key: Key, *, held_out: bool = False) -> bytes:
    """Build the bundle of a run; `about` describes the run, `held_out` omits its tasks.

    Raises:
        ValueError: There are no trials, they belong to several runs, or they are too large for a bundle.
    """
    ordered = sorted(trials, key=lambda one: one.sealed.header.trial)
    runs = {one.sealed.header.run for one in ordered}
    if len(runs) != 1:
        raise ValueError(f"a bundle holds the trials of one run; these are of {', '.join(sorted(runs)) or 'none'}")
    files: list[Member] = []
    entries: list[TrialEntry] = []
    results: list[ResultLine] = []
    verdicts: list[Regraded] = []
    tasks: dict[str, bytes] = {}
    for one in ordered:
        header, head = one.sealed.header, one.sealed.head
        entries.append(TrialEntry(trial=header.trial, task=header.task, head=head, sig=one.result["sig"]))
        verdicts.append(Regraded(trial=header.trial, grader=one.result["grader"], verdict=dict(one.verdict)))
        results.append(one.result)
        tasks[header.task] = one.task_text
        files.append(Member(trial_file(header.trial), _chained_lines(one.sealed)))
    if not held_out:
        files += [Member(task_file(name), text) for name, text in tasks.items()]
    files += [Member(RESULTS, written(results)), Member(VERDICTS, written(verdicts))]
    manifest = Manifest(
        form=FORM,
        run=runs.pop(),
        about=about,
        grader=GRADER,
        held_out=held_out,
        trials=entries,
        files={f.name: digest(f.data) for f in files},
        root=root_of(entries),
    )
    text = canonical(manifest) + b"\n"
    return packed(in_order([Member(MANIFEST, text), Member(SIGNATURE, key.sign(text).encode() + b"\n"), *files]))


def with_verdicts(bundle: Bundle, verdicts: Sequence[Regraded], key: Key) -> bytes:
    """Return the bundle with additional later verdicts."""
    number = len(bundle.regraded) + 1
    text = written(verdicts)
    signed = key.sign(regraded_message(bundle.manifest, text)).encode() + b"\n"
    added = [Member(f"regraded/{number}.jsonl", text), Member(f"regraded/{number}.sig", signed)]
    return packed(in_order([*bundle.members, *added]))


def in_order(members: Iterable[Member]) -> list[Member]:
    """Sort the files of a bundle in their canonical order."""
    kinds = (MANIFEST, SIGNATURE, RESULTS, VERDICTS, "tasks/", "trials/")

    def place(member: Member) -> tuple[int, int, str]:
        kind = next((i for i, begin in enumerate(kinds) if member.name.startswith(begin)), len(kinds))
        return kind, len(member.name) if kind == len(kinds) else 0, member.name

    return sorted(members, key=place)


def regraded_message(manifest: Manifest, text: bytes) -> bytes:
    """Return the message that the signature of later verdicts covers: the verdicts and the heads of their trials."""
    return canonical({"root": manifest["root"], "verdicts": digest(text)})


def _chained_lines(sealed: Sealed) -> bytes:
    texts = lines(sealed)
    digests = chained(began(header_data(sealed.header)), texts)
    return b"".join(b'{"h":"%s","is":%s}\n' % (h.encode(), t) for h, t in zip(digests, texts, strict=True))


def root_of(entries: Sequence[TrialEntry]) -> str:
    """Return the root of the Merkle tree over a run's trials."""
    return merkle_root([canonical(entry) for entry in entries])


def trial_file(trial: str) -> str:
    """Return the path of a trial inside a bundle."""
    return f"trials/{trial}.jsonl"


def task_file(task: str) -> str:
    """Return the path of a task inside a bundle."""
    return f"tasks/{task}/task.yaml"


# -- reading ----------------------------------------------------------------------------------------------------------


def read_bundle(data: bytes) -> Bundle:
    """Parse a bundle without verifying it.

    Raises:
        InvalidBundle: The bytes are not a bundle, or are too damaged to be read.
    """
    try:
        members = unpacked(data)
    except ArchiveDamaged as error:
        raise InvalidBundle(
            f"not a bundle, or damaged at byte {error.offset}: {error}; expected a file that `soundstage runs bundle` wrote"
        ) from None
    files = {m.name: m.data for m in members}
    try:
        manifest = manifest_in(files[MANIFEST])
        regraded = [n for n in range(1, len(members)) if f"regraded/{n}.jsonl" in files]
        return Bundle(
            manifest,
            files[SIGNATURE].decode().strip(),
            {e["trial"]: _trial_in(files[trial_file(e["trial"])]) for e in manifest["trials"]},
            {
                n.removeprefix("tasks/").removesuffix("/task.yaml"): t
                for n, t in files.items()
                if n.startswith("tasks/")
            },
            verdicts_in(files[VERDICTS]),
            [verdicts_in(files[f"regraded/{n}.jsonl"]) for n in regraded],
            members,
        )
    except InvalidBundle:
        raise
    except (ValueError, KeyError, TypeError) as error:
        raise InvalidBundle(f"this bundle is damaged: {error}; `soundstage runs verify` says where") from None


def manifest_in(text: bytes) -> Manifest:
    """Parse a manifest.

    Raises:
        ValueError: The text is not a manifest, or has an unsupported format.
    """
    manifest = _MANIFEST.validate_json(text)
    if manifest["form"] != FORM:
        raise InvalidBundle(f"this bundle is of form {manifest['form']}; this Soundstage reads form {FORM}")
    return manifest


def _trial_in(data: bytes) -> Sealed:
    return from_lines(orjson.dumps(orjson.loads(text)["is"]) for text in data.splitlines())


def verdicts_in(data: bytes) -> list[Regraded]:
    """Parse verdicts, one per line.

    Raises:
        ValueError: A line is not a verdict.
    """
    return [_REGRADED.validate_json(text) for text in data.splitlines()]
