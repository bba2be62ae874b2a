"""Calls of many apps, mixed as an agent with several apps mixes them: most of them read, some write, none fails.

The calls name no row of a world, so they succeed in every session of the world `studio`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import zip_longest
from typing import Any

from soundstage.servers.catalogue import load_app, load_apps

_CALLS: dict[str, Sequence[tuple[str, Mapping[str, Any]]]] = {
    "lark": [
        ("im_v1_chat_list", {}),
        ("bitable_v1_app_create", {"data": {"name": "Props"}}),
        ("im_v1_chat_search", {}),
    ],
    "notion": [
        ("notion_list_all_users", {}),
        ("notion_search", {"query": "call sheet"}),
        ("notion_retrieve_bot_user", {}),
    ],
    "slack": [
        ("conversations_add_message", {"channel_id": "#general", "payload": "The call sheet is out."}),
        ("slack_list_channels", {}),
        ("slack_get_users", {}),
        ("users_search", {"query": "lin"}),
    ],
    "xiaohongshu": [("check_login_status", {}), ("search_feeds", {"keyword": "灯笼"})],
    "gmail": [
        ("draft_email", {"to": ["sam@mail.example"], "subject": "Call sheet", "body": "Please have a look."}),
        ("list_email_labels", {}),
        ("search_emails", {"query": "subject:call"}),
    ],
    "telegram": [
        ("send_message", {"chat_id": "me", "message": "The call sheet is out."}),
        ("list_chats", {}),
        ("search_contacts", {"query": "lin"}),
        ("get_chats", {}),
    ],
    "reddit": [("get_me", {}), ("search_reddit", {"query": "lantern"}), ("get_top_posts", {})],
    "paypal": [
        ("create_product", {"name": "Lantern", "type": "PHYSICAL"}),
        ("list_invoices", {}),
        ("list_transactions", {}),
    ],
    "obsidian": [
        ("obsidian_append_content", {"filepath": "Notes/props.md", "content": "One more lantern.\n"}),
        ("obsidian_list_files_in_vault", {}),
        ("obsidian_get_recent_changes", {}),
    ],
    "google_maps": [("maps_search_places", {"query": "lantern"})],
    "tavily": [("tavily-search", {"query": "lantern"})],
    "instagram": [
        ("INSTAGRAM_GET_USER_INFO", {}),
        ("INSTAGRAM_GET_USER_MEDIA", {}),
        ("INSTAGRAM_GET_CONVERSATIONS", {}),
    ],
    "monitor": [("get_memory_info", {}), ("get_host_info", {}), ("get_cpu_info", {})],
    "wecom": [("send_text", {"content": "The call sheet is out."}), ("send_markdown", {"content": "**Call sheet**"})],
    "email_163": [
        ("send_email", {"to": "sam@mail.example", "subject": "Call sheet", "content": "Please have a look."}),
        ("get_recent_emails", {}),
    ],
    "deepseek": [("list_models", {}), ("get_user_balance", {})],
    "mcpollinations": [("generateImageUrl", {"prompt": "a lantern"}), ("respondText", {"prompt": "hello"})],
    "baidu_maps": [("map_ip_location", {})],
    "amap": [("maps_text_search", {"keywords": "lantern"})],
    "google_search": [("search", {"query": "lantern"})],
    "medical": [("get-cache-stats", {})],
    "filesystem": [("list_allowed_directories", {})],
}


@dataclass(frozen=True, slots=True)
class MixedCall:
    """A call of an app's tool, under the app's own name for it."""

    app: str
    tool: str
    arguments: Mapping[str, Any] = field(hash=False)

    @property
    def prefixed(self) -> str:
        """The tool's name at the address of all apps."""
        return load_app(self.app).prefixed(self.tool)


def app_names(count: int) -> tuple[str, ...]:
    """Return the first `count` apps: first the apps with calls in this module, then the others by name.

    Raises:
        ValueError: there are fewer apps.
    """
    names = [*_CALLS, *(name for name in load_apps(None) if name not in _CALLS)]
    if count > len(names):
        raise ValueError(f"{count} apps were asked for, and there are {len(names)}")
    return tuple(names[:count])


def mixed_calls(apps: Sequence[str]) -> list[MixedCall]:
    """All calls of these apps; neighbours are of different apps."""
    by_app = [[MixedCall(app, *call) for call in _CALLS.get(app, ())] for app in apps]
    return [call for turn in zip_longest(*by_app) for call in turn if call is not None]
