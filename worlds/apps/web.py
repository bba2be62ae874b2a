"""The wording of data stored by sites: `host`, `kind`, `path` and `fields` are attributes with the same names."""

from __future__ import annotations

from soundstage.worlds.builder import fill
from soundstage.worlds.builder.wording import Rows

ROWS = {
    "record": Rows(made_from="web_record", columns={"at": fill.moment("at", "ms", as_text=False)}),
    "kept": Rows(made_from="web_kept"),
}
