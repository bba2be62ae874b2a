"""A call as the server takes it: which account it is for, what its ids are, and the client behind the account.

The server wraps its tools in two steps, which come before all else: `reading` or `writing` (several accounts), then the check of
ids (`Server.checked`). The account's client is only looked up after that (`Server.client`).
Source: telegram_mcp/runtime.py (with_account, validate_id, get_client)
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import wraps
from typing import Any

from soundstage.contexts.engine.app_context import AppContext
from soundstage.contexts.engine.schema import Object
from soundstage.kernels.errors import AppError
from soundstage.kernels.telegram.rules.aliases import AliasId, Reference, ask, is_handle_like, stands_for
from soundstage.kernels.telegram.rules.errors import Failed, Said, worded
from soundstage.kernels.telegram.rules.mine import Mine
from soundstage.kernels.types import Arguments

_ONLY = "default"
_RANGE = 2**63


@dataclass(frozen=True, slots=True)
class Client:
    """The account that acts. `me` is its user; `owner` is the id of the account that the state itself gives."""

    context: AppContext
    me: Object
    owner: int
    label: str
    mine: Mine

    @property
    def id(self) -> int:
        return int(self.me["id"])

    @property
    def is_own(self) -> bool:
        """Whether it is the account of which the state speaks where it speaks of whoever asks (`creator`, `contact`)."""
        return self.mine.person is None


@dataclass(frozen=True, slots=True)
class Server:
    """The server as one call finds it; `label` is the account that the call names."""

    context: AppContext
    mine: Mine
    label: str | None = None

    def labels(self) -> list[str]:
        """The accounts that are configured. Somebody else who acts has a server with one."""
        rows = [] if self.mine.person is not None else self.context.list("account")
        return [str(row["label"]) for row in rows] or [_ONLY]

    def checked(self, name: str, value: Any) -> Any:
        """An id argument, or a list of them, as the tool gets it: digits as a number, an exact nickname as its id.

        Raises:
            Said: an id beyond 64 bits.
            AskUser: for free text that is nobody's nickname.
        """
        if isinstance(value, list):
            return [self._checked(name, item) for item in value]
        return None if value is None else self._checked(name, value)

    def _checked(self, name: str, value: Reference) -> Reference:
        try:
            number = int(value)
        except ValueError:
            resolved = stands_for(self.mine, value)
            if isinstance(resolved, int):
                return AliasId(resolved, str(value))
            if is_handle_like(str(value)):
                return value
            raise ask(self.mine, str(value)) from None
        if not -_RANGE <= number < _RANGE:
            raise Said("invalid", f"Invalid {name}: {value}. ID is out of the valid integer range.")
        return number

    def client(self) -> Client:
        """The account's client.

        Raises:
            Failed: for a label that is not configured, or an account that nobody is logged in to.
        """
        labels = self.labels()
        label = labels[0] if self.label is None else self.label.lower()
        if label not in labels or (self.label is None and len(labels) > 1):
            raise Failed("ValueError", f"Unknown account '{self.label}'. Available accounts: {', '.join(labels)}")
        own = self.context.list("user", {"self": True})
        if self.mine.person is None:
            me = next((user for user in own if user.get("account") == label), own[0] if own else None)
        else:
            me = self.context.get("user", self.mine.person)
        if me is None:
            raise Failed("NO_USER")
        return Client(self.context, me, int(own[0]["id"]) if own else int(me["id"]), label, self.mine)


Body = Callable[[Server, Arguments], str]
Kernel = Callable[[AppContext, Arguments], str]


def server_of(context: AppContext, label: str | None = None) -> Server:
    """The server that whoever acts talks to."""
    own = context.first("user", {"self": True})
    person = None if context.account is None else int(context.account)
    if own is not None and person == own["id"]:
        person = None
    return Server(context, Mine(context, person), label)


def writing(body: Body) -> Kernel:
    """A tool that changes something: with several accounts it has to be told which."""

    @wraps(body)
    def run(context: AppContext, arguments: Arguments) -> str:
        server = server_of(context, arguments.get("account"))
        labels = server.labels()
        if server.label is None and len(labels) > 1:
            raise Said("invalid", f"Error: 'account' is required. Available accounts: {', '.join(labels)}")
        return body(server, arguments)

    return run


def reading(body: Body) -> Kernel:
    """A tool that reads: with several accounts, and none named, it answers for each."""
    tool = body.__module__.rpartition(".")[2]

    @wraps(body)
    def run(context: AppContext, arguments: Arguments) -> str:
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
                text = worded(tool, error)
                refused.append(error)
            texts.append(f"[{label}]\n{text}")
        answer = "\n\n".join(texts)
        if len(refused) == len(labels):
            raise Said(refused[0].kind, answer)
        return answer

    return run
