"""Stored comparisons with real servers, and the page that presents them: `docs/parity.md`, from `docs/parity/*.json`."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from soundstage.synthesis.fidelity.pairs import Pairs

_HEAD = """# Parity

This page shows how closely the simulated apps match the real servers. Each table comes from one run of

```
soundstage fidelity --pairs sim live:APP --new N --seed S --keep docs/parity/APP.json
```

The command draws new calls that are in no recording. Half of them run first on the real server and then on the
simulated app, the other half in the opposite order, as whole scenarios without corrections ([fidelity](fidelity.md)).
The real server's success is the positive class: a false positive (FP) is a call that the app accepts and the real
server rejects, a false negative (FN) a call that the app rejects and the real server accepts. *Exact* is the share of
replies that are equal except for volatile parts, *state* the share of later reads that return the same. Intervals are
Wilson's at 95 %.

`soundstage parity` generates this page from the results in `docs/parity/`; do not edit either.
"""
_MATRIX = ("true_positives", "true_negatives", "false_positives", "false_negatives")


class InvalidResult(ValueError):
    """A file is not a result that `--keep` wrote; the message names it."""


def stored_form(
    pairs: Pairs, *, app: str, version: str, server: Mapping[str, Any], at: str, seed: int
) -> dict[str, Any]:
    """Build the stored form of a comparison.

    It contains the app's version, the real server (a `server.json`), the time, and the scores.
    """
    info = server["serverInfo"]
    return {
        "app": app,
        "version": version,
        "server": {
            "name": info.get("name", ""),
            "version": info.get("version", ""),
            "package": server.get("package"),
            "id": server["id"],
        },
        "at": at,
        "seed": seed,
        "calls": len(pairs.all),
        **pairs.as_json(),
    }


def as_text(result: Mapping[str, Any]) -> str:
    """Serialize a result to the text of its file."""
    return json.dumps(result, ensure_ascii=False, indent=1) + "\n"


def read_results(folder: Path) -> list[dict[str, Any]]:
    """Read the stored results by app, the latest first.

    Raises:
        InvalidResult
    """
    results: list[dict[str, Any]] = []
    for path in sorted(folder.glob("*.json")):
        try:
            result = json.loads(path.read_text(encoding="utf-8"))
            section(result)
        except (OSError, ValueError, LookupError, TypeError) as error:
            raise InvalidResult(
                f"{path} is not a result that `soundstage fidelity --pairs … --keep` wrote ({error})"
            ) from None
        results.append(result)
    return sorted(sorted(results, key=lambda r: str(r["at"]), reverse=True), key=lambda r: str(r["app"]))


def page(results: Sequence[Mapping[str, Any]], more: str = "") -> str:
    """Render the whole page, followed by `more`."""
    return "\n".join((_HEAD, *(section(result) for result in results), *([more] if more else ())))


def section(result: Mapping[str, Any]) -> str:
    """Render the page's section on one result."""
    server, overall = result["server"], result["overall"]
    to_the_end = _bounds(overall["figures"]["to_the_end"])
    lines = [
        f"## {result['app']}",
        "",
        f"Version `{result['version']}` compared with {named(server)}, {result['at'][:10]}, seed {result['seed']}: "
        f"{result['calls']} calls in {overall['figures']['episodes']} episodes; share of episodes that agree to their end: "
        f"{to_the_end}.",
        "",
        "| first → second side | calls | TP | TN | FP | FN | outcome | exact | state |",
        "|---|--:|--:|--:|--:|--:|---|---|---|",
        *(_row(name.replace("to", "→"), side) for name, side in result["directions"].items()),
        _row("both", overall),
        "",
        "| tool | calls | TP | TN | FP | FN | outcome | exact | state |",
        "|---|--:|--:|--:|--:|--:|---|---|---|",
        *(_row(f"`{name}`", tool) for name, tool in result["tools"].items()),
        "",
    ]
    return "\n".join(lines)


def named(server: Mapping[str, Any]) -> str:
    """Return a real server's name and version, and its package if known."""
    says = f"{server['name']} {server['version']}".strip()
    return says if server["package"] is None else f"{server['package']} ({says})"


def _row(name: str, side: Mapping[str, Any]) -> str:
    figures = side["figures"]
    shares = (_bounds(figures[share]) for share in ("outcome", "exact", "probes"))
    cells = (name, str(figures["calls"]), *(str(side[m]) for m in _MATRIX), *shares)
    return f"| {' | '.join(cells)} |"


def _bounds(share: Mapping[str, Any]) -> str:
    if share["share"] is None:
        return "–"
    return f"{share['share']:.3f} ({share['low']:.3f} to {share['high']:.3f}, n = {share['n']})"
