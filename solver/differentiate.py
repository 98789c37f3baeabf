"""Reverse-mode differentiation: forward ops, loss and backward ops in their one fixed order."""

from collections import Counter
from collections.abc import Sequence

from solver.graph import Op, Role, Tensor, WeightGradients
from solver.graph_writer import GraphWriter, Names, NewTensor, backward_op, forward_op
from solver.operators import flop
from solver.operators.base import Extra, Gradient, Part, Ref, Shared, Site
from solver.operators.losses import Loss
from solver.survey import Stop, Survey, Way, severed


class Differentiation:
    """One training step being written.

    Backward ops and the tensors they make bear one name: `conv1.weight_gradient`,
    `conv1.bias_gradient`, `relu1.input_gradient` (`add1.input_gradient.2` for the second input of
    a layer that reads several tensors), and `add_gradient:relu1` for a sum of partial gradients of
    the tensor `relu1`. Where one op makes the gradients of several inputs, the numbers are those of
    its tensors. What lies between a trainable and the loss but has no gradient (a condition,
    positions) has no role; the first gradient op of a tensor that it is computed from names that
    tensor once more.
    """

    def __init__(
        self,
        found: Survey,
        ways: Sequence[Way],
        *,
        output: str,
        loss: Loss,
        weight_gradients: WeightGradients,
    ) -> None:
        network = found.network
        self._found = found
        self._ways = ways
        self._values = network.values
        self._output = found.base[output]
        self._loss = loss
        cut = severed(found, tuple(ways), output)
        self._severed = cut.values
        self._silent_readers = dict(cut.readers)
        self._buffered = weight_gradients is WeightGradients.BUFFERED
        self._writer = GraphWriter()
        self._op_names = Names(layer.name for layer in network.layers)
        self._tensor_names = Names(network.values)
        self._extras: dict[tuple[str, Extra], str] = {}
        self._gradients: dict[str, str] = {}  # base -> tensor that holds the sum so far
        self.loss_tensors: tuple[str, ...] = ()
        self.forward_bytes = 0
        self._write()

    @property
    def ops(self) -> tuple[Op, ...]:
        """The ops in execution order."""
        return tuple(self._writer.ops)

    @property
    def tensors(self) -> tuple[Tensor, ...]:
        """The tensors in the order in which they are first made."""
        return tuple(self._writer.tensors)

    def _write(self) -> None:
        for name in self._found.network.inputs:
            self._add_source(name, self._values[name].shape, self._values[name].dtype, Role.INPUT)
        for stop, way in zip(self._found.stops, self._ways, strict=True):
            self._write_forward(stop, way)
        softmax = self._absorbed_softmax()
        self._write_loss(softmax)
        for stop, way in zip(reversed(self._found.stops), reversed(self._ways), strict=True):
            if (way.trained or way.passing) and stop is not softmax:
                self._write_backward(stop, way)

    def _absorbed_softmax(self) -> Stop | None:
        """The final Softmax, when the loss makes the gradient of its input."""
        if not self._loss.absorbs_softmax:
            return None
        return next(
            stop for stop in reversed(self._found.stops) if self._output in stop.site.outputs()
        )

    def _add_source(self, name: str, shape: tuple[int, ...], dtype: str, role: Role) -> None:
        makes = NewTensor(name, shape, dtype, role, in_storage_at_start=True)
        op = forward_op(self._op_names.fresh(name), "input", (), (makes,), recomputable=False)
        self._writer.source(op, makes)

    def _write_forward(self, stop: Stop, way: Way) -> None:
        site, parts = stop.site, stop.rule.parts(stop.site)
        extras = stop.rule.kept_extras(site) if way.passing or way.trained else ()
        trained = tuple(site.parameter(slot).name for slot in way.trained)
        for part in parts:
            last = part is parts[-1]
            makes = part.makes + extras if last else part.makes
            self._write_part(site, part, makes, trained if last else ())

    def _write_part(
        self, site: Site, part: Part, makes: Sequence[Ref], trained: tuple[str, ...]
    ) -> None:
        name = site.layer.name
        tensors = [self._new(name, ref, part.role) for ref in makes]
        op = forward_op(
            self._op_names.fresh(f"{name}.{part.suffix}") if part.suffix else name,
            part.kind,
            self._tensors_of(name, part.reads),
            tensors,
            flop=part.flop,
            recomputable=part.recomputable,
            trainable=trained,
        )
        if op.inputs:
            self._writer.write(op, tensors)
        else:
            (made,) = tensors
            self._writer.source(op, made)

    def _new(self, owner: str, ref: Ref, role: Role = Role.ACTIVATION) -> NewTensor:
        if isinstance(ref, Extra):
            name = self._tensor_names.fresh(f"{owner}.{ref.name}")
            self._extras[owner, ref] = name
            return NewTensor(name, ref.shape, ref.dtype, ref.role)
        value = self._values[ref]
        if role is not Role.ACTIVATION:
            return NewTensor(ref, value.shape, value.dtype, role)
        self.forward_bytes += value.bytes
        return NewTensor(ref, value.shape, value.dtype, None if ref in self._severed else role)

    def _tensors_of(self, owner: str, refs: Sequence[Ref]) -> tuple[str, ...]:
        """Tensors that hold `refs`; constants are none, views are their base."""
        base = self._found.base
        return tuple(
            self._extras[owner, ref] if isinstance(ref, Extra) else base[ref]
            for ref in refs
            if isinstance(ref, Extra) or ref in base
        )

    def _write_loss(self, softmax: Stop | None) -> None:
        loss, value = self._loss, self._values[self._output]
        name = self._op_names.fresh("loss")
        labels = self._add_labels()
        result = NewTensor(self._tensor_names.fresh("loss"), (), value.dtype, Role.ACTIVATION)
        makes = [result]
        if loss.probabilities is not None:
            makes.append(self._new("loss", loss.probabilities))
        reads = (self._output, *labels)
        self._writer.write(forward_op(name, "loss", reads, makes, flop=loss.flop), makes)
        self.loss_tensors = (result.name,)
        kept = [tensor.name for tensor in makes[1:]]
        if loss.reads_output:
            kept.append(self._output)
        if loss.reads_labels:
            kept.extend(labels)
        targets = [self._output]
        if softmax is not None:
            targets.append(self._found.owner(softmax.site, 0))
        self._write_input_gradient(
            f"{name}.input_gradient", tuple(kept), loss.gradient_flop, tuple(targets)
        )

    def _add_labels(self) -> tuple[str, ...]:
        labels = self._loss.labels
        if labels is None:
            return ()
        name = self._tensor_names.fresh(labels.name)
        self._add_source(name, labels.shape, labels.dtype, Role.LABEL)
        return (name,)

    def _write_backward(self, stop: Stop, way: Way) -> None:
        site = stop.site
        gradients = tuple(
            self._gradients[name] for name in site.outputs() if name in self._gradients
        )
        shared = stop.rule.shared_gradient(site)
        if shared is not None:
            self._write_shared_gradient(site, shared, gradients)
            gradients = ()
        for slot in way.trained:
            self._write_weight_gradient(stop, slot, gradients)
        joint = stop.rule.joint_gradient(site, way.passing) if way.passing else None
        if joint is not None:
            self._write_joint_gradient(site, way.passing, joint, gradients)
            return
        # An op that reads its input in two parts (statistics and their use) makes both gradients.
        paths = Counter(ref for part in stop.rule.parts(site) for ref in set(part.reads))
        numbered = sum(not site.is_constant(slot) for slot in site.slots()) > 1
        for slot in way.passing:
            made = stop.rule.gradient(site, slot)
            self._write_input_gradient(
                f"{site.layer.name}.input_gradient" + (f".{slot + 1}" if numbered else ""),
                gradients + self._tensors_of(site.layer.name, made.reads),
                made.flop,
                (self._found.owner(site, slot),) * paths[site.layer.inputs[slot]],
            )

    def _write_shared_gradient(self, site: Site, made: Shared, gradients: tuple[str, ...]) -> None:
        """The op that the layer's other gradient ops read in place of its outputs' gradients."""
        owner = site.layer.name
        name = self._op_names.fresh(f"{owner}.{made.makes.name}")
        makes = [self._new(owner, made.makes)]
        reads = gradients + self._tensors_of(owner, made.reads)
        targets = self._tensors_of(owner, made.gradient_of)
        op = backward_op(name, "input_gradient", reads, makes, flop=made.flop, gradient_of=targets)
        self._writer.write(op, makes)

    def _write_weight_gradient(self, stop: Stop, slot: int, gradients: tuple[str, ...]) -> None:
        site, weight = stop.site, stop.site.input(slot)
        made = stop.rule.gradient(site, slot)
        name = self._op_names.fresh(f"{site.layer.name}.{stop.rule.parameters[slot]}_gradient")
        makes = []
        if self._buffered:
            tensor, role = self._tensor_names.fresh(name), Role.WEIGHT_GRADIENT
            makes.append(NewTensor(tensor, weight.shape, weight.dtype, role))
        reads = gradients + self._tensors_of(site.layer.name, made.reads)
        self._writer.write(
            backward_op(
                name,
                "weight_gradient",
                reads,
                makes,
                flop=made.flop,
                gradient_of=(site.parameter(slot).name,),
            ),
            makes,
        )

    def _write_input_gradient(
        self, wanted: str, reads: tuple[str, ...], cost: int, targets: tuple[str, ...]
    ) -> None:
        """One (partial) gradient of `targets[-1]`, and at once its addition to the sum so far."""
        target = targets[-1]
        # Readers that pass no gradient on add zero to it, for which no op is needed.
        targets += (target,) * self._silent_readers.pop(target, 0)
        name = self._op_names.fresh(wanted)
        makes = [self._gradient_tensor(name, target)]
        op = backward_op(name, "input_gradient", reads, makes, flop=cost, gradient_of=targets)
        self._writer.write(op, makes)
        self._collect(target, makes[0].name)

    def _write_joint_gradient(
        self, site: Site, slots: tuple[int, ...], made: Gradient, gradients: tuple[str, ...]
    ) -> None:
        """One op with a (partial) gradient per slot, and then their additions in that order."""
        targets = tuple(self._found.owner(site, slot) for slot in slots)
        name = self._op_names.fresh(f"{site.layer.name}.input_gradient")
        makes = [
            self._gradient_tensor(f"{name}.{slot + 1}", target)
            for slot, target in zip(slots, targets, strict=True)
        ]
        reads = gradients + self._tensors_of(site.layer.name, made.reads)
        op = backward_op(name, "input_gradient", reads, makes, flop=made.flop, gradient_of=targets)
        self._writer.write(op, makes)
        for target, tensor in zip(targets, makes, strict=True):
            self._collect(target, tensor.name)

    def _collect(self, target: str, gradient: str) -> None:
        """Add a (partial) gradient to the sum so far of `target`, if there is one."""
        partial = self._gradients.get(target)
        if partial is not None:
            name = self._op_names.fresh(f"add_gradient:{target}")
            makes = [self._gradient_tensor(name, target)]
            cost = flop.ADDITION * self._values[target].elements
            addends = (partial, gradient)
            self._writer.write(backward_op(name, "add_gradient", addends, makes, flop=cost), makes)
            gradient = makes[0].name
        self._gradients[target] = gradient

    def _gradient_tensor(self, name: str, target: str) -> NewTensor:
        value = self._values[target]
        return NewTensor(self._tensor_names.fresh(name), value.shape, value.dtype, Role.GRADIENT)
