"""Verify every byte of a bundle and locate changes since it was sealed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import orjson

from soundstage.runs.archive import ArchiveDamaged, Member, packed, unpacked
from soundstage.runs.bundle import (
    MANIFEST,
    RESULTS,
    SIGNATURE,
    VERDICTS,
    Manifest,
    Regraded,
    in_order,
    manifest_in,
    regraded_message,
    root_of,
    task_file,
    trial_file,
    verdicts_in,
)
from soundstage.runs.sealed import Header, SealDamaged, began, canonical, chained, from_lines, task_digest
from soundstage.runs.signing import digest, holds, signer, trial_message


@dataclass(frozen=True, slots=True)
class Damage:
    """A deviation from the sealed state; `trial` and `row` (counted from 1) locate it within a trial."""

    where: str
    problem: str
    trial: str | None = None
    row: int | None = None

    def __str__(self) -> str:
        return f"{self.where}: {self.problem}"


@dataclass(frozen=True, slots=True)
class VerificationReport:
    """The result of a verification; `keys` are those whose seals the bundle contains."""

    damages: list[Damage]
    keys: list[str]
    trials: int = 0

    @property
    def whole(self) -> bool:
        """Whether the bundle is undamaged."""
        return not self.damages


def verify(data: bytes, expected: str | None = None) -> VerificationReport:
    """Verify every byte of a bundle; if `expected` (a public key) is given, every seal has to be of that key."""
    try:
        members = unpacked(data)
    except ArchiveDamaged as error:
        after = f" behind {error.member}" if error.member else ""
        return VerificationReport([Damage(f"byte {error.offset}{after}", str(error))], [])
    result: list[Damage] = []
    keys: dict[str, None] = {}
    files = {m.name: m for m in members}
    if len(files) != len(members):
        result.append(Damage("the archive", "it contains a file twice"))
    manifest = _manifest(files, result, keys)
    for name, file_digest in manifest["files"].items() if manifest else ():
        if name not in files:
            result.append(Damage(name, "is missing"))
        elif not name.startswith("trials/") and digest(files[name].data) != file_digest:
            result.append(Damage(name, "is not the file that was sealed"))
    if manifest:
        _check_trials(manifest, files, result, keys)
        result += _check_results(manifest, files)
        _check_regraded(manifest, files, result, keys)
        extra = files.keys() - manifest["files"].keys() - {MANIFEST, SIGNATURE}
        result += [Damage(n, "was not there") for n in sorted(extra) if not n.startswith("regraded/")]
    if not result and (again := packed(in_order(members))) != data:
        result.append(_first_difference(members, again, data))
    if expected is not None:
        result += [Damage("the seal", f"is {k}'s, not {expected}'s") for k in keys if k != expected]
    return VerificationReport(result, list(keys), len(manifest["trials"]) if manifest else 0)


def _manifest(files: dict[str, Member], damages: list[Damage], keys: dict[str, None]) -> Manifest | None:
    """Return the manifest if its signature is valid."""
    missing = [name for name in (MANIFEST, SIGNATURE) if name not in files]
    if missing:
        damages += [Damage(name, "is missing") for name in missing]
        return None
    text, signature = files[MANIFEST].data, files[SIGNATURE].data
    if not signature.endswith(b"\n") or not holds(signature[:-1].decode("ascii", "replace"), text):
        damages.append(Damage(MANIFEST, f"is not what its signature in {SIGNATURE} is of: one of the two was changed"))
    else:
        keys[signer(signature[:-1].decode())] = None
    try:
        manifest = manifest_in(text)
    except ValueError as error:
        damages.append(Damage(MANIFEST, f"cannot be read: {str(error).splitlines()[0]}"))
        return None
    if manifest["root"] != root_of(manifest["trials"]):
        damages.append(Damage(MANIFEST, "its root is not the root of its trials"))
    return manifest


def _check_trials(manifest: Manifest, files: dict[str, Member], damages: list[Damage], keys: dict[str, None]) -> None:
    verdicts = {v["trial"]: v for v in _readable_verdicts(files)}
    for entry in manifest["trials"]:
        name = trial_file(entry["trial"])
        if name not in files:
            continue  # reported before
        trial = entry["trial"]
        damage, header = _check_lines(trial, files[name].data, entry["head"])
        if damage is not None:
            damages.append(damage)
            continue
        if digest(files[name].data) != manifest["files"].get(name):
            damages.append(Damage(name, "is not the file that was sealed", trial))
        if header is None or header.trial != trial or header.run != manifest["run"] or header.task != entry["task"]:
            damages.append(Damage(name, "is another trial's", trial))
            continue
        task = files.get(task_file(header.task))
        if task is not None and task_digest(task.data) != header.task_digest:
            damages.append(Damage(task.name, f"is not the task that {trial} was about", trial))
        verdict = verdicts.get(trial)
        if verdict is None:
            damages.append(Damage(VERDICTS, f"has no verdict of {trial}", trial))
        elif not holds(entry["sig"], trial_message(header, entry["head"], verdict["verdict"], verdict["grader"])):
            damages.append(Damage(MANIFEST, f"the seal of {trial} is not of this trial, answer and verdict", trial))
        else:
            keys[signer(entry["sig"])] = None


def _check_results(manifest: Manifest, files: dict[str, Member]) -> list[Damage]:
    """Compare the lines of the results with the heads, seals and verdicts of the trials."""
    try:
        lines = {line["trial"]: line for line in map(orjson.loads, files[RESULTS].data.splitlines())}
    except (KeyError, TypeError, ValueError):
        return [Damage(RESULTS, "cannot be read")] if RESULTS in files else []
    verdicts = {v["trial"]: v["verdict"] for v in _readable_verdicts(files)}
    entries = {entry["trial"]: entry for entry in manifest["trials"]}
    damages = [
        Damage(RESULTS, f"has a line of {trial}, which is not sealed") for trial in lines.keys() - entries.keys()
    ]
    for trial, entry in entries.items():
        line, verdict = lines.get(trial), verdicts.get(trial, {})
        if line is None:
            damages.append(Damage(RESULTS, f"has no line of {trial}", trial))
            continue
        sealed: dict[str, object] = {"head": f"b2:{entry['head']}", "sig": entry["sig"], "task": entry["task"]}
        sealed |= {name: verdict.get(name) for name in ("success", "score")}
        wrong = [name for name, value in sealed.items() if line.get(name) != value]
        if wrong:
            damages.append(Damage(RESULTS, f"{', '.join(wrong)} of {trial} differ from the sealed trial", trial))
    return damages


def _readable_verdicts(files: dict[str, Member]) -> list[Regraded]:
    try:
        return verdicts_in(files[VERDICTS].data)
    except (KeyError, ValueError):
        return []


def _check_lines(trial: str, data: bytes, head: str) -> tuple[Damage | None, Header | None]:
    """Return the first changed line of a trial, and the trial's header."""
    name = trial_file(trial)
    rows = data.split(b"\n")
    if rows.pop() != b"":
        return Damage(f"{name} row {len(rows) + 1}", "has no end", trial, len(rows) + 1), None
    texts: list[bytes] = []
    changed: list[str] = []
    for number, row in enumerate(rows, 1):
        try:
            members = orjson.loads(row)
            text = canonical(members["is"])
            changed.append(members["h"])
            whole = b'{"h":"%s","is":%s}' % (members["h"].encode(), text) == row
        except (ValueError, KeyError, TypeError, AttributeError):
            whole, text = False, b""
        if not whole:
            return _damaged(trial, number, _what(texts, text)), None
        texts.append(text)
    try:
        digests = chained(began(orjson.loads(texts[0])["trial"]), texts)
    except (IndexError, KeyError, TypeError):
        return _damaged(trial, 1, "it is not a header"), None
    for number, (is_now, was) in enumerate(zip(digests, changed, strict=True), 1):
        if is_now != was:
            return _damaged(trial, number, _what(texts[: number - 1], texts[number - 1])), None
    if digests[-1] != head:
        return _damaged(trial, len(rows), "the trial does not end as it was sealed"), None
    try:
        return None, from_lines(texts).header
    except SealDamaged as error:
        return Damage(name, str(error), trial), None


