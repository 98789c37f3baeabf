"""Benchmark results with figures chosen by hand: the baseline is 100 J unless told otherwise."""

from typing import Any

from solver.bench.records import Document, Point, Row, RowResult, Run

MIB = 1024**2


def row(name: str = "real/net/board/0.7", **more: Any) -> Row:
    part = name.split("/", maxsplit=1)[0]
    given = {"share": 0.7, "model": name.split("/")[1], "device": "board", **more}
    return Row(name=name, part=part, **given)


def run(
    *points: tuple[float, float | None, float],
    limit_s: float = 60.0,
    wall_s: float | None = None,
    status: str = "feasible",
    verified: bool = True,
    steps: str = "",
) -> Run:
    """A run of (seconds, energy or None, bound); `steps` names them, one letter each."""
    letters = steps or "s" * len(points)
    return Run(
        limit_s=limit_s,
        wall_s=limit_s if wall_s is None else wall_s,
        status=status,
        verified=verified,
        points=tuple(
            Point(t_s, letter, energy_j, bound_j)
            for letter, (t_s, energy_j, bound_j) in zip(letters, points, strict=True)
        ),
    )


def result(*runs: Run, name: str = "real/net/board/0.7", **more: Any) -> RowResult:
    given: dict[str, Any] = {
        "ops": 100, "baseline_j": 100.0, "plain_peak_bytes": 10 * MIB, "ram_bytes": 7 * MIB,
        "memory_bytes": 200 * MIB, "problem": "p",
    }  # fmt: skip
    return RowResult(name=name, runs=runs, **{**given, **more})


def document(*results: RowResult, **more: Any) -> Document:
    given: dict[str, Any] = {"long_s": 60.0, "short_s": 5.0, "repeats": 2, "machine": "2 cores"}
    return Document(rows=results, **{**given, **more})
