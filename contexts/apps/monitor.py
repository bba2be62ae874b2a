"""The machine whose figures the monitor tells: what differs from the usual one, which is computed. Rows plant what goes wrong."""

from __future__ import annotations

from sqlalchemy import REAL, Column, Integer, Text

from soundstage.contexts.engine.meaning import Meaning
from soundstage.contexts.engine.schema import AppTables, Flag, Json
from soundstage.contexts.engine.shapes import shape

TABLES = AppTables("monitor", disk=True)

# The machine itself. Without a row it is a container, in which nobody can be told to be logged in; with one it is a server with
# the `users` of the row (none where it tells none). Sizes are in bytes, moments in seconds since 1970.
HOST = TABLES.entity(
    "host",
    Column("hostname", Text, primary_key=True),
    Column("boot_time", Integer),
    Column("cpu_percent", REAL),
    Column("memory_total", Integer),
    Column("memory_used", Integer),
    Column("swap_total", Integer),
    Column("swap_used", Integer),
    Column("connection_count", Integer),
    Column("users", Json, info=shape([{"user": str, "terminal": str, "host": str, "started": int}])),
)

# A process beside the usual ones, or in the place of the one with its pid; `gone` is one that has ended. `rss` and `vms` are in
# bytes, `create_time` in milliseconds, `status` is running, sleep, stop, zombie, idle, lock, wait or blocked.
PROCESS = TABLES.entity(
    "process",
    Column("pid", Integer, primary_key=True),
    Column("name", Text),
    Column("cpu_percent", REAL),
    Column("rss", Integer),
    Column("vms", Integer),
    Column("status", Text),
    Column("username", Text),
    Column("cmdline", Text),
    Column("num_threads", Integer),
    Column("create_time", Integer),
    Column("gone", Flag),
)

# A mount beside the usual ones, or in the place of the one at its path.
DISK = TABLES.entity(
    "disk",
    Column("mountpoint", Text, primary_key=True),
    Column("device", Text),
    Column("fstype", Text),
    Column("total", Integer),
    Column("used", Integer),
    Column("inodes_used", Integer),
    Column("read_only", Flag),
    Column("gone", Flag),
)

# A network interface beside the usual ones, or in the place of the one of its name; one that is `down` moves nothing.
INTERFACE = TABLES.entity(
    "interface",
    Column("name", Text, primary_key=True),
    Column("mtu", Integer),
    Column("hardware_addr", Text),
    Column("addrs", Json, info=shape([str])),
    Column("down", Flag),
    Column("dropped", Integer),
    Column("errors", Integer),
    Column("gone", Flag),
)

MEANING = Meaning(
    text={
        "host": lambda row: row["hostname"],
        "process": lambda row: f"{row['pid']} {row.get('name') or ''}",
        "disk": lambda row: row["mountpoint"],
        "interface": lambda row: row["name"],
    }
)
