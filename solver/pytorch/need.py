"""One sentence where PyTorch is wanted and not installed."""

from importlib.util import find_spec

from solver.errors import EngineError, Issue

HINT = "an optional extra of this program: pip install torch"


def require_torch() -> None:
    """Raise EngineError unless PyTorch can be imported; does not import it."""
    if find_spec("torch") is None:
        raise EngineError(Issue("this needs PyTorch, which is not installed here", "", HINT))