def _damaged(trial: str, row: int, what: str) -> Damage:
    return Damage(f"{trial_file(trial)} row {row}", f"is not as it was sealed ({what})", trial, row)


def _what(before: Sequence[bytes], text: bytes) -> str:
    """Describe the content of a row."""
    if not text:
        return "it cannot be read any more" if before else "it is the header, and cannot be read any more"
    document = orjson.loads(text)
    kind = next(iter(document), "nothing") if isinstance(document, dict) else "nothing"
    value = document[kind] if isinstance(document, dict) and document else None
    if kind == "step" and isinstance(value, dict):
        return f"step {value.get('step')}, {value.get('app')}/{value.get('tool')}"
    return str(kind)


def _check_regraded(manifest: Manifest, files: dict[str, Member], damages: list[Damage], keys: dict[str, None]) -> None:
    number = 1
    while (member := files.get(f"regraded/{number}.jsonl")) is not None:
        signed = files.get(f"regraded/{number}.sig")
        message = regraded_message(manifest, member.data)
        text = b"" if signed is None else signed.data
        if not text.endswith(b"\n") or not holds(text[:-1].decode("ascii", "replace"), message):
            damages.append(Damage(member.name, "is not what its signature is of: one of the two was changed"))
        else:
            keys[signer(text[:-1].decode())] = None
        number += 1
    known = {f"regraded/{n}.{kind}" for n in range(1, number) for kind in ("jsonl", "sig")}
    damages += [Damage(n, "was not there") for n in files if n.startswith("regraded/") and n not in known]


def _first_difference(members: Sequence[Member], again: bytes, data: bytes) -> Damage:
    """Locate a deviation from the canonical archive form: in a header, or in the directory at its end."""
    sizes = min(len(again), len(data))
    at = next((i for i in range(sizes) if again[i] != data[i]), sizes)
    nearest = next((m.name for m in members if at < m.offset + len(m.data)), None)
    where = f"the header of {nearest}" if nearest else "the archive's directory"
    return Damage(f"byte {at}", f"{where} is not as it was written")
