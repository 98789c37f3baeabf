"""A joint graph written down: the program to replay, and the training graph to schedule."""

import operator as python_operator
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

import torch
from torch.utils._pytree import tree_map_only

from solver.errors import EngineError, Issue
from solver.graph import (
    SAVED_EXTRA,
    Accounting,
    GraphSettings,
    Op,
    Phase,
    Role,
    Tensor,
    Trainable,
    TrainingGraph,
    WeightGradients,
    Weights,
)
from solver.graph_writer import Names
from solver.pytorch.arguments import encode
from solver.pytorch.fakes import bytes_of, dtype_of, outputs_of, shape_of
from solver.pytorch.joint import Joint
from solver.pytorch.naming import CallNames, Naming
from solver.pytorch.roles import UNSIZED, is_view, kind_of, multiplies, packet, role_of
from solver.pytorch.work import Work
from solver.text import counted, verb
from solver.torch_program import Call, Constant, InputValue, Program, Source

_MOST_CONSTANT: Final = 4096
"""Elements of a tensor that is neither parameter nor buffer: a table, not weights."""


def write_down(
    joint: Joint, source: Source, name: str, weights: Weights, below: Sequence[int] = ()
) -> TrainingGraph:
    """The training graph of `joint`, with its program. `weights` as in `poet graph --weights`.

    `below` : per input, what whole numbers are drawn below; empty where the factory brings them.

    Every call that makes storage is an op, of a name that tells its module; a weight gradient is
    an output of its op (buffered), as it is in the traced step.

    Raises EngineError for what a program cannot hold.
    """
    return _Writer(joint, below).write(source, name, weights)


