"""The one browser session of a server: who is signed in, and how notes and comments show that account.

A server keeps one account's cookies, so whoever acts has a server of his own. That of the account which the state itself gives is
the `session` without an `account`; another person's is the one that bears his userId there, and while there is none, he is signed
in.
"""

from __future__ import annotations

from soundstage.contexts.engine.app_context import AppContext
from soundstage.contexts.engine.schema import Object


def of_server(context: AppContext) -> Object | None:
    """The session in the server's cookie file, signed in or not; None without one."""
    account = context.account
    if account is None:
        return context.first("session", {"account": None})
    return context.first("session", {"account": account}) or _fresh(context, account)


def signed_in(context: AppContext) -> Object | None:
    """The session of the signed-in account; None while nobody is signed in."""
    if context.account is None:
        return context.first("session", {"logged_in": True, "account": None})
    session = of_server(context)
    return session if session is not None and session.get("logged_in") else None


def keep(context: AppContext, session: Object, changes: Object) -> None:
    """Change what the cookie file of `of_server` holds."""
    if context.get("session", session["cookie_path"]) is None:
        context.create("session", session)
    context.update("session", session["cookie_path"], changes)


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


def _fresh(context: AppContext, account: str) -> Object:
    """The session of somebody whose server nothing has happened to."""
    nickname = basic_info(context, {"userId": account}).get("nickname", "")
    path = f"cookies-{account}.json"
    return {"cookie_path": path, "account": account, "logged_in": True, "nickname": nickname, "userId": account}
