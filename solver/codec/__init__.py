"""The documents that leave and enter the program as JSON: poet.graph, .result, .sweep, version 1.

`documents` holds one struct per object of a document, in the order of the contract. The JSON
Schemas in resources/schemas are made from them: `python -m solver.codec.schemas`.
"""

from solver.codec.graph import graph_document
from solver.codec.json_text import decode_result, decode_sweep, encode_json, is_result, is_sweep
from solver.codec.outcome import options_of, outcome_of
from solver.codec.result import Origin, result_document
from solver.codec.sweep import point_document, sweep_document

__all__ = [
    "Origin",
    "decode_result",
    "decode_sweep",
    "encode_json",
    "graph_document",
    "is_result",
    "is_sweep",
    "options_of",
    "outcome_of",
    "point_document",
    "result_document",
    "sweep_document",
]
