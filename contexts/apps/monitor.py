"""The monitored machine: its differences to a typical machine, whose metrics are computed. Rows define anomalies."""

from __future__ import annotations

from sqlalchemy import REAL, Column, Integer, Text

from soundstage.contexts.engine.meaning import Meaning
from soundstage.contexts.engine.schema import AppTables, Flag, Json
from soundstage.contexts.engine.shapes import shape

TABLES = AppTables("monitor", disk=True)

# The machine itself. Without a row it is a container, in which no login records exist; with one it is a server with the `users`
# of the row (by default none). Sizes are in bytes, times in seconds since 1970.
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

# An additional process, or a replacement for the usual one with its pid; `gone` means that it has ended. `rss` and `vms` are in
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

# An additional mount, or a replacement for the usual one at its path.
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

# An additional network interface, or a replacement for the usual one with its name; interfaces that are `down` have no traffic.
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
