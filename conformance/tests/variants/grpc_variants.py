"""Servers that are compliant over gRPC in an unusual way: the reference server behind a relay (grpc_relay.py) that changes what is said.

Each row of VARIANTS says why its server is compliant. Numbers in the sentences are the documents of SPEC_NOTES.md."""
import itertools
import math
import re
import struct

import grpc
from google.protobuf.internal.decoder import _DecodeVarint
from grpc_relay import SERVICE, Refusal, schema

OK, INTERNAL, INVALID = grpc.StatusCode.OK, grpc.StatusCode.INTERNAL, grpc.StatusCode.INVALID_ARGUMENT
NOT_FOUND, UNKNOWN = grpc.StatusCode.NOT_FOUND, grpc.StatusCode.UNKNOWN


class Variant:
    """`request(call)` may change call.message, return the answer to it, or raise Refusal; `answer(call)` may change what is answered;
    `write(call, data)` returns the bytes of an answer. `server` are flags of the reference server. `breaks`: the requirements of level
    should that the server breaks knowingly. `judged`: how many assertions are judged at least. `flags` are for the judge, `options`
    for the library under the relay."""

    def __init__(self, name, why, request=None, answer=None, write=None, server=(), breaks=(), judged=1500, flags=(), options=()):
        self.name, self.why, self.server, self.breaks, self.judged, self.flags = name, why, list(server), set(breaks), judged, list(flags)
        self.options = list(options)
        self.request = request or (lambda call: None)
        self.answer = answer or (lambda call: None)
        self.write = write or (lambda call, data: data)


# --- Errors ----------------------------------------------------------------------------------------------------------------


def says_internal_for_broken_messages(call):
    if call.rpc and call.message is None and hasattr(schema, call.rpc + "Request"):
        raise Refusal(INTERNAL, "error parsing request proto")


def says_unknown(call):
    """As Python's servers do where the handler raises."""
    if call.code not in (OK, grpc.StatusCode.UNIMPLEMENTED, grpc.StatusCode.CANCELLED, grpc.StatusCode.DEADLINE_EXCEEDED):
        call.code, call.details = UNKNOWN, f"Exception calling application: {call.details}"


def says_false_of_unknown_models(call):
    if call.rpc == "ModelReady" and call.code == NOT_FOUND:
        call.code = OK
        call.answered(schema.ModelReadyResponse(ready=False).SerializeToString())


def has_more_services(call):
    if re.match("/(inference.NoSuch|grpc.health|grpc.reflection)", call.method) is None:
        return None
    raise Refusal(grpc.StatusCode.UNIMPLEMENTED, "this service is elsewhere")


def says_more_in_metadata(call):
    call.first_metadata = [("x-served-by", "relay"), ("x-trace-bin", b"\x00\xff\x01")]
    call.trailers = [("x-took-ms", "1"), ("server-timing", "a;dur=1"), ("x-trace-bin", b"\xfe")]


# --- How answers are written -----------------------------------------------------------------------------------------------


def compresses(call):
    call.compressed = call.code == OK


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


def sizes_twice(call, data):
    """The model's name comes twice, and the last counts."""
    return b"\x0a\x03old" + data if call.rpc in ("ModelInfer", "ModelMetadata") else data


def adds_parameters(call):
    if call.rpc != "ModelInfer" or call.reply is None:
        return
    for holder in [call.reply] + list(call.reply.outputs):
        holder.parameters["took_us"].int64_param = 12
        holder.parameters["cached"].bool_param = False
        holder.parameters["where"].string_param = ""


def reverses_outputs(call):
    if call.rpc == "ModelInfer" and call.reply is not None and len(call.reply.outputs) > 1:
        outputs, raw = list(call.reply.outputs), list(call.reply.raw_output_contents)
        del call.reply.outputs[:]
        del call.reply.raw_output_contents[:]
        call.reply.outputs.extend(reversed(outputs))
        call.reply.raw_output_contents.extend(reversed(raw))


