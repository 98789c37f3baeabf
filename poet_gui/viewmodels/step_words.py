"""The steps of a solve in plain words; the engine's own names stay for tooltips and reports."""

from typing import Final

from solver.brackets import STORED_STEP

_WORDS: Final = {
    "checking": "checking the budgets",
    STORED_STEP: "taking over what is known already",
    "plain": "trying without recomputing, or with all paged",
    "greedy": "looking for a first schedule that fits",
    "local search": "improving the best schedule",
    "chain model": "improving long chains of ops exactly",
    "period model": "proving how little is possible: peaks first",
    "gap model": "proving how little is possible: a relaxation",
    "stage model": "proving how little is possible: stage by stage",
    "sqrt-n": "placing checkpoints by the square root rule",
    "keep-all": "executing the plain schedule",
    "page-all": "executing the schedule that pages everything",
}
_IN_BLOCKS: Final = "blocks, "


def step_words(name: str) -> str:
    """What a step does; a name that is not known, of a strategy from elsewhere, as it is."""
    if name.startswith(_IN_BLOCKS):
        return f"block by block: {step_words(name.removeprefix(_IN_BLOCKS))}"
    return _WORDS.get(name, name)
