"""Articles, reviews and trials, composed of sentences about the themes and of figures that agree with each other."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from soundstage.contexts.engine.schema import Object
from soundstage.worlds.library.medicine import figures
from soundstage.worlds.library.medicine.draws import Draw
from soundstage.worlds.library.medicine.figures import Measure
from soundstage.worlds.library.medicine.labels import Substance, filled

Files = dict[str, Any]
_Figures = Callable[[Draw, Measure], tuple[dict[str, object], bool]]

_SLOTS = ("aim", "method", "result", "second", "harm")
_KINDS: dict[str, tuple[int, _Figures]] = {
    "trial": (5, lambda draw, measure: figures.comparison(draw, measure, 58, 320)),
    "young": (3, lambda draw, measure: figures.comparison(draw, measure, 34, 120)),
    "versus": (3, lambda draw, measure: figures.comparison(draw, measure, 60, 240)),
    "cohort": (3, lambda draw, _: figures.cohort(draw)),
    "review": (2, figures.pooled),
    "early": (2, lambda draw, _: figures.few(draw, 24, 59, good_of_ten=8)),
    "series": (1, lambda draw, _: figures.few(draw, 8, 14, good_of_ten=6)),
    "survey": (1, lambda draw, _: figures.few(draw, 240, 1900, good_of_ten=5)),
    "guideline": (3, lambda draw, measure: (figures.pooled(draw, measure)[0], True)),
}
_TYPES = {
    **{kind: ["Journal Article", "Randomized Controlled Trial"] for kind in ("trial", "versus", "young")},
    "review": ["Journal Article", "Systematic Review", "Meta-Analysis"],
    "series": ["Case Reports"],
    "guideline": ["Practice Guideline"],
}
_MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
_ALL = 300
_THIS_MONTH = 2026 * 12 + 10  # counted from the year 0; November is the eleventh
_RECRUITING_MONTHS = 12


@dataclass(frozen=True, slots=True)
class Study:
    """One study of a theme: its kind, the substance it examines, and a comparator."""

    kind: str
    theme: str
    number: int
    substance: Substance
    other: Substance

    @property
    def name(self) -> str:
        """Return the name from which the study's random values are derived."""
        return f"{self.kind}.{self.theme}.{self.number}"


def articles(files: Files) -> Iterator[Object]:
    """Yield all articles, newest first: the hand-written ones, and generated ones up to the total number."""
    by_hand = [{**article, "abstract": article["abstract"].strip()} for article in files["articles"]]
    made = [_article(study, files) for study in _studies(files)]
    for number, article in enumerate(made):
        article["pmid"] = str(99000100 + (number * 7919) % 30011)
        article["elocation_id"] = f"10.9999/{article['theme']}.{article['pmid'][2:]}"
        if "pmc_id" in article:
            article["pmc_id"] = f"99{article['pmid'][3:]}"
    yield from sorted([*by_hand, *made], key=lambda article: (_when(article["date"]), article["pmid"]), reverse=True)


def reviews(files: Files) -> Iterator[Object]:
    """Two reviews of the literature for each theme, as a library of such reviews has them."""
    for theme, about in files["themes"].items():
        substances = [
            Substance(*one) for one in about["substances"] if one[1] not in ("Examplol", "Demotazine", "Junivex")
        ]
        for number in range(2):
            study = Study("review", theme, 100 + number, substances[number % len(substances)], substances[-1])
            draw = Draw(study.name)
            facts, good = _facts_of(study, files, draw)
            people = about["people"] if number == 0 else about["young"]
            yield {
                "url": f"https://reviews.test/cdsr/CD99{draw.below(10000, 'number'):04}",
                "title": f"{_capital(study.substance.class_)}s for {about['condition']} in {people.split(' with ')[0]}",
                "authors": ", ".join(_people(draw, files, 3)),
                "abstract": _abstract(study, files, draw, facts, good),
                "theme": theme,
            }


