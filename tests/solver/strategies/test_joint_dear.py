"""Claim: prices far apart falsify nothing: a bound stays below, the optimum is found and proven."""

import pytest

from solver.outcome import Optimal
from tests.helpers.builders import chain, device_of, problem_of
from tests.helpers.oracle import least_energy
from tests.helpers.solving import run


# Where paging is cheap, the oracle tries many ways.
@pytest.mark.parametrize(
    "joule_per_byte",
    [
        pytest.param(1e-9, marks=pytest.mark.slow),
        pytest.param(1e-3, marks=pytest.mark.slow),
        1e3,
        1e7,
    ],
)
def test_that_transfers_far_dearer_or_cheaper_than_runs_leave_the_proof_right(
    joule_per_byte: float,
) -> None:
    device = device_of(joule_per_byte_in=joule_per_byte, joule_per_byte_out=joule_per_byte)
    problem = problem_of(chain(4), 3004, device=device)

    outcome = run(problem, gap=0.0).outcome

    assert isinstance(outcome, Optimal)
    assert outcome.trace.total_energy_j == pytest.approx(least_energy(problem), rel=1e-9)
    assert outcome.bound_j <= outcome.trace.total_energy_j
