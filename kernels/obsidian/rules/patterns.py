"""Regular expressions and globs from callers, translated from JavaScript to RE2, which runs in linear time.

The syntax is parsed like V8 without flags, so rejections use V8's words. Lookaheads at the start of a pattern
(`^(?=.*peas)(?!.*leeks)`) become separate patterns. Other features without an equivalent in RE2 (other lookarounds,
backreferences) are rejected.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Any, NoReturn

import re2

_MOST_REPEATS = 1000  # RE2's limit
_SPACE = r"\t\n\v\f\r \x{a0}\x{1680}\x{2000}-\x{200a}\x{2028}\x{2029}\x{202f}\x{205f}\x{3000}\x{feff}"
_ANY = r"[^\n\r\x{2028}\x{2029}]"
_NONE = r"[^\x{0}-\x{10FFFF}]"
_CLASSES = {"d": "0-9", "w": "0-9A-Za-z_", "s": _SPACE}
_NOT_CLASSES = {
    "D": r"\x{0}-/:-\x{10FFFF}",
    "W": r"\x{0}-/:-@\[-\^`{-\x{10FFFF}",
    "S": (
        r"\x{0}-\x08\x{e}-\x{1f}!-\x{9f}\x{a1}-\x{167f}\x{1681}-\x{1fff}\x{200b}-\x{2027}\x{202a}-\x{202e}"
        r"\x{2030}-\x{205e}\x{2060}-\x{2fff}\x{3001}-\x{fefe}\x{ff00}-\x{10FFFF}"
    ),
}
_CONTROLS = {"t": 9, "n": 10, "v": 11, "f": 12, "r": 13, "0": 0}
_COUNT = re.compile(r"\{([0-9]+)(?:(,)([0-9]*))?\}")
_NAME = re.compile(r"[A-Za-z_$][A-Za-z0-9_$]*")


class BadPattern(Exception):
    """A pattern is rejected; the message is V8's, `problem` is its last part."""

    def __init__(self, pattern: str, problem: str) -> None:
        """Create the exception."""
        super().__init__(f"Invalid regular expression: /{pattern}/: {problem}")
        self.problem = problem


def finds(pattern: str, text: str) -> bool:
    """Return `new RegExp(pattern).test(text)`.

    Raises:
        BadPattern: The pattern is invalid or not supported.
    """
    data = text.encode("utf-8", "replace")
    return all((part.search(data) is not None) is wanted for wanted, part in _parts(pattern))


def matches_glob(glob: str, text: str) -> bool:
    """Return whether a glob matches a whole text (glob-to-regexp 0.4 without options): only `*` is special and matches `/` too.

    Raises:
        BadPattern: The glob contains a backslash that makes the regular expression invalid; backslashes are not escaped.
    """
    starred = re.sub(r"\*+", "*", glob)
    source = "".join(".*" if c == "*" else f"\\{c}" if c in "/$^+.()=!|?[]{}," else c for c in starred)
    return finds(f"^{source}$", text)


@lru_cache(maxsize=256)
def _parts(pattern: str) -> list[tuple[bool, Any]]:
    """Return subpatterns and whether each must match or must not match for the whole pattern to match."""
    try:
        ahead, rest = _looking_ahead(pattern)
        return [*((wanted, _compiled(f"^(?:{part})")) for wanted, part in ahead), (True, _compiled(rest))]
    except BadPattern as bad:
        raise BadPattern(pattern, bad.problem) from None


def _looking_ahead(pattern: str) -> tuple[list[tuple[bool, str]], str]:
    """Return the lookaheads after `^` with their polarity, and the pattern without them."""
    ahead: list[tuple[bool, str]] = []
    at = 1
    while pattern.startswith("^") and pattern.startswith(("(?=", "(?!"), at):
        end = _group_end(pattern, at)
        if end is None:
            return [], pattern
        ahead.append((pattern[at + 2] == "=", pattern[at + 3 : end - 1]))
        at = end
    repeated = pattern[at : at + 1] in ("*", "+", "?") or _COUNT.match(pattern, at)
    return ([], pattern) if not ahead or repeated or _has_choice(pattern, at) else (ahead, f"^(?:{pattern[at:]})")


