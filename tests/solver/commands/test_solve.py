"""Claim: `poet solve` ends with the contract's exit code, and stdout, stderr and files hold it."""

import json
from pathlib import Path

import pytest

from solver import api
from tests.helpers.command import CHAIN, DATA, GRAPHS, SOLVE, Poet, solve_and_check
from tests.helpers.results import outcome_of_kind


def test_that_solve_ends_with_0_and_a_summary(poet: Poet) -> None:
    code, out, err = poet(*SOLVE, "--ram", "901120")

    assert code == 0
    assert "901,120 B (880 KiB)" in out
    assert err == ""


def test_that_a_budget_beyond_the_device_is_pointed_at(poet: Poet) -> None:
    linear = ["linear", "--accounting", "poet", "--device", "mkr1000", "--strategy", "keep-all"]
    _, above, _ = poet("solve", *linear, "--ram", "33KiB")
    _, within, _ = poet("solve", *linear, "--ram", "32KiB")

    assert "33,792 B (33.0 KiB), more than the device's 32.0 KiB" in above
    assert "more than the device" not in within


def test_that_a_ratio_may_be_a_percentage(poet: Poet) -> None:
    code, out, _ = poet(*SOLVE, "--ram-ratio", "90%", "--gap", "5%", "--json", "-")
    _, same, _ = poet(*SOLVE, "--ram-ratio", "0.9", "--gap", "0.05", "--json", "-")

    assert code == 0
    assert json.loads(out)["budget"] == json.loads(same)["budget"]


def test_that_json_on_stdout_stands_alone(poet: Poet) -> None:
    code, out, err = poet(*SOLVE, "--ram", "880KiB", "--json", "-")

    document = json.loads(out)
    assert code == 0
    assert document["budget"]["ram_bytes"] == 901120
    assert document["model"]["source"] == CHAIN
    assert document["message"] in err


def test_that_slim_json_holds_no_graph(poet: Poet) -> None:
    _, out, _ = poet(*SOLVE, "--json", "-", "--slim")

    assert "problem" not in json.loads(out)


def test_that_an_infeasible_budget_ends_with_3_and_json(poet: Poet) -> None:
    code, out, err = poet(*SOLVE, "--ram", "901119", "--json", "-")

    document = json.loads(out)
    assert code == 3
    assert document["status"] == "infeasible"
    # b2 sets the floor of 901,120 B (tests/data/graphs/expected.json), one byte more than there is
    assert document["reason"]["op"] == "b2"
    assert document["reason"]["missing"] == 1
    assert "b2" in err


