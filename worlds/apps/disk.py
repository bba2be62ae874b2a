"""How files are worded in a world: `path`, and `text`, `base64` or `size`, are attributes with the same names."""

from __future__ import annotations

from soundstage.worlds.builder import fill
from soundstage.worlds.builder.wording import Rows

_MADE = fill.moment("at", "ms", as_text=False)

ROWS = {
    "file": Rows(columns={"created": _MADE, "modified": _MADE}),
    "directory": Rows(columns={"created": _MADE, "modified": _MADE}),
    "symlink": Rows(columns={"created": _MADE}),
}
