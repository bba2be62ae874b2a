"""The browser session of a server, and how notes and comments show the signed-in account.

A server stores one account's cookies, so every acting person has a separate server. The default account's is the
`session` without an `account`; another person's has that person's userId. A person without a row is signed in.
"""

from __future__ import annotations

from soundstage.contexts.engine.app_context import AppContext
from soundstage.contexts.engine.schema import Object


def of_server(context: AppContext) -> Object | None:
    """Return the session in the server's cookie file, signed in or not, or None."""
    account = context.account
    if account is None:
        return context.first("session", {"account": None})
    return context.first("session", {"account": account}) or _fresh(context, account)


def signed_in(context: AppContext) -> Object | None:
    """Return the session of the signed-in account, or None while signed out."""
    if context.account is None:
        return context.first("session", {"logged_in": True, "account": None})
    session = of_server(context)
    return session if session is not None and session.get("logged_in") else None


def save_session(context: AppContext, session: Object, changes: Object) -> None:
    """Change the content of the cookie file of `of_server`."""
    if context.get("session", session["cookie_path"]) is None:
        context.create("session", session)
    context.update("session", session["cookie_path"], changes)


def is_own(session: Object | None, user: Object | None) -> bool:
    """Return whether `user`, the author of a note or comment, is the signed-in account."""
    return session is not None and bool(session.get("userId")) and (user or {}).get("userId") == session["userId"]


def as_author(context: AppContext, session: Object) -> Object:
    """Return the signed-in account as its notes and comments show it."""
    nickname = session.get("nickname", "")
    picture = str(basic_info(context, session).get("images", "")).partition("?")[0]
    return {"userId": session.get("userId", ""), "nickname": nickname, "nickName": nickname, "avatar": picture}


def basic_info(context: AppContext, session: Object) -> Object:
    """Return the signed-in account's profile data, if the state has it."""
    user = context.get("user", session.get("userId", "")) or {}
    return user.get("basicInfo") or {}


def _fresh(context: AppContext, account: str) -> Object:
    """Return the session of a person whose server is unused so far."""
    nickname = basic_info(context, {"userId": account}).get("nickname", "")
    path = f"cookies-{account}.json"
    return {"cookie_path": path, "account": account, "logged_in": True, "nickname": nickname, "userId": account}
