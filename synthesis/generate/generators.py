"""Generators of candidates: a model behind an endpoint, any program, or a folder of files.

Only the paths that the prompt requests are accepted from a generator's answer, as plain files of bounded size. Answers are
stored in `generations.jsonl` and never requested twice.
"""

from __future__ import annotations

import base64
import fnmatch
import json
import re
import tempfile
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Protocol

from soundstage.bounded_input import Limits, Refused, read_json
from soundstage.models.asking import Model, ModelError, Question, Unusable, ask_for
from soundstage.models.command import Command
from soundstage.models.reading import fenced, json_in
from soundstage.models.spend import Budget, Spend
from soundstage.synthesis.generate.prompt import RULES, Prompt
from soundstage.synthesis.generate.prompt_level import levels_down
from soundstage.synthesis.generate.static_check import MOST_BYTES

MOST_FILES = 20
_LIMITS = Limits(size=4 * 2**20, values=100_000, depth=40)
ANSWER_TOKENS = 8000
"""Maximum length of one model answer; a kernel of 200 lines needs a quarter of it."""
_VARIED = 0.8
"""The temperature of a round's further candidates."""
_NAMED = re.compile(r"kernels/[\w./-]+\.py")


class NoAnswer(RuntimeError):
    """A generator has no answer to a prompt; the message contains the reason."""


@dataclass(frozen=True, slots=True)
class Generated:
    """A generator's output: files by path, the cost, and the rejected parts with the reason."""

    files: Mapping[str, bytes]
    tokens_in: int = 0
    tokens_out: int = 0
    seconds: float = 0.0
    left_out: tuple[str, ...] = ()


class Generator(Protocol):
    """A writer of candidates; `provenance` is a model's name, a program, or the origin of scripted candidates."""

    @property
    def provenance(self) -> str:
        """The origin of the candidates."""
        ...

    def write(self, brief: Prompt) -> Generated:
        """Return the files for a prompt.

        Raises:
            NoAnswer
        """


class ModelGenerator:
    """`chat`: a model that is asked for files as JSON or as fenced blocks, each with its path.

    `tokens` limits the tokens of all answers together, `longest` those of one answer.
    """

    def __init__(self, model: Model, tokens: int | None, longest: int = ANSWER_TOKENS) -> None:
        self._longest = longest
        self._spend = Spend(model, Budget(tokens=tokens))

    @property
    def provenance(self) -> str:
        """The model's name with its kind."""
        return f"chat {self._spend.name}"

    def write(self, brief: Prompt) -> Generated:
        """Ask the model for the files of a prompt."""
        request = (
            f'{brief.text}\nAnswer with JSON {{"files": [{{"path": …, "content": …}}]}}, or with one fenced block for each file, '
            "its path in the line before."
        )
        before = self._spend.total
        began = time.monotonic()
        try:
            files = ask_for(self._spend, self._question(request, brief.sample), lambda text: files_in(text, brief))
        except ModelError as error:
            raise NoAnswer(str(error)) from None
        after = self._spend.total
        taken, left_out = wanted(files, brief)
        seconds = round(time.monotonic() - began, 3)
        return Generated(
            taken, after.tokens_in - before.tokens_in, after.tokens_out - before.tokens_out, seconds, left_out
        )

    def _question(self, request: str, sample: int) -> Question:
        """Return the model request; a round's first candidate uses temperature 0, each further one a different seed."""
        if not sample:
            return Question.of(request, most_tokens=self._longest)
        return Question.of(request, seed=sample, temperature=_VARIED, most_tokens=self._longest)


