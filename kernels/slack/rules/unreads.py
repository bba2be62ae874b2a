"""The korotovsky server's scan for unread messages with a person's OAuth token, which covers some conversations.

It requests users.conversations for each group of kinds, then conversations.info for each conversation, and
conversations.history since `last_read` except for direct messages, whose unread count Slack returns. Its note counts
those requests.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from soundstage.contexts.engine.app_context import AppContext
from soundstage.contexts.engine.schema import Object
from soundstage.kernels.slack.rules import channels, history
from soundstage.kernels.slack.rules.channels import Kind
from soundstage.kernels.slack.rules.errors import SlackError
from soundstage.kernels.slack.rules.identity import Identity

_PAGE = 200
_LEAST_SCANNED = 50
_NEVER = (None, "", channels.NEVER_READ)
_ORDER = ("dm", "group_dm", "partner", "internal")


@dataclass(frozen=True, slots=True)
class Unread:
    """A conversation with unread messages."""

    channel_id: str
    name: str
    kind: str
    count: int
    last_read: str
    latest: str


@dataclass(slots=True)
class Scan:
    """The result of a scan and the number of requests."""

    unread: list[Unread] = field(default_factory=list)
    scanned: int = 0
    requests: int = 0


def scan(context: AppContext, who: Identity, wanted: str, most: int, most_messages: int) -> Scan:
    """Scan at most `most` direct messages, and half as many group messages and channels.

    `wanted` is all, dm, group_dm, partner or internal.
    """
    result = Scan()
    half = int(most / 2)
    groups: list[tuple[str, list[Kind], int]] = [
        ("dm", ["im"], most),
        ("group_dm", ["mpim"], half),
        ("", ["public_channel", "private_channel"], half),
    ]
    for kind, kinds, budget in groups:
        if wanted in ("all", kind) or (not kind and wanted in ("internal", "partner")):
            _scan_group(context, who, result, kind, kinds, budget, wanted, most_messages)
    result.unread.sort(key=lambda unread: _ORDER.index(unread.kind))
    return result


def unread_messages(context: AppContext, who: Identity, unread: Unread, most_messages: int) -> list[Object]:
    """Return the newest unread messages of a conversation."""
    limit = str(most_messages) if most_messages else ""
    return history.history(context, who, unread.channel_id, limit=limit, oldest=unread.last_read).messages


def _scan_group(
    context: AppContext,
    who: Identity,
    result: Scan,
    kind: str,
    kinds: list[Kind],
    budget: int,
    wanted: str,
    most_messages: int,
) -> None:
    unread_list: list[Unread] = []
    most_scanned = max(budget * 2, _LEAST_SCANNED)
    own = channels.conversations(context, who, kinds, own=True)
    for position, listed in enumerate(own):
        if len(unread_list) >= budget or position >= most_scanned:
            break
        channel = channels.as_read_by(context, listed, who)
        if position % _PAGE == 0:
            result.requests += 1
        result.scanned += 1
        result.requests += 1
        unread_kind = kind or ("partner" if channel.get("is_ext_shared") else "internal")
        count = direct_unread_count(context, who, channel) if kind == "dm" else 0
        if kind != "dm" and (kind == "group_dm" or channel.get("last_read") not in _NEVER):
            result.requests += 1
            count = _count_since(context, who, channel, most_messages)
        if count and wanted in ("all", unread_kind):
            unread_list.append(_unread(context, who, channel, unread_kind, count))
    if not own and budget > 0:
        result.requests += 1
    result.unread += unread_list


def direct_unread_count(context: AppContext, who: Identity, channel: Object) -> int:
    """Return conversations.info's unread_count of a direct message: the other side's messages since `last_read`."""
    stored = int(channel.get("unread_count") or 0)
    if not channel.get("last_read"):
        return stored
    since = context.list("message", {"channel": channel["id"], "ts >": channel["last_read"]})
    return max(stored, len([m for m in since if m.get("user") != who.user_id]))


def _count_since(context: AppContext, who: Identity, channel: Object, most_messages: int) -> int:
    last_read = channel.get("last_read")
    limit = str(most_messages) if most_messages else ""
    try:
        page = history.history(
            context, who, channel["id"], limit=limit, oldest="" if last_read in _NEVER else str(last_read)
        )
    except SlackError:
        return 0  # the server logs the error and continues
    return len(page.messages)


def _unread(context: AppContext, who: Identity, channel: Object, kind: str, count: int) -> Unread:
    name, latest = channel.get("name", ""), ""
    if kind == "dm":
        user_id = channels.other_side(channel, who)
        name = f"@{(context.get('user', user_id) or {}).get('name', user_id)}" if user_id else channel["id"]
        latest = (history.newest(context, channel["id"]) or {}).get("ts", "")
    elif kind != "group_dm":
        name = "#" + name.removeprefix("#")
    return Unread(channel["id"], name, kind, count, channel.get("last_read", ""), latest)
