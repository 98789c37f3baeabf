"""The import report in words: every decision about the file, most important first."""

from dataclasses import replace

from poet_gui.solving.deliveries import OpenModel
from poet_gui.solving.prepare import prepare
from poet_gui.viewmodels.import_report import Section, report_sections, sections_text
from poet_gui.viewmodels.reloading import reload_words
from solver.device_files import load_device
from solver.graph import TrainingGraph
from solver.graph_request import GraphRequest
from solver.import_report import (
    FileInput,
    ImportReport,
    NodeCounts,
    OpenSize,
    Remark,
    Topic,
)
from tests.helpers.builders import chain

REPORT = ImportReport(
    "ONNX operator set 17 (IR 8)",
    NodeCounts(all=10, constant=4, shapes=2, views=1),
    (("Relu", 3), ("Reshape", 1)),
    (FileInput("x", "float32", ("N", 8), (2, 8)),),
    ("y",),
    (OpenSize("N", ("x (N, 8)",), 2, is_batch=True),),
    (Remark(Topic.IGNORED, "1 input is read by nothing: z"), Remark(Topic.LOSS, "the loss is mse")),
)


def opened(graph: TrainingGraph) -> OpenModel:
    request = GraphRequest("net.onnx")
    device = load_device("nrf52840")
    return prepare(graph, device, request=request, source="net.onnx", sha256=None, graph_key="k")


def sections_of(graph: TrainingGraph) -> dict[str, Section]:
    return {section.title: section for section in report_sections(opened(graph))}


def facts(section: Section) -> dict[str, str]:
    return {name: value for name, value, _ in section.facts}


def test_that_without_a_model_the_report_says_so() -> None:
    (section,) = report_sections(None)
    assert section.title == "No model is open"


def test_that_warnings_come_first_and_stand_out() -> None:
    graph = replace(chain(3), warnings=("careful",), report=REPORT)
    first = report_sections(opened(graph))[0]
    assert first == Section("Keep in mind", sentences=("careful",), is_warning=True)


def test_that_nodes_are_counted_by_what_became_of_them() -> None:
    nodes = facts(sections_of(replace(chain(3), report=REPORT))["Nodes"])
    assert nodes == {
        "in the file": "10",
        "constant, folded": "4",
        "sizes only, folded": "2",
        "run": "4, 1 view among them",
        "kinds": "3 Relu, 1 Reshape",
    }


def test_that_inputs_show_the_size_used_and_the_one_in_the_file() -> None:
    section = sections_of(replace(chain(3), report=REPORT))["Inputs and sizes"]
    assert section.facts[0] == ("x", "float32 2 x 8", "in the file N x 8")
    assert section.facts[1] == ("batch (N)", "2", "left open by x (N, 8)")


def test_that_remarks_stand_in_the_section_of_their_topic() -> None:
    sections = sections_of(replace(chain(3), report=REPORT))
    assert sections["Ignored"].sentences == ("1 input is read by nothing: z",)
    assert sections["Assumed"].sentences == ("Nothing.",)
    assert sections["Training graph"].sentences == ("the loss is mse",)


def test_that_a_graph_without_a_file_is_accounted_for_as_well() -> None:
    sections = sections_of(chain(3))
    assert "Nodes" not in sections
    assert {"Model", "Weights", "Training graph"} <= set(sections)


def test_that_the_copied_text_holds_every_fact_and_sentence() -> None:
    sections = report_sections(opened(replace(chain(3), warnings=("careful",), report=REPORT)))
    text = sections_text(sections)
    for section in sections:
        assert section.title in text
        assert all(f"{name}: {value}" in text for name, value, _ in section.facts)
        assert all(sentence in text for sentence in section.sentences)


def test_that_a_model_read_again_says_what_changed() -> None:
    before, longer = opened(chain(3)).costed, opened(chain(4)).costed
    assert reload_words(before, before).title == "Read again: nothing has changed"
    words = reload_words(before, longer)
    assert words.title == "Read again: the model has changed"
    assert words.text.startswith(f"ops {len(before.graph.ops)} → {len(longer.graph.ops)}, ")
