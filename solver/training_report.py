"""What the import report says of training: weights, loss and output, tensors without a size."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from solver.graph import Tensor, Trainable, TrainingGraph
from solver.import_report import ImportReport, Remark, Topic, names_of, shape_words
from solver.network import Value
from solver.survey import Survey
from solver.text import counted, verb


def training_report(
    report: ImportReport, found: Survey, graph: TrainingGraph, idle: Sequence[str]
) -> ImportReport:
    """`report` with what was decided on the way from the network `found` to `graph`.

    `idle` are weights that do not lead to the output of which the loss is taken.
    """
    views = len(found.network.layers) - len(found.stops)
    remarks = [_sized(graph.tensors), *_weights(found, graph.trainable, idle), *_loss(found, graph)]
    counted_views = replace(report, nodes=replace(report.nodes, views=views))
    return counted_views.with_remarks(remarks)


def _loss(found: Survey, graph: TrainingGraph) -> Iterator[Remark]:
    loss, output = graph.settings.loss, graph.settings.output
    if loss is not None and output is not None:
        value = found.network.values[output]
        text = f"the loss is {loss} of output {output} ({value.dtype} {shape_words(value.shape)})"
        yield Remark(Topic.LOSS, text)


def _sized(tensors: Iterable[Tensor]) -> Remark:
    unsized = [tensor.name for tensor in tensors if tensor.shape is None]
    if not unsized:
        return Remark(Topic.SIZES, "no tensor is left without a size")
    text = f"{counted(len(unsized), 'tensor')} of unknown shape: {names_of(unsized)}"
    return Remark(Topic.SIZES, text)


def _weights(
    found: Survey, trainable: Sequence[Trainable], idle: Sequence[str]
) -> Iterator[Remark]:
    values = found.network.values
    size = sum(item.bytes for item in trainable)
    count = len(trainable)
    text = f"{counted(count, 'weight')} of {size:,} B {verb(count, 'is', 'are')} trained"
    yield Remark(Topic.WEIGHTS, text)
    statistics = found.statistics()
    if statistics:
        size = _bytes(values, statistics)
        text = (
            f"{counted(len(statistics), 'running statistic')} of {size:,} B are kept, not trained"
        )
        yield Remark(Topic.WEIGHTS, text)
    used = {item.name for item in trainable} | set(idle) | set(statistics)
    others = [
        name
        for stop in found.stops
        for name in stop.site.layer.inputs
        if name in found.network.constants and found.network.parameter(name).name not in used
    ]
    others = list(dict.fromkeys(others))
    if others:
        text = (
            f"{counted(len(others), 'other constant')} of {_bytes(values, others):,} B, not "
            f"trained: {names_of(others)}"
        )
        yield Remark(Topic.WEIGHTS, text)
    yield from _tied(found)


def _tied(found: Survey) -> Iterator[Remark]:
    reads = Counter(name for stop in found.stops for name in stop.trainable_names())
    tied = [name for name, count in reads.items() if count > 1]
    if tied:
        text = (
            f"{counted(len(tied), 'weight')} in several places, one parameter with the sum of the "
            f"gradients: {names_of(tied)}"
        )
        yield Remark(Topic.WEIGHTS, text)


def _bytes(values: Mapping[str, Value], names: Iterable[str]) -> int:
    return sum(values[name].bytes for name in names)
