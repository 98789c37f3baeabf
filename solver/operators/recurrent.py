"""LSTM, GRU, RNN: one op hides all steps; what its gradients need of each step comes out of it.

Kept are the gates of every step, an LSTM's cells, the candidate's product of a GRU with
`linear_before_reset`, and the hidden states where the file does not ask for them (Y). That is what
a fused kernel reserves; activations are differentiated by their outputs.

Backward, a first op goes through the steps from the last to the first and makes the gradient of
the sums before the activations (`X.sums_gradient`); the gradients of weights, bias, input and
initial states are products and sums of that one tensor.
"""

import math
from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import ClassVar, Final

from solver.graph import Role
from solver.operators import flop
from solver.operators.base import Extra, Gradient, Ref, Rule, Shared, Site

_INPUT, _WEIGHT, _RECURRENT, _BIAS = 0, 1, 2, 3
_HIDDEN_START, _CELL_START, _PEEPHOLE = 5, 6, 7
_ALL_STATES = 0  # position of Y among the outputs


class Recurrent(Rule):
    """A recurrent layer in one or two directions.

    rows : gates per hidden unit that the weights hold: LSTM 4, GRU 3, RNN 1.
    """

    parameters: ClassVar[Mapping[int, str]] = MappingProxyType({
        _WEIGHT: "weight",
        _RECURRENT: "recurrent_weight",
        _BIAS: "bias",
        _PEEPHOLE: "peephole_weight",
    })  # fmt: skip
    rows: ClassVar[int] = 1

    def _units(self, site: Site) -> int:
        """Hidden units of all steps, samples and directions."""
        # The input is steps and batch in either order, and features.
        return math.prod(site.input(_INPUT).shape[:2]) * math.prod(self._state_shape(site))

    def _state_shape(self, site: Site) -> tuple[int, int]:
        """Directions, and hidden units of each: the weight is [directions, rows, hidden]."""
        shape = site.input(_RECURRENT).shape
        return shape[0], shape[2]

    def _per_step(self, site: Site, name: str, factor: int = 1) -> Extra:
        """A kept tensor with `factor` numbers for each hidden unit of each step."""
        directions, hidden = self._state_shape(site)
        shape = (*site.input(_INPUT).shape[:2], directions, factor * hidden)
        return Extra(name, shape, site.input(_INPUT).dtype, Role.STATISTICS)

    def _input_products(self, site: Site) -> int:
        """Multiply-adds of the input with its weight, all steps."""
        return self.rows * self._units(site) * site.input(_INPUT).shape[-1]

    def _recurrent_products(self, site: Site) -> int:
        """Multiply-adds of the states with their weight, all steps."""
        return self.rows * self._units(site) * site.input(_RECURRENT).shape[-1]

    def flop(self, site: Site) -> int:
        """2 per multiply-add of input and states with their weights.

        As with the bias of a convolution, what is done once per unit besides is left out: 3 % of
        an LSTM of 64 units.
        """
        products = self._input_products(site) + self._recurrent_products(site)
        return flop.MULTIPLY_ADD * products

    def _states(self, site: Site) -> Ref:
        """The hidden states of all steps: the layer's Y, or an extra where it has none."""
        outputs = site.layer.outputs
        return outputs[_ALL_STATES] if outputs[_ALL_STATES] else self._per_step(site, "states")

    def _gates(self, site: Site) -> tuple[Extra, ...]:  # noqa: ARG002 - an RNN has none
        """What is kept of every step besides the states."""
        return ()

    def kept_extras(self, site: Site) -> tuple[Extra, ...]:
        """Gates and what else the cell needs, and the states where the file leaves Y out."""
        states = self._states(site)
        return self._gates(site) + ((states,) if isinstance(states, Extra) else ())

    def differentiable(self, site: Site) -> Iterable[int]:
        """Everything of a float type: input, weights that are no constants, initial states."""
        return site.slots()

    def _sums_gradient(self, site: Site) -> Extra:
        extra = self._per_step(site, "sums_gradient", self.rows)
        return Extra(extra.name, extra.shape, extra.dtype, Role.GRADIENT)

    def shared_gradient(self, site: Site) -> Shared:
        """The way back through the steps: a product with the recurrent weight for each."""
        reads = (*self._gates(site), self._states(site), *self._cell_inputs(site))
        return Shared(
            flop.MULTIPLY_ADD * self._recurrent_products(site),
            reads,
            self._sums_gradient(site),
            self._gates(site)[:1],
        )

    def _cell_inputs(self, site: Site) -> tuple[Ref, ...]:
        """Inputs that the way back reads: weights of the states, initial states."""
        slots = (_RECURRENT, _HIDDEN_START, _CELL_START, _PEEPHOLE)
        return tuple(site.input(slot).name for slot in slots if site.has_input(slot))

    def gradient(self, site: Site, slot: int) -> Gradient:
        """Read states, gates, cells, input: once back through the steps, a product for each."""
        sums, rows = self._sums_gradient(site), self.rows * self._units(site)
        match slot:
            case 0 | 1:
                other = site.input(_WEIGHT if slot == _INPUT else _INPUT).name
                cost = flop.MULTIPLY_ADD * self._input_products(site)
                return Gradient(cost, (sums, other))
            case 2:
                start = (_HIDDEN_START,) if site.has_input(_HIDDEN_START) else ()
                before = tuple(site.input(position).name for position in start)
                cost = flop.MULTIPLY_ADD * self._recurrent_products(site)
                return Gradient(cost, (sums, self._states(site), *before, *self._reset(site)))
            case 3:
                return Gradient(flop.ADDITION * rows, (sums,))
            case 5:
                hidden = site.input(_RECURRENT)
                cost = flop.MULTIPLY_ADD * self.rows * site.input(slot).elements * hidden.shape[-1]
                return Gradient(cost, (sums, hidden.name, *self._reset(site)))
            case _:
                return self._cell_gradient(site, slot)

    def _reset(self, site: Site) -> tuple[Ref, ...]:  # noqa: ARG002 - only of a GRU
        """What the recurrent weight was multiplied with besides the states."""
        return ()

    def _cell_gradient(self, site: Site, slot: int) -> Gradient:
        raise site.error(f"input {slot + 1} of {site.layer.op_type} has no gradient")


