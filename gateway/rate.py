"""Rate limits: a token bucket for each client."""

from __future__ import annotations

MOST_BUCKETS = 65_536
_ROUNDING_S = 1e-6  # tolerance for floating-point sums, without which the last request of a burst is sometimes rejected


class Rates:
    """Token buckets by key. Each holds one second's worth of requests (at least one) and fills at `per_s`.

    A bucket is stored as the time when it will be full; a full bucket is removed. So the number of buckets is the number of
    keys within the time that a bucket takes to fill. If there are more than `most`, new keys are rejected until a bucket is
    full: removing another bucket instead would let its owner exceed the limit.
    """

    def __init__(self, per_s: float, *, most: int = MOST_BUCKETS) -> None:
        self._interval = 1 / per_s
        self._slack = (max(1.0, per_s) - 1) / per_s
        self._most = most
        self._full_at: dict[str, float] = {}

    def take(self, key: str, now: float) -> float:
        """Take one request out of a bucket. `now` is in seconds, by a monotonic clock.

        Returns:
            0 on success, otherwise the seconds until a request is available. Nothing is taken then.
        """
        full_at = self._full_at.get(key)
        if full_at is None and len(self._full_at) >= self._most and (wait := self._make_room(now)) > 0:
            return wait
        full_at = now if full_at is None else max(full_at, now)
        if (wait := full_at - self._slack - now) > _ROUNDING_S:
            return wait
        self._full_at[key] = full_at + self._interval
        return 0.0

    def __len__(self) -> int:
        return len(self._full_at)

    def _make_room(self, now: float) -> float:
        """Remove the full buckets. Returns the seconds until one will be full, if none is."""
        self._full_at = {key: full_at for key, full_at in self._full_at.items() if full_at > now}
        return 0.0 if len(self._full_at) < self._most else min(self._full_at.values()) - now
