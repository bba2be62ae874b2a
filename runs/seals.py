"""Seals: whose key says that a trial and its verdict are as they were, and that a run is made of just these trials.

A seal shows that nobody without the key has changed anything since. It does not show that whoever holds the key ran the agent
honestly.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import os
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey
from cryptography.hazmat.primitives.serialization import (
    Encoding,
    NoEncryption,
    PrivateFormat,
    PublicFormat,
    load_pem_private_key,
)

from soundstage.grading.verdict import Verdict
from soundstage.runs.sealed import Header, canonical

KEY_FILE = "seal.key"
_KIND = "ed25519"


class BadKey(ValueError):
    """What should be a key is none."""


@dataclass(frozen=True, slots=True)
class Key:
    """A data folder's own key for seals. `public` is what others know it by."""

    private: Ed25519PrivateKey

    @property
    def public(self) -> str:
        raw = self.private.public_key().public_bytes(Encoding.Raw, PublicFormat.Raw)
        return f"{_KIND}:{base64.b64encode(raw).decode()}"

    def sign(self, message: bytes) -> str:
        """A signature: whose it is, and it itself."""
        return f"{self.public}:{base64.b64encode(self.private.sign(message)).decode()}"


def data_key(data: Path) -> Key:
    """The key of a data folder, made when it is first wanted. Only its owner may read the file.

    Raises:
        BadKey: the file there holds none.
    """
    file = data / KEY_FILE
    if not file.exists():
        _make(file)
    try:
        private = load_pem_private_key(file.read_bytes(), None)
    except (ValueError, TypeError) as error:
        raise BadKey(f"{file} holds no private key: {error}") from None
    if not isinstance(private, Ed25519PrivateKey):
        raise BadKey(f"{file} holds a key of another kind; seals are made with Ed25519")
    return Key(private)


def _make(file: Path) -> None:
    text = Ed25519PrivateKey.generate().private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
    file.parent.mkdir(parents=True, exist_ok=True)
    fresh = file.with_name(f"{KEY_FILE}.{os.getpid()}")
    with open(os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as made:
        made.write(text)
    try:
        os.link(fresh, file)  # unlike a rename this leaves the key alone that another process made meanwhile
    except FileExistsError:
        pass
    finally:
        fresh.unlink()


def read_public(file: Path) -> str:
    """The key that a file names, as `soundstage runs key` prints it.

    Raises:
        BadKey: it names none.
    """
    text = file.read_text(errors="replace").strip()
    try:
        _public(text)
    except ValueError:
        raise BadKey(f"{file} holds no public key; right is a line such as {_KIND}:… (`soundstage runs key`)") from None
    return text


def signer(signature: str) -> str:
    """Whose key a signature says that it is of; "" where it says none."""
    return signature.rpartition(":")[0]


def holds(signature: str, message: bytes) -> bool:
    """Whether a signature is of this message, by the key that it names."""
    public, _, text = signature.rpartition(":")
    try:
        _public(public).verify(_decoded(text), message)
    except (InvalidSignature, ValueError):
        return False
    return True


def _public(text: str) -> Ed25519PublicKey:
    kind, _, encoded = text.partition(":")
    if kind != _KIND:
        raise ValueError(f"{text!r} is no key of the kind {_KIND}")
    return Ed25519PublicKey.from_public_bytes(_decoded(encoded))


def _decoded(text: str) -> bytes:
    """Base64 in the one way of writing it: its last letter has bits that mean nothing, and a changed one is to be found."""
    try:
        data = base64.b64decode(text, validate=True)
    except binascii.Error as error:
        raise ValueError(str(error)) from None
    if base64.b64encode(data).decode() != text:
        raise ValueError("this is not how base64 is written")
    return data


def verdict_data(verdict: Verdict) -> dict[str, Any]:
    """A verdict as JSON."""
    return asdict(verdict)


def trial_message(header: Header, head: str, verdict: dict[str, Any], grader: str) -> bytes:
    """What a trial's signature is of: which trial, its last digest, its answer, and what it was worth."""
    answer = digest(canonical([header.outcome, header.answer]))
    told = {"run": header.run, "trial": header.trial, "attempt": header.attempt, "head": head, "answer": answer}
    return canonical(told | {"grader": grader, "verdict": digest(canonical(verdict))})


def sign_trial(key: Key, header: Header, head: str, verdict: dict[str, Any], grader: str) -> str:
    """The seal of a trial with its verdict."""
    return key.sign(trial_message(header, head, verdict, grader))


def digest(data: bytes) -> str:
    return hashlib.blake2b(data, digest_size=32).hexdigest()


def merkle_root(leaves: Sequence[bytes]) -> str:
    """The root of a Merkle tree (BLAKE2b; leaves and nodes are told apart by their first byte; an odd one goes up as it is). Of
    no leaves it is the digest of nothing.
    """
    level = [hashlib.blake2b(b"\0" + leaf, digest_size=32).digest() for leaf in leaves]
    if not level:
        return digest(b"")
    while len(level) > 1:
        pairs = [level[i : i + 2] for i in range(0, len(level), 2)]
        level = [hashlib.blake2b(b"\1" + b"".join(p), digest_size=32).digest() if len(p) == 2 else p[0] for p in pairs]
    return level[0].hex()
