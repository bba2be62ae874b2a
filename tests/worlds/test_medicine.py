"""The invented medicine: its size, distinct articles, and values that agree with their texts."""

from __future__ import annotations

import re
from collections import Counter
from typing import Any

import pytest

from soundstage.contexts.engine.schema import Object
from soundstage.worlds.library.medicine import rows

Facts = dict[str, list[Object]]

_COUNTS = re.compile(r"([\d,]+) of ([\d,]+)\b[^(]{0,20}\((\d+\.\d)%\)")
_DIFFERENCE = re.compile(
    r"(?:went|changed) from (?P<b1>[\d.]+) to (?P<a1>[\d.]+) .*? from (?P<b0>[\d.]+) to (?P<a0>[\d.]+) .*?"
    r"(?P<d>-?\d+\.\d) [^();]*?[;(] ?(?:\()?95% CI, (?P<low>-?\d+\.\d) to (?P<high>-?\d+\.\d); (?P<p>P ?[=<] ?[\d.]+)\)"
)
_BETTER = re.compile(r"improved|did more|helped (?!as much)")


def _number(text: str) -> int:
    return int(text.replace(",", ""))


@pytest.fixture(scope="module")
def facts() -> Facts:
    facts_by_entity: Facts = {}
    for entity, row in rows({}):
        facts_by_entity.setdefault(entity, []).append(row)
    return facts_by_entity


def test_the_medicine_has_the_required_size(facts: Facts) -> None:
    sizes = {name: len(entity_rows) for name, entity_rows in facts.items()}
    assert sizes["drug"] == 80
    assert sizes["concept"] == 160
    assert sizes["article"] == 300
    assert (sizes["indicator"], sizes["country"], sizes["figure"]) == (20, 30, 12_000)
    guidelines = [a for a in facts["article"] if a.get("publication_types") == ["Practice Guideline"]]
    assert len(guidelines) == 40


def test_the_facts_are_reproducible(facts: Facts) -> None:
    again: Facts = {}
    for entity, row in rows({}):
        again.setdefault(entity, []).append(row)
    assert again == facts


def test_no_two_articles_are_alike(facts: Facts) -> None:
    for name in ("pmid", "title", "abstract", "elocation_id"):
        counts = Counter(a[name] for a in facts["article"] if name in a)
        assert [value for value, times in counts.items() if times > 1] == [], name


def test_recorded_drugs_exist_and_no_other_has_their_name(facts: Facts) -> None:
    drugs = {d["ndc"]: d for d in facts["drug"]}
    examplol = drugs["99999-001"]
    assert (examplol["brand"], examplol["generic"]) == ("Examplol", "EXAMPLOL HYDROCHLORIDE")
    assert (examplol["manufacturer"], examplol["effective_time"]) == ("Demo Pharma Inc.", "20260115")
    assert (examplol["route"], examplol["dosage_form"]) == ("ORAL", "TABLET")
    assert facts["concept"][0] == {
        "rxcui": "9990001",
        "ndc": "99999-001",
        "name": "examplol 10 MG Oral Tablet [Examplol]",
        "tty": "SBD",
        "synonym": ["Examplol 10 MG Oral Tablet"],
    }
    (article,) = [a for a in facts["article"] if a["pmid"] == "99000001"]
    assert (article["journal"], article["authors"], article["doi"]) == (
        "Journal of Demo Medicine",
        ["Ada Lin"],
        "10.9999/demo.1",
    )
    assert article["date"] == "2025 Mar"
    for entity in ("trial", "review"):
        assert not [row for row in facts[entity] if re.search("examplol|longinol|demotazine", str(row), re.IGNORECASE)]


def test_numbers_are_outside_real_ranges(facts: Facts) -> None:
    assert all(re.fullmatch(r"99999-\d{3}", d["ndc"]) for d in facts["drug"])
    assert all(int(c["rxcui"]) >= 9_990_001 for c in facts["concept"])
    assert all(int(a["pmid"]) >= 99_000_001 for a in facts["article"])
    assert all(re.fullmatch(r"NCT999\d{5}", t["nct_id"]) for t in facts["trial"])
    assert all(re.fullmatch(r"X[A-Z]{2}|Q[M-Z][A-Z]|QQQ", c["code"]) for c in facts["country"])
    addresses = [row["url"] for entity in ("guideline", "review") for row in facts[entity]]
    assert all(re.match(r"https://[a-z.]+\.test/", url) for url in addresses)


def test_shares_agree_with_counts(facts: Facts) -> None:
    seen = 0
    for article in facts["article"]:
        for part, whole, share in _COUNTS.findall(article["abstract"]):
            seen += 1
            assert abs(100 * _number(part) / _number(whole) - float(share)) <= 0.051, article["abstract"]
    assert seen > 80


def test_the_text_of_a_trial_agrees_with_its_values(facts: Facts) -> None:
    seen = 0
    for article in facts["article"]:
        difference = _DIFFERENCE.search(article["abstract"])
        if (
            difference is None
            or "elocation_id" not in article
            or not article["elocation_id"].endswith(article["pmid"][2:])
        ):
            continue
        seen += 1
        n: dict[str, Any] = {k: float(v) for k, v in difference.groupdict().items() if k != "p"}
        assert abs((n["b1"] - n["a1"]) - (n["b0"] - n["a0"]) - n["d"]) < 0.01, article["abstract"]
        assert abs((n["low"] + n["high"]) / 2 - n["d"]) < 0.06
        significant = n["low"] > 0 or n["high"] < 0
        p = float(re.sub(r"[^\d.]", "", difference["p"]))
        assert (p <= 0.05) == significant, article["abstract"]
        assert bool(_BETTER.search(article["abstract"][difference.end() :])) == (n["low"] > 0), article["abstract"]
    assert seen > 100


def test_values_are_within_their_bounds(facts: Facts) -> None:
    assert all(f["low"] <= f["value"] <= f["high"] for f in facts["figure"])
