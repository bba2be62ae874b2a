"""Medical MCP: the contents of openFDA, PubMed, WHO, RxNav and web pages, and the cache of the server process.

The server only reads. Field names are those of the sources. Several sources lack a usable key for their records, which
therefore have an additional one (`record_id`, `id`).
"""

from __future__ import annotations

from typing import Any

from sqlalchemy import REAL, Column, Integer, Text

from soundstage.contexts.engine.meaning import Meaning
from soundstage.contexts.engine.schema import AppTables, Flag, Json, Object, id_format
from soundstage.contexts.engine.shapes import Shape, shape

TABLES = AppTables("medical", library=True)

_TEXTS = [str]
_OPENFDA: dict[Any, Shape] = dict.fromkeys(
    (
        "brand_name",
        "generic_name",
        "manufacturer_name",
        "route",
        "dosage_form",
        "product_ndc",
        "substance_name",
    ),
    _TEXTS,
)
SECTIONS = (
    "indications_and_usage",
    "purpose",
    "description",
    "warnings",
    "contraindications",
    "dosage_and_administration",
    "adverse_reactions",
    "drug_interactions",
    "use_in_specific_populations",
    "overdosage",
    "clinical_pharmacology",
    "nonclinical_toxicology",
    "clinical_studies",
    "drug_abuse_and_dependence",
    "storage_and_handling",
    "patient_counseling_information",
)
"""The sections of a label with a heading, in print order."""

_LABELS = "SELECT {} FROM medicine_drug".format(  # noqa: S608 the names are ours
    ", ".join(
        (
            "set_id AS record_id",
            "json_object('brand_name', json_array(brand), 'generic_name', json_array(generic), "
            "'manufacturer_name', json_array(manufacturer), 'route', json_array(route), 'dosage_form', json_array(dosage_form), "
            "'product_ndc', json_array(ndc), 'substance_name', json_array(substance)) AS openfda",
            "effective_time",
            *(f"sections -> '$.{name}' AS {name}" for name in SECTIONS),
            "further AS _extra",
            "_seq",
        )
    )
)

# A label of openFDA. Further members (`set_id`, `package_label_principal_display_panel` …) are stored unchanged.
DRUG_LABEL = TABLES.entity(
    "drug_label",
    Column("record_id", Text, primary_key=True, info=id_format("{uuid4}")),
    Column("openfda", Json, info=shape(_OPENFDA)),
    Column("effective_time", Text),
    *(Column(name, Json, info=shape(_TEXTS)) for name in SECTIONS),
    backed=_LABELS,
)

# An article of PubMed. `date` is YYYY, YYYY Mon, YYYY-MM or YYYY-MM-DD; `elocation_id` is the printed DOI, `doi` occurs only in
# PubMed's list of ids. `full_text` contains the paragraphs of PubMed Central, separated by blank lines.
ARTICLE = TABLES.entity(
    "article",
    Column("pmid", Text, primary_key=True),
    Column("title", Text),
    Column("abstract", Text),
    Column("authors", Json, info=shape(_TEXTS)),
    Column("collective_authors", Json, info=shape(_TEXTS)),
    Column("journal", Text),
    Column("date", Text),
    Column("doi", Text),
    Column("elocation_id", Text),
    Column("pmc_id", Text),
    Column("full_text", Text),
    Column("publication_types", Json, info=shape(_TEXTS)),
    backed=(
        "SELECT pmid, title, abstract, authors, collective_authors, journal, date, doi, elocation_id, pmc_id, full_text, "
        "publication_types, _seq FROM medicine_article"
    ),
)

# `data_error`: the indicator's values are unreadable.
WHO_INDICATOR = TABLES.entity(
    "who_indicator",
    Column("IndicatorCode", Text, primary_key=True),
    Column("IndicatorName", Text),
    Column("data_error", Flag),
    backed="SELECT code AS IndicatorCode, name AS IndicatorName, _seq FROM medicine_indicator",
)