def _group_end(pattern: str, start: int) -> int | None:
    """Return the end of the group that starts at `start`, or None if it is not closed."""
    depth = 0
    for at, character in _outside_of_sets(pattern, start):
        depth += {"(": 1, ")": -1}.get(character, 0)
        if depth == 0:
            return at + 1
    return None


def _has_choice(pattern: str, start: int) -> bool:
    """Return whether an alternation outside of groups follows."""
    depth = 0
    for _, character in _outside_of_sets(pattern, start):
        depth += {"(": 1, ")": -1}.get(character, 0)
        if character == "|" and depth == 0:
            return True
    return False


def _outside_of_sets(pattern: str, start: int) -> Iterator[tuple[int, str]]:
    """Yield the characters of a pattern that are neither escaped nor in a set, with their positions."""
    in_set = escaped = False
    for at in range(start, len(pattern)):
        character = pattern[at]
        if escaped or character == "\\":
            escaped = not escaped
        elif in_set or character == "[":
            in_set = character != "]"
        else:
            yield at, character


@lru_cache(maxsize=256)
def _compiled(pattern: str) -> Any:
    options = re2.Options()
    options.log_errors = False
    try:
        return re2.compile(_Translation(pattern).run().encode(), options)
    except re2.error as error:
        raise BadPattern(pattern, f"Regular expression too large ({error})") from None


