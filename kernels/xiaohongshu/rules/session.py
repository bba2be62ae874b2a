"""The one browser session of the server: who is signed in, and how notes and comments show that account."""

from __future__ import annotations

from soundstage.contexts.engine.app_context import AppContext
from soundstage.contexts.engine.schema import Object


def signed_in(context: AppContext) -> Object | None:
    """The session of the signed-in account; None while nobody is signed in."""
    return context.first("session", {"logged_in": True})


def is_own(session: Object | None, user: Object | None) -> bool:
    """Whether `user`, as notes and comments carry their author, is the signed-in account."""
    return session is not None and bool(session.get("userId")) and (user or {}).get("userId") == session["userId"]


def as_author(context: AppContext, session: Object) -> Object:
    """The signed-in account as its notes and comments show it."""
    nickname = session.get("nickname", "")
    picture = str(basic_info(context, session).get("images", "")).partition("?")[0]
    return {"userId": session.get("userId", ""), "nickname": nickname, "nickName": nickname, "avatar": picture}


def basic_info(context: AppContext, session: Object) -> Object:
    """The signed-in account's own profile data, as far as the state has them."""
    user = context.get("user", session.get("userId", "")) or {}
    return user.get("basicInfo") or {}
