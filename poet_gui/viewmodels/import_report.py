"""The import report as sections of facts and sentences: what became of the file that is open."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from poet_gui.solving.deliveries import OpenModel
from solver.costs import CostedGraph
from solver.graph import Accounting, Quantized, TrainingGraph
from solver.import_report import (
    FileInput,
    ImportReport,
    Topic,
    kinds_words,
    shape_words,
)
from solver.text import counted
from solver.units import format_bytes, format_bytes_exactly, format_count

Fact = tuple[str, str, str]
"""Name, value, tooltip."""
KEEP_IN_MIND: Final = "Keep in mind"
"""Warnings, assumptions or not: what should be known before trusting any figure."""


@dataclass(frozen=True, slots=True)
class Section:
    """A part of the report; `is_warning` for what should be known before trusting any figure."""

    title: str
    facts: tuple[Fact, ...] = ()
    sentences: tuple[str, ...] = ()
    is_warning: bool = False


def report_sections(model: OpenModel | None) -> tuple[Section, ...]:
    """Everything that is known of how the open model came to be, most important first."""
    if model is None:
        return (
            Section("No model is open", sentences=("Open one, and it is accounted for here.",)),
        )
    graph = model.costed.graph
    sections = [_warnings(model.costed), _source(model)]
    if graph.report is not None:
        sections += _file_sections(graph.report, graph)
    sections += [_weights(graph), _training(graph)]
    return tuple(section for section in sections if section.facts or section.sentences)


def sections_text(sections: tuple[Section, ...]) -> str:
    """The report as plain text, to copy."""
    blocks = []
    for section in sections:
        facts = [f"{name}: {value}" for name, value, _ in section.facts]
        blocks.append("\n".join((section.title, *facts, *section.sentences)))
    return "\n\n".join(blocks)


def _warnings(costed: CostedGraph) -> Section:
    sentences = (*costed.graph.warnings, *costed.priced)
    return Section(KEEP_IN_MIND, sentences=sentences, is_warning=True)


def _source(model: OpenModel) -> Section:
    graph = model.costed.graph
    facts: list[Fact] = [("from", model.source, "")]
    if graph.report is not None:
        facts.append(("format", graph.report.maker, ""))
    elif graph.settings.accounting is Accounting.GIVEN:
        facts.append(("format", "training graph, taken as it stands", "nothing is differentiated"))
    else:
        facts.append(("format", "built-in network", ""))
    unsized = sum(tensor.shape is None for tensor in graph.tensors)
    if graph.report is None:
        words = f"{format_count(unsized)}, their bytes are stated" if unsized else "none"
        facts.append(("tensors of unknown shape", words, ""))
    return Section("Model", tuple(facts))


def _file_sections(report: ImportReport, graph: TrainingGraph) -> Iterator[Section]:
    nodes = report.nodes
    facts: list[Fact] = [
        ("in the file", format_count(nodes.all), "the file's own functions are inlined"),
        ("constant, folded", format_count(nodes.constant), "depend on no input"),
    ]
    if nodes.shapes:
        facts.append(("sizes only, folded", format_count(nodes.shapes), "read shapes of inputs"))
    views = f", {counted(nodes.views, 'view')} among them" if nodes.views else ""
    facts.append(("run", f"{format_count(nodes.running)}{views}", "views own no bytes"))
    if report.kinds:
        every = ", ".join(f"{count} {kind}" for kind, count in report.kinds)
        facts.append(("kinds", kinds_words(report.kinds), every))
    yield Section("Nodes", tuple(facts))
    shapes = tuple(_input_fact(entry) for entry in report.inputs)
    opened = tuple(
        (
            f"batch ({size.name})" if size.is_batch else size.name,
            "–" if size.size is None else format_count(size.size),
            f"left open by {', '.join(size.places)}",
        )
        for size in report.open_sizes
    )
    batch = graph.settings.batch
    fixed = () if batch is None or opened else (("batch", format_count(batch), ""),)
    yield Section("Inputs and sizes", (*shapes, *fixed, *opened), _texts(report, Topic.SIZES))
    yield Section("Ignored", sentences=_texts(report, Topic.IGNORED) or ("Nothing.",))
    assumed = _texts(report, Topic.ASSUMED)
    beyond = "Nothing." if not graph.warnings else "Nothing beyond what stands above."
    yield Section("Assumed", sentences=assumed or (beyond,))


def _input_fact(entry: FileInput) -> Fact:
    words = f"{entry.dtype} {shape_words(entry.shape)}"
    if entry.declared == entry.shape:
        return entry.name, words, ""
    return entry.name, words, f"in the file {shape_words(entry.declared)}"


def _weights(graph: TrainingGraph) -> Section:
    counts = "count as RAM" if graph.fixed_bytes else "not counted as RAM"
    facts: tuple[Fact, ...] = (
        ("in all", f"{format_bytes(graph.weight_bytes)}, {counts}", _exactly(graph.weight_bytes)),
        ("trained", format_bytes(graph.trainable_bytes), _exactly(graph.trainable_bytes)),
    )
    report = graph.report
    return Section("Weights", facts, _texts(report, Topic.WEIGHTS) if report else ())


def _training(graph: TrainingGraph) -> Section:
    settings = graph.settings
    forward = graph.first_backward
    halves = f"{format_count(forward)} forward, {format_count(len(graph.ops) - forward)} backward"
    extra = graph.saved_extra_bytes
    facts: list[Fact] = [
        ("ops", halves, ""),
        ("kept by the forward pass", format_bytes(graph.forward_bytes), "outputs of its ops"),
        ("masks, indices, statistics", format_bytes(extra), _exactly(extra)),
        ("accounting", settings.accounting.value, "whose rules made the graph"),
        ("weight gradients", settings.weight_gradients.value, ""),
    ]
    if settings.quantized is Quantized.STRAIGHT_THROUGH:
        facts.append(("quantised operators", settings.quantized.value, "simulated in floats"))
    report = graph.report
    sentences = _texts(report, Topic.LOSS) if report else ()
    if not sentences and settings.loss is not None:
        of = "" if settings.output is None else f" of output {settings.output}"
        sentences = (f"the loss is {settings.loss}{of}",)
    return Section("Training graph", tuple(facts), sentences)


def _texts(report: ImportReport, topic: Topic) -> tuple[str, ...]:
    return tuple(remark.text for remark in report.remarks if remark.topic is topic)


def _exactly(count: int) -> str:
    return format_bytes_exactly(count)
