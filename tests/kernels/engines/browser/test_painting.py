"""Painted text is readable in every script of the library's pages."""

from __future__ import annotations

import io
from dataclasses import dataclass, field
from typing import Any

from PIL import Image

from soundstage.kernels.engines.browser.document import Document
from soundstage.kernels.engines.browser.painting import picture
from tests.kernels.engines.browser.documents import page


@dataclass
class Shown:
    """A window on a document."""

    document: Document
    viewport: dict[str, int] = field(default_factory=lambda: {"width": 120, "height": 60})


def painted(text: str) -> bytes:
    """Return the picture of a page with this text."""
    shown: Any = Shown(page(f"<p>{text}</p>", viewport={"width": 120, "height": 60}))
    return picture(shown)


def test_every_letter_has_a_different_shape() -> None:
    letters = "aéłЯΩ—•€“→中文灯会，。あ한"
    pictures = {painted(letter) for letter in letters}
    assert len(pictures) == len(letters)
    assert painted("\uffff") not in pictures  # a character that is in no font
    for one in pictures:
        assert Image.open(io.BytesIO(one)).getextrema() != ((255, 255),) * 3


def test_the_same_page_is_the_same_picture() -> None:
    assert painted("周六下午 at 3 pm") == painted("周六下午 at 3 pm")
