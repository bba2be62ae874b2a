"""What is answered where no language model is asked: patterns of questions with their texts, and passages to quote from."""

from __future__ import annotations

from sqlalchemy import Column, Text

from soundstage.contexts.engine.schema import AppTables, Json
from soundstage.contexts.engine.shapes import shape

TABLES = AppTables("answers")

# `ask` is a regular expression that is searched for in the question, in small letters; its named groups may stand in the texts of
# `say` as {name}, as may {topic}, {date}, {weekday}, {time}, {year} and {result}. `compute` names what has to come to a {result}.
# `stage` is "first" for what is known to be asked, and "last" for what is said when nothing was found.
PATTERN = TABLES.entity(
    "pattern",
    Column("name", Text, primary_key=True),
    Column("stage", Text, nullable=False),
    Column("ask", Text, nullable=False),
    Column("compute", Text),
    Column("say", Json, info=shape([str])),
)

# Sentences worth quoting, whoever asks; `about` says what they are about where their own words do not.
PASSAGE = TABLES.entity(
    "passage",
    Column("name", Text, primary_key=True),
    Column("about", Text),
    Column("text", Text, nullable=False),
)
