"""A call as the server handles it: the account, the validated ids, and the account's client.

The server wraps its tools in two steps that precede everything else: `reading` or `writing` (several accounts), then
the check of ids (`Server.checked`). Only then is the account's client looked up (`Server.client`). Source:
telegram_mcp/runtime.py (with_account, validate_id, get_client)
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import wraps
from typing import Any

from soundstage.contexts.engine.app_context import AppContext
from soundstage.contexts.engine.schema import Object
from soundstage.kernels.errors import AppError
from soundstage.kernels.telegram.rules.aliases import AliasId, Reference, ask, is_handle_like, resolve_alias
from soundstage.kernels.telegram.rules.errors import Failed, Refusal, error_text
from soundstage.kernels.telegram.rules.own_rows import OwnRows
from soundstage.kernels.types import Arguments

_ONLY = "default"
_RANGE = 2**63


@dataclass(frozen=True, slots=True)
class Client:
    """The acting account: `me` is its user, `owner` the id of the default account."""

    context: AppContext
    me: Object
    owner: int
    label: str
    own_rows: OwnRows

    @property
    def id(self) -> int:
        """The id of the account's user."""
        return int(self.me["id"])

    @property
    def is_own(self) -> bool:
        """Whether this is the default account, which fields such as `creator` and `contact` refer to."""
        return self.own_rows.person is None


@dataclass(frozen=True, slots=True)
class Server:
    """The server during one call; `label` is the account that the call names."""

    context: AppContext
    own_rows: OwnRows
    label: str | None = None

    def labels(self) -> list[str]:
        """Return the configured accounts; another acting person has a server with one account."""
        rows = [] if self.own_rows.person is not None else self.context.list("account")
        return [str(row["label"]) for row in rows] or [_ONLY]

    def checked(self, name: str, value: Any) -> Any:
        """Return an id argument or a list of them as the tool receives it.

        Digits become a number, and an exact nickname becomes its id.

        Raises:
            Refusal: An id exceeds 64 bits.
            AskUser: A free text is not a nickname.
        """
        if isinstance(value, list):
            return [self._checked(name, item) for item in value]
        return None if value is None else self._checked(name, value)

    def _checked(self, name: str, value: Reference) -> Reference:
        try:
            number = int(value)
        except ValueError:
            resolved = resolve_alias(self.own_rows, value)
            if isinstance(resolved, int):
                return AliasId(resolved, str(value))
            if is_handle_like(str(value)):
                return value
            raise ask(self.own_rows, str(value)) from None
        if not -_RANGE <= number < _RANGE:
            raise Refusal("invalid", f"Invalid {name}: {value}. ID is out of the valid integer range.")
        return number

    def client(self) -> Client:
        """Return the account's client.

        Raises:
            Failed: The label is not configured, or the account is not logged in.
        """
        labels = self.labels()
        label = labels[0] if self.label is None else self.label.lower()
        if label not in labels or (self.label is None and len(labels) > 1):
            raise Failed("ValueError", f"Unknown account '{self.label}'. Available accounts: {', '.join(labels)}")
        own = self.context.list("user", {"self": True})
        if self.own_rows.person is None:
            me = next((user for user in own if user.get("account") == label), own[0] if own else None)
        else:
            me = self.context.get("user", self.own_rows.person)
        if me is None:
            raise Failed("NO_USER")
        return Client(self.context, me, int(own[0]["id"]) if own else int(me["id"]), label, self.own_rows)


Body = Callable[[Server, Arguments], str]
Kernel = Callable[[AppContext, Arguments], str]


def server_of(context: AppContext, label: str | None = None) -> Server:
    """Return the acting person's server."""
    own = context.first("user", {"self": True})
    person = None if context.account is None else int(context.account)
    if own is not None and person == own["id"]:
        person = None
    return Server(context, OwnRows(context, person), label)


def writing(body: Body) -> Kernel:
    """Wrap a tool that changes something, which requires an account if there are several."""

    @wraps(body)
    def run(context: AppContext, arguments: Arguments) -> str:
        """Run the tool for the account of the call."""
        server = server_of(context, arguments.get("account"))
        labels = server.labels()
        if server.label is None and len(labels) > 1:
            raise Refusal("invalid", f"Error: 'account' is required. Available accounts: {', '.join(labels)}")
        return body(server, arguments)

    return run


def reading(body: Body) -> Kernel:
    """Wrap a tool that reads; with several accounts and none named it replies for each."""
    tool = body.__module__.rpartition(".")[2]

    @wraps(body)
    def run(context: AppContext, arguments: Arguments) -> str:
        """Run the tool for the account of the call, or for each account."""
        server = server_of(context, arguments.get("account"))
        labels = server.labels()
        if server.label is not None or len(labels) == 1:
            return body(server, arguments)
        texts: list[str] = []
        refused: list[AppError] = []
        for label in labels:
            try:
                text = body(replace(server, label=label), arguments)
            except AppError as error:
                text = error_text(tool, error)
                refused.append(error)
            texts.append(f"[{label}]\n{text}")
        answer = "\n\n".join(texts)
        if len(refused) == len(labels):
            raise Refusal(refused[0].kind, answer)
        return answer

    return run
