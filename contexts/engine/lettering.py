"""The font of pictures, WenQuanYi Micro Hei, for Chinese, Latin, Greek and Cyrillic. It is loaded here because kernels do no I/O."""

from __future__ import annotations

from functools import cache
from importlib.resources import files


@cache
def letters() -> bytes:
    """The font, a collection of TrueType fonts; 5 MB, read when something is first lettered."""
    return (files("paperang_p2_fonts_cjk") / "fonts" / "wqy-microhei.ttc").read_bytes()
