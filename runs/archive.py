"""Zip archives with a canonical byte form: members in a given order, no compression, no timestamps, no options.

An archive can therefore be rebuilt from its content and compared byte by byte, by any version of any library. Every program
that reads zip can read these archives.
"""

from __future__ import annotations

import struct
import zlib
from collections.abc import Sequence
from dataclasses import dataclass

_LOCAL = struct.Struct("<4sHHHHHIIIHH")
_ENTRY = struct.Struct("<4sHHHHHHIIIHHHHHII")
_END = struct.Struct("<4sHHHHIIH")
_VERSION, _MIDNIGHT = 20, 0x21  # format version; 1980-01-01, the earliest date that zip can express
_MOST, _MOST_MEMBERS = 2**32 - 1, 2**16 - 1


class ArchiveDamaged(ValueError):
    """The bytes are not an archive of this kind; `offset` locates the error, `member` is the last readable member."""

    def __init__(self, problem: str, offset: int, member: str | None) -> None:
        super().__init__(problem)
        self.offset = offset
        self.member = member


@dataclass(frozen=True, slots=True)
class Member:
    """A file in an archive; `offset` is the position of its content."""

    name: str
    data: bytes
    offset: int = 0


def packed(members: Sequence[Member]) -> bytes:
    """Build the archive of these members.

    Raises:
        ValueError: The members are too many or too large for the format.
    """
    size = sum(len(m.data) + 2 * len(m.name) + _LOCAL.size + _ENTRY.size for m in members) + _END.size
    if size > _MOST or len(members) > _MOST_MEMBERS:
        raise ValueError(
            f"{len(members)} files of {size} bytes together are more than one archive holds (4 GB, 65,535 files)"
        )
    body, directory = bytearray(), bytearray()
    for member in members:
        name, crc, length = member.name.encode("ascii"), zlib.crc32(member.data), len(member.data)
        directory += _ENTRY.pack(
            b"PK\x01\x02", _VERSION, _VERSION, 0, 0, 0, _MIDNIGHT, crc, length, length, len(name), 0, 0, 0, 0, 0, len(body)
        )  # fmt: skip
        directory += name
        body += _LOCAL.pack(b"PK\x03\x04", _VERSION, 0, 0, 0, _MIDNIGHT, crc, length, length, len(name), 0)
        body += name + member.data
    count, begins = len(members), len(body)
    end = _END.pack(b"PK\x05\x06", 0, 0, count, count, len(directory), begins, 0)
    return bytes(body + directory + end)


def unpacked(archive: bytes) -> list[Member]:
    """Read an archive's members in order from their local headers.

    The central directory is not read; callers verify it by packing the members again.

    Raises:
        ArchiveDamaged: The headers do not form a contiguous sequence.
    """
    result: list[Member] = []
    at = 0
    while archive[at : at + 4] == b"PK\x03\x04":
        last = result[-1].name if result else None
        if at + _LOCAL.size > len(archive):
            raise ArchiveDamaged("it ends within a header", at, last)
        head = _LOCAL.unpack_from(archive, at)
        begins = at + _LOCAL.size + head[9]
        try:
            name = archive[at + _LOCAL.size : begins].decode("ascii")
        except UnicodeDecodeError:
            raise ArchiveDamaged("a file's name is damaged", at, last) from None
        if head[3] != 0 or head[8] != head[7]:
            raise ArchiveDamaged(f"{name} is compressed, and only uncompressed files are read", at, last)
        data = archive[begins : begins + head[7]]
        if len(data) != head[7]:
            raise ArchiveDamaged(f"it ends within {name}", at, last)
        result.append(Member(name, data, begins))
        at = begins + head[7]
    if archive[at : at + 4] != b"PK\x01\x02" or not result:
        last = result[-1].name if result else None
        raise ArchiveDamaged("expected the header of a file or of the directory", at, last)
    return result
