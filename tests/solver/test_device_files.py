"""Claim: a device file is read exactly, or refused with every wrong field named."""

from pathlib import Path

import msgspec
import pytest

from solver.codec.graph import device_object
from solver.device import Device, IoMode, Transfer
from solver.device_files import (
    device_from_document,
    find_devices,
    load_device,
    read_device_file,
    user_device_folder,
)
from solver.errors import DeviceError, UsageError

GOOD = """
schema = 1
id = "board"
name = "My board"
flop_per_s = 1e6
flop_per_j = 2e8
ram_bytes = 65536
io = "ignored"
[page_in]
latency_s = 0
bytes_per_s = 1000
power_w = 0.5
[page_out]
latency_s = 0.25
bytes_per_s = 500.0
power_w = 0.5
[source]
all = "made up"
"""


@pytest.fixture(autouse=True)
def own_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    folder = user_device_folder()
    folder.mkdir(parents=True)
    return folder


def write(folder: Path, text: str, name: str = "board.toml") -> Path:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


def test_that_a_negative_zero_is_zero(tmp_path: Path) -> None:
    path = tmp_path / "b.toml"
    path.write_text(GOOD.replace("latency_s = 0\n", "latency_s = -0.0\n"))

    assert str(read_device_file(path).page_in.latency_s) == "0.0"  # no document carries -0.0


@pytest.mark.parametrize(
    ("alias", "name", "ram_bytes", "io"),
    [
        ("m0", "mkr1000", 32 * 1024, IoMode.BLOCKING),
        ("m4", "nrf52840", 256 * 1024, IoMode.BLOCKING),
        ("a72", "rpi4", 4 * 1024**3, IoMode.OVERLAPPED),
        ("a72nocache", "rpi4-nocache", 4 * 1024**3, IoMode.OVERLAPPED),
        ("jetsontx2", "jetson-tx2", 8 * 1024**3, IoMode.OVERLAPPED),
    ],
)
def test_that_every_built_in_device_is_found_by_id_and_by_alias(
    alias: str, name: str, ram_bytes: int, io: IoMode
) -> None:
    device = load_device(name)
    assert load_device(alias) == device
    assert (device.id, device.ram_bytes, device.io, device.element_bytes) == (
        name,
        ram_bytes,
        io,
        4,
    )


def test_that_the_rates_are_those_of_the_released_code() -> None:
    m0, m4, a72, slow = (load_device(name) for name in ("m0", "m4", "a72", "a72nocache"))
    assert m0.flop_per_s == 2000 / 0.012
    assert m0.flop_per_j == 2000 / (0.012 * 0.020 * 3.3)
    assert m4.flop_per_s == 16283e5 / 255.6237
    assert m4.flop_per_j == 16283e5 / (255.6237 * 0.003328 * 3.3)
    assert a72.flop_per_s == 2e9
    assert a72.flop_per_j == slow.flop_per_j == 16283e5 / (13.53 * 0.6 * 5)
    assert slow.flop_per_s == 16283e5 / 13.53
    assert m0.page_in == m4.page_in == Transfer(0.109e-3, 4616510.0, 0.33)
    assert m0.page_out == m4.page_out == Transfer(0.113e-3, 4440000.0, 0.33)
    assert a72.page_out == Transfer(18.5314e-6, 24.5e6, 0.15)
    assert slow.page_out == Transfer(4.23532e-3, 17.1e6, 0.15)
    assert load_device("jetson-tx2").page_in == Transfer(0.54e-3, 108.5e6, 0.309)


def test_that_every_number_of_a_built_in_device_has_a_source() -> None:
    numbers = {"flop_per_s", "flop_per_j", "ram_bytes", "io", "element_bytes"} | {
        f"{way}.{key}"
        for way in ("page_in", "page_out")
        for key in ("latency_s", "bytes_per_s", "power_w")
    }
    for device in find_devices().devices:
        assert set(device.source) == numbers
        for words in device.source.values():
            assert words.split(":")[0] in {"measured", "datasheet", "estimate"}


def test_that_unpublished_numbers_of_the_tx2_are_marked_as_estimates() -> None:
    source = load_device("jetson-tx2").source
    assert source["flop_per_s"].startswith("estimate: not published")
    assert source["flop_per_j"].startswith("estimate: not published")


def test_that_a_file_is_read_with_latency_zero_and_whole_rates(tmp_path: Path) -> None:
    device = load_device(str(write(tmp_path, GOOD)))
    assert device.page_in == Transfer(0.0, 1000.0, 0.5)
    assert device.page_out.seconds(1000) == 2.25  # 0.25 s + 1000 B / 500 B/s
    assert device.element_bytes == 4
    assert dict(device.source) == {"all": "made up"}


def test_that_a_file_saved_as_utf16_is_read(tmp_path: Path) -> None:
    path = tmp_path / "board.toml"
    path.write_text(GOOD, encoding="utf-16")
    assert read_device_file(path).id == "board"


def test_that_a_device_survives_the_way_through_a_document() -> None:
    for device in find_devices().devices:
        assert device_from_document(msgspec.to_builtins(device_object(device))) == device


WRONG = """
schema = 2
id = "my board"
flop_per_second = 1e6
flop_per_s = 0
flop_per_j = nan
ram_bytes = true
io = "blokking"
element_bytes = 0.5
[page_in]
latency_s = -0.1
bytes_per_s = inf
power_w = "0.33"
[page_out]
latency_s = 0.0
bytes_per_s = -5
"""


