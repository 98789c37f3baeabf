"""Claim: a form stands for exactly one device or names every mistake, and no source is untrue."""

from dataclasses import replace
from types import MappingProxyType

import pytest

from poet_gui.viewmodels.device_form import (
    NUMBERS,
    DeviceForm,
    Source,
    copy_words,
    form_of,
    meaning,
    own_words,
    read_form,
    with_io,
    with_source,
    with_text,
)
from solver.cost_table import CostRow, CostTable
from solver.device import Device, IoMode, Transfer

BOARD = Device(
    id="board",
    name="Board",
    flop_per_s=6369910.145264308,
    flop_per_j=2e8,
    ram_bytes=262144,
    io=IoMode.BLOCKING,
    page_in=Transfer(0.0, 4_000_000.0, 0.33),
    page_out=Transfer(0.000113, 1_000_000.0, 0.5),
    source=MappingProxyType({
        "flop_per_s": "measured: on the bench",
        "ram_bytes": "datasheet: 256 KiB",
        "io": "by hearsay",
        "all": "kept",
    }),
)  # fmt: skip


def form() -> DeviceForm:
    return form_of(BOARD, replaces="board", free_id="board-2")


def device_of(form: DeviceForm) -> Device:
    reading = read_form(form)
    assert reading.device is not None, reading.faults
    return reading.device


def test_that_a_form_left_alone_is_the_device_to_the_last_digit() -> None:
    assert form().texts["flop_per_s"] == "6.36991 MFLOP/s"
    assert device_of(form()) == BOARD


def test_that_numbers_are_shown_with_their_units() -> None:
    assert dict(form().texts) == {
        "flop_per_s": "6.36991 MFLOP/s",
        "flop_per_j": "200 MFLOP/J",
        "ram_bytes": "256 KiB",
        "element_bytes": "4 B",
        "page_in.latency_s": "0 s",
        "page_in.bytes_per_s": "4 MB/s",
        "page_in.power_w": "330 mW",
        "page_out.latency_s": "113 µs",
        "page_out.bytes_per_s": "1 MB/s",
        "page_out.power_w": "500 mW",
    }


def test_that_ram_which_three_digits_do_not_hold_is_shown_to_the_byte() -> None:
    odd = replace(BOARD, ram_bytes=262_145)
    assert form_of(odd, replaces=None, free_id="x").texts["ram_bytes"] == "262,145 B"


def test_that_a_copy_has_a_free_id_and_is_called_a_copy() -> None:
    copy = form_of(BOARD, replaces=None, free_id="board-2")
    assert (copy.id, copy.name) == ("board-2", "Board, copy")
    assert device_of(copy) == replace(BOARD, id="board-2", name="Board, copy")
    imported = form_of(BOARD, replaces=None, free_id="board")  # nobody has its id: no copy
    assert (imported.id, imported.name) == ("board", "Board")


@pytest.mark.parametrize(
    ("key", "text", "change"),
    [
        ("flop_per_s", "2 GFLOPS", {"flop_per_s": 2e9}),
        ("ram_bytes", "1 MiB", {"ram_bytes": 2**20}),
        ("element_bytes", "2", {"element_bytes": 2}),
        ("page_in.latency_s", "40us", {"page_in": Transfer(4e-5, 4e6, 0.33)}),
        ("page_out.bytes_per_s", "24.5MB/s", {"page_out": Transfer(0.000113, 24.5e6, 0.5)}),
        ("page_out.power_w", "0.15", {"page_out": Transfer(0.000113, 1e6, 0.15)}),
    ],
)
def test_that_a_typed_number_is_the_devices(key: str, text: str, change: dict[str, object]) -> None:
    wanted = replace(BOARD, **change)  # type: ignore[arg-type] # fields of several types
    assert replace(device_of(with_text(form(), key, text)), source=BOARD.source) == wanted


