"""The figures of a study, consistent with each other and with its findings. Values are in tenths of a unit."""

from __future__ import annotations

import math
from dataclasses import dataclass

from soundstage.worlds.library.medicine.draws import Draw

_NORMAL = (
    (3.29, "P<0.001"),
    (3.09, "P = 0.002"),
    (2.81, "P = 0.005"),
    (2.58, "P = 0.01"),
    (2.33, "P = 0.02"),
    (1.96, "P = 0.04"),
)
_NOT = (
    (1.88, "P = 0.06"),
    (1.75, "P = 0.08"),
    (1.64, "P = 0.10"),
    (1.28, "P = 0.20"),
    (0.84, "P = 0.40"),
    (0.52, "P = 0.60"),
    (0.25, "P = 0.80"),
    (-9.0, "P = 0.90"),
)


@dataclass(frozen=True, slots=True)
class Measure:
    """A measure of a study: its name and unit, a baseline with its spread, and the size of a good effect."""

    name: str
    unit: str
    base: int
    spread: int
    step: int


def tenths(value: int) -> str:
    """A value in tenths as it is printed: `-3.4`."""
    return f"{'-' if value < 0 else ''}{abs(value) // 10}.{abs(value) % 10}"


def share(part: int, whole: int) -> str:
    """A part in percent, with one place."""
    return tenths((part * 2000 + whole) // (2 * whole))


def comparison(draw: Draw, measure: Measure, smallest: int, largest: int) -> tuple[dict[str, object], bool]:
    """Return the figures of two groups before and after, by their names in sentences, and whether the first did better."""
    n1 = draw.between(smallest, largest, "n1")
    n0 = n1 + draw.between(-2, 2, "n0")
    before1, before0 = (measure.base + draw.between(-3, 3, f"before{i}") * measure.spread // 40 for i in (1, 0))
    change0 = measure.step * draw.between(10, 45, "change0") // 100
    effect = measure.step * draw.between(-15, 130, "effect") // 100
    error = measure.spread * math.sqrt(1 / n1 + 1 / n0)
    margin = max(1, round(1.96 * error))
    good = effect - margin > 0
    certainty = abs(effect) / error
    facts = {
        **{"n1": n1, "n0": n0, "N": n1 + n0},
        **{"before1": tenths(before1), "after1": tenths(before1 - change0 - effect)},
        **{"before0": tenths(before0), "after0": tenths(before0 - change0)},
        **{"difference": tenths(effect), "low": tenths(effect - margin), "high": tenths(effect + margin)},
        "p": _p(certainty, good or effect + margin < 0),
        "verdict": "more than chance would bring about" if good else "no more than chance may bring about",
    }
    likely0 = draw.between(18, 40, "r0")
    likely1 = likely0 + (draw.between(12, 28, "r1") if good else draw.between(-2, 4, "r1"))
    return {**facts, **_parts(draw, n1, n0, likely1, likely0)}, good


def cohort(draw: Draw) -> tuple[dict[str, object], bool]:
    """Two matched groups and who of them was admitted, as a ratio of risks."""
    n1 = draw.between(420, 4800, "n1")
    risk0, less = draw.between(40, 160, "risk0"), draw.between(-5, 45, "less")
    e0 = max(12, n1 * risk0 // 1000)
    e1 = max(10, e0 * (100 - less) // 100)
    ratio = e1 / e0
    error = math.sqrt(1 / e1 + 1 / e0 - 2 / n1)
    low, high = (round(ratio * math.exp(side * 1.96 * error), 2) for side in (-1, 1))
    facts = {
        **{"n1": n1, "n0": n1, "N": 2 * n1, "e1": e1, "e0": e0, "e1_share": share(e1, n1), "e0_share": share(e0, n1)},
        **{"ratio": f"{round(ratio, 2):.2f}", "ratio_low": f"{low:.2f}", "ratio_high": f"{high:.2f}"},
    }
    return {**facts, **_parts(draw, n1, n1, 20, 20)}, high < 1


def pooled(draw: Draw, measure: Measure) -> tuple[dict[str, object], bool]:
    """The trials of a review, taken together."""
    k = draw.between(5, 19, "k")
    n = sum(draw.between(40, 260, f"trial{i}") for i in range(k))
    effect = measure.step * draw.between(-5, 110, "effect") // 100
    margin = max(1, round(1.96 * measure.spread * math.sqrt(4 / n) * draw.between(10, 18, "between") / 10))
    facts = {
        **{"k": k, "N": n, "small": draw.between(1, k // 2, "small"), "i2": draw.between(12, 74, "i2")},
        **{"difference": tenths(effect), "low": tenths(effect - margin), "high": tenths(effect + margin)},
        "difference_large": tenths(effect * draw.between(80, 104, "large") // 100),
    }
    return {**facts, **_parts(draw, n // 2, n - n // 2, 20, 20)}, effect - margin > 0


def few(draw: Draw, smallest: int, largest: int, *, good_of_ten: int) -> tuple[dict[str, object], bool]:
    """Return the figures of a small group: volunteers, cases, or respondents of a questionnaire."""
    good = draw.below(10, "good") < good_of_ten
    n = draw.between(smallest, largest, "N")
    n1 = max(2, n * draw.between(35, 70, "n1") // 100)
    most = n if largest < 20 else n1
    r1 = most * draw.between(60, 90, "r1") // 100 if good else most * draw.between(10, 35, "r1") // 100
    r0 = n1 * draw.between(15, 45, "r0") // 100
    h1 = max(1, (n if largest < 60 else n1) * draw.between(8, 30, "h1") // 100)
    return {
        **{"N": n, "n1": n1, "n1_share": share(n1, n), "r1": max(1, r1), "r0": r0, "h1": h1},
        **{
            "r1_share": share(max(1, r1), n1),
            "r0_share": share(r0, n1),
            "h1_share": share(h1, n if largest < 60 else n1),
        },
        **{"left": max(1, n // 5), "talks": draw.between(8, 24, "talks"), "tmax": tenths(draw.between(6, 48, "tmax"))},
        "half": tenths(draw.between(160, 320, "half") if good else draw.between(18, 55, "half")),
        **{"r2": draw.between(91, 99, "r2"), "engaged": draw.between(71, 94, "engaged")},
    }, good


def _parts(draw: Draw, n1: int, n0: int, likely1: int, likely0: int) -> dict[str, object]:
    """How many of two groups responded, and how many were harmed."""
    r1, r0 = n1 * likely1 // 100, n0 * likely0 // 100
    h0 = n0 * draw.between(2, 9, "h0") // 100
    h1 = h0 * n1 // n0 + n1 * draw.between(2, 12, "h1") // 100
    return {
        **{"r1": r1, "r0": r0, "r1_share": share(r1, n1), "r0_share": share(r0, n0)},
        **{"h1": h1, "h0": h0, "h1_share": share(h1, n1), "h0_share": share(h0, n0)},
        "left": draw.between(2, max(3, n1 // 9), "left"),
    }


def _p(certainty: float, significant: bool) -> str:
    return next(
        (words for least, words in (_NORMAL if significant else _NOT) if certainty >= least),
        "P = 0.05" if significant else "P = 0.90",
    )
