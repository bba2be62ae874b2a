"""Remove secrets from a recording's files: the target's secrets, this machine's names and folders, and personal data.

Equal values stay equal: a person's address becomes the same invented one wherever it occurs, so that relations are preserved.
"""

from __future__ import annotations

import getpass
import hashlib
import os
import re
import socket
from collections.abc import Iterable
from pathlib import Path
from typing import Any

HIDDEN = "***"
SCRATCH = "/scratch"
"""The placeholder for a run's scratch folder, which differs at each start."""

_SECRETS = (
    re.compile(r"(?i)\b(bearer|basic)\s+[A-Za-z0-9._~+/=-]{8,}"),
    re.compile(r"\b(?:sk|pk|rk|ghp|gho|ghs|xox[abpr]|glpat|AKIA|AIza)[-_]?[A-Za-z0-9_-]{12,}"),
    re.compile(r"\beyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]*"),
    re.compile(r"-----BEGIN [A-Z ]*PRIVATE KEY-----.*?-----END [A-Z ]*PRIVATE KEY-----", re.DOTALL),
)
_NAMED = re.compile(
    r"(?i)(\"?[\w.-]*(?:secret|passwd|password|api[_-]?key|access[_-]?key|private[_-]?key|auth[_-]?token|[_-]token|cookie)[\w.-]*\"?"
    r"\s*[:=]\s*\"?)([^\s\",}]{6,})"
)
_TELLING = re.compile(r"(?i)secret|passw|api[_-]?key|private[_-]?key|auth|^token$|[_-]token$|cookie|credential")
_MAIL = re.compile(r"\b[\w.+-]+@[\w-]+(?:\.[\w-]+)+\b")
_PHONE = re.compile(r"(?<![\w.])\+\d[\d ()-]{7,16}\d(?!\w)")
_SAFE_MAIL = re.compile(r"(?i)@(?:[\w-]+\.)*(?:example(?:\.\w+)?|test|invalid|localhost)$")


class Scrubber:
    """Scrubs texts and JSON; `secrets` are the target's, `key` makes the invented personal data specific to this recording."""

    def __init__(self, secrets: Iterable[str], key: str) -> None:
        self._secrets = sorted({s for s in secrets if len(s) >= 4}, key=len, reverse=True)
        self._key = hashlib.blake2b(key.encode(), digest_size=16).digest()
        self._places: list[tuple[str, str]] = []
        home, cwd = str(Path.home()), os.getcwd()
        for real, shown in ((cwd, "/work-folder"), (home, "/home-folder")):
            if real not in ("", "/"):
                self._places.append((real, shown))
        names = {socket.gethostname(), _user()}
        self._names = [re.compile(rf"(?<![\w-]){re.escape(n)}(?![\w-])") for n in names if len(n) >= 5]

    def value(self, value: Any, scratch: Path | None = None) -> Any:
        """Return JSON without secrets; keys are unchanged."""
        if isinstance(value, str):
            return self.text(value, scratch)
        if isinstance(value, list):
            return [self.value(item, scratch) for item in value]
        if isinstance(value, dict):
            return {
                name: HIDDEN
                if isinstance(item, str) and len(item) >= 6 and _TELLING.search(name)
                else self.value(item, scratch)
                for name, item in value.items()
            }
        return value

    def text(self, text: str, scratch: Path | None = None) -> str:
        """A text without what is secret."""
        if scratch is not None:
            for place in {str(scratch.resolve()), str(scratch)}:
                text = text.replace(place, SCRATCH)
        for secret in self._secrets:
            text = text.replace(secret, HIDDEN)
        for pattern in _SECRETS:
            text = pattern.sub(HIDDEN, text)
        text = _NAMED.sub(lambda match: match[1] + HIDDEN, text)
        for real, shown in self._places:
            text = text.replace(real, shown)
        for name in self._names:
            text = name.sub("host", text)
        text = _MAIL.sub(lambda match: self._mail(match[0]), text)
        return _PHONE.sub(lambda match: self._phone(match[0]), text)

    def _mail(self, address: str) -> str:
        if _SAFE_MAIL.search(address):
            return address
        return f"person-{self._digest(address.lower())[:8]}@mail.example"

    def _phone(self, number: str) -> str:
        """Return a phone number of the same form in the range reserved for fiction."""
        digits = iter(str(int(self._digest(re.sub(r"\D", "", number)), 16)).zfill(40))
        position = 0
        made = []
        for character in number:
            if character.isdigit():
                position += 1
                made.append("15550"[position - 1] if position <= 5 else next(digits))
            else:
                made.append(character)
        return "".join(made)

    def _digest(self, text: str) -> str:
        return hashlib.blake2b(text.encode(), key=self._key, digest_size=16).hexdigest()


def _user() -> str:
    try:
        return getpass.getuser()
    except (KeyError, OSError):
        return ""
