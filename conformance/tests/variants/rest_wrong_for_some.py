"""Servers over REST that break one sentence for some values only: for numbers of some size, for texts with some letters, for the second
request of a connection, or behind an error.

Each row of WRONG names the requirement that must be among those that fail."""
import json
import math
import re
import struct
import urllib.parse

from rest_relay import dumped, refusal
from rest_variants import Variant, edits_inference, edits_json, tensors
from rest_wrong import edits_answers, edits_elements, edits_outputs, is_metadata, of_id, of_text

# --- Elements of answers ---------------------------------------------------------------------------------------------------


def of_numbers(datatypes, edit):
    return edits_elements(datatypes, lambda element: edit(element) if isinstance(element, (int, float)) and not isinstance(element, bool)
                          else element)


def as_float(number):
    return int(struct.unpack("<f", struct.pack("<f", number))[0])


def six_decimals(number):
    return float("%f" % number) if abs(number) < 1 else number


def looks_like(text):
    """What a reader of configuration files makes of a text."""
    if re.fullmatch("-?[0-9]{1,9}", text):
        return int(text)
    return {"true": True, "false": False, "null": None}.get(text, text)


def writes_text(edit):
    """Makes an edit of an answer to an inference from an edit of its body as a text."""
    def change(request, answer):
        if answer.status == 200 and request.is_inference() and answer.json is not None:
            body = edit(answer.body.decode("utf-8", "surrogatepass"), answer)
            if body != answer.body:
                answer.set_body(body)
    return change


def controls_stay(text, answer):
    """Line feeds and tabs within texts are no escapes."""
    return text.replace("\\n", "\n").replace("\\t", "\t").encode("utf-8", "surrogatepass")


def writes_surrogates(text, answer):
    """Letters above the first plane are two of three bytes each, as Java's modified UTF-8 has them."""
    halves = re.sub("[\U00010000-\U0010ffff]", lambda match: "".join(map(chr, struct.unpack(">2H", match[0].encode("utf-16-be")))), text)
    return halves.encode("utf-8", "surrogatepass")


def quotes_stay(text, answer):
    """The quotes within an id are no escapes."""
    body = json.loads(text)
    if not isinstance(body.get("id"), str) or not re.search(r'["\\]', body["id"]):
        return answer.body
    given = body.pop("id")
    return ('{"id":"' + given + '",').encode("utf-8", "surrogatepass") + dumped(body)[1:]


@edits_outputs
def no_elements_no_data(output):
    return output.get("data") == [] and output.pop("data") == []


@edits_outputs
def no_elements_null(output):
    if output.get("data") != []:
        return False
    output["data"] = None
    return True


@edits_outputs
def scalars_have_one_dimension(output):
    if output.get("shape") != []:
        return False
    output["shape"] = [1]
    return True


def scalars_are_one_more(output):
    if output.get("shape") != []:
        return False
    output["data"] = [element + 1 for element in output["data"]]
    return True


def fp16_is_half(output):
    if output.get("datatype") != "FP16":
        return False
    output["datatype"] = "HALF"
    return True


@edits_answers
def datatype_is_that_of_the_input(request, body):
    asked = tensors(request.json, "inputs") if isinstance(request.json, dict) else []
    kind = asked[0].get("datatype") if asked else None
    changes = [output for output in body["outputs"] if kind and output.get("datatype") != kind]
    for output in changes:
        output["datatype"] = kind
    return bool(changes)


@edits_answers
def shape_is_that_of_the_input(request, body):
    asked = tensors(request.json, "inputs") if isinstance(request.json, dict) else []
    changes = [output for output in body["outputs"] if asked and output.get("shape") != asked[0].get("shape")]
    for output in changes:
        output["shape"] = asked[0].get("shape")
    return bool(changes)


# --- Elements of requests --------------------------------------------------------------------------------------------------


def reads(datatypes, edit):
    """Makes an edit of a request from an edit of each flat or nested number of its inputs of these datatypes."""
    def of(element):
        return [of(one) for one in element] if isinstance(element, list) else element if isinstance(element, (bool, str)) or element is None \
            else edit(element)

    @edits_inference
    def change(request, body):
        before = json.dumps(body)
        for tensor in tensors(body, "inputs"):
            if tensor.get("datatype") in datatypes and isinstance(tensor.get("data"), list):
                tensor["data"] = of(tensor["data"])
        return json.dumps(body) != before
    return change


def nested_only(edit):
    @edits_inference
    def change(request, body):
        done = False
        for tensor in tensors(body, "inputs"):
            data = tensor.get("data")
            if isinstance(data, list) and data and isinstance(data[0], list) and tensor.get("datatype") in ("INT64", "UINT64"):
                tensor["data"] = edit(data)
                done |= tensor["data"] != data
        return done
    return change