def trials(files: Files) -> Iterator[Object]:
    """Three registered trials for each theme."""
    for i, (theme, about) in enumerate(files["themes"].items()):
        for number, one in enumerate(about["substances"]):
            substance = Substance(*one)
            if substance.brand in ("Examplol", "Demotazine", "Junivex"):
                continue
            draw = Draw(f"register.{substance.brand}")
            people = about["people"] if draw.below(3, "people") else about["young"]
            weeks = draw.between(4, 52, "weeks")
            started = _THIS_MONTH + draw.between(-40, 4, "started")
            yield {
                "nct_id": f"NCT999{100 + i * 10 + number:05}",
                "title": f"{_capital(substance.plain)} in {people}: a study of {weeks} weeks",
                "sponsor": draw.of(files["names"]["makers"], "sponsor"),
                "summary": f"{_capital(people)} take {substance.plain} or placebo for {weeks} weeks. The study asks whether "
                f"{about['measure']['name']} changes, and how many have {draw.of(about['harms'], 'harm')}.",
                "started": f"{started // 12}-{started % 12 + 1:02}",
                "status": _status(_THIS_MONTH - started, weeks),
                "theme": theme,
            }


def _status(months: int, weeks: int) -> str:
    """Return the status of a trial that began `months` ago: a year of recruitment, then `weeks` of follow-up."""
    if months < 0:
        return "NOT_YET_RECRUITING"
    if months < _RECRUITING_MONTHS:
        return "RECRUITING"
    return "ACTIVE_NOT_RECRUITING" if months < _RECRUITING_MONTHS + weeks // 4 + 2 else "COMPLETED"


def _studies(files: Files) -> list[Study]:
    """Return the studies missing from the total number, rotating over the themes."""
    results = []
    for kind, (times, _) in _KINDS.items():
        for number in range(times):
            for theme, about in files["themes"].items():
                substances = [Substance(*one) for one in about["substances"]]
                results.append(Study(kind, theme, number, substances[number % 3], substances[(number + 1) % 3]))
    guidelines = [
        Study("guideline", theme, 3, *_first_two(files, theme)) for theme in ("sleep", "heart", "sugar", "nursery")
    ]
    results += guidelines
    missing = _ALL - len(files["articles"]) - len(results)
    more = [Study("cohort", theme, 3, *_first_two(files, theme)) for theme in files["themes"]]
    return [*results, *more][: len(results) + missing]


def _first_two(files: Files, theme: str) -> tuple[Substance, Substance]:
    first, second, *_ = (Substance(*one) for one in files["themes"][theme]["substances"])
    return first, second


def _article(study: Study, files: Files) -> Object:
    draw = Draw(study.name)
    facts, good = _facts_of(study, files, draw)
    names = files["names"]
    journals = [*names["journals"][study.theme], *names["journals"][study.theme], *names["general"]]
    article: Object = {
        "title": filled(_pick(files, study, "titles", draw), facts),
        "abstract": _abstract(study, files, draw, facts, good),
        "authors": _people(draw, files, draw.between(1, 7, "authors")),
        "journal": draw.of(names["pediatric"] if study.kind == "young" else journals, "journal"),
        "date": _date(draw),
        "publication_types": _TYPES.get(study.kind, ["Journal Article"]),
        "theme": study.theme,
    }
    if study.kind == "guideline":
        article["collective_authors"] = [files["themes"][study.theme]["society"]]
    if draw.below(5, "pmc") == 0:
        article["pmc_id"] = "here"
        if draw.below(3, "text"):
            article["full_text"] = _full_text(study, files, draw, facts, good)
    return article


