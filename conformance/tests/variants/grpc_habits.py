"""Servers over gRPC that have habits of other libraries, of gateways before them, or of other runtimes: the reference server behind the
relay of grpc_relay.py. Numbers in the sentences are the documents of SPEC_NOTES.md."""
import itertools

import grpc
from grpc_relay import Variant, refuse
from grpc_variants import fields_of, is_inference
from wire import DATA, END_HEADERS, END_STREAM, HEADERS, PADDED, PRIORITY, SETTINGS, WINDOW_UPDATE, varint


# --- What is refused -------------------------------------------------------------------------------------------------------


def limits():
    """Every hundredth call of a kind that may be asked again is refused, with the time after which to come again."""
    counter = itertools.count(1)

    def request(call):
        if call.message is not None and next(counter) % 97 == 0:
            call.trailers = [("grpc-retry-pushback-ms", "0")]
            refuse(grpc.StatusCode.RESOURCE_EXHAUSTED, "too many requests")
    return request


def drops_unknown_fields(call):
    """A gateway that reads a request and writes it anew."""
    if is_inference(call):
        call.message.DiscardUnknownFields()


# --- Models ----------------------------------------------------------------------------------------------------------------


def says_more_of_models(call):
    if call.rpc == "ModelMetadata" and call.reply is not None:
        call.reply.platform = "mlserver_sklearn, 1.3"
        for holder in [call.reply, *call.reply.inputs, *call.reply.outputs]:
            holder.parameters["content_type"].string_param = "np"
    if call.rpc == "ServerMetadata" and call.reply is not None:
        call.reply.extensions.extend(["trace", "x-my.own/extension v2"])
        call.reply.version = "24.05+cuda12 (\u00e9)"


# --- What is answered ------------------------------------------------------------------------------------------------------


def true_is_255(call):
    for number, output in enumerate(call.reply.outputs if is_inference(call) and call.reply is not None else []):
        if output.datatype == "BOOL" and number < len(call.reply.raw_output_contents):
            call.reply.raw_output_contents[number] = bytes(255 if byte else 0 for byte in call.reply.raw_output_contents[number])


def no_elements_no_contents(call):
    """Outputs without elements have neither form of contents."""
    if is_inference(call) and call.reply is not None and not any(call.reply.raw_output_contents):
        del call.reply.raw_output_contents[:]


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
            field = field[:1] + varint(len(body)) + body
        made += field
    return made


def long_varints(call, data):
    """The true of a health answer takes ten bytes."""
    if call.rpc not in ("ServerLive", "ServerReady", "ModelReady") or data != b"\x08\x01":
        return data
    return b"\x08\x81\x80\x80\x80\x80\x80\x80\x80\x80\x00"


# --- Frames of HTTP/2 ------------------------------------------------------------------------------------------------------


def sends_priorities(kind, flags, stream, payload):
    """A priority follows each head."""
    if kind == HEADERS and not flags & END_STREAM:
        return [(kind, flags, stream, payload), (PRIORITY, 0, stream, b"\0\0\0\0\x10")]
    return [(kind, flags, stream, payload)]


def opens_windows(kind, flags, stream, payload):
    """The server gives credit that nobody has asked for, before and after its head."""
    more = (WINDOW_UPDATE, 0, 0, (1).to_bytes(4, "big"))
    return [more, (kind, flags, stream, payload)] if kind == HEADERS else [(kind, flags, stream, payload)]


def pads_data(kind, flags, stream, payload):
    """A message comes in two frames, both with padding."""
    if kind != DATA or flags & PADDED:
        return [(kind, flags, stream, payload)]
    half = len(payload) // 2
    return [(DATA, PADDED, stream, b"\0" + payload[:half]), (DATA, flags | PADDED, stream, b"\5" + payload[half:] + bytes(5))]


def sends_interim_heads(kind, flags, stream, payload):
    """The status 103 stands in a head of its own, before that of the answer."""
    frames = [(kind, flags, stream, payload)]
    return [(HEADERS, END_HEADERS, stream, b"\x08\x03103")] + frames if kind == HEADERS and not flags & END_STREAM else frames


def sets_more(kind, flags, stream, payload):
    """Settings come again with each head, another size of frames and one that nobody knows."""
    frames = [(kind, flags, stream, payload)]
    return [(SETTINGS, 0, 0, bytes.fromhex("000500004e20f0f000000007"))] + frames if kind == HEADERS and not flags & END_STREAM else frames


# --- The tables ------------------------------------------------------------------------------------------------------------

VARIANTS = [
    Variant("grpc-limits-at-times", "gRPC, retries: a refusal may say when to come again", request=limits()),
    Variant("grpc-drops-unknown", "proto3: a relay may drop fields that the schema does not have", request=drops_unknown_fields),
    Variant("grpc-more-metadata-of-models", "001: metadata of models and tensors may have parameters", answer=says_more_of_models),
    Variant("grpc-true-is-255", "000, Tensor Data Types: BOOL is one byte, and which one is true it does not say", answer=true_is_255,
            breaks=["v2-grpc.bool-answer"]),
    Variant("grpc-no-elements", "000, GRPC Tensor Data: what has no elements has no contents", answer=no_elements_no_contents),
    Variant("grpc-later-contents", "proto3: fields that the schema does not have are passed over", write=later_contents),
    Variant("grpc-entries-backwards", "proto3 encoding: the fields of an entry of a map come in any order", write=entries_backwards),
    Variant("grpc-long-varints", "proto3 encoding: a varint may be longer than it must", write=long_varints),
    Variant("grpc-priorities", "RFC 9113, 6.3: PRIORITY may come at any time", frame=sends_priorities),
    Variant("grpc-opens-windows", "RFC 9113, 6.9: WINDOW_UPDATE may come at any time", frame=opens_windows),
    Variant("grpc-pads-data", "RFC 9113, 6.1: DATA may have padding", frame=pads_data),
    Variant("grpc-interim-heads", "RFC 9113, 8.1: interim answers may come before an answer", frame=sends_interim_heads),
    Variant("grpc-sets-more", "RFC 9113, 6.5: SETTINGS may come at any time, with settings that nobody knows", frame=sets_more),
]
