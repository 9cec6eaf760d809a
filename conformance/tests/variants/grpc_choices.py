"""Servers over gRPC that choose otherwise than the reference server where 000 leaves the choice to them, or that do as other libraries of
gRPC do: the reference server behind the relay of grpc_relay.py. Numbers in the sentences are the documents of
SPEC_NOTES.md."""
import itertools

import grpc
from grpc_relay import Variant, refuse
from grpc_variants import INVALID, OK, is_inference
from wire import CONTINUATION, END_HEADERS, END_STREAM, GOAWAY, HEADERS, PADDED, RST_STREAM, field

# --- What is refused, and what is taken ------------------------------------------------------------------------------------


def refuses_odd_tensors(call):
    """Tensors of rank 0 or without elements, empty contents beside raw ones, and names with a NUL."""
    if not is_inference(call):
        return
    for tensor in call.message.inputs:
        if not tensor.shape or 0 in tensor.shape or "\0" in tensor.name:
            refuse(INVALID, "this tensor is not read here")
        if call.message.raw_input_contents and tensor.HasField("contents"):
            refuse(INVALID, "contents beside raw contents")


def takes_the_last(call):
    """The last of what is given twice, and the outputs in the order of their names."""
    if not is_inference(call):
        return
    inputs, outputs = call.message.inputs, call.message.outputs
    if len({tensor.name for tensor in inputs}) < len(inputs) and not call.message.raw_input_contents:
        last = list({tensor.name: tensor for tensor in inputs}.values())
        del inputs[:]
        inputs.extend(last)
    chosen = [output for _, output in sorted({output.name: output for output in outputs}.items())]
    del outputs[:]
    outputs.extend(chosen)


# --- What is answered ------------------------------------------------------------------------------------------------------


BLAMES = itertools.cycle([grpc.StatusCode.INVALID_ARGUMENT, grpc.StatusCode.FAILED_PRECONDITION, grpc.StatusCode.OUT_OF_RANGE])


def says_other_codes(call):
    if call.code == INVALID:
        call.code = next(BLAMES)


def says_details(call):
    """A long text with all kinds of characters, and a google.rpc.Status that has it too."""
    if call.code in (OK, grpc.StatusCode.CANCELLED):
        return
    call.details = "Traceback:\n\t100% \u00e9 \U0001f600 " + call.details + " x" * 1000
    detail = field(1, b"type.googleapis.com/a.B") + field(2, b"\xff")
    status = b"\x08" + bytes([call.code.value[0]]) + field(2, call.details) + field(3, detail)
    call.trailers = [("grpc-status-details-bin", status)]


# --- Frames of HTTP/2 ------------------------------------------------------------------------------------------------------

ALTSVC, HAS_PRIORITY = 10, 32
PLAIN, PROTO = b"\x10application/grpc", b"\x16application/grpc+proto"


def says_proto(kind, flags, stream, payload):
    """Content-Type is application/grpc+proto. The blocks of the library have it as it is, after its length."""
    if kind != HEADERS or PLAIN not in payload:
        return [(kind, flags, stream, payload)]
    return [(kind, flags, stream, payload.replace(PLAIN, PROTO)), (ALTSVC, 0, stream, b"\0\0h2")]


def continues_heads(kind, flags, stream, payload):
    """A block of headers comes in three frames, with a priority."""
    if kind != HEADERS or len(payload) < 3 or flags & (PADDED | HAS_PRIORITY):
        return [(kind, flags, stream, payload)]
    return [(HEADERS, flags & END_STREAM | HAS_PRIORITY, stream, b"\0\0\0\0\x0f" + payload[:1]), (CONTINUATION, 0, stream, b""),
            (CONTINUATION, END_HEADERS, stream, payload[1:])]


def pads_heads(kind, flags, stream, payload):
    """Blocks of headers have padding, and an unknown frame in front."""
    if kind != HEADERS or flags & (PADDED | HAS_PRIORITY):
        return [(kind, flags, stream, payload)]
    return [(ALTSVC, 0, stream, b"\0\0h2"), (HEADERS, flags | PADDED, stream, b"\x07" + payload + bytes(7))]


def resets_behind(kind, flags, stream, payload):
    """RST_STREAM with NO_ERROR after the trailers, as servers send it that have not read the whole request."""
    frames = [(kind, flags, stream, payload)]
    return frames + [(RST_STREAM, 0, stream, bytes(4))] if kind == HEADERS and flags & END_STREAM else frames


def says_farewell(kind, flags, stream, payload):
    """GOAWAY after the tenth call of a connection: those that run are answered, others need a new connection."""
    frames = [(kind, flags, stream, payload)]
    return frames + [(GOAWAY, 0, 0, b"\x7f\xff\xff\xff" + bytes(4))] if flags & END_STREAM and kind == HEADERS and stream >= 19 else frames


# --- The tables ------------------------------------------------------------------------------------------------------------

SMALL = [("grpc.max_receive_message_length", 1 << 20), ("grpc.max_metadata_size", 16384)]
WINDOW = [("grpc.http2.bdp_probe", 0), ("grpc.http2.lookahead_bytes", 1024), ("grpc.http2.max_frame_size", 16384)]
PINGS = [("grpc.keepalive_time_ms", 20), ("grpc.keepalive_permit_without_calls", 1), ("grpc.http2.max_pings_without_data", 0)]

VARIANTS = [
    Variant("grpc-refuses-the-open", "000 leaves it to the server what it takes beside the plain requests", request=refuses_odd_tensors,
            flags=["--skip", "v2/infer/nothing/*", "--skip", "v2/infer/scalar/*"]),
    Variant("grpc-takes-the-last", "000 does not say what becomes of what is given twice", request=takes_the_last),
    Variant("grpc-other-codes", "gRPC status codes: several blame the client", answer=says_other_codes),
    Variant("grpc-error-details", "gRPC: grpc-message is percent-encoded; grpc-status-details-bin may have more", answer=says_details),
    Variant("grpc-small-messages", "000 gives no limit for messages, and libraries have one", options=SMALL, judged=1400),
    Variant("grpc-small-windows", "RFC 9113, 5.2: a server reads as fast as it likes", options=WINDOW, judged=1400),
    Variant("grpc-pings", "RFC 9113, 6.7: a PING may come at any time", options=PINGS, judged=1400),
    Variant("grpc-one-at-once", "RFC 9113, 5.1.2: a server may allow one stream at once", options=[("grpc.max_concurrent_streams", 1)],
            judged=1400),
    Variant("grpc-proto", "gRPC over HTTP/2: Content-Type may end in +proto", frame=says_proto),
    Variant("grpc-continuations", "RFC 9113, 6.2 and 6.10: a block of headers may come in several frames", frame=continues_heads),
    Variant("grpc-pads-heads", "RFC 9113, 6.2: HEADERS may have padding", frame=pads_heads),
    Variant("grpc-resets-behind", "RFC 9113, 8.1: RST_STREAM with NO_ERROR after an answer", frame=resets_behind),
    Variant("grpc-farewells", "RFC 9113, 6.8: a server may ask for another connection at any time", frame=says_farewell),
]
