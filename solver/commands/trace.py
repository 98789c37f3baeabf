"""`poet trace`: the training graph of the user's own PyTorch module."""

import sys
from contextlib import redirect_stdout
from dataclasses import replace
from pathlib import Path

import click

from solver import api
from solver.codec import encode_json, graph_document
from solver.commands.options import Whole
from solver.commands.output import check_outputs, say, write_output
from solver.costs import price
from solver.explain import exact_bytes
from solver.graph import Weights
from solver.pytorch.need import require_torch
from solver.torch_request import DEFAULT_LOSS, InputSpec, split_factory
from solver.torch_source import saved_in
from solver.units import format_count, format_flop


@click.command()
@click.argument("module")
@click.option(
    "--input",
    "inputs",
    multiple=True,
    metavar="SHAPE",
    help="Shape of an input, 1x3x32x32 or 2x64:int64<1000; again for each further input. Left out "
    "where the factory returns example inputs.",
)
@click.option(
    "--loss",
    default=DEFAULT_LOSS,
    show_default=True,
    help="softmax-ce, mse, sum, or own where the module returns its loss.",
)
@click.option(
    "--seed", type=Whole(0, 2**63 - 1), default=0, show_default=True, help="Of weights and inputs."
)
@click.option(
    "--weights",
    type=click.Choice([weights.value for weights in Weights]),
    default=Weights.NOT_COUNTED.value,
    show_default=True,
    help="Whether weights and running statistics count in RAM.",
)
@click.option("--device", default="nrf52840", show_default=True, help="Whose prices to show.")
@click.option("-o", "--json", "json_path", required=True, metavar="FILE", help="- is stdout.")
def trace(  # noqa: PLR0917 - click gives one argument per option
    module: str,
    inputs: tuple[str, ...],
    loss: str,
    seed: int,
    weights: str,
    device: str,
    json_path: str,
) -> None:
    """Trace one training step of MODULE, which is module.py:factory.

    The factory takes nothing and returns a torch.nn.Module, or one and a tuple of example inputs.
    It is your own code, and it is run. The joint forward and backward graph comes from PyTorch's
    own autograd on tensors without data; FILE can be solved like any other model, and its
    schedules replayed.
    """
    path, factory = split_factory(module)
    specs = [InputSpec.parse(text) for text in inputs]
    priced_on = api.load_device(device)
    check_outputs([("--json", json_path)], [path])
    require_torch()
    from solver.pytorch.trace import trace_factory  # noqa: PLC0415 - imports PyTorch

    with redirect_stdout(sys.stderr):  # what the module prints is no part of a document
        graph = trace_factory(
            Path(path), factory, specs, loss=loss, seed=seed, weights=Weights(weights)
        )  # fmt: skip
    if graph.program is not None and json_path != "-":
        graph = replace(graph, program=saved_in(graph.program, Path(json_path).parent))
    for warning in graph.told:
        say(f"warning: {warning}")
    costed = price(graph, priced_on)
    write_output(json_path, encode_json(graph_document(costed)))
    flop = format_flop(sum(op.flop for op in graph.ops))
    say(
        f"{factory}: {format_count(len(graph.ops))} ops, {flop}, "
        f"plain peak {exact_bytes(costed.plain_peak_bytes)}"
    )