class _Translation:
    """The translation of one pattern to RE2."""

    def __init__(self, pattern: str) -> None:
        self.pattern = pattern
        self.at = 0
        self.groups: list[str] = []  # how each open group began
        self.names: set[str] = set()
        self.beyond = ""  # a feature that RE2 lacks

    def run(self) -> str:
        out: list[str] = []
        atom = False  # whether a quantifier may follow
        while self.at < len(self.pattern):
            character = self.pattern[self.at]
            if character in "*+?" or _COUNT.match(self.pattern, self.at):
                if not atom:
                    self._fail("Nothing to repeat")
                out.append(self._quantifier())
                atom = False
                continue
            self.at += 1
            atom = True
            if character == "\\":
                text, atom = self._escape()
                out.append(text)
            elif character == "[":
                out.append(self._set())
            elif character == "(":
                out.append(self._group())
                atom = False
            elif character == ")":
                if not self.groups:
                    self._fail("Unmatched ')'")
                self.groups.pop()
                out.append(")")
            elif character in "^$|":
                out.append({"^": r"\A", "$": r"\z"}.get(character, "|"))
                atom = False
            else:
                out.append(_ANY if character == "." else _literal(ord(character)))
        if self.groups:
            self._fail("Unterminated group")
        if self.beyond:
            self._fail(self.beyond)
        return "".join(out)

    def _quantifier(self) -> str:
        count = _COUNT.match(self.pattern, self.at)
        text = self.pattern[self.at]
        if count:
            low = int(count[1])
            high = low if not count[2] else int(count[3]) if count[3] else None
            if high is not None and high < low:
                self._fail("numbers out of order in {} quantifier")
            if max(low, high or 0) > _MOST_REPEATS:
                self._fail("Regular expression too large")
            text = count[0]
        self.at += len(text)
        if self.pattern[self.at : self.at + 1] == "?":
            self.at += 1
            text += "?"
        return text

    def _group(self) -> str:
        self.groups.append("(")
        if self.pattern[self.at : self.at + 1] != "?":
            return "("
        head = self.pattern[self.at + 1 : self.at + 2]
        if head == ":":
            self.at += 2
            return "(?:"
        around = self.pattern[self.at + 1 : self.at + 3]
        if head in ("=", "!") or around in ("<=", "<!"):
            self.beyond = "Looking around is not supported here"
            self.at += 3 if around in ("<=", "<!") else 2
            return "(?:"
        if head != "<":
            self._fail("Invalid group")
        name = _NAME.match(self.pattern, self.at + 2)
        if name is None or self.pattern[name.end() : name.end() + 1] != ">":
            self._fail("Invalid capture group name")
        if name[0] in self.names:
            self._fail("Duplicate capture group name")
        self.names.add(name[0])
        self.at = name.end() + 1
        return "("

    def _escape(self) -> tuple[str, bool]:
        """Translate an escape outside of a set; also return whether a quantifier may follow it."""
        if self.at >= len(self.pattern):
            self._fail("\\ at end of pattern")
        character = self.pattern[self.at]
        if character in "bB":
            self.at += 1
            return f"\\{character}", False
        if character in _CLASSES or character in _NOT_CLASSES:
            self.at += 1
            return f"[{_CLASSES.get(character) or _NOT_CLASSES[character]}]", True
        if character in "123456789" and int(character) <= len(
            re.findall(r"(?<!\\)\((?!\?[:=!]|\?<[=!])", self.pattern)
        ):
            self.beyond = "References to groups are not supported here"
        return _literal(self._code()), True

    def _code(self) -> int:
        """Return the character of an escape; `at` is after the backslash."""
        character = self.pattern[self.at]
        self.at += 1
        if character in _CONTROLS:
            return _CONTROLS[character]
        digits = {"x": 2, "u": 4}.get(character)
        if digits and (code := re.compile(f"[0-9a-fA-F]{{{digits}}}").match(self.pattern, self.at)):
            self.at = code.end()
            return int(code[0], 16)
        if character == "c" and (letter := re.compile("[A-Za-z]").match(self.pattern, self.at)):
            self.at = letter.end()
            return ord(letter[0]) % 32
        if character == "c":
            self.at -= 1
            return ord("\\")
        return ord(character)

    def _set(self) -> str:
        """Translate a set `[…]`."""
        inverted = self.pattern[self.at : self.at + 1] == "^"
        self.at += inverted
        parts: list[str] = []
        while True:
            if self.at >= len(self.pattern):
                self._fail("Unterminated character class")
            if self.pattern[self.at] == "]":
                self.at += 1
                break
            low = self._member()
            high: int | str | None = None
            if self.pattern[self.at : self.at + 1] == "-" and self.pattern[self.at + 1 : self.at + 2] not in ("]", ""):
                self.at += 1
                high = self._member()
            if isinstance(low, int) and isinstance(high, int):
                if high < low:
                    self._fail("Range out of order in character class")
                parts.append(f"{_in_set(low)}-{_in_set(high)}")
            else:
                parts += [p if isinstance(p, str) else _in_set(p) for p in (low, high) if p is not None]
                parts += [_in_set(ord("-"))] if high is not None else []
        if not parts:
            return r"(?s:.)" if inverted else _NONE
        return f"[{'^' if inverted else ''}{''.join(parts)}]"

    def _member(self) -> int | str:
        """Return a member of a set: a character's code, or the inside of a class."""
        character = self.pattern[self.at]
        self.at += 1
        if character != "\\":
            return ord(character)
        if self.at >= len(self.pattern):
            self._fail("\\ at end of pattern")
        name = self.pattern[self.at]
        if name in _CLASSES or name in _NOT_CLASSES:
            self.at += 1
            return _CLASSES.get(name) or _NOT_CLASSES[name]
        if name == "b":
            self.at += 1
            return 8
        return self._code()

    def _fail(self, problem: str) -> NoReturn:
        raise BadPattern(self.pattern, problem)


def _literal(code: int) -> str:
    character = chr(code)
    if character.isascii() and (character.isalnum() or character in " _"):
        return character
    return _in_set(code)


def _in_set(code: int) -> str:
    return f"\\x{{{code:x}}}" if not 0xD800 <= code < 0xE000 else r"\x{fffd}"
