"""If, Loop and Scan written out: the branch that is taken, the body as often as it runs."""

from solver.loaders.onnx_bodies import Visit
from solver.loaders.onnx_branch import branch
from solver.loaders.onnx_inferred import Inferred
from solver.loaders.onnx_loop import loop
from solver.loaders.onnx_nodes import FileNode
from solver.loaders.onnx_scan import scan


def expand(state: Inferred, node: FileNode, visit: Visit) -> None:
    """Walk over the nodes that stand for a node with bodies.

    Raises RuleError for a node that breaks the rules of its operator.
    """
    handler = {"If": branch, "Loop": loop, "Scan": scan}.get(node.op_type)
    if handler is None:
        state.unsupported.setdefault(node.op_type, []).append(node.name)
    else:
        handler(state, node, visit)
