"""Servers over gRPC that break one sentence for some values only: for numbers of some size, for texts with some letters, behind an error, or
where two calls run at once.

Each row of WRONG names the requirement that must be among those that fail."""
import itertools
import math
import struct
import threading

import grpc
from grpc_relay import Refusal, is_inference
from grpc_variants import INVALID, TYPED, Variant
from grpc_wrong import bytes_as, of, of_inferences, of_outputs, of_raw, of_requests, puts, replaces, with_length, without_defaults


# --- Elements of answers ---------------------------------------------------------------------------------------------------


def of_numbers(datatype, letter, edit):
    size = struct.calcsize(letter)
    return of_raw((datatype,), lambda raw: b"".join(edit(raw[i:i + size]) for i in range(0, len(raw), size)))


def of_floats(edit):
    """Makes an edit of an answer from an edit of each number of FP32, `edit(number)`."""
    return of_numbers("FP32", "f", lambda raw: struct.pack("<f", edit(struct.unpack("<f", raw)[0])))


def finite(number):
    return math.copysign(3.4028234663852886e38, number) if math.isinf(number) else number


def shape_of(edit):
    return of_outputs(lambda output: replaces(output.shape, edit(list(output.shape))))


def swaps_when_reversed(request, answer):
    """Who asks for the outputs in another order gets the names in his order, and the data in the model's."""
    names = [output.name for output in answer.outputs]
    raws = list(answer.raw_output_contents)
    if len(raws) == len(names) > 1 and names != sorted(names):
        replaces(answer.raw_output_contents, [raw for _, raw in sorted(zip(names, raws), key=lambda pair: pair[0])])


def contents_beside_raw(_, answer):
    """Of two outputs the second has its elements in contents, too."""
    if len(answer.outputs) > 1 and len(answer.raw_output_contents) > 1 and answer.outputs[1].datatype == "INT32":
        raw = answer.raw_output_contents[1]
        answer.outputs[1].contents.int_contents.extend(struct.unpack(f"<{len(raw) // 4}i", raw))


def scalars_are_one_more(_, answer):
    for number, output in enumerate(answer.outputs):
        if not output.shape and output.datatype == "FP32" and number < len(answer.raw_output_contents):
            answer.raw_output_contents[number] = struct.pack("<f", struct.unpack("<f", answer.raw_output_contents[number])[0] + 1)


def rows_behind_the_second(_, answer):
    made = []
    for output, raw in zip(answer.outputs, answer.raw_output_contents):
        rows = output.shape[0] if len(output.shape) > 1 and output.datatype != "BYTES" else 1
        size = len(raw) // max(rows, 1)
        made.append(raw[:2 * size] + raw[size:2 * size] * (rows - 2) if rows > 2 else raw)
    replaces(answer.raw_output_contents, made)


def columns_first(_, answer):
    """From rank 3 on the last two dimensions are swapped in the data."""
    for number, output in enumerate(answer.outputs):
        if len(output.shape) < 3 or output.datatype != "FP32" or number >= len(answer.raw_output_contents):
            continue
        rows, columns = output.shape[-2:]
        raw = answer.raw_output_contents[number]
        elements = [raw[i:i + 4] for i in range(0, len(raw), 4)]
        answer.raw_output_contents[number] = b"".join(elements[at + c + r * columns] for at in range(0, len(elements), rows * columns)
                                                      for c in range(columns) for r in range(rows))


def doubles_of_parameters(_, answer):
    for holder in [answer, *answer.outputs]:
        for value in holder.parameters.values():
            if value.WhichOneof("parameter_choice") == "int64_param" and abs(value.int64_param) < 1 << 62:
                value.int64_param = int(float(value.int64_param))


# --- Requests --------------------------------------------------------------------------------------------------------------


def reads_typed(datatype, edit):
    """Makes an edit of a request from an edit of each element of its inputs of that datatype in contents."""
    def request(message):
        for tensor in message.inputs:
            field = TYPED.get(tensor.datatype, ("", ""))[0]
            if tensor.datatype == datatype and field and getattr(tensor.contents, field):
                replaces(getattr(tensor.contents, field), [edit(element) for element in getattr(tensor.contents, field)])
    return of_requests(request)


