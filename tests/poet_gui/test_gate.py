"""What background threads say reaches the window until it is closed, and never after it."""

import threading

import pytest

from poet_gui.solving import service as service_module
from poet_gui.solving.deliveries import Delivery, OpenModel
from poet_gui.solving.gate import Gate
from poet_gui.solving.service import SolveService
from solver.device_files import load_device
from solver.graph_request import GraphRequest
from tests.poet_gui.fixtures import scripted

WAIT_S = 60.0


def test_that_a_gate_passes_on_until_it_is_closed() -> None:
    gate, heard = Gate(), list[tuple[int, str]]()
    gate.pass_on(lambda number, text: heard.append((number, text)), 1, "open")
    gate.close()
    gate.pass_on(lambda number, text: heard.append((number, text)), 2, "closed")
    assert heard == [(1, "open")]


def test_that_closing_a_gate_waits_for_the_call_under_way() -> None:
    gate, order = Gate(), list[str]()
    inside, go_on = threading.Event(), threading.Event()

    def speak() -> None:
        inside.set()
        go_on.wait(WAIT_S)
        order.append("spoken")

    def close() -> None:
        gate.close()
        order.append("closed")

    threads = [threading.Thread(target=gate.pass_on, args=(speak,))]
    threads[0].start()
    assert inside.wait(WAIT_S)
    threads.append(threading.Thread(target=close))
    threads[1].start()
    go_on.set()
    for thread in threads:
        thread.join(WAIT_S)
    assert order == ["spoken", "closed"]


def test_that_a_model_still_being_prepared_is_not_delivered_to_a_window_that_is_gone(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    reached, go_on, done = threading.Event(), threading.Event(), threading.Event()
    prepare = service_module.prepare

    def slow(*args: object, **kwargs: object) -> OpenModel:
        reached.set()
        go_on.wait(WAIT_S)
        try:
            return prepare(*args, **kwargs)  # type: ignore[arg-type]  # handed on as they came
        finally:
            done.set()

    monkeypatch.setattr(service_module, "prepare", slow)
    heard: list[Delivery] = []
    service = SolveService(heard.append, scripted("honest"))
    service.load(service.new_id(), GraphRequest("chain"), load_device("nrf52840"))
    assert reached.wait(WAIT_S)
    service.stop()  # its patience with the thread that prepares is short
    heard.clear()
    readers = [thread for thread in threading.enumerate() if thread.name == "process: read"]
    go_on.set()
    assert done.wait(WAIT_S)
    for thread in readers:
        thread.join(WAIT_S)
    assert heard == []
