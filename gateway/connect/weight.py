"""The weight of a tool list for a client: the number of tools, and their cost for its model."""

from __future__ import annotations

from dataclasses import dataclass

from soundstage.gateway.connect.clients import ClientKind

_BYTES_A_TOKEN = 4
_HEAVY_TOKENS = 20_000
"""Size of a heavy list: a tenth of the 200,000 tokens of many models' context windows."""


@dataclass(frozen=True, slots=True)
class Weight:
    """A list of tools: their number, and the bytes of its JSON."""

    tools: int
    list_bytes: int

    @property
    def tokens(self) -> int:
        """The approximate number of tokens of the list."""
        return self.list_bytes // _BYTES_A_TOKEN

    def too_many(self, kind: ClientKind) -> bool:
        """Whether the client omits some of the tools."""
        return kind.most_tools is not None and self.tools > kind.most_tools

    def heavy(self, kind: ClientKind) -> bool:
        """Whether the client sends a heavy list to its model with every request."""
        return not kind.on_demand and self.tokens > _HEAVY_TOKENS
