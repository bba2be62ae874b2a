"""Products: two or three of each substance, with labels and the names that RxNorm would have for them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from soundstage.contexts.engine.schema import Object
from soundstage.worlds.library.medicine.draws import Draw
from soundstage.worlds.library.medicine.figures import tenths

_TOLD_MAKER = "Demo Pharma Inc."
# Products that other rows refer to have these numbers.
_RECORDED = {
    "Examplol": "99999-001",
    "Examplol Forte": "99999-002",
    "Demotazine": "99999-010",
    "Junivex": "99999-030",
    "Junivex Drops": "99999-031",
}
_THIRD = ("Duskara", "Cardelo", "Glavesa", "Picova", "Kestrola", "Luminara", "Articula", "Pipalda")
_FIRST_RXCUI, _FIRST_NDC = 9990001, 100


@dataclass(frozen=True, slots=True)
class Substance:
    """A substance as a theme has it."""

    name: str
    brand: str
    class_: str
    target: str
    form: str
    strength: str

    @property
    def plain(self) -> str:
        """Its name without the salt."""
        return self.name.split()[0]


def products(themes: dict[str, Any], words: dict[str, Any], makers: list[str]) -> Iterator[tuple[str, Object]]:
    """(entity, row) of every drug and its concepts, Examplol first."""
    made = []
    for theme, about in themes.items():
        substances = [Substance(*one) for one in about["substances"]]
        for i, substance in enumerate(substances):
            seconds = ["Drops"] if substance.brand == "Junivex" else ["Forte"] if substance.brand == "Examplol" else []
            draw = Draw(f"product.{substance.brand}")
            seconds = seconds or draw.some(words["second"], 2 if substance.brand in _THIRD else 1, "second")
            other = substances[(i + 1) % len(substances)]
            made += [_drug(theme, about, substance, other, second, words, makers) for second in ("", *seconds)]
    made.sort(key=lambda drug: drug["brand"] != "Examplol")
    numbers = iter(range(_FIRST_NDC, 1000))
    for i, drug in enumerate(made):
        drug["ndc"] = _RECORDED.get(drug["brand"]) or f"99999-{next(numbers)}"
        yield "drug", drug
        yield from (("concept", concept) for concept in _concepts(drug, _FIRST_RXCUI + 2 * i))


def _drug(
    theme: str,
    about: dict[str, Any],
    substance: Substance,
    other: Substance,
    second: str,
    words: dict[str, Any],
    makers: list[str],
) -> Object:
    brand = f"{substance.brand} {second}".strip()
    draw = Draw(f"label.{brand}")
    is_recorded = brand in _RECORDED
    kind = "leaflet" if (is_recorded and brand != "Demotazine") or draw.below(10, "kind") < 3 else "prescription"
    facts = _facts(about, substance, other, brand, words, draw)
    form = "oral solution" if second == "Drops" else substance.form
    return {
        "set_id": str(UUID(bytes=_bytes(draw), version=4)),
        "brand": brand,
        "generic": substance.name.upper(),
        "substance": substance.name.upper(),
        "manufacturer": _TOLD_MAKER if is_recorded and brand != "Demotazine" else draw.of(makers, "maker"),
        "route": words["routes"].get(form, "ORAL"),
        "dosage_form": form.upper(),
        "effective_time": "20260115" if brand == "Examplol" else _day(draw),
        "theme": theme,
        "sections": {name: [filled(item, facts) for item in items] for name, items in words[kind].items()},
        "further": {
            "package_label_principal_display_panel": [f"{brand} {substance.strength} {form}. Read the leaflet."]
        },
    }


def _facts(
    about: dict[str, Any], substance: Substance, other: Substance, brand: str, words: dict[str, Any], draw: Draw
) -> dict[str, object]:
    young = draw.below(2, "young") == 0 or "Junior" in brand or substance.brand == "Junivex"
    harm = draw.of(about["harms"], "harm")
    return {
        **{name: about[name] for name in ("condition", "plain", "people", "young")},
        **{
            "substance": substance.plain,
            "class": substance.class_,
            "classes": f"{substance.class_}s",
            "target": substance.target,
            "brand": brand,
        },
        **{"other": other.plain, "strength": substance.strength, "measure": about["measure"]["name"], "harm": harm},
        "harms": ", ".join(about["harms"][:2]) + f" and {about['harms'][2]}",
        "dose": words["doses"].get(substance.form, "one dose"),
        "times": draw.of(["once", "twice", "three times"], "times"),
        "young_warning": draw.of(words["young_warnings"][:2], "warning") if young else words["young_warnings"][2],
        "young_dose": draw.of(words["young_doses"][:2], "dose") if young else draw.of(words["young_doses"][2:], "dose"),
        **{
            "weeks": draw.between(2, 8, "weeks"),
            "many": draw.between(4, 20, "many"),
            "n": draw.between(210, 1400, "n"),
        },
        **{"tmax": tenths(draw.between(6, 48, "tmax")), "half": tenths(draw.between(40, 300, "half"))},
        **{f"rate{i}": draw.between(3, 14, f"rate{i}") for i in range(1, 5)},
    }


def _concepts(drug: Object, number: int) -> Iterator[Object]:
    """The branded name, then the generic one."""
    generic = drug["generic"].split()[0].lower()
    strength, _, form = (
        drug["further"]["package_label_principal_display_panel"][0].removeprefix(f"{drug['brand']} ").partition(" ")
    )
    unit, _, form = form.partition(" ")
    shown = f"{strength} {unit} {form.removesuffix('. Read the leaflet.').title()}"
    if "ORAL" in drug["route"] and "Oral" not in shown:
        shown = f"{strength} {unit} Oral {form.removesuffix('. Read the leaflet.').title()}"
    yield {
        "rxcui": str(number),
        "ndc": drug["ndc"],
        "name": f"{generic} {shown} [{drug['brand']}]",
        "tty": "SBD",
        "synonym": [f"{drug['brand']} {shown}"],
    }
    yield {"rxcui": str(number + 1), "ndc": drug["ndc"], "name": f"{generic} {shown}", "tty": "SCD", "synonym": []}


def filled(sentence: str, facts: dict[str, object]) -> str:
    """Fill a sentence with its facts; a capitalised name gives the capitalised fact."""
    capitals = {name.capitalize(): str(value)[:1].upper() + str(value)[1:] for name, value in facts.items()}
    return sentence.format(**{**capitals, **facts})


def _bytes(draw: Draw) -> bytes:
    return bytes(draw.below(256, f"byte{i}") for i in range(16))


def _day(draw: Draw) -> str:
    return f"{draw.between(2023, 2026, 'year')}{draw.between(1, 10, 'month'):02}{draw.between(1, 28, 'day'):02}"
