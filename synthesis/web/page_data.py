"""Read the recordings and synthesised apps of a data folder for the web pages.

Reading is slow and therefore runs in a separate reader process. The files contain foreign data or may be half written;
unreadable files are reported as a problem text.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ValidationError

from soundstage.app_roots import LOCK, NAME
from soundstage.bounded_input import JSON_LIMITS, Refused, read_json
from soundstage.source import SourceError
from soundstage.synthesis.generate.lock import CANDIDATES, LockError, read_lock
from soundstage.synthesis.traverse.recording import (
    COVERAGE,
    EPISODES,
    PLAN,
    REPEATS,
    SERVER,
    VERDICTS,
    Recording,
    RecordingError,
)
from soundstage.synthesis.web import models

POOLS = "pools"
"""The folder below the data folder that contains recordings, or links to them."""
SOURCES = (SERVER, PLAN, EPISODES, REPEATS, VERDICTS)
"""The files of a recording that its page is made from."""
MOST_BYTES = 48 * 2**20
"""A larger recording gets no page, because building it would take minutes."""
_ANSWERS_SUFFIX = ".generations.jsonl"
_MOST_EDGES, _MOST_GOALS, _MOST_MASKS = 200, 100, 60
_LONGEST = 1200  # characters of a foreign value

PageData = dict[str, Any]
"""The data of a page, or `{"problem": text}`."""


def pool_folders(data: Path) -> dict[str, Path]:
    """Return the recordings of a data folder by name: the folders with at least a server's description."""
    try:
        return {p.name: p for p in sorted((data / POOLS).iterdir()) if (p / SERVER).is_file()}
    except OSError:
        return {}


def app_folders(roots: Sequence[Path]) -> dict[str, Path]:
    """Return the synthesised apps by name, each with its root."""
    result: dict[str, Path] = {}
    for root in roots:
        for lock in sorted(root.glob(f"servers/*/{LOCK}")):
            if NAME.fullmatch(lock.parent.name):
                result.setdefault(lock.parent.name, root)
    return result


# -- in a reader --------------------------------------------------------------------------------------------------------


def overview(data: Path, roots: Sequence[Path]) -> PageData:
    """Return a summary of all recordings and apps, including apps whose generation is unfinished."""
    apps = app_folders(roots)
    answers = {
        p.name.removesuffix(_ANSWERS_SUFFIX): p
        for root in roots
        for p in sorted((root / CANDIDATES).glob(f"*{_ANSWERS_SUFFIX}"))
    }
    return {
        "pools": [
            _or_problem(folder, _pool_line, name, folder) | {"name": name}
            for name, folder in pool_folders(data).items()
        ],
        "apps": [_or_problem(root, _app_line, root, name) | {"name": name} for name, root in apps.items()],
        "begun": [{"name": name, "answers": _lines(p)} for name, p in answers.items() if name not in apps],
    }


def pool_page(name: str, folder: Path) -> PageData:
    """Return the data of a recording's page, as `models.PoolShown`, and its rendered graph."""
    return _or_problem(folder, _pool, name, folder)


def app_page(root: Path, app: str) -> PageData:
    """Return the data of an app's page, as `models.SynthesisShown`."""
    return _or_problem(root, _app, root, app)


def _or_problem(folder: Path, work: Callable[..., PageData], *arguments: object) -> PageData:
    """Return the result of `work`, or a problem text in which paths are relative to the folder."""
    try:
        return work(*arguments)
    except (RecordingError, SourceError, LockError) as error:
        return {"problem": str(error).replace(f"{folder}/", "").replace(str(folder), folder.name)}
    except OSError as error:
        return {"problem": f"a file of it cannot be read ({error.strerror or error})"}
    except ValidationError as error:
        first = error.errors()[0]
        place = ".".join(map(str, first["loc"]))
        return {"problem": _sound(f"its files are not what a run writes ({place}: {first['msg']})")}
    except (ArithmeticError, AttributeError, LookupError, RecursionError, TypeError, ValueError) as error:
        words = " ".join(str(error).split())[:200]
        return {"problem": _sound(f"its files are not what a run writes ({type(error).__name__}: {words})")}


def _pool_line(name: str, folder: Path) -> PageData:
    server = Recording(folder).server
    info = server["serverInfo"]
    result: PageData = {
        "name": name, "server": f"{info['name']} {info['version']}"[:_LONGEST], "id": str(server["id"]),
        "tools": len(server["tools"]),
        "calls": None, "covered": None, "applicable": None,
    }  # fmt: skip
    if (folder / COVERAGE).is_file():
        try:
            coverage = read_json((folder / COVERAGE).read_bytes(), JSON_LIMITS)
        except Refused as refused:
            raise RecordingError(f"{COVERAGE}: {refused}; `soundstage traverse rebuild` makes it again") from None
        for figure in ("calls", "covered", "applicable"):
            result[figure] = sum(int(tool[figure]) for tool in coverage.values())
    return _checked(models.PoolListed, result)


