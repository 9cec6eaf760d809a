"""Shared by scripts that write protobuf, gRPC or HTTP/2 byte by byte, because no library sends what they send."""
import struct

DATA, HEADERS, PRIORITY, RST_STREAM, SETTINGS, PUSH_PROMISE, PING, GOAWAY, WINDOW_UPDATE, CONTINUATION = range(10)  # RFC 9113, 6
ACK = END_STREAM = 1
END_HEADERS, PADDED = 4, 8
PREFACE = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"


def frame(kind, flags, stream, payload=b""):
    return struct.pack(">I", len(payload))[1:] + bytes([kind, flags]) + struct.pack(">I", stream) + payload


def frames_of(file):
    """Yields (kind, flags, stream, payload) of a file of a connection, until that ends."""
    try:
        while len(head := file.read(9)) == 9:
            yield head[3], head[4], int.from_bytes(head[5:], "big") & 0x7FFFFFFF, file.read(int.from_bytes(head[:3], "big"))
    except ConnectionError:
        pass


def as_bytes(text):
    return text.encode() if isinstance(text, str) else text


def hpack_text(text):
    """Returns a text that is not compressed (RFC 7541, 5.2), after its length in a prefix of 7 bits."""
    text = as_bytes(text)
    return (bytes([len(text)]) if len(text) < 127 else b"\x7f" + varint(len(text) - 127)) + text


def literal(name, value):
    """Returns a header field that is in no table (RFC 7541, 6.2.2)."""
    return b"\x00" + hpack_text(name) + hpack_text(value)


def call_head(path, **changed):
    """Returns the header fields of a call of gRPC; `changed` are other values, with _ for - and __ for :, or None: there is no such field."""
    fields = {":method": "POST", ":scheme": "http", ":path": path, ":authority": "x", "te": "trailers", "content-type": "application/grpc"}
    fields.update((name.replace("__", ":").replace("_", "-"), value) for name, value in changed.items())
    return b"".join(literal(*pair) for pair in fields.items() if pair[1] is not None)


def varint(number):
    number &= 2**64 - 1
    out = bytearray()
    while number > 127:
        out.append(number & 127 | 128)
        number >>= 7
    out.append(number)
    return bytes(out)


def field(number, value):
    """Returns a field of protobuf: bytes, text or an integer."""
    if isinstance(value, int):
        return varint(number << 3) + varint(value)
    value = as_bytes(value)
    return varint(number << 3 | 2) + varint(len(value)) + value


def input_tensor(name, datatype, shape, contents=b""):
    """Returns an input as a field of a ModelInferRequest."""
    packed = b"".join(map(varint, shape))
    return field(5, field(1, name) + field(2, datatype) + field(3, packed) + (field(5, contents) if contents else b""))


def message(body=b"", flag=0):
    """Returns a message of gRPC after its prefix; `flag` is 1 if it is compressed."""
    return bytes([flag]) + struct.pack(">I", len(body)) + body
