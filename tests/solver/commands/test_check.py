"""Claim: what `graph` and `solve` wrote is read again, and `check` finds what is not true in it."""

import json
from pathlib import Path

from tests.helpers.command import CHAIN, DEAR, SOLVE, Poet


def test_that_graph_prints_a_summary_or_json(poet: Poet) -> None:
    code, summary, _ = poet("graph", CHAIN, "--device", DEAR)
    _, text, _ = poet("graph", CHAIN, "--device", DEAR, "--json", "-")

    assert code == 0
    assert "floor" in summary
    assert "b2" in summary
    assert "not counted in RAM" in summary
    assert "device RAM  1,000,000,000,000 B (931 GiB)" in summary  # the board's, in dear.toml
    document = json.loads(text)
    assert document["format"] == "poet.graph"
    assert document["floor_bytes"] == 901120


def test_that_a_saved_graph_solves_like_its_source(poet: Poet, tmp_path: Path) -> None:
    saved = str(tmp_path / "g.json")
    poet("graph", "linear", "--accounting", "poet", "--device", "m4", "--json", saved)
    budget = ["--device", "m4", "--ram", "3388", "--strategy", "page-all", "--json", "-"]

    _, direct, _ = poet("solve", "linear", "--accounting", "poet", *budget)
    _, again, _ = poet("solve", saved, *budget)

    assert json.loads(direct)["energy_j"] == json.loads(again)["energy_j"]
    assert json.loads(again)["settings"]["accounting"] == "given"


def test_that_check_passes_a_true_result_and_names_a_fault(poet: Poet, tmp_path: Path) -> None:
    path = tmp_path / "r.json"
    poet(*SOLVE, "--json", str(path))
    assert poet("check", str(path))[0] == 0
    document = json.loads(path.read_bytes())
    document["peak_bytes"] -= 1
    path.write_text(json.dumps(document))

    code, out, _ = poet("check", str(path))

    assert code == 1
    assert "peak stated" in out


def test_that_check_takes_no_settings_and_budgets_that_solve_refuses(
    poet: Poet, tmp_path: Path
) -> None:
    path = tmp_path / "r.json"
    poet(*SOLVE, "--json", str(path))
    document = json.loads(path.read_bytes())
    refused = {
        "settings": {"threads": (0, 257), "seed": (-1, 2**31), "gap": (-0.1,), "work_limit": (-1,)},
        "budget": {"ram_bytes": (-1, 2**62 + 1), "runtime_s": (-1, 2e15)},
    }
    for part, values in refused.items():
        for name, wrong in values.items():
            for value in wrong:
                changed = document | {part: document[part] | {name: value}}
                path.write_text(json.dumps(changed))

                code, _, error = poet("check", str(path))

                assert code == 1, (name, value)
                assert f"{part}.{name}" in error


def test_that_nothing_in_a_graph_reaches_the_terminal_as_a_command(
    poet: Poet, tmp_path: Path
) -> None:
    path = tmp_path / "g.json"
    poet("graph", CHAIN, "--device", DEAR, "--json", str(path))
    document = json.loads(path.read_bytes())
    document["warnings"] = ["\x1b[2Jtold"]
    path.write_text(json.dumps(document).replace('"b2"', '"\\u001b[2Jb2"'))
    for command in (["graph"], ["solve", "--ram-ratio", "0.9"]):
        code, out, error = poet(*command, str(path), "--device", DEAR)
        assert code == 0
        assert "\x1b" not in out + error
        assert "\\x1b[2Jtold" in error
        assert "set by \\x1b[2Jb2" in out or command != ["graph"]


def test_that_nothing_in_a_result_reaches_the_terminal_as_a_command(
    poet: Poet, tmp_path: Path
) -> None:
    path = tmp_path / "r.json"
    poet(*SOLVE, "--ram", "1", "--json", str(path))
    document = json.loads(path.read_bytes())
    renamed = json.dumps(document).replace('"b2"', '"\\u001b[2Jb2"')
    path.write_text(renamed)
    code, out, _ = poet("check", str(path))
    assert code == 0
    assert out.startswith("ok: impossible: \\x1b[2Jb2 alone needs 901,120 B")

    document["settings"]["loss"] = "\x1b[2J"
    path.write_text(json.dumps(document))
    code, out, _ = poet("check", str(path))
    assert code == 1
    assert "\x1b" not in out


def test_that_what_only_a_search_proves_is_not_called_checked(poet: Poet, tmp_path: Path) -> None:
    path = tmp_path / "r.json"
    poet(*SOLVE, "--ram", "901119", "--json", str(path))
    assert "not checked" not in poet("check", str(path))[1]  # b2 alone needs 901,120 B

    document = json.loads(path.read_bytes())
    document["settings"] |= {"strategy": "remat-only", "paging": False}
    document["budget"]["ram_bytes"] = 901120
    document["reason"] |= {"op": None, "tensors": [], "needed": 901121, "exact": False}
    path.write_text(json.dumps(document | {"message": "impossible, by 5 B"}))
    code, out, _ = poet("check", str(path))

    assert code == 0
    assert out.startswith("ok: infeasible\nnot checked: that no schedule fits into 901,120 B")


def test_that_a_slim_result_is_checked_against_its_graph(poet: Poet, tmp_path: Path) -> None:
    result, graph = str(tmp_path / "r.json"), str(tmp_path / "g.json")
    poet(*SOLVE, "--slim", "--json", result)
    poet("graph", CHAIN, "--device", DEAR, "--json", graph)

    alone, _, err = poet("check", result)
    code, out, _ = poet("check", result, "--graph", graph)

    assert alone == 1
    assert "--slim" in err
    assert code == 0
    assert out.startswith("ok")


def test_that_check_refuses_what_is_no_result(poet: Poet) -> None:
    assert poet("check", CHAIN)[0] == 1
    assert poet("check", "nowhere.json")[0] == 1
