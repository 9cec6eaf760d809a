"""A model with as many outputs as one likes, in the messages of every protocol. They are written by hand: no library is needed, and none refuses."""
import functools
import struct

READY = 1  # ModelReadyState and RequestStatusCode of v1: ready, and success
INT32_V1, INT32_GRAPHPIPE = 8, 6


# --- protobuf ---------------------------------------------------------------------------------------------------------


def varint(number):
    out = bytearray()
    while number > 127:
        out.append(number & 127 | 128)
        number >>= 7
    out.append(number)
    return bytes(out)


def whole(number, value):
    return varint(number << 3) + varint(value)


def part(number, value):
    """A text, bytes or a message as a field."""
    return varint(number << 3 | 2) + varint(len(value)) + value


def name_of(index):
    return b"OUT%d" % index


@functools.cache
def v2_metadata(outputs):
    tensor = part(2, b"INT32") + part(3, b"\x01")
    return (part(1, b"simple") + part(2, b"1") + part(3, b"none") + part(4, part(1, b"IN") + tensor)
            + b"".join(part(5, part(1, name_of(i)) + tensor) for i in range(outputs)))


@functools.cache
def v2_inference(outputs):
    tensor = part(2, b"INT32") + part(3, b"\x01")
    return (part(1, b"simple") + part(2, b"1") + b"".join(part(5, part(1, name_of(i)) + tensor) for i in range(outputs))
            + part(6, bytes(4)) * outputs)


def v1_server(models):
    """ServerStatus with these models: name -> ModelConfig."""
    version = part(2, whole(1, 1) + part(2, whole(1, READY)))
    return part(1, b"x") + part(2, b"1.0") + b"".join(part(4, part(1, name) + part(2, part(1, config) + version)) for name, config in models.items())


def v1_config(outputs, dims=b"\x01"):
    tensor = whole(2, INT32_V1) + part(3, b"\x01")
    return (part(1, b"simple") + part(2, b"none") + part(5, part(1, b"IN") + whole(2, INT32_V1) + part(4, dims))
            + b"".join(part(6, part(1, name_of(i)) + tensor) for i in range(outputs)))


@functools.cache
def v1_status(outputs):
    return part(1, whole(1, READY)) + part(2, v1_server({b"simple": v1_config(outputs)}))


@functools.cache
def v1_header(outputs):
    """InferResponseHeader."""
    raw = part(2, part(1, b"\x01") + whole(2, 4))
    return part(1, b"simple") + whole(2, 1) + whole(3, 1) + b"".join(part(4, part(1, name_of(i)) + raw) for i in range(outputs))


@functools.cache
def v1_inference(outputs):
    return part(1, whole(1, READY)) + part(2, v1_header(outputs)) + part(3, bytes(4)) * outputs


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


def table(*fields):
    """Fields are bytes, which are a byte, None, or functions that write a child."""

    def write(flat):
        flat.align(4)
        vtable = len(flat.out)
        flat.out += struct.pack("<HH", 4 + 2 * len(fields), 4 + 4 * len(fields))
        flat.out += b"".join(struct.pack("<H", 0 if field is None else 4 + 4 * i) for i, field in enumerate(fields))
        flat.align(4)
        at = len(flat.out)
        flat.out += struct.pack("<i", at - vtable) + bytes(4 * len(fields))
        for i, field in enumerate(fields):
            if isinstance(field, bytes):
                flat.out[at + 4 + 4 * i] = field[0]
            elif field is not None:
                flat.point(at + 4 + 4 * i, field(flat))
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
