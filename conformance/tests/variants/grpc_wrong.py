"""Servers over gRPC that break exactly one sentence of the documents, in ways that no deviation of the reference server has.

Each row of WRONG is a variant (grpc_variants.py) and the requirement that must be among those that fail."""
import struct
import unicodedata

from grpc_relay import Refusal, is_inference, schema
from grpc_variants import INVALID, OK, Variant


def of(method, edit):
    """Makes an edit of an answer from an edit of the answers of a method, `edit(request, answer)`."""
    def change(call):
        if call.rpc == method and call.reply is not None and call.message is not None:
            edit(call.message, call.reply)
    return change


def of_inferences(edit):
    return of("ModelInfer", edit)


def without_defaults(kind):
    """Parameters of that kind are lost that are false, zero or empty."""
    def change(_, answer):
        for holder in [answer, *answer.outputs]:
            for name in [name for name, value in holder.parameters.items()
                         if value.WhichOneof("parameter_choice") == kind and not getattr(value, kind)]:
                del holder.parameters[name]
    return change


def of_outputs(edit):
    def change(_, answer):
        for output in answer.outputs:
            edit(output)
    return of_inferences(change)


def of_raw(datatypes, edit):
    """Makes an edit of an answer from an edit of the raw contents of its outputs of these datatypes."""
    def change(_, answer):
        if len(answer.raw_output_contents) == len(answer.outputs):
            made = [edit(raw) if output.datatype in datatypes else raw for output, raw in zip(answer.outputs, answer.raw_output_contents)]
            del answer.raw_output_contents[:]
            answer.raw_output_contents.extend(made)
    return of_inferences(change)


def of_requests(edit):
    def change(call):
        if is_inference(call):
            edit(call.message)
    return change


def puts(holder, member, value):
    setattr(holder, member, value)


def replaces(field, values):
    values = list(values)
    del field[:]
    field.extend(values)


# --- Answers ---------------------------------------------------------------------------------------------------------------


def swapped(size):
    return lambda raw: b"".join(raw[i:i + size][::-1] for i in range(0, len(raw), size))


def elements_of_bytes(raw):
    found = []
    while raw:
        size = struct.unpack("<I", raw[:4])[0]
        found.append(raw[4:4 + size])
        raw = raw[4 + size:]
    return found


def bytes_as(write):
    return of_raw(("BYTES",), lambda raw: b"".join(write(element) for element in elements_of_bytes(raw)))


def with_length(element):
    return struct.pack("<I", len(element)) + element


def raw_in_other_order(_, answer):
    replaces(answer.raw_output_contents, list(answer.raw_output_contents)[::-1])


def raw_in_one_entry(_, answer):
    if answer.raw_output_contents:
        replaces(answer.raw_output_contents, [b"".join(answer.raw_output_contents)])


def in_wrong_field(_, answer):
    for output, raw in zip(answer.outputs, answer.raw_output_contents):
        if output.datatype != "INT32":
            return
        output.contents.int64_contents.extend(struct.unpack(f"<{len(raw) // 4}i", raw))
    del answer.raw_output_contents[:]


def small_integers_as_bytes(_, answer):
    if [output.datatype for output in answer.outputs] == ["UINT8"]:
        answer.outputs[0].contents.bytes_contents.append(answer.raw_output_contents[0])
        del answer.raw_output_contents[:]


def through_float(raw):
    return struct.pack(f"<{len(raw) // 8}d", *(struct.unpack("<f", struct.pack("<f", max(min(d, 3e38), -3e38)))[0]
                                              for d in struct.unpack(f"<{len(raw) // 8}d", raw)))


def parameters_are_texts(_, answer):
    for holder in [answer] + list(answer.outputs):
        for parameter in holder.parameters.values():
            kind = parameter.WhichOneof("parameter_choice")
            if kind and kind != "string_param":
                parameter.string_param = str(getattr(parameter, kind))


