"""Servers over gRPC that have habits of other libraries, of gateways before them, or of other runtimes: the reference server behind the
relays of grpc_relay.py and stream_relay.py. Numbers in the sentences are the documents of SPEC_NOTES.md."""
import itertools
import struct

import grpc
from google.protobuf.internal.encoder import _VarintBytes
from grpc_relay import LIBRARY, Refusal, is_inference, schema
from grpc_variants import NOT_FOUND, OK, Variant, fields_of, name_field
from stream_relay import StreamVariant


# --- What is refused -------------------------------------------------------------------------------------------------------


class Limited:
    """Every hundredth call of a kind that may be asked again is refused, with the time after which to come again."""

    def __init__(self):
        self.counter = itertools.count(1)

    def request(self, call):
        if call.message is None or next(self.counter) % 97:
            return
        call.limited = True
        raise Refusal(grpc.StatusCode.RESOURCE_EXHAUSTED, "too many requests")

    def answer(self, call):
        if getattr(call, "limited", False):
            call.trailers = [("grpc-retry-pushback-ms", "0")]


def takes_small_batches(call):
    for tensor in call.message.inputs if is_inference(call) else []:
        if len(tensor.shape) > 1 and tensor.shape[0] > 64:
            raise Refusal(grpc.StatusCode.OUT_OF_RANGE, "the batch is larger than 64")


def drops_unknown_fields(call):
    """A gateway that reads a request and writes it anew."""
    if is_inference(call):
        call.message.DiscardUnknownFields()


# --- Models ----------------------------------------------------------------------------------------------------------------

ODD = "a model/1 %41\u00e9 \U0001f600"


def odd_name(call):
    """A model whose name has blanks, a slash, a percent sign, and letters beyond ASCII."""
    field = name_field(call)
    if field and call.message is not None and getattr(call.message, field) == ODD:
        call.odd = True
        setattr(call.message, field, "simple")


def odd_name_answers(call):
    field = name_field(call)
    if field and getattr(call, "odd", False) and call.reply is not None and hasattr(call.reply, field):
        setattr(call.reply, field, ODD)


TWO = "two_signatures"


def other_signature(call):
    """A model that the kit lacks. Its version 1 calls its tensors OLD_IN and OLD_OUT; the last that it lists is 1."""
    field = name_field(call)
    if not field or call.message is None or getattr(call.message, field) != TWO:
        return
    setattr(call.message, field, "versioned")
    call.version = getattr(call.message, "version", "") or getattr(call.message, "model_version", "") or "2"
    if call.rpc == "ModelInfer" and call.version == "1":
        for tensor in [*call.message.inputs, *call.message.outputs]:
            tensor.name = {"OLD_IN": "INPUT0", "OLD_OUT": "OUTPUT0"}.get(tensor.name, tensor.name + "?")


def other_signature_answers(call):
    version, field = getattr(call, "version", None), name_field(call)
    if version is None or call.reply is None:
        return
    if hasattr(call.reply, field):
        setattr(call.reply, field, TWO)
    if call.rpc == "ModelMetadata":
        del call.reply.versions[:]
        call.reply.versions.extend(["2", "1"])
    for tensor in [*getattr(call.reply, "inputs", []), *getattr(call.reply, "outputs", [])] if version == "1" else []:
        tensor.name = {"INPUT0": "OLD_IN", "OUTPUT0": "OLD_OUT"}[tensor.name]


def promises_any_size(call):
    if call.rpc == "ModelMetadata" and call.reply is not None:
        for tensor in [*call.reply.inputs, *call.reply.outputs]:
            shape = [-1] * len(tensor.shape)
            del tensor.shape[:]
            tensor.shape.extend(shape)


def says_more_of_models(call):
    if call.rpc == "ModelMetadata" and call.reply is not None:
        call.reply.platform = "mlserver_sklearn, 1.3"
        for holder in [call.reply, *call.reply.inputs, *call.reply.outputs]:
            holder.parameters["content_type"].string_param = "np"
    if call.rpc == "ServerMetadata" and call.reply is not None:
        call.reply.extensions.extend(["trace", "x-my.own/extension v2"])
        call.reply.version = "24.05+cuda12 (\u00e9)"


# --- What is answered ------------------------------------------------------------------------------------------------------


def next_float(number):
    bits = struct.unpack("<I", struct.pack("<f", number))[0]
    return struct.unpack("<f", struct.pack("<I", bits + 1))[0] if 0 < bits & 0x7fffffff < 0x7f7ffff0 else number


def rounds_otherwise(call):
    """A processor whose sums end in another last bit."""
    if not is_inference(call) or call.reply is None or call.message.model_name != "convnet":
        return
    for number, (output, raw) in enumerate(zip(call.reply.outputs, call.reply.raw_output_contents)):
        if output.datatype != "FP32":
            continue
        values = struct.unpack(f"<{len(raw) // 4}f", raw)
        call.reply.raw_output_contents[number] = struct.pack(f"<{len(values)}f", *map(next_float, values))


def true_is_255(call):
    for number, output in enumerate(call.reply.outputs if is_inference(call) and call.reply is not None else []):
        if output.datatype == "BOOL" and number < len(call.reply.raw_output_contents):
            call.reply.raw_output_contents[number] = bytes(255 if byte else 0 for byte in call.reply.raw_output_contents[number])


