"""Models solved by themselves, outside a strategy."""

from solver.milp.backend import CvxpyProblem, MipResult, Session


def session_of(problem: CvxpyProblem) -> Session:
    """A session that nobody stops."""
    return Session(
        problem,
        threads=1,
        seed=0,
        stop=lambda: False,
        time_left_s=lambda: 60.0,
        spend_simplex=lambda: None,
        spend_mip=lambda: None,
    )


def solved(problem: CvxpyProblem) -> MipResult:
    """The model's optimum and bound."""
    return session_of(problem).solve(
        absolute_gap=1e-6, start=None, on_solution=lambda _: None, on_bound=lambda _: None
    )
