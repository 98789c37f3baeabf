"""An id that is refused: what is at fault is named, and an id that would do."""

from dataclasses import replace

import pytest

from poet_gui.viewmodels.device_form import form_of, read_form
from poet_gui.viewmodels.device_id import id_fault
from solver.device_files import load_device


@pytest.mark.parametrize(
    ("text", "begins", "ends"),
    [
        ("my board", "a blank is not allowed", "my-board would do"),
        ("my  board", "a blank is not allowed", "my-board would do"),
        ("a/b c", "'/' and a blank are not allowed", "a-b-c would do"),
        ("a/b c\t", "'/', a blank and a tab are not allowed", "a-b-c would do"),
        ("für", "'ü' is not allowed", "f-r would do"),
        ("a\x00", "a control character is not allowed", "a would do"),
        ("-x", "it may not begin with '-'", "x would do"),
        ("...", "it may not begin with '.'", "a letter or digit"),
        ("", "an id is needed", "allowed"),
    ],
)
def test_that_the_fault_is_named(text: str, begins: str, ends: str) -> None:
    fault = id_fault(text)
    assert fault.startswith(begins)
    assert fault.endswith(ends)


def test_that_every_id_that_would_do_does() -> None:
    form = form_of(load_device("nrf52840"), replaces=None, free_id="copy")
    for text in ("my board", "a/b c", "-x"):
        refused = read_form(replace(form, id=text)).faults["id"]
        better = refused.rpartition("; ")[2].removesuffix(" would do")
        assert "id" not in read_form(replace(form, id=better)).faults
