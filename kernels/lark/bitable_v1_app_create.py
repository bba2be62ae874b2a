"""The `bitable_v1_app_create` tool."""

from __future__ import annotations

import re

from soundstage.contexts.engine.app_context import AppContext
from soundstage.contexts.engine.schema import Object
from soundstage.kernels.lark.rules.base.bases import zone
from soundstage.kernels.lark.rules.base.field_types import ATTACHMENT, DATE, SINGLE_SELECT, TEXT
from soundstage.kernels.lark.rules.base.new_tables import make_table
from soundstage.kernels.lark.rules.base.refusals import BaseRefusals
from soundstage.kernels.lark.rules.identity import caller
from soundstage.kernels.lark.rules.zones import DEFAULT_ZONE
from soundstage.kernels.types import Arguments

_NAME_CHARACTERS = 255
_UNTITLED = "未命名多维表格"
_FOLDER_TOKEN = re.compile(r"[A-Za-z0-9]{27}")
_FIRST_TABLE = {
    "name": "数据表",
    "fields": [
        {"field_name": "文本", "type": TEXT},
        {"field_name": "单选", "type": SINGLE_SELECT},
        {"field_name": "日期", "type": DATE},
        {"field_name": "附件", "type": ATTACHMENT},
    ],
}
_refusal = BaseRefusals("bitable_v1_app_create")


def run(context: AppContext, arguments: Arguments) -> Object:
    """Create a base with one empty table, owned by the caller."""
    data = arguments.get("data") or {}
    who = caller(context, arguments, "bitable:app", "base:app:create")
    name, folder, time_zone = data.get("name") or _UNTITLED, data.get("folder_token", ""), data.get("time_zone")
    if len(name) > _NAME_CHARACTERS:
        raise _refusal(1254031)
    if time_zone and zone(time_zone) is None:
        raise _refusal(1254800)
    if folder and not _FOLDER_TOKEN.fullmatch(folder):
        raise _refusal(1254702)
    app_token = context.new_id("bitable_app")
    base = {
        "app_token": app_token,
        "name": name,
        "folder_token": folder,
        "url": f"https://example.feishu.cn/base/{app_token}",
        "time_zone": time_zone or DEFAULT_ZONE,
    }
    context.create("bitable_app", {**base, "owner_id": who.id or None})
    table, _ = make_table(context, app_token, _FIRST_TABLE)
    context.update("bitable_app", app_token, {"default_table_id": table["table_id"]})
    return {"app": {**base, "default_table_id": table["table_id"]}}
