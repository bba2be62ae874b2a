"""WeCom's group robot in a world."""

from __future__ import annotations

from soundstage.worlds.builder import fill
from soundstage.worlds.builder.wording import Rows

_EVERYBODY = {True: ["@all"]}

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
        made_from="robot_message",  # messages of people in places are not the robot's
        columns={
            "robot_key": fill.key("robot"),
            "created_at": fill.moment("at", "s", as_text=False),
            "content": fill.text("text"),
            "mentioned_list": fill.case("all_people", _EVERYBODY, fill.of("mentioned_list")),
            "mentioned_mobile_list": fill.case("all_mobiles", _EVERYBODY, fill.of("mentioned_mobile_list")),
        },
    ),
    "file": Rows(
        made_from="upload",
        columns={"robot_key": fill.key("robot"), "type": fill.always("file"), "created_at": fill.moment("at", "s")},
    ),
}
