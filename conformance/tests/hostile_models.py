"""A model with as many outputs as one likes, in the messages of every protocol. They are written by hand: no library is needed, and none refuses."""
import functools
import struct
import sys

sys.path.insert(0, "proto/tests")
from wire import field

READY = 1  # ModelReadyState and RequestStatusCode of v1: ready, and success
INT32_V1, INT32_GRAPHPIPE = 8, 6


def name_of(index):
    return b"OUT%d" % index


@functools.cache
def v2_metadata(outputs):
    tensor = field(2, b"INT32") + field(3, b"\x01")
    return (field(1, b"simple") + field(2, b"1") + field(3, b"none") + field(4, field(1, b"IN") + tensor)
            + b"".join(field(5, field(1, name_of(i)) + tensor) for i in range(outputs)))


@functools.cache
def v2_inference(outputs):
    tensor = field(2, b"INT32") + field(3, b"\x01")
    return (field(1, b"simple") + field(2, b"1") + b"".join(field(5, field(1, name_of(i)) + tensor) for i in range(outputs))
            + field(6, bytes(4)) * outputs)


def v1_server(models):
    """ServerStatus with these models: name -> ModelConfig."""
    version = field(2, field(1, 1) + field(2, field(1, READY)))
    return field(1, b"x") + field(2, b"1.0") + b"".join(field(4, field(1, name) + field(2, field(1, config) + version)) for name, config in models.items())


def v1_config(outputs, dims=b"\x01"):
    tensor = field(2, INT32_V1) + field(3, b"\x01")
    return (field(1, b"simple") + field(2, b"none") + field(5, field(1, b"IN") + field(2, INT32_V1) + field(4, dims))
            + b"".join(field(6, field(1, name_of(i)) + tensor) for i in range(outputs)))


@functools.cache
def v1_status(outputs):
    return field(1, field(1, READY)) + field(2, v1_server({b"simple": v1_config(outputs)}))


@functools.cache
def v1_header(outputs):
    """InferResponseHeader."""
    raw = field(2, field(1, b"\x01") + field(2, 4))
    return field(1, b"simple") + field(2, 1) + field(3, 1) + b"".join(field(4, field(1, name_of(i)) + raw) for i in range(outputs))


@functools.cache
def v1_inference(outputs):
    return field(1, field(1, READY)) + field(2, v1_header(outputs)) + field(3, bytes(4)) * outputs


def v1_text_header(outputs):
    """InferResponseHeader as the text of a header."""
    return b"model_name: 'simple' model_version: 1 batch_size: 1 " + b"".join(
        b"output{name:'%s' raw{dims:1 batch_byte_size:4}}" % name_of(i) for i in range(outputs))


# --- FlatBuffers ------------------------------------------------------------------------------------------------------


class Flat:
    """Writes parents before their children, whose places are filled in later."""

    def __init__(self, root):
        self.out = bytearray(4)
        self.point(0, root(self))

    def point(self, at, place):
        struct.pack_into("<I", self.out, at, place - at)

    def align(self, size):
        self.out += bytes(-len(self.out) % size)


def table(*members):
    """Members are bytes, which are a byte, None, or functions that write a child."""

    def write(flat):
        flat.align(4)
        vtable = len(flat.out)
        flat.out += struct.pack("<HH", 4 + 2 * len(members), 4 + 4 * len(members))
        flat.out += b"".join(struct.pack("<H", 0 if member is None else 4 + 4 * i) for i, member in enumerate(members))
        flat.align(4)
        at = len(flat.out)
        flat.out += struct.pack("<i", at - vtable) + bytes(4 * len(members))
        for i, member in enumerate(members):
            if isinstance(member, bytes):
                flat.out[at + 4 + 4 * i] = member[0]
            elif member is not None:
                flat.point(at + 4 + 4 * i, member(flat))
        return at

    return write


def text(value):
    def write(flat):
        flat.align(4)
        at = len(flat.out)
        flat.out += struct.pack("<I", len(value)) + value + b"\0"
        return at

    return write


def numbers(size, values):
    def write(flat):
        flat.align(4)
        flat.out += bytes((-len(flat.out) - 4) % size)
        at = len(flat.out)
        flat.out += struct.pack("<I", len(values)) + b"".join(value.to_bytes(size, "little") for value in values)
        return at

    return write


def children(*all_of_them):
    def write(flat):
        flat.align(4)
        at = len(flat.out)
        flat.out += struct.pack("<I", len(all_of_them)) + bytes(4 * len(all_of_them))
        for i, child in enumerate(all_of_them):
            flat.point(at + 4 + 4 * i, child(flat))
        return at

    return write


INT32_TYPE = bytes([INT32_GRAPHPIPE])


@functools.cache
def graphpipe_metadata(outputs):
    def tensor(name):
        return table(text(name), text(b""), numbers(8, [1]), INT32_TYPE)

    return bytes(Flat(table(text(b"simple"), text(b"1"), text(b"x"), text(b""), children(tensor(b"IN")),
                            children(*(tensor(name_of(i)) for i in range(outputs))))).out)


@functools.cache
def graphpipe_inference(outputs):
    tensor = table(INT32_TYPE, numbers(8, [1]), numbers(1, bytes(4)), None)
    return bytes(Flat(table(children(*[tensor] * outputs), None)).out)