def through_doubles(data):
    return [through_doubles(one) for one in data] if isinstance(data, list) else \
        int(float(data)) if type(data) is int and abs(data) < 1 << 62 else data


def refuses_bodies(pattern):
    """Refuses what is JSON, and has something of this form."""
    def change(request):
        return refusal(400, "invalid JSON") if request.is_inference() and request.json is not None and re.search(pattern, request.body) \
            else None
    return change


def surrogates_are_two(request):
    """An escape of a letter above the first plane is read as two letters, which no text has."""
    if request.is_inference() and request.json is not None and re.search(rb"\\u[dD][89abAB]", request.body):
        request.set_body(re.sub(rb"\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}", rb"??", request.body))


# --- Ids, and what stays ---------------------------------------------------------------------------------------------------


def loses_ids(of):
    @edits_answers
    def change(request, body):
        return of(body.get("id")) and body.pop("id", None) is not None
    return change


class OfConnections:
    """Knows what was said on the connection of a request."""

    def __init__(self):
        self.of = {}

    def state(self, request):
        return self.of.setdefault(request.connection, {})

    def first_id(self, request, answer):
        """Each inference of a connection has the id of the first."""
        body = answer.json if request.is_inference() and answer.status == 200 else None
        if isinstance(body, dict) and isinstance(body.get("id"), str):
            first = self.state(request).setdefault("id", body["id"])
            if first != body["id"]:
                body["id"] = first
                answer.json = body

    def zeros_behind_errors(self, request, answer):
        """The first inference behind an error of the same connection has zeros for its numbers."""
        state = self.state(request)
        if request.is_inference() and answer.status == 400:
            state["failed"] = True
        elif request.is_inference() and answer.status == 200 and state.pop("failed", False):
            all_zeros(request, answer)

    def first_only(self, request):
        """A connection serves one inference; others are refused."""
        if not request.is_inference():
            return None
        state = self.state(request)
        state["count"] = state.get("count", 0) + 1
        return refusal(500, "the context is closed") if state["count"] > 1 else None


@edits_outputs
def all_zeros(output):
    if output.get("datatype") in ("BYTES", "BOOL") or not output.get("data"):
        return False
    output["data"] = [0] * len(output["data"])
    return True


class BehindErrors:
    """Behind an error of a model its next answer lacks the last output, whoever asks."""

    def __init__(self):
        self.failed = set()

    def answer(self, request, answer):
        named = request.model()
        if not request.is_inference() or not named:
            return
        if answer.status == 400:
            self.failed.add(named[0])
        elif answer.status == 200 and named[0] in self.failed:
            self.failed.discard(named[0])
            body = answer.json
            if isinstance(body, dict) and body.get("outputs"):
                body["outputs"] = body["outputs"][:-1]
                answer.json = body


def takes_the_first_for_the_last(request):
    """Whoever names the newest version gets the oldest, under the newest one's name."""
    named = request.model()
    if named and named[0] == "versioned" and named[1] not in (None, "1") and request.is_inference():
        request.asked_version = named[1]
        request.set_target(request.target.replace(f"/versions/{named[1]}/", "/versions/1/"))


@edits_json
def says_what_was_asked(request, answer, body):
    if answer.status != 200 or "model_version" not in body or not getattr(request, "asked_version", None):
        return False
    body["model_version"] = request.asked_version
    return True


# --- Metadata --------------------------------------------------------------------------------------------------------------


def metadata(edit):
    @edits_json
    def change(request, answer, body):
        return edit(request, body) if is_metadata(request) and answer.status == 200 else False
    return change


def variable_is(size):
    def edit(request, body):
        for tensor in tensors(body, "inputs", "outputs"):
            tensor["shape"] = [size if dimension == -1 else dimension for dimension in tensor["shape"]]
    return metadata(edit)


@metadata
def outputs_have_shapes_of_inputs(request, body):
    for tensor in body["outputs"]:
        tensor["shape"] = body["inputs"][0]["shape"]


@metadata
def output_names_are_numbers(request, body):
    for number, tensor in enumerate(body["outputs"]):
        tensor["name"] = f"output_{number}"


@metadata
def platform_is_an_object(request, body):
    body["platform"] = {"name": body["platform"]}


@metadata
def versions_have_letters(request, body):
    if "versions" not in body:
        return False
    body["versions"] = ["v" + version for version in body["versions"]]
    return True


@metadata
def versioned_metadata_lacks_outputs(request, body):
    return request.model()[1] is not None and bool(body.pop("outputs", None))


@metadata
def versioned_metadata_lacks_platform(request, body):
    return request.model()[1] is not None and bool(body.pop("platform", None))


