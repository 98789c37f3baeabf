"""A problem whose schedule is decided by the memory inside of one stage."""

from solver.problem import Problem
from tests.helpers.builders import Line, device_of, graph_of, problem_of


def crowded_inside(ram: int) -> Problem:
    """f2 (2000 B) must go while `wide` runs, and comes back in stage `last` beside x (3000 B).

    Making it again from f0 takes 1 + 1 J, and f1 (10,000 B) and f2 beside x and `small` (10 B)
    meanwhile: 15,010 B. Paging f2 out and in takes 2.5 + 2.5 J, paging x 3.75 + 3.75 J. No first
    run takes more than 14,600 B, but with f2 beside it `wide` takes 16,600 B.
    """
    lines = [
        Line("f0", "f", 100, 1e6, recomputable=False, pageable=False),
        Line("f1", "f", 10_000, 1e6, ("f0",), pageable=False),
        Line("f2", "f", 2000, 1e6, ("f1",)),
        Line("x", "f", 3000, 1e6, ("f0",), recomputable=False),
        Line("wide", "b", 11_500, 1e6, ("x", "f0")),
        Line("small", "b", 10, 1e6, ("wide",), pageable=False),
        Line("last", "b", 10, 1e6, ("small", "f2", "x")),
    ]
    device = device_of(joule_per_byte_in=1.25e-3, joule_per_byte_out=1.25e-3)
    return problem_of(graph_of(lines), ram, device=device)
