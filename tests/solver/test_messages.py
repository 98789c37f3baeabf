"""Claim: a message read is the message sent, and what is no message is refused."""

import io
import struct
from types import MappingProxyType

import pytest

from solver.device import IoMode
from solver.errors import Issue
from solver.framing import ProtocolError
from solver.graph import Accounting
from solver.graph_request import GraphRequest
from solver.messages import (
    Cancel,
    LoadFailed,
    LoadModel,
    ModelLoaded,
    Ready,
    Shutdown,
    Solve,
    encode,
    event_reader,
    request_reader,
)
from solver.problem import Budgets, SolveOptions, Switches
from tests.helpers.builders import chain, device_of


def test_that_requests_arrive_as_they_were_sent_and_in_order() -> None:
    request = GraphRequest("net.onnx", Accounting.AUTODIFF, dims=MappingProxyType({"N": 2}))
    sent = [
        LoadModel(1, request),
        Solve(2, "key", device_of(), Budgets(1000, 2.5), Switches(io=IoMode.IGNORED),
              SolveOptions(gap=0.0), chain(3)),
        Cancel(2),
        Shutdown(),
    ]  # fmt: skip
    reader = request_reader(io.BytesIO(b"".join(map(encode, sent))))

    received = [reader.read() for _ in sent]

    assert received == sent
    assert reader.read() is None


def test_that_a_petabyte_tensor_travels_to_the_byte() -> None:
    graph = chain(2, size=10**21 + 1)

    message = event_reader(io.BytesIO(encode(ModelLoaded(1, "k", graph, "file", None)))).read()

    assert isinstance(message, ModelLoaded)
    assert message.graph == graph


def test_that_issues_keep_their_place_and_suggestion() -> None:
    issues = [Issue("unknown", "--device", "did you mean rpi4?"), Issue("bytes -1", "node b")]

    message = event_reader(io.BytesIO(encode(LoadFailed(3, issues)))).read()

    assert message == LoadFailed(3, issues)


def test_that_a_stream_cut_off_inside_a_message_reads_as_its_end() -> None:
    data = encode(Ready(1, "0.1.0"))

    assert event_reader(io.BytesIO(data[:-1])).read() is None
    assert event_reader(io.BytesIO(data[:2])).read() is None


class _Dribble(io.RawIOBase):
    """A pipe that hands over one byte at a time."""

    def __init__(self, data: bytes) -> None:
        self._data = io.BytesIO(data)

    def read(self, size: int = -1) -> bytes:
        return self._data.read(min(1, size))


def test_that_a_message_in_many_pieces_is_put_together() -> None:
    assert event_reader(_Dribble(encode(Ready(7, "x")))).read() == Ready(7, "x")  # type: ignore[arg-type] # reads like a stream


@pytest.mark.parametrize("body", [b"{", b'{"type":"dance"}', b'{"type":"cancel"}', b"\xff"])
def test_that_what_is_no_message_is_refused(body: bytes) -> None:
    stream = io.BytesIO(struct.pack(">I", len(body)) + body)

    with pytest.raises(ProtocolError):
        request_reader(stream).read()


def test_that_an_event_is_not_taken_for_a_request() -> None:
    with pytest.raises(ProtocolError):
        request_reader(io.BytesIO(encode(Ready(1, "x")))).read()
