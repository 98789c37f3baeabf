"""Small damages to a parsed document, such as a slip of the editor makes them."""

import copy
from typing import Any, Final

from hypothesis import strategies as st

POET_GRAPH: Final[dict[str, Any]] = {
    "format": "poet.graph",
    "version": 1,
    "ops": [
        {"name": "A", "kind": "x", "phase": "forward", "inputs": [], "outputs": ["a"], "flop": 5},
        {"name": "L", "phase": "forward", "inputs": ["a"], "outputs": ["loss"], "flop": 1},
        {"name": "G", "phase": "backward", "inputs": ["loss", "a"], "outputs": [], "flop": 2.5},
    ],
    "tensors": [
        {"name": "a", "bytes": 8, "shape": [2]},
        {"name": "loss", "bytes": 4, "role": None},
    ],
    "trainable": [{"name": "w", "bytes": 4}],
    "loss_tensors": ["loss"],
    "settings": {"accounting": "poet", "dims": {"N": 1}},
}
"""A sound poet.graph as a file of another program may hold it: the least, and some that is null."""

WRONG_VALUES: tuple[Any, ...] = (
    None, True, False, 0, -1, 1.5, float("nan"), float("inf"), 2**70, "", "x", "100", [], {},
    [None], ["x"], [[]], {"name": "x"}, [{"name": 7}],
)  # fmt: skip


def places(document: Any) -> list[tuple[Any, Any]]:
    """Every (container, key) of a document, outermost first."""
    found: list[tuple[Any, Any]] = []
    open_ = [document]
    while open_:
        value = open_.pop()
        keys = list(value) if isinstance(value, dict) else range(len(value))
        for key in keys:
            found.append((value, key))
            if isinstance(value[key], dict | list):
                open_.append(value[key])
    return found


@st.composite
def damaged(draw: st.DrawFn, document: dict[str, Any]) -> dict[str, Any]:
    """The document with one to three values replaced, removed, or listed twice."""
    made = copy.deepcopy(document)
    for _ in range(draw(st.integers(1, 3))):
        found = places(made)
        if not found:
            break
        container, key = draw(st.sampled_from(found))
        match draw(st.sampled_from(["replace", "replace", "remove", "twice"])):
            case "replace":
                container[key] = copy.deepcopy(draw(st.sampled_from(WRONG_VALUES)))
            case "remove":
                del container[key]
            case _ if isinstance(container, list):
                container.append(copy.deepcopy(container[key]))
    return made
