"""Record PyTorch's joint forward and backward graph of the witness networks.

Run by hand in an environment of its own, from the project's folder (torch 2.13.0, CPU, onnx;
`pip install -e '.[torch]'` has both; several minutes):

    python -m tests.witness.record tests/data/witness [NETWORK ...]

Per network two files: NETWORK.onnx, PyTorch's own export less the numbers of the weights, which is
what our side reads, and NETWORK.json, the graph that AOTAutograd traces on fake tensors of the same
module with the mean cross-entropy of its scores. Nothing is decomposed, every op is one that
PyTorch's eager mode would run; LSTMs are unrolled, as without a fused kernel. Forward and backward
are told apart, and what is saved between them is chosen, by PyTorch's default partition.

The JSON:

sources : [name, role, bytes]; role is parameter, buffer, input or label.
ops : [phase, ATen op, tensors read, [tensor, bytes] made, {arithmetic: count}], in traced order.
    Views are resolved to what owns their bytes; new running statistics are not listed.
saved : what the default partition hands from forward to backward, views resolved; new running
    statistics may be among it, which PyTorch passes to every norm's gradient.
gradients : parameter -> tensor.

The arithmetic of an op is PyTorch's own too: `flop` as its FLOP counter has it for products, else
the primitive ops that PyTorch's decomposition of the op consists of, with the elements of each: the
inputs' for a reduction, the output's otherwise.
"""

import json
import math
import operator
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

import onnx
import torch
from torch import Tensor, fx, nn
from torch._decomp import decomposition_table
from torch._functorch.aot_autograd import aot_export_module
from torch._functorch.partitioners import default_partition
from torch._subclasses.fake_tensor import FakeTensorMode
from torch.fx.experimental.proxy_tensor import make_fx
from torch.utils._pytree import tree_leaves, tree_map_only
from torch.utils.flop_counter import flop_registry

from tests.witness.torch_networks import NETWORKS, Sample

OPSET = 20
SMALL = 16
"""Elements: a longer constant is a weight, whose numbers are left out of the ONNX file."""
WHOLE = {"clamp", "clamp_min", "clamp_max", "minimum", "maximum", "relu"}
"""Ops not taken apart: what PyTorch decomposes them into is mostly care for numbers that are none.
"""
LOOKED_UP = {"index", "gather", "embedding"}
"""Primitive ops that read as many elements as they make, whatever the size of the table."""
SCATTERING = {"index_put", "_unsafe_index_put", "scatter", "scatter_add"}
"""Primitive ops that touch as many elements as their third argument has."""
LIKE_VIEWS = {"aten._unsafe_view.default"}
"""Ops that copy nothing although their schema does not say so."""
DECOMPOSITIONS = {
    op: rule for op, rule in decomposition_table.items() if op.__name__.split(".")[0] not in WHOLE
}


class WithLoss(nn.Module):
    """A network and the mean cross-entropy of its scores."""

    def __init__(self, network: nn.Module) -> None:
        super().__init__()
        self.network = network

    def forward(self, batch: Tensor, labels: Tensor) -> tuple[Tensor]:
        return (nn.functional.cross_entropy(self.network(batch), labels),)