def test_that_every_wrong_field_is_named_at_once(tmp_path: Path) -> None:
    path = write(tmp_path, WRONG)
    with pytest.raises(DeviceError) as caught:
        read_device_file(path)
    said = {
        issue.where.removeprefix(f"{path}").removeprefix(": "): issue
        for issue in caught.value.issues
    }
    assert {key for key in said if key} == {
        "schema", "id", "flop_per_s", "flop_per_j", "ram_bytes", "io", "element_bytes",
        "page_in.latency_s", "page_in.bytes_per_s", "page_in.power_w",
        "page_out", "page_out.bytes_per_s",
    }  # fmt: skip
    top = [issue for issue in caught.value.issues if issue.where == str(path)]
    assert [issue.message for issue in top] == [
        "flop_per_second is not a known key",
        "name is missing",
    ]
    assert top[0].suggestion == "did you mean flop_per_s?"
    assert said["io"].suggestion == "did you mean blocking?"
    assert said["flop_per_s"].message == "is 0, not above 0"
    assert said["ram_bytes"].message == "is true, must be a whole number"
    assert said["flop_per_j"].message == "is nan, must be a number"
    assert said["page_out"].message == "power_w is missing"


@pytest.mark.parametrize(
    ("rate", "words"),
    [("0", "not above 0"), ("-1", "not above 0"), ("1e-320", "below 1e-09"), ("1e25", "above")],
)
def test_that_a_rate_whose_prices_would_not_be_finite_is_refused_once(
    tmp_path: Path, rate: str, words: str
) -> None:
    path = write(tmp_path, GOOD.replace("flop_per_s = 1e6", f"flop_per_s = {rate}"))
    with pytest.raises(DeviceError, match=words) as caught:
        read_device_file(path)
    assert len(caught.value.issues) == 1


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("schema = ", "is not TOML"),
        ("", "id is missing"),
        (GOOD + "\n[page_in]\n", "is not TOML"),
        ("a = " + "[" * 5000, "nested too deeply"),
        (GOOD.replace("1e6", "9" * 5000), "thousands of digits"),
        (GOOD.replace("1e6", "9" * 350), "is a number of more than 30 digits, above 1e+24"),
    ],
)
def test_that_a_file_that_is_no_profile_is_refused_in_words(
    tmp_path: Path, text: str, words: str
) -> None:
    path = write(tmp_path, text)
    with pytest.raises(DeviceError) as caught:
        read_device_file(path)
    assert words in str(caught.value)
    assert "board.toml" in str(caught.value)


@pytest.mark.parametrize("path", ["x" * 300, "x" * 300 + ".toml", "a\0b", "/dev/zero"])
def test_that_no_path_of_a_device_is_too_strange_to_be_answered(path: str) -> None:
    with pytest.raises(
        (DeviceError, UsageError), match=r"no device|cannot be read|not an ordinary"
    ):
        load_device(path)


def test_that_a_folder_a_missing_file_and_a_picture_are_refused_in_words(tmp_path: Path) -> None:
    picture = tmp_path / "picture.toml"
    picture.write_bytes(b"\x89PNG\r\n\x1a\n\xff\xfe\xfd")
    for path, words in [
        (tmp_path, "folder"),
        (tmp_path / "no.toml", "does not exist"),
        (picture, "not text"),
    ]:
        with pytest.raises(DeviceError, match=words):
            load_device(path)


@pytest.mark.parametrize(
    ("text", "suggestion"),
    [("rpi5", "did you mean rpi4?"), ("M4", "did you mean m4?"), ("zzzzzz", "one of: ")],
)
def test_that_an_unknown_id_is_wrong_usage_with_the_nearest_name(
    text: str, suggestion: str
) -> None:
    with pytest.raises(UsageError) as caught:
        load_device(text)
    assert caught.value.exit_code == 2
    assert caught.value.issues[0].suggestion.startswith(suggestion)


def test_that_a_file_in_the_users_folder_is_a_device_of_its_id(own_folder: Path) -> None:
    write(own_folder, GOOD)
    assert [device.id for device in find_devices().devices] == [
        "mkr1000", "nrf52840", "rpi4", "rpi4-nocache", "jetson-tx2", "board",
    ]  # fmt: skip
    assert load_device("board").name == "My board"


def test_that_a_broken_file_in_the_users_folder_is_a_notice(own_folder: Path) -> None:
    write(own_folder, GOOD)
    write(own_folder, "id = 5", "broken.toml")
    write(own_folder, GOOD.replace('"board"', '"rpi4"'), "taken.toml")
    found = find_devices()
    assert "board" in {device.id for device in found.devices}
    assert load_device("rpi4").name.startswith("Raspberry Pi")
    places = " ".join(issue.where for issue in found.notices)
    assert "broken.toml" in places
    assert "taken.toml" in places


def test_that_a_users_folder_that_does_not_exist_is_no_fault(own_folder: Path) -> None:
    own_folder.rmdir()
    assert len(find_devices().devices) == 5
    assert find_devices().notices == ()


def test_that_a_device_is_a_frozen_value() -> None:
    device = load_device("m4")
    assert isinstance(device, Device)
    with pytest.raises(AttributeError):
        device.ram_bytes = 1  # type: ignore[misc] # frozen, that is the claim
