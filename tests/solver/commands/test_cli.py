"""Claim: every command has a help, and wrong usage ends with 2 and sentences, no traceback."""

import json
import sys

import pytest

from tests.helpers.command import CHAIN, DEAR, SOLVE, Poet


def test_that_help_names_every_command(poet: Poet) -> None:
    code, out, _ = poet("--help")

    assert code == 0
    for command in ("gui", "solve", "graph", "check", "bench", "models", "devices", "strategies"):
        assert f"  {command} " in out


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere there is always a display")
def test_that_the_window_without_a_display_is_refused_in_words(
    poet: Poet, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM"):
        monkeypatch.delenv(name, raising=False)

    code, _, err = poet("gui", "--demo")

    assert code == 1
    assert err.startswith("poet: there is no display to open the window on")


@pytest.mark.parametrize("command", ["solve", "graph", "check", "models", "devices", "strategies"])
def test_that_each_command_has_a_help(poet: Poet, command: str) -> None:
    code, out, _ = poet(command, "--help")

    assert code == 0
    assert out.startswith("Usage: poet")


def test_that_what_is_no_ratio_is_said_with_what_would_be(poet: Poet) -> None:
    code, _, err = poet(*SOLVE, "--runtime-ratio", "x1.5")

    assert code == 2
    assert err == (
        "poet: --runtime-ratio: 'x1.5' is not a ratio (write a number such as 0.7 or 70%)\n"
    )


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["solve", "resnet81", "--device", "rpi4"], "did you mean resnet18"),
        (["solve", "vgg16", "--device", "rpi5"], "did you mean rpi4"),
        (["solve", "vgg16", "--device", "rpi4", "--strategy", "jont"], "did you mean joint"),
        (["solv", "vgg16"], "did you mean solve"),
        (["dance"], "unknown command 'dance'"),
        (["solve", "vgg16"], "--device"),
        (["solve", CHAIN, "--device", DEAR, "--accounting", "autodiff"], "--accounting"),
        (["graph", CHAIN, "--device", DEAR, "--accounting", "poet"], "--accounting"),
        (["solve", "linear", "--device", "rpi4"], "--accounting poet"),
        (["solve", "linear", "--device", "rpi4", "--accounting", "given"], "given"),
        ([*SOLVE, "--ram", "256 KB"], "KiB"),
        ([*SOLVE, "--ram", "-1"], "--ram"),
        ([*SOLVE, "--ram", "lots"], "lots"),
        ([*SOLVE, "--ram", "1e40"], "more than any machine holds"),
        ([*SOLVE, "--ram-ratio", "nan"], "nan"),
        ([*SOLVE, "--ram-ratio", "-0.5"], "--ram-ratio"),
        ([*SOLVE, "--ram", "1", "--ram-ratio", "1"], "--ram and --ram-ratio"),
        ([*SOLVE, "--runtime", "3 hours"], "hours"),
        ([*SOLVE, "--runtime", "1", "--runtime-ratio", "1"], "--runtime and --runtime-ratio"),
        ([*SOLVE, "--ram-ratio", "1_0%"], "'1_0%' is not a ratio"),
        ([*SOLVE, "--gap", "-1"], "--gap"),
        ([*SOLVE, "--gap", "inf"], "--gap"),
        ([*SOLVE, "--time-limit", "-1"], "--time-limit"),
        ([*SOLVE, "--work-limit", "nan"], "--work-limit"),
        ([*SOLVE, "--threads", "0"], "--threads"),
        ([*SOLVE, "--threads", "1_0"], "'1_0' is not a whole number"),
        ([*SOLVE, "--work-limit", "1_0"], "'1_0' is not a number"),
        ([*SOLVE, "--batch", "0"], "--batch"),
        ([*SOLVE, "--batch", "٣"], "--batch"),
        (["sweep", CHAIN, "--device", DEAR, "--points", "1_0"], "--points"),
        ([*SOLVE, "--dim", "sequence"], "NAME=VALUE"),
        ([*SOLVE, "--dim", "=3"], "NAME=VALUE"),
        ([*SOLVE, "--dim", "N=-1"], "NAME=VALUE"),
        ([*SOLVE, "--io", "sideways"], "--io"),
        ([*SOLVE, "--csv", "a.out", "--trace", "./a.out"], "same file"),
    ],
)
def test_that_wrong_usage_ends_with_2_and_names_it(
    poet: Poet, arguments: list[str], words: str
) -> None:
    code, out, err = poet(*arguments)

    assert code == 2
    assert out == ""
    assert words in err


def test_that_the_mistakes_of_model_device_and_strategy_come_together(poet: Poet) -> None:
    code, _, err = poet("solve", "vgg61", "--device", "rpi44", "--strategy", "jont")

    assert code == 2
    assert err.count("did you mean") == 3


def test_that_the_lists_come_as_lines_and_as_json(poet: Poet) -> None:
    for command, known in (("models", "bert"), ("devices", "rpi4"), ("strategies", "joint")):
        _, lines, _ = poet(command)
        _, text, _ = poet(command, "--json")
        assert known in lines
        assert any(known in (row.get("name"), row.get("id")) for row in json.loads(text))


@pytest.mark.parametrize(
    ("command", "columns"),
    [("models", ["name", "accounting"]), ("devices", ["id", "RAM", "transfers", "name"])],
)
def test_that_lists_with_columns_name_them(poet: Poet, command: str, columns: list[str]) -> None:
    assert poet(command)[1].splitlines()[0].split() == columns
