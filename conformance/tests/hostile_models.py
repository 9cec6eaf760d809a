"""A model with as many outputs as one likes, in the messages of every protocol. They are written by hand: no library is needed, and none refuses.
GraphPipe's are put together from what the library writes of one output."""
import functools
import struct
import sys

sys.path.insert(0, "proto/tests")
from flat_layout import made, schema, written
from wire import field

READY = 1  # ModelReadyState and RequestStatusCode of v1: ready, and success
INT32_V1, INT32_GRAPHPIPE = 8, 6


def name_of(index):
    return b"OUT%05d" % index


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


def v1_config(outputs):
    tensor = field(2, INT32_V1) + field(3, b"\x01")
    return (field(1, b"simple") + field(2, b"none") + field(5, field(1, b"IN") + field(2, INT32_V1) + field(4, b"\x01"))
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


def with_list(kind, field, message, one, count):
    """The bytes of the message, of which that field leads to a list of so many tables. They are all like `one`, but for the number in its name."""
    data, table = bytearray(written(message)), written(one)
    data += bytes(-len(data) % 8 + 4 * (count % 2 == 0))  # tables stand at whole eights
    table += bytes(-len(table) % 8)
    root = getattr(schema()[kind], kind).GetRootAs(data)._tab
    place = root.Pos + root.Offset(4 + 2 * field)
    struct.pack_into("<I", data, place, len(data) - place)
    first = 4 * count + struct.unpack_from("<I", table)[0]  # seen from where the first offset stands
    data += struct.pack(f"<{count + 1}I", count, *(first + (len(table) - 4) * i for i in range(count)))
    return bytes(data) + b"".join(table.replace(name_of(0), name_of(i)) for i in range(count))


@functools.cache
def graphpipe_metadata(outputs):
    given, like = (made("IOMetadata", name=name, description=b"", shape=[1], type=INT32_GRAPHPIPE) for name in (b"IN", name_of(0)))
    message = made("MetadataResponse", name=b"simple", version=b"1", server=b"x", description=b"", inputs=[given], outputs=[])
    return with_list("MetadataResponse", 5, message, like, outputs)


@functools.cache
def graphpipe_inference(outputs):
    like = made("Tensor", type=INT32_GRAPHPIPE, shape=[1], data=bytes(4))
    return with_list("InferResponse", 0, made("InferResponse", outputTensors=[]), like, outputs)
