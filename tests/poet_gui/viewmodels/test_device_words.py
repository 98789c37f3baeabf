"""Claim: a device priced by measured costs is named with them."""

from dataclasses import replace

from poet_gui.viewmodels.device_words import device_tip, device_title
from solver.cost_table import CostRow, CostTable
from tests.helpers.builders import device_of


def test_that_a_device_without_a_table_is_named_alone() -> None:
    assert device_title(device_of()) == "test"
    assert device_tip(device_of()) == "test (test)"


def test_that_the_table_is_named_with_the_number_of_its_costs() -> None:
    device = replace(device_of(), profile=CostTable("mine.csv", (CostRow(1.0, None, "a"),)))
    assert device_title(device) == "mine.csv + test"
    assert device_tip(device).startswith("test (test), 1 cost from mine.csv; the File menu")