class _Writer:
    """One graph being written. `_storage` : value -> what owns its bytes."""

    def __init__(self, joint: Joint, below: Sequence[int]) -> None:
        signature = joint.signature
        self._joint, self._below = joint, below
        self._work = Work()
        self._phase = Phase.FORWARD
        self._nodes = {node.name: node for node in joint.graph.graph.nodes}
        self._ops: list[Op] = []
        self._tensors: dict[str, Tensor] = {}
        self._calls: list[Call] = []
        self._constants: list[Constant] = []
        self._waiting: dict[str, tuple[Op, Tensor]] = {}
        self._macs = 0
        self._parameters = _without_network(signature.inputs_to_parameters)
        self._buffers = _without_network(signature.inputs_to_buffers)
        self._storage = {value: value for value in (*self._parameters, *self._buffers)}
        self._names = Names(self._storage)
        found = _without_network(signature.backward_signature.gradients_to_parameters)
        self._gradients = {key: node for node, key in found.items()}
        self._makers = {key: self._maker(node) for key, node in self._gradients.items()}
        owners = {maker: key for key, maker in self._makers.items()}
        self._naming = Naming(self._names, joint.places, self._parameters, owners)
        self._values: dict[str, str] = {}  # by node, where a value is not called as its node

    def write(self, source: Source, name: str, weights: Weights) -> TrainingGraph:
        """Walk the graph once."""
        signature, graph, nodes = self._joint.signature, self._joint.graph, self._nodes
        inputs = self._write_inputs(nodes)
        (loss,) = signature.user_outputs
        for node in graph.graph.nodes:
            if node.op == "get_attr":
                self._write_constant(node.name, getattr(graph, node.target))
            elif node.op == "call_function" and node.target is not python_operator.getitem:
                self._write_call(node)
                if self._value(loss) in self._storage:
                    self._phase = Phase.BACKWARD
        updates = _without_network(signature.buffers_to_mutate)
        program = Program(
            version=1,
            torch=str(torch.__version__),
            source=source,
            inputs=inputs,
            parameters=self._parameters,
            buffers=self._buffers,
            constants=self._constants,
            calls=self._calls,
            storage=self._storage,
            loss=self._value(loss),
            gradients={key: self._value(node) for key, node in self._gradients.items()},
            updates={key: self._value(node) for node, key in updates.items()},
        )
        weights_at = (*self._parameters, *self._buffers)
        sizes = {value: bytes_of(nodes[value].meta["val"]) for value in weights_at}
        return self._graph(program, sizes, name, weights)

    def _graph(
        self, program: Program, sizes: Mapping[str, int], name: str, weights: Weights
    ) -> TrainingGraph:
        trainable = tuple(
            Trainable(key, sizes[value])
            for value, key in self._parameters.items()
            if key in self._gradients
        )
        weight_bytes = sum(sizes.values())
        tensors, loss = self._tensors.values(), self._storage[program.loss]
        own = (t.bytes for t in tensors if t.role is Role.ACTIVATION and t.name != loss)
        idle = [key for key in self._parameters.values() if key not in self._gradients]
        told = (
            f"{counted(len(idle), 'parameter')} {verb(len(idle), 'gets', 'get')} no gradient "
            f"(frozen, or not on the way to the loss), the first is {', '.join(idle[:1])}"
        )
        return TrainingGraph(
            name=name,
            ops=tuple(self._ops),
            tensors=tuple(tensors),
            trainable=trainable,
            loss_tensors=(loss,),
            fixed_bytes=weight_bytes if weights is Weights.RESIDENT else 0,
            weight_bytes=weight_bytes,
            trainable_bytes=sum(constant.bytes for constant in trainable),
            forward_macs=self._macs,
            forward_bytes=sum(own),
            saved_extra_bytes=sum(t.bytes for t in tensors if t.role in SAVED_EXTRA),
            settings=GraphSettings(
                accounting=Accounting.GIVEN,
                weights=weights,
                weight_gradients=WeightGradients.BUFFERED,
                loss=program.source.loss,
            ),
            warnings=(told,) if idle else (),
            program=program,
        )

    def _write_inputs(self, nodes: Mapping[str, Any]) -> list[InputValue]:
        users, inputs = list(self._joint.signature.user_inputs), []
        batch = len(users) - self._joint.labels
        for place, value in enumerate(users):
            label = place >= batch
            wanted = "labels" if label else "input" if batch == 1 else f"input{place + 1}"
            name, fake = self._names.fresh(wanted), nodes[value].meta["val"]
            shape, dtype = shape_of(fake), dtype_of(fake)
            below = self._below[place] if self._below and not label else 0
            inputs.append(InputValue(value, name, list(shape), dtype, below))
            role = Role.LABEL if label else Role.INPUT
            tensor = Tensor(
                name, bytes_of(fake), name, shape, dtype, role, in_storage_at_start=True
            )  # fmt: skip
            op = Op(name, "input", Phase.FORWARD, (), (name,), 0.0, recomputable=False)
            self._waiting[name] = op, tensor
            self._storage[value] = name
        return inputs

    def _write_constant(self, value: str, tensor: torch.Tensor) -> None:
        if tensor.numel() > _MOST_CONSTANT:
            words = f"a tensor of {tensor.numel():,} elements is neither parameter nor buffer"
            raise EngineError(Issue(words, "", "register it in its module: register_buffer"))
        data = [encode(item, lambda _: None) for item in tensor.flatten().tolist()]
        self._constants.append(Constant(value, list(shape_of(tensor)), dtype_of(tensor), data))
        self._storage[value] = value

    def _write_call(self, node: torch.fx.Node) -> None:
        target: Any = node.target
        outputs = outputs_of(node)
        if not any(outputs):
            return  # a check of what is traced
        if not isinstance(target, torch._ops.OpOverload):  # noqa: SLF001 - its only name
            raise EngineError(
                Issue(f"the traced step calls {target}, which is no operator of ATen")
            )
        told = UNSIZED.get(packet(str(target)))
        if told is not None:
            raise EngineError(Issue(told[0], "", told[1]))
        view = is_view(target)
        if view:
            names = CallNames(node.name, tuple(self._fresh(output) for output in outputs))
        elif self._phase is Phase.FORWARD:
            names = self._naming.forward(node, outputs)
        else:
            names = self._naming.backward(node, outputs)
        call = Call(
            name=names.op,
            target=str(target),
            args=[encode(argument, self._name_of) for argument in node.args],
            kwargs={key: encode(argument, self._name_of) for key, argument in node.kwargs.items()},
            outputs=list(names.outputs),
            view=view,
            random=torch.Tag.nondeterministic_seeded in target.tags,
        )
        made = [output for output in outputs if output is not None]
        self._values |= zip(made, filter(None, names.outputs), strict=True)
        self._calls.append(call)
        base = self._storage[next(call.reads())] if view else ""
        self._storage |= {value: base or value for value in call.outputs if value is not None}
        if not view:
            self._write_op(node, call, made)

    def _write_op(self, node: torch.fx.Node, call: Call, outputs: Sequence[str]) -> None:
        owners = list(dict.fromkeys(self._storage[value] for value in call.reads()))
        for owner in owners:
            if owner in self._waiting:
                op, tensor = self._waiting.pop(owner)
                self._ops.append(op)
                self._tensors[owner] = tensor
        reads = tuple(owner for owner in owners if owner in self._tensors)
        made, flop = self._made(node, call), self._flop(node)
        forward = self._phase is Phase.FORWARD
        if forward and multiplies(call.target):
            self._macs += flop // 2
        self._ops.append(
            Op(
                name=call.name,
                kind=kind_of(call.target),
                phase=self._phase,
                inputs=reads,
                outputs=tuple(tensor.name for tensor in made),
                flop=float(flop),
                recomputable=forward and not call.random,
                trainable=self._trained(owners) if forward else (),
                gradient_of=tuple(k for k, maker in self._makers.items() if maker in outputs),
            )
        )
        self._tensors |= {tensor.name: tensor for tensor in made}

    def _flop(self, node: torch.fx.Node) -> int:
        given = (node.args, node.kwargs)
        args, kwargs = tree_map_only(torch.fx.Node, lambda read: read.meta["val"], given)
        return self._work.flop(node.target, args, kwargs, node.meta["val"])

    def _trained(self, owners: Iterable[str]) -> tuple[str, ...]:
        keys = (self._parameters[owner] for owner in owners if owner in self._parameters)
        return tuple(key for key in keys if key in self._gradients)

    def _maker(self, name: str) -> str:
        """The node of the output whose bytes a node has, itself or through views."""
        node = self._nodes[name]
        while node.op == "call_function" and node.all_input_nodes:
            picked = node.target is python_operator.getitem
            call = node.all_input_nodes[0] if picked else node
            if not is_view(call.target):
                break
            node = call.all_input_nodes[0]
        return str(node.name)

    def _value(self, node: str) -> str:
        return self._values.get(node, node)

    def _name_of(self, argument: object) -> str | None:
        return self._value(argument.name) if isinstance(argument, torch.fx.Node) else None

    def _fresh(self, output: str | None) -> str | None:
        return None if output is None else self._names.fresh(output)

    def _made(self, node: torch.fx.Node, call: Call) -> list[Tensor]:
        given = node.meta["val"]
        fakes = [given] if isinstance(given, torch.Tensor) else list(given)
        gradients = {self._value(maker) for maker in self._makers.values()}
        return [
            Tensor(
                value,
                bytes_of(fake),
                call.name,
                shape_of(fake),
                dtype_of(fake),
                Role.WEIGHT_GRADIENT
                if value in gradients
                else role_of(self._phase, call.target, place),
            )
            for place, (value, fake) in enumerate(zip(call.outputs, fakes, strict=True))
            if value is not None
        ]


def _without_network(names: Mapping[str, str]) -> dict[str, str]:
    """Names of the network's state, without the module that holds network and loss."""
    return {value: str(key).removeprefix("network.") for value, key in names.items()}
