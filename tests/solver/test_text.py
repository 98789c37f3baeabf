"""Claim: names that files bring along can be shown and written, whatever they hold."""

from solver.text import one_line, printable


def test_that_half_a_character_of_a_file_name_is_spelled_out() -> None:
    assert printable("caf\udce9.onnx") == r"caf\udce9.onnx"
    assert printable("café\n") == "café\n"


def test_that_a_sentence_is_one_line_of_what_can_be_seen() -> None:
    assert one_line("Größe 3 × 4") == "Größe 3 × 4"
    assert one_line("node \x1b[2Ja\nb\udce9") == r"node \x1b[2Ja\nb\udce9"