def _app_line(root: Path, app: str) -> PageData:
    lock = read_lock(root, app)
    return _checked(models.AppListed, {
        "name": app, "server": f"{lock.server['name']} {lock.server['version']}"[:_LONGEST], "pool": lock.recording,
        "generator": lock.generator,
        "tools": len(lock.tools), "kernels": sum(tool["answered_by"] == "kernel" for tool in lock.tools.values()),
        "outcome": dict(lock.whole["held_out"]["outcome"]), "episodes": dict(lock.whole["episodes"]),
        "served": bool(lock.accepted), "looks": lock.looks,
    })  # fmt: skip


def _pool(name: str, folder: Path) -> PageData:
    size = sum((folder / file).stat().st_size for file in (EPISODES, REPEATS) if (folder / file).is_file())
    if size > MOST_BYTES:
        raise RecordingError(
            f"it has {size / 2**20:.0f} MiB of recorded calls, and pages are made of at most {MOST_BYTES // 2**20}; "
            "`soundstage traverse report` makes a page of any"
        )
    from soundstage.synthesis.traverse.derive import (
        Derived,
    )  # imported in the reader only: it would delay the gateway's start
    from soundstage.synthesis.traverse.plan import read_plan
    from soundstage.synthesis.traverse.report import whole

    planned = read_plan(Recording(folder))
    data = whole(planned, Derived(planned))
    figures = data["figures"]
    return {
        "pool": _checked(models.PoolShown, figures | {
            "name": name, "id": planned.server["id"], "edges": figures["edges"][:_MOST_EDGES],
            "more_edges": max(0, len(figures["edges"]) - _MOST_EDGES),
            "volatile": {tool: masks[:_MOST_MASKS] for tool, masks in figures["volatile"].items()},
            "per_tool": {tool: _recorded(tool, c, data) for tool, c in figures["per_tool"].items()},
        }),
        "picture": _sound(data["picture"]),
    }  # fmt: skip


def _recorded(tool: str, coverage: Mapping[str, Any], data: PageData) -> PageData:
    examples = [
        {**one, "arguments": json.dumps(one["arguments"], ensure_ascii=False)[:_LONGEST]}
        for one in data["examples"][tool]
    ]
    return {
        **coverage, "examples": examples, "missing": dict(list(coverage["missing"].items())[:_MOST_GOALS]),
        "more_missing": max(0, len(coverage["missing"]) - _MOST_GOALS),
        "refusals": [words[:_LONGEST] for words in data["refusals"][tool]], "more_refusals": data["more"][tool],
    }  # fmt: skip


def _app(root: Path, app: str) -> PageData:
    from soundstage.synthesis.generate.report import shown  # imported in the reader only, as above
    from soundstage.synthesis.generate.upkeep import file_states

    data = shown(read_lock(root, app), file_states(root, app))
    lock = data["lock"]
    tools = {
        one["name"]: {
            "accepted_by": None, **one["measured"], "bars": one["bars"],
            "worst": [
                {"head": w["head"], "lines": [{"kind": k, "text": text} for k, text in w["lines"]]} for w in one["worst"]
            ],
        }
        for one in data["tools"]
    }  # fmt: skip
    return {
        "app": _checked(models.SynthesisShown, {
            **lock, **lock["whole"], "name": app, "looks": lock["heldout_looks"], "bars": data["whole"], "tools": tools,
            "files": data["files"], "layers": [dict(zip(("name", "what", "had"), one, strict=True)) for one in data["layers"]],
        }),
    }  # fmt: skip


def _checked(shape: type[BaseModel], data: Mapping[str, Any]) -> PageData:
    """Validate data against its model; invalid data was not written by a run.

    Raises:
        ValidationError: The message names the member.
    """
    return shape.model_validate(_sound(data)).model_dump()


def _sound(value: Any) -> Any:
    """Replace unpaired surrogates, which cannot be encoded, in the texts of a value."""
    if isinstance(value, str):
        return value.encode("utf-8", "replace").decode()
    if isinstance(value, Mapping):
        return {_sound(name): _sound(inner) for name, inner in value.items()}
    return [_sound(inner) for inner in value] if isinstance(value, list | tuple) else value


def _lines(path: Path) -> int:
    try:
        return path.read_bytes().count(b"\n")
    except OSError:
        return 0
