"""Claim: texts are ranked, and values found where they stand first, without numpy.ma."""

import subprocess
import sys

import numpy as np

from poet_gui.viewmodels.distinct import first_places, ranks


def test_that_texts_get_their_place_among_the_different_ones() -> None:
    assert ranks(["relu", "conv", "relu", "add"]).tolist() == [2, 1, 2, 0]
    assert ranks([]).tolist() == []


def test_that_each_value_is_found_where_it_stands_first() -> None:
    values, at = first_places(np.array([5, 3, 5, 9, 3]))
    assert values.tolist() == [3, 5, 9]
    assert at.tolist() == [1, 0, 3]
    assert [found.tolist() for found in first_places(np.zeros(0, dtype=np.int64))] == [[], []]


def test_that_nothing_is_imported_for_it() -> None:
    code = (
        "import sys, numpy as np; from poet_gui.viewmodels.distinct import first_places, ranks; "
        "ranks(['b', 'a']); first_places(np.array([2, 1])); sys.exit('numpy.ma' in sys.modules)"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
