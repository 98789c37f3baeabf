"""Exported PyTorch programs, damaged: as bytes, in the fields of the archive, as documents."""

import io
import json
import random
import re
import struct
import zipfile
from collections.abc import Mapping
from typing import Final

from tests.fuzz.byte_damage import damage_bytes
from tests.fuzz.json_damage import damage_document
from tests.helpers.pt2_archives import MODEL, TINY_CNN, WEIGHTS, entries

_HEADS: Final = re.compile(rb"PK(?:\x03\x04|\x01\x02|\x05\x06|\x06\x06|\x06\x07)")
"""Signatures of an entry, of a line of the directory, and of its three kinds of end."""
_HEAD_BYTES: Final = 46
_NUMBERS: Final = (0, 1, 2, 8, 9, 12, 14, 45, 63, 95, 99, 2**11, 2**15, 2**16 - 1, 2**31, 2**32 - 1)
_METHODS: Final = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA)
_DOCUMENTS: Final = (MODEL, MODEL, MODEL, WEIGHTS, "data/constants/model_constants_config.json")


class Exports:
    """Damaged copies of one sound program."""

    def __init__(self) -> None:
        self._sound, self._entries = TINY_CNN.read_bytes(), entries()
        self._heads = [found.start() for found in _HEADS.finditer(self._sound)]

    def damaged(self, draw: random.Random) -> bytes:
        """The bytes of one damaged file."""
        match draw.randrange(8):
            case 0 | 1:
                return damage_bytes(draw, self._sound)
            case 2 | 3:
                return self._other_fields(draw)
            case 4:
                return damage_bytes(draw, _archive(self._entries, draw.choice(_METHODS)))
            case _:
                return self._other_document(draw)

    def _other_fields(self, draw: random.Random) -> bytes:
        made = bytearray(self._sound)
        for _ in range(draw.randint(1, 3)):
            form, most = draw.choice((("<H", 2**16), ("<I", 2**32)))
            place = draw.choice(self._heads) + draw.randrange(4, _HEAD_BYTES)
            if place + struct.calcsize(form) <= len(made):
                struct.pack_into(form, made, place, draw.choice(_NUMBERS) % most)
        return bytes(made)

    def _other_document(self, draw: random.Random) -> bytes:
        name = draw.choice(_DOCUMENTS)
        document = json.loads(self._entries[name])
        for _ in range(draw.randint(1, 3)):
            damage_document(draw, document)
        text = json.dumps(document).encode()
        return _archive({**self._entries, name: text}, zipfile.ZIP_STORED)


def _archive(found: Mapping[str, bytes], method: int) -> bytes:
    whole = io.BytesIO()
    with zipfile.ZipFile(whole, "w", method) as archive:
        for name, data in found.items():
            archive.writestr(f"net/{name}", data)
    return whole.getvalue()
