"""Claim: what an exported program holds is checked before PyTorch sees it, and nothing of it runs.

None of these tests needs PyTorch; tests/solver/pytorch/test_exported.py traces what passes here.
"""

import io
import json
import os
import pickle  # noqa: TID251  # makes a pickle that must not be opened
import zipfile
from pathlib import Path
from typing import Any

import pytest

from solver.errors import EngineError, ModelError, UsageError
from solver.loaders import pt2_file
from solver.loaders.options import LoadOptions
from solver.loaders.pt2_archive import read_export
from solver.loaders.pt2_program import ExportedInput
from solver.loaders.registry import load_file
from tests.helpers.pt2_archives import MODEL, TINY_CNN, WEIGHTS, changed, entries, program, write

MARK = "it_ran"


class Touch:
    """A pickle of it creates a folder when it is loaded."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def __reduce__(self) -> tuple[Any, tuple[str]]:
        return os.mkdir, (str(self.path),)


def evil(folder: Path) -> bytes:
    return pickle.dumps(Touch(folder / MARK))


def refused(path: Path) -> str:
    with pytest.raises(ModelError) as caught:
        read_export(path)
    assert not (path.parent / MARK).exists()
    return str(caught.value)


def test_that_inputs_and_what_they_leave_open_are_read() -> None:
    step = read_export(TINY_CNN).step
    assert step.inputs == (ExportedInput("x", "float32", ("s77", 3, 16, 16)),)
    assert step.ranges == {"s77": (2, 64)}
    assert len(step.targets) == 10
    assert step.passive == ()


def test_that_the_packed_archive_holds_no_example_inputs_guards_notes_or_open_sizes() -> None:
    packed = zipfile.ZipFile(io.BytesIO(read_export(TINY_CNN).packed({"s77": 5})))
    assert packed.read("program/data/sample_inputs/model.pt") == b""
    assert packed.read("program/data/weights/weight_0") == entries()["data/weights/weight_0"]
    text = packed.read(f"program/{MODEL}").decode()
    document = json.loads(text)
    graph = document["graph_module"]["graph"]
    assert graph["tensor_values"]["x"]["sizes"][0] == {"as_int": 5}
    assert "expr_str" not in text
    assert "stack_trace" not in text
    assert document["guards_code"] == []
    assert document["range_constraints"] == {}


def test_that_pickled_example_inputs_are_never_opened(tmp_path: Path) -> None:
    path = changed(tmp_path, entries={"data/sample_inputs/model.pt": evil(tmp_path)})
    packed = read_export(path).packed({"s77": 2})
    assert MARK.encode() not in packed
    assert not (tmp_path / MARK).exists()


@pytest.mark.parametrize(
    ("entry", "told"),
    [
        ("data/weights/model.pt", "could be unpickled"),  # how weights lay in older archives
        ("data/constants/model.pt", "could be unpickled"),
        ("data/constants/opaque_obj_0", "could be unpickled"),
        ("data/constants/custom_obj_0", "could be unpickled"),
        ("data/aotinductor/model/code.so", "compiled code"),
        ("models/other.json", "beside the one program"),
        ("version", "could be unpickled"),
        ("serialized_exported_program.json", "old PyTorch"),
    ],
)
def test_that_entries_that_could_run_are_refused(tmp_path: Path, entry: str, told: str) -> None:
    assert told in refused(changed(tmp_path, entries={entry: evil(tmp_path)}))


@pytest.mark.parametrize(
    "payload",
    [
        {"path_name": "weight_0", "use_pickle": True},
        {"path_name": "opaque_obj_0", "use_pickle": False},
        {"path_name": "custom_obj_0", "use_pickle": False},
        {"path_name": "../sample_inputs/model.pt", "use_pickle": False},
    ],
)
def test_that_pickled_tensors_are_refused(tmp_path: Path, payload: dict[str, Any]) -> None:
    weights = json.loads(entries()[WEIGHTS])
    weights["config"]["c1.weight"] |= payload
    path = changed(tmp_path, weights=weights, entries={"data/weights/weight_0": evil(tmp_path)})
    assert "c1.weight is pickled" in refused(path)


@pytest.mark.parametrize(
    "target",
    [
        "torch.os.system",
        "torch.load",
        "torch.hub.load",
        "torch.ops.load_library",
        "torch.ops.aten.save.default",
        "torch.ops.aten.from_file.default",
        "torch.ops.aten.__class__.mro",
        "torch.ops.higher_order.cond",
        "_operator.attrgetter",
        "math.sqrt",
        "#extension",
        "builtins.eval",
    ],
)
def test_that_nodes_call_operators_of_tensors_only(tmp_path: Path, target: str) -> None:
    document = program()
    document["graph_module"]["graph"]["nodes"][3]["target"] = target
    assert f"calls {target}" in refused(changed(tmp_path, program=document))


@pytest.mark.parametrize(
    "text",
    [
        "__import__('os').system('touch it_ran')",
        "Symbol('s77').__class__",
        "open('it_ran', 'w')",
        "lambda: 0",
        "Pow(Integer(9), Integer(999999999))",
        "Add(" * 150 + "Integer(1)" + ")" * 150,
    ],
)
def test_that_sizes_are_not_evaluated(tmp_path: Path, text: str) -> None:
    document = program()
    value = {"as_expr": {"expr_str": text, "hint": {"as_int": 2}}}
    document["graph_module"]["graph"]["tensor_values"]["relu"]["sizes"][0] = value
    assert "sizes that cannot be worked out" in refused(changed(tmp_path, program=document))


def test_that_open_sizes_of_weights_are_refused(tmp_path: Path) -> None:
    weights = json.loads(entries()[WEIGHTS])
    sizes = weights["config"]["c1.weight"]["tensor_meta"]["sizes"]
    sizes[0] = {"as_expr": {"expr_str": "open('it_ran', 'w')"}}
    assert "tensor of open size" in refused(changed(tmp_path, weights=weights))


@pytest.mark.parametrize(
    ("kind", "context", "told"),
    [
        ("mymodule.Output", "null", "gives mymodule.Output"),
        ("builtins.dict", '[{"__enum__": true, "fqn": "antigravity:X", "name": "y"}]', "imported"),
    ],
)
def test_that_containers_import_nothing(tmp_path: Path, kind: str, context: str, told: str) -> None:
    document = program()
    leaf = {"type": None, "context": None, "children_spec": []}
    spec = {"type": kind, "context": context, "children_spec": [leaf]}
    call = document["graph_module"]["module_call_graph"][0]
    call["signature"]["out_spec"] = json.dumps([1, spec])
    assert told in refused(changed(tmp_path, program=document))


def test_that_functions_as_arguments_are_refused(tmp_path: Path) -> None:
    document = program()
    argument = {"as_operator": "torch.os.system"}
    document["graph_module"]["graph"]["nodes"][0]["inputs"][0]["arg"] = argument
    assert "as_operator" in refused(changed(tmp_path, program=document))


def test_that_every_mistake_is_named_at_once(tmp_path: Path) -> None:
    document = program()
    document["graph_module"]["graph"]["nodes"][3]["target"] = "torch.load"
    document["graph_module"]["graph"]["nodes"][0]["inputs"][0]["arg"] = {"as_operator": "x"}
    words = refused(changed(tmp_path, program=document))
    assert "torch.load" in words
    assert "as_operator" in words


def test_that_an_entry_that_stands_twice_is_refused(tmp_path: Path) -> None:
    path = write(tmp_path / "twice.pt2", entries())
    with zipfile.ZipFile(path, "a") as archive:
        archive.writestr(f"other/{MODEL}", b"{}")
    assert f"holds {MODEL} twice" in refused(path)


@pytest.mark.parametrize("entry", [MODEL, WEIGHTS, "data/weights/weight_0"])
def test_that_what_is_missing_is_named(tmp_path: Path, entry: str) -> None:
    found = entries()
    del found[entry]
    words = refused(write(tmp_path / "less.pt2", found))
    assert entry in words or "c1.weight has no data" in words


@pytest.mark.parametrize("text", [b"", b"[]", b"{", b"[" * 5000, b'{"graph_module": 3}'])
def test_that_a_damaged_program_is_told(tmp_path: Path, text: bytes) -> None:
    assert "models/model.json" in refused(changed(tmp_path, entries={MODEL: text}))


def test_that_another_archive_version_is_told(tmp_path: Path) -> None:
    assert "archive_version '7'" in refused(changed(tmp_path, entries={"archive_version": b"7"}))


def test_that_a_batch_outside_what_was_exported_is_wrong_usage() -> None:
    with pytest.raises(UsageError, match=r"s77 = 65.*it allows 2 to 64"):
        load_file(TINY_CNN, LoadOptions(batch=65))


def test_that_an_open_batch_is_asked_for_where_questions_are_wanted() -> None:
    with pytest.raises(UsageError) as caught:
        load_file(TINY_CNN, LoadOptions(ask_batch=True))
    (asked,) = caught.value.issues[0].asks
    assert asked.name == "s77"
    assert asked.is_batch


def test_that_a_missing_pytorch_is_one_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("solver.pytorch.need.find_spec", lambda name: None)
    with pytest.raises(EngineError, match="needs PyTorch, which is not installed") as caught:
        pt2_file.load(TINY_CNN, LoadOptions())
    assert "pip install" in str(caught.value)


@pytest.mark.parametrize(
    ("root", "names", "told"),
    [
        ("net", ("data.pkl", "data/0"), "weights alone hold no network"),
        ("net", ("data.pkl", "constants.pkl"), "it holds pickles"),
        ("", ("data.pkl",), "weights alone hold no network"),
    ],
)
def test_that_weights_and_torchscript_are_refused_unopened(
    tmp_path: Path, root: str, names: tuple[str, ...], told: str
) -> None:
    path = tmp_path / "model.pt"
    with zipfile.ZipFile(path, "w") as archive:
        for name in names:
            archive.writestr(f"{root}/{name}" if root else name, evil(tmp_path))
    with pytest.raises(ModelError, match=told) as caught:
        load_file(path, LoadOptions())
    assert "poet trace module.py:factory" in str(caught.value)
    assert not (tmp_path / MARK).exists()


def test_that_a_pickled_module_is_refused_unopened(tmp_path: Path) -> None:
    path = tmp_path / "module.pt"
    path.write_bytes(evil(tmp_path))
    with pytest.raises(ModelError, match="unpickling runs code"):
        load_file(path, LoadOptions())
    assert not (tmp_path / MARK).exists()


def test_that_a_real_state_dict_is_refused_with_the_way_out() -> None:
    with pytest.raises(ModelError, match="poet trace"):
        load_file(TINY_CNN.with_name("tiny_cnn_state_dict.pt"), LoadOptions())