def reads_bytes(edit):
    def request(message):
        for tensor in message.inputs:
            if tensor.contents.bytes_contents:
                replaces(tensor.contents.bytes_contents, [edit(element) for element in tensor.contents.bytes_contents])
    return of_requests(request)


def fills_up_typed(message):
    """A missing element of contents is zero."""
    for tensor in message.inputs:
        count = math.prod(tensor.shape) if all(0 < dimension < 1000 for dimension in tensor.shape) else -1
        field = TYPED.get(tensor.datatype, ("", ""))[0]
        if field and len(getattr(tensor.contents, field)) == count - 1 > 0:
            getattr(tensor.contents, field).append(0)


def cuts_typed(message):
    """Elements of contents that are too many are passed over."""
    for tensor in message.inputs:
        count = math.prod(tensor.shape) if all(0 < dimension < 1000 for dimension in tensor.shape) else -1
        field = TYPED.get(tensor.datatype, ("", ""))[0]
        if field and len(getattr(tensor.contents, field)) == count + 1 > 1:
            del getattr(tensor.contents, field)[-1]


def two_outputs_only(message):
    del message.outputs[2:]


def inputs_in_any_case(message):
    for tensor in message.inputs:
        tensor.name = tensor.name.upper() if tensor.name.islower() and tensor.name.startswith("in") else tensor.name


def outputs_in_any_case(message):
    for tensor in message.outputs:
        tensor.name = tensor.name.upper() if tensor.name.islower() and tensor.name.startswith("out") else tensor.name


def models_in_any_case(call):
    for member in ("name", "model_name"):
        name = getattr(call.message, member, "") if call.message is not None else ""
        if name != name.lower():
            setattr(call.message, member, name.lower())


def takes_the_first_for_the_last(call):
    if is_inference(call) and call.message.model_name == "versioned" and call.message.model_version == "2":
        call.message.model_version, call.asked = "1", "2"


def says_what_was_asked(call):
    if call.reply is not None and getattr(call, "asked", None):
        call.reply.model_version = call.asked


# --- State that stays ------------------------------------------------------------------------------------------------------


class Lags:
    """Gives each inference the outputs of the one before, of the same model and shape."""

    def __init__(self):
        self.last, self.lock = {}, threading.Lock()

    def answer(self, call):
        if not is_inference(call) or call.reply is None or not call.reply.outputs:
            return
        key = (call.reply.model_name, tuple((output.name, tuple(output.shape)) for output in call.reply.outputs))
        with self.lock:
            before, self.last[key] = self.last.get(key), list(call.reply.raw_output_contents)
        if before is not None:
            replaces(call.reply.raw_output_contents, before)


class BehindErrors:
    """Behind an error of a model its answers have the id of the request that failed last."""

    def __init__(self):
        self.failed = {}

    def answer(self, call):
        if not is_inference(call):
            return
        if call.code == INVALID:
            self.failed[call.message.model_name] = call.message.id
        elif call.reply is not None and call.message.model_name in self.failed:
            call.reply.id = self.failed[call.message.model_name] + "!"


class Sometimes:
    """Every twentieth inference fails."""

    def __init__(self):
        self.counter = itertools.count(1)

    def request(self, call):
        if is_inference(call) and next(self.counter) % 20 == 0:
            raise Refusal(grpc.StatusCode.UNAVAILABLE, "out of workers")


# --- Metadata --------------------------------------------------------------------------------------------------------------


def of_metadata(edit):
    return of("ModelMetadata", lambda request, answer: edit(answer))


def variable_is(size):
    return of_metadata(lambda answer: [replaces(tensor.shape, [size if d == -1 else d for d in tensor.shape])
                                       for tensor in [*answer.inputs, *answer.outputs]])


def doubles_inputs(answer):
    answer.inputs.extend(list(answer.inputs))


def outputs_have_shapes_of_inputs(answer):
    for tensor in answer.outputs:
        replaces(tensor.shape, list(answer.inputs[0].shape))


def wrong(name, slug, why, request=None, answer=None, flags=(), server=()):
    return Variant(name, why, request=request, answer=answer, flags=flags, server=server), "v2-grpc." + slug


