"""The rows of the realm `medicine`: drugs and their names, articles, advice, reviews, trials, and public health figures.

They are read from the files next to this one; the public health figures are computed by a formula.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from soundstage.contexts.engine.schema import Object
from soundstage.source import read
from soundstage.worlds.library.medicine import papers
from soundstage.worlds.library.medicine.draws import Draw
from soundstage.worlds.library.medicine.labels import products

_HERE = Path(__file__).parent
_FILES = ("themes", "names", "sentences", "articles", "labels", "countries", "indicators", "pages")
_FIRST_YEAR, _LAST_YEAR = 2005, 2024
_PATHS = {"bright-futures": "bf", "aap-policy": "policy"}


def rows(facts: Mapping[tuple[str, str], list[Object]]) -> Iterator[tuple[str, Object]]:
    """(entity, row) of everything; this realm rests on no other."""
    files = {name: read(_HERE / f"{name}.yaml").value for name in _FILES}
    yield from products(files["themes"], files["labels"], files["names"]["makers"])
    yield from (("article", article) for article in papers.articles(files))
    yield from (("review", review) for review in papers.reviews(files))
    yield from (("trial", trial) for trial in papers.trials(files))
    for source, pages in files["pages"].items():
        for path, title, description in pages:
            url = f"https://guides.test/{_PATHS[source]}/{path}"
            yield "guideline", {"url": url, "source": source, "title": title, "description": description}
    for code, name, region, _ in files["countries"]:
        yield "country", {"code": code, "name": name, "region": region}
    for code, name, *_ in files["indicators"]:
        yield "indicator", {"code": code, "name": name}
    for indicator in files["indicators"]:
        for year in range(_LAST_YEAR, _FIRST_YEAR - 1, -1):
            yield from (("figure", _figure(indicator, country, year)) for country in files["countries"])


def _figure(indicator: list[Any], country: list[Any], year: int) -> Object:
    """Interpolate between the poorest and the richest country by wealth, trend from the first year, and add noise."""
    code, _, poorest, richest, before, digits = indicator
    land, _, _, wealth = country
    now = poorest + (richest - poorest) * wealth / 100
    past = (before - 100) / 100 * (_LAST_YEAR - year) / (_LAST_YEAR - _FIRST_YEAR)
    draw = Draw(f"{code}.{land}")
    chance = (draw.between(-40, 40, "level") + draw.between(-8, 8, f"year{year}")) / 1000
    limit = 99 if "coverage" in indicator[1] else 1e9
    value = min(limit, now * (1 + past) * (1 + chance * (0.3 if "expectancy" in indicator[1] else 1)))
    width = value * (0.012 if "expectancy" in indicator[1] else 0.08)
    low, high = round(value - width, digits), round(min(limit, value + width), digits)
    return {"code": code, "country": land, "year": year, "value": round(value, digits), "low": low, "high": high}
