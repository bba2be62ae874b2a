"""The registry's tables of runs, next to those of sessions, so that several gateways share them."""

from __future__ import annotations

from sqlalchemy import JSON, BigInteger, Boolean, Column, Float, Index, Integer, LargeBinary, String, Table, Text

from soundstage.gateway.registry.tables import METADATA

RUNS = Table(
    "run",
    METADATA,
    Column("id", String(40), primary_key=True),
    Column("created_ms", BigInteger, nullable=False),
    Column("seed", BigInteger, nullable=False),
    Column("plan", JSON, nullable=False),  # as requested
    Column("stopped", Boolean, nullable=False),
)

RUN_TOKENS = Table(
    "run_token",
    METADATA,
    Column("digest", String(64), primary_key=True),  # of the token, which itself is not stored
    Column("run", String(40), nullable=False),
    Column("expires_ms", BigInteger, nullable=False),
    Index("run_token_by_run", "run"),
)

RUN_TASKS = Table(
    "run_task",
    METADATA,
    Column("run", String(40), primary_key=True),
    Column("task", String(200), primary_key=True),
    Column("alias", String(40), nullable=False),  # the task's name for runners
    Column("source", Text, nullable=False),  # the file as it was when the run began
    Column("digest", String(64), nullable=False),
    Column("fingerprint", String(80), nullable=False),
    Column("zone", String(80), nullable=False),
    Column("oracle_calls", Integer, nullable=False),
    Column("names", JSON, nullable=False),  # name → [app, entity, id]
    Column("people", JSON, nullable=False),  # person → app → ids
)

TRIALS = Table(
    "trial",
    METADATA,
    Column("id", String(40), primary_key=True),
    Column("run", String(40), nullable=False),
    Column("position", Integer, nullable=False),
    Column("task", String(200), nullable=False),
    Column("k", Integer, nullable=False),
    Column("seed", BigInteger, nullable=False),
    Column("variant", String(80), nullable=False),
    Column("faults", String(80), nullable=False),
    Column("state", String(8), nullable=False),
    Column("attempt", Integer, nullable=False),
    Column("infra", Integer, nullable=False),  # attempts that failed for reasons outside the agent
    Column("session", String(40)),
    Column("until_ms", BigInteger),  # by the database's clock
    Column("started_ms", BigInteger),
    Column("closes_ms", BigInteger),
    Column("ended", String(12)),
    Column("ended_ms", BigInteger),
    Column("submission", JSON),
    Column("error", Text),
    Column("success", Boolean),
    Column("score", Float),
    Column("result", JSON),
    Column("verdict", JSON),
    Index("trial_by_run", "run", "state", "position"),
    Index("trial_by_state", "state"),
    Index("trial_by_session", "session"),
)

TRIAL_RECORDS = Table(
    "trial_record",
    METADATA,
    Column("trial", String(40), primary_key=True),
    Column("sealed", LargeBinary, nullable=False),
)
