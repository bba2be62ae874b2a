"""A message's media as the library's objects, which get_media_info returns.

Values that no row has (hashes, references, the data centre) are constant. Source: Telethon 1.x, tl/types
(MessageMediaDocument, MessageMediaPhoto, MessageMediaContact, MessageMediaPoll)
"""

from __future__ import annotations

from typing import Any

from soundstage.contexts.engine.schema import Object
from soundstage.kernels.telegram.rules import peers
from soundstage.kernels.telegram.rules.reprs import Tl
from soundstage.kernels.telegram.rules.server import Client
from soundstage.kernels.telegram.rules.times import parse_time

_FILE = {"access_hash": 1, "file_reference": b""}
_DATA_CENTRE = 2
_BOXES = (("s", 100), ("m", 320), ("x", 800), ("y", 1280))
"""Source: https://core.telegram.org/api/files#image-thumbnail-types."""


def row_of(client: Client, message: Object) -> Object | None:
    """Return the photo or document of a message."""
    return client.context.get("media", (message["chat_id"], message["id"]))


def is_there(client: Client, message: Object) -> bool:
    """Return whether a message has media: a file, a contact card or a poll."""
    return bool(message.get("contact") or message.get("poll")) or row_of(client, message) is not None


def media_of(client: Client, message: Object) -> Tl | None:
    """Return a message's media, or None."""
    row = row_of(client, message)
    if row is not None:
        return _photo(row, message) if row.get("kind") == "photo" else _document(row, message)
    if message.get("contact"):
        return _contact(client, message["contact"])
    return _poll(message) if message.get("poll") else None


def _document(row: Object, message: Object) -> Tl:
    document = Tl(
        "Document",
        id=row.get("id"),
        **_FILE,
        date=parse_time(row.get("date") or message["date"]),
        mime_type=row.get("mime_type") or "",
        size=row.get("size") or 0,
        dc_id=_DATA_CENTRE,
        attributes=_attributes(row),
        thumbs=[],
        video_thumbs=[],
    )
    return Tl(
        "MessageMediaDocument",
        nopremium=False,
        spoiler=False,
        video=row.get("kind") == "video",
        round=False,
        voice=row.get("kind") == "voice",
        document=document,
        alt_documents=[],
        video_cover=None,
        video_timestamp=None,
        ttl_seconds=None,
    )


def _attributes(row: Object) -> list[Tl]:
    kind = row.get("kind")
    attributes: list[Tl] = []
    if kind in ("audio", "voice"):
        fields = {"duration": 0, "voice": kind == "voice", "title": None, "performer": None, "waveform": None}
        attributes.append(Tl("DocumentAttributeAudio", fields))
    elif kind == "video":
        size = {"duration": 0.0, "w": row.get("width") or 0, "h": row.get("height") or 0}
        flags: dict[str, Any] = dict.fromkeys(("round_message", "supports_streaming", "nosound"), False)
        absent = dict.fromkeys(("preload_prefix_size", "video_start_ts", "video_codec"))
        attributes.append(Tl("DocumentAttributeVideo", {**size, **flags, **absent}))
    elif kind == "sticker":
        fields = {
            "alt": row.get("alt") or "",
            "stickerset": Tl("InputStickerSetEmpty"),
            "mask": False,
            "mask_coords": None,
        }
        attributes.append(Tl("DocumentAttributeSticker", fields))
    elif kind == "gif":
        attributes.append(Tl("DocumentAttributeAnimated"))
    if row.get("file_name"):
        attributes.append(Tl("DocumentAttributeFilename", file_name=row["file_name"]))
    return attributes


def _photo(row: Object, message: Object) -> Tl:
    width, height = row.get("width") or 0, row.get("height") or 0
    size = Tl("PhotoSize", type=_size_type(width, height), w=width, h=height, size=row.get("size") or 0)
    photo = Tl(
        "Photo",
        id=row.get("id"),
        **_FILE,
        date=parse_time(row.get("date") or message["date"]),
        sizes=[size],
        dc_id=_DATA_CENTRE,
        has_stickers=False,
        video_sizes=[],
    )
    return Tl("MessageMediaPhoto", spoiler=False, live_photo=False, photo=photo, ttl_seconds=None, video=None)


def _size_type(width: int, height: int) -> str:
    """Return the letter of the smallest of Telegram's boxes that a photo fits into."""
    return next((letter for letter, side in _BOXES if max(width, height) <= side), "w")


def _contact(client: Client, card: Object) -> Tl:
    names = ("phone_number", "first_name", "last_name", "vcard")
    digits = str(card.get("phone_number") or "").lstrip("+")
    known = next((user["id"] for user in peers.users(client) if digits and user.get("phone") == digits), 0)
    return Tl("MessageMediaContact", {name: card.get(name) or "" for name in names}, user_id=known)


def _poll(message: Object) -> Tl:
    poll = message["poll"]
    closes = poll.get("close_date")
    shown = Tl(
        "Poll",
        id=message["id"],
        question=_text(poll.get("question") or ""),
        answers=[_answer(place, text) for place, text in enumerate(poll.get("options") or ())],
        hash=0,
        closed=False,
        public_voters=bool(poll.get("public_voters")),
        multiple_choice=bool(poll.get("multiple_choice")),
        quiz=bool(poll.get("quiz")),
        **dict.fromkeys(("open_answers", "revoting_disabled", "shuffle_answers", "hide_results_until_close"), False),
        **dict.fromkeys(("creator", "subscribers_only"), False),
        close_period=None,
        close_date=parse_time(closes) if closes else None,
        countries_iso2=[],
    )
    outcome: dict[str, Any] = {
        **dict.fromkeys(("min", "has_unread_votes", "can_view_stats"), False),
        "results": [],
        "total_voters": None,
        "recent_voters": [],
        "solution": None,
        "solution_entities": [],
        "solution_media": None,
    }
    return Tl("MessageMediaPoll", poll=shown, results=Tl("PollResults", outcome), attached_media=None)


def _answer(place: int, text: str) -> Tl:
    return Tl("PollAnswer", text=_text(text), option=bytes([place]), media=None, added_by=None, date=None)


def _text(text: str) -> Tl:
    return Tl("TextWithEntities", text=text, entities=[])
