"""Gauges that are computed when /metrics is read."""

from __future__ import annotations

import asyncio
import shutil

from soundstage.gateway import metrics
from soundstage.gateway.registry.database import RegistryUnavailable
from soundstage.gateway.sessions.sessions import Sessions
from soundstage.gateway.settings import Settings

_PATIENCE_S = 2.0


async def refresh(sessions: Sessions, settings: Settings) -> None:
    """Set the gauges. If the registry does not answer, its gauges are unchanged and `soundstage_registry_up` is 0."""
    metrics.CONTEXTS_OPEN.set(sessions.open_count)
    metrics.DRAINING.set(sessions.draining)
    disk = shutil.disk_usage(settings.data)
    metrics.DISK.set(disk.total)
    metrics.DISK_FREE.set(disk.free)
    try:
        async with asyncio.timeout(_PATIENCE_S):
            metrics.SESSIONS.set(await sessions.count())
            if sessions.member is not None:
                metrics.GATEWAYS.set(len(await sessions.member.leases.gateways()))
    except (RegistryUnavailable, TimeoutError):
        metrics.REGISTRY_UP.set(0)
