"""From a network to the graph of one training step, by real differentiation."""

from dataclasses import dataclass, replace

from solver.differentiate import Differentiation
from solver.errors import Issue, ModelError, UsageError
from solver.graph import (
    SAVED_EXTRA,
    GraphSettings,
    Quantized,
    Tensor,
    Trainable,
    TrainingGraph,
    WeightGradients,
    Weights,
)
from solver.network import Network
from solver.operators.losses import (
    LOSSES,
    SOFTMAX_CE,
    Loss,
    cross_entropy_of_probabilities,
)
from solver.suggest import near_or_all
from solver.survey import Survey, Way, route, survey
from solver.text import counted, verb
from solver.training_report import training_report


@dataclass(frozen=True, slots=True)
class TrainingOptions:
    """What the user chooses about differentiation.

    loss : "softmax-ce" (None), "mse" or "sum".
    output : the network output that the loss is taken of; None = the first of a float type.
    quantized : what was done with quantised operators on reading, to be written down.
    """

    weights: Weights = Weights.NOT_COUNTED
    weight_gradients: WeightGradients = WeightGradients.APPLIED
    loss: str | None = None
    output: str | None = None
    quantized: Quantized = Quantized.REFUSED


_DEFAULTS = TrainingOptions()


def expand(network: Network, options: TrainingOptions = _DEFAULTS) -> TrainingGraph:
    """Differentiate `network`: inputs, forward ops, loss, backward ops in a deterministic order.

    Raises
    ------
    ModelError
        Operators without a rule (all of them at once), nothing to train, or no float output.
    UsageError
        An unknown loss or output.
    """
    check_loss_name(options.loss)
    output = _choose_output(network, options.output)
    found = survey(network)
    ways = route(found, output)
    loss = _choose_loss(found, output, options.loss or SOFTMAX_CE)
    written = Differentiation(
        found, ways, output=output, loss=loss, weight_gradients=options.weight_gradients
    )
    tensors = written.tensors
    trainable, idle = _trainables(found, ways)
    trainable_bytes = sum(item.bytes for item in trainable)
    held = (*idle, *found.statistics())
    weight_bytes = trainable_bytes + sum(network.values[name].bytes for name in held)
    graph = TrainingGraph(
        name=network.name,
        ops=written.ops,
        tensors=tensors,
        trainable=trainable,
        loss_tensors=written.loss_tensors,
        fixed_bytes=weight_bytes if options.weights is Weights.RESIDENT else 0,
        weight_bytes=weight_bytes,
        trainable_bytes=trainable_bytes,
        forward_macs=sum(stop.rule.macs(stop.site) for stop in found.stops),
        forward_bytes=written.forward_bytes,
        saved_extra_bytes=_saved_extra_bytes(tensors),
        settings=_settings(network, options, loss=loss.name, output=output),
        warnings=(*network.warnings, *_warnings(network, output, idle)),
    )
    if network.report is None:
        return graph
    return replace(graph, report=training_report(network.report, found, graph, idle))


def _settings(
    network: Network, options: TrainingOptions, *, loss: str, output: str
) -> GraphSettings:
    return GraphSettings(
        weights=options.weights,
        weight_gradients=options.weight_gradients,
        batch=network.batch,
        dims=network.dims,
        loss=loss,
        output=output,
        quantized=options.quantized,
    )


def check_loss_name(name: str | None) -> None:
    """Raise UsageError unless `name` is a loss or None."""
    if name is None or name in LOSSES:
        return
    raise UsageError(Issue(f"unknown loss {name!r}", "--loss", near_or_all(name, LOSSES)))


def _choose_output(network: Network, wanted: str | None) -> str:
    floats = [name for name in network.outputs if network.values[name].is_float]
    if wanted is None:
        if floats:
            return floats[0]
        raise ModelError(
            Issue("no output has a float type, so no loss can be taken of it", network.name)
        )
    if wanted in floats:
        return wanted
    if wanted in network.outputs:
        raise UsageError(
            Issue(f"output {wanted} is {network.values[wanted].dtype}: no gradient", "--output")
        )
    hint = near_or_all(wanted, network.outputs)
    raise UsageError(Issue(f"the network has no output {wanted!r}", "--output", hint))


def _choose_loss(found: Survey, output: str, name: str) -> Loss:
    value = found.network.values[output]
    maker = next(stop for stop in found.stops if found.base[output] in stop.site.outputs())
    if name == SOFTMAX_CE and maker.site.layer.op_type == "Softmax":
        return cross_entropy_of_probabilities(value)
    return LOSSES[name](value)


def _trainables(
    found: Survey, ways: tuple[Way, ...]
) -> tuple[tuple[Trainable, ...], tuple[str, ...]]:
    """Constants that are trained, and those that do not lead to the loss; each once, in order."""
    values = found.network.values
    trained: dict[str, Trainable] = {}
    idle: dict[str, None] = {}
    for stop, way in zip(found.stops, ways, strict=True):
        for name in stop.trainable_names():
            if way.trained:
                trained.setdefault(name, Trainable(name, values[name].bytes))
            else:
                idle.setdefault(name)
    return tuple(trained.values()), tuple(name for name in idle if name not in trained)


def _saved_extra_bytes(tensors: tuple[Tensor, ...]) -> int:
    return sum(tensor.bytes for tensor in tensors if tensor.role in SAVED_EXTRA)


def _warnings(network: Network, output: str, idle: tuple[str, ...]) -> list[str]:
    found = []
    others = [name for name in network.outputs if name != output]
    if others:
        found.append(f"the loss is taken of output {output}; no gradient for: {', '.join(others)}")
    if idle:
        found.append(
            f"{counted(len(idle), 'weight')} {verb(len(idle), 'does', 'do')} not lead to output "
            f"{output} and {verb(len(idle), 'is', 'are')} not trained "
            f"(the first is {idle[0]})"
        )
    return found
