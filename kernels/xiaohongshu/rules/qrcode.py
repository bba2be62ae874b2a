"""The one reply that is more than text: a sentence and the address that the picture's QR code holds."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class LoginQrcode:
    """What to say, and what the phone that scans the code opens."""

    text: str
    address: str
