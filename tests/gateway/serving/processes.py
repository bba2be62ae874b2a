"""Observations of a gateway's processes from outside."""

from __future__ import annotations

from pathlib import Path

import httpx2
from prometheus_client.parser import text_string_to_metric_families

from tests.conftest import Gateway

WORKERS = 2


def children(pid: int) -> list[int]:
    """Return the ids of the running child processes of a process."""
    pids = []
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = stat.read_text().rpartition(")")[2].split()
        except OSError:
            continue
        if int(fields[1]) == pid and fields[0] != "Z":
            pids.append(int(stat.parent.name))
    return sorted(pids)


def alive(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def samples(gateway: Gateway, name: str, **headers: str) -> dict[tuple[str, ...], float]:
    """Return the samples of one metric that are not 0, by the values of their labels in the order of the labels' names."""
    response = httpx2.get(f"{gateway.url}/metrics", headers=headers, timeout=30)
    assert response.status_code == 200, response.text
    return {
        tuple(value for _, value in sorted(sample.labels.items())): sample.value
        for family in text_string_to_metric_families(response.text)
        for sample in family.samples
        if sample.name == name
    }


def answers(url: str) -> bool:
    try:
        return httpx2.get(f"{url}/healthz", timeout=30).status_code == 200
    except httpx2.HTTPError:
        return False
