"""Real inputs of an ONNX graph and the sizes they leave open: batch, named dimensions."""

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from solver.errors import Issue, ModelError, UsageError
from solver.import_report import OpenSize
from solver.loaders.onnx_rules.base import MAX_RANK, Fact
from solver.loaders.onnx_tensors import dtype_of
from solver.loaders.options import LoadOptions
from solver.suggest import nearest_first

if TYPE_CHECKING:
    import onnx


@dataclass(frozen=True, slots=True)
class OpenInput:
    """A real input as declared: each size a number, or the name of what is open.

    An open dimension without a name is called after its place ("x.2"): -1 and 0, which exporters
    write for "unknown", end up here too.
    """

    name: str
    dtype: str
    dims: tuple[int | str, ...]


@dataclass(frozen=True, slots=True)
class BoundInputs:
    """Every input with all sizes known.

    `batch` is the leading dimension used; `own_batch` the one the file was written for (1 where it
    leaves it open), both None without any dimension. `facts` are at `batch`, `own_facts` at
    `own_batch`. `fixed` is True where the file itself states its batch. `declared` are the inputs
    as they stand in the file, `open_sizes` what they leave open with the size in use, `assumed` the
    names of those that nobody chose.
    """

    facts: Mapping[str, Fact]
    own_facts: Mapping[str, Fact]
    batch: int | None
    own_batch: int | None
    fixed: bool
    declared: tuple[OpenInput, ...] = ()
    open_sizes: tuple[OpenSize, ...] = ()
    assumed: tuple[str, ...] = ()


def read_inputs(
    graph: "onnx.GraphProto", constants: Sequence[str], read: Collection[str], file: str
) -> list[OpenInput]:
    """The inputs that are no initialisers and that something reads, by the names in `read`.

    Raises ModelError naming every one that is no tensor of known rank and number type, or is listed
    more than once.
    """
    stored = set(constants)
    real = [entry for entry in graph.input if entry.name not in stored and entry.name in read]
    inputs = []
    issues = [
        Issue(f"is listed {count} times: damaged", f"{file}: input {name}")
        for name, count in Counter(entry.name for entry in real).items()
        if count > 1
    ]
    for entry in real:
        problem = _problem(entry)
        if problem:
            issues.append(Issue(problem, f"{file}: input {entry.name}"))
            continue
        tensor = entry.type.tensor_type
        dims = tuple(_dim(entry.name, axis, dim) for axis, dim in enumerate(tensor.shape.dim))
        inputs.append(OpenInput(entry.name, dtype_of(tensor.elem_type) or "", dims))
    if issues:
        raise ModelError(issues)
    return inputs


def _problem(entry: "onnx.ValueInfoProto") -> str:
    kind = entry.type.WhichOneof("value")
    if kind != "tensor_type":
        words = (kind or "value without a type").removesuffix("_type").replace("_", " ")
        article = "an" if words[0] in "aeiou" else "a"
        return f"is {article} {words}, only tensors are supported"
    tensor = entry.type.tensor_type
    dtype = dtype_of(tensor.elem_type)
    if dtype is None or dtype == "string":
        return f"has element type {dtype or tensor.elem_type}, only numbers are supported"
    if not tensor.HasField("shape"):
        return "has no shape in the file, not even a number of dimensions"
    if len(tensor.shape.dim) > MAX_RANK:
        return f"has {len(tensor.shape.dim)} dimensions: damaged"
    return ""


def _dim(name: str, axis: int, dim: "onnx.TensorShapeProto.Dimension") -> int | str:
    if dim.HasField("dim_value") and dim.dim_value > 0:
        return dim.dim_value
    # Some exporters write "?" or "-1" for every open size: no name, and not one size for all.
    named = any(character.isalpha() for character in dim.dim_param)
    return dim.dim_param if named else f"{name}.{axis}"


def bind_inputs(
    inputs: Sequence[OpenInput], options: LoadOptions, file: str, questions: Collection[str] = ()
) -> BoundInputs:
    """Give every open dimension its size: by name from `options.dims`, the leading one the batch.

    A leading dimension that the file fixes is replaced only by an explicit batch, and only where it
    equals that of the first input; an open one is 1 unless told otherwise. `questions` are the
    other names that `--dim` takes, for the answer to a name that does not exist. Raises UsageError
    naming everything that is missing, unknown, contradictory or too small.
    """
    leading = next((entry.dims[0] for entry in inputs if entry.dims), None)
    _check_options(inputs, leading, options, file, questions)
    if leading is None:
        facts = _facts(inputs, {}, leading, None)
        return BoundInputs(facts, facts, None, None, fixed=False, declared=tuple(inputs))
    fixed = isinstance(leading, int)
    own = leading if isinstance(leading, int) else 1
    batch = options.batch or (own if isinstance(leading, int) else options.dims.get(leading, own))
    _check_missing(inputs, options, file)
    return BoundInputs(
        facts=_facts(inputs, options.dims, leading, batch),
        own_facts=_facts(inputs, options.dims, leading, own),
        batch=batch,
        own_batch=own,
        fixed=fixed,
        declared=tuple(inputs),
        open_sizes=_open_sizes(inputs, options, batch),
        assumed=tuple(sorted(_batch_names(inputs, options.dims) if options.batch is None else ())),
    )


