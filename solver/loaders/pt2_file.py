"""Exported PyTorch programs (.pt2) as training graphs: checked here, traced by PyTorch."""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Final

from solver.errors import Issue, UsageError
from solver.graph import TrainingGraph
from solver.import_report import FileInput, ImportReport, NodeCounts, names_of
from solver.loaders.onnx_inputs import BoundInputs, OpenInput, bind_inputs
from solver.loaders.options import LoadOptions
from solver.loaders.pt2_archive import Export, read_export
from solver.pytorch.need import require_torch

DEFAULT_LOSS: Final = "softmax-ce"
_VIEWS: Final = frozenset({
    "alias", "detach", "expand", "flatten", "movedim", "permute", "reshape", "select", "slice",
    "squeeze", "t", "transpose", "unsqueeze", "view",
})  # fmt: skip
_SIZES: Final = frozenset({"sym_size", "sym_numel", "_assert_scalar"})


def load(path: Path, options: LoadOptions) -> TrainingGraph:
    """Read an exported program and trace one training step of it.

    What the file holds is checked first, with or without PyTorch.

    Raises
    ------
    ModelError
        Everything in the file that could run, that is damaged, or that cannot be traced.
    UsageError
        Sizes that are missing or do not fit, as for any other file.
    EngineError
        PyTorch is not installed.
    """
    export = read_export(path)
    options = _with_least_batch(export, options)
    inputs = [OpenInput(entry.name, entry.dtype, entry.dims) for entry in export.step.inputs]
    bound = bind_inputs(inputs, options, path.name)
    sizes = export.step.sizes_for([fact.shape for fact in bound.facts.values()])
    _check_ranges(export, sizes)
    require_torch()
    from solver.pytorch.trace import trace_exported  # noqa: PLC0415 - imports PyTorch

    loss = DEFAULT_LOSS if options.loss is None else options.loss
    graph = trace_exported(path, export, sizes, loss=loss, weights=options.weights)
    settings = graph.settings
    if sizes:
        settings = replace(settings, batch=bound.batch, dims=dict(options.dims))
    return replace(
        graph,
        settings=settings,
        warnings=(*_warnings(export), *graph.warnings),
        report=_report(export, bound),
    )


def _with_least_batch(export: Export, options: LoadOptions) -> LoadOptions:
    """An open batch is 1 unless the export forbids it: then the least that it allows."""
    leading = next((entry.dims[0] for entry in export.step.inputs if entry.dims), None)
    asked = options.batch is not None or options.ask_batch
    if asked or not isinstance(leading, str) or leading in options.dims:
        return options
    return replace(options, batch=max(1, export.step.ranges.get(leading, (1, None))[0]))


def _check_ranges(export: Export, sizes: Mapping[str, int]) -> None:
    issues = []
    leads = {entry.dims[0] for entry in export.step.inputs if entry.dims}
    for name, size in sizes.items():
        least, most = export.step.ranges.get(name, (0, None))
        if size < least or (most is not None and size > most):
            allowed = f"{least} or more" if most is None else f"{least} to {most}"
            where = "--batch" if name in leads else "--dim"
            words = f"{export.file} was not exported for {name} = {size}"
            issues.append(Issue(words, where, f"it allows {allowed}"))
    if issues:
        raise UsageError(issues)


def _warnings(export: Export) -> tuple[str, ...]:
    if not export.step.passive:
        return ()
    words = f"{names_of(export.step.passive)} was exported for inference and is trained as such"
    return (f"{words}: export the network in training mode for its real training step",)


def _report(export: Export, bound: BoundInputs) -> ImportReport:
    names = [target.split(".")[-2] for target in export.step.targets]
    shapes = sum(name in _SIZES or name == "_operator" for name in names)
    kinds: dict[str, int] = {}
    for name in names:
        if name not in _SIZES | _VIEWS and name != "_operator":
            kinds[name] = kinds.get(name, 0) + 1
    inputs = tuple(
        FileInput(entry.name, entry.dtype, entry.dims, bound.facts[entry.name].shape)
        for entry in export.step.inputs
    )
    return ImportReport(
        maker=f"a program exported by PyTorch {export.step.torch}",
        nodes=NodeCounts(len(names), 0, shapes, sum(name in _VIEWS for name in names)),
        kinds=tuple(sorted(kinds.items(), key=lambda item: -item[1])),
        inputs=inputs,
        open_sizes=bound.open_sizes,
    )