def wrong(name, key, why, **functions):
    return Variant(name, why, **functions), key


def of_connections(name, key, why, request=None, answer=None, flags=()):
    state = OfConnections()
    return wrong(name, key, why, request=request and (lambda r: request(state, r)), answer=answer and (lambda r, a: answer(state, r, a)),
                 flags=flags)


VALUES = "v2-rest.output-values"
def answers_are_of_version_7(request, answer, body):
    if "outputs" in body and body.get("model_name") == "simple":
        body["model_version"] = "7"


def lists_version_99(request, answer, body):
    if "platform" in body and "versions" in body:
        body["versions"] = ["99", *body["versions"]]


WRONG = [
    wrong("version-7-computed-it", "v2-rest.version-named", "answers name a version that there is not",
          answer=edits_json(answers_are_of_version_7), flags=["--model", "simple"]),
    wrong("version-99-is-listed", "v2-rest.metadata-versioned", "metadata lists a version first that there is not", answer=edits_json(lists_version_99),
          flags=["--model", "simple"]),
    wrong("fp32-six-decimals", VALUES, "FP32 below 1 is printed with six decimals", answer=of_numbers(("FP32",), six_decimals)),
    wrong("int32-is-a-float", VALUES, "INT32 goes through a float", answer=of_numbers(("INT32",), as_float)),
    wrong("uint32-is-signed", VALUES, "UINT32 is printed as INT32", answer=of_numbers(("UINT32",), lambda n: n - (1 << 32) if n >> 31 else n)),
    wrong("uint16-is-signed", VALUES, "UINT16 is printed as INT16", answer=of_numbers(("UINT16",), lambda n: n - (1 << 16) if n >> 15 else n)),
    wrong("uint64-stops-at-int64", VALUES, "UINT64 stops at the largest INT64", answer=of_numbers(("UINT64",), lambda n: min(n, (1 << 63) - 1))),
    wrong("fp64-stops-at-float", VALUES, "FP64 beyond the largest float is that float",
          answer=of_numbers(("FP64",), lambda n: math.copysign(3.4028234663852886e38, n) if abs(n) > 3.5e38 else n)),
    wrong("fp64-small-is-zero", VALUES, "FP64 below the smallest float is zero", answer=of_numbers(("FP64",), lambda n: 0.0 if abs(n) < 1e-45 else n)),
    wrong("int16-stops-short", VALUES, "the largest INT16 becomes the one below", answer=of_numbers(("INT16",), lambda n: n - (n == 32767))),
    wrong("texts-that-look-like-numbers", VALUES, "BYTES that look like a number or true are one", answer=of_text(looks_like)),
    wrong("texts-lose-a-mark", VALUES, "a byte order mark at the beginning of BYTES is lost", answer=of_text(lambda t: t.removeprefix("\ufeff"))),
    wrong("texts-lose-controls", VALUES, "controls within BYTES are lost", answer=of_text(lambda t: re.sub("[\x01-\x08\x0b\x0c\x0e-\x1f\x7f]", "", t))),
    wrong("texts-double-backslashes", VALUES, "backslashes within BYTES are doubled", answer=of_text(lambda t: t.replace("\\", "\\\\"))),
    wrong("texts-single-quotes", VALUES, "quotes within BYTES are single", answer=of_text(lambda t: t.replace('"', "'"))),
    wrong("writes-controls", "v2-rest.answer-json", "controls within texts are no escapes", answer=writes_text(controls_stay),
          flags=["--filter", "v2/infer/datatype/bytes*"]),
    wrong("writes-surrogates", "v2-rest.answer-json", "letters above the first plane are no UTF-8", answer=writes_text(writes_surrogates),
          flags=["--filter", "v2/infer/datatype/bytes*"]),
    wrong("writes-bare-quotes", "v2-rest.answer-json", "quotes within an id are no escapes", answer=writes_text(quotes_stay),
          flags=["--filter", "*#v2-rest.id-echoed"]),
    wrong("no-elements-no-data", "v2-rest.answer-data-count", "an output without elements has no data", answer=no_elements_no_data,
          flags=["--filter", "v2/infer/nothing*"]),
    wrong("no-elements-null", "v2-rest.answer-data-count", "an output without elements has null for data", answer=no_elements_null,
          flags=["--filter", "v2/infer/nothing*"]),
    wrong("scalars-have-one-dimension", "v2-rest.output-shape", "a scalar has one dimension", answer=scalars_have_one_dimension,
          flags=["--filter", "v2/probe/valid*", "--model", "scalar"]),
    wrong("datatype-of-the-input", "v2-rest.output-datatype", "an output has the datatype of the input", answer=datatype_is_that_of_the_input),
    wrong("shape-of-the-input", VALUES, "an output has the shape of the first input", answer=shape_is_that_of_the_input),
    wrong("reads-subnormals-as-zero", VALUES, "what is close to zero is read as zero",
          request=reads(("FP32",), lambda n: 0.0 if abs(n) < 1.17e-38 else n)),
    wrong("reads-no-sign-of-zero", VALUES, "-0.0 is read as 0.0", request=reads(("FP32", "FP64", "FP16", "BF16"), lambda n: n if n else 0.0)),
    wrong("reads-floats-of-fp64", VALUES, "FP64 is read as a float",
          request=reads(("FP64",), lambda n: struct.unpack("<f", struct.pack("<f", n))[0] if abs(n) < 3e38 else n)),
    wrong("reads-nested-doubles", VALUES, "INT64 in nested data goes through a double", request=nested_only(through_doubles)),
    wrong("exponents-refused", VALUES, "numbers with an exponent are refused", request=refuses_bodies(rb"[0-9][eE][-+]?[0-9]")),
    wrong("escapes-refused", VALUES, "escapes of letters are refused", request=refuses_bodies(rb"\\u[0-9a-fA-F]{4}")),
    wrong("surrogates-are-two", VALUES, "an escape of a letter above the first plane is two letters", request=surrogates_are_two),
    wrong("id-0-is-none", "v2-rest.id-echoed", "the id 0 is none", answer=loses_ids(lambda id: id in ("0", "false", "null", "None"))),
    wrong("id-decoded", "v2-rest.id-echoed", "an id is decoded as a URL is", answer=of_id(urllib.parse.unquote_plus)),
    wrong("id-of-escapes", "v2-rest.id-echoed", "letters of an id beyond ASCII come as the text of their escapes",
          answer=of_id(lambda id: id.encode("ascii", "backslashreplace").decode())),
    wrong("id-ends-at-nul", "v2-rest.id-echoed", "an id ends at a NUL", answer=of_id(lambda id: id.split("\0")[0])),
    wrong("id-without-controls", "v2-rest.id-echoed", "controls within an id are lost", answer=of_id(lambda id: re.sub("[\0-\x1f]", "", id))),
    of_connections("id-of-the-first", "v2-rest.id-echoed", "each request of a connection has the id of the first", answer=OfConnections.first_id),
    of_connections("zeros-behind-errors", VALUES, "behind an error of a connection the next numbers are zero",
                   answer=OfConnections.zeros_behind_errors,
                   flags=["--filter", "v2/infer/sum-and-difference*"]),
    of_connections("one-for-a-connection", VALUES, "a connection serves one inference", request=OfConnections.first_only),
    wrong("behind-errors-one-less", VALUES, "behind an error of a model its next answer lacks an output", answer=BehindErrors().answer,
          flags=["--filter", "v2/infer/sum-and-difference*"]),
    wrong("newest-is-oldest", "v2-rest.version-named", "the newest version is computed by the oldest", request=takes_the_first_for_the_last,
          answer=says_what_was_asked),
    wrong("metadata-variable-1", "v2-rest.metadata-variable", "a dimension of variable size is 1", answer=variable_is(1)),
    wrong("metadata-variable-0", "v2-rest.metadata-variable", "a dimension of variable size is 0", answer=variable_is(0)),
    wrong("metadata-shapes-of-inputs", "v2-rest.metadata-outputs", "outputs are listed with the shape of the input",
          answer=outputs_have_shapes_of_inputs),
    wrong("metadata-other-names", "v2-rest.metadata-outputs", "outputs are listed with other names", answer=output_names_are_numbers),
    wrong("metadata-platform-object", "v2-rest.metadata-platform", "platform is an object", answer=platform_is_an_object),
    wrong("metadata-versions-of-letters", "v2-rest.infer-versioned", "versions are listed by other names", answer=versions_have_letters),
    wrong("versioned-metadata-cut", "v2-rest.metadata-versioned", "metadata of a version has no outputs", answer=versioned_metadata_lacks_outputs),
    wrong("versioned-metadata-no-platform", "v2-rest.metadata-versioned", "metadata of a version has no platform", 
          answer=versioned_metadata_lacks_platform),
    wrong("id-without-del", "v2-rest.id-echoed", "DEL within an id is lost", answer=of_id(lambda id: id.replace("\x7f", ""))),
    wrong("scalars-one-more", VALUES, "a scalar is one more", answer=edits_outputs(scalars_are_one_more), flags=["--filter", "v2/infer/scalar*"]),
    wrong("fp16-is-half", "v2-rest.output-datatype", "FP16 is called HALF", answer=edits_outputs(fp16_is_half)),
]