def no_elements_no_contents(call):
    """Outputs without elements have neither form of contents."""
    if is_inference(call) and call.reply is not None and not any(call.reply.raw_output_contents):
        del call.reply.raw_output_contents[:]


def echoes_parameters(call):
    """000 does not say which parameters an answer has."""
    if is_inference(call) and call.reply is not None:
        for name, value in call.message.parameters.items():
            if name not in call.reply.parameters:
                call.reply.parameters[name].CopyFrom(value)


def false_with_ok(call):
    """A model that is not ready is told by the message, an unknown one as well, with a version or without."""
    if call.rpc == "ModelReady" and call.code == NOT_FOUND:
        call.code = OK
        call.answered(schema.ModelReadyResponse().SerializeToString())


def later_contents(call, data):
    """A later edition of the schema has more in an answer: a list, a message and a group of numbers that nobody knows."""
    if call.rpc not in ("ModelInfer", "ModelMetadata", "ServerMetadata"):
        return data
    return data + b"\xf2\x07\x04\x08\x01\x10\x02" + b"\xfa\x07\x00" + b"\x80\x7d\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01"


def entries_backwards(call, data):
    """The entries of a map have their value before their key, and an entry without a value has the default."""
    if call.rpc != "ModelInfer":
        return data
    made = b""
    for number, kind, field in fields_of(data):
        if number == 4 and kind == 2:
            size = len(field) - 1
            parts = fields_of(field[1 + (1 if size < 129 else 2):])
            body = b"".join(part for _, _, part in reversed(parts))
            field = field[:1] + _VarintBytes(len(body)) + body
        made += field
    return made


def long_varints(call, data):
    """The true of a health answer takes ten bytes."""
    if call.rpc not in ("ServerLive", "ServerReady", "ModelReady") or data != b"\x08\x01":
        return data
    return b"\x08\x81\x80\x80\x80\x80\x80\x80\x80\x80\x00"


# --- Frames of HTTP/2 ------------------------------------------------------------------------------------------------------

HEADERS, PRIORITY, WINDOW_UPDATE, END_STREAM = 1, 2, 8, 1


def sends_priorities(kind, flags, stream, payload):
    """A priority stands behind each head."""
    if kind == HEADERS and not flags & END_STREAM:
        return [(kind, flags, stream, payload), (PRIORITY, 0, stream, b"\0\0\0\0\x10")]
    return [(kind, flags, stream, payload)]


def opens_windows(kind, flags, stream, payload):
    """The server gives credit that nobody has asked for, before and behind its head."""
    more = (WINDOW_UPDATE, 0, 0, (1).to_bytes(4, "big"))
    return [more, (kind, flags, stream, payload)] if kind == HEADERS else [(kind, flags, stream, payload)]


# --- The tables ------------------------------------------------------------------------------------------------------------

LIMITED = Limited()

VARIANTS = [
    Variant("grpc-limits-at-times", "gRPC, retries: a refusal may say when to come again", request=LIMITED.request, answer=LIMITED.answer),
    Variant("grpc-small-batches", "000 leaves it to the model which sizes it takes of a variable dimension", request=takes_small_batches),
    Variant("grpc-drops-unknown", "proto3: a relay may drop fields that the schema does not have", request=drops_unknown_fields),
    Variant("grpc-odd-name", "000: a model's name is any string", request=odd_name, answer=odd_name_answers, flags=["--model", ODD], judged=150),
    Variant("grpc-versions-differ", "000, Model Metadata: each version has metadata of its own", request=other_signature,
            answer=other_signature_answers, flags=["--model", TWO], judged=150),
    Variant("grpc-any-size", "000: a dimension of variable size is -1; which sizes a model then takes is not said", answer=promises_any_size),
    Variant("grpc-more-metadata-of-models", "001: metadata of models and tensors may have parameters", answer=says_more_of_models),
    Variant("grpc-rounds-otherwise", "000 does not say how a model computes, and sums of FP32 differ in their last bit", answer=rounds_otherwise),
    Variant("grpc-true-is-255", "000, Tensor Data Types: BOOL is one byte, and which one is true it does not say", answer=true_is_255,
            breaks=["v2-grpc.bool-answer"]),
    Variant("grpc-no-elements", "000, GRPC Tensor Data: what has no elements has no contents", answer=no_elements_no_contents),
    Variant("grpc-echoes-parameters", "000: an answer may have parameters", answer=echoes_parameters),
    Variant("grpc-false-with-ok", "000, Model Ready: false is a message of no bytes", answer=false_with_ok),
    Variant("grpc-later-contents", "proto3: fields that the schema does not have are passed over", write=later_contents),
    Variant("grpc-entries-backwards", "proto3 encoding: the fields of an entry of a map come in any order", write=entries_backwards),
    Variant("grpc-long-varints", "proto3 encoding: a varint may be longer than it must", write=long_varints),
]

V2 = "v2-grpc"

FRAMES = [
    (V2, StreamVariant("grpc-priorities", "RFC 9113, 6.3: PRIORITY may come at any time", frame=sends_priorities, judged=1400, flags=LIBRARY)),
    (V2, StreamVariant("grpc-opens-windows", "RFC 9113, 6.9: WINDOW_UPDATE may come at any time", frame=opens_windows, judged=1400, flags=LIBRARY)),
]
