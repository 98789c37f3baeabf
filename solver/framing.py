"""Messages on a pipe: each is four bytes of length and that much JSON, read one after the other."""

import struct
from typing import BinaryIO, Final, Generic, TypeVar

import msgspec

from solver.json_hooks import plain

_LENGTH: Final = struct.Struct(">I")
_ENCODER: Final = msgspec.json.Encoder(enc_hook=plain)
_M = TypeVar("_M")


class ProtocolError(Exception):
    """The other side sent something that is no message: it is broken or of another version."""


def framed(message: msgspec.Struct) -> bytes:
    """The message as four bytes of length (big-endian) and that many bytes of UTF-8 JSON."""
    body = _ENCODER.encode(message)
    return _LENGTH.pack(len(body)) + body


class MessageReader(Generic[_M]):
    """Reads messages from a blocking binary stream."""

    def __init__(self, stream: BinaryIO, decoder: msgspec.json.Decoder[_M]) -> None:
        self._stream = stream
        self._decoder = decoder

    def read(self) -> _M | None:
        """The next message, or None at the end of the stream (also when it ends inside a message).

        Raises ProtocolError when the bytes are no message of the expected kind.
        """
        head = self._exactly(_LENGTH.size)
        if head is None:
            return None
        body = self._exactly(_LENGTH.unpack(head)[0])
        if body is None:
            return None
        try:
            return self._decoder.decode(body)
        except msgspec.DecodeError as error:
            raise ProtocolError(f"not a message of this program: {error}") from error

    def _exactly(self, size: int) -> bytes | None:
        parts: list[bytes] = []
        while size:
            part = self._stream.read(size)
            if not part:
                return None
            parts.append(part)
            size -= len(part)
        return b"".join(parts)
