"""Grouped-query attention as ONNX Runtime's language models have it: written out in parts."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Final

from solver.loaders.onnx_nodes import FileNode
from solver.loaders.onnx_parts import Fresh, Parts
from solver.loaders.onnx_rules.base import RuleError
from solver.network import AttributeValue

_INPUTS: Final = 16
"""query, key, value, past key and value, two lengths, cosines, sines, positions, bias, ..."""
_PAST, _TURNS, _BIAS, _SINK = slice(3, 5), slice(7, 10), 10, 11
_SCALES, _NORMS = slice(12, 14), slice(14, 16)

_OPSET: Final = 11
"""The opset of nodes made here whose sizes are an attribute in it."""


def grouped_parts(node: FileNode, fresh: Fresh) -> tuple[FileNode, ...]:
    """com.microsoft GroupQueryAttention: split if packed, heads normed and turned, then Attention.

    Ainslie et al., EMNLP 2023. Lengths say what of a padded batch is real; as everywhere, all of
    it is counted. A window hides scores, and hidden ones are counted like the others. Without
    positions they follow from the lengths. Raises RuleError for a form that has sinks, a smoothed
    softmax, or a cache that is quantised or as short as its window.
    """
    names = (*node.inputs, *("",) * _INPUTS)[:_INPUTS]
    said = node.attributes
    _refuse_other_forms(names, said)
    heads, shared = _whole(said.get("num_heads", 0)), _whole(said.get("kv_num_heads", 0))
    parts = Parts(node, fresh, _OPSET)
    query, key, value = names[:3]
    if not key and not value:
        operands = tuple(fresh(f"{node.name}/{word}") for word in ("queries", "keys", "values"))
        parts.add("packed", "Split", _as_rows(parts, query, heads + 2 * shared, -1), axis=2,
                  split=(heads, shared, shared))  # fmt: skip
        parts.rename_last(*operands)
        query, key, value = (_as_rows(parts, operand, -1) for operand in operands)
    pair = [query, key]
    for k, (count, scale) in enumerate(zip((heads, shared), names[_NORMS], strict=True)):
        if scale:
            rows = _as_rows(parts, pair[k], count, -1)
            epsilon = said.get("qk_norm_epsilon", 1e-6)
            normed = parts.add("norm", "SimplifiedLayerNormalization", rows, scale, epsilon=epsilon)
            pair[k] = _as_rows(parts, normed, -1)
        if said.get("do_rotary", 0):
            cosines, sines, positions = names[_TURNS]
            pair[k] = parts.add("turned", "com.microsoft::RotaryEmbedding", pair[k], positions,
                                cosines, sines, num_heads=count)  # fmt: skip
    kept = {name: said[name] for name in ("scale", "softcap") if name in said}
    attributes: dict[str, AttributeValue] = {
        "q_num_heads": heads,
        "kv_num_heads": shared,
        "is_causal": said.get("causal", 1),
        **kept,
    }
    inputs = [*pair, value, names[_BIAS], *names[_PAST]]
    while not inputs[-1]:
        inputs.pop()
    last = replace(node, op_type="Attention", inputs=tuple(inputs), attributes=attributes)
    return (*parts.nodes, last)


def _refuse_other_forms(names: Sequence[str], said: Mapping[str, AttributeValue]) -> None:
    if names[_SINK] or _whole(said.get("smooth_softmax", 0)) > 0:
        raise RuleError("it adds to the sum of its softmax (head_sink, smooth_softmax)")
    if any(names[_SCALES]) or said.get("sliding_window_cache", 0):
        raise RuleError("its cache is quantised, or as short as its window; export plain floats")


def _as_rows(parts: Parts, source: str, *sizes: int) -> str:
    """(batch, positions, ...): 0 keeps a size, -1 is what is left."""
    return parts.add(
        "rows", "Reshape", source, parts.add("sizes", "Constant", value_ints=(0, 0, *sizes))
    )


def _whole(value: AttributeValue) -> int:
    return value if isinstance(value, int) else 0
