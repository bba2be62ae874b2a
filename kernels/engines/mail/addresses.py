"""Parse address lists as leniently as mail software for Node.js.

The rules were compared with `addressparser` of nodemailer 6.10: `;` separates like `,`, a comment replaces a missing name, an
address is recognised in bare text, and text without `@` is a name without an address.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import dataclass

_OPENS = {'"': '"', "(": ")", "<": ">"}
_BARE = re.compile(r"[^@\s]+@[^@\s]+")
_WORDS = re.compile(r"\S+")
_BOUNDARY = re.compile(r"\b")
_AT = re.compile("@")
_CONTROL = re.compile(r"[\x00-\x1f<>]+")
_WORD = re.compile(r"[\w ']*", re.ASCII)


@dataclass(frozen=True, slots=True)
class Address:
    """A mailbox; `address` is empty if only a name was given."""

    name: str
    address: str


@dataclass(slots=True)
class _Token:
    """A token of a list: `mark` is its opening character (`"`, `(`, `<`, empty for bare text) or a separator."""

    mark: str
    text: str
    sticks: bool = False  # joined to the following token, as in "a"b


def parse_list(text: str) -> list[Address]:
    """Return the addresses of a list in order, with groups flattened; includes names without an address."""
    results: list[Address] = []
    entry: list[_Token] = []
    for token in (*_tokens(text), _Token(",", "")):
        if token.mark in (",", ";"):
            if entry:
                results.append(_address(entry))
            entry = []
        elif token.mark == ":":
            entry = []  # the name of a group
        else:
            entry.append(token)
    return [address for address in results if address.name or address.address]


def recipients(text: str) -> list[str]:
    """Return the normalized addresses of a list for an envelope, without duplicates."""
    return list(dict.fromkeys(normalized(a.address) for a in parse_list(text) if a.address))


def normalized(address: str) -> str:
    """Return an address with a lower-case domain and without characters that an envelope cannot carry."""
    cleaned = _CONTROL.sub(" ", address).strip()
    user, at, domain = cleaned.rpartition("@")
    if not at:
        return cleaned
    try:
        host = domain.lower() if domain.isascii() else domain.lower().encode("idna").decode()
    except UnicodeError:
        host = domain.lower()
    if " " in user:
        user = '"' + user.strip('"') + '"'
    return f"{user}@{host}"


def formatted(address: Address) -> str:
    """Format an address for a header, with the name in quotation marks if it needs them."""
    if not address.name:
        return normalized(address.address)
    plain = _WORD.fullmatch(address.name) is not None or not address.name.isascii()
    escaped = address.name.replace("\\", "\\\\").replace('"', '\\"')
    return f"{address.name if plain else chr(34) + escaped + chr(34)} <{normalized(address.address)}>"


def shown(text: str) -> str:
    """Format a list for display like `mailparser`: names always in quotation marks, groups with their members."""
    parts: list[str] = []
    for name, message in _entries(text):
        inner = shown(message) if name is not None else ", ".join(map(quoted, parse_list(message)))
        if name is None:
            parts += [inner] if inner else []
        else:
            called = " ".join(address.name or address.address for address in parse_list(name))
            parts.append((f'"{called}": ' if called else "") + f"{inner};")
    return ", ".join(parts)


def quoted(address: Address) -> str:
    """Format an address for display like `mailparser`: the name always in quotation marks."""
    if not address.name:
        return address.address
    return f'"{address.name}" <{address.address}>' if address.address else f'"{address.name}"'


def _entries(text: str) -> Iterator[tuple[str | None, str]]:
    """Yield the entries of a list as (None, text) and its groups as (name, members). A group ends at its `;`."""
    start, i, closing = 0, 0, ""
    while i < len(text):
        character = text[i]
        if closing == '"' and character == "\\":
            i += 1
        elif closing:
            closing = "" if character == closing else closing
        elif character in _OPENS:
            closing = _OPENS[character]
        elif character == ":":
            end = text.find(";", i)
            end = len(text) if end < 0 else end
            yield text[start:i], text[i + 1 : end]
            start = i = end + 1
            continue
        elif character in ",;":
            yield None, text[start:i]
            start = i + 1
        i += 1
    yield None, text[start:]


def _tokens(text: str) -> Iterator[_Token]:
    piece, closing, escaped = _Token("", ""), "", False
    characters: list[str] = []
    for i, character in enumerate(text):
        if escaped:
            escaped = False
        elif closing and character == closing:
            following = text[i + 1 : i + 2]
            piece.text, piece.sticks = "".join(characters).strip(), bool(following) and following not in " \t\r\n,;"
            yield from (piece,) if piece.text else ()
            piece, closing, characters = _Token("", ""), "", []
            continue
        elif not closing and character in '"(<,;:':
            piece.text = "".join(characters).strip()
            yield from (piece,) if piece.text else ()
            characters = []
            piece, closing = _Token(character if character in _OPENS else "", ""), _OPENS.get(character, "")
            if character not in _OPENS:
                yield _Token(character, "")
            continue
        elif closing == '"' and character == "\\":
            escaped = True
            continue
        if character == "\n":
            character = " "
        if character >= "!" or character in " \t":
            characters.append(character)
    piece.text = "".join(characters).strip()
    yield from (piece,) if piece.text else ()


def _address(entry: list[_Token]) -> Address:
    names: list[str] = []
    addresses: list[str] = []
    comments: list[str] = []
    before: _Token | None = None
    for token in entry:
        values = {"<": addresses, "(": comments}.get(token.mark, names)
        text = re.sub(r"^[^<]*<\s*", "", token.text) if token.mark == "<" else token.text
        if before is not None and before.sticks and values and values is names:
            values[-1] += text
        else:
            values.append(text)
        before = token
    if not names and comments:
        names, comments = comments, []
    if not addresses:
        _find_in_text(names, addresses)
    if not names and comments:
        names = comments
    name = " ".join((*names, *addresses[1:]))
    address = addresses[0] if addresses else name
    name = name or address
    if address == name:
        return Address("", address) if "@" in address else Address(name, "")
    return Address(name, address)


def _find_in_text(names: list[str], addresses: list[str]) -> None:
    """Move the last address that is embedded in bare text to `addresses`."""
    for i in reversed(range(len(names))):
        if _BARE.fullmatch(names[i]):
            addresses.append(names.pop(i))
            return
    for i in reversed(range(len(names))):
        if (result := _within(names[i])) is not None:
            start, end = result
            addresses.append(names[i][start:end])
            names[i] = (names[i][:start].rstrip() + " " + names[i][end:].lstrip()).strip()
            if not names[i]:
                names.pop(i)
            return


def _within(text: str) -> tuple[int, int] | None:
    r"""Return the position of the first address in a text: the match of `\b[^@\s]+@\S+\b`, searched in one pass.

    Such a match is within one word, so each word is looked at once. It begins at the first word boundary before the first
    `@` that something follows and ends at the last boundary.
    """
    for word in _WORDS.finditer(text):
        result = _in_word(word[0])
        if result is not None:
            return word.start() + result[0], word.start() + result[1]
    return None


def _in_word(word: str) -> tuple[int, int] | None:
    boundaries = [result.start() for result in _BOUNDARY.finditer(word)] if "@" in word else []
    if not boundaries:
        return None
    last, after = boundaries[-1], 0
    for at in _AT.finditer(word):
        # The part before this `@` begins behind the one before it.
        begin = bisect_left(boundaries, after)
        if begin < len(boundaries) and boundaries[begin] < at.start() and last > at.end():
            return boundaries[begin], last
        after = at.end()
    return None
