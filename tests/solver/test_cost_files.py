"""Claim: a cost table is read from CSV and JSON alike, and every mistake is named in its place."""

from pathlib import Path

import pytest

from solver.cost_files import read_cost_table
from solver.cost_table import CostRow
from solver.errors import EngineError


def written(folder: Path, text: str | bytes, name: str = "t.csv") -> Path:
    path = folder / name
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    return path


def faults(folder: Path, text: str | bytes, name: str = "t.csv") -> list[str]:
    with pytest.raises(EngineError) as caught:
        read_cost_table(written(folder, text, name))
    return [str(issue) for issue in caught.value.issues]


def test_that_csv_and_json_say_the_same(tmp_path: Path) -> None:
    csv = "op,kind,seconds,joules\nconv1,Conv,1e-3,\n,Relu,2e-6,5e-6\n"
    json = """{"format": "poet.costs", "version": 1, "costs": [
      {"op": "conv1", "kind": "Conv", "seconds": 0.001},
      {"kind": "Relu", "seconds": 2e-6, "joules": 5e-6}]}"""
    wanted = (CostRow(1e-3, None, "conv1", "Conv"), CostRow(2e-6, 5e-6, "", "Relu"))
    assert read_cost_table(written(tmp_path, csv)).rows == wanted
    assert read_cost_table(written(tmp_path, json, "t.json")).rows == wanted


def test_that_a_spreadsheet_of_another_country_is_read(tmp_path: Path) -> None:
    text = "\ufeffKind;Seconds\r\nConv;0.5\r\n\r\n"
    assert read_cost_table(written(tmp_path, text)).rows == (CostRow(0.5, None, "", "Conv"),)


def test_that_a_negative_zero_is_zero(tmp_path: Path) -> None:
    (row,) = read_cost_table(written(tmp_path, "op,seconds,joules\na,-0,-0.0\n")).rows

    assert (str(row.seconds), str(row.joules)) == ("0.0", "0.0")  # JSON documents carry no -0.0


def test_that_every_wrong_number_is_named_with_its_line(tmp_path: Path) -> None:
    more = "more than one run of an op takes"
    text = "op,seconds,joules\na,-1,1\nb,nan,2\nc,7200,x\nd,inf,-inf\ne,1_0,1\n"
    assert faults(tmp_path, text) == [
        "t.csv: line 2: seconds: is -1, below 0 (a number from 0 on, in seconds)",
        "t.csv: line 3: seconds: is nan (a number from 0 on, in seconds)",
        f"t.csv: line 4: seconds: is 7200, {more} (3600) (are these milliseconds?)",
        "t.csv: line 4: joules: 'x' is no number (a number from 0 on, in joules)",
        "t.csv: line 5: seconds: is inf (a number from 0 on, in seconds)",
        "t.csv: line 5: joules: is -inf (a number from 0 on, in joules)",
        "t.csv: line 6: seconds: '1_0' is no number (a number from 0 on, in seconds)",
    ]


def test_that_missing_columns_names_and_costs_are_named(tmp_path: Path) -> None:
    assert faults(tmp_path, "seconds\n1\n") == [
        "t.csv: line 1: there is no column op or kind (columns op or kind, and seconds or joules)"
    ]
    first, second = faults(tmp_path, "op,secnds\na,1\n")
    assert "no column seconds or joules" in first
    assert second == "t.csv: line 1: 'secnds' is no known column (did you mean seconds?)"
    assert faults(tmp_path, "op,kind,seconds\n,,1\na,Conv,\n") == [
        "t.csv: line 2: names neither an op nor a kind of op",
        "t.csv: line 3: gives neither seconds nor joules",
    ]


def test_that_lines_of_another_length_and_doubles_are_named(tmp_path: Path) -> None:
    assert faults(tmp_path, "op,seconds\na\n") == ["t.csv: line 2: has 1 cells, the head has 2"]
    assert faults(tmp_path, "op,seconds\na,1\na,2\n") == [
        "t.csv: line 3: op a stands twice, first at t.csv: line 2"
    ]
    assert faults(tmp_path, "kind,seconds,seconds\na,1,1\n") == [
        "t.csv: line 1: the column 'seconds' stands twice"
    ]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "is empty"),
        ("\n", "no column op or kind"),
        ("op,seconds\n", "holds no costs"),
        (b"op,seconds\n\xff\xfe,1\n", "is not text"),
        ("{}", "is no cost table"),
        ("[1]", "is no cost table"),
        ('{"format": "poet.costs", "version": 2}', "of another version"),
        ('{"format": "poet.costs", "version": 1}', "missing or no list"),
        ('{"format": "poet.costs", "version": 1, "costs": [3]}', "no object with keys"),
        ('{"format": "poet.costs", "version": 1, "costs": [{"op": 1, "seconds": 1}]}', "a text"),
        ('{"format": "poet.costs", "version": 1, "costs": [{"op": "a", "seconds": NaN}]}', "NaN"),
        ('{"format": "poet.costs", "version": 1, "costs": [{"op": "a", "seconds": true}]}',
         "True is no number"),
        ('{"format": "poet.costs", "version": 1, "costs": [{"op": "a", "secs": 1}]}',
         "'secs' is no known column"),
        ("\ufeff {", "ends in the middle"),
    ],
)  # fmt: skip
def test_that_what_is_no_table_is_told(tmp_path: Path, text: str | bytes, words: str) -> None:
    assert words in "\n".join(faults(tmp_path, text))


def test_that_a_folder_and_a_missing_file_are_told(tmp_path: Path) -> None:
    with pytest.raises(EngineError, match="is a folder"):
        read_cost_table(tmp_path)
    with pytest.raises(EngineError, match="does not exist"):
        read_cost_table(tmp_path / "none.csv")