class CommandGenerator:
    """`command`: any program.

    It reads the prompt from standard input, runs in an empty folder with the prompt's files, and writes below `out/`.
    """

    def __init__(self, command: Command) -> None:
        self._command = command

    @property
    def provenance(self) -> str:
        """The program's name."""
        return self._command.name

    def write(self, brief: Prompt) -> Generated:
        """Run the program for a prompt."""
        with tempfile.TemporaryDirectory(prefix="brief-") as made:
            folder = Path(made)
            for path, content in {**brief.files, "brief.md": brief.text.encode()}.items():
                (folder / path).parent.mkdir(parents=True, exist_ok=True)
                (folder / path).write_bytes(content)
            (folder / "out").mkdir()
            began = time.monotonic()
            try:
                answer = replace(self._command, folder=folder, may_be_silent=True).ask(Question.of(brief.text))
            except ModelError as error:
                raise NoAnswer(str(error)) from None
            files, refused = _below(folder / "out", brief)
        taken, left_out = wanted(files, brief)
        if not taken and brief.part != RULES:
            raise NoAnswer(f"the program wrote nothing at {', '.join(brief.wanted)} below out/")
        seconds = round(time.monotonic() - began, 3)
        return Generated(taken, answer.tokens_in, answer.tokens_out, seconds, (*refused, *left_out))


@dataclass(frozen=True, slots=True)
class NoGenerator:
    """A placeholder for runs in which no generator may be asked."""

    provenance: str

    def write(self, brief: Prompt) -> Generated:
        """Refuse every prompt."""
        raise NoAnswer(f"{self.provenance} is not asked")


class ScriptedGenerator:
    """`scripted`: candidates from a folder.

    - `<tool>.py` is used for every round.
    - `<tool>.<round>.py` is used from that round on.
    - `<tool>.<round>-<n>.py` is the round's nth candidate, from the second on.
    - `<tool>.<level>.py` is used from that prompt level on.
    - `rules/*.py` are the shared rules.

    The first line of the folder's `PROVENANCE` file states the origin of the candidates.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        if not folder.is_dir():
            raise NoAnswer(f"{folder} is not a folder of candidates")

    @property
    def provenance(self) -> str:
        """The origin that the folder states."""
        provenance_file = self._folder / "PROVENANCE"
        first = provenance_file.read_text("utf-8").splitlines()[0] if provenance_file.is_file() else "origin not stated"
        return f"scripted: {first}"

    def write(self, brief: Prompt) -> Generated:
        """Return the folder's files for a prompt."""
        if brief.part == RULES:
            files = {f"kernels/{brief.app}/rules/{p.name}": p for p in sorted((self._folder / "rules").glob("*.py"))}
        else:
            name = brief.part.replace("-", "_")
            of_rounds = [f"{name}.{number}.py" for number in range(brief.round, 0, -1)]
            of_levels = [f"{name}.{level}.py" for level in levels_down(brief.knowing)]
            further = f"{name}.{brief.round}-{brief.sample + 1}.py"
            names = [further] if brief.sample else [*of_rounds, *of_levels, f"{name}.py"]
            files_there = (self._folder / file for file in names)
            candidate = next((p for p in files_there if p.exists() or p.is_symlink()), None)
            if candidate is None:
                raise NoAnswer(f"{self._folder} has no {names[-1]}")
            files = {brief.wanted[0]: candidate}
        taken: dict[str, bytes] = {}
        refused: list[str] = []
        for path, file in files.items():
            if (why := _refusal(file)) is None:
                taken[path] = file.read_bytes()
            else:
                refused.append(f"{file.name}: {why}")
        if refused and not taken:
            raise NoAnswer("; ".join(refused))
        return Generated(taken, left_out=tuple(refused))


