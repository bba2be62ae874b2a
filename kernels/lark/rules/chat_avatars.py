"""The picture of a chat: that of a key, or the one that a chat has without choosing."""

from __future__ import annotations

_AVATAR = "https://p3-lark-file.byteimg.com/img/lark-avatar-staging/{key}~100x100.jpg"
_DEFAULT_AVATAR = "default-avatar_44ae0ca3-e140-494b-956f-78091e348435"


def avatar_url(key: str = "") -> str:
    return _AVATAR.format(key=key or _DEFAULT_AVATAR)
