"""Servers that are compliant over gRPC in an unusual way: the reference server behind a relay (grpc_relay.py) that changes what is said.

Each row of VARIANTS says why its server is compliant. Numbers in the sentences are the documents of SPEC_NOTES.md."""
import itertools
import struct

import grpc
from google.protobuf.internal.decoder import _DecodeVarint
from grpc_relay import Variant, refuse
from over_grpc import TYPED

OK, INTERNAL, INVALID = grpc.StatusCode.OK, grpc.StatusCode.INTERNAL, grpc.StatusCode.INVALID_ARGUMENT
NOT_FOUND, UNKNOWN = grpc.StatusCode.NOT_FOUND, grpc.StatusCode.UNKNOWN


def is_inference(call):
    return call.rpc == "ModelInfer" and call.message is not None


# --- Errors ----------------------------------------------------------------------------------------------------------------


def says_unknown(call):
    """As Python's servers do where the handler raises."""
    if call.code not in (OK, grpc.StatusCode.UNIMPLEMENTED, grpc.StatusCode.CANCELLED, grpc.StatusCode.DEADLINE_EXCEEDED):
        call.code, call.details = UNKNOWN, f"Exception calling application: {call.details}"


def says_false_of_unknown_models(call):
    if call.rpc == "ModelReady" and call.code == NOT_FOUND:
        call.code = OK
        call.reply = call.reply_type(ready=False)


# --- How answers are written -----------------------------------------------------------------------------------------------


def fields_of(data):
    """[(number, wire type, its bytes)]: the fields of a message, as they stand."""
    found, at = [], 0
    while at < len(data):
        start = at
        tag, at = _DecodeVarint(data, at)
        kind = tag & 7
        if kind == 0:
            _, at = _DecodeVarint(data, at)
        elif kind == 2:
            size, at = _DecodeVarint(data, at)
            at += size
        else:
            at += 8 if kind == 1 else 4
        found.append((tag >> 3, kind, data[start:at]))
    return found


def writes_backwards(call, data):
    """Fields in falling order of their numbers, and a length in more bytes than it needs."""
    fields = sorted(fields_of(data), key=lambda field: -field[0])
    if call.rpc == "ModelInfer" and fields and fields[-1][0] == 1 and len(fields[-1][2]) < 100:
        name = fields[-1][2]
        fields[-1] = (1, 2, name[:1] + bytes([name[1] | 0x80, 0x80, 0x00]) + name[2:])
    return b"".join(field[2] for field in fields)


def writes_unknown_fields(call, data):
    """Field 1000 as a text, 1001 as a number, 1002 as eight bytes: of a later edition."""
    return b"\xca\x3e\x03new" + b"\xc8\x3e\x07" + data + b"\xd1\x3e" + b"12345678"


def writes_empty_contents(call):
    if call.rpc == "ModelInfer" and call.reply is not None and call.reply.raw_output_contents:
        for output in call.reply.outputs:
            output.contents.SetInParent()


# --- How requests are read -------------------------------------------------------------------------------------------------


def takes_raw_first(call):
    """Raw contents win over contents beside them, and more of them than inputs are passed over."""
    if call.rpc != "ModelInfer" or call.message is None or not call.message.raw_input_contents:
        return
    for tensor in call.message.inputs:
        tensor.ClearField("contents")
    del call.message.raw_input_contents[len(call.message.inputs):]


class Alternates:
    """Every second answer has its outputs as typed contents."""

    def __init__(self):
        self.counter = itertools.count()

    def answer(self, call):
        outputs = call.reply.outputs if call.rpc == "ModelInfer" and call.reply is not None else []
        if not outputs or len(call.reply.raw_output_contents) != len(outputs) or not all(all(TYPED.get(output.datatype, (None,))) for output in outputs):
            return
        if next(self.counter) % 2:
            for output, raw in zip(outputs, call.reply.raw_output_contents):
                field, letter = TYPED[output.datatype]
                values = struct.unpack(f"<{len(raw) // struct.calcsize(letter)}{letter}", raw)
                getattr(output.contents, field).extend(values)
            del call.reply.raw_output_contents[:]


# --- The table -------------------------------------------------------------------------------------------------------------

VARIANTS = [
    Variant("typed-outputs", "000, GRPC Tensor Data: contents are one of the two forms", server=["--grpc-output", "typed"]),
    Variant("mirrored-outputs", "000 leaves the form of an answer to the server", server=["--grpc-output", "mirror"]),
    Variant("internal-for-broken", "gRPC status codes: INTERNAL for 'error parsing request proto'", request=lambda call: refuse(
        INTERNAL, "error parsing request proto") if call.request_type and call.message is None else None),
    Variant("unknown-errors", "000, GRPC: an error is a status other than OK; which one it does not say", answer=says_unknown,
            breaks=["v2-grpc.client-error-code", "v2-grpc.model-unknown-code", "v2-grpc.model-ready-code"]),
    Variant("false-of-unknown-models", "000, GRPC Model Ready: true or false", answer=says_false_of_unknown_models),
    Variant("fields-backwards", "proto3 encoding: fields come in any order, and a varint may be longer than it must", write=writes_backwards),
    Variant("names-twice", "proto3 encoding: of a field that comes twice the last counts",
            write=lambda call, data: b"\x0a\x03old" + data if call.rpc in ("ModelInfer", "ModelMetadata") else data),
    Variant("empty-contents-beside-raw", "000, GRPC Inference: contents without elements hold no data", answer=writes_empty_contents),
    Variant("raw-first", "000, GRPC Inference: not to send both forms is the client's duty", request=takes_raw_first,
            breaks=["v2-grpc.raw-or-contents", "v2-grpc.raw-surplus"]),
    Variant("silent-errors", "gRPC over HTTP/2: grpc-message is optional",
            answer=lambda call: setattr(call, "details", call.details if call.code == OK else ""), breaks=["v2-grpc.error-message"]),
    Variant("forms-alternate", "000, GRPC Tensor Data: the server chooses the form, for each answer anew", answer=Alternates().answer),
]
