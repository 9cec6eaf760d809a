"""Servers over gRPC that break one sentence only now and then: for some requests, for some shapes, or in one of two forms of data.

Each row of WRONG names the requirement that must be among those that fail, FRAMES those over a connection whose frames are changed."""
import struct

import grpc
from google.protobuf.internal.encoder import _VarintBytes
from grpc_choices import ALTSVC, END_STREAM, HEADERS, PLAIN
from grpc_relay import Refusal, is_inference
from grpc_variants import INVALID, TYPED, Variant, fields_of
from grpc_wrong import of_inferences, of_raw, without_defaults
from stream_relay import StreamVariant


def refuses(where):
    def request(call):
        if is_inference(call) and where(call):
            raise Refusal(INVALID, "this is not served")
    return request


def has_unknown_fields(call):
    known = type(call.message)()
    known.CopyFrom(call.message)
    known.DiscardUnknownFields()
    return known.ByteSize() != call.message.ByteSize()


def is_unpacked(call):
    """Whether a list of numbers stands there one by one, or in parts."""
    for number, _, data in fields_of(call.data):
        if number == 5:
            tensor = data[1 + (1 if data[1] < 128 else 2 if data[2] < 128 else 3):]
            if sum(number == 3 for number, _, _ in fields_of(tensor)) > 1:
                return True
    return False


def is_out_of_order(call):
    numbers = [number for number, _, _ in fields_of(call.data)]
    return numbers != sorted(numbers)


def keeps_first_version(call):
    if is_inference(call) and call.message.model_name == "versioned" and call.message.model_version == "1":
        call.message.model_version, call.asked = "2", "1"


def says_first_version(call):
    if call.reply is not None and getattr(call, "asked", None):
        call.reply.model_version = call.asked


def as_contents(datatypes, field, letter):
    """Outputs of these datatypes come in contents."""
    def edit(request, answer):
        if not answer.outputs or any(output.datatype not in datatypes for output in answer.outputs):
            return
        for output, raw in zip(answer.outputs, answer.raw_output_contents):
            getattr(output.contents, field).extend(struct.unpack(f"<{len(raw) // struct.calcsize(letter)}{letter}", raw))
        del answer.raw_output_contents[:]
    return of_inferences(edit)


def both_forms(request, answer):
    for output, raw in zip(answer.outputs, answer.raw_output_contents):
        if output.datatype == "INT32":
            output.contents.int_contents.extend(struct.unpack(f"<{len(raw) // 4}i", raw))


def short_contents(request, answer):
    """The last of several elements in contents is lost."""
    for output in answer.outputs:
        field = TYPED.get(output.datatype, ("", ""))[0]
        if field and len(getattr(output.contents, field)) > 1:
            del getattr(output.contents, field)[-1]


def wide_contents(request, answer):
    """An element of UINT8 in contents has a ninth bit."""
    for output in answer.outputs:
        if output.datatype == "UINT8" and output.contents.uint_contents:
            output.contents.uint_contents[0] |= 256


def numbers_of_32_bits(request, answer):
    for holder in [answer, *answer.outputs]:
        for value in holder.parameters.values():
            if value.WhichOneof("parameter_choice") == "int64_param":
                value.int64_param = struct.unpack("<i", struct.pack("<q", value.int64_param)[:4])[0]


OTHER = (ALTSVC, 0, 0, b"\0\1ah2")  # a frame that means nothing here: one frame for one would not count as a change


def broken_utf8(call, data):
    """The server's name is no UTF-8."""
    return data + _VarintBytes(1 << 3 | 2) + b"\x02\xff\xfe" if call.rpc == "ServerMetadata" else data


def says_200_is_500(kind, flags, stream, payload):
    """Of errors. `:status 200` is one byte, and so is `:status 500` (RFC 7541, appendix A)."""
    changes = kind == HEADERS and flags & END_STREAM and payload[:1] == b"\x88"
    return [(kind, flags, stream, b"\x8e" + payload[1:]), OTHER] if changes else [(kind, flags, stream, payload)]


def says_html(kind, flags, stream, payload):
    made = payload.replace(PLAIN, b"\x09text/html") if kind == HEADERS else payload
    return [(kind, flags, stream, made)] + ([OTHER] if made != payload else [])


def wrong(name, slug, why, **functions):
    return Variant(name, why, **functions), "v2-grpc." + slug


WRONG = [
    wrong("grpc-unknown-fields-refused", "unknown-field", "a field that is not known is refused", request=refuses(has_unknown_fields)),
    wrong("grpc-unpacked-refused", "unpacked", "dimensions one by one are refused", request=refuses(is_unpacked)),
    wrong("grpc-order-refused", "last-field", "fields in another order are refused", request=refuses(is_out_of_order)),
    wrong("grpc-raw-refused", "data-raw", "raw contents are refused", request=refuses(lambda call: call.message.raw_input_contents)),
    wrong("grpc-typed-uint64-refused", "data-typed", "UINT64 in contents is refused",
          request=refuses(lambda call: any(i.contents.uint64_contents for i in call.message.inputs))),
    wrong("grpc-versions-lie", "version-named", "version 1 is computed by version 2", request=keeps_first_version,
          answer=says_first_version),
    wrong("grpc-fp16-as-numbers", "output-fp16-raw", "FP16 comes in the field of FP32", answer=as_contents(("FP16",), "fp32_contents", "e")),
    wrong("grpc-bf16-as-numbers", "output-bf16-raw", "BF16 comes in the field of UINT16", answer=as_contents(("BF16",), "uint_contents", "H")),
    wrong("grpc-both-forms", "answer-raw-or-contents", "INT32 comes raw and in contents", answer=of_inferences(both_forms)),
    wrong("grpc-contents-cut", "answer-data-count", "the last element in contents is lost", answer=of_inferences(short_contents),
          server=["--grpc-output", "typed"], flags=["--filter", "v2/infer/datatype/int32*"]),
    wrong("grpc-uint8-wide", "answer-element-range", "an element of UINT8 has nine bits", answer=of_inferences(wide_contents),
          server=["--grpc-output", "typed"], flags=["--filter", "v2/infer/datatype/uint8*"]),
    wrong("grpc-parameters-without-false", "parameters-given", "parameters that are false are lost", answer=of_inferences(without_defaults("bool_param"))),
    wrong("grpc-parameters-of-32-bits", "parameters-given", "parameters have 32 bits", answer=of_inferences(numbers_of_32_bits)),
    wrong("grpc-name-is-no-utf8", "answer-valid", "a text is no UTF-8", write=broken_utf8, flags=["--filter", "v2-grpc/metadata/*"]),
    wrong("grpc-int8-signs-lost", "output-values", "INT8 below 0 is positive", answer=of_raw(("INT8",), lambda raw: bytes(b & 127 for b in raw))),
]

V2 = "v2-grpc"

FRAMES = [
    (V2, StreamVariant("grpc-http-500", "an answer has the HTTP status 500", frame=says_200_is_500), "grpc.http-status"),
    (V2, StreamVariant("grpc-html", "an answer is text/html", frame=says_html), "grpc.content-type-answer"),
]