def first_row_again(_, answer):
    made = []
    for output, raw in zip(answer.outputs, answer.raw_output_contents):
        rows = output.shape[0] if len(output.shape) > 1 and output.datatype != "BYTES" else 1
        made.append(raw[:len(raw) // rows] * rows if rows > 1 else raw)
    replaces(answer.raw_output_contents, made)


def shape_of(edit):
    return of_outputs(lambda output: replaces(output.shape, edit(list(output.shape))))


# --- Requests --------------------------------------------------------------------------------------------------------------


def fills_up_raw(request):
    for tensor, index in zip(request.inputs, range(len(request.raw_input_contents))):
        if tensor.datatype == "INT32" and all(0 < d < 1000 for d in tensor.shape):
            size = 4
            for dimension in tensor.shape:
                size *= dimension
            if len(request.raw_input_contents[index]) == size - 4:
                request.raw_input_contents[index] += b"\0\0\0\0"


def cuts_raw(request):
    for tensor, index in zip(request.inputs, range(len(request.raw_input_contents))):
        if tensor.datatype == "INT32" and all(0 < d < 1000 for d in tensor.shape):
            size = 4
            for dimension in tensor.shape:
                size *= dimension
            if len(request.raw_input_contents[index]) > size:
                request.raw_input_contents[index] = request.raw_input_contents[index][:size]


def cuts_surplus_raw(request):
    if request.inputs and len(request.raw_input_contents) > len(request.inputs):
        replaces(request.raw_input_contents, request.raw_input_contents[:len(request.inputs)])


def by_place(request):
    if request.model_name == "simple" and sorted(t.name for t in request.inputs) == ["INPUT0", "INPUT1"]:
        request.inputs[0].name, request.inputs[1].name = "INPUT0", "INPUT1"


def first_output_only(request):
    if len(request.outputs) > 1:
        del request.outputs[1:]


def lower_datatypes(request):
    for tensor in request.inputs:
        tensor.datatype = tensor.datatype.upper()


def trims_names(call):
    for member in ("name", "model_name"):
        if call.message is not None and hasattr(call.message, member):
            setattr(call.message, member, getattr(call.message, member).strip())


def cuts_names(call):
    for member in ("name", "model_name"):
        if call.message is not None and hasattr(call.message, member):
            setattr(call.message, member, getattr(call.message, member).split("\0")[0])


def longer_names(call):
    for member in ("name", "model_name"):
        if call.message is not None and hasattr(call.message, member):
            setattr(call.message, member, getattr(call.message, member).split("-no-such")[0])


def floats_of_typed(request):
    for tensor in request.inputs:
        made = [struct.unpack("<f", struct.pack("<f", max(min(d, 3e38), -3e38)))[0] for d in tensor.contents.fp64_contents]
        if made:
            replaces(tensor.contents.fp64_contents, made)


def no_typed_bool(request):
    for tensor in request.inputs:
        if tensor.contents.bool_contents:
            raise Refusal(INVALID, "no contents of BOOL")


def without_subnormals(raw):
    halves = struct.unpack(f"<{len(raw) // 2}H", raw)
    return struct.pack(f"<{len(halves)}H", *(half if half & 0x7C00 else half & 0x8000 for half in halves))


def through_double(raw):
    numbers = struct.unpack(f"<{len(raw) // 8}q", raw)
    return struct.pack(f"<{len(numbers)}q", *(min(int(float(number)), (1 << 63) - 1) for number in numbers))


class Remembers:
    """Gives an answer again to a request with the same id."""

    def __init__(self):
        self.known = {}

    def answer(self, call):
        if is_inference(call) and call.reply is not None and call.message.id:
            before = self.known.setdefault((call.message.model_name, call.message.id), call.reply)
            call.answered(before.SerializeToString())


# --- Errors and health -----------------------------------------------------------------------------------------------------


def error_becomes(method, answer):
    """An error of that method becomes a success with this answer."""
    def change(call):
        if call.rpc == method and call.code != OK and call.message is not None:
            call.code = OK
            call.answered(answer(call.message).SerializeToString())
    return change


def wrong(name, key, why, request=None, answer=None, flags=()):
    return Variant(name, why, request=request, answer=answer, flags=flags), "v2-grpc." + key


WRONG = [
    wrong("grpc-id-cut", "id-echoed", "an id is cut behind 32 letters", answer=of_inferences(lambda r, a: puts(a, "id", a.id[:32]))),
    wrong("grpc-id-lower", "id-echoed", "an id comes back in lower case", answer=of_inferences(lambda r, a: puts(a, "id", a.id.lower()))),
    wrong("grpc-id-trimmed", "id-echoed", "blanks around an id are lost", answer=of_inferences(lambda r, a: puts(a, "id", a.id.strip()))),
    wrong("grpc-id-normalized", "id-echoed", "an id comes back in another form of Unicode",
          answer=of_inferences(lambda r, a: puts(a, "id", unicodedata.normalize("NFD", a.id)))),
    wrong("grpc-id-lost-with-version", "id-echoed", "who asks for a version gets no id",
          answer=of_inferences(lambda r, a: puts(a, "id", "" if r.model_version else a.id))),
    wrong("grpc-model-name-upper", "model-name-given", "an answer names a model in upper case",
          answer=of_inferences(lambda r, a: puts(a, "model_name", a.model_name.upper()))),
    wrong("grpc-model-name-constant", "model-name-given", "every answer names one model",
          answer=of_inferences(lambda r, a: puts(a, "model_name", "model"))),
    wrong("grpc-int32-big-endian", "output-values", "INT32 comes with the high byte first", answer=of_raw(("INT32",), swapped(4))),
    wrong("grpc-fp64-big-endian", "output-values", "FP64 comes with the high byte first", answer=of_raw(("FP64",), swapped(8))),
    wrong("grpc-fp64-is-float", "output-values", "FP64 goes through a float", answer=of_raw(("FP64",), through_float)),
    wrong("grpc-int16-in-four-bytes", "output-values", "INT16 takes four bytes",
          answer=of_raw(("INT16",), lambda raw: struct.pack(f"<{len(raw) // 2}i", *struct.unpack(f"<{len(raw) // 2}h", raw)))),
    wrong("grpc-bool-in-four-bytes", "output-values", "BOOL takes four bytes",
          answer=of_raw(("BOOL",), lambda raw: b"".join(raw[i:i + 1] + b"\0\0\0" for i in range(len(raw))))),
    wrong("grpc-raw-is-padded", "output-values", "raw contents fill whole eights", answer=of_raw(
        ("INT32", "FP32", "INT8"), lambda raw: raw + b"\0" * (-len(raw) % 8))),
    wrong("grpc-bytes-end-at-nul", "output-values", "BYTES end at a NUL", answer=bytes_as(lambda e: with_length(e.split(b"\0")[0]))),
    wrong("grpc-bytes-with-nul", "output-values", "BYTES have a NUL behind them", answer=bytes_as(lambda e: with_length(e + b"\0"))),
    wrong("grpc-bytes-without-length", "output-values", "BYTES have no length", answer=bytes_as(lambda e: e)),
    wrong("grpc-bytes-long-length", "output-values", "the length of BYTES takes eight bytes",
          answer=bytes_as(lambda e: struct.pack("<Q", len(e)) + e)),
    wrong("grpc-bytes-are-utf8", "bytes-arbitrary", "what is no UTF-8 is replaced",
          answer=bytes_as(lambda e: with_length(e.decode("utf-8", "replace").encode()))),
    wrong("grpc-raw-reversed", "output-values", "raw contents come in another order than the outputs", answer=of_inferences(raw_in_other_order)),
    wrong("grpc-raw-joined", "answer-raw-count", "raw contents are one entry", answer=of_inferences(raw_in_one_entry)),
    wrong("grpc-contents-in-other-field", "output-values", "INT32 comes in the field of INT64", answer=of_inferences(in_wrong_field)),
    wrong("grpc-uint8-as-bytes", "output-values", "UINT8 comes in the field of BYTES", answer=of_inferences(small_integers_as_bytes)),
    wrong("grpc-first-row-again", "output-values", "each row of a batch has the result of the first", answer=of_inferences(first_row_again)),
    wrong("grpc-shape-reversed", "output-shape", "an output's shape is reversed", answer=shape_of(lambda shape: shape[::-1])),
    wrong("grpc-shape-without-batch", "output-shape", "an output's shape lacks the batch", answer=shape_of(lambda shape: shape[1:])),
    wrong("grpc-shape-without-ones", "output-shape", "dimensions of 1 are left out", answer=shape_of(lambda s: [d for d in s if d != 1])),
    wrong("grpc-datatype-lower", "output-datatype", "an output's datatype comes in lower case",
          answer=of_outputs(lambda o: puts(o, "datatype", o.datatype.lower()))),
    wrong("grpc-datatype-prefixed", "output-datatype", "an output's datatype has a prefix",
          answer=of_outputs(lambda o: puts(o, "datatype", "TYPE_" + o.datatype))),
    wrong("grpc-outputs-cut", "all-outputs", "only the first output comes", answer=of_inferences(
        lambda r, a: (replaces(a.outputs, a.outputs[:1]), replaces(a.raw_output_contents, a.raw_output_contents[:1])) if not r.outputs else None)),
    wrong("grpc-parameters-are-texts", "parameters-given", "all parameters of an answer are texts", answer=of_inferences(parameters_are_texts)),
    wrong("grpc-raw-filled", "data-count", "missing raw contents become zeros", request=of_requests(fills_up_raw)),
    wrong("grpc-raw-cut", "data-count", "surplus raw contents are passed over", request=of_requests(cuts_raw)),
    wrong("grpc-inputs-by-place", "output-values", "inputs are known by their place", request=of_requests(by_place)),
    wrong("grpc-first-output-only", "outputs-on-request", "of several requested outputs the first comes", request=of_requests(first_output_only)),
    wrong("grpc-datatypes-in-any-case", "case-sensitive", "datatypes are read in any case", request=of_requests(lower_datatypes)),
    wrong("grpc-names-trimmed", "model-known", "blanks around a model's name are lost", request=trims_names),
    wrong("grpc-names-end-at-nul", "model-known", "a model's name ends at a NUL", request=cuts_names),
    wrong("grpc-names-cut", "metadata-model-known", "what stands behind a model's name is passed over", request=longer_names),
    wrong("grpc-typed-fp64-is-float", "output-values", "FP64 in contents goes through a float", request=of_requests(floats_of_typed)),
    wrong("grpc-typed-bool-refused", "output-values", "BOOL in contents is refused", request=of_requests(no_typed_bool)),
    (Variant("grpc-remembers-by-id", "the same id gives the same answer", answer=Remembers().answer), "v2-grpc.outputs-on-request"),
    wrong("grpc-unknown-model-is-empty", "model-known", "an unknown model answers nothing",
          answer=error_becomes("ModelInfer", lambda r: schema.ModelInferResponse(model_name=r.model_name))),
    wrong("grpc-unknown-metadata-is-empty", "metadata-model-known", "metadata of any model is given",
          answer=error_becomes("ModelMetadata", lambda r: schema.ModelMetadataResponse(name=r.name))),
    wrong("grpc-any-model-is-ready", "model-ready-false", "any model is ready",
          answer=error_becomes("ModelReady", lambda r: schema.ModelReadyResponse(ready=True))),
    wrong("grpc-ready-is-false", "model-is-ready", "a model that answers is not ready", answer=of("ModelReady", lambda r, a: puts(a, "ready", False))),
    wrong("grpc-version-is-not-ready", "model-ready-versioned", "a version is never ready",
          answer=of("ModelReady", lambda r, a: puts(a, "ready", a.ready and not r.version))),
    wrong("grpc-metadata-swapped", "metadata-inputs", "inputs and outputs are swapped",
          answer=of("ModelMetadata", lambda r, a: (lambda i, o: (replaces(a.inputs, o), replaces(a.outputs, i)))(list(a.inputs), list(a.outputs)))),
    wrong("grpc-metadata-name-upper", "metadata-name", "metadata has the name in upper case",
          answer=of("ModelMetadata", lambda r, a: puts(a, "name", a.name.upper()))),
    wrong("grpc-metadata-without-shape", "metadata-variable", "tensors in metadata have no shape",
          answer=of("ModelMetadata", lambda r, a: [replaces(t.shape, []) for t in list(a.inputs) + list(a.outputs)])),
    wrong("grpc-metadata-without-batch", "metadata-variable", "shapes in metadata lack the batch",
          answer=of("ModelMetadata", lambda r, a: [replaces(t.shape, t.shape[1:]) for t in list(a.inputs) + list(a.outputs)])),
    wrong("grpc-metadata-minus-2", "metadata-variable", "a dimension of variable size is -2",
          answer=of("ModelMetadata", lambda r, a: [replaces(t.shape, [-2 if d == -1 else d for d in t.shape]) for t in a.outputs])),
    wrong("grpc-metadata-datatype-lower", "metadata-datatype", "metadata has datatypes in lower case",
          answer=of("ModelMetadata", lambda r, a: [puts(t, "datatype", t.datatype.lower()) for t in list(a.inputs) + list(a.outputs)])),
    wrong("grpc-metadata-output-datatype", "metadata-datatype", "the datatype of outputs is another",
          answer=of("ModelMetadata", lambda r, a: [puts(t, "datatype", "FP32") for t in a.outputs if t.datatype == "INT32"])),
    wrong("grpc-metadata-outputs-cut", "metadata-outputs", "only the first output is listed",
          answer=of("ModelMetadata", lambda r, a: replaces(a.outputs, a.outputs[:1]))),
    wrong("grpc-server-name-empty", "server-name", "the server has no name", answer=of("ServerMetadata", lambda r, a: puts(a, "name", " ".strip()))),
    wrong("grpc-fp16-without-subnormals", "output-values", "FP16 that is close to zero becomes zero", answer=of_raw(("FP16",), without_subnormals)),
    wrong("grpc-int64-is-a-double", "output-values", "INT64 goes through a double", answer=of_raw(("INT64",), through_double)),
    wrong("grpc-id-lost-with-parameters", "id-echoed", "who sends parameters gets no id",
          answer=of_inferences(lambda r, a: puts(a, "id", "" if r.parameters else a.id))),
    wrong("grpc-id-lost-with-outputs", "id-echoed", "who names outputs gets no id",
          answer=of_inferences(lambda r, a: puts(a, "id", "" if r.outputs else a.id))),
]
