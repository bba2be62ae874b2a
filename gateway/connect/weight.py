"""What a list of tools weighs for the client that gets it: how many they are, and what they cost its model."""

from __future__ import annotations

from dataclasses import dataclass

from soundstage.gateway.connect.clients import ClientKind

_BYTES_A_TOKEN = 4
_HEAVY_TOKENS = 20_000
"""From here on a list hurts: a tenth of the 200,000 tokens that many models have room for, gone before the first word."""


@dataclass(frozen=True, slots=True)
class Weight:
    """A list of tools: their number, and the bytes of its JSON."""

    tools: int
    list_bytes: int

    @property
    def tokens(self) -> int:
        """About how many tokens of a model the list takes."""
        return self.list_bytes // _BYTES_A_TOKEN

    def too_many(self, kind: ClientKind) -> bool:
        """Whether the client leaves some of the tools out."""
        return kind.most_tools is not None and self.tools > kind.most_tools

    def heavy(self, kind: ClientKind) -> bool:
        """Whether the client's model reads so long a list with every request that it hurts."""
        return not kind.on_demand and self.tokens > _HEAVY_TOKENS
