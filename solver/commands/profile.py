"""`poet profile`: this machine as a board, its ops timed and its storage measured."""

import os
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Final

import click
import msgspec

from solver.commands.options import BYTES, SECONDS, Decimal, Whole
from solver.commands.output import tell, write_output
from solver.commands.progress import TerminalBar
from solver.commands.summary import aligned
from solver.cost_files import read_cost_table
from solver.device import Device
from solver.device_files import ALIASES, BUILT_IN, user_device_folder
from solver.device_writer import device_toml
from solver.errors import EngineError, Issue, UsageError
from solver.files import is_there, why_not_writable
from solver.graph import TrainingGraph, Weights
from solver.graph_request import GraphRequest
from solver.profiling import (
    AGREEING_SHARE,
    AGREEMENT,
    ASSUMED_STORAGE_WATT,
    ASSUMED_WATT,
    Agreement,
    Board,
    OpTiming,
    agreement,
    board_device,
    by_kind,
    costs_csv,
)
from solver.program_check import program_of
from solver.pytorch.need import require_torch
from solver.reading import read_model
from solver.storage_probe import measure_storage
from solver.torch_program import Program
from solver.torch_request import DEFAULT_LOSS, InputSpec, split_factory
from solver.units import format_bytes, format_flop, format_percent, format_seconds

_ID: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")
_SHOWN_KINDS: Final = 5
_DISTURBED: Final = (
    "           several threads are timed by the wall clock, which other programs disturb; "
    "--threads 1 counts CPU time"
)


class ProfileArguments(msgspec.Struct, frozen=True, kw_only=True):
    """Everything that `poet profile` takes, as click hands it over."""

    model: str
    name: str
    inputs: tuple[str, ...]
    loss: str | None
    power: float | None
    storage_power: float | None
    time_limit: float
    threads: int | None
    ram: int | None
    folder: str | None
    storage: str | None


@click.command()
@click.argument("model", metavar="NET.json|module.py:factory")
@click.option("--name", required=True, metavar="BOARD", help="The board's id: letters, digits, -.")
@click.option("--input", "inputs", multiple=True, metavar="SHAPE", help="As of poet trace.")
@click.option("--loss", help="As of poet trace.")
@click.option(
    "--power",
    type=Decimal(min=0, max=1e6, min_open=True),
    metavar="W",
    help=f"Watts while it computes.  [default: {ASSUMED_WATT:g}, an assumption]",
)
@click.option(
    "--storage-power",
    type=Decimal(min=0, max=1e6),
    metavar="W",
    help=f"Watts of a transfer.  [default: {ASSUMED_STORAGE_WATT:g}, an assumption]",
)
@click.option(
    "--time-limit", type=SECONDS, default="60", show_default=True, help="For timing all ops."
)
@click.option("--threads", type=Whole(1, 1024), help="Of PyTorch.  [default: its own]")
@click.option("--ram", type=BYTES, metavar="SIZE", help="[default: what the system reports]")
@click.option("--folder", metavar="DIR", help="Where to write.  [default: your device files]")
@click.option("--storage", metavar="DIR", help="Where storage is.  [default: temporary files]")
def profile(**given: object) -> None:
    """Measure this machine as a board, with the ops of a traced model.

    MODEL is a file of `poet trace`, or your own module.py:factory, which is then traced. Each op is
    timed on the tensors that it really gets; storage by files that are written, synced and read.
    BOARD.toml is a device file, BOARD.costs.csv a table for --profile. Where both exist already the
    new medians are compared with them.
    """
    arguments = msgspec.convert(given, ProfileArguments)
    toml, table = _targets(arguments)
    require_torch()
    graph = _graph(arguments)
    program = program_of(graph)
    storage = measure_storage(None if arguments.storage is None else Path(arguments.storage))
    timings = _timings(graph, program, arguments)
    earlier = _compared(table, timings, arguments.threads)
    device = board_device(_board(arguments), timings, storage)
    watt = device.flop_per_s / device.flop_per_j
    write_output(str(table), costs_csv(timings, watt))
    write_output(str(toml), device_toml(device))
    tell(_summary(device, timings))
    for line in (*_estimates(device), *earlier):
        click.echo(line)
    own = arguments.folder is None
    click.echo(f"use it     --device {device.id if own else toml} --profile {table}")


def _targets(arguments: ProfileArguments) -> tuple[Path, Path]:
    """Where the two files go. Raises with everything that is wrong with name and folder."""
    name = arguments.name
    issues = _said_by_the_file(arguments)
    if not _ID.fullmatch(name):
        accepted = "letters, digits, '.', '_' and '-'"
        issues.append(Issue(f"{name!r} is no name of a board", "--name", accepted))
    elif name in BUILT_IN or name in ALIASES:
        issues.append(Issue(f"{name} is a built-in device", "--name", "choose another name"))
    if issues:
        raise UsageError(issues)
    folder = user_device_folder() if arguments.folder is None else Path(arguments.folder)
    if arguments.folder is None:
        _make(folder)
    paths = folder / f"{name}.toml", folder / f"{name}.costs.csv"
    if is_there(paths[0]) and not is_there(paths[1]):
        words = f"{paths[0]} is there already, and no profile has made it"
        raise UsageError(Issue(words, "--name", "choose another name"))
    faults = [(path, why_not_writable(path)) for path in paths]
    if any(fault for _, fault in faults):
        raise EngineError([Issue(f"cannot write {p}: {f}", "--folder") for p, f in faults if f])
    return paths


