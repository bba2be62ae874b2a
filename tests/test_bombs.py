"""Small inputs that expand to large ones: every decompression has a size limit, and every picture a limit of pixels."""

from __future__ import annotations

import base64
import gzip
import io
import re
import struct
import tracemalloc
import zipfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx2
import pytest
from PIL import Image

from soundstage.bounded_input import Refused, decompressed
from soundstage.contexts.engine import checkpoints
from soundstage.contexts.engine.problems import ContextDamaged
from soundstage.gateway.calls.dispatch import dispatch
from soundstage.gateway.sessions.session import Session
from soundstage.runs import sealed
from soundstage.runs.bundle import InvalidBundle, read_bundle
from soundstage.runs.sealed import SealDamaged, from_bytes
from soundstage.runs.verifying import verify
from soundstage.servers.catalogue import load_app
from soundstage.servers.pictures import media_type
from tests.conftest import Gateway, run_here

ROOT = Path(__file__).parent.parent
MIB = 2**20
BOMB = zlib.compress(bytes(300 * MIB), 9)


@contextmanager
def little_memory(most: int = 32 * MIB) -> Iterator[None]:
    """Check that a block allocates at most `most` bytes at a time."""
    tracemalloc.start()
    try:
        yield
        assert tracemalloc.get_traced_memory()[1] < most
    finally:
        tracemalloc.stop()


# -- compressed data --------------------------------------------------------------------------------------------------


def test_decompression_stops_at_its_limit() -> None:
    assert len(BOMB) < MIB
    with little_memory(), pytest.raises(Refused, match=r"too large when decompressed; the limit is 1,048,576 bytes"):
        decompressed(BOMB, MIB)
    assert decompressed(zlib.compress(b"x" * MIB), MIB) == b"x" * MIB
    with pytest.raises(Refused, match="is incomplete zlib data"):
        decompressed(zlib.compress(b"abc")[:-1], MIB)
    with pytest.raises(Refused, match="is not zlib data"):
        decompressed(b"abc", MIB)


def test_a_sealed_trial_has_a_size_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sealed, "MOST_BYTES", MIB)
    with (
        little_memory(),
        pytest.raises(SealDamaged, match=r"too large when decompressed; the limit is 1,048,576 bytes"),
    ):
        from_bytes(BOMB)


def test_a_checkpoint_has_a_size_limit(new_session: Callable[..., Session]) -> None:
    context = new_session().context
    context.begin()
    context.execute(checkpoints._DDL)
    context.execute("INSERT INTO _checkpoint VALUES (?, ?)", (checkpoints.EVERY, BOMB))
    context.commit()
    with little_memory(), pytest.raises(ContextDamaged, match=r"a checkpoint is too large when decompressed"):
        list(checkpoints.undo(context, 0, checkpoints.EVERY))


def test_a_bundle_with_compressed_files_is_refused(tmp_path: Path) -> None:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("manifest.json", bytes(300 * MIB))
    data = packed.getvalue()
    with little_memory():
        with pytest.raises(InvalidBundle, match=r"manifest\.json is compressed, and only uncompressed files are read"):
            read_bundle(data)
        (damage,) = verify(data).damages
        assert "is compressed" in str(damage)
    file = tmp_path / "run.soundstage"
    file.write_bytes(data)
    done = run_here("runs", "verify", str(file))
    assert done.exit_code == 1
    assert "manifest.json is compressed" in done.output


def test_a_bundle_that_is_too_large_is_not_read(tmp_path: Path) -> None:
    file = tmp_path / "run.soundstage"
    with file.open("wb") as made:
        made.truncate(5 * 2**30)  # a sparse file
    done = run_here("runs", "grade", str(file))
    assert done.exit_code == 1
    assert f"at most {2**32 - 1} bytes" in done.output


@pytest.mark.parametrize("encoding", ["gzip", "deflate", "gzip, gzip"])
@pytest.mark.parametrize("path", ["/api/sessions", "/s/{handle}/mcp", "/run/lease"])
def test_compressed_request_bodies_are_not_decompressed(gateway: Gateway, encoding: str, path: str) -> None:
    content = gzip.compress(bytes(300 * MIB), 9)
    url = gateway.url + path.format(handle=gateway.session()["handle"])
    headers = {"Content-Encoding": encoding, "Content-Type": "application/json", "Accept": "application/json"}
    with little_memory():
        response = httpx2.post(url, content=content, headers=headers, timeout=60)
    assert 400 <= response.status_code < 500, response.text
    assert httpx2.get(f"{gateway.url}/healthz", timeout=60).status_code == 200


