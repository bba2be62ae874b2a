"""Finance Agent: quotes of five markets, as published by the sites that the server reads."""

from __future__ import annotations

from sqlalchemy import Column, Text

from soundstage.contexts.engine.meaning import Meaning
from soundstage.contexts.engine.schema import AppTables, Json
from soundstage.contexts.engine.shapes import shape

TABLES = AppTables("finance", library=True)
_FIGURE = shape((str, float, None))

# A site's quote of a symbol, with the member names of its response (mainland China: current to avg_price) or of the server. The
# library contains only the symbols: their prices are computed on demand unless a row states them.
QUOTE = TABLES.entity(
    "quote",
    Column("market", Text, primary_key=True),
    Column("symbol", Text, primary_key=True),
    *(
        Column(name, Json, info=_FIGURE)
        for name in (
            "current", "percent", "chg", "high", "low", "avg_price", "timestamp", "open", "last_close", "volume", "amount",
            "market_capital", "pe", "previous_close", "change", "market_capitalization", "pe_ratio", "update_time",
            "company_name", "company_url",
        )
    ),
    backed="SELECT market, symbol, _seq FROM market_listing",
)  # fmt: skip

# `zone` is the time zone of the server's machine, by default UTC.
SERVER = TABLES.entity("server", Column("name", Text, primary_key=True), Column("value", Text))

MEANING = Meaning(text={"quote": lambda row: f"{row['market']} {row['symbol']}", "server": lambda row: row["name"]})
