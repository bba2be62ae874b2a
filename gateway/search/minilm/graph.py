"""Convert all-MiniLM-L6-v2 from safetensors to an ONNX graph with 8-bit weights.

A BERT encoder of six layers, mean pooling over the tokens, length 1: token ids and mask in, `embedding` out. Weights of the
linear layers are int8 with a scale per output column, those of the vocabulary int8 with a scale per row. Activations are
quantized dynamically (DynamicQuantizeLinear); attention itself uses floats.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from soundstage.gateway.search.minilm import wire
from soundstage.gateway.search.minilm.weights import Weights

WIDTH = 384
_LAYERS = 6
_HEADS = 12
_EPSILON = 1e-12
_MASKED = -1e4


def build_graph(weights: Weights) -> bytes:
    """Return the graph as the content of an .onnx file.

    Raises:
        KeyError: a weight of the architecture is missing.
    """
    graph = _Graph(weights)
    x = graph.embedded()
    mask = graph.add("Cast", ["attention_mask"], to=wire.FLOAT)
    absent = graph.add("Sub", [graph.constant(np.float32(1)), graph.unsqueezed(mask, [1, 2])])
    bias = graph.add("Mul", [absent, graph.constant(np.float32(_MASKED))])
    for layer in range(_LAYERS):
        prefix = f"encoder.layer.{layer}."
        x = graph.normed(graph.add("Add", [graph.attention(x, prefix, bias), x]), f"{prefix}attention.output.LayerNorm")
        inner = graph.add("Gelu", [graph.linear(x, [f"{prefix}intermediate.dense"])])
        outer = graph.linear(inner, [f"{prefix}output.dense"])
        x = graph.normed(graph.add("Add", [outer, x]), f"{prefix}output.LayerNorm")
    graph.pooled(x, mask)
    return graph.finished()


class _Graph:
    """Collects nodes and constants; each value has a number as its name."""

    def __init__(self, weights: Weights) -> None:
        self._weights = weights
        self._nodes: list[bytes] = []
        self._constants: list[bytes] = []
        self._count = 0

    def add(self, operator: str, inputs: list[str], **attributes: float | list[int]) -> str:
        (output,) = self.add_many(operator, inputs, 1, **attributes)
        return output

    def add_many(self, operator: str, inputs: list[str], outputs: int, **attributes: float | list[int]) -> list[str]:
        names = [self._name() for _ in range(outputs)]
        self._nodes.append(wire.node(operator, inputs, names, **attributes))
        return names

    def constant(self, array: NDArray[np.generic] | np.generic) -> str:
        name = self._name()
        self._constants.append(wire.tensor(name, np.asarray(array)))
        return name

    def integers(self, *numbers: int) -> str:
        return self.constant(np.array(numbers, np.int64))

    def unsqueezed(self, x: str, axes: list[int]) -> str:
        return self.add("Unsqueeze", [x, self.integers(*axes)])

    def embedded(self) -> str:
        """Add normalized token and position embeddings. All tokens have type 0, whose embedding joins the position's."""
        words, scale = _quantized(self._weights["embeddings.word_embeddings.weight"].T)
        places = self._weights["embeddings.position_embeddings.weight"]
        kinds = self._weights["embeddings.token_type_embeddings.weight"]
        rows = self.add("Gather", [self.constant(np.ascontiguousarray(words.T)), "input_ids"])
        scales = self.add("Gather", [self.constant(scale.reshape(-1, 1)), "input_ids"])
        tokens = self.add("Mul", [self.add("Cast", [rows], to=wire.FLOAT), scales])
        length = self.add("Slice", [self.add("Shape", ["input_ids"]), self.integers(1), self.integers(2)])
        here = self.add("Slice", [self.constant(places + kinds[0]), self.integers(0), length, self.integers(0)])
        return self.normed(self.add("Add", [tokens, here]), "embeddings.LayerNorm")

    def normed(self, x: str, name: str) -> str:
        scale = self.constant(self._weights[f"{name}.weight"])
        bias = self.constant(self._weights[f"{name}.bias"])
        return self.add("LayerNormalization", [x, scale, bias], axis=-1, epsilon=_EPSILON)

    def linear(self, x: str, names: list[str]) -> str:
        """Add a linear layer, or several layers with the same input."""
        matrix = np.concatenate([self._weights[f"{n}.weight"] for n in names]).T
        bias = np.concatenate([self._weights[f"{n}.bias"] for n in names])
        numbers, scale = _quantized(matrix)
        quantized, x_scale, x_zero = self.add_many("DynamicQuantizeLinear", [x], 3)
        product = self.add("MatMulInteger", [quantized, self.constant(numbers), x_zero])
        scaled = self.add("Mul", [self.add("Cast", [product], to=wire.FLOAT), self._times(x_scale, scale)])
        return self.add("Add", [scaled, self.constant(bias)])

    def attention(self, x: str, prefix: str, bias: str) -> str:
        names = [f"{prefix}attention.self.{part}" for part in ("query", "key", "value")]
        query, key, value = self.add_many("Split", [self.linear(x, names)], 3, axis=-1, num_outputs=3)
        heads = self.integers(0, 0, _HEADS, WIDTH // _HEADS)
        query = self.add("Transpose", [self.add("Reshape", [query, heads])], perm=[0, 2, 1, 3])
        key = self.add("Transpose", [self.add("Reshape", [key, heads])], perm=[0, 2, 3, 1])
        value = self.add("Transpose", [self.add("Reshape", [value, heads])], perm=[0, 2, 1, 3])
        scale = self.constant(np.float32(1 / math.sqrt(WIDTH // _HEADS)))
        scores = self.add("Mul", [self.add("MatMul", [query, key]), scale])
        shares = self.add("Softmax", [self.add("Add", [scores, bias])], axis=-1)
        seen = self.add("Transpose", [self.add("MatMul", [shares, value])], perm=[0, 2, 1, 3])
        joined = self.add("Reshape", [seen, self.integers(0, 0, WIDTH)])
        return self.linear(joined, [f"{prefix}attention.output.dense"])

    def pooled(self, x: str, mask: str) -> None:
        """Add the mean of the unmasked tokens, scaled to length 1, as the graph's output."""
        masked = self.add("Mul", [x, self.unsqueezed(mask, [2])])
        total = self.add("ReduceSum", [masked, self.integers(1)], keepdims=0)
        mean = self.add("Div", [total, self.add("ReduceSum", [mask, self.integers(1)], keepdims=1)])
        length = self.add("ReduceL2", [mean, self.integers(1)], keepdims=1)
        self._nodes.append(wire.node("Div", [mean, length], ["embedding"]))

    def finished(self) -> bytes:
        tokens = ("batch", "length")
        return wire.model(
            "all-MiniLM-L6-v2",
            self._nodes,
            self._constants,
            [wire.value(name, wire.INT64, tokens) for name in ("input_ids", "attention_mask")],
            [wire.value("embedding", wire.FLOAT, ("batch", WIDTH))],
        )

    def _times(self, x_scale: str, scale: NDArray[np.float32]) -> str:
        return self.add("Mul", [x_scale, self.constant(scale)])

    def _name(self) -> str:
        self._count += 1
        return f"v{self._count}"


def _quantized(matrix: NDArray[np.float32]) -> tuple[NDArray[np.int8], NDArray[np.float32]]:
    """Quantize a matrix to int8. Returns it and the scale of each column."""
    scale = np.maximum(np.abs(matrix).max(axis=0), np.float32(1e-12)) / np.float32(127)
    return np.rint(matrix / scale).astype(np.int8), scale.astype(np.float32)