def test_that_every_mistake_is_named_at_its_number() -> None:
    wrong = replace(form(), id="two words", name=" ")
    for key, text in (
        ("flop_per_s", "fast"),
        ("flop_per_j", "0"),
        ("ram_bytes", "256 KB"),
        ("page_in.power_w", "-1 W"),
        ("page_out.bytes_per_s", "3 W"),
    ):
        wrong = with_text(wrong, key, text)
    reading = read_form(wrong)
    assert reading.device is None
    assert set(reading.faults) == {
        "id", "name", "flop_per_s", "flop_per_j", "ram_bytes", "page_in.power_w",
        "page_out.bytes_per_s",
    }  # fmt: skip
    assert "MFLOP/s" in reading.faults["flop_per_s"]
    assert "not above 0" in reading.faults["flop_per_j"]
    assert "kB for 1000 B or KiB for 1024 B" in reading.faults["ram_bytes"]
    assert "below zero" in reading.faults["page_in.power_w"]


def test_that_a_source_is_a_kind_and_words() -> None:
    sources = form().sources
    assert sources["flop_per_s"] == Source("measured", "on the bench")
    assert sources["io"] == Source("", "by hearsay")
    assert sources["page_in.power_w"] == Source("", "")
    assert device_of(form()).source == BOARD.source  # other keys of it are kept


def test_that_another_number_is_no_longer_said_to_be_measured() -> None:
    changed = with_text(form(), "flop_per_s", "7 MFLOP/s")
    words = "estimate: entered by hand, was 6.36991 MFLOP/s (measured)"
    assert device_of(changed).source["flop_per_s"] == words
    back = with_text(changed, "flop_per_s", "6.36991 MFLOP/s")
    assert device_of(back) == BOARD
    same = with_text(changed, "page_in.bytes_per_s", "4000 kB/s")  # another way to write 4 MB/s
    assert same.sources["page_in.bytes_per_s"] == Source()


def test_that_a_source_which_the_user_gave_stays_with_the_number() -> None:
    said = with_source(form(), "flop_per_s", Source("measured", "again, at 80 MHz"))
    changed = with_text(said, "flop_per_s", "7 MFLOP/s")
    assert device_of(changed).source["flop_per_s"] == "measured: again, at 80 MHz"


def test_that_a_source_without_words_is_its_kind_and_an_empty_one_is_left_out() -> None:
    said = with_source(form(), "flop_per_s", Source("datasheet", " "))
    said = with_source(said, "ram_bytes", Source())
    source = device_of(said).source
    assert source["flop_per_s"] == "datasheet"
    assert "ram_bytes" not in source


def test_that_another_io_mode_is_an_estimate_until_more_is_said() -> None:
    device = device_of(with_io(form(), IoMode.OVERLAPPED))
    assert device.io is IoMode.OVERLAPPED
    assert device.source["io"] == "estimate: entered by hand, was blocking"


def test_that_the_meaning_shows_a_slip_of_a_prefix() -> None:
    # 1e6 FLOP / 6.37e6 = 157 ms, / 2e8 = 5 mJ; 65536 B / 1e6 + 113 us = 65.6 ms, at 0.5 W 32.8 mJ;
    # 65536 B / 4e6 = 16.4 ms, at 0.33 W 5.407 mJ.
    assert meaning(BOARD) == (
        "1.00 MFLOP takes 157 ms and 5.000 mJ; paging 64.0 KiB out takes 65.6 ms and 32.82 mJ; "
        "paging 64.0 KiB in takes 16.4 ms and 5.407 mJ."
    )


def test_that_every_number_of_the_form_has_a_title_and_says_what_it_does() -> None:
    assert len({number.key for number in NUMBERS}) == 10
    assert all(number.title and number.tip for number in NUMBERS)


def test_that_measured_costs_stay_with_the_device_and_are_said() -> None:
    priced = replace(BOARD, profile=CostTable("mine.csv", (CostRow(2.5, None, op="conv1"),)))
    assert device_of(form_of(priced, replaces="board", free_id="x")).profile == priced.profile
    said = "The measured costs of mine.csv are saved with it."
    for words in (copy_words, lambda device: own_words(device, "board.toml")):
        assert words(priced).endswith(said)
        assert "costs" not in words(BOARD)
