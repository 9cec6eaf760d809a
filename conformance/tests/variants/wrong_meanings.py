"""Servers that break one sentence of the documents in what they say or read, whatever the wire: each row is played over REST and over gRPC,
where its name begins with grpc-. No deviation of the reference server is wrong in these ways. What can be wrong on one wire alone is in
rest_wrong.py and grpc_wrong.py.

Each row names the requirement that must be among those that fail, and says what is wrong. SOME are wrong for some values only, TIMES now and
then."""
import html
import math
import re
import struct
import unicodedata
import urllib.parse

from meaning import (BATCHED, asks, at_times, behind_errors, by_id, computes_by, cuts, edits_answers, edits_inference,
                     edits_inputs, edits_json, edits_metadata, edits_outputs, fills, flat_count, is_metadata, lags, listed, listed_shape,
                     loses_id, metadata_of, of_id, of_numbers, of_parameters, of_text, puts, reads, refuses, remembers, renames_models,
                     tensors, wrong)

VALUES, ID, PARAMETERS = "output-values", "id-echoed", "parameters-given"
FLOATS, LARGE = ("FP32", "FP64", "FP16", "BF16"), ("INT64", "UINT64")
SCALAR = ["--filter", "v2/probe/valid*", "--model", "scalar"]

# --- Numbers ---------------------------------------------------------------------------------------------------------------


def digits(count):
    return lambda number: float(f"%.{count}g" % number)


def through_double(number):
    return int(float(number)) if isinstance(number, int) and abs(number) < 1 << 62 else number


def through_float(number):
    return struct.unpack("<f", struct.pack("<f", max(min(number, 3e38), -3e38)))[0]


def swapped_bytes(letter):
    return lambda number: struct.unpack(">" + letter, struct.pack("<" + letter, number))[0]


def near_zero(least):
    return lambda number: math.copysign(0.0, number) if abs(number) < least else number


def of_32_bits(value):
    return struct.unpack("<i", struct.pack("<q", value)[:4])[0] if type(value) is int and abs(value) < 1 << 63 else value


# --- Answers ---------------------------------------------------------------------------------------------------------------


def all_but(limit):
    """Data is lost after so many elements: the rest is the first element again."""
    def change(output):
        data = output.get("data", [])
        if len(data) > limit:
            output["data"] = data[:limit] + [data[0]] * (len(data) - limit)
    return edits_outputs(change)


def rows_of(output):
    """(the number of rows of an output, the elements of one), or (0, 0) if it has not got several."""
    shape, data = output.get("shape", []), output.get("data", [])
    return (shape[0], math.prod(shape[1:])) if len(shape) > 1 and len(data) == math.prod(shape) > 0 else (0, 0)


def only_rows(kept):
    """The rows after the first `kept` are the last of these again, as of a batch that is computed in parts."""
    def change(output):
        rows, size = rows_of(output)
        if rows > kept:
            output["data"] = output["data"][:kept * size] + output["data"][(kept - 1) * size:kept * size] * (rows - kept)
    return edits_outputs(change)


@edits_outputs
def columns_first(output):
    """From rank 3 on the last two dimensions are swapped in the data."""
    shape, data = output.get("shape", []), output.get("data", [])
    if len(shape) > 2 and len(data) == math.prod(shape):
        rows, columns = shape[-2:]
        output["data"] = [data[at + c + r * columns] for at in range(0, len(data), rows * columns) for c in range(columns) for r in range(rows)]


@edits_answers
def swaps_when_reversed(request, body):
    """Who asks for the outputs in another order gets the names in his order, and the data in the model's."""
    outputs = body["outputs"]
    if len({len(output.get("data", [])) for output in outputs}) == 1:
        ordered = [output["data"] for output in sorted(outputs, key=lambda output: output["name"])]
        for output, data in zip(outputs, ordered):
            output["data"] = data


@edits_answers
def swaps_data(request, body):
    same = [output for output in body["outputs"] if output["datatype"] == "INT32" and "data" in output]
    if len(same) > 1:
        same[0]["data"], same[1]["data"] = same[1]["data"], same[0]["data"]