class Recorder:
    """One traced graph being written down."""

    def __init__(self, graph: fx.Graph) -> None:
        self.graph = graph
        self.owner: dict[str, str] = {}
        self._counted: dict[str, dict[str, int]] = {}

    def ops(self, phases: dict[str, str], hidden: set[str]) -> Iterator[list[Any]]:
        """Every op that makes a tensor of its own; `hidden` tensors are not listed."""
        for node in self.graph.nodes:
            if node.op == "placeholder":
                self.owner[node.name] = node.name
            is_op = node.op == "call_function" and "val" in node.meta  # an assertion makes nothing
            if not is_op or node.name not in phases:
                continue
            if node.target is operator.getitem:
                source = node.args[0]
                viewed = is_view(source)
                self.owner[node.name] = self.owner[source.name] if viewed else node.name
                continue
            reads = list(dict.fromkeys(self.owner[read.name] for read in node.all_input_nodes))
            if is_view(node):
                self.owner[node.name] = self.owner[node.all_input_nodes[0].name]
                continue
            self.owner[node.name] = node.name
            makes = [
                [made.name, bytes_of(made.meta["val"])]
                for made in made_by(node)
                if made.name in phases and made.name not in hidden
            ]
            name = str(node.target).removesuffix(".default")
            yield [phases[node.name], name, reads, makes, self.arithmetic(node)]

    def arithmetic(self, node: fx.Node) -> dict[str, int]:
        """Elements (or FLOP) by primitive op."""
        args, kwargs = tree_map_only(fx.Node, lambda x: x.meta["val"], (node.args, node.kwargs))
        key = f"{node.target} {describe((args, kwargs))}"
        if key not in self._counted:
            self._counted[key] = self._count(node.target, args, kwargs, node.meta["val"])
        return self._counted[key]

    def _count(self, target: Any, args: Any, kwargs: Any, made: Any) -> dict[str, int]:
        packet = target.overloadpacket
        if packet is torch.ops.aten.convolution_backward:
            args, made = one_group(args, made)
            return {"flop": args[-2] * flop_registry[packet](*args, out_val=made)}
        if packet in flop_registry:
            return {"flop": flop_registry[packet](*args, **kwargs, out_val=made)}
        if target is torch.ops.aten.max_pool2d_with_indices.default:
            return {"comparison": math.prod(args[1]) * made[0].numel()}
        tensors = [
            (tuple(leaf.shape), leaf.stride(), leaf.dtype)
            for leaf in tree_leaves((args, kwargs))
            if isinstance(leaf, Tensor)
        ]

        def call(*given: Tensor) -> Any:
            remaining = iter(given)
            own = tree_map_only(Tensor, lambda _: next(remaining), (args, kwargs))
            return target(*own[0], **own[1])

        with FakeTensorMode():
            fresh = [torch.empty_strided(*size, dtype=dtype) for *size, dtype in tensors]
            small = make_fx(call, decomposition_table=DECOMPOSITIONS)(*fresh)
        small.graph.eliminate_dead_code()
        return primitives(small.graph)