class CachedGenerator:
    """A generator that stores answers in a file by the prompt's digest, so that a repeated run requests nothing twice."""

    def __init__(self, generator: Generator, file: Path) -> None:
        self._generator = generator
        self._file = file
        self._known: dict[tuple[str, str], dict[str, Any]] = {}
        if file.exists():
            for row in file.read_bytes().splitlines():
                try:
                    line = read_json(row, _LIMITS)
                except Refused:
                    continue  # the incomplete last line of a killed run
                self._known[line["generator"], line["brief"]] = line

    @property
    def provenance(self) -> str:
        """The wrapped generator's provenance."""
        return self._generator.provenance

    def write(self, brief: Prompt) -> Generated:
        """Return the stored answer to a prompt, or request and store one."""
        key = (self.provenance, brief.digest)
        if key not in self._known:
            made = self._generator.write(brief)
            line: dict[str, Any] = {
                "generator": key[0], "brief": key[1], "part": brief.part, "round": brief.round,
                "files": {path: base64.b64encode(content).decode() for path, content in made.files.items()},
                "tokens_in": made.tokens_in, "tokens_out": made.tokens_out, "seconds": made.seconds, "left_out": made.left_out,
            }  # fmt: skip
            with open(self._file, "ab") as file:
                file.write(self._gap() + json.dumps(line).encode() + b"\n")
            self._known[key] = line
        line = self._known[key]
        files = {str(path): base64.b64decode(content) for path, content in line["files"].items()}
        return Generated(files, line["tokens_in"], line["tokens_out"], line["seconds"], tuple(line["left_out"]))

    def _gap(self) -> bytes:
        """Return a line break if a killed run left the last line incomplete."""
        return b"\n" if self._file.exists() and self._file.read_bytes()[-1:] not in (b"", b"\n") else b""


def files_in(text: str, brief: Prompt) -> dict[str, bytes]:
    """Extract the files from an answer, ignoring any surrounding text.

    Raises:
        Unusable: The answer contains no files.
    """
    try:
        answer = json_in(text)
        return {str(f["path"]): str(f["content"]).encode() for f in answer["files"]}
    except (Unusable, KeyError, TypeError):
        pass  # it may have fenced blocks instead
    result: dict[str, bytes] = {}
    alone = brief.wanted[0] if len(brief.wanted) == 1 and "*" not in brief.wanted[0] else None
    for block in fenced(text):
        named = _NAMED.search(block.info) or _NAMED.search(block.above)
        if (path := named[0] if named else alone) is not None:
            result[path] = block.content.encode()
    if not result and brief.part != RULES:
        raise Unusable(f"no file is in it; {', '.join(brief.wanted)} was asked for")
    return result


def wanted(files: Mapping[str, bytes], brief: Prompt) -> tuple[dict[str, bytes], tuple[str, ...]]:
    """Split an answer's files into those that the prompt requested and the reasons for rejecting the others."""
    taken: dict[str, bytes] = {}
    left_out: list[str] = []
    for path, content in sorted(files.items()):
        if not any(fnmatch.fnmatchcase(path, pattern) for pattern in brief.wanted) or ".." in path:
            left_out.append(f"{path}: was not asked for")
        elif len(content) > MOST_BYTES:
            left_out.append(f"{path}: {len(content)} bytes; the maximum is {MOST_BYTES}")
        elif len(taken) >= MOST_FILES:
            left_out.append(f"{path}: more than {MOST_FILES} files")
        else:
            taken[path] = content
    return taken, tuple(left_out)


def _below(out: Path, brief: Prompt) -> tuple[dict[str, bytes], Sequence[str]]:
    if out.is_symlink() or not out.is_dir():
        return {}, ["out/: is no longer a folder"]
    files: dict[str, bytes] = {}
    refused: list[str] = []
    for path in sorted(out.rglob("*")):
        shown = path.relative_to(out).as_posix()
        if (
            any(parent.is_symlink() for parent in (path, *path.parents) if parent != out and out in parent.parents)
            or path.is_symlink()
        ):
            refused.append(f"{shown}: is a link")
        elif path.is_file():
            if (why := _refusal(path)) is None:
                files[shown] = path.read_bytes()
            else:
                refused.append(f"{shown}: {why}")
    return files, refused


def _refusal(path: Path) -> str | None:
    """Return the reason for which a file is rejected."""
    if path.is_symlink():
        return "is a link"
    if not path.is_file():
        return "is not a file"
    return f"{path.stat().st_size} bytes; the maximum is {MOST_BYTES}" if path.stat().st_size > MOST_BYTES else None
