"""Graph files in JSON, damaged: as documents (values, names, order) and as text (bytes)."""

import copy
import json
import random
from pathlib import Path
from typing import Any, Final

from tests.fuzz.byte_damage import damage_bytes
from tests.helpers.mutations import POET_GRAPH, WRONG_VALUES, places

_GRAPHS: Final = Path(__file__).parent.parent / "data" / "graphs"
_NUMBERS: Final = (0, 1, -1, 2**31, 2**62, 2**63, 2**64, 10**30, 1e308, 5e-324, 1.5, 1e19)
_ENCODINGS: Final = ("utf-8", "utf-8-sig", "utf-16", "utf-16-be", "utf-32")


def documents() -> tuple[dict[str, Any], ...]:
    """Sound documents to start from, in an order that never changes."""
    files = sorted([*_GRAPHS.glob("0*.json"), *_GRAPHS.glob("random/random_11_0*.json")])
    return (POET_GRAPH, *(json.loads(path.read_text("utf-8")) for path in files))


def damaged_json(draw: random.Random, sound: tuple[dict[str, Any], ...]) -> bytes:
    """The bytes of one damaged file."""
    document = copy.deepcopy(draw.choice(sound))
    for _ in range(draw.randint(0, 3)):
        damage_document(draw, document)
    text = json.dumps(document, ensure_ascii=draw.random() < 0.5)
    if draw.random() < 0.2:
        text = _deepened(draw, text)
    data = text.encode(draw.choice(_ENCODINGS), "surrogatepass")
    return damage_bytes(draw, data) if draw.random() < 0.4 else data


def damage_document(draw: random.Random, document: dict[str, Any]) -> None:
    """Change one value of a document, or its place, in it."""
    found = places(document)
    if not found:
        return
    container, key = draw.choice(found)
    edits = (
        lambda: container.__setitem__(key, copy.deepcopy(draw.choice(WRONG_VALUES))),
        lambda: container.__setitem__(key, draw.choice(_NUMBERS)),
        lambda: container.__setitem__(key, copy.deepcopy(_value(draw.choice(found)))),
        lambda: container.__delitem__(key),
        lambda: _twice(container, key),
        lambda: _shuffled(draw, container),
    )
    draw.choice(edits)()


def _value(place: tuple[Any, Any]) -> Any:
    container, key = place
    return container[key]


def _twice(container: Any, key: Any) -> None:
    if isinstance(container, list):
        container.append(copy.deepcopy(container[key]))
    else:
        container[f"{key}\ud800"] = container[key]  # half a character


def _shuffled(draw: random.Random, container: Any) -> None:
    if isinstance(container, list):
        draw.shuffle(container)


def _deepened(draw: random.Random, text: str) -> str:
    """A value taken for brackets without end, a long number, or the same text again and again."""
    place = draw.randrange(len(text) + 1)
    times = draw.choice((10, 1000, 100_000))
    more = draw.choice(("[", '{"a":', "9", "1e", "-", '"x",', "[[],", "\\u0000"))
    return text[:place] + more * times + text[place:]
