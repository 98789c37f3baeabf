"""Claim: plug-ins are found by name, ours first, and a broken one of others stops nobody."""

from importlib.metadata import EntryPoint
from pathlib import Path
from types import MappingProxyType
from typing import Final

import pytest

from solver.errors import UsageError
from solver.exporters.registry import EXPORTERS
from solver.loaders.registry import LOADERS
from solver.plugins import Plugins, named_object
from solver.strategies.registry import STRATEGIES

OURS: Final[Plugins[object]] = Plugins(
    "spoon",
    "poet.spoons",
    MappingProxyType({"big": f"{__name__}:BIG", "small": f"{__name__}:SMALL"}),
    option="--spoon",
)
BIG, SMALL, THEIRS = "the big one", "the small one", "one of others"


def entry(name: str, value: str) -> EntryPoint:
    return EntryPoint(name, value, "poet.spoons")


def test_that_ours_come_first_in_their_order_and_others_by_name(entries: list[EntryPoint]) -> None:
    entries += [entry("wooden", f"{__name__}:THEIRS"), entry("flat", f"{__name__}:THEIRS")]

    assert OURS.names() == ("big", "small", "flat", "wooden")
    assert OURS.usable() == ((BIG, SMALL, THEIRS, THEIRS), ())


def test_that_a_name_of_ours_cannot_be_taken(entries: list[EntryPoint]) -> None:
    entries.append(entry("big", f"{__name__}:THEIRS"))

    assert OURS.get("big") == BIG
    assert OURS.names() == ("big", "small")


def test_that_other_kinds_are_not_among_them(entries: list[EntryPoint]) -> None:
    entries.append(EntryPoint("fork", f"{__name__}:THEIRS", "poet.forks"))

    assert OURS.names() == ("big", "small")


@pytest.mark.parametrize(
    ("name", "suggestion"), [("bgi", "did you mean big?"), ("zzzz", "one of: big, small")]
)
def test_that_an_unknown_name_is_wrong_usage_with_what_there_is(name: str, suggestion: str) -> None:
    with pytest.raises(UsageError) as caught:
        OURS.get(name)

    (issue,) = caught.value.issues
    assert issue.message == f"unknown spoon {name!r}"
    assert (issue.where, issue.suggestion) == ("--spoon", suggestion)


@pytest.mark.parametrize(
    ("source", "says"),
    [
        ("import no_such_package", "ModuleNotFoundError"),
        ("1 / 0", "ZeroDivisionError"),
        ("SPOON = None", "AttributeError"),
    ],
)
def test_that_whatever_a_broken_one_raises_becomes_an_issue(
    source: str,
    says: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    entries: list[EntryPoint],
) -> None:
    module = f"broken_{says.lower()}"
    (tmp_path / f"{module}.py").write_text(source)
    monkeypatch.syspath_prepend(str(tmp_path))
    entries.append(entry("broken", f"{module}:THEIR_SPOON"))

    found, issues = OURS.usable()

    assert found == (BIG, SMALL)
    (issue,) = issues
    assert issue.message.startswith(f"the spoon broken of another package cannot be used: {says}")
    with pytest.raises(UsageError, match=says):
        OURS.get("broken")


@pytest.mark.parametrize("kind", [LOADERS, EXPORTERS, STRATEGIES], ids=lambda kind: kind.group)
def test_that_every_plug_in_of_ours_goes_by_its_own_name_and_has_a_sentence(
    kind: Plugins[object], entries: list[EntryPoint]
) -> None:
    found, issues = kind.usable()

    assert [each.name for each in found] == list(kind.built_in)  # type: ignore[attr-defined] # any kind
    assert all(each.summary for each in found)  # type: ignore[attr-defined] # any kind
    assert issues == ()


def test_that_an_address_leads_to_the_object() -> None:
    assert named_object("solver.plugins:Plugins") is Plugins
