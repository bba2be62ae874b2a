"""MetricsMerge the metrics of several workers: the worker that is scraped collects the others' samples and labels them."""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Iterator, Mapping

import httpcore2
from prometheus_client import CollectorRegistry, generate_latest
from prometheus_client.metrics_core import GaugeMetricFamily, Metric
from prometheus_client.parser import text_string_to_metric_families
from prometheus_client.registry import Collector
from starlette.requests import Request

from soundstage.gateway.connections import Backend

_HEADER = "Soundstage-Worker"
_PATIENCE_S = 1.0


class MetricsMerge:
    """One worker's view of all. `peers` are the addresses of the other running workers, by number; it may change.

    Workers authenticate each other with `key`, which only the supervisor gives them.
    """

    def __init__(self, index: int, of: int, key: str) -> None:
        self.peers: Mapping[int, str] = {}
        self._index = index
        self._of = of
        self._key = key

    def asked_by_worker(self, request: Request) -> bool:
        """Whether another worker requests this one's own samples."""
        return secrets.compare_digest(request.headers.get(_HEADER, "").encode(), self._key.encode())

    async def all_workers(self, own: bytes) -> bytes:
        """Return the samples of all workers in Prometheus' text format, with the label `worker`; `own` are this worker's.

        A worker that does not answer in time is omitted, and `soundstage_worker_up` is 0 for it.
        """
        others = [index for index in range(self._of) if index != self._index]
        async with httpcore2.AsyncConnectionPool(network_backend=Backend()) as pool:
            answers = await asyncio.gather(*(self._ask(pool, index) for index in others))
        shown = {self._index: own, **dict(zip(others, answers, strict=True))}
        return merged({str(index): shown[index] for index in sorted(shown)})

    async def _ask(self, pool: httpcore2.AsyncConnectionPool, index: int) -> bytes | None:
        if (address := self.peers.get(index)) is None:
            return None
        try:
            async with asyncio.timeout(_PATIENCE_S):
                response = await pool.request("GET", f"{address}/metrics", headers={_HEADER: self._key})
        except (httpcore2.NetworkError, httpcore2.ProtocolError, TimeoutError):
            return None
        return response.content if response.status == 200 else None


def merged(shown: Mapping[str, bytes | None]) -> bytes:
    """MetricsMerge samples of several processes, each with the label `worker`; None means that the process did not answer."""
    families: dict[str, Metric] = {}
    up = GaugeMetricFamily("soundstage_worker_up", "Whether this worker answered.", labels=["worker"])
    for worker, text in shown.items():
        up.add_metric([worker], 0 if text is None else 1)
        for part in text_string_to_metric_families("" if text is None else text.decode()):
            family = families.setdefault(part.name, Metric(part.name, part.documentation, part.type))
            family.samples += [s._replace(labels={**s.labels, "worker": worker}) for s in part.samples]
    registry = CollectorRegistry()
    registry.register(_Families([*families.values(), up]))
    return generate_latest(registry)


class _Families(Collector):
    def __init__(self, families: list[Metric]) -> None:
        self._families = families

    def collect(self) -> Iterator[Metric]:
        yield from self._families