# A value of an indicator, which need not be declared. `value_text` is its printed form.
WHO_VALUE = TABLES.entity(
    "who_value",
    Column("id", Text, primary_key=True, info=id_format("{digits:8}")),
    Column("indicator", Text),
    Column("code", Text),
    Column("country", Text),
    Column("year", Integer),
    Column("value", REAL),
    Column("low", REAL),
    Column("high", REAL),
    Column("unit", Text),
    Column("age_group", Text),
    Column("sex", Text),
    Column("comments", Text),
    Column("value_text", Text),
    backed=(
        "SELECT figure.code || '.' || country || '.' || year AS id, name AS indicator, figure.code, country, year, value, low, "
        "high, figure._seq FROM medicine_figure AS figure JOIN medicine_indicator AS indicator ON indicator.code = figure.code"
    ),
)

RXNORM = TABLES.entity(
    "rxnorm",
    Column("rxcui", Text, primary_key=True),
    Column("name", Text),
    Column("tty", Text),
    Column("language", Text),
    Column("synonym", Json, info=shape((str, _TEXTS))),
    backed="SELECT rxcui, name, tty, 'ENG' AS language, synonym, _seq FROM medicine_concept",
)

# A hit on the pages of Bright Futures (`bright-futures`) or of the AAP's publications (`aap-policy`).
GUIDELINE = TABLES.entity(
    "guideline",
    Column("id", Text, primary_key=True, info=id_format("{hex:12}")),
    Column("source", Text),
    Column("title", Text),
    Column("url", Text),
    Column("description", Text),
    backed="SELECT url AS id, source, title, url, description, _seq FROM medicine_guideline",
)

# A hit on Google Scholar's page. No tool returns hits; their existence only determines how long the server waits.
SCHOLAR_RESULT = TABLES.entity(
    "scholar_result",
    Column("id", Text, primary_key=True, info=id_format("{alnum:12}")),
    Column("title", Text),
    Column("url", Text),
    Column("authors", Text),
    Column("snippet", Text),
    Column("cited_by", Integer),
    backed=(
        "SELECT pmid AS id, title, 'https://scholar.test/' || pmid AS url, substr(abstract, 1, 200) AS snippet, _seq "
        "FROM medicine_article"
    ),
)

COCHRANE_REVIEW = TABLES.entity(
    "cochrane_review",
    Column("id", Text, primary_key=True, info=id_format("CD{digits:6}")),
    Column("title", Text),
    Column("authors", Text),
    Column("abstract", Text),
    Column("journal", Text),
    Column("url", Text),
    backed=(
        "SELECT url AS id, title, authors, abstract, 'Cochrane Database of Systematic Reviews' AS journal, url, _seq "
        "FROM medicine_review"
    ),
)

_TRIAL: Shape = {
    "identificationModule": {
        "nctId": str,
        "briefTitle": str,
        "officialTitle": str,
        "briefSummary": str,
        "leadSponsor": {"name": str},
    },
    "statusModule": {"startDateStruct": {"date": str}},
}
CLINICAL_TRIAL = TABLES.entity(
    "clinical_trial",
    Column("id", Text, primary_key=True, info=id_format("{hex:12}")),
    Column("protocolSection", Json, info=shape(_TRIAL)),
    backed=(
        "SELECT nct_id AS id, json_object('identificationModule', json_object('nctId', nct_id, 'briefTitle', title), "
        "'statusModule', json_object('overallStatus', status, 'startDateStruct', json_object('date', started)), "
        "'sponsorCollaboratorsModule', json_object('leadSponsor', json_object('name', sponsor)), "
        "'descriptionModule', json_object('briefSummary', summary)) AS protocolSection, _seq FROM medicine_trial"
    ),
)