def one_group(args: Any, made: Any) -> tuple[Any, Any]:
    """The arguments and results of one group: PyTorch's counter takes the groups for one."""
    gradient, batch, weight, *rest, groups, wanted = args

    def part(value: Tensor, axis: int) -> Tensor:
        return value.narrow(axis, 0, value.shape[axis] // groups)

    # The weight's first axis goes through all groups, transposed or not.
    parts = (part(gradient, 1), part(batch, 1), part(weight, 0))
    results = tuple(
        None if value is None else part(value, axis)
        for value, axis in zip(made[:2], (1, 0), strict=True)
    )
    return (*parts, *rest, groups, wanted), (*results, None)


def primitives(graph: fx.Graph) -> dict[str, int]:
    """Elements by primitive op; views are none."""
    found: Counter[str] = Counter()
    for node in graph.nodes:
        is_op = node.op == "call_function" and isinstance(node.target, torch._ops.OpOverload)
        if is_op and not is_view(node):
            found[node.target.overloadpacket.__name__] += touched(node)
    return dict(found)


def touched(node: fx.Node) -> int:
    """Elements that a primitive op goes over: of the largest of what it reads and makes."""
    name = node.target.overloadpacket.__name__
    made = [leaf for leaf in tree_leaves(node.meta["val"]) if isinstance(leaf, Tensor)]
    if name in SCATTERING:
        return node.args[2].meta["val"].numel()
    read = [] if name in LOOKED_UP else [read.meta["val"] for read in node.all_input_nodes]
    return max(tensor.numel() for tensor in (*made, *read))


def describe(values: Any) -> str:
    """A key under which ops of the same sizes and settings fall together."""
    return str(
        [
            (tuple(leaf.shape), str(leaf.dtype)) if isinstance(leaf, Tensor) else leaf
            for leaf in tree_leaves(values)
        ]
    )


def is_view(node: fx.Node) -> bool:
    """Whether the op's result has the bytes of what it reads."""
    if str(node.target) in LIKE_VIEWS:
        return True
    returned = node.target._schema.returns
    return any(item.alias_info and not item.alias_info.is_write for item in returned)


def made_by(node: fx.Node) -> Iterable[fx.Node]:
    """The node, or what takes the parts of its tuple."""
    if isinstance(node.meta["val"], Tensor):
        return (node,)
    return sorted(
        (user for user in node.users if user.target is operator.getitem),
        key=lambda user: user.args[1],
    )


def bytes_of(value: Tensor) -> int:
    """Size in bytes."""
    return value.numel() * value.element_size()


def record(sample: Sample) -> dict[str, Any]:
    """The joint graph of one training step."""
    module = WithLoss(sample.network).train()
    joint, signature = aot_export_module(
        module, (sample.batch, sample.labels), trace_joint=True, output_loss_index=0
    )
    roles = dict.fromkeys(signature.inputs_to_parameters, "parameter")
    roles |= dict.fromkeys(signature.inputs_to_buffers, "buffer")
    users = (name for name in signature.user_inputs)
    roles |= dict(zip(users, ("input", "label"), strict=True))
    sources = []
    for k, node in enumerate(joint.graph.nodes):
        if node.op == "placeholder":
            sources.append([node.name, roles[node.name], bytes_of(node.meta["val"])])
            node.target = f"primals_{k}"  # how the partition knows inputs from gradients
    updates = len(signature.buffers_to_mutate)
    results = next(node for node in joint.graph.nodes if node.op == "output").args[0]
    results[updates].meta["partitioner_tag"] = "is_forward"  # the loss, and what stands before it
    forward, backward = default_partition(joint, (), num_fwd_outputs=updates + 1)
    phases = {node.name: "backward" for node in backward.graph.nodes}
    phases |= {node.name: "forward" for node in forward.graph.nodes}
    recorder = Recorder(joint.graph)
    ops = list(recorder.ops(phases, set(signature.buffers_to_mutate)))
    handed = next(node for node in forward.graph.nodes if node.op == "output").args[0]
    saved = dict.fromkeys(recorder.owner[node.name] for node in handed[updates + 1 :])
    return {
        "torch": torch.__version__,
        "parameters": sum(tensor.numel() for tensor in sample.network.parameters()),
        "sources": sources,
        "ops": ops,
        "saved": [name for name in saved if roles.get(name) not in {"parameter", "buffer"}],
        "gradients": {
            parameter: recorder.owner[gradient]
            for gradient, parameter in signature.backward_signature.gradients_to_parameters.items()
        },
    }


def export(sample: Sample, path: Path) -> None:
    """PyTorch's ONNX file of the network in training, without the numbers of its weights."""
    torch.onnx.export(
        sample.network,
        (sample.batch,),
        path,
        dynamo=False,
        training=torch.onnx.TrainingMode.TRAINING,
        do_constant_folding=False,
        opset_version=OPSET,
        input_names=["batch"],
        output_names=["scores"],
    )
    model = onnx.load(path)
    for tensor in model.graph.initializer:
        if math.prod(tensor.dims) > SMALL or tensor.data_type == onnx.TensorProto.FLOAT:
            tensor.ClearField("raw_data")
    for node in model.graph.node:
        node.ClearField("doc_string")
    path.write_bytes(model.SerializeToString())


def main(folder: str, *names: str) -> None:
    """Write the files of these networks, of all where none is named."""
    torch.backends.mkldnn.enabled = False  # its LSTM is one op that hides what it keeps
    for name in names or NETWORKS:
        made: Callable[[], Sample] = NETWORKS[name]
        export(made(), Path(folder) / f"{name}.onnx")
        lines = json.dumps(record(made()), separators=(",", ":")).replace("],[", "],\n[")
        (Path(folder) / f"{name}.json").write_text(lines + "\n", encoding="utf-8")


if __name__ == "__main__":
    main(*sys.argv[1:])