class LSTM(Recurrent):
    """Four gates and a cell per hidden unit and step are kept."""

    rows: ClassVar[int] = 4

    def _gates(self, site: Site) -> tuple[Extra, ...]:
        # With input_forget the forget gate is 1 less the input gate.
        gates = self.rows - site.integer("input_forget", 0)
        return (self._per_step(site, "gates", gates), self._per_step(site, "cells"))

    def _cell_gradient(self, site: Site, slot: int) -> Gradient:
        """Of the initial cell: the first step's forget gate. Of peepholes: sums of products."""
        gates, cells = self._gates(site)
        sums = self._sums_gradient(site)
        if slot == _CELL_START:
            # dc = d(candidate's sum) / (i (1 - g^2)), times f
            each = flop.CELL_START * site.input(slot).elements
            return Gradient(each, (sums, gates))
        start = (site.input(_CELL_START).name,) if site.has_input(_CELL_START) else ()
        products = _PEEPHOLES * self._units(site)
        return Gradient(flop.MULTIPLY_ADD * products, (sums, cells, *start))


class GRU(Recurrent):
    """Three gates are kept; and, where the reset gate multiplies a product, that product."""

    rows: ClassVar[int] = 3

    def _gates(self, site: Site) -> tuple[Extra, ...]:
        gates = self._per_step(site, "gates", self.rows)
        if site.integer("linear_before_reset", 0) == 0:
            return (gates,)
        return (gates, self._per_step(site, "candidate_product"))

    def _reset(self, site: Site) -> tuple[Ref, ...]:
        """The gates: the candidate's weight, or its gradient, was multiplied by the reset gate."""
        return self._gates(site)[:1]


_PEEPHOLES: Final = 3  # input, output and forget gate look at the cell

RULES: Final[Mapping[str, Rule]] = MappingProxyType({
    "LSTM": LSTM(),
    "GRU": GRU(),
    "RNN": Recurrent(),
})  # fmt: skip