# The cache of the process. `found` is a result in the server's format, as stored by calls. An entry of a recorded state may
# have `data` instead if the source has changed since: the source's content at that time in its own format (an object, a list,
# or null).
_RECORD: Shape = {
    **dict.fromkeys(("title", "abstract", "journal", "publication_date", "pmid", "doi", "pmc_id", "full_text"), str),
    **dict.fromkeys(("organization", "year", "category", "evidence_level", "description", "url", "citations"), str),
    **dict.fromkeys(("age_group", "source", "name", "rxcui", "tty", "language", "effective_time"), str),
    **dict.fromkeys(("IndicatorCode", "IndicatorName", "SpatialDim", "Comments"), str),
    **dict.fromkeys(("NumericValue", "Low", "High"), (float, None)),
    **dict.fromkeys(("TimeDim", "Value"), (str, float, None)),
    **dict.fromkeys(SECTIONS, _TEXTS),
    "authors": (_TEXTS, str),
    "description": (_TEXTS, str),  # of a drug or a guideline
    "synonym": _TEXTS,
    "openfda": _OPENFDA,
}
_MEMORY: Shape = {
    **dict.fromkeys(
        ("pmid", "title", "abstract", "journal", "date", "doi", "elocation_id", "pmc_id", "full_text"), str
    ),
    **dict.fromkeys(
        ("IndicatorCode", "IndicatorName", "indicator", "code", "country", "unit", "age_group", "sex"), str
    ),
    **dict.fromkeys(("comments", "value_text", "rxcui", "name", "tty", "language"), str),
    **dict.fromkeys(("source", "url", "description", "effective_time"), str),
    **dict.fromkeys(("authors", "collective_authors", "publication_types"), (_TEXTS, str)),
    **dict.fromkeys(("value", "low", "high"), float),
    **dict.fromkeys(SECTIONS, _TEXTS),
    "year": int,
    "description": (_TEXTS, str),
    "synonym": (str, _TEXTS),
    "openfda": _OPENFDA,
    "protocolSection": _TRIAL,
}
_DETAILS = ("get-drug-details", "get-article-details")


def _of_another_kind(entry: Object) -> str | None:
    records = entry.get("found", [])
    if entry.get("operation") in _DETAILS:
        return (
            "each record of `found` must be an object or null"
            if isinstance(records, list) and "found" in entry
            else None
        )
    return None if isinstance(records, list) else "`found` must be a list"


_PARAMS: Shape = {
    **dict.fromkeys(("query", "indicator", "ndc", "pmid"), str),
    **dict.fromkeys(("country", "organization"), (str, None)),
    **dict.fromkeys(("limit", "max_results", "maxResults"), int),
}

CACHE_ENTRY = TABLES.entity(
    "cache_entry",
    Column("id", Text, primary_key=True, info=id_format("{hex:16}")),
    Column("source", Text),
    Column("operation", Text),
    Column("params", Json, info=shape(_PARAMS)),
    Column("timestamp", Text),
    Column("expiresAt", Text),
    Column("lastAccessed", Text),
    Column("data", Json, info=shape(([_MEMORY], _MEMORY, None))),
    Column("found", Json, info=shape(([_RECORD], _RECORD, None))),
    misfit=_of_another_kind,
)

# `swept` is the time of the last removal of expired entries.
CACHE = TABLES.entity(
    "cache",
    Column("id", Text, primary_key=True, info=id_format("cache")),
    Column("hits", Integer),
    Column("misses", Integer),
    Column("swept", Text),
)

# A host that responds to every request with this HTTP status.
OUTAGE = TABLES.entity("outage", Column("host", Text, primary_key=True), Column("status", Integer))


def _label_text(row: Object) -> str:
    openfda = row.get("openfda") or {}
    return " ".join([*openfda.get("brand_name", []), *openfda.get("generic_name", [])])


MEANING = Meaning(
    automatic={
        "cache_entry": frozenset({"timestamp", "expiresAt", "lastAccessed", "found"}),
        "cache": frozenset({"hits", "misses", "swept"}),
    },
    bookkeeping=frozenset({"cache_entry", "cache", "outage"}),
    text={
        "drug_label": _label_text,
        "article": lambda row: row.get("title") or "",
        "who_indicator": lambda row: row.get("IndicatorName") or "",
        "who_value": lambda row: f"{row.get('indicator', '')} {row.get('country', '')} {row.get('year', '')}".strip(),
        "rxnorm": lambda row: row.get("name") or "",
        "guideline": lambda row: row.get("title") or "",
        "scholar_result": lambda row: row.get("title") or "",
        "cochrane_review": lambda row: row.get("title") or "",
        "clinical_trial": lambda row: (
            ((row.get("protocolSection") or {}).get("identificationModule") or {}).get("briefTitle") or ""
        ),
    },
)
