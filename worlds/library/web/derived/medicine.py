"""Pages out of medicine: a leaflet for each substance, and the reviews at the addresses that they are known by.

Pages of advice (`guideline`) are written by hand, under `sites/guides.test`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from urllib.parse import urlsplit

from soundstage.contexts.engine.schema import Object
from soundstage.worlds.library.web.written import Page, Site

_SENTENCE = ". "
_SHOWN = 3
_THEMES = {
    "pain": "Headache and pain",
    "sleep": "Sleep",
    "heart": "Heart rhythm",
    "sugar": "Halvern diabetes",
    "skin": "Skin",
    "mood": "Mood",
    "joints": "Joints",
    "nursery": "Children",
    "airways": "Cough and breath",
    "pressure": "Blood pressure",
    "fever": "Fever",
    "cancer": "Cancer",
}
_SECTIONS = {
    "purpose": "What it is for",
    "indications_and_usage": "When it is used",
    "contraindications": "Who must not take it",
    "warnings": "Warnings",
    "boxed_warning": "Boxed warning",
    "dosage_and_administration": "How it is taken",
    "adverse_reactions": "What may happen",
    "drug_interactions": "With other medicines",
    "overdosage": "Too much",
    "storage_and_handling": "Keeping it",
}

LEAFLETS = Site(
    host="leaflets.example",
    name="Leaflets",
    title="Leaflets: what is in the carton",
    description="One leaflet for each substance, in the words of its maker.",
    lang="en",
    kind="documentation",
    colour="#9d174d",
    footer="Leaflets tells what makers tell. It gives no advice: ask a person who knows you.",
    nav=(("By use", "/uses"), ("Reviews", "https://reviews.test/"), ("Guides", "https://guides.test/")),
)
REVIEWS = Site(
    host="reviews.test",
    name="The Review Shelf",
    title="The Review Shelf",
    description="Trials of one question, put together.",
    lang="en",
    kind="documentation",
    colour="#155e75",
    footer="Reviews are kept as they were published.",
    nav=(("All reviews", "/cdsr"), ("Leaflets", "https://leaflets.example/")),
)


def pages(facts: Mapping[tuple[str, str], Sequence[Object]]) -> tuple[list[Site], list[Page]]:
    """Both sites, or nothing where medicine has not been built."""
    drugs, reviews = facts.get(("medicine", "drug"), ()), facts.get(("medicine", "review"), ())
    if not drugs:
        return [], []
    first: dict[str, Object] = {}
    for drug in drugs:
        first.setdefault(drug["generic"], drug)
    return [LEAFLETS, REVIEWS], [*_leaflets(list(first.values()), drugs, reviews), *_reviews(reviews, drugs)]


def _leaflets(drugs: Sequence[Object], products: Sequence[Object], reviews: Sequence[Object]) -> Iterator[Page]:
    host = LEAFLETS.host
    introduction = "Look a substance up by what it is used for. Several cartons may hold the same one."
    yield Page(host, "/", LEAFLETS.title, LEAFLETS.description, f"{introduction}\n\n[[list /uses/]]", "en")
    yield Page(host, "/uses", "By use", "Twelve uses.", "[[list /uses/]]", "en")
    for theme, name in _THEMES.items():
        used = [drug for drug in drugs if drug["theme"] == theme]
        if used:
            lines = [f"- [{_name(drug)}]({_path(drug)}), {drug['manufacturer']}" for drug in used]
            about = f"{len(used)} substances."
            yield Page(host, f"/uses/{theme}", name, about, "\n".join(lines), "en")
    for drug in drugs:
        others = [product for product in products if product["generic"] == drug["generic"] and product is not drug]
        yield _leaflet(drug, others, [review for review in reviews if review["theme"] == drug["theme"]])


def _leaflet(drug: Object, others: Sequence[Object], reviews: Sequence[Object]) -> Page:
    made = drug["effective_time"]
    day = f"{made[:4]}-{made[4:6]}-{made[6:]}"
    lines = [
        f"**{drug['brand']}** ({drug['generic'].capitalize()}), {drug['dosage_form'].lower()}, {drug['route'].lower()}. "
        f"Product code {drug['ndc']}. Made by {drug['manufacturer']}",
    ]
    for section, title in _SECTIONS.items():
        if section in drug["sections"]:
            lines += ["", f"## {title}", "", "\n\n".join(drug["sections"][section])]
    if others:
        also = ", ".join(f"{other['brand']} ({other['manufacturer']})" for other in others)
        lines += ["", "## Also sold as", "", f"{also}."]
    if reviews:
        lines += ["", "## What trials say, taken together", ""]
        lines += [f"- [{review['title']}]({review['url']})" for review in reviews[:_SHOWN]]
    lines += ["", f"More on this: [{_THEMES.get(drug['theme'], 'by use')}](/uses/{drug['theme']})"]
    about = f"{drug['brand']} by {drug['manufacturer']}: use, warnings, dose."
    return Page(LEAFLETS.host, _path(drug), f"{_name(drug)}: leaflet", about, "\n".join(lines), "en", published=day)


def _reviews(reviews: Sequence[Object], drugs: Sequence[Object]) -> Iterator[Page]:
    host = REVIEWS.host
    text = "A review takes all trials of one question and says what they say together, and how sure one may be."
    yield Page(host, "/", REVIEWS.title, REVIEWS.description, f"{text}\n\n[All {len(reviews)} reviews](/cdsr)", "en")
    yield Page(host, "/cdsr", "All reviews", "By title.", "[[list /cdsr/]]", "en")
    for review in reviews:
        address = urlsplit(review["url"])
        if address.netloc != host:
            continue
        background, *findings = review["abstract"].split(_SENTENCE)
        summary = _SENTENCE.join(findings)
        lines = [
            f"*{review['authors']}*",
            "",
            "## Background",
            "",
            f"{background}.",
            "",
            "## What was done and found",
            "",
            summary,
        ]
        used = [drug for drug in drugs if drug["theme"] == review["theme"]]
        if used:
            names = {_name(drug): f"https://{LEAFLETS.host}{_path(drug)}" for drug in reversed(used)}
            links = ", ".join(f"[{name}]({url})" for name, url in sorted(names.items())[:_SHOWN])
            lines += ["", f"Leaflets on the same subject: {links}."]
        title = review["title"]
        about = f"Review, {review['authors'].split(', ')[0]} and others."
        yield Page(host, address.path, title, about, "\n".join(lines), "en", author=review["authors"])


def _name(drug: Object) -> str:
    return str(drug["generic"].capitalize())


def _path(drug: Object) -> str:
    return f"/leaflets/{drug['generic'].lower().replace(' ', '-')}"
