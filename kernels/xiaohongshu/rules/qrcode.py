"""The only reply that is more than text: a sentence and the address in the picture's QR code."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class LoginQrcode:
    """The text of the reply, and the address that the phone opens after scanning the code."""

    text: str
    address: str
