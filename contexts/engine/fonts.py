"""The font of pictures, WenQuanYi Micro Hei, for Chinese, Latin, Greek and Cyrillic. Kernels do no I/O, so it is loaded here."""

from __future__ import annotations

from functools import cache
from importlib.resources import files


@cache
def cjk_font() -> bytes:
    """The font, a collection of TrueType fonts; 5 MB, read when something is first lettered."""
    return (files("paperang_p2_fonts_cjk") / "fonts" / "wqy-microhei.ttc").read_bytes()
