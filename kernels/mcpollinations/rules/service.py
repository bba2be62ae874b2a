"""The Pollinations service: the requests that it rejects, and the pictures that it generates."""

from __future__ import annotations

from typing import Literal

from soundstage.contexts.engine.app_context import AppContext
from soundstage.contexts.engine.ids import keyed_digest
from soundstage.kernels.engines.jpeg import Colour, mosaic
from soundstage.kernels.mcpollinations.rules.errors import of_status

Part = Literal["image", "text", "audio"]

_REFUSED = "FAIL"
_REFUSED_WITH: dict[Part, int] = {"image": 500, "text": 429, "audio": 429}
_SQUARES = 12
_LARGEST = 240


def check(context: AppContext, part: Part, doing: str, prompt: str = "") -> None:
    """Reject a request: one prompt always, all prompts during an outage.

    Raises:
        Refusal: The request is rejected.
    """
    row = context.get("service", part)
    status = int(row.get("status") or 200) if row is not None else 200
    if prompt == _REFUSED:
        status = _REFUSED_WITH[part]
    if not 200 <= status < 300:
        raise of_status(doing, status)


def picture(text: str, width: float, height: float) -> bytes:
    """Return the picture for a request as JPEG: squares of related colours, the same for the same request.

    Its longer side has at most 240 pixels regardless of the requested size.
    """
    digest = b"".join(keyed_digest(0, f"picture\x00{text}", 0, block) for block in range(3))
    base = (digest[0], digest[1], digest[2])
    rows = [[_shade(base, digest[3 + y * _SQUARES + x]) for x in range(_SQUARES)] for y in range(_SQUARES)]
    across, down = max(1.0, width), max(1.0, height)
    scale = min(1.0, _LARGEST / max(across, down))
    return mosaic(rows, max(8, int(across * scale)), max(8, int(down * scale)))


def _shade(base: Colour, drawn: int) -> Colour:
    """Return a colour near the base: some squares are lighter, some have rotated colour channels."""
    light = drawn % 5 * 18 - 36
    turned = base if drawn < 170 else (base[1], base[2], base[0])
    red, green, blue = (min(255, max(0, value + light)) for value in turned)
    return red, green, blue