LAGS, BEHIND = Lags(), BehindErrors()
VALUES = "output-values"
WRONG = [
    wrong("grpc-no-sign-of-zero", VALUES, "-0.0 becomes 0.0", answer=of_floats(lambda n: n if n else 0.0)),
    wrong("grpc-infinity-is-finite", VALUES, "infinity is the largest number", answer=of_floats(finite)),
    wrong("grpc-nan-is-zero", VALUES, "NaN becomes 0", answer=of_floats(lambda n: 0.0 if math.isnan(n) else n)),
    wrong("grpc-fp32-without-subnormals", VALUES, "FP32 that is close to zero becomes zero", answer=of_floats(lambda n: 0.0 if abs(n) < 1.17e-38 else n)),
    wrong("grpc-fp64-without-subnormals", VALUES, "FP64 that is close to zero becomes zero",
          answer=of_numbers("FP64", "d", lambda raw: raw if raw[7] & 0x7f or raw[6] & 0xf0 else bytes(7) + raw[7:] if any(raw[:7]) else raw)),
    wrong("grpc-bf16-cut", VALUES, "the last bit of BF16 is lost", answer=of_numbers("BF16", "H", lambda raw: bytes([raw[0] & 0xfe, raw[1]]))),
    wrong("grpc-fp16-cut", VALUES, "the last bit of FP16 is lost", answer=of_numbers("FP16", "H", lambda raw: bytes([raw[0] & 0xfe, raw[1]]))),
    wrong("grpc-uint64-stops-at-int64", VALUES, "UINT64 stops at the largest INT64",
          answer=of_numbers("UINT64", "Q", lambda raw: raw if raw[7] < 128 else b"\xff" * 7 + b"\x7f")),
    wrong("grpc-int32-is-a-float", VALUES, "INT32 goes through a float", answer=of_numbers(
        "INT32", "i", lambda raw: struct.pack("<i", max(min(int(struct.unpack("<f", struct.pack("<f", struct.unpack("<i", raw)[0]))[0]),
                                                            (1 << 31) - 1), -1 << 31)))),
    wrong("grpc-uint16-swapped", VALUES, "UINT16 comes with the high byte first", answer=of_numbers("UINT16", "H", lambda raw: raw[::-1])),
    wrong("grpc-empty-bytes-lost", VALUES, "BYTES without a byte are lost", answer=bytes_as(lambda e: with_length(e) if e else b"")),
    wrong("grpc-bytes-end-at-255", VALUES, "BYTES are cut behind 255", answer=bytes_as(lambda e: with_length(e[:255]))),
    wrong("grpc-bytes-big-endian", VALUES, "the length of BYTES comes with the high byte first", answer=bytes_as(lambda e: struct.pack(">I", len(e)) + e)),
    wrong("grpc-bytes-lower", VALUES, "BYTES come in lower case", answer=bytes_as(lambda e: with_length(e.lower()))),
    wrong("grpc-scalar-has-one-dimension", "output-shape", "a scalar has one dimension", answer=shape_of(lambda s: s or [1]),
          flags=["--filter", "v2/probe/valid*", "--model", "scalar"]),
    wrong("grpc-shape-of-the-input", VALUES, "an output has the shape of the first input",
          answer=of_inferences(lambda r, a: [replaces(o.shape, list(r.inputs[0].shape)) for o in a.outputs if r.inputs])),
    wrong("grpc-datatype-of-the-input", "output-datatype", "an output has the datatype of the input",
          answer=of_inferences(lambda r, a: [puts(o, "datatype", r.inputs[0].datatype) for o in a.outputs if r.inputs])),
    wrong("grpc-swaps-when-reversed", "outputs-on-request", "outputs in another order have each other's data", answer=of_inferences(swaps_when_reversed)),
    wrong("grpc-rows-behind-the-second", VALUES, "rows behind the second are the second again", answer=of_inferences(rows_behind_the_second)),
    wrong("grpc-columns-first-from-3", VALUES, "tensors of rank 3 are not in row-major order", answer=of_inferences(columns_first)),
    wrong("grpc-parameters-are-doubles", "parameters-given", "parameters of 64 bits go through a double", answer=of_inferences(doubles_of_parameters)),
    wrong("grpc-parameters-without-empty-texts", "parameters-given", "parameters that are empty texts are lost",
          answer=of_inferences(without_defaults("string_param"))),
    wrong("grpc-id-at-1000", "id-echoed", "an id is cut behind a thousand letters", answer=of_inferences(lambda r, a: puts(a, "id", a.id[:1000]))),
    wrong("grpc-id-ends-at-nul", "id-echoed", "an id ends at a NUL", answer=of_inferences(lambda r, a: puts(a, "id", a.id.split("\0")[0]))),
    wrong("grpc-id-ascii", "id-echoed", "letters of an id beyond ASCII become question marks",
          answer=of_inferences(lambda r, a: puts(a, "id", a.id.encode("ascii", "replace").decode()))),
    wrong("grpc-reads-int8-unsigned", VALUES, "INT8 in contents is read without its sign", request=reads_typed("INT8", abs)),
    wrong("grpc-reads-uint32-of-31-bits", VALUES, "UINT32 in contents has 31 bits", request=reads_typed("UINT32", lambda n: n & 0x7fffffff)),
    wrong("grpc-reads-typed-doubles", VALUES, "INT64 in contents goes through a double",
          request=reads_typed("INT64", lambda n: int(float(n)) if abs(n) < 1 << 62 else n)),
    wrong("grpc-reads-typed-fp32-short", VALUES, "FP32 in contents is read with six digits", request=reads_typed("FP32", lambda n: float("%.6g" % n)
                                                                                                           if abs(n) < 3e38 else n)),
    wrong("grpc-reads-bytes-to-nul", VALUES, "BYTES in contents end at a NUL", request=reads_bytes(lambda e: e.split(b"\0")[0])),
    wrong("grpc-typed-filled", "data-count", "a missing element of contents is zero", request=of_requests(fills_up_typed)),
    wrong("grpc-typed-cut", "data-count", "surplus elements of contents are passed over", request=of_requests(cuts_typed)),
    wrong("grpc-two-outputs-only", "outputs-on-request", "of more than two requested outputs two come", request=of_requests(two_outputs_only)),
    wrong("grpc-inputs-in-any-case", "case-sensitive", "names of inputs are read in any case", request=of_requests(inputs_in_any_case)),
    wrong("grpc-outputs-in-any-case", "case-sensitive", "names of outputs are read in any case", request=of_requests(outputs_in_any_case)),
    wrong("grpc-models-in-any-case", "case-sensitive", "names of models are read in any case", request=models_in_any_case),
    wrong("grpc-newest-is-oldest", "version-named", "the newest version is computed by the oldest", request=takes_the_first_for_the_last,
          answer=says_what_was_asked),
    wrong("grpc-lags", VALUES, "an answer has the outputs of the one before", answer=LAGS.answer),
    wrong("grpc-id-of-the-failed", "id-echoed", "behind an error of a model its answers have the id of the request that failed", answer=BEHIND.answer,
          flags=["--filter", "v2/infer/sum-and-difference*"]),
    wrong("grpc-fails-at-times", VALUES, "every twentieth inference fails", request=Sometimes().request),
    wrong("grpc-metadata-variable-0", "metadata-variable", "a dimension of variable size is 0", answer=variable_is(0)),
    wrong("grpc-metadata-variable-max", "metadata-variable", "a dimension of variable size is the largest number", answer=variable_is((1 << 32) - 1)),
    wrong("grpc-metadata-inputs-twice", "metadata-inputs", "each input is listed twice", answer=of_metadata(doubles_inputs)),
    wrong("grpc-metadata-shapes-of-inputs", "metadata-outputs", "outputs are listed with the shape of the input",
          answer=of_metadata(outputs_have_shapes_of_inputs)),
    wrong("grpc-contents-beside-raw", "answer-raw-or-contents", "the second output has contents beside raw", answer=of_inferences(contents_beside_raw),
          flags=["--filter", "v2/infer/sum-and-difference*"]),
    wrong("grpc-scalars-one-more", VALUES, "a scalar is one more", answer=of_inferences(scalars_are_one_more), flags=["--filter", "v2/infer/scalar*"]),
]
