"""Servers that break exactly one sentence of the documents in how they write and read messages of gRPC, in ways that no deviation of the
reference server has. What is wrong with the meaning is in wrong_meanings.py.

Each row names the requirement that must be among those that fail."""
import math
import struct

from grpc_choices import ALTSVC, PLAIN
from grpc_relay import Variant, refuse
from grpc_variants import INVALID, fields_of, is_inference
from meaning import BATCHED, cuts, edits_server, fills, listed_shape, of_numbers, of_parameters, of_text, reads, wrong
from over_grpc import TYPED, elements_of_bytes, is_raw, replaces, with_length, wrong_over_grpc
from wire import END_STREAM, HEADERS, field

# --- Answers ---------------------------------------------------------------------------------------------------------------


def of_inferences(edit):
    """An edit of a call from an edit of its answer, `edit(answer)`."""
    def change(call):
        if is_inference(call) and call.reply is not None:
            edit(call.reply)
    return change


def of_raw(datatypes, edit):
    """An edit of the raw contents of the outputs of these datatypes."""
    def change(answer):
        if len(answer.raw_output_contents) == len(answer.outputs):
            replaces(answer.raw_output_contents, [edit(raw) if output.datatype in datatypes else raw
                                                  for output, raw in zip(answer.outputs, answer.raw_output_contents)])
    return of_inferences(change)


def bytes_as(write):
    return of_raw(("BYTES",), lambda raw: b"".join(write(element) for element in elements_of_bytes(raw)))


def wider(letter, wide):
    return lambda raw: struct.pack(f"<{len(raw) // struct.calcsize(letter)}{wide}", *(number for number, in struct.iter_unpack("<" + letter, raw)))


def of_floats(edit):
    """An edit of each number of FP32 that JSON has no form for."""
    return of_raw(("FP32",), lambda raw: b"".join(struct.pack("<f", edit(number)) for number, in struct.iter_unpack("<f", raw)))


def without_last_bit(raw):
    return bytes(byte & (0xff if at % 2 else 0xfe) for at, byte in enumerate(raw))


def raw_as(edit):
    return of_inferences(lambda answer: replaces(answer.raw_output_contents, edit(list(answer.raw_output_contents))))


def as_contents(datatypes, field, letter, stays=False):
    """Outputs of these datatypes come in that field of contents; `stays`: raw as well."""
    def change(answer):
        found = [(output, raw) for output, raw in zip(answer.outputs, answer.raw_output_contents) if output.datatype in datatypes]
        if not stays and len(found) < len(answer.outputs):
            return
        for output, raw in found:
            getattr(output.contents, field).extend([raw] if letter is None else (number for number, in struct.iter_unpack("<" + letter, raw)))
        if not stays:
            del answer.raw_output_contents[:]
    return of_inferences(change)


def second_beside_raw(answer):
    """Of two outputs the second has its elements in contents, too."""
    if len(answer.outputs) > 1 and len(answer.raw_output_contents) > 1 and answer.outputs[1].datatype == "INT32":
        answer.outputs[1].contents.int_contents.extend(number for number, in struct.iter_unpack("<i", answer.raw_output_contents[1]))


def short_contents(answer):
    """The last of several elements in contents is lost."""
    for output in answer.outputs:
        field = TYPED.get(output.datatype, (None,))[0]
        if field and len(getattr(output.contents, field)) > 1:
            del getattr(output.contents, field)[-1]


def wide_contents(answer):
    """An element of UINT8 in contents has a ninth bit."""
    for output in answer.outputs:
        if output.datatype == "UINT8" and output.contents.uint_contents:
            output.contents.uint_contents[0] |= 256


def broken_utf8(call, data):
    """The server's name is no UTF-8."""
    return data + field(1, b"\xff\xfe") if call.rpc == "ServerMetadata" else data


# --- Requests --------------------------------------------------------------------------------------------------------------


def refuses(where):
    def request(call):
        if is_inference(call) and where(call):
            refuse(INVALID, "this is not served")
    return request


def has_typed(field):
    return lambda call: any(getattr(tensor.contents, field) for tensor in call.message.inputs)


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


# --- Frames ----------------------------------------------------------------------------------------------------------------

OTHER = (ALTSVC, 0, 0, b"\0\1ah2")  # a frame that means nothing here: one frame for one would not count as a change


def says_200_is_500(kind, flags, stream, payload):
    """Of errors. `:status 200` is one byte, and so is `:status 500` (RFC 7541, appendix A)."""
    changes = kind == HEADERS and flags & END_STREAM and payload[:1] == b"\x88"
    return [(kind, flags, stream, b"\x8e" + payload[1:]), OTHER] if changes else [(kind, flags, stream, payload)]


def says_html(kind, flags, stream, payload):
    made = payload.replace(PLAIN, b"\x09text/html") if kind == HEADERS else payload
    return [(kind, flags, stream, made)] + ([OTHER] if made != payload else [])


# --- The tables ------------------------------------------------------------------------------------------------------------

VALUES, TYPED_OUTPUT = "output-values", ["--grpc-output", "typed"]


def row(name, slug, why, **functions):
    return Variant("grpc-" + name, why, **functions), "v2-grpc." + slug