def writes_empty_contents(call):
    if call.rpc == "ModelInfer" and call.reply is not None and call.reply.raw_output_contents:
        for output in call.reply.outputs:
            output.contents.SetInParent()


def makes_ids(call):
    if call.rpc == "ModelInfer" and call.reply is not None and not call.reply.id:
        call.reply.id = "made-by-the-server"


# --- How requests are read -------------------------------------------------------------------------------------------------

ECHOING = {"parameters", "plain_parameters", "gate"}


def refuses_unknown_parameters(call):
    if call.rpc != "ModelInfer" or call.message is None or call.message.model_name in ECHOING:
        return
    if any(holder.parameters for holder in [call.message, *call.message.inputs, *call.message.outputs]):
        raise Refusal(INVALID, "a parameter is not known")


SIZES = {"BOOL": 1, "INT8": 1, "UINT8": 1, "INT16": 2, "UINT16": 2, "FP16": 2, "BF16": 2, "INT32": 4, "UINT32": 4, "FP32": 4, "INT64": 8,
         "UINT64": 8, "FP64": 8}


def minus_one_is_the_rest(call):
    if call.rpc != "ModelInfer" or call.message is None:
        return
    for number, tensor in enumerate(call.message.inputs):
        rest = math.prod(d for d in tensor.shape if d >= 0)
        if [d for d in tensor.shape if d < 0] != [-1] or not rest or tensor.datatype == "BYTES":
            continue
        if number < len(call.message.raw_input_contents):
            count = len(call.message.raw_input_contents[number]) // SIZES.get(tensor.datatype, 1)
        else:
            count = sum(len(values) for field, values in tensor.contents.ListFields())
        if count % rest == 0:
            shape = [count // rest if d == -1 else d for d in tensor.shape]
            del tensor.shape[:]
            tensor.shape.extend(shape)


def takes_raw_first(call):
    """Raw contents win over contents beside them, and more of them than inputs are passed over."""
    if call.rpc != "ModelInfer" or call.message is None or not call.message.raw_input_contents:
        return
    for tensor in call.message.inputs:
        tensor.ClearField("contents")
    del call.message.raw_input_contents[len(call.message.inputs):]


# --- Models and versions ---------------------------------------------------------------------------------------------------


def version_of(call):
    return getattr(call.message, "version", "") or getattr(call.message, "model_version", "")


def without_versions(call):
    if call.message is not None and version_of(call):
        raise Refusal(NOT_FOUND, "this server has no versions")


def without_versions_in_answers(call):
    if call.rpc == "ModelMetadata" and call.reply is not None:
        del call.reply.versions[:]
    if call.rpc == "ModelInfer" and call.reply is not None:
        call.reply.model_version = ""


def name_field(call):
    return "model_name" if call.rpc == "ModelInfer" else "name" if call.rpc in ("ModelMetadata", "ModelReady") else None


def other_case(call):
    field = name_field(call)
    name = getattr(call.message, field) if field and call.message is not None else ""
    if name.isupper():
        call.asked = name
        setattr(call.message, field, name.lower())


def other_case_answers(call):
    field = name_field(call)
    if field and call.reply is not None and getattr(call, "asked", None) and hasattr(call.reply, field):
        setattr(call.reply, field, call.asked)


RELEASE = "release-"


def version_field(call):
    return "model_version" if call.rpc == "ModelInfer" else "version" if call.rpc in ("ModelMetadata", "ModelReady") else None


def named_versions(call):
    field = version_field(call)
    version = getattr(call.message, field) if field and call.message is not None else ""
    if version and not version.startswith(RELEASE):
        raise Refusal(NOT_FOUND, "there is no such release")
    if version:
        setattr(call.message, field, version[len(RELEASE):])


def names_versions(call):
    if call.rpc == "ModelMetadata" and call.reply is not None:
        versions = [RELEASE + version for version in call.reply.versions]
        del call.reply.versions[:]
        call.reply.versions.extend(versions)
    if call.rpc == "ModelInfer" and call.reply is not None and call.reply.model_version:
        call.reply.model_version = RELEASE + call.reply.model_version


def says_nothing_of_errors(call):
    if call.code != OK:
        call.details = ""


TYPED = {"BOOL": ("bool_contents", "?"), "INT8": ("int_contents", "b"), "INT16": ("int_contents", "h"), "INT32": ("int_contents", "i"),
         "INT64": ("int64_contents", "q"), "UINT8": ("uint_contents", "B"), "UINT16": ("uint_contents", "H"),
         "UINT32": ("uint_contents", "I"), "UINT64": ("uint64_contents", "Q"), "FP32": ("fp32_contents", "f"), "FP64": ("fp64_contents", "d")}


class Alternates:
    """Every second answer has its outputs as typed contents."""

    def __init__(self):
        self.counter = itertools.count()

    def answer(self, call):
        outputs = call.reply.outputs if call.rpc == "ModelInfer" and call.reply is not None else []
        if not outputs or len(call.reply.raw_output_contents) != len(outputs) or any(o.datatype not in TYPED for o in outputs):
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
    Variant("internal-for-broken", "gRPC status codes: INTERNAL for 'error parsing request proto'", request=says_internal_for_broken_messages),
    Variant("unknown-errors", "000, GRPC: an error is a status other than OK; which one it does not say", answer=says_unknown,
            breaks=["v2-grpc.client-error-code", "v2-grpc.model-unknown-code", "v2-grpc.model-ready-code"]),
    Variant("false-of-unknown-models", "000, GRPC Model Ready: true or false", answer=says_false_of_unknown_models),
    Variant("grpc-more-metadata", "gRPC over HTTP/2: any metadata may stand before and behind a message", answer=says_more_in_metadata),
    Variant("compressed-answers", "gRPC: a server may compress an answer in a coding that the client accepts", answer=compresses),
    Variant("fields-backwards", "proto3 encoding: fields come in any order, and a varint may be longer than it must", write=writes_backwards),
    Variant("unknown-fields", "proto3: fields that the schema does not have are passed over", write=writes_unknown_fields),
    Variant("names-twice", "proto3 encoding: of a field that comes twice the last counts", write=sizes_twice),
    Variant("grpc-answer-parameters", "000, GRPC Inference: an answer and its outputs may have parameters", answer=adds_parameters),
    Variant("grpc-other-order", "000 gives outputs names, and no order", answer=reverses_outputs),
    Variant("empty-contents-beside-raw", "000, GRPC Inference: contents without elements hold no data", answer=writes_empty_contents),
    Variant("grpc-makes-ids", "000, GRPC Inference: nothing is said of an id when none was given", answer=makes_ids),
    Variant("grpc-refuses-parameters", "000, GRPC Parameters: currently no parameters are defined", request=refuses_unknown_parameters),
    Variant("grpc-minus-one", "000, GRPC Inference: what a negative dimension means is not said", request=minus_one_is_the_rest,
            breaks=["v2-grpc.shape-not-negative"]),
    Variant("raw-first", "000, GRPC Inference: not to send both forms is the client's duty", request=takes_raw_first,
            breaks=["v2-grpc.raw-or-contents", "v2-grpc.raw-surplus"]),
    Variant("grpc-no-versions", "000: versions are optional for servers that do not support them", request=without_versions,
            answer=without_versions_in_answers, judged=1300),
    Variant("grpc-both-cases", "000: strings are case-sensitive, so simple and SIMPLE are two models", request=other_case,
            answer=other_case_answers),
    Variant("grpc-named-versions", "000: a version is a string, and nothing says that it is a number", request=named_versions,
            answer=names_versions),
    Variant("silent-errors", "gRPC over HTTP/2: grpc-message is optional", answer=says_nothing_of_errors, breaks=["v2-grpc.error-message"]),
    Variant("forms-alternate", "000, GRPC Tensor Data: the server chooses the form, for each answer anew", answer=Alternates().answer),
]
