"""The JSON Schemas of the documents, made from their structs: `python -m solver.codec.schemas`."""

import json
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Final

import msgspec

import resources.schemas
from solver.codec.documents import GraphDocument, ResultDocument
from solver.codec.plan import PlanDocument
from solver.codec.sweep_documents import SweepDocument

DOCUMENTS: Final[Mapping[str, type[msgspec.Struct]]] = MappingProxyType({
    "poet.graph": GraphDocument,
    "poet.result": ResultDocument,
    "poet.sweep": SweepDocument,
    "poet.plan": PlanDocument,
})  # fmt: skip


def schema_text(name: str) -> str:
    """The JSON Schema (draft 2020-12) of the document of that format name, as it stands on disk."""
    schema = msgspec.json.schema(DOCUMENTS[name])
    head = {"$schema": "https://json-schema.org/draft/2020-12/schema", "title": f"{name} version 1"}
    return json.dumps({**head, **schema}, indent=1) + "\n"


def main() -> None:
    """Write every schema into the package `resources.schemas` of this checkout."""
    folder = Path(next(iter(resources.schemas.__path__)))
    for name in DOCUMENTS:
        (folder / f"{name}.schema.json").write_text(schema_text(name), encoding="utf-8")


if __name__ == "__main__":
    main()
