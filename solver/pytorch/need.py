"""One sentence where PyTorch is wanted and not installed."""

from importlib.util import find_spec

from solver.errors import EngineError, Issue

HINT = "install the optional extra: pip install 'poet-explorer[torch]'"


def require_torch() -> None:
    """Raise EngineError unless PyTorch can be imported; does not import it."""
    if find_spec("torch") is None:
        raise EngineError(Issue("this needs PyTorch, which is not installed here", "", HINT))
