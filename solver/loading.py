"""From a request to the training graph it asks for, read and differentiated in this process.

Files of unknown origin are opened through solver.reading, which does this in a process of its own.
"""

import hashlib
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from solver.errors import Issue, ModelError, UsageError
from solver.files import is_there
from solver.graph import Accounting, Quantized, TrainingGraph, WeightGradients, Weights
from solver.graph_request import GraphRequest
from solver.loaders.given_sizes import size_issues
from solver.loaders.options import LoadOptions
from solver.loaders.registry import load_file
from solver.names import endless_names
from solver.network import Network
from solver.suggest import near
from solver.text import printable
from solver.training import TrainingOptions, expand
from solver.zoo.registry import build_network, build_poet_graph, builtin_names

BUILT_IN: Final = "built-in"


@dataclass(frozen=True)
class LoadedModel:
    """A training graph and where it came from.

    `source` is the path as given, or "built-in"; `sha256` the digest of the file's bytes, None for
    a built-in network.
    """

    graph: TrainingGraph
    source: str
    sha256: str | None


def load_training_graph(request: GraphRequest) -> LoadedModel:
    """The training graph of a file or a built-in network, with the settings asked for.

    Raises
    ------
    UsageError
        An unknown name, or settings that this kind of model does not have.
    ModelError
        A file that cannot be read, or a network that cannot be trained.
    """
    if request.model in builtin_names():
        return LoadedModel(_builtin_graph(request), BUILT_IN, None)
    path = Path(request.model)
    if not is_there(path):
        raise UsageError(_unknown_model(request.model))
    graph = _file_graph(path, request)
    if issues := [Issue(words, path.name) for words in endless_names(graph)]:
        raise ModelError(issues)
    graph = replace(graph, name=printable(graph.name))
    return LoadedModel(graph, printable(request.model), _digest(path))


def _digest(path: Path) -> str:
    try:
        with path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except OSError as error:  # moved or removed since it was read
        words = f"cannot be read any more: {error.strerror}"
        raise ModelError(Issue(words, path.name)) from error


def _builtin_graph(request: GraphRequest) -> TrainingGraph:
    if request.accounting is Accounting.GIVEN:
        raise UsageError(Issue("given is for graph files", "--accounting", "autodiff or poet"))
    if request.accounting is Accounting.POET:
        return _poet_graph(request)
    if request.quantized is not Quantized.REFUSED:
        message = f"{request.model} has no quantised operator"
        raise UsageError(Issue(message, "--quantized", "leave it out"))
    network = build_network(request.model, 1 if request.batch is None else request.batch)
    if request.dims:
        names = ", ".join(sorted(request.dims))
        raise UsageError(Issue(f"{request.model} has no open dimension {names}", "--dim"))
    return _expanded(network, request, request.model)


def _expanded(network: Network, request: GraphRequest, name: str) -> TrainingGraph:
    """The training graph, small enough that sums of its bytes are exact everywhere."""
    graph = expand(network, _training_options(request))
    issues = size_issues(graph.ops, graph.tensors, graph.fixed_bytes, name)
    if issues and (request.batch is not None or request.dims):
        where = "--dim" if request.batch is None else "--batch"
        raise UsageError([replace(issue, where=where) for issue in issues])
    if issues:
        raise ModelError(issues)
    return graph


def _poet_graph(request: GraphRequest) -> TrainingGraph:
    given = _given_choices(request)
    given.pop("--weights", None)
    if request.batch == 1:
        given.pop("--batch", None)
    if given:
        message = "the graphs of the released code have no such choice"
        raise UsageError([Issue(message, name, "leave it out") for name in given])
    graph = build_poet_graph(request.model)
    if request.weights is Weights.NOT_COUNTED:
        return graph
    settings = replace(graph.settings, weights=request.weights)
    return replace(graph, fixed_bytes=graph.fixed_bytes + graph.weight_bytes, settings=settings)


def _file_graph(path: Path, request: GraphRequest) -> TrainingGraph:
    loaded = load_file(
        path,
        LoadOptions(
            request.batch,
            request.dims,
            request.ask_batch,
            straight_through=request.quantized is Quantized.STRAIGHT_THROUGH,
            output=request.output,
            weights=request.weights,
            loss=request.loss,
        ),
    )
    if isinstance(loaded, Network):
        if request.accounting not in {None, Accounting.AUTODIFF}:
            fits = "built-in networks" if request.accounting is Accounting.POET else "graph files"
            message = f"{request.accounting} is for {fits}, {path} holds a network"
            raise UsageError(Issue(message, "--accounting", "leave it out"))
        return _expanded(loaded, request, path.name)
    given = [name for name in _given_choices(request) if not _was_traced(loaded, name)]
    if request.accounting is not None:
        given.insert(0, "--accounting")
    if given:
        message = f"{path} is a graph file, which has settled this already"
        raise UsageError([Issue(message, name, "leave it out") for name in given])
    return loaded


def _was_traced(graph: TrainingGraph, choice: str) -> bool:
    """Whether the choice went into the graph when its file was read: a program, traced just now.

    A weight gradient of a traced step is a tensor of its own, whether or not that was asked for.
    """
    settled = {"--weights", "--weight-gradients", "--batch", "--dim", "--loss"}
    return graph.report is not None and choice in settled


def _given_choices(request: GraphRequest) -> dict[str, object]:
    """Choices about the graph that differ from their default, by their name on the command line."""
    choices: dict[str, tuple[object, object]] = {
        "--weights": (request.weights, Weights.NOT_COUNTED),
        "--weight-gradients": (request.weight_gradients, WeightGradients.APPLIED),
        "--batch": (request.batch, None),
        "--dim": (dict(request.dims), {}),
        "--loss": (request.loss, None),
        "--output": (request.output, None),
        "--quantized": (request.quantized, Quantized.REFUSED),
    }
    return {name: value for name, (value, default) in choices.items() if value != default}


def _training_options(request: GraphRequest) -> TrainingOptions:
    return TrainingOptions(
        weights=request.weights,
        weight_gradients=request.weight_gradients,
        loss=request.loss,
        output=request.output,
        quantized=request.quantized,
    )


def _unknown_model(name: str) -> Issue:
    file, colon, _ = name.rpartition(":")
    if colon and is_there(Path(file)):
        words = "a function of a Python file is no model until it is traced"
        return Issue(words, name, f"poet trace {name} --input 1x3x32x32 -o NET.json")
    hint = near(name, builtin_names()) or "built in are " + ", ".join(builtin_names())
    return Issue(f"no file and no built-in network is called {name!r}", "MODEL", hint)
