"""The command line `poet`: which commands exist, and how any of them ends.

Each command is a module of solver.commands, imported when it is called: `poet --help` stays quick.
"""

import errno
import sys
import tempfile
import traceback
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import MappingProxyType, TracebackType
from typing import Final

import click

from solver import ENGINE_VERSION
from solver.commands.interrupts import INTERRUPTED, drop_interrupts, raise_interrupts
from solver.errors import EngineError
from solver.plugins import named_object
from solver.suggest import near_or_all
from solver.text import one_line

_DISK_FAULTS: Final = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EIO})
"""What stdout says when it is a file that cannot take any more."""

_COMMANDS: Final[Mapping[str, tuple[str, str]]] = MappingProxyType({
    "gui": ("solver.commands.gui:gui", "Open the window."),
    "solve": ("solver.commands.solve:solve", "Find the least-energy schedule within the budgets."),
    "sweep": ("solver.commands.sweep:sweep", "Find the least energy under every budget."),
    "graph": ("solver.commands.graph:graph", "Show the training graph of a model on a device."),
    "trace": ("solver.commands.trace:trace", "Trace your own PyTorch module into a graph file."),
    "profile": ("solver.commands.profile:profile", "Measure this machine as a board."),
    "replay": ("solver.commands.replay:replay", "Execute a schedule of a traced model."),
    "check": ("solver.commands.check:check", "Verify a saved result again, without any solver."),
    "bench": ("solver.commands.bench:bench", "Measure the benchmark and print its tables."),
    "models": ("solver.commands.lists:models", "List the built-in networks."),
    "devices": ("solver.commands.lists:devices", "List the devices."),
    "strategies": ("solver.commands.lists:strategies", "List the ways to schedule."),
})  # fmt: skip


class _LazyGroup(click.Group):
    """Knows names and summaries of its commands without importing them."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 - click's signature
        return list(_COMMANDS)

    def get_command(
        self,
        ctx: click.Context,  # noqa: ARG002 - click's signature
        cmd_name: str,
    ) -> click.Command | None:
        if cmd_name not in _COMMANDS:
            return None
        command = named_object(_COMMANDS[cmd_name][0])
        assert isinstance(command, click.Command)
        return command

    def format_commands(
        self,
        ctx: click.Context,  # noqa: ARG002 - click's signature
        formatter: click.HelpFormatter,
    ) -> None:
        with formatter.section("Commands"):
            formatter.write_dl([(name, summary) for name, (_, summary) in _COMMANDS.items()])

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if args and args[0] not in _COMMANDS and not args[0].startswith("-"):
            ctx.fail(f"unknown command {args[0]!r} ({near_or_all(args[0], _COMMANDS)})")
        return super().resolve_command(ctx, args)


@click.group(cls=_LazyGroup, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(ENGINE_VERSION, prog_name="poet")
def poet() -> None:
    """Least-energy training schedules under a memory and a runtime budget.

    Recompute what is cheap to make again, page what is cheap to move, keep the rest: chosen
    together, with a proven bound, without changing what is trained.
    """


def run(arguments: Sequence[str] | None = None) -> int:
    """Run one command line and return its exit code; every mistake becomes sentences on stderr."""
    try:
        code = poet.main(arguments, prog_name="poet", standalone_mode=False)
    except EngineError as error:
        for issue in error.issues:
            click.echo(f"poet: {one_line(str(issue))}", err=True)
        if error.details:
            click.echo(f"poet: please report {_report_file(error.details)}", err=True)
        return error.exit_code
    except click.ClickException as error:
        error.show()
        return error.exit_code
    except OSError as error:
        if error.filename is not None or error.errno not in _DISK_FAULTS:
            raise
        click.echo(f"poet: cannot write to stdout: {error.strerror}", err=True)
        return 1
    except (click.Abort, KeyboardInterrupt):
        return _interrupted()
    return code if isinstance(code, int) else 0


def main(arguments: Sequence[str] | None = None) -> None:
    """Entry point of the command `poet`: run the command line and end the process."""
    sys.excepthook = _say_our_fault
    try:
        raise_interrupts()
        code = run(arguments)
        drop_interrupts()
    except KeyboardInterrupt:  # before the command had begun, or after it was over
        drop_interrupts()
        code = _interrupted()
    sys.exit(code)


def _interrupted() -> int:
    click.echo("poet: interrupted", err=True)
    return INTERRUPTED


def _say_our_fault(
    kind: type[BaseException], error: BaseException, trace: TracebackType | None
) -> None:
    """A fault of ours ends in a sentence too; where it happened goes to a file for a report."""
    where = _report_file("".join(traceback.format_exception(kind, error, trace)))
    sentence = f"poet: a fault of the program itself, {kind.__name__}: {error}"
    click.echo(f"{sentence} (please report {where})", err=True)


def _report_file(details: str) -> Path:
    with tempfile.NamedTemporaryFile(
        "w", encoding="utf-8", prefix="poet-fault-", suffix=".txt", delete=False
    ) as file:
        file.write(details)
    return Path(file.name)


if __name__ == "__main__":
    main()
