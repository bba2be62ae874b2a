"""The token of a call, and whether Slack accepts it.

The reference server holds a bot's token, the korotovsky server a person's; each uses the other kind if its own is
missing. The bot belongs to the workspace. The person's token is the acting person's; for the default account it is the
first person's among the `auth` rows. A workspace without such rows acts through its first bot and its first person.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from soundstage.contexts.engine.app_context import AppContext
from soundstage.contexts.engine.schema import Object
from soundstage.kernels.slack.rules.errors import SlackError

_SCOPES = (
    "channels:history", "channels:join", "channels:read", "channels:write", "chat:write", "files:read",
    "groups:history", "groups:read", "groups:write", "im:history", "im:read", "im:write", "mpim:history", "mpim:read",
    "mpim:write", "reactions:read", "reactions:write", "search:read", "team:read", "usergroups:read",
    "usergroups:write", "users.profile:read", "users:read", "users:read.email",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Identity:
    """The acting account. `bot_id` is empty for a person; `url` is the workspace's, with a trailing slash.

    `is_own` marks the default account, which fields such as `is_member` and `last_read` refer to.
    """

    user_id: str
    bot_id: str
    team_id: str
    url: str
    token: Object = field(repr=False)
    is_own: bool = True

    @property
    def is_bot(self) -> bool:
        """Whether the account is a bot."""
        return bool(self.bot_id)

    def calls(self, method: str) -> None:
        """Check the token before a method, as Slack does before anything else.

        Raises:
            SlackError: invalid_auth (or the token's own `error`), ratelimited.
        """
        code = self.token.get("error") or ("invalid_auth" if self.token.get("valid") is False else None)
        if code:
            raise SlackError(str(code))
        limited = self.token.get("ratelimited")
        if limited is True or (isinstance(limited, list) and method in limited):
            raise SlackError("ratelimited")

    def needs(self, scope: str) -> None:
        """Require a scope of the token.

        Raises:
            SlackError: missing_scope, with the scope and the token's scopes.
        """
        missing = self.token.get("missing_scopes") or []
        provided = [s for s in self.token.get("scopes") or _SCOPES if s not in missing]
        if scope not in provided:
            raise SlackError("missing_scope", {"needed": scope, "provided": ",".join(provided)})


def bot(context: AppContext) -> Identity:
    """Return the identity of the reference server's tools."""
    return _identity(context, wants_bot=True)


def person(context: AppContext) -> Identity:
    """Return the identity of the korotovsky server's tools."""
    return _identity(context, wants_bot=False)


def _identity(context: AppContext, *, wants_bot: bool) -> Identity:
    tokens = context.list("auth")
    token = next((t for t in tokens if bool(t.get("bot_id")) == wants_bot), None)
    workspace = context.first("workspace") or {}
    account = context.account
    is_own = account is None or (wants_bot and token is not None)
    if not is_own:
        token = _token_of(context, str(account))
    elif token is None and tokens:
        token = tokens[0]
    if token is None:
        user = context.first("user", {"is_bot": True}) if wants_bot else _first_person(context)
        token = {"user_id": (user or {}).get("id", ""), "bot_id": "B00000000" if wants_bot else ""}
    return Identity(
        user_id=token["user_id"],
        bot_id=token.get("bot_id") or "",
        team_id=token.get("team_id") or workspace.get("team_id") or "",
        url=(token.get("url") or workspace.get("url") or "https://workspace.slack.com").rstrip("/") + "/",
        token=token,
        is_own=is_own,
    )


def _token_of(context: AppContext, user_id: str) -> Object:
    """Return a person's token: the `auth` row, else a valid one; a closed account's token is inactive.

    Source: https://docs.slack.dev/reference/methods/auth.test (account_inactive)
    """
    token = context.get("auth", user_id)
    if token is None:
        is_closed = bool((context.get("user", user_id) or {}).get("deleted"))
        token = {"user_id": user_id, **({"error": "account_inactive"} if is_closed else {})}
    return token


def _first_person(context: AppContext) -> Object | None:
    return next((u for u in context.list("user") if not u.get("is_bot") and not u.get("deleted")), None)
