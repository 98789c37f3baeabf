"""Damage to bytes that knows nothing of what they mean: flips, cuts, copies, foreign pieces."""

import random
from typing import Final

_TELLING: Final = (0x00, 0x01, 0x7F, 0x80, 0xFF, 0x0A, 0x22, 0x5B, 0x7B)


def damage_bytes(draw: random.Random, data: bytes, foreign: bytes = b"") -> bytes:
    """One to four damages; `foreign` is where pieces of another file come from."""
    made = bytearray(data)
    for _ in range(draw.randint(1, 4)):
        if not made:
            break
        _damage(draw, made, foreign or data)
    return bytes(made)


def _damage(draw: random.Random, made: bytearray, foreign: bytes) -> None:
    place = draw.randrange(len(made))
    end = min(len(made), place + draw.choice((1, 2, 8, 64, 1024)))
    match draw.randrange(7):
        case 0:
            made[place] ^= 1 << draw.randrange(8)
        case 1:
            made[place] = draw.choice(_TELLING)
        case 2:
            made[place:end] = bytes(draw.randrange(256) for _ in range(end - place))
        case 3:
            del made[place:end]
        case 4:
            made[place:place] = made[place:end] * draw.choice((1, 2, 16))
        case 5:
            start = draw.randrange(len(foreign))
            made[place:place] = foreign[start : start + end - place]
        case _:
            del made[place:]