def of_the_input(member):
    """Outputs have the datatype or the shape of the first input."""
    def change(request, body):
        asked = tensors(request.json, "inputs") if isinstance(request.json, dict) else []
        for output in body["outputs"] if asked else []:
            output[member] = asked[0].get(member)
    return edits_answers(change)


def succeeds(where, make):
    """An edit of the answer to requests for whose answer `where(request, answer)` holds: they succeed with the object `make(name)`."""
    def change(request, answer):
        if request.model() and where(request, answer):
            answer.set_status(200, "OK")
            answer.json = make(request.model()[0])
    return change


def ready_is(status, where):
    """Readiness of the models for which `where(version)` holds."""
    def change(request, answer):
        named = request.model()
        if named and named[2] == "/ready" and request.method == "GET" and where(named[1]):
            answer.set_status(status, "Changed")
            answer.set_body(b"")
    return change


# --- Requests --------------------------------------------------------------------------------------------------------------


def only_outputs(count):
    @edits_inference
    def change(request, body):
        if len(tensors(body, "outputs")) > count:
            body["outputs"] = body["outputs"][:count]
    return change


@edits_inference
def by_place(request, body):
    """Matches inputs by their place, not by their name."""
    inputs = tensors(body, "inputs")
    if request.model()[0] == "simple" and {tensor.get("name") for tensor in inputs} == {"INPUT0", "INPUT1"} and len(inputs) == 2:
        inputs[0]["name"], inputs[1]["name"] = "INPUT0", "INPUT1"


@edits_inputs
def shape_from_data(tensor):
    """Believes the data and not the shape."""
    shape, data = tensor.get("shape"), tensor.get("data")
    if isinstance(shape, list) and len(shape) == 2 and type(shape[0]) is int and shape[0] == 1 and isinstance(data, list) \
            and flat_count(data) == len(data) > 0:
        tensor["shape"] = [1, len(data)]


@edits_inputs
def product_overflows(tensor):
    """The product of the dimensions is one of 64 bits."""
    shape, data = tensor.get("shape"), tensor.get("data")
    if isinstance(shape, list) and isinstance(data, list) and shape and all(type(d) is int and d > 0 for d in shape) \
            and math.prod(shape) >= 1 << 64 and math.prod(shape) % (1 << 64) == len(data):
        tensor["shape"] = [1, len(data)]


def members_as(side, member, edit):
    """Another spelling of a text of the tensors of one side."""
    @edits_inference
    def change(request, body):
        for tensor in tensors(body, side):
            if isinstance(tensor.get(member), str):
                tensor[member] = edit(tensor[member])
    return change


def upper_if_lower(name):
    return name.upper() if name.islower() else name


ALIASES = {"FLOAT": "FP32", "FLOAT32": "FP32", "DOUBLE": "FP64", "STRING": "BYTES", "TYPE_STRING": "BYTES", "TYPE_INT32": "INT32", "INT": "INT32"}


@edits_inference
def missing_input_is_zero(request, body):
    inputs = tensors(body, "inputs")
    if request.model()[0] == "simple" and len(inputs) == 1 and inputs[0].get("name") in ("INPUT0", "INPUT1"):
        other = "INPUT1" if inputs[0]["name"] == "INPUT0" else "INPUT0"
        body["inputs"].append({"name": other, "datatype": "INT32", "shape": inputs[0].get("shape"), "data": [0] * flat_count(inputs[0].get("data"))})


def of_datatype(datatype):
    return lambda index, tensor: tensor.get("datatype") == datatype


# --- Metadata --------------------------------------------------------------------------------------------------------------


def variable_is(size, *sides):
    return listed_shape(lambda shape: [size if dimension == -1 else dimension for dimension in shape], *sides)


def of_a_version(edit):
    """Edits the metadata of a version that is named, `edit(object, version)`."""
    return edits_metadata(lambda request, body: edit(body, request.model()[1]) if request.model()[1] is not None else False)


# --- The tables ------------------------------------------------------------------------------------------------------------