def _batch_names(inputs: Sequence[OpenInput], dims: Mapping[str, int]) -> set[str]:
    """Open leading dimensions that nobody bound by name: all of them are the batch."""
    names = {entry.dims[0] for entry in inputs if entry.dims}
    return {name for name in names if isinstance(name, str) and name not in dims}


def _facts(
    inputs: Sequence[OpenInput],
    dims: Mapping[str, int],
    leading: int | str | None,
    batch: int | None,
) -> dict[str, Fact]:
    sizes: dict[str, int] = dict(dims)
    if batch is not None:
        sizes |= dict.fromkeys(_batch_names(inputs, dims), batch)
        if isinstance(leading, str):
            sizes[leading] = batch
    facts = {}
    for entry in inputs:
        shape = [size if isinstance(size, int) else sizes[size] for size in entry.dims]
        if batch is not None and isinstance(leading, int) and entry.dims[:1] == (leading,):
            shape[0] = batch
        facts[entry.name] = Fact(tuple(shape), entry.dtype)
    return facts


def _check_options(
    inputs: Sequence[OpenInput],
    leading: int | str | None,
    options: LoadOptions,
    file: str,
    questions: Collection[str],
) -> None:
    names = sorted({size for entry in inputs for size in entry.dims if isinstance(size, str)})
    issues = []
    for name, size in options.dims.items():
        if size < (name == leading):
            accepted = "above zero" if name == leading else "zero or more"
            issues.append(Issue(f"{name}={size} is not {accepted}", "--dim"))
        if name not in names:
            issues.append(
                Issue(
                    f"{file} leaves no size called {name!r} open",
                    "--dim",
                    _open_names(name, [*names, *sorted(questions)]),
                )
            )
    if options.batch is not None:
        if options.batch < 1:
            issues.append(Issue(f"{options.batch} is not above zero", "--batch"))
        if leading is None:
            issues.append(Issue(f"no input of {file} has a leading dimension", "--batch"))
        named = options.dims.get(leading) if isinstance(leading, str) else None
        if named not in {None, options.batch}:
            message = f"{options.batch} contradicts --dim {leading}={named}"
            issues.append(Issue(message, "--batch", "give one of the two"))
    if issues:
        raise UsageError(issues)


def _open_names(name: str, names: Sequence[str]) -> str:
    if not names:
        return "every size in it is fixed; --batch N sets the batch"
    return f"what it leaves open: {nearest_first(name, names)}"


def _check_missing(inputs: Sequence[OpenInput], options: LoadOptions, file: str) -> None:
    given = set(options.dims)
    if options.batch is not None or not options.ask_batch:
        given |= _batch_names(inputs, options.dims)
    missing = [size for size in _open_sizes(inputs, options, None) if size.name not in given]
    if missing:
        names = [size.name for size in missing]
        places = ", ".join(dict.fromkeys(place for size in missing for place in size.places))
        example = " ".join(
            "--batch N" if size.is_batch else f"--dim {size.name}=VALUE" for size in missing
        )
        raise UsageError(
            Issue(
                f"the file leaves sizes open: {', '.join(names)} of input {places}",
                file,
                f"give {example}; the leading dimension is --batch N",
                asks=tuple(missing),
            )
        )


def _open_sizes(
    inputs: Sequence[OpenInput], options: LoadOptions, batch: int | None
) -> tuple[OpenSize, ...]:
    """Every size that the inputs leave open, the batch once under the first of its names."""
    leads = _batch_names(inputs, options.dims)
    sizes: list[OpenSize] = []
    for name in _names_in_order(inputs):
        same = leads if name in leads else {name}
        if name in leads and any(size.is_batch for size in sizes):
            continue
        places = tuple(
            f"{entry.name} ({', '.join(map(str, entry.dims))})"
            for entry in inputs
            if not same.isdisjoint(entry.dims)
        )
        size = batch if name in leads else options.dims.get(name)
        sizes.append(OpenSize(name, places, size, is_batch=name in leads))
    return tuple(sizes)


def _names_in_order(inputs: Sequence[OpenInput]) -> list[str]:
    names = [size for entry in inputs for size in entry.dims if isinstance(size, str)]
    return list(dict.fromkeys(names))
