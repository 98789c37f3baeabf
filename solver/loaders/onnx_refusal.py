"""Everything about a file that stands in the way of training it, said at once."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Final

from solver.errors import Issue, ModelError, Offer, UsageError
from solver.import_report import OpenSize, names_of
from solver.loaders.onnx_inferred import Inferred
from solver.loaders.onnx_straight import can_simulate

_REPLACE: Final = (
    "export the part that is trained without it, or write it with supported operators "
    "(Conv, Gemm, MatMul, arithmetic, activations, pools, norms, Concat, Split, Pad, views)"
)
_LOSSES: Final = frozenset({"SoftmaxCrossEntropyLoss", "NegativeLogLikelihoodLoss"})
_WITHOUT_LOSS: Final = "export the network up to what the loss reads: --loss adds one here"
_FLOAT_MODEL: Final = "give the float model that it was made from"
_SIMULATED: Final = f"{_FLOAT_MODEL}, or train it in floats with --quantized straight-through"
_QUANTISED: Final = re.compile(
    r"(.+::)?(QLinear\w+|(Dynamic)?(Quantize|Dequantize)\w+|(MatMul|Conv)Integer\w*|Q(Gemm|Attention)"
    r"|MatMul(NBits|Bnb4|FpQ4)|GatherBlockQuantized|QMoE|QEmbedLayerNormalization|QOrdered\w+)",
)


def refuse(found: Inferred, sizes: Sequence[OpenSize] = (), way_out: str | None = None) -> None:
    """Raise what the walk has collected, if anything.

    `sizes` are those that the file leaves open, as chosen; `way_out` is an output that does without
    what stands in the way.

    Raises
    ------
    ModelError
        Operators without a rule, quantised ones, broken nodes: all of them.
    UsageError
        Nothing but questions that the user can answer.
    """
    quantised = {kind for kind in found.unsupported if _QUANTISED.fullmatch(kind)}
    issues = []
    if quantised:
        issues.append(_quantised(found, quantised))
    others = found.unsupported.keys() - quantised
    if others:
        plural = "operators" if len(others) > 1 else "operator"
        hint = _WITHOUT_LOSS if others <= _LOSSES else _REPLACE
        issues.append(Issue(f"unsupported {plural}: {_kinds(found, others)}", found.file, hint))
    issues += found.issues
    chosen = [f"{size.name} = {size.size}" for size in sizes if not size.is_batch]
    hints = []
    if found.issues and chosen:
        words = f"it was read at {', '.join(chosen)}: others may fit, multiples of 32 often do"
        hints.append(words)
    if way_out is not None:
        hints.append(f"output {way_out} does without it: --output {way_out}")
    if issues:
        last = issues[-1]
        all_hints = "; ".join(filter(None, [last.suggestion, *hints]))
        raise ModelError([*issues[:-1], replace(last, suggestion=all_hints)])
    if found.asks:
        places = "; ".join(place for ask in found.asks for place in ask.places)
        message = f"the file leaves open until it runs: {places}"
        hint = "give " + " ".join(f"--dim {ask.name}=VALUE" for ask in found.asks)
        raise UsageError(Issue(message, found.file, hint, asks=tuple(found.asks)))


def _quantised(found: Inferred, kinds: Iterable[str]) -> Issue:
    message = (
        "a quantised network cannot be trained, rounding to integers has no gradient: "
        f"{_kinds(found, kinds)}"
    )
    if all(map(can_simulate, kinds)):
        return Issue(message, found.file, _SIMULATED, offer=Offer.STRAIGHT_THROUGH)
    return Issue(message, found.file, _FLOAT_MODEL)


def refuse_idle_answers(found: Inferred, given: Iterable[str]) -> None:
    """Raise UsageError for answers, by the names in `given`, to what nothing has asked."""
    idle = sorted(set(given) - found.answered)
    if idle:
        message = "is settled by the file, or lies in a branch that is not taken"
        raise UsageError([Issue(f"{name} {message}", "--dim", "leave it out") for name in idle])


def _kinds(found: Inferred, kinds: Iterable[str]) -> str:
    named: Sequence[str] = sorted(kinds)
    return ", ".join(f"{kind} (node {names_of(found.unsupported[kind])})" for kind in named)
