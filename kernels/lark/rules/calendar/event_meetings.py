"""The video meeting of an event (`vchat`) and its attachments.

Source: https://open.feishu.cn/document/server-docs/calendar-v4/calendar-event/create.
"""

from __future__ import annotations

from soundstage.contexts.engine.app_context import AppContext
from soundstage.contexts.engine.schema import Object
from soundstage.kernels.lark.rules.calendar import calendars, events, refusals
from soundstage.kernels.lark.rules.errors import field_violation
from soundstage.kernels.lark.rules.identity import Caller
from soundstage.kernels.types import Arguments

HOSTS_LIMIT = 10
_THIRD_PARTY_FIELDS = ("icon_type", "description", "meeting_url")


def meeting(
    context: AppContext, caller: Caller, calendar: Object, event: Object, sent: Arguments, id_type: str
) -> Object:
    """Return the stored `vchat`: that of the event (none for a new one) with the sent changes.

    An empty object means no choice: the first attendee creates the meeting.

    Raises:
        LarkError: 99992402, 190014, 193101, 193102, 195100.
    """
    current = event.get("vchat") or {}
    kind = sent.get("vc_type") or current.get("vc_type")
    same = current if current.get("vc_type") == kind else {}
    if kind in ("lark_live", "unknown"):
        raise refusals.bad_value(f"vchat.vc_type({kind}) is read-only")
    settings = sent.get("meeting_settings") or {}
    if kind in (None, "vc"):
        _check_hosts(caller, calendar, event, settings)
    match kind:
        case None:
            return {}
        case "vc":
            stored = {"vc_type": kind, "meeting_url": same.get("meeting_url") or _new_url(context)}
            new = _settings(context, caller, calendar, settings, id_type)
            if same:
                new.pop("owner_id", None)  # only the call that creates the meeting can name its owner
            merged = {**(same.get("meeting_settings") or {}), **new}
            return {**stored, "meeting_settings": merged} if merged else stored
        case "third_party":
            fields = {name: sent[name] for name in _THIRD_PARTY_FIELDS if name in sent}
            return {"vc_type": kind, "icon_type": "default", **same, **fields}
        case _:
            return {"vc_type": kind}


def attachments(context: AppContext, event: Object, sent: list[Object]) -> list[Object]:
    """Return the event's attachments after adding the sent ones, or removing those marked `is_deleted`.

    Raises:
        LarkError: 193105.
    """
    remaining = {attachment.get("file_token", ""): attachment for attachment in event.get("attachments") or []}
    for attachment in sent:
        token = attachment.get("file_token", "")
        if token not in remaining and context.get("document", token) is None:
            raise refusals.unknown_attachment()
        if attachment.get("is_deleted"):
            remaining.pop(token, None)
        else:
            remaining.setdefault(token, {"file_token": token})
    return list(remaining.values())


def _check_hosts(caller: Caller, calendar: Object, event: Object, settings: Arguments) -> None:
    hosts = settings.get("assign_hosts") or []
    if len(hosts) > HOSTS_LIMIT:
        raise field_violation("vchat.meeting_settings.assign_hosts", f"the max len is {HOSTS_LIMIT}")
    if calendars.is_bots(calendar, caller) and (hosts or settings.get("allow_attendees_start") is False):
        raise refusals.bot_organises()
    organises = events.is_organised_on(event, calendar) and calendars.role_of(calendar, caller) == "owner"
    if hosts and (caller.kind == "app" or not organises):
        raise refusals.only_organiser_assigns_hosts()


def _settings(context: AppContext, caller: Caller, calendar: Object, sent: Arguments, id_type: str) -> Object:
    stored = {name: value for name, value in sent.items() if name not in ("owner_id", "assign_hosts")}
    if "owner_id" in sent and caller.kind == "app" and calendars.is_bots(calendar, caller):
        stored["owner_id"] = calendars.present_user(context, sent["owner_id"], id_type)["open_id"]
    if "assign_hosts" in sent:
        stored["assign_hosts"] = [
            calendars.present_user(context, host, id_type)["open_id"] for host in sent["assign_hosts"]
        ]
    return stored


def _new_url(context: AppContext) -> str:
    return context.new_id("meeting_url", "https://vc.feishu.cn/j/{digits:9}")