# -- pictures ---------------------------------------------------------------------------------------------------------


def _chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def png_bomb(width: int = 50_000, height: int = 50_000, *chunks: bytes) -> bytes:
    """Return a PNG of these dimensions in a few KB: 2.5 gigapixels would take 7.5 GB as RGB."""
    head = _chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0))
    return b"\x89PNG\r\n\x1a\n" + head + b"".join(chunks) + _chunk(b"IDAT", BOMB[:4096]) + _chunk(b"IEND", b"")


PICTURES = {
    "pixels": png_bomb(),
    "pixels of one row": png_bomb(2**31 - 1, 1),
    "gif": b"GIF89a" + struct.pack("<HHBBB", 65_535, 65_535, 0, 0, 0) + b";",
}


@pytest.mark.parametrize("data", PICTURES.values(), ids=PICTURES)
def test_a_picture_with_too_many_pixels_is_not_shown(data: bytes) -> None:
    with little_memory():
        assert media_type(data) is None


@pytest.mark.parametrize(
    "chunk",
    [_chunk(b"iCCP", b"x\0\0" + BOMB), _chunk(b"zTXt", b"x\0\0" + BOMB), _chunk(b"iTXt", b"x\0\1\0\0\0" + BOMB)],
    ids=["iCCP", "zTXt", "iTXt"],
)
def test_a_picture_with_a_compressed_description_is_not_expanded(chunk: bytes) -> None:
    with little_memory():
        media_type(png_bomb(10, 10, chunk))


def _text(session: Session, tool: str, **arguments: object) -> str:
    call = dispatch(session, load_app("playwright"), tool, dict(arguments))
    return str(call.reply)


def test_a_browser_limits_pixels_and_does_not_decode_the_pictures_of_a_page(
    new_session: Callable[..., Session],
) -> None:
    session = new_session(world="studio")
    picture = base64.b64encode(png_bomb()).decode()
    page = f"data:text/html,<h1>Bomb</h1><img src='data:image/png;base64,{picture}' width=50000 height=50000>"
    with little_memory(192 * MIB):
        assert "Navigated" in _text(session, "playwright_navigate", url=page, width=50_000, height=50_000)
        _text(session, "playwright_resize", width=50_000, height=50_000)
        shown = _text(session, "playwright_screenshot", name="bomb", fullPage=True, storeBase64=True)
    assert "bomb" in shown
    rows = session.context.app("playwright").list("screenshot")
    assert rows
    for row in rows:
        with Image.open(io.BytesIO(base64.b64decode(row["data"]))) as image:
            assert max(image.size) <= 4000


def test_a_data_url_of_compressed_content_stays_as_it_is(new_session: Callable[..., Session]) -> None:
    session = new_session(world="studio")
    for kind in ("application/zip", "application/pdf", "application/gzip", "text/html;charset=gzip"):
        with little_memory(64 * MIB):
            _text(session, "playwright_navigate", url=f"data:{kind};base64,{base64.b64encode(BOMB).decode()}")


# -- a list of all places ---------------------------------------------------------------------------------------------

EXPANDS = re.compile(
    r"zlib\.decompress|decompressobj|\bgzip\.(?:open|decompress|GzipFile)|\bbz2\b\.|\blzma\b\.|zipfile\.ZipFile|tarfile\.|"
    r"shutil\.unpack_archive|Image\.open|pypdf|np\.load|numpy\.load"
)
PLACES = {
    "src/soundstage/bounded_input.py": "the function with the limit",
    "servers/pictures.py": "reads the header of a picture alone",
    "gateway/search/index_cache.py": "an index that the gateway wrote",
    "gateway/search/minilm/install.py": "a wheel whose digest was checked before",
}


def test_every_place_that_expands_data_is_known() -> None:
    packages = (
        "cli", "contexts", "gateway", "grading", "kernels", "models", "runs", "servers", "src/soundstage/client", "synthesis",
        "worlds",
    )  # fmt: skip
    files = [ROOT / "src/soundstage/bounded_input.py", *(f for p in packages for f in (ROOT / p).rglob("*.py"))]
    places = {str(f.relative_to(ROOT)) for f in files if EXPANDS.search(f.read_text("utf-8"))}
    assert places == PLACES.keys()