def test_that_no_answer_within_the_limit_ends_with_4(
    poet: Poet, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(api, "solve", lambda problem, *rest: outcome_of_kind("no_answer", problem))

    assert poet(*SOLVE)[0] == 4


def test_that_a_failed_solve_ends_with_1_and_its_faults(
    poet: Poet, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(api, "solve", lambda problem, *rest: outcome_of_kind("failed", problem))

    code, _, err = poet(*SOLVE)

    assert code == 1
    assert "broke" in err


@pytest.mark.parametrize(
    ("file", "words"),
    [
        ("01_truncated.onnx", "cut off"),
        ("03_negative_bytes.json", "b"),
        ("05_duplicate_names.json", "conv"),
        ("09_empty.onnx", "empty"),
        ("11_html_404_named.onnx", "web page"),
        ("13_string_number.json", "100"),
        ("17_overflow_dims.onnx", "B"),
        ("19_opset_999.onnx", "999"),
        (".", "folder"),
    ],
)
def test_that_a_bad_file_ends_with_1_and_names_the_place(poet: Poet, file: str, words: str) -> None:
    code, out, err = poet("solve", str(DATA / "malformed" / file), "--device", "rpi4")

    assert code == 1
    assert out == ""
    assert words in err


def test_that_a_petabyte_is_legal_and_exact(poet: Poet) -> None:
    path = str(DATA / "malformed" / "07_petabyte_tensor.json")

    too_big, _, _ = poet("solve", path, "--device", "rpi4")
    code, out, _ = poet("solve", path, "--device", "rpi4", "--ram", "2e15", "--json", "-")

    assert too_big == 3
    assert code == 0
    # with nothing remade: huge 10^15, a 4096 B and the loss 4 B
    assert json.loads(out)["peak_bytes"] == 10**15 + 4100


@pytest.mark.parametrize("path", ["missing/x.json", ".", "file/x.json"])
def test_that_an_output_that_cannot_be_written_is_said_before_the_solve(
    poet: Poet, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, path: str
) -> None:
    (tmp_path / "file").write_text("not a folder")
    monkeypatch.setattr(api, "solve", lambda *arguments: pytest.fail("solved all the same"))

    code, _, err = poet(*SOLVE, "--json", str(tmp_path / path))

    assert code == 1
    assert "cannot write" in err


def test_that_outputs_are_whole_files_and_nothing_else_is_left(poet: Poet, tmp_path: Path) -> None:
    paths = {name: str(tmp_path / name) for name in ("r.json", "t.json", "a.csv")}
    files = ["--json", paths["r.json"], "--trace", paths["t.json"], "--csv", paths["a.csv"]]

    assert poet(*SOLVE, *files)[0] == 0

    assert {path.name for path in tmp_path.iterdir()} == set(paths)
    actions = json.loads(Path(paths["r.json"]).read_bytes())["actions"]
    assert len(Path(paths["a.csv"]).read_text().splitlines()) == len(actions) + 1
    assert json.loads(Path(paths["t.json"]).read_bytes())["traceEvents"]


def test_that_without_a_schedule_only_the_json_is_written(poet: Poet, tmp_path: Path) -> None:
    result, table = tmp_path / "r.json", tmp_path / "a.csv"

    code, _, err = poet(*SOLVE, "--ram", "1", "--json", str(result), "--csv", str(table))

    assert code == 3
    assert result.exists()
    assert not table.exists()
    assert "no schedule" in err


def test_that_the_warnings_go_to_stderr(poet: Poet) -> None:
    unsorted = str(GRAPHS.parent / "onnx_corner" / "17_not_topological.onnx")

    code, out, err = poet("solve", unsorted, "--device", "rpi4", "--json", "-")

    assert code == 0
    assert "warning: the nodes of this file were out of order" in err
    assert "out of order" in json.loads(out)["warnings"][0]


def test_that_a_quantised_file_is_solved_in_floats_where_asked(tmp_path: Path, poet: Poet) -> None:
    model = str(DATA / "onnx_corner" / "15_qdq_int8.onnx")
    code, _, err = poet("solve", model, "--device", "rpi4")
    assert code == 1
    assert "--quantized straight-through" in err

    asked = ("--quantized", "straight-through", "--strategy", "keep-all")
    solved = solve_and_check(tmp_path, model, "rpi4", *asked)

    assert solved.result["settings"]["quantized"] == "straight-through"
    assert solved.graph["settings"]["quantized"] == "straight-through"
    assert poet("check", str(tmp_path / "result.json"))[0] == 0
    assert "quantized" not in json.loads(poet(*SOLVE, "--json", "-")[1])["settings"]


def test_that_transfers_overlap_where_the_device_says_so_or_when_asked(poet: Poet) -> None:
    _, own, _ = poet("solve", CHAIN, "--device", "rpi4", "--json", "-")
    _, asked, _ = poet(*SOLVE, "--io", "overlapped", "--json", "-")
    _, other, _ = poet("solve", CHAIN, "--device", "rpi4", "--io", "blocking", "--json", "-")

    assert json.loads(own)["settings"]["io"] == "overlapped"
    assert json.loads(asked)["settings"]["io"] == "overlapped"
    assert json.loads(other)["settings"]["io"] == "blocking"
