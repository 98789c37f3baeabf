"""A device profile as a form: texts with units, where each number comes from, what is wrong."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Any, Final

import msgspec

from poet_gui.viewmodels.device_id import id_fault
from solver.codec.graph import device_object
from solver.device import Device, IoMode
from solver.device_files import device_from_document
from solver.errors import DeviceError, UsageError
from solver.units import (
    format_bytes,
    format_bytes_exactly,
    format_flop,
    format_joules,
    format_measure,
    format_seconds,
    parse_bytes,
    parse_measure,
    parse_seconds,
)

_BYTES: Final = "B"
_SECONDS: Final = "s"


@dataclass(frozen=True, slots=True)
class Number:
    """A number of the profile: its key in the TOML file, what it is, its unit, and what it does."""

    key: str
    title: str
    unit: str
    tip: str

    @property
    def example(self) -> str:
        """A number as it can be typed."""
        examples = {_BYTES: "256 KiB", _SECONDS: "109 µs", "W": "330 mW"}
        return examples.get(self.unit, f"4.5 M{self.unit}")


@dataclass(frozen=True, slots=True)
class Group:
    """Numbers that belong together, under a title."""

    title: str
    numbers: tuple[Number, ...]


GROUPS: Final = (
    Group("Computing", (
        Number("flop_per_s", "speed", "FLOP/s", "FLOP per second: how long an op takes"),
        Number("flop_per_j", "work per energy", "FLOP/J", "FLOP per joule: what an op costs"),
        Number("ram_bytes", "RAM", _BYTES, "the memory budget that a new model starts with"),
        Number("element_bytes", "size of an element", _BYTES, "a note: sizes come from the model"),
    )),
    Group("Page-in: storage to RAM", (
        Number("page_in.latency_s", "latency", _SECONDS, "time before the first byte moves"),
        Number("page_in.bytes_per_s", "rate", "B/s", "bytes per second once they move"),
        Number("page_in.power_w", "power", "W", "power drawn while bytes move"),
    )),
    Group("Page-out: RAM to storage", (
        Number("page_out.latency_s", "latency", _SECONDS, "time before the first byte moves"),
        Number("page_out.bytes_per_s", "rate", "B/s", "bytes per second once they move"),
        Number("page_out.power_w", "power", "W", "power drawn while bytes move"),
    )),
)  # fmt: skip
NUMBERS: Final = tuple(number for group in GROUPS for number in group.numbers)
_BY_KEY: Final[Mapping[str, Number]] = MappingProxyType({n.key: n for n in NUMBERS})

IO_TIP: Final = (
    "blocking: computing waits for transfers; overlapped: they run beside it; ignored: they take "
    "no time"
)

KINDS: Final = ("measured", "datasheet", "estimate")
"""How a number can have come about, as the profile's [source] says it."""
UNSAID: Final = ""


@dataclass(frozen=True, slots=True)
class Source:
    """Where a number comes from: one of KINDS or UNSAID, and words."""

    kind: str = UNSAID
    words: str = ""

    @property
    def text(self) -> str:
        """As the profile holds it: "measured: words"; empty when nothing is said."""
        return ": ".join(part for part in (self.kind, self.words.strip()) if part)


@dataclass(frozen=True, slots=True)
class DeviceForm:
    """What stands in the form.

    `base` : the device that it was filled from. `replaces` : id of the user's device that saving
    writes anew, None for a new one. `texts` and `sources` : by key of the number. `told` : keys
    whose source the user has set; the others follow their number.
    """

    base: Device
    replaces: str | None
    id: str
    name: str
    io: IoMode
    texts: Mapping[str, str]
    sources: Mapping[str, Source]
    told: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Reading:
    """The device that the form stands for, or what is wrong: sentences by key ("id", "name" too).

    Exactly one of both is there.
    """

    device: Device | None = None
    faults: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))


def form_of(device: Device, *, replaces: str | None, free_id: str) -> DeviceForm:
    """Fill a form from a device: to change it (`replaces` is its id), or a copy called `free_id`.

    A copy whose id is another than the device's is called one.
    """
    copied = replaces is None and free_id != device.id
    return DeviceForm(
        base=device,
        replaces=replaces,
        id=device.id if replaces else free_id,
        name=f"{device.name}, copy" if copied else device.name,
        io=device.io,
        texts={number.key: _text(device, number) for number in NUMBERS},
        sources={key: _source(device, key) for key in (*_BY_KEY, "io")},
    )


def with_edits(form: DeviceForm, edited: DeviceForm) -> DeviceForm:
    """The form with the numbers, the I/O mode and the sources of another one of the same base."""
    assert form.base is edited.base
    return replace(form, io=edited.io, texts=edited.texts, sources=edited.sources, told=edited.told)


def with_text(form: DeviceForm, key: str, text: str) -> DeviceForm:
    """The form with another text of a number.

    What is said of a number's source is not true of another number: until the user says more,
    it is an estimate typed in by hand, and again what it was when the old number comes back.
    """
    texts = {**form.texts, key: text}
    return replace(
        form, texts=texts, sources=_followed(form, key, changed=_changed(form, texts, key))
    )


