"""How Reddit words what a world is made of."""

from __future__ import annotations

from soundstage.worlds.builder.wording import Rows

ROWS = {
    "setting": Rows(),
    "user": Rows(),
    "subreddit": Rows(),
    "flair": Rows(),
    "rule": Rows(),
    "post": Rows(),
    "comment": Rows(),
    "saved_thing": Rows(),
    "safe_mode": Rows(),
}
