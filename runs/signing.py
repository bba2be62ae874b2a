"""Seals: signatures that protect a trial, its verdict, and the set of trials of a run.

A seal shows that only the key's holder could have changed the data since. It does not show that the holder ran the agent
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
    """The key is invalid."""


@dataclass(frozen=True, slots=True)
class Key:
    """The seal key of a data folder; `public` identifies it to others."""

    private: Ed25519PrivateKey

    @property
    def public(self) -> str:
        """The public key in text form, such as `ed25519:…`."""
        raw = self.private.public_key().public_bytes(Encoding.Raw, PublicFormat.Raw)
        return f"{_KIND}:{base64.b64encode(raw).decode()}"

    def sign(self, message: bytes) -> str:
        """Return a signature of a message, prefixed with the public key."""
        return f"{self.public}:{base64.b64encode(self.private.sign(message)).decode()}"


def data_key(data: Path) -> Key:
    """Return the key of a data folder, creating it on first use; the file is readable only by its owner.

    Raises:
        BadKey: The file does not contain a key.
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
        os.link(fresh, file)  # unlike a rename, a link does not replace a key that another process has just created
    except FileExistsError:
        pass
    finally:
        fresh.unlink()


def read_public(file: Path) -> str:
    """Read a public key file, as printed by `soundstage runs key`.

    Raises:
        BadKey: The file does not contain a key.
    """
    text = file.read_text(errors="replace").strip()
    try:
        _public(text)
    except ValueError:
        raise BadKey(f"{file} holds no public key; right is a line such as {_KIND}:… (`soundstage runs key`)") from None
    return text


def signer(signature: str) -> str:
    """Return the public key that a signature names; "" if it names none."""
    return signature.rpartition(":")[0]


def holds(signature: str, message: bytes) -> bool:
    """Whether a signature is valid for this message and the key that it names."""
    public, _, text = signature.rpartition(":")
    try:
        _public(public).verify(_decoded(text), message)
    except (InvalidSignature, ValueError):
        return False
    return True


def _public(text: str) -> Ed25519PublicKey:
    kind, _, encoded = text.partition(":")
    if kind != _KIND:
        raise ValueError(f"{text!r} is not a key of the kind {_KIND}")
    return Ed25519PublicKey.from_public_bytes(_decoded(encoded))


def _decoded(text: str) -> bytes:
    """Decode canonical Base64: the last letter's unused bits must be zero, so that any change is detected."""
    try:
        data = base64.b64decode(text, validate=True)
    except binascii.Error as error:
        raise ValueError(str(error)) from None
    if base64.b64encode(data).decode() != text:
        raise ValueError("this is not how base64 is written")
    return data


def verdict_data(verdict: Verdict) -> dict[str, Any]:
    """Return a verdict as JSON data."""
    return asdict(verdict)


def trial_message(header: Header, head: str, verdict: dict[str, Any], grader: str) -> bytes:
    """Return the message that a trial's signature covers: the trial, its last digest, its answer, and its verdict."""
    answer = digest(canonical([header.outcome, header.answer]))
    content = {"run": header.run, "trial": header.trial, "attempt": header.attempt, "head": head, "answer": answer}
    return canonical(content | {"grader": grader, "verdict": digest(canonical(verdict))})


def sign_trial(key: Key, header: Header, head: str, verdict: dict[str, Any], grader: str) -> str:
    """Return the seal of a trial with its verdict."""
    return key.sign(trial_message(header, head, verdict, grader))


def digest(data: bytes) -> str:
    """Return the BLAKE2b digest of data in hexadecimal."""
    return hashlib.blake2b(data, digest_size=32).hexdigest()


def merkle_root(leaves: Sequence[bytes]) -> str:
    """Return the root of a Merkle tree (BLAKE2b), or the digest of nothing without leaves.

    Leaves and nodes have different prefix bytes; an odd node moves up unchanged.
    """
    level = [hashlib.blake2b(b"\0" + leaf, digest_size=32).digest() for leaf in leaves]
    if not level:
        return digest(b"")
    while len(level) > 1:
        pairs = [level[i : i + 2] for i in range(0, len(level), 2)]
        level = [hashlib.blake2b(b"\1" + b"".join(p), digest_size=32).digest() if len(p) == 2 else p[0] for p in pairs]
    return level[0].hex()
