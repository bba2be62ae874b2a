"""How WeCom's group robot words what a world is made of."""

from __future__ import annotations

from soundstage.worlds.builder import fill
from soundstage.worlds.builder.wording import Rows

ROWS = {
    "webhook_robot": Rows(),
    "group_member": Rows(
        columns={
            "robot_key": fill.key("robot"),
            "userid": fill.of("by.account.userid"),
            "name": fill.of("by.name"),
            "mobile": fill.of("by.phone"),
            "position": fill.of("by.role"),
        }
    ),
    "message": Rows(
        columns={
            "robot_key": fill.key("robot"),
            "created_at": fill.moment("at", "s", as_text=False),
            "content": fill.text("text"),
        }
    ),
    "file": Rows(columns={"robot_key": fill.key("robot"), "created_at": fill.moment("at", "s")}),
}