def _said_by_the_file(arguments: ProfileArguments) -> list[Issue]:
    """Options that only a module takes, given with a file."""
    if _is_factory(arguments.model):
        return []
    given = (("--input", bool(arguments.inputs)), ("--loss", arguments.loss is not None))
    words, hint = "is that of the traced file", "leave it out, or give module.py:factory"
    return [Issue(words, name, hint) for name, is_given in given if is_given]


def _is_factory(model: str) -> bool:
    return ":" in model and not is_there(Path(model))


def _make(folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        words = f"cannot make {folder}: {error.strerror}"
        raise EngineError(Issue(words, "", "give another: --folder DIR")) from error


def _graph(arguments: ProfileArguments) -> TrainingGraph:
    """The training graph of the file, or traced now."""
    if _is_factory(arguments.model):
        from solver.pytorch.trace import trace_factory  # noqa: PLC0415 - imports PyTorch

        path, factory = split_factory(arguments.model)
        specs = [InputSpec.parse(text) for text in arguments.inputs]
        loss = arguments.loss or DEFAULT_LOSS
        return trace_factory(
            Path(path), factory, specs, loss=loss, seed=0, weights=Weights.NOT_COUNTED
        )
    return read_model(GraphRequest(arguments.model)).graph


class _OpBar(TerminalBar):
    """The bar of the timing, as long as its ops."""

    def __init__(self) -> None:
        super().__init__(total=1, bar_format="timing: |{bar}| {n_fmt}/{total_fmt} ops")

    def advance(self, done: int, of: int) -> None:
        """So many ops are timed."""
        self._bar.total = of
        self._bar.update(done - self._bar.n)


def _timings(graph: TrainingGraph, program: Program, arguments: ProfileArguments) -> list[OpTiming]:
    from solver.pytorch.timing import TimingPlan, time_ops  # noqa: PLC0415 - imports PyTorch

    plan = TimingPlan(arguments.time_limit, arguments.threads)
    with _OpBar() as bar:
        return time_ops(graph, program, plan, bar.advance)


def _board(arguments: ProfileArguments) -> Board:
    from solver.pytorch.timing import timed_on  # noqa: PLC0415 - imports PyTorch

    ram, given = arguments.ram, arguments.ram is not None
    return Board(
        arguments.name,
        _memory_bytes() if ram is None else ram,
        arguments.power,
        arguments.storage_power,
        timed_on(arguments.threads),
        ram_words="estimate: given by the user" if given else "measured: what the system reports",
    )


def _memory_bytes() -> int:
    """Memory of this machine. Raises UsageError where the system does not say."""
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, ValueError, OSError) as error:
        words = "the system does not say how much memory it has"
        raise UsageError(Issue(words, "--ram", "give it, such as --ram 8GiB")) from error


def _compared(table: Path, timings: Sequence[OpTiming], threads: int | None) -> list[str]:
    """How the new medians compare with the table that is there already, in words."""
    if not is_there(table):
        return []
    try:
        found = agreement(read_cost_table(table), timings)
    except EngineError as error:
        return [f"earlier    cannot be compared: {error.issues[0]}"]
    if found is None:
        return ["earlier    has no op in common with this model, so nothing is compared"]
    advice = [] if found.holds or threads == 1 else [_DISTURBED]
    return [*_agreement_words(found), *advice]


def _agreement_words(found: Agreement) -> list[str]:
    name, old, new = found.worst
    verdict = "agrees" if found.holds else "DOES NOT AGREE"
    then, now = format_seconds(found.then_s), format_seconds(found.now_s)
    within = f"{format_percent(found.share)} of the time is in ops whose medians are within"
    wanted = f"{AGREEMENT:.0%} of each other; {AGREEING_SHARE:.0%} is wanted"
    return [
        f"earlier    {verdict}: {within} {wanted} ({found.ops} ops)",
        f"           together {then} then, {now} now",
        f"           most differs {name}: {format_seconds(old)} then, {format_seconds(new)} now",
    ]


def _summary(device: Device, timings: Sequence[OpTiming]) -> list[str]:
    step_s = sum(timing.median_s for timing in timings)
    runs = sum(len(timing.samples_s) for timing in timings)
    rows = [
        ("step", f"{format_seconds(step_s)}, {len(timings)} ops, medians of {runs:,} samples"),
        ("rate", f"{format_flop(device.flop_per_s)}/s"),
        ("energy", f"{format_flop(device.flop_per_j)}/J"),
        ("RAM", format_bytes(device.ram_bytes)),
    ]
    for name, way in (("page-in", device.page_in), ("page-out", device.page_out)):
        rate = f"{format_bytes(int(way.bytes_per_s))}/s"
        rows.append((name, f"{format_seconds(way.latency_s)} and {rate}"))
    kinds = list(by_kind(timings).items())[:_SHOWN_KINDS]
    longest = ", ".join(
        f"{kind} {seconds / step_s:.0%} ({count})" for kind, (count, seconds) in kinds if step_s
    )
    wide = [timing for timing in timings if _is_wide(timing)]
    share = sum(timing.median_s for timing in wide) / step_s if step_s else 0.0
    rows += [
        ("longest", longest),
        ("spread", f"{share:.0%} of the time is in ops whose middle half spans more than 25 %"),
    ]
    return [device.id, *aligned(rows)]


def _estimates(device: Device) -> list[str]:
    """What of the device was not measured here, or not as it should be."""
    told = [f"{key}: {words}" for key, words in device.source.items()
            if not words.startswith("measured")]  # fmt: skip
    told += [f"{key}: {words}" for key, words in device.source.items() if "could not be" in words]
    return [f"{'note':10} {words}" for words in told]


def _is_wide(timing: OpTiming) -> bool:
    low, high = timing.quartiles_s
    return high - low > AGREEMENT * timing.median_s
