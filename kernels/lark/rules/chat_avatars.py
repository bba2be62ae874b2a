"""The picture of a chat: a chosen one or the default."""

from __future__ import annotations

_AVATAR = "https://p3-lark-file.byteimg.com/img/lark-avatar-staging/{key}~100x100.jpg"
_DEFAULT_AVATAR = "default-avatar_44ae0ca3-e140-494b-956f-78091e348435"


def avatar_url(key: str = "") -> str:
    """Return the address of the picture with a key."""
    return _AVATAR.format(key=key or _DEFAULT_AVATAR)