ALWAYS = [
    wrong("id-cut-at-32", ID, "an id is cut after 32 letters", answer=of_id(lambda id: id[:32])),
    wrong("id-trimmed", ID, "blanks around an id are lost", answer=of_id(str.strip)),
    wrong("id-lower", ID, "an id comes back in lower case", answer=of_id(str.lower)),
    wrong("id-normalized", ID, "an id comes back in another form of Unicode", answer=of_id(lambda id: unicodedata.normalize("NFD", id))),
    wrong("id-without-zeros", ID, "zeros in front of an id are lost", answer=of_id(lambda id: re.sub("^0+(?=[0-9])", "", id))),
    wrong("id-escaped", ID, "an id comes back escaped for HTML", answer=of_id(html.escape)),
    wrong("id-lost-with-version", ID, "who asks for a version gets no id", answer=loses_id(lambda r, asked, body: r.model()[1] is not None)),
    wrong("id-lost-with-parameters", ID, "who sends parameters gets no id", answer=loses_id(lambda r, asked, body: asked.get("parameters"))),
    wrong("id-lost-with-outputs", ID, "who names outputs gets no id", answer=loses_id(lambda r, asked, body: asked.get("outputs"))),
    wrong("fp32-six-digits", VALUES, "FP32 has six digits", answer=of_numbers(("FP32",), digits(6))),
    wrong("fp64-fifteen-digits", VALUES, "FP64 has fifteen digits", answer=of_numbers(("FP64",), digits(15))),
    wrong("int64-is-a-double", VALUES, "INT64 goes through a double", answer=of_numbers(LARGE, through_double)),
    wrong("zero-has-no-sign", VALUES, "-0.0 becomes 0.0", answer=of_numbers(("FP32", "FP64"), lambda n: n if n else 0.0)),
    wrong("subnormals-are-zero", VALUES, "FP32 that is close to zero becomes zero", answer=of_numbers(("FP32",), near_zero(1.17e-38))),
    wrong("texts-are-trimmed", VALUES, "blanks around BYTES are lost", answer=of_text(str.strip)),
    wrong("texts-are-lower", VALUES, "BYTES come in lower case", answer=of_text(str.lower)),
    wrong("texts-end-at-255", VALUES, "BYTES are cut after 255", answer=of_text(lambda t: t[:255])),
    wrong("texts-with-nul", VALUES, "BYTES have a NUL after them", answer=of_text(lambda t: t + "\0")),
    wrong("texts-normalized", VALUES, "BYTES come in another form of Unicode", answer=of_text(lambda t: unicodedata.normalize("NFKC", t))),
    wrong("texts-without-planes", VALUES, "letters above the first plane are lost", answer=of_text(lambda t: re.sub("[^\0-\uffff]", "\ufffd", t))),
    wrong("line-ends-change", VALUES, "line ends within BYTES become others", answer=of_text(lambda t: t.replace("\n", "\r\n"))),
    wrong("thousand-elements", VALUES, "data after a thousand elements is lost", answer=all_but(1000)),
    wrong("datatype-in-lower-case", "output-datatype", "an output's datatype comes in lower case", answer=puts("datatype", lambda o: o["datatype"].lower())),
    wrong("datatype-of-numpy", "output-datatype", "an output's datatype has the name of another table",
          answer=puts("datatype", lambda o: o["datatype"].replace("INT", "int").replace("FP", "float"))),
    wrong("datatype-prefixed", "output-datatype", "an output's datatype has a prefix", answer=puts("datatype", lambda o: "TYPE_" + o["datatype"])),
    wrong("shape-without-batch", "output-shape", "an output's shape lacks the batch", answer=puts("shape", lambda o: o["shape"][1:])),
    wrong("shape-with-a-one", "output-shape", "an output's shape has one dimension more", answer=puts("shape", lambda o: o["shape"] + [1])),
    wrong("shape-reversed", "output-shape", "an output's shape is reversed", answer=puts("shape", lambda o: o["shape"][::-1])),
    wrong("shape-without-ones", "output-shape", "dimensions of 1 are left out", answer=puts("shape", lambda o: [d for d in o["shape"] if d != 1])),
    wrong("outputs-twice", "all-outputs", "each output comes twice", answer=edits_answers(lambda r, body: body.update(outputs=2 * body["outputs"]))),
    wrong("outputs-swapped", VALUES, "two outputs have each other's data", answer=swaps_data),
    wrong("outputs-cut", "all-outputs", "only the first output comes",
          answer=edits_answers(lambda r, body: None if tensors(r.json, "outputs") else body.update(outputs=body["outputs"][:1]))),
    wrong("model-name-upper", "model-name-given", "an answer names a model in upper case",
          answer=edits_answers(lambda r, body: body.update(model_name=body["model_name"].upper()))),
    wrong("model-name-with-version", "model-name-given", "the version stands in the name",
          answer=edits_answers(lambda r, body: body.update(model_name=body["model_name"] + ":" + body.get("model_version", "1")))),
    wrong("model-name-constant", "model-name-given", "every answer names one model", answer=edits_answers(lambda r, body: body.update(model_name="model"))),
    wrong("version-is-not-served", "infer-versioned", "another version computes than the answer names",
          answer=edits_answers(lambda r, body: [output.update(data=[number + 100 for number in output["data"]]) for output in body["outputs"]] and None
                               if r.model()[:2] == ("versioned", "1") else False)),
    wrong("parameters-are-texts", PARAMETERS, "all parameters of an answer are texts", answer=of_parameters(edit=str)),
    wrong("parameters-without-false", PARAMETERS, "parameters that are false are lost", answer=of_parameters(lambda value: value is not False)),
    wrong("parameters-without-empty-texts", PARAMETERS, "parameters that are empty texts are lost", answer=of_parameters(lambda value: value != "")),
    wrong("parameters-shared", PARAMETERS, "all outputs have the parameters of the first",
          answer=edits_answers(lambda r, body: [output.update(parameters=body["outputs"][0].get("parameters", {})) for output in body["outputs"]] and None)),
    wrong("two-outputs-only", "outputs-on-request", "of more than two requested outputs two come", request=only_outputs(2)),
    wrong("all-outputs-always", "outputs-on-request", "requested outputs are not read", request=only_outputs(0)),
    wrong("inputs-by-place", VALUES, "inputs are known by their place", request=by_place),
    wrong("data-is-cut", "data-count", "surplus elements are passed over", request=cuts()),
    wrong("shape-is-guessed", "data-count", "the data says what the shape is", request=shape_from_data),
    wrong("product-overflows", "data-count", "the number of elements is counted in 64 bits", request=product_overflows),
    wrong("model-names-trimmed", "model-known", "blanks around a model's name are lost", request=renames_models(str.strip)),
    wrong("model-names-cut", "model-known", "what follows a model's name is passed over", request=renames_models(lambda name: name.split("-no-such")[0])),
    wrong("model-names-end-at-nul", "model-known", "a model's name ends at a NUL", request=renames_models(lambda name: name.split("\0")[0])),
    wrong("models-in-any-case", "case-sensitive", "names of models are read in any case", request=renames_models(str.lower)),
    wrong("inputs-in-any-case", "case-sensitive", "names of inputs are read in any case", request=members_as("inputs", "name", upper_if_lower)),
    wrong("outputs-in-any-case", "case-sensitive", "names of outputs are read in any case", request=members_as("outputs", "name", upper_if_lower)),
    wrong("datatypes-in-any-case", "case-sensitive", "datatypes are read in any case", request=members_as("inputs", "datatype", str.upper)),
    wrong("datatypes-by-other-names", "datatype-known", "datatypes have aliases", request=members_as("inputs", "datatype", lambda name: ALIASES.get(name, name))),
    wrong("input-is-guessed", "all-inputs", "a missing input is zeros", request=missing_input_is_zero),
    wrong("unknown-model-is-empty", "model-known", "an unknown model answers nothing",
          answer=succeeds(lambda r, answer: r.is_inference() and answer.status == 404, lambda name: {"model_name": name, "outputs": []})),
    wrong("failure-is-empty", "failure-reported", "a model that fails answers without outputs",
          answer=succeeds(lambda r, answer: r.is_inference() and answer.status == 500, lambda name: {"model_name": name, "outputs": []})),
    wrong("unknown-metadata-is-empty", "metadata-model-known", "metadata of any model is given", answer=succeeds(
        lambda r, answer: is_metadata(r) and answer.status == 404,
        lambda name: {"name": name, "versions": [], "platform": "", "inputs": [], "outputs": []})),
    wrong("any-model-is-ready", "model-ready-false", "any model is ready", answer=ready_is(200, lambda version: True)),
    wrong("ready-is-false", "model-is-ready", "a model that answers is not ready", answer=ready_is(400, lambda version: True)),
    wrong("version-is-not-ready", "model-ready-versioned", "a version is never ready", answer=ready_is(400, bool)),
    wrong("metadata-name-upper", "metadata-name", "metadata has the name in upper case", answer=metadata_of(lambda body: body.update(name=body["name"].upper()))),
    wrong("metadata-outputs-are-inputs", "metadata-outputs", "outputs are the inputs", answer=metadata_of(lambda body: body.update(outputs=body["inputs"]))),
    wrong("metadata-swapped", "metadata-inputs", "inputs and outputs are swapped",
          answer=metadata_of(lambda body: body.update(inputs=body["outputs"], outputs=body["inputs"]))),
    wrong("metadata-outputs-cut", "metadata-outputs", "only the first output is listed", answer=metadata_of(lambda body: body.update(outputs=body["outputs"][:1]))),
    wrong("metadata-inputs-cut", "metadata-inputs", "only the first input is listed", answer=metadata_of(lambda body: body.update(inputs=body["inputs"][:1]))),
    wrong("metadata-inputs-twice", "metadata-inputs", "each input is listed twice", answer=metadata_of(lambda body: body.update(inputs=body["inputs"] * 2))),
    wrong("metadata-other-names", "metadata-outputs", "outputs are listed with other names",
          answer=metadata_of(lambda body: [tensor.update(name=f"output_{number}") for number, tensor in enumerate(body["outputs"])] and None)),
    wrong("metadata-datatype-lower", "metadata-datatype", "metadata has datatypes in lower case", answer=listed(lambda t: t.update(datatype=t["datatype"].lower()))),
    wrong("metadata-output-datatype", "metadata-datatype", "the datatype of outputs is another",
          answer=listed(lambda t: t.update(datatype="FP32") if t["datatype"] == "INT32" else None, "outputs")),
    wrong("metadata-shape-without-batch", "metadata-variable", "shapes in metadata lack the batch", answer=listed_shape(lambda shape: shape[1:])),
    wrong("metadata-shapes-of-inputs", "metadata-outputs", "outputs are listed with the shape of the input",
          answer=metadata_of(lambda body: [tensor.update(shape=body["inputs"][0]["shape"]) for tensor in body["outputs"]] and None)),
    wrong("metadata-variable-minus-2", "metadata-variable", "a dimension of variable size is -2", answer=variable_is(-2, "outputs")),
    wrong("metadata-variable-1", "metadata-variable", "a dimension of variable size is 1", answer=variable_is(1)),
    wrong("metadata-variable-0", "metadata-variable", "a dimension of variable size is 0", answer=variable_is(0)),
    wrong("metadata-variable-max", "metadata-variable", "a dimension of variable size is the largest number", answer=variable_is((1 << 32) - 1)),
    wrong("metadata-versions-of-letters", "infer-versioned", "versions are listed by other names",
          answer=metadata_of(lambda body: body.update(versions=["v" + version for version in body.get("versions", [])]))),
    wrong("versioned-metadata-name", "metadata-versioned", "metadata of a version names it so",
          answer=of_a_version(lambda body, version: body.update(name=f"{body['name']}/{version}"))),
    wrong("versioned-metadata-cut", "metadata-versioned", "metadata of a version has no outputs", answer=of_a_version(lambda body, version: body.pop("outputs", None))),
    wrong("version-7-computed-it", "version-named", "answers name a version that there is not", answer=edits_json(
        lambda r, a, body: body.update(model_version="7") if "outputs" in body and body.get("model_name") == "simple" else False), flags=["--model", "simple"]),
    wrong("version-99-is-listed", "metadata-versioned", "metadata lists a version first that there is not", answer=edits_json(
        lambda r, a, body: body.update(versions=["99", *body["versions"]]) if "platform" in body and "versions" in body else False),
          flags=["--model", "simple"]),
]

