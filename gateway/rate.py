"""How often somebody may ask: a token bucket for each."""

from __future__ import annotations

MOST_BUCKETS = 65_536
_ROUNDING_S = (
    1e-6  # what adding up floats may be off by: without it the last request of a burst is refused now and then
)


class Rates:
    """Token buckets by key. Each holds one second's worth of requests (at least one) and fills at `per_s`.

    A bucket is kept as the moment at which it will be full again; one that is full is as good as none and is forgotten. So
    there are as many as there were keys within the time that a bucket takes to fill. Should those be more than `most`, newcomers
    are refused until one is full: to forget another instead would let its owner ask more often than allowed.
    """

    def __init__(self, per_s: float, *, most: int = MOST_BUCKETS) -> None:
        self._interval = 1 / per_s
        self._slack = (max(1.0, per_s) - 1) / per_s
        self._most = most
        self._full_at: dict[str, float] = {}

    def take(self, key: str, now: float) -> float:
        """Take one request out of a bucket. `now` is in seconds, by a clock that never goes back.

        Returns:
            0 when there was one, else in how many seconds there will be. Nothing is taken then.
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
        """Forget the buckets that are full. In how many seconds one will be, where none is."""
        self._full_at = {key: full_at for key, full_at in self._full_at.items() if full_at > now}
        return 0.0 if len(self._full_at) < self._most else min(self._full_at.values()) - now
