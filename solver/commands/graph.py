"""`poet graph`: the training graph of a model, priced on a device."""

import click
import msgspec

from solver.codec import encode_json, graph_document
from solver.commands.options import GraphArguments, graph_options
from solver.commands.output import STDOUT, check_outputs, say, tell, write_output
from solver.commands.summary import aligned
from solver.costs import CostedGraph, price
from solver.explain import exact_bytes
from solver.graph import Phase, Weights
from solver.reading import read_model
from solver.units import format_count, format_flop, format_joules, format_seconds


@click.command()
@graph_options
def graph(**given: object) -> None:
    """Show the training graph of MODEL on a device.

    MODEL is a file (.onnx, .pt2, schedule-graph or poet.graph JSON) or a built-in network (see
    `poet models`).
    """
    arguments = msgspec.convert(given, GraphArguments)
    check_outputs([("--json", arguments.json_path)], arguments.inputs)
    device = arguments.priced_on()
    model = read_model(arguments.request())
    costed = price(model.graph, device)
    for warning in (*model.graph.warnings, *costed.priced):
        say(f"warning: {warning}")
    for sentence in model.graph.report.sentences() if model.graph.report else ():
        say(f"note: {sentence}")
    if arguments.json_path is not None:
        write_output(arguments.json_path, encode_json(graph_document(costed)))
    if arguments.json_path != STDOUT:
        tell(_summary(costed))


def _summary(costed: CostedGraph) -> list[str]:
    graph = costed.graph
    ops, forward = len(graph.ops), sum(op.phase is Phase.FORWARD for op in graph.ops)
    flop = sum(op.flop for op in graph.ops)
    setter = f", set by {costed.floor_op_name}" if costed.floor_op_name else ""
    settings, macs = graph.settings, format_count(graph.forward_macs)
    head = f"{graph.name} on {costed.device.name}, accounting {settings.accounting}"
    batch = [] if settings.batch is None else [("batch", format_count(settings.batch))]
    in_ram = "in RAM" if settings.weights is Weights.RESIDENT else "not counted in RAM"
    return [
        head,
        *aligned(
            [
                *batch,
                ("ops", f"{ops:,}: {forward:,} forward, {ops - forward:,} backward"),
                ("tensors", format_count(len(graph.tensors))),
                ("work", f"{format_flop(flop)}, forward {macs} MAC in Conv, Gemm and MatMul"),
                ("weights", f"{exact_bytes(graph.weight_bytes)}, {in_ram}"),
                ("energy", format_joules(costed.baseline_energy_j)),
                ("runtime", format_seconds(costed.baseline_runtime_s)),
                ("plain peak", exact_bytes(costed.plain_peak_bytes)),
                ("floor", exact_bytes(costed.floor_bytes) + setter),
                ("device RAM", exact_bytes(costed.device.ram_bytes)),
            ]
        ),
    ]
