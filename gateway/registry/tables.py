"""The registry's tables, declared once for SQLite and PostgreSQL."""

from __future__ import annotations

from typing import Any

from sqlalchemy import JSON, BigInteger, Boolean, Column, Index, Integer, MetaData, String, Table
from sqlalchemy.ext.compiler import compiles
from sqlalchemy.sql.functions import FunctionElement

METADATA = MetaData()

SESSIONS = Table(
    "session",
    METADATA,
    Column("id", String(40), primary_key=True),
    Column("handle", String(80), nullable=False, unique=True),
    Column("name", String(80), unique=True),
    Column("world", String(80), nullable=False),
    Column("apps", String, nullable=False),
    Column("seed", BigInteger, nullable=False),
    Column("clock", JSON, nullable=False),
    Column("created_ms", BigInteger, nullable=False),
    Column("expires_ms", BigInteger),
    Column("tools", String(8), nullable=False, server_default="all"),
    Column("upstreams", JSON),
    Column("durability", String(8), nullable=False, server_default="durable"),
    # The lease: the session's gateway, and the number of changes of it. `volume` is the disk of its context.
    Column("volume", String(40)),
    Column("owner", String(40)),
    Column("fence", BigInteger, nullable=False, server_default="0"),
    Column("user", String(80)),
    Column("server", JSON),
    Column("bounds", JSON),
    Column("shown", JSON),
    Column("unavailable", String(8), nullable=False, server_default="hide"),
)

SEATS = Table(
    "seat",
    METADATA,
    Column("handle", String(120), primary_key=True),
    Column("session_id", String(40), nullable=False),
    Column("user", String(80), nullable=False),
    Column("apps", String, nullable=False),
    Column("created_ms", BigInteger, nullable=False),
    Index("seat_by_session", "session_id"),
)

SNAPSHOTS = Table(
    "snapshot",
    METADATA,
    Column("id", String(40), primary_key=True),
    Column("session_id", String(40), nullable=False),
    Column("step", Integer, nullable=False),
    Column("created_ms", BigInteger, nullable=False),
    Index("snapshot_by_session", "session_id"),
)

UPSTREAMS = Table(
    "upstream",
    METADATA,
    Column("key", String(40), primary_key=True),  # the name in lower case: it is part of addresses
    Column("name", String(40), nullable=False),
    Column("entry", JSON, nullable=False),
)

GATEWAYS = Table(
    "gateway",
    METADATA,
    Column("id", String(40), primary_key=True),
    Column("url", String),
    Column("key", String(64), nullable=False),
    Column("volume", String(40), nullable=False),
    Column("expires_ms", BigInteger, nullable=False),
    Column("draining", Boolean, nullable=False),
)


class now_ms(FunctionElement[int]):  # noqa: N801 reads as the SQL function that it is
    """The database's clock in milliseconds since 1970: the only clock that all gateways share."""

    type = BigInteger()
    inherit_cache = True


@compiles(now_ms, "sqlite")
def _sqlite_now(element: now_ms, compiler: Any, **options: Any) -> str:
    return "CAST((julianday('now') - 2440587.5) * 86400000 AS INTEGER)"


@compiles(now_ms, "postgresql")
def _postgresql_now(element: now_ms, compiler: Any, **options: Any) -> str:
    return "CAST(EXTRACT(EPOCH FROM clock_timestamp()) * 1000 AS BIGINT)"
