"""Render the measurements of a synthesised app as a self-contained HTML page; foreign text is always escaped."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from soundstage.servers.confined.layers import LAYERS
from soundstage.synthesis.generate.lock import Lock
from soundstage.synthesis.generate.upkeep import FileState

_RATES = (
    ("outcome", "done or refused as recorded", "outcome"),
    ("false_positives", "refusals taken for successes", "false_positives"),
    ("exact", "the same reply", "exact"),
    ("key_paths", "members of the reply", "key_paths"),
    ("state", "the same state after", "state"),
)


def page(lock: Lock, files: Sequence[FileState]) -> str:
    """Render an app's page: tools with scores and worst mismatches, files, cost, and the sandbox."""
    made: str = template("report.html.jinja").render(**shown(lock, files))
    return made


def shown(lock: Lock, files: Sequence[FileState]) -> dict[str, Any]:
    """Return the data of an app's page."""
    data = lock.as_json()
    limits = data["whole"]["thresholds"]
    return {
        "lock": data,
        "whole": list(_bars(data["whole"]["held_out"], limits)),
        "tools": [
            {
                "name": name,
                "measured": tool,
                "bars": list(_bars(tool["held_out"], limits)),
                "worst": worst(tool["worst"]),
            }
            for name, tool in sorted(data["tools"].items(), key=lambda one: (one[1]["answered_by"] == "kernel", one[0]))
        ],
        "files": list(files),
        "layers": [(name, what, name in data["whole"]["sandbox"]) for name, what in LAYERS.items()],
        "spent": {name: sum(tool[name] for tool in data["tools"].values()) for name in _SPENT},
    }


_SPENT = ("rounds", "tokens_in", "tokens_out", "seconds")


def _bars(score: Mapping[str, Any], limits: Mapping[str, float]) -> Iterator[dict[str, Any]]:
    """Yield each score with its interval and threshold, in percent."""
    for name, shown, limit in _RATES:
        rate, threshold = score[name], limits[limit]
        at_most = name == "false_positives"
        missed = rate["rate"] is not None and (rate["rate"] > threshold if at_most else rate["rate"] < threshold)
        yield bar(shown, rate) | {"missed": missed, "at_most": at_most, "asked": round(100 * threshold, 1)}


def bar(shown: str, rate: Mapping[str, Any]) -> dict[str, Any]:
    """Return a rate with its interval in percent, without a threshold."""
    parts = {part: None if rate[part] is None else round(100 * rate[part], 1) for part in ("rate", "low", "high")}
    return {"shown": shown, "count": rate["count"], "of": rate["of"], "missed": False, "asked": None, **parts}


def worst(mismatches: Sequence[str]) -> list[dict[str, Any]]:
    """Parse the worst mismatches into a title and lines, with difference lines marked."""
    result = []
    for text in mismatches:
        head, *lines = text.splitlines()
        kinds = {"  -": "gone", "  +": "new", "  @": "at"}
        result.append({"head": head, "lines": [(kinds.get(line[:3], "plain"), line[2:]) for line in lines]})
    return result


@cache
def template(name: str) -> Any:
    """Return a page's template."""
    loader = FileSystemLoader(Path(__file__).parent)
    return Environment(loader=loader, autoescape=True, undefined=StrictUndefined, trim_blocks=True).get_template(name)
