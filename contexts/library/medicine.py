"""Medicine: drugs with their labels and names, articles, guidelines, reviews and trials about them, and figures of public health.

All of it is made up: substances, conditions, organizations, countries. No name is that of a medicine.
"""

from __future__ import annotations

from sqlalchemy import REAL, Column, Integer, Text

from soundstage.contexts.engine.schema import AppTables, Json
from soundstage.contexts.engine.shapes import shape

TABLES = AppTables("medicine")

_TEXTS = [str]

# A product with its label: `sections` by openFDA's names, `further` what else the label has, `theme` what it is for.
TABLES.entity(
    "drug",
    Column("ndc", Text, primary_key=True),
    Column("set_id", Text),
    Column("brand", Text),
    Column("generic", Text),
    Column("substance", Text),
    Column("manufacturer", Text),
    Column("route", Text),
    Column("dosage_form", Text),
    Column("effective_time", Text),
    Column("theme", Text),
    Column("sections", Json, info=shape({...: _TEXTS})),
    Column("further", Json, info=shape(dict)),
)

# A name of a drug in RxNorm's manner, by term type (SBD: branded, SCD: generic).
TABLES.entity(
    "concept",
    Column("rxcui", Text, primary_key=True),
    Column("ndc", Text),
    Column("name", Text),
    Column("tty", Text),
    Column("synonym", Json, info=shape(_TEXTS)),
    parents={"drug": "ndc"},
)

# The newest first. `date` is YYYY, YYYY Mon, YYYY-MM or YYYY-MM-DD.
TABLES.entity(
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
    Column("theme", Text),
)

# A page of advice on children: `source` is `bright-futures` or `aap-policy`.
TABLES.entity(
    "guideline",
    Column("url", Text, primary_key=True),
    Column("source", Text),
    Column("title", Text),
    Column("description", Text),
)

TABLES.entity(
    "review",
    Column("url", Text, primary_key=True),
    Column("title", Text),
    Column("authors", Text),
    Column("abstract", Text),
    Column("theme", Text),
)

TABLES.entity(
    "trial",
    Column("nct_id", Text, primary_key=True),
    Column("title", Text),
    Column("sponsor", Text),
    Column("summary", Text),
    Column("started", Text),
    Column("status", Text),
    Column("theme", Text),
)

TABLES.entity(
    "country",
    Column("code", Text, primary_key=True),  # of those that ISO 3166 leaves to its users
    Column("name", Text),
    Column("region", Text),
)

TABLES.entity("indicator", Column("code", Text, primary_key=True), Column("name", Text))

# The newest first.
TABLES.entity(
    "figure",
    Column("code", Text, primary_key=True),
    Column("country", Text, primary_key=True),
    Column("year", Integer, primary_key=True),
    Column("value", REAL),
    Column("low", REAL),
    Column("high", REAL),
)