def _facts_of(study: Study, files: Files, draw: Draw) -> tuple[dict[str, object], bool]:
    about = files["themes"][study.theme]
    measure = Measure(**about["measure"])
    drawn, good = _KINDS[study.kind][1](draw, measure)
    harm = draw.of(about["harms"], "harm")
    who = about["young"] if study.number % 3 == 2 else about["people"]
    facts = {
        **{name: about[name] for name in ("condition", "plain", "people", "young", "society", "responder")},
        **{
            "measure": measure.name,
            "unit": measure.unit,
            "harm": harm,
            "place": draw.of(files["names"]["places"], "place"),
        },
        **{"substance": study.substance.plain, "class": study.substance.class_, "target": study.substance.target},
        **{
            "classes": f"{study.substance.class_}s",
            "other": study.other.plain,
            "centers": draw.between(2, 24, "centers"),
        },
        **{
            "weeks": draw.between(2, 26, "weeks"),
            "months": draw.between(2, 6, "months"),
            "years": draw.between(2, 5, "years"),
        },
        **{
            "panel": draw.between(11, 24, "panel"),
            "lay": draw.between(2, 5, "lay"),
            "rounds": draw.between(2, 4, "rounds"),
        },
        **{
            "count": draw.between(9, 21, "count"),
            "strong": draw.between(2, 8, "strong"),
            "review": draw.between(3, 5, "again"),
        },
        **{"earlier": draw.between(2011, 2014, "earlier"), "who": who.split(" with ")[0]},
    }
    return {**facts, **drawn}, good


def _abstract(study: Study, files: Files, draw: Draw, facts: dict[str, object], good: bool) -> str:
    about = files["themes"][study.theme]
    ending = "good" if good else "none"
    sentences = [draw.of(about["background"], "background")]
    sentences += [_pick(files, study, slot, draw) for slot in _SLOTS]
    sentences.append(_pick(files, study, ending, draw))
    if study.kind != "guideline":
        sentences.append(draw.of(about["implications"][ending], "implication"))
    return " ".join(filled(sentence, facts) for sentence in sentences)


def _full_text(study: Study, files: Files, draw: Draw, facts: dict[str, object], good: bool) -> str:
    """Return the paragraphs of an article: background, methods, results, and conclusions."""
    about = files["themes"][study.theme]
    ending = "good" if good else "none"
    paragraphs = [
        [*draw.some(about["background"], 3, "introduction"), _pick(files, study, "aim", draw)],
        [_pick(files, study, "method", draw), "All who took part, or their parents, gave consent in writing."],
        [_pick(files, study, "result", draw), _pick(files, study, "second", draw)],
        [_pick(files, study, "harm", draw), draw.of(files["sentences"]["limits"], "limit")],
        [_pick(files, study, ending, draw), *about["implications"][ending]],
    ]
    return "\n\n".join(" ".join(filled(sentence, facts) for sentence in paragraph) for paragraph in paragraphs)


def _pick(files: Files, study: Study, slot: str, draw: Draw) -> str:
    """Choose a sentence for a slot, a different one for each study of a kind and theme while the supply lasts."""
    options: list[str] = files["sentences"][study.kind][slot]
    if slot == "titles":
        return options[study.number % len(options)]
    return draw.of(options, slot)


def _people(draw: Draw, files: Files, number: int) -> list[str]:
    names = files["names"]
    families = draw.some(names["family"], number, "families")
    return [
        f"{given} {family}" for given, family in zip(draw.some(names["given"], number, "given"), families, strict=True)
    ]


def _date(draw: Draw) -> str:
    year = 2026 - min(draw.below(11, "year"), draw.below(11, "older"))
    month, day = draw.between(1, 10, "month"), draw.between(1, 28, "day")
    return (f"{year}-{month:02}-{day:02}", f"{year}-{month:02}", f"{year} {_MONTHS[month - 1]}")[draw.below(3, "form")]


def _when(date: str) -> str:
    """A date that sorts."""
    year, _, month = date.partition(" ")
    return f"{year}-{_MONTHS.index(month) + 1:02}" if month else date


def _capital(words: str) -> str:
    return words[:1].upper() + words[1:]
