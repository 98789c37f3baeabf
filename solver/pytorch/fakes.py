"""What the traced graph says of a value: its nodes and the bytes, shape and type of a tensor."""

import operator as python_operator

import torch

from solver.errors import EngineError, Issue


def outputs_of(node: torch.fx.Node) -> list[str | None]:
    """The node of each tensor returned, whether or not it is read."""
    found = node.meta.get("val")
    if isinstance(found, torch.Tensor):
        return [node.name]
    taken = {
        user.args[1]: user.name for user in node.users if user.target is python_operator.getitem
    }
    wanted = _output_mask(node)
    return [
        taken.get(place, f"{node.name}.{place}")
        if isinstance(fake, torch.Tensor) and wanted.get(place, True)
        else None
        for place, fake in enumerate(found or ())
    ]


def _output_mask(node: torch.fx.Node) -> dict[int, bool]:
    """Which gradients a backward op is asked for: tracing shows tensors for the others as well."""
    schema = node.target._schema  # noqa: SLF001 - its only name
    names = [argument.name for argument in schema.arguments]
    if "output_mask" not in names:
        return {}
    place = names.index("output_mask")
    mask = node.args[place] if place < len(node.args) else node.kwargs.get("output_mask", ())
    return dict(enumerate(mask))


def bytes_of(fake: torch.Tensor) -> int:
    """Bytes of the storage behind a tensor. Raises EngineError where they depend on its data."""
    if fake.layout is not torch.strided:
        words = f"the traced step makes a tensor that is stored as {fake.layout}"
        raise EngineError(Issue(words, "", "its bytes follow the data: make it dense"))
    return int(fake.untyped_storage().nbytes())


def shape_of(tensor: torch.Tensor) -> tuple[int, ...]:
    """Sizes of a tensor, in elements."""
    return tuple(int(size) for size in tensor.shape)


def dtype_of(tensor: torch.Tensor) -> str:
    """The element type as numpy names it, "float32"."""
    return str(tensor.dtype).removeprefix("torch.")
