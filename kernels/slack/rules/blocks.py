"""Block Kit blocks: validation, and their text.

Limits: https://docs.slack.dev/reference/block-kit/blocks
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from soundstage.kernels.slack.rules.errors import SlackError

Blocks = list[dict[str, Any]]

MAX_TEXT = 40_000
_MAX_BLOCKS = 50
MAX_SECTION = 3000
_MAX_HEADER = 150
_REQUIRED: dict[str, tuple[str, ...]] = {
    "actions": ("elements",),
    "call": ("call_id",),
    "context": ("elements",),
    "context_actions": ("elements",),
    "divider": (),
    "file": ("external_id",),
    "header": ("text",),
    "image": ("alt_text",),
    "input": ("label", "element"),
    "markdown": ("text",),
    "rich_text": ("elements",),
    "section": (),
    "table": ("rows",),
    "video": ("video_url",),
}


def check_blocks(blocks: Blocks) -> None:
    """Reject blocks that Slack rejects.

    Raises:
        SlackError: invalid_blocks, msg_blocks_too_long.
    """
    if len(blocks) > _MAX_BLOCKS or not all(_is_valid(block) for block in blocks):
        raise SlackError("invalid_blocks")
    if len(blocks_text(blocks)) > MAX_TEXT:
        raise SlackError("msg_blocks_too_long")


def blocks_text(blocks: Any) -> str:
    """Return the text in blocks as the korotovsky server flattens it, without mentions and emoji in rich text."""
    return " ".join(text for block in _dicts(blocks) for text in _block_texts(block) if text)


def has_image(blocks: Any) -> bool:
    """Return whether blocks contain an image."""
    return any(block.get("type") == "image" for block in _dicts(blocks))


def _is_valid(block: dict[str, Any]) -> bool:
    required = _REQUIRED.get(str(block.get("type")))
    if required is None or not all(block.get(name) for name in required):
        return False
    if block["type"] == "section":
        texts = [_text_of(block.get("text")), *(_text_of(field) for field in _dicts(block.get("fields")))]
        return any(texts) and all(len(text) <= MAX_SECTION for text in texts)
    if block["type"] == "header":
        return 0 < len(_text_of(block["text"])) <= _MAX_HEADER
    return True


def _block_texts(block: dict[str, Any]) -> Iterator[str]:
    match block.get("type"):
        case "header":
            yield _text_of(block.get("text"))
        case "section":
            yield _text_of(block.get("text"))
            yield from (_text_of(field) for field in _dicts(block.get("fields")))
        case "context":
            yield from (_text_of(element) for element in _dicts(block.get("elements")))
        case "rich_text":
            yield " ".join(text for e in _dicts(block.get("elements")) if (text := _rich_text(e)))


def _rich_text(element: dict[str, Any]) -> str:
    parts = _dicts(element.get("elements"))
    if element.get("type") == "rich_text_list":
        return " ".join(text for part in parts if (text := _rich_text(part)))
    return "".join(_rich_text_leaf(part) for part in parts)


def _rich_text_leaf(leaf: dict[str, Any]) -> str:
    match leaf.get("type"):
        case "text":
            return _string(leaf.get("text"))
        case "link":
            return _string(leaf.get("text")) or _string(leaf.get("url"))
        case "broadcast":
            return f"@{leaf['range']}" if leaf.get("range") else ""
        case _:
            return ""


def _text_of(text_object: Any) -> str:
    return _string(text_object.get("text")) if isinstance(text_object, dict) else ""


def _string(value: Any) -> str:
    return value if isinstance(value, str) else ""


def _dicts(values: Any) -> list[dict[str, Any]]:
    return [value for value in values if isinstance(value, dict)] if isinstance(values, list) else []
