"""Screenshots and PDFs: the same bytes for the same page, without a creation time.

Screenshots use a font that includes Chinese. PDFs use Times, which every PDF reader provides.
"""

from __future__ import annotations

import io
import re
from datetime import UTC, datetime
from functools import lru_cache
from typing import Any

from PIL import Image, ImageColor, ImageDraw, ImageFont

from soundstage.contexts.engine import budget
from soundstage.contexts.engine.fonts import cjk_font
from soundstage.kernels.engines.browser.tabs import Browser

_LONGEST = 4_000
"""Maximum size of a screenshot's side in pixels; longer pages are cropped."""
_MADE = datetime(2000, 1, 1, tzinfo=UTC)
_RGB = re.compile(r"rgba?\((\d+), (\d+), (\d+)")

MM_PER_PX = 25.4 / 96


def picture(browser: Browser, clip: dict[str, Any] | None = None, *, whole: bool = False, kind: str = "PNG") -> bytes:
    """Return a screenshot of the viewport, of a part of the page, or of the whole page."""
    painted = browser.document.ask("paint")
    width, height = browser.viewport["width"], browser.viewport["height"]
    left, top = 0, 0
    if clip is not None:
        left, top, width, height = (round(clip[name]) for name in ("x", "y", "width", "height"))
    elif whole:
        height = max(height, round(painted["height"]))
    image = Image.new("RGB", (max(1, min(width, _LONGEST)), max(1, min(height, _LONGEST))), "white")
    draw = ImageDraw.Draw(image)
    for item in painted["paints"]:
        if "box" in item:
            x, y, w, h = item["box"]
            corner = (x - left, y - top, x - left + max(w - 1, 0), y - top + max(h - 1, 0))
            draw.rectangle(
                corner, fill=_colour(item["fill"]), outline=_colour(item["line"]) if item.get("line") else None
            )
        else:
            x, y = item["at"]
            if y - top < height and x - left < width:
                draw.text((x - left, y - top), item["text"], fill=_colour(item["fill"]), font=_font(item["size"]))
    made = io.BytesIO()
    image.save(made, kind)
    return made.getvalue()


def printed(browser: Browser, size_mm: tuple[float, float], margins_mm: tuple[float, float, float, float]) -> bytes:
    """Return the page as a PDF with the given sheet size and margins (top, right, bottom, left)."""
    with budget.paused():  # importing it takes an eighth of a gateway's start, and few agents print
        from fpdf import FPDF

    painted = browser.document.ask("paint")
    top, _, bottom, left = margins_mm
    pdf = FPDF(unit="mm", format=size_mm)
    pdf.set_auto_page_break(False)
    pdf.set_creation_date(_MADE)
    pdf.set_producer("Skia/PDF m156")
    pdf.set_title(str(browser.document.ask("title")))
    tall = max(size_mm[1] - top - bottom, 1.0)
    sheets = max(1, min(200, int(painted["height"] * MM_PER_PX // tall) + 1))
    for sheet in range(sheets):
        pdf.add_page()
        for item in painted["paints"]:
            if "text" not in item:
                continue
            x, y = (n * MM_PER_PX for n in item["at"])
            if sheet * tall <= y < (sheet + 1) * tall:
                pdf.set_font("Times", "B" if item.get("bold") else "", item["size"] * 0.75)
                pdf.set_text_color(*_colour(item["fill"]))
                pdf.text(left + x, top + y - sheet * tall + item["size"] * MM_PER_PX, _latin(item["text"]))
    return bytes(pdf.output())


def _latin(text: str) -> str:
    """Replace characters that Times lacks with question marks. Embedding a font for them would take a third of a second."""
    return text.replace("\u2022", "\u00b7").encode("latin-1", "replace").decode("latin-1")


def _colour(text: str) -> tuple[int, int, int]:
    if (match := _RGB.match(text)) is not None:
        return (min(int(match[1]), 255), min(int(match[2]), 255), min(int(match[3]), 255))
    try:
        red, green, blue = ImageColor.getrgb(text)[:3]
    except ValueError:
        return (0, 0, 0)
    return (red, green, blue)


@lru_cache(maxsize=32)
def _font(size: float) -> ImageFont.FreeTypeFont:
    with budget.paused():
        return ImageFont.truetype(io.BytesIO(cjk_font()), max(size, 1))
