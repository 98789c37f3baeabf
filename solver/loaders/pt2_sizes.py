"""Sizes that an exported program writes as expressions of open ones: worked out, not evaluated.

An expression is written as sympy prints its structure:
"Mul(Integer(2), Symbol('s77', integer=True))".
"""

import ast
import math
import operator
from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Final

_LONGEST: Final = 400
"""Characters: a longer expression is no size of a tensor."""
_FUNCTIONS: Final[Mapping[str, Callable[[Sequence[int]], int]]] = MappingProxyType({
    "Integer": lambda given: given[0],
    "Add": sum,
    "Mul": math.prod,
    "FloorDiv": lambda given: operator.floordiv(*given),
    "CleanDiv": lambda given: operator.floordiv(*given),
    "Mod": lambda given: operator.mod(*given),
    "PythonMod": lambda given: operator.mod(*given),
    "Max": max,
    "Min": min,
})  # fmt: skip
"""What sizes are made with, as sympy and torch/utils/_sympy/functions.py call it."""
_PAIRS: Final = frozenset({"FloorDiv", "CleanDiv", "Mod", "PythonMod"})


def is_known(text: str) -> bool:
    """Whether the expression is made of sums, products and quotients alone."""
    tree = _parsed(text)
    return tree is not None and _is_plain(tree)


def symbol_of(text: str) -> str | None:
    """The open size that the expression is, None where it is none or more than one."""
    tree = _parsed(text)
    return None if tree is None else _symbol(tree)


def size_of(text: str, sizes: Mapping[str, int]) -> int:
    """The expression's value, in elements.

    Raises ValueError for what `is_known` does not know, KeyError for a size that is not given, and
    ZeroDivisionError.
    """
    tree = _parsed(text)
    if tree is None or not _is_plain(tree):
        raise ValueError(text)
    return _value(tree, sizes)


def _parsed(text: str) -> ast.expr | None:
    if len(text) > _LONGEST:
        return None
    try:
        return ast.parse(text, mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


def _symbol(node: ast.expr) -> str | None:
    match node:
        case ast.Call(func=ast.Name(id="Symbol"), args=[ast.Constant(value=str() as name)]):
            return name if name.isidentifier() else None
        case ast.Name(id=name):
            return name
        case _:
            return None


def _number(node: ast.expr) -> int | None:
    match node:
        case ast.Constant(value=bool()):
            return None
        case ast.Constant(value=int() as number):
            return number
        case ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=int() as number)):
            return -number
        case _:
            return None


def _is_plain(node: ast.expr) -> bool:
    if _symbol(node) is not None or _number(node) is not None:
        return True
    match node:
        case ast.Call(func=ast.Name(id=name), args=[_, *_] as given, keywords=[]):
            fits = name in _FUNCTIONS and (name not in _PAIRS or len(given) == 2)  # noqa: PLR2004 - a pair
            return fits and all(_is_plain(argument) for argument in given)
        case _:
            return False


def _value(node: ast.expr, sizes: Mapping[str, int]) -> int:
    symbol, number = _symbol(node), _number(node)
    if symbol is not None:
        return sizes[symbol]
    if number is not None:
        return number
    assert isinstance(node, ast.Call)
    assert isinstance(node.func, ast.Name)
    return _FUNCTIONS[node.func.id]([_value(argument, sizes) for argument in node.args])
