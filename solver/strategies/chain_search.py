"""Looking for a better plan of a large graph with the chain model."""

from functools import partial
from typing import Final

from solver.costs import FloatArray
from solver.milp.chain_model import ChainModel
from solver.strategies.proof_parts import Solve, Tools

CHAIN_ROUNDS: Final = 3
CHAIN_UNITS: Final = 30.0
"""Work after which one run of the chain model gives way to local search."""


class ChainSearch:
    """One search; it proves nothing."""

    def __init__(self, solve: Solve, tools: Tools) -> None:
        self._solve, self._tools = solve, tools

    def run(self) -> None:
        """Look for a better plan with the chain model, making room where its plans do not fit."""
        solve = self._solve
        solve.progress.enter("chain model")
        tighten: dict[int, int] = {}
        for _ in range(CHAIN_ROUNDS):
            if solve.plan is None or solve.stop():
                return
            model = ChainModel(solve.plan, self._tools.scale(), tighten, solve.stop)
            session = self._tools.session(model.problem(), solve.limits.work + CHAIN_UNITS)
            over: dict[int, int] = {}
            result = session.solve(
                absolute_gap=self._tools.absolute_gap(model.scale) / 2,
                start=model.write_start(),
                on_solution=partial(self._try_chain, model, over),
                on_bound=lambda _: None,
            )
            if result.x is not None and not solve.stop():
                self._try_chain(model, over, result.x)
            if not over:
                return
            for t, excess in over.items():
                tighten[t] = tighten.get(t, 0) + excess

    def _try_chain(self, model: ChainModel, over: dict[int, int], x: FloatArray) -> None:
        over.clear()
        over.update(self._tools.try_masks(*model.plan_masks(x)))
