"""Keys of a US keyboard by the names that Playwright and Puppeteer use."""

from __future__ import annotations

from typing import TypedDict

_NAMED = frozenset([
    "Escape", "Tab", "CapsLock", "Backspace", "Enter", "Insert", "Delete", "Home", "End", "PageUp", "PageDown", "ArrowUp",
    "ArrowDown", "ArrowLeft", "ArrowRight", "Space", "F1", "F2", "F3", "F4", "F5", "F6", "F7", "F8", "F9", "F10", "F11",
    "F12", "Shift", "Control", "Alt", "Meta", "AltGraph", "ShiftLeft", "ShiftRight", "ControlLeft", "ControlRight",
    "AltLeft", "AltRight", "MetaLeft", "MetaRight", "ContextMenu", "PrintScreen", "ScrollLock", "Pause", "NumLock",
    "NumpadEnter", "NumpadAdd", "NumpadSubtract", "NumpadMultiply", "NumpadDivide", "NumpadDecimal", "Backquote", "Minus",
    "Equal", "Backslash", "BracketLeft", "BracketRight", "Semicolon", "Quote", "Comma", "Period", "Slash", "ControlOrMeta",
])  # fmt: skip
_SIGNS = dict(
    zip(
        "`-=\\[];',./",
        [
            "Backquote",
            "Minus",
            "Equal",
            "Backslash",
            "BracketLeft",
            "BracketRight",
            "Semicolon",
            "Quote",
            "Comma",
            "Period",
            "Slash",
        ],
        strict=True,
    )
)
_SHIFTED = dict(zip('~_+|{}:"<>?!@#$%^&*()', "`-=\\[];',./1234567890", strict=True))
_WITH_SHIFT = {plain: character for character, plain in _SHIFTED.items()}
_BY_CODE = {code: sign for sign, code in _SIGNS.items()}


_SIDED = frozenset({"Shift", "Control", "Alt", "Meta", "ControlOrMeta"})
"""Keys that exist on both sides of a keyboard; the bare name means the left one."""


class Key(TypedDict):
    """A key press: `text` is the typed text or None, `held` lists the keys that are down meanwhile."""

    key: str
    code: str
    text: str | None
    held: list[str]


def known(name: str) -> Key | None:
    """Return a key by its name or the character that it types, or None if it is unknown."""
    if name == "Space" or name == " ":
        return Key(key=" ", code="Space", text=" ", held=[])
    if name in ("Enter", "NumpadEnter", "\n", "\r"):
        return Key(key="Enter", code="Enter" if name != "NumpadEnter" else name, text="\r", held=[])
    if len(name) == 1 and name.isascii() and name.isprintable():
        return Key(key=name, code=_code(name), text=name, held=[])
    if name in _BY_CODE:
        return Key(key=_BY_CODE[name], code=name, text=_BY_CODE[name], held=[])
    if len(name) == 4 and name.startswith("Key") and name[3].isupper():
        return Key(key=name[3].lower(), code=name, text=name[3].lower(), held=[])
    if len(name) == 6 and name.startswith("Digit") and name[5].isdigit():
        return Key(key=name[5], code=name, text=name[5], held=[])
    if len(name) == 7 and name.startswith("Numpad") and name[6].isdigit():
        return Key(key=name[6], code=name, text=name[6], held=[])
    if name not in _NAMED:
        return None
    plain = name.removesuffix("Left").removesuffix("Right") if not name.startswith("Arrow") else name
    key = "Control" if plain == "ControlOrMeta" else plain
    return Key(key=key, code=f"{key}Left" if name in _SIDED else name, text=None, held=[])


def shifted(key: Key, name: str) -> str | None:
    """Return the text of a key with Shift: a key named by its position, such as `KeyA`, types another character."""
    typed = key["text"]
    if typed is None or name != key["code"] or len(typed) != 1:
        return typed
    return _WITH_SHIFT.get(typed, typed.upper())


def typing(text: str) -> list[Key]:
    """Return the key presses that type a text; characters without a key are inserted directly."""
    return [known(c) or Key(key=c, code="", text=c, held=[]) for c in text.replace("\r\n", "\n")]


def _code(character: str) -> str:
    plain = _SHIFTED.get(character, character)
    if plain.isalpha():
        return f"Key{plain.upper()}"
    return f"Digit{plain}" if plain.isdigit() else _SIGNS.get(plain, "")