WRONG = [
    row("bool-in-four-bytes", VALUES, "BOOL takes four bytes", answer=of_raw(("BOOL",), wider("B", "I"))),
    row("int16-in-four-bytes", VALUES, "INT16 takes four bytes", answer=of_raw(("INT16",), wider("h", "i"))),
    row("raw-is-padded", VALUES, "raw contents fill whole eights", answer=of_raw(("INT32", "FP32", "INT8"), lambda raw: raw + b"\0" * (-len(raw) % 8))),
    row("bytes-without-length", VALUES, "BYTES have no length", answer=bytes_as(lambda e: e)),
    row("bytes-long-length", VALUES, "the length of BYTES takes eight bytes", answer=bytes_as(lambda e: struct.pack("<Q", len(e)) + e)),
    row("bytes-big-endian", VALUES, "the length of BYTES comes with the high byte first", answer=bytes_as(lambda e: struct.pack(">I", len(e)) + e)),
    row("empty-bytes-lost", VALUES, "BYTES without a byte are lost", answer=bytes_as(lambda e: with_length(e) if e else b"")),
    row("bytes-are-utf8", "bytes-arbitrary", "what is no UTF-8 is replaced", answer=bytes_as(lambda e: with_length(e.decode("utf-8", "replace").encode()))),
    row("infinity-is-finite", VALUES, "infinity is the largest number", answer=of_floats(lambda n: math.copysign(3.4028234663852886e38, n) if math.isinf(n) else n)),
    row("nan-is-zero", VALUES, "NaN becomes 0", answer=of_floats(lambda n: 0.0 if math.isnan(n) else n)),
    row("bf16-cut", VALUES, "the last bit of BF16 is lost", answer=of_raw(("BF16",), without_last_bit)),
    row("fp16-cut", VALUES, "the last bit of FP16 is lost", answer=of_raw(("FP16",), without_last_bit)),
    row("raw-reversed", VALUES, "raw contents come in another order than the outputs", answer=raw_as(lambda raws: raws[::-1])),
    row("raw-joined", "answer-raw-count", "raw contents are one entry", answer=raw_as(lambda raws: [b"".join(raws)] if raws else [])),
    row("contents-in-other-field", VALUES, "INT32 comes in the field of INT64", answer=as_contents(("INT32",), "int64_contents", "i")),
    row("uint8-as-bytes", VALUES, "UINT8 comes in the field of BYTES", answer=as_contents(("UINT8",), "bytes_contents", None)),
    row("fp16-as-numbers", "output-fp16-raw", "FP16 comes in the field of FP32", answer=as_contents(("FP16",), "fp32_contents", "e")),
    row("bf16-as-numbers", "output-bf16-raw", "BF16 comes in the field of UINT16", answer=as_contents(("BF16",), "uint_contents", "H")),
    row("both-forms", "answer-raw-or-contents", "INT32 comes raw and in contents", answer=as_contents(("INT32",), "int_contents", "i", stays=True)),
    row("contents-beside-raw", "answer-raw-or-contents", "the second output has contents beside raw", answer=of_inferences(second_beside_raw), flags=BATCHED),
    row("contents-cut", "answer-data-count", "the last element in contents is lost", answer=of_inferences(short_contents), server=TYPED_OUTPUT,
        flags=["--filter", "v2/infer/datatype/int32*"]),
    row("uint8-wide", "answer-element-range", "an element of UINT8 has nine bits", answer=of_inferences(wide_contents), server=TYPED_OUTPUT,
        flags=["--filter", "v2/infer/datatype/uint8*"]),
    row("name-is-no-utf8", "answer-valid", "a text is no UTF-8", write=broken_utf8, flags=["--filter", "v2-grpc/metadata/*"]),
    row("unknown-fields-refused", "unknown-field", "a field that is not known is refused", request=refuses(has_unknown_fields)),
    row("unpacked-refused", "unpacked", "dimensions one by one are refused", request=refuses(is_unpacked)),
    row("order-refused", "last-field", "fields in another order are refused", request=refuses(is_out_of_order)),
    row("raw-refused", "data-raw", "raw contents are refused", request=refuses(lambda call: call.message.raw_input_contents)),
    row("typed-uint64-refused", "data-typed", "UINT64 in contents is refused", request=refuses(has_typed("uint64_contents"))),
    row("typed-bool-refused", VALUES, "BOOL in contents is refused", request=refuses(has_typed("bool_contents"))),
] + wrong_over_grpc([
    wrong("raw-filled", "data-count", "missing raw contents become zeros", request=fills(lambda index, tensor: is_raw(tensor))),
    wrong("typed-filled", "data-count", "a missing element of contents is zero", request=fills(lambda index, tensor: not is_raw(tensor))),
    wrong("raw-cut", "data-count", "surplus raw contents are passed over", request=cuts(is_raw)),
    wrong("typed-cut", "data-count", "surplus elements of contents are passed over", request=cuts(lambda tensor: not is_raw(tensor))),
    wrong("fp16-without-subnormals", VALUES, "FP16 that is close to zero becomes zero", answer=of_numbers(("FP16",), lambda n: 0.0 if abs(n) < 6.1e-5 else n)),
    wrong("texts-end-at-nul", VALUES, "BYTES end at a NUL, which JSON may refuse to have", answer=of_text(lambda t: t.split("\0")[0])),
    wrong("reads-texts-to-nul", VALUES, "BYTES in requests end at a NUL", request=reads(("BYTES",), lambda t: t.split("\0")[0])),
    wrong("parameters-are-doubles", "parameters-given", "parameters of 64 bits go through a double",
          answer=of_parameters(edit=lambda value: int(float(value)) if type(value) is int and abs(value) < 1 << 62 else value)),
    wrong("server-name-empty", "server-name", "the server has no name", answer=edits_server(lambda body: body.pop("name"))),
    wrong("metadata-without-shape", "metadata-variable", "tensors in metadata have no shape", answer=listed_shape(lambda shape: [])),
])
WRONG += [
    (Variant("grpc-http-500", "an answer has the HTTP status 500", frame=says_200_is_500), "grpc.http-status"),
    (Variant("grpc-html", "an answer is text/html", frame=says_html), "grpc.content-type-answer"),
]
