"""Download of a message's media: file name and content.

Source: Telethon's client/downloads.py (_get_proper_filename, _get_kind_and_names, _download_contact)
"""

from __future__ import annotations

from posixpath import basename, join, splitext

from soundstage.contexts.engine.disk import MAX_FILE, DiskError
from soundstage.contexts.engine.schema import Object
from soundstage.kernels.telegram.rules import mime
from soundstage.kernels.telegram.rules.errors import Failed
from soundstage.kernels.telegram.rules.server import Client
from soundstage.kernels.telegram.rules.times import parse_time
from soundstage.kernels.telegram.rules.tl_media import row_of

_KINDS = ("photo", "voice", "audio")
"""The kinds that appear in the library's file names; others are documents."""


def download(client: Client, message: Object, wanted: str) -> str | None:
    """Write a message's media to the disk and return the path; None for a poll, which has no file.

    Raises:
        Failed: The disk rejects the file.
    """
    row = row_of(client, message)
    if row is not None:
        kind = row["kind"] if row.get("kind") in _KINDS else "document"
        extension = ".jpg" if kind == "photo" else mime.extension_of(row.get("mime_type"))
        names = [] if kind == "photo" else [row.get("file_name")]
        data = _content(client, row)
        place = _free_name(client, wanted, extension, names, f"{kind}_{_stamp(message)}")
    elif message.get("contact"):
        card = message["contact"]
        names = [_plain(card.get("first_name")), card.get("phone_number"), _plain(card.get("last_name"))]
        data = _vcard(card)
        place = _free_name(client, wanted, ".vcard", names, f"contact_{_stamp(message)}")
    else:
        return None
    try:
        client.context.disk.write(place, data)
    except DiskError as error:
        raise Failed("OSError", str(error)) from None
    return place


def _content(client: Client, row: Object) -> bytes:
    """Return the file that was sent if it still exists, else zeros of the same size.

    Raises:
        Failed: The size exceeds the disk's limit, as on a full disk.
    """
    path = row.get("file_path")
    if path:
        try:
            return client.context.disk.read(path)
        except DiskError:
            pass  # moved or removed since, but Telegram still has it
    size = row.get("size") or 0
    if size > MAX_FILE:
        raise Failed("OSError")
    return bytes(size)


def _free_name(client: Client, wanted: str, extension: str, names: list[str | None], fallback: str) -> str:
    """Return the path of a download.

    An existing file of the requested name is overwritten. In a folder the file gets its usual name. Otherwise an
    extension and, if necessary, a number are added until the name is unused.
    """
    disk = client.context.disk
    entry = disk.stat(wanted)
    if entry is not None and entry.kind == "file":
        return wanted
    if entry is not None:
        wanted = join(wanted, next((basename(name) for name in names if name), "") or fallback)
    stem, given = splitext(wanted)
    number, place = 0, stem + (given or extension)
    while (taken := disk.stat(place)) is not None and taken.kind == "file":
        number += 1
        place = f"{stem} ({number}){given or extension}"
    return place


def _stamp(message: Object) -> str:
    date = parse_time(message["date"])
    return f"{date.year}-{date.month:02}-{date.day:02}_{date.hour:02}-{date.minute:02}-{date.second:02}"


def _plain(name: str | None) -> str:
    return (name or "").replace(";", "")


def _vcard(card: Object) -> bytes:
    first, last = _plain(card.get("first_name")), _plain(card.get("last_name"))
    lines = (
        "BEGIN:VCARD",
        "VERSION:4.0",
        f"N:{first};{last};;;",
        f"FN:{first} {last}",
        f"TEL;TYPE=cell;VALUE=uri:tel:+{card.get('phone_number')}",
        "END:VCARD",
        "",
    )
    return "\n".join(lines).encode()