SOME = [
    wrong("id-cut-at-1000", ID, "an id is cut after a thousand letters", answer=of_id(lambda id: id[:1000])),
    wrong("id-ends-at-nul", ID, "an id ends at a NUL", answer=of_id(lambda id: id.split("\0")[0])),
    wrong("id-without-controls", ID, "controls within an id are lost", answer=of_id(lambda id: re.sub("[\0-\x1f]", "", id))),
    wrong("id-without-del", ID, "DEL within an id is lost", answer=of_id(lambda id: id.replace("\x7f", ""))),
    wrong("id-decoded", ID, "an id is decoded as a URL is", answer=of_id(urllib.parse.unquote_plus)),
    wrong("id-of-escapes", ID, "letters of an id beyond ASCII come as the text of their escapes",
          answer=of_id(lambda id: id.encode("ascii", "backslashreplace").decode())),
    wrong("id-0-is-none", ID, "the id 0 is none", answer=loses_id(lambda r, asked, body: body.get("id") in ("0", "false", "null", "None"))),
    wrong("id-lost-with-two-inputs", ID, "who sends two inputs gets no id", answer=loses_id(lambda r, asked, body: len(tensors(asked, "inputs")) > 1)),
    wrong("fp32-six-decimals", VALUES, "FP32 below 1 has six decimals", answer=of_numbers(("FP32",), lambda n: float("%f" % n) if abs(n) < 1 else n)),
    wrong("fp64-stops-at-float", VALUES, "FP64 beyond the largest float is that float",
          answer=of_numbers(("FP64",), lambda n: math.copysign(3.4028234663852886e38, n) if abs(n) > 3.5e38 else n)),
    wrong("fp64-without-subnormals", VALUES, "FP64 that is close to zero becomes zero", answer=of_numbers(("FP64",), near_zero(2.2250738585072014e-308))),
    wrong("int32-is-a-float", VALUES, "INT32 goes through a float",
          answer=of_numbers(("INT32",), lambda n: min(int(struct.unpack("<f", struct.pack("<f", n))[0]), (1 << 31) - 1))),
    wrong("uint64-stops-at-int64", VALUES, "UINT64 stops at the largest INT64", answer=of_numbers(("UINT64",), lambda n: min(n, (1 << 63) - 1))),
    wrong("int8-has-no-minimum", VALUES, "the least INT8 becomes the one above", answer=of_numbers(("INT8",), lambda n: max(n, -127))),
    wrong("int16-stops-short", VALUES, "the largest INT16 becomes the one below", answer=of_numbers(("INT16",), lambda n: min(n, 32766))),
    wrong("int64-has-no-minimum", VALUES, "the least INT64 becomes the one above", answer=of_numbers(("INT64",), lambda n: max(n, 1 - (1 << 63)))),
    wrong("uint16-swapped", VALUES, "UINT16 comes with the high byte first", answer=of_numbers(("UINT16",), swapped_bytes("H"))),
    wrong("uint16-is-missing", VALUES, "UINT16 is not served", request=refuses(asks("inputs", lambda t: t.get("datatype") == "UINT16"))),
    wrong("texts-without-private-use", VALUES, "letters at the end of the first plane are lost", answer=of_text(lambda t: re.sub("[\ue000-\uffff]", "", t))),
    wrong("texts-lose-a-mark", VALUES, "a byte order mark at the beginning of BYTES is lost", answer=of_text(lambda t: t.removeprefix("\ufeff"))),
    wrong("texts-lose-controls", VALUES, "controls within BYTES are lost", answer=of_text(lambda t: re.sub("[\x01-\x08\x0b\x0c\x0e-\x1f\x7f]", "", t))),
    wrong("texts-double-backslashes", VALUES, "backslashes within BYTES are doubled", answer=of_text(lambda t: t.replace("\\", "\\\\"))),
    wrong("texts-single-quotes", VALUES, "quotes within BYTES are single", answer=of_text(lambda t: t.replace('"', "'"))),
    wrong("scalars-have-one-dimension", "output-shape", "a scalar has one dimension", answer=puts("shape", lambda o: o["shape"] or [1]), flags=SCALAR),
    wrong("scalars-one-more", VALUES, "a scalar is one more", answer=edits_outputs(
        lambda o: o.update(data=[element + 1 for element in o["data"]]) if o.get("shape") == [] else None), flags=["--filter", "v2/infer/scalar*"]),
    wrong("datatype-of-the-input", "output-datatype", "an output has the datatype of the input", answer=of_the_input("datatype")),
    wrong("shape-of-the-input", VALUES, "an output has the shape of the first input", answer=of_the_input("shape")),
    wrong("fp16-is-half", "output-datatype", "FP16 is called HALF", answer=puts("datatype", lambda o: o["datatype"].replace("FP16", "HALF"))),
    wrong("columns-first-from-3", VALUES, "tensors of rank 3 are not in row-major order", answer=columns_first),
    wrong("rows-behind-the-second", VALUES, "rows after the second are the second again", answer=only_rows(2)),
    wrong("swaps-when-reversed", "outputs-on-request", "outputs in another order have each other's data", answer=swaps_when_reversed),
    wrong("parameters-of-32-bits", PARAMETERS, "parameters have 32 bits", answer=of_parameters(edit=of_32_bits)),
    wrong("reads-subnormals-as-zero", VALUES, "what is close to zero is read as zero", request=reads(("FP32",), near_zero(1.17e-38))),
    wrong("reads-no-sign-of-zero", VALUES, "-0.0 is read as 0.0", request=reads(FLOATS, lambda n: n if n else 0.0)),
    wrong("reads-floats-of-fp64", VALUES, "FP64 is read as a float", request=reads(("FP64",), through_float)),
    wrong("reads-fp32-short", VALUES, "FP32 is read with six digits", request=reads(("FP32",), digits(6))),
    wrong("reads-doubles", VALUES, "INT64 in requests goes through a double", request=reads(LARGE, through_double)),
    wrong("reads-int8-unsigned", VALUES, "INT8 is read without its sign", request=reads(("INT8",), abs)),
    wrong("reads-uint32-of-31-bits", VALUES, "UINT32 has 31 bits", request=reads(("UINT32",), lambda n: int(n) & 0x7fffffff)),
    wrong("second-input-is-filled", "data-count", "only the first input is counted", request=fills(lambda index, tensor: index > 0)),
    wrong("texts-are-filled", "data-count", "BYTES are not counted", request=fills(of_datatype("BYTES"))),
    wrong("bools-are-filled", "data-count", "BOOL is not counted", request=fills(of_datatype("BOOL"))),
    wrong("fp64-is-filled", "data-count", "FP64 is not counted", request=fills(of_datatype("FP64"))),
]

TIMES = [
    wrong("fails-at-times", VALUES, "every twentieth inference fails", request=at_times(20, lambda r: r.is_inference())),
    wrong("not-live-at-times", "server-live", "every third time the server is not live", request=at_times(3, lambda r: r.path == "/v2/health/live", 400)),
    wrong("remembers-by-id", "outputs-on-request", "the same id gives the same answer", answer=remembers(by_id)),
    wrong("lags", VALUES, "an answer has the outputs of the one before", answer=lags()),
    wrong("behind-errors-one-less", VALUES, "after an error of a model its next answer lacks an output",
          answer=behind_errors(lambda body, failed: body["outputs"].pop()), flags=BATCHED),
    wrong("id-of-the-failed", ID, "after an error of a model its answers have the id of the request that failed",
          answer=behind_errors(lambda body, failed: body.update(id=failed + "!"), forgets=False), flags=BATCHED),
    wrong("versions-lie", "version-named", "version 1 is computed by version 2", **computes_by("2", instead_of="1")),
    wrong("newest-is-oldest", "version-named", "the newest version is computed by the oldest", **computes_by("1", instead_of="2")),
]

WRONG = ALWAYS + SOME + TIMES
