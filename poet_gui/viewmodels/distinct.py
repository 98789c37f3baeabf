"""Ranks and first places of values.

At its first use np.unique imports numpy.ma, which would hold up the window for 45 ms.
"""

from collections.abc import Sequence

import numpy as np

from poet_gui.viewmodels.trace_index import IntArray


def ranks(texts: Sequence[str]) -> IntArray:
    """Place of each text among the different ones in their order, shape (n,): numbers sort fast."""
    place = {text: rank for rank, text in enumerate(sorted(set(texts)))}
    return np.array([place[text] for text in texts], dtype=np.int64)


def first_places(values: IntArray) -> tuple[IntArray, IntArray]:
    """The different `values`, rising, and where each stands first."""
    order = np.argsort(values, kind="stable")
    rising = values[order]
    new = np.ones(len(rising), dtype=np.bool_)
    new[1:] = rising[1:] != rising[:-1]
    return rising[new], order[new]
