"""The machine's network interfaces and their traffic."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from soundstage.contexts.engine.app_context import AppContext
from soundstage.kernels.monitor.rules.figures import counter, level

# name → MTU, hardware address, addresses, packets per second, bytes per packet
_USUAL: dict[str, tuple[int, str, tuple[str, ...], float, int]] = {
    "lo": (65536, "", ("127.0.0.1/8", "::1/128"), 22.0, 310),
    "enp1s0": (1500, "52:54:00:a4:1c:07", ("192.0.2.24/24", "fe80::5054:ff:fea4:1c07/64"), 61.0, 620),
    "docker0": (1500, "02:42:7b:11:e9:5d", ("172.17.0.1/16",), 8.0, 410),
}


@dataclass(frozen=True, slots=True)
class Interface:
    """An interface with its traffic."""

    index: int
    name: str
    mtu: int
    hardware_addr: str
    addrs: tuple[str, ...]
    down: bool
    packets: tuple[int, int]
    bytes_each: int
    dropped: int
    errors: int

    def fields(self) -> dict[str, Any]:
        """Return the interface as the server lists it."""
        kinds = ["loopback"] if self.name == "lo" else ["broadcast", "multicast"]
        return {
            "index": self.index,
            "mtu": self.mtu,
            "name": self.name,
            "hardwareAddr": self.hardware_addr,
            "flags": [*([] if self.down else ["up"]), *kinds],
            "addrs": [{"addr": addr} for addr in self.addrs],
        }

    def counters(self) -> dict[str, Any]:
        """Return the traffic counters."""
        sent, received = self.packets
        return {
            "name": self.name,
            "bytesSent": sent * self.bytes_each,
            "bytesRecv": received * self.bytes_each,
            "packetsSent": sent,
            "packetsRecv": received,
            "errin": self.errors,
            "errout": 0,
            "dropin": self.dropped,
            "dropout": 0,
            "fifoin": 0,
            "fifoout": 0,
        }


def interfaces(context: AppContext) -> list[Interface]:
    """Return the interfaces in order."""
    rows = {row["name"]: row for row in context.list("interface")}
    names = [*_USUAL, *(name for name in rows if name not in _USUAL)]
    results = []
    for index, name in enumerate(names, start=1):
        row = rows.get(name, {})
        if row.get("gone"):
            continue
        mtu, hardware, addrs, rate, size = _USUAL.get(name, (1500, "52:54:00:00:00:01", (), 1.0, 200))
        sent = counter(context, f"net.{name}.sent", rate)
        received = sent if name == "lo" else counter(context, f"net.{name}.received", rate * 1.3)
        results.append(
            Interface(
                index=index,
                name=name,
                mtu=int(row.get("mtu", mtu)),
                hardware_addr=row.get("hardware_addr", hardware),
                addrs=tuple(row.get("addrs") or (() if row.get("down") else addrs)),
                down=bool(row.get("down")),
                packets=(0, 0) if row.get("down") else (sent, received),
                bytes_each=size,
                dropped=int(row.get("dropped") or 0),
                errors=int(row.get("errors") or 0),
            )
        )
    return results


def connection_count(context: AppContext) -> int:
    """Return the number of open sockets."""
    row = (context.first("host") or {}).get("connection_count")
    return int(row) if row is not None else int(level(context, "connections", 140, 190))