def with_io(form: DeviceForm, io: IoMode) -> DeviceForm:
    """The form with another I/O mode; its source follows as that of a number does."""
    sources = _followed(form, "io", changed=io is not form.base.io)
    return replace(form, io=io, sources=sources)


def with_source(form: DeviceForm, key: str, source: Source) -> DeviceForm:
    """The form with a source that the user has set."""
    if source == form.sources[key]:
        return form
    sources = {**form.sources, key: source}
    return replace(form, sources=sources, told=form.told | {key})


def read_form(form: DeviceForm) -> Reading:
    """The device that the form stands for, or every mistake in it.

    A number whose text is as it was filled in is the base's own, to the last digit.
    """
    values: dict[str, float] = {}
    faults: dict[str, str] = {}
    for number in NUMBERS:
        try:
            values[number.key] = _value(form, number)
        except UsageError as error:
            faults[number.key] = str(error)
    document = _document(form, values)
    try:
        device = device_from_document(document)
    except DeviceError as error:
        for issue in error.issues:
            words = f"{issue.message} ({issue.suggestion})" if issue.suggestion else issue.message
            faults.setdefault(issue.where, words)
        if "id" in faults:
            faults["id"] = id_fault(form.id.strip())
        return Reading(faults=faults)
    return Reading(faults=faults) if faults else Reading(device)


def copy_words(device: Device) -> str:
    """What becomes of a form that is a copy of `device`."""
    words = f"A copy of {device.name}, which stays as it is. Saving puts it among your devices."
    return words + _costs_words(device)


def own_words(device: Device, file: str) -> str:
    """What becomes of a form that holds a device of the user, kept in `file`."""
    words = f"Your own device, kept in {file}. Saving writes it anew; Duplicate makes another."
    return words + _costs_words(device)


def _costs_words(device: Device) -> str:
    table = device.profile
    return "" if table is None else f" The measured costs of {table.name} are saved with it."


def meaning(device: Device) -> str:
    """What the numbers amount to, so that a slip of a prefix is seen at once."""
    flop, size = 1e6, 64 * 2**10
    took, cost = format_seconds(flop / device.flop_per_s), format_joules(flop / device.flop_per_j)
    parts = [f"{format_flop(flop)} takes {took} and {cost}"]
    for words, way in (("out", device.page_out), ("in", device.page_in)):
        took, cost = format_seconds(way.seconds(size)), format_joules(way.joules(size))
        parts.append(f"paging {format_bytes(size)} {words} takes {took} and {cost}")
    return "; ".join(parts) + "."


def _document(form: DeviceForm, values: Mapping[str, float]) -> dict[str, Any]:
    """The keys of the device's file; numbers that cannot be read stand as the base has them."""
    document: dict[str, Any] = msgspec.to_builtins(device_object(form.base))
    document.update(id=form.id.strip(), name=form.name.strip(), io=form.io.value)
    for key, value in values.items():
        table, _, last = key.rpartition(".")
        (document[table] if table else document)[last] = value
    said = {key: source.text for key, source in form.sources.items() if source.text}
    kept = {key: text for key, text in form.base.source.items() if key not in form.sources}
    document["source"] = {**said, **kept}
    return document


def _followed(form: DeviceForm, key: str, *, changed: bool) -> Mapping[str, Source]:
    if key in form.told:
        return form.sources
    source = _source(form.base, key)
    if changed:
        before = form.base.io.value if key == "io" else _text(form.base, _BY_KEY[key])
        was = f"{before} ({source.kind})" if source.kind else before
        source = Source("estimate", f"entered by hand, was {was}")
    return {**form.sources, key: source}


def _changed(form: DeviceForm, texts: Mapping[str, str], key: str) -> bool:
    """Whether a text stands for another number than the base's; what is no number does."""
    number = _BY_KEY[key]
    try:
        return _typed(form.base, number, texts[key]) != _number(form.base, key)
    except UsageError:
        return True


def _value(form: DeviceForm, number: Number) -> float:
    return _typed(form.base, number, form.texts[number.key])


def _typed(base: Device, number: Number, text: str) -> float:
    """The number that a text stands for; the text that the base is shown by is its number.

    Raises UsageError when it is no such quantity.
    """
    if text.strip() == _text(base, number):
        return _number(base, number.key)
    if number.unit == _BYTES:
        return parse_bytes(text)
    return parse_seconds(text) if number.unit == _SECONDS else parse_measure(text, number.unit)


def _text(device: Device, number: Number) -> str:
    value = _number(device, number.key)
    if number.unit != _BYTES:
        return format_measure(value, number.unit)
    size = int(value)
    short = format_bytes(size)
    return short if parse_bytes(short) == size else format_bytes_exactly(size)


def _number(device: Device, key: str) -> float:
    table, _, last = key.rpartition(".")
    found: float = getattr(getattr(device, table) if table else device, last)
    return found


def _source(device: Device, key: str) -> Source:
    text = device.source.get(key, "")
    kind, _, words = text.partition(":")
    return Source(kind, words.strip()) if kind in KINDS else Source(UNSAID, text)
