"""Generate careless runs: the oracle's run with random slips, so that the score falls as slips become more frequent.

One random number per action is compared with the slip rate, so that an action which fails at rate 0.1 also fails at 0.2.
"""

from __future__ import annotations

import random
import re
from collections.abc import Mapping
from dataclasses import replace
from hashlib import blake2b
from typing import Any, Literal

from soundstage.grading.lint.arguments import swapped
from soundstage.grading.oracle import Script, dropped, repeated

Slip = Literal["left out", "made twice", "made otherwise"]
Effect = Literal["read", "create", "update", "delete", "other"]

ANSWER = "answer"
"""The label of handing in the answer, which counts as an action."""

_STOCK_ANSWER = "Done."
_EPOCH = re.compile(r"(?<!\d)1[6-9]\d{8}(?:\d{3})?(?!\d)")
_DAY = re.compile(r"(?<!\d)(20\d{2}-\d{2}-)([012]\d)(?!\d)")
_HOUR = re.compile(r"(?<![\d:])([01]\d|2[0-3])(:[0-5]\d)(?![\d:])")
_WEEK_S = 604_800


def slips(script: Script, effects: Mapping[str, Effect], *, share: float, seed: str) -> dict[str, Slip]:
    """Choose the actions that go wrong, and how; `effects` maps labels to effects, `share` is 0…1.

    Only creating actions are made twice, because repeating others may have no effect.
    """
    result: dict[str, Slip] = {}
    deeds = [call.as_ for call in script.calls if effects[call.as_] != "read"]
    for label in (*deeds, ANSWER):
        chance = random.Random(blake2b(f"{seed} {label}".encode(), digest_size=16).digest())  # noqa: S311
        if chance.random() >= share:
            continue
        ways: list[Slip] = ["left out", "made otherwise"]
        if label != ANSWER and effects[label] == "create":
            ways.append("made twice")
        result[label] = chance.choice(ways)
    return result


def with_slips(script: Script, chosen: Mapping[str, Slip]) -> Script:
    """Return the run without omitted calls and their dependants, and with duplicated calls repeated.

    Changed calls are modified later (`altered`), because their arguments are known only at run time.
    """
    for label, slip in chosen.items():
        if label == ANSWER:
            script = replace(script, answer="" if slip == "left out" else _STOCK_ANSWER, outcome="done")
        elif not any(call.as_ == label for call in script.calls):  # it depended on an omitted call
            continue
        elif slip == "left out":
            script = dropped(script, label)
        elif slip == "made twice":
            script = repeated(script, label)
    return script


def altered(arguments: Any, swaps: Mapping[str, Mapping[str, Mapping[str, str]]], seed: str) -> Any | None:
    """Return the arguments with another person, place or time; None if they contain none.

    `swaps` maps the kind of confusion (person, place) and the intended thing to right and wrong texts.
    """
    result: list[Any] = []
    for kind in sorted(swaps):
        ways = [swapped(arguments, texts) for _, texts in sorted(swaps[kind].items()) if texts]
        result += [wrong for wrong in ways if wrong != arguments]
    late = _a_week_late(arguments)
    if late != arguments:
        result.append(late)
    if not result:
        return None
    chance = random.Random(blake2b(seed.encode(), digest_size=16).digest())  # noqa: S311
    return chance.choice(result)


def _a_week_late(value: Any) -> Any:
    """Shift every time: epochs by a week, and days and clock times in texts by one."""
    if isinstance(value, dict):
        return {k: _a_week_late(v) for k, v in value.items()}
    if isinstance(value, list):
        return [_a_week_late(v) for v in value]
    if isinstance(value, int) and not isinstance(value, bool) and _EPOCH.fullmatch(str(value)):
        return int(_later(str(value)))
    if isinstance(value, str):
        value = _EPOCH.sub(lambda match: _later(match[0]), value)
        value = _DAY.sub(lambda match: f"{match[1]}{int(match[2]) % 28 + 1:02}", value)
        return _HOUR.sub(lambda match: f"{(int(match[1]) + 1) % 24:02}{match[2]}", value)
    return value


def _later(epoch: str) -> str:
    return str(int(epoch) + _WEEK_S * (1000 if len(epoch) == 13 else 1))
