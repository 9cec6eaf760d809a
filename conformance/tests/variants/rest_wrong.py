"""Servers that break exactly one sentence of the documents in how they speak HTTP and JSON, in ways that no deviation of the reference
server has. What is wrong with the meaning is in wrong_meanings.py.

Each row names the requirement that must be among those that fail. GUESSES have in their place the member of an input that is guessed."""
import base64
import json
import math
import re
import struct

from meaning import (BATCHED, asks, at_times, edits_answers, edits_elements, edits_inference, edits_inputs, edits_metadata, edits_outputs, edits_server, fills,
                     flat, flat_count, holders, is_metadata, listed, listed_shape, loses_id, metadata_of, nested, of_id, of_numbers, of_text, product, puts,
                     refuses, remembers, tensors, wrong, wrong_over_rest)
from rest_relay import dumped, refusal, success

VALUES = "output-values"

# --- Answers ---------------------------------------------------------------------------------------------------------------


def drops(member):
    return edits_outputs(lambda output: output.pop(member, None))


def signed(bits):
    return lambda number: number - (1 << bits) if number >> bits - 1 else number


def looks_like(text):
    """What a reader of configuration files makes of a text."""
    if re.fullmatch("-?[0-9]{1,9}", text):
        return int(text)
    return {"true": True, "false": False, "null": None}.get(text, text)


@edits_answers
def parameters_of_lists(request, body):
    for holder in [body] + body["outputs"]:
        if holder.get("parameters"):
            holder["parameters"] = [{"name": name, "value": value} for name, value in holder["parameters"].items()]


@edits_outputs
def nests_wrongly(output):
    """From rank 3 on only the outermost dimension is nested."""
    shape = output.get("shape", [])
    if len(shape) > 2 and output.get("data"):
        output["data"] = nested(output["data"], [shape[0], math.prod(shape[1:])])


@edits_outputs
def all_zeros(output):
    if output.get("datatype") not in ("BYTES", "BOOL") and output.get("data"):
        output["data"] = [0] * len(output["data"])


# --- How requests are read -------------------------------------------------------------------------------------------------


def is_nested(rank):
    return lambda tensor: len(tensor.get("shape") or []) >= rank and isinstance(tensor.get("data"), list) \
        and tensor["data"] and isinstance(tensor["data"][0], list)


def is_flat(rank):
    return lambda tensor: len(tensor.get("shape") or []) >= rank and isinstance(tensor.get("data"), list) \
        and tensor["data"] and not isinstance(tensor["data"][0], list)


def is_three_deep(tensor):
    data = tensor.get("data")
    return isinstance(data, list) and data and isinstance(data[0], list) and isinstance(data[0][0] if data[0] else None, list)


@edits_inputs
def nested_in_columns(tensor):
    """Reads nested data column by column."""
    data = tensor.get("data")
    if isinstance(data, list) and len(data) > 1 and all(isinstance(row, list) and len(row) == len(data[0]) > 1 for row in data) \
            and not isinstance(data[0][0], list):
        tensor["data"] = [element for row in zip(*data) for element in row]


def through_doubles(data):
    return [through_doubles(one) for one in data] if isinstance(data, list) else \
        int(float(data)) if type(data) is int and abs(data) < 1 << 62 else data


def refuses_bodies(pattern):
    """Refuses what is JSON, and has something of this form."""
    def change(request):
        return refusal(400, "invalid JSON") if request.is_inference() and request.json is not None and re.search(pattern, request.body) else None
    return change


def surrogates_are_two(request):
    """An escape of a letter above the first plane is read as two letters, which no text has."""
    if request.is_inference() and request.json is not None and re.search(rb"\\u[dD][89abAB]", request.body):
        request.set_body(re.sub(rb"\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}", rb"??", request.body))


def lower_paths(request):
    low = re.sub("^/v2|/(infer|ready|live|models|health|versions)(?=/|$)", lambda match: match[0].lower(), request.path, flags=re.I)
    if low != request.path:
        request.set_target(low + request.target[len(request.path):])


@edits_inference
def any_case_of_members(request, body):
    for holder in holders(body, "inputs", "outputs"):
        made = {name.lower(): value for name, value in holder.items()}
        holder.clear()
        holder.update(made)


def takes_a_list(request):
    body = request.json if request.is_inference() else None
    if isinstance(body, list) and body and isinstance(body[0], dict):
        request.json = body[0]


def closes_brackets(request):
    """Mends a body that breaks off."""
    if not request.is_inference() or request.json is not None:
        return
    for end in ("}", "]}", "]}]}", "}]}"):
        try:
            request.json = json.loads(request.body.decode() + end)
            return
        except (ValueError, RecursionError):
            pass


# --- What stays ------------------------------------------------------------------------------------------------------------


class Crosses:
    """Two inferences of a model at the same time get each other's answers: the second that is answered gets the body of the first."""

    def __init__(self):
        self.waiting, self.last = {}, {}

    def request(self, request):
        if request.is_inference():
            self.waiting[request.path] = self.waiting.get(request.path, 0) + 1

    def answer(self, request, answer):
        if not request.is_inference() or request.path not in self.waiting:
            return
        self.waiting[request.path] -= 1
        last = self.last.pop(request.path, None)
        if last is not None and answer.status == 200:
            answer.set_body(last)
        elif self.waiting[request.path] > 0 and answer.status == 200:
            self.last[request.path] = answer.body


def of_connection(request):
    """What was said on the connection of a request, as a dict that lives as long as the connection."""
    return vars(request.connection).setdefault("said", {}) if request.connection else {}


@edits_answers
def first_id(request, body):
    """Each inference of a connection has the id of the first."""
    if isinstance(body.get("id"), str):
        body["id"] = of_connection(request).setdefault("id", body["id"])


def zeros_behind_errors(request, answer):
    """The first inference after an error of the same connection has zeros for its numbers."""
    if request.is_inference() and answer.status == 400:
        of_connection(request)["failed"] = True
    elif request.is_inference() and answer.status == 200 and of_connection(request).pop("failed", False):
        all_zeros(request, answer)


def first_only(request):
    """A connection serves one inference; others are refused."""
    if request.is_inference():
        said = of_connection(request)
        said["count"] = said.get("count", 0) + 1
    return refusal(500, "the context is closed") if request.is_inference() and said["count"] > 1 else None


# --- Errors and statuses ---------------------------------------------------------------------------------------------------


def edits_errors(edit, where=lambda request, answer: True):
    """An edit of the answer to what was refused at an endpoint of inference or metadata."""
    def change(request, answer):
        if answer.status >= 400 and (request.is_inference() or is_metadata(request)) and where(request, answer):
            edit(request, answer)
    return change


def of_status(status):
    return lambda request, answer: answer.status == status


def of_versions(request, answer):
    return request.model() and request.model()[1]


def error_is(edit):
    """Another value of the member error, `edit(text, status)`."""
    def change(request, answer):
        body = answer.json
        if isinstance(body, dict) and "error" in body:
            answer.json = {**body, "error": edit(body["error"], answer.status)}
    return edits_errors(change)


def becomes(body):
    return lambda request, answer: answer.set_body(body)


def has_no_body(request, answer):
    answer.set_body(b"").set_header("Content-Type", None)


def redirects(request, answer):
    answer.set_status(302, "Found").set_header("Location", "/")


def is_no_content(request, answer):
    answer.set_status(204, "No Content").set_body(b"").set_header("Content-Length", None).set_header("Content-Type", None)


def success_is(status, of):
    return lambda request, answer: answer.set_status(status) if answer.status == 200 and of(request) else None


def health_is_204(end):
    def change(request, answer):
        if request.method == "GET" and request.path.endswith(end):
            answer.set_status(204).set_body(b"").set_header("Content-Length", None)
    return change


def writes_infinity(request, answer):
    """What has overflown is Infinity, which is no JSON."""
    if request.is_inference() and answer.status == 500 and b"infinit" in answer.body.lower():
        answer.set_status(200).set_body(b'{"model_name":"m","outputs":[{"name":"OUTPUT0","datatype":"FP32","shape":[1],"data":[Infinity]}]}')


# --- How answers are written -----------------------------------------------------------------------------------------------


def writes(edit, of=lambda request: True):
    """An edit of the bytes of an answer that succeeds."""
    def change(request, answer):
        body = edit(answer.body) if answer.status == 200 and answer.body and answer.json is not None and of(request) else answer.body
        if body != answer.body:
            answer.set_body(body)
    return change


def writes_inferences(edit):
    return writes(edit, lambda request: request.is_inference())


def writes_surrogates(body):
    """Letters above the first plane are two of three bytes each, as Java's modified UTF-8 has them."""
    halves = re.sub("[\U00010000-\U0010ffff]", lambda match: "".join(map(chr, struct.unpack(">2H", match[0].encode("utf-16-be")))),
                    body.decode("utf-8", "surrogatepass"))
    return halves.encode("utf-8", "surrogatepass")


def quotes_stay(text):
    """The quotes within an id are no escapes."""
    body = json.loads(text)
    if not isinstance(body.get("id"), str) or not re.search(r'["\\]', body["id"]):
        return text
    given = body.pop("id")
    return ('{"id":"' + given + '",').encode("utf-8", "surrogatepass") + dumped(body)[1:]


def never_ends_chunks(request, answer):
    if answer.status == 200 and request.is_inference() and answer.body and request.version == "1.1":
        answer.in_chunks(50)
        answer.body = answer.body[:-5]
        answer.close()


# --- What inputs lack ------------------------------------------------------------------------------------------------------


def guesses(member, guess):
    """An input without that member gets `guess(input, its place, all inputs)`, unless that is None."""
    def change(request, body):
        inputs = tensors(body, "inputs")
        for place, tensor in enumerate(inputs):
            made = guess(tensor, place, inputs) if member not in tensor and (member == "data" or isinstance(tensor.get("data"), list)) else None
            tensor.update({} if made is None else {member: made})
    return edits_inference(change)


def of_the_first(member):
    return lambda tensor, place, inputs: inputs[0].get(member) if place else None


def of_elements(kind, datatype):
    """The datatype of data with an element of that kind, in which whole numbers may stand beside fractions."""
    def guess(tensor, place, inputs):
        kinds = {type(element) for element in flat(tensor["data"])}
        return datatype if kind in kinds and kinds <= {kind, int} else None
    return guess


def of_brackets(tensor, place, inputs):
    """The shape as the brackets have it; flat data is left alone."""
    data = tensor["data"]
    return [len(data), len(data[0])] if data and isinstance(data[0], list) else None


# --- The tables ------------------------------------------------------------------------------------------------------------

CROSSES = Crosses()
BODY, JSON, TEXTS = "error-body", "answer-json", ["--filter", "v2/infer/datatype/bytes*"]
NOTHING = ["--filter", "v2/infer/nothing*"]

WRONG = wrong_over_rest([
    wrong("id-is-a-number", "id-echoed", "an id of digits comes back as a number", answer=of_id(lambda id: int(id) if re.fullmatch("[0-9]{1,9}", id) else id)),
    wrong("id-lost-behind-inputs", "id-echoed", "an id after the inputs is not read",
          answer=loses_id(lambda r, asked, body: "id" in asked and list(asked).index("id") > list(asked).index("inputs"))),
    wrong("id-lost-when-nested", "id-echoed", "who sends nested data gets no id", answer=loses_id(lambda r, asked, body: asks("inputs", is_nested(2))(asked))),
    wrong("id-of-the-first", "id-echoed", "each request of a connection has the id of the first", answer=first_id),
    *(wrong(f"uint{bits}-is-signed", VALUES, f"UINT{bits} is printed as INT{bits}", answer=of_numbers((f"UINT{bits}",), signed(bits)))
      for bits in (8, 16, 32, 64)),
    wrong("fp32-is-text", VALUES, "FP32 comes as text", answer=of_numbers(("FP32",), str)),
    wrong("large-numbers-are-texts", VALUES, "INT64 that JavaScript cannot hold comes as text",
          answer=of_numbers(("INT64", "UINT64"), lambda n: str(n) if abs(n) >= 1 << 53 else n)),
    wrong("bool-is-text", VALUES, "BOOL comes as text", answer=edits_elements(("BOOL",), str)),
    wrong("empty-texts-are-null", VALUES, "empty BYTES become null", answer=of_text(lambda t: t or None)),
    wrong("texts-that-look-like-numbers", VALUES, "BYTES that look like a number or true are one", answer=of_text(looks_like)),
    wrong("output-has-no-name", VALUES, "an output has no name", answer=drops("name")),
    wrong("output-has-no-shape", "output-shape", "an output has no shape", answer=drops("shape")),
    wrong("output-has-no-data", VALUES, "an output has no data", answer=drops("data")),
    wrong("no-elements-no-data", "answer-data-count", "an output without elements has no data",
          answer=edits_outputs(lambda output: output.pop("data") if output.get("data") == [] else None), flags=NOTHING),
    wrong("no-elements-null", "answer-data-count", "an output without elements has null for data", answer=puts("data", lambda o: o["data"] or None), flags=NOTHING),
    wrong("shape-of-texts", "output-shape", "the dimensions of an output are texts", answer=puts("shape", lambda o: [str(d) for d in o["shape"]])),
    wrong("name-of-output-null", VALUES, "an output's name is null", answer=puts("name", lambda o: None)),
    wrong("model-name-null", "model-name-given", "the model's name is null", answer=edits_answers(lambda r, body: body.update(model_name=None))),
    wrong("data-is-base64", VALUES, "data is one text", answer=puts("data", lambda o: base64.b64encode(str(o["data"]).encode()).decode())),
    wrong("one-element-is-no-list", VALUES, "data of one element is no list", answer=puts("data", lambda o: o["data"][0] if len(o["data"]) == 1 else o["data"])),
    wrong("data-is-wrapped", "answer-nesting", "data is in a list of its own", answer=puts("data", lambda o: [o["data"]] if len(o["data"]) > 1 else o["data"])),
    wrong("nests-wrongly-from-3", "answer-nesting", "tensors of rank 3 are nested once", answer=nests_wrongly, flags=["--filter", "v2/infer/convnet*"]),
    wrong("outputs-by-name", "infer-answers", "outputs are an object",
          answer=edits_answers(lambda r, body: body.update(outputs={output.pop("name"): output for output in body["outputs"]}))),
    wrong("parameters-are-pairs", "parameters-given", "parameters of an answer are a list", answer=parameters_of_lists),
    wrong("inputs-first", "infer-answers", "a request that begins with another member is refused",
          request=refuses(lambda body: "inputs" in body and list(body)[0] != "inputs")),
    wrong("name-first", VALUES, "an input that begins with another member is refused",
          request=refuses(asks("inputs", lambda tensor: "name" in tensor and list(tensor)[0] != "name"))),
    wrong("columns-first", VALUES, "nested data is read in columns", request=nested_in_columns),
    wrong("empty-parameters-refused", "parameters-accepted", "an empty object of parameters is refused",
          request=refuses(lambda body: any(holder.get("parameters") == {} for holder in holders(body, "inputs", "outputs")))),
    wrong("three-levels-refused", VALUES, "data that is nested three deep is refused", request=refuses(asks("inputs", is_three_deep))),
    wrong("flat-is-refused", "data-flat", "flat data of rank 2 is refused", request=refuses(asks("inputs", is_flat(2)))),
    wrong("nested-is-filled", "data-count", "nested data is not counted", request=fills(lambda index, tensor: isinstance(tensor["data"][0], list))),
    wrong("reads-nested-doubles", VALUES, "INT64 in nested data goes through a double", request=edits_inputs(
        lambda tensor: tensor.update(data=through_doubles(tensor["data"])) if is_nested(1)(tensor) and tensor.get("datatype") in ("INT64", "UINT64") else None)),
    wrong("exponents-refused", VALUES, "numbers with an exponent are refused", request=refuses_bodies(rb"[0-9][eE][-+]?[0-9]")),
    wrong("escapes-refused", VALUES, "escapes of letters are refused", request=refuses_bodies(rb"\\u[0-9a-fA-F]{4}")),
    wrong("surrogates-are-two", VALUES, "an escape of a letter above the first plane is two letters", request=surrogates_are_two),
    wrong("paths-in-any-case", "case-sensitive", "paths are read in any case", request=lower_paths),
    wrong("members-in-any-case", "case-sensitive", "members are read in any case", request=any_case_of_members),
    wrong("no-inputs-no-outputs", "inputs-required", "a request without inputs has no outputs", request=edits_inference(
        lambda request, body: success({"model_name": request.model()[0], "model_version": "1", "outputs": []})
        if not body.get("inputs") and request.model()[0] in ("simple", "identity_int32") else None)),
    wrong("lists-of-requests", "body-object", "a list of requests is taken", request=takes_a_list),
    wrong("empty-bodies", "json-valid", "an empty body is taken",
          request=lambda request: success({"model_name": "x", "outputs": []}) if request.is_inference() and not request.body else None),
    wrong("broken-bodies", "json-valid", "a body that breaks off is mended", request=closes_brackets),
    wrong("not-ready-at-times", "server-ready", "every second time the server is not ready",
          request=at_times(2, lambda r: r.path == "/v2/health/ready", 400)),
    wrong("remembers-by-length", VALUES, "a body of the same length gives the same answer",
          answer=remembers(lambda request: (request.path, len(request.body)) if request.body else None)),
    wrong("answers-crossed", "id-echoed", "two requests at the same time get each other's answers", request=CROSSES.request, answer=CROSSES.answer),
    wrong("zeros-behind-errors", VALUES, "after an error of a connection the next numbers are zero", answer=zeros_behind_errors, flags=BATCHED),
    wrong("one-for-a-connection", VALUES, "a connection serves one inference", request=first_only),
    wrong("error-is-a-list", BODY, "the error is a list", answer=error_is(lambda text, status: [text])),
    wrong("error-is-null", BODY, "the error is null", answer=error_is(lambda text, status: None)),
    wrong("error-is-a-number", BODY, "the error is a number", answer=error_is(lambda text, status: 400)),
    wrong("error-is-an-object", BODY, "an error is an object", answer=error_is(lambda text, status: {"code": status, "message": text})),
    wrong("error-is-renamed", BODY, "the error has another name", answer=edits_errors(becomes(b'{"errors": "refused"}'))),
    wrong("error-is-a-json-text", BODY, "an error is a text and no object", answer=edits_errors(becomes(b'"refused"'))),
    wrong("missing-has-no-body", BODY, "only 404 has no body", answer=edits_errors(has_no_body, of_status(404))),
    wrong("unready-has-no-body", BODY, "only a failing model's error has no body", answer=edits_errors(has_no_body, of_status(500))),
    wrong("unknown-version-has-metadata-body", BODY, "errors of versions have no body", answer=edits_errors(has_no_body, of_versions)),
    wrong("errors-of-versions-are-text", BODY, "errors of versions are no JSON", answer=edits_errors(becomes(b"refused"), of_versions)),
    wrong("missing-redirects", "model-known", "an unknown model is a redirection", answer=edits_errors(redirects, of_status(404))),
    wrong("missing-is-nothing", "model-known", "an unknown model is 204", answer=edits_errors(is_no_content, of_status(404))),
    wrong("errors-are-200", "error-status", "errors are told with 200", answer=edits_errors(lambda request, answer: answer.set_status(200))),
    wrong("inference-is-201", "infer-answers", "an inference is 201", answer=success_is(201, lambda request: request.is_inference())),
    wrong("metadata-is-203", "model-metadata", "metadata is 203", answer=success_is(203, is_metadata)),
    wrong("server-is-202", "server-metadata", "server metadata is 202", answer=success_is(202, lambda request: request.path == "/v2")),
    wrong("live-is-204", "server-live", "live is 204", answer=health_is_204("/live")),
    wrong("ready-is-204", "server-ready", "ready is 204", answer=health_is_204("health/ready")),
    wrong("server-name-null", "server-name", "the server's name is null", answer=edits_server(lambda body: body.update(name=None))),
    wrong("server-version-parts", "server-version", "the server's version is a list", answer=edits_server(lambda body: body.update(version=[1, 0]))),
    wrong("extensions-null", "server-extensions", "extensions are null", answer=edits_server(lambda body: body.update(extensions=None))),
    wrong("extensions-of-objects", "server-extensions", "extensions are objects", answer=edits_server(lambda body: body.update(extensions=[{"name": "x"}]))),
    wrong("metadata-versions-text", "metadata-versions", "versions are one text", answer=metadata_of(lambda body: body.update(versions=",".join(body["versions"])))),
    wrong("metadata-versions-numbers", "metadata-versions", "versions are numbers",
          answer=metadata_of(lambda body: body.update(versions=[int(version) for version in body.get("versions", [])]))),
    wrong("metadata-platform-null", "metadata-platform", "platform is null", answer=metadata_of(lambda body: body.update(platform=None))),
    wrong("metadata-platform-object", "metadata-platform", "platform is an object", answer=metadata_of(lambda body: body.update(platform={"name": body["platform"]}))),
    wrong("versioned-metadata-no-platform", "metadata-versioned", "metadata of a version has no platform",
          answer=edits_metadata(lambda request, body: body.pop("platform", None) if request.model()[1] is not None else None)),
    wrong("metadata-inputs-by-name", "metadata-inputs", "inputs are an object",
          answer=metadata_of(lambda body: body.update(inputs={tensor["name"]: tensor for tensor in body["inputs"]}))),
    wrong("metadata-shape-of-texts", "metadata-inputs", "metadata has shapes of texts", answer=listed_shape(lambda shape: list(map(str, shape)), "inputs")),
    wrong("metadata-variable-null", "metadata-variable", "a dimension of variable size is null",
          answer=listed(lambda tensor: tensor.update(shape=[None if d == -1 else d for d in tensor["shape"]]), "inputs")),
    wrong("writes-commas", JSON, "a comma follows the last member", answer=writes(lambda b: b[:-1] + b",}" if b.endswith(b"}") else b)),
    wrong("writes-bom", JSON, "a byte order mark stands in front", answer=writes(lambda b: b"\xef\xbb\xbf" + b)),
    wrong("writes-twice", JSON, "each answer comes twice", answer=writes(lambda b: b + b)),
    wrong("writes-utf16", JSON, "answers are UTF-16", answer=writes(lambda b: b.decode().encode("utf-16"))),
    wrong("writes-latin1", JSON, "answers are Latin-1", answer=writes(lambda b: b.decode().encode("latin-1", "replace"))),
    wrong("writes-single-quotes", JSON, "texts have other quotes", answer=writes(lambda b: b.replace(b'"', b"'"))),
    wrong("writes-a-comment", JSON, "a comment follows", answer=writes(lambda b: b + b"\n// end")),
    wrong("writes-capitals", JSON, "true and false have capitals", answer=writes(lambda b: b.replace(b"true", b"True").replace(b"false", b"False"))),
    wrong("writes-controls", JSON, "controls within texts are no escapes", answer=writes_inferences(lambda b: b.replace(b"\\n", b"\n").replace(b"\\t", b"\t")), flags=TEXTS),
    wrong("writes-surrogates", JSON, "letters above the first plane are no UTF-8", answer=writes_inferences(writes_surrogates), flags=TEXTS),
    wrong("writes-bare-quotes", JSON, "quotes within an id are no escapes", answer=writes_inferences(quotes_stay), flags=["--filter", "*#v2-rest.id-echoed"]),
    wrong("writes-infinity", JSON, "what overflows is written as Infinity", answer=writes_infinity, flags=["--filter", "v2-rest/infer/not-finite*"]),
    wrong("loses-the-end", JSON, "the last byte of an answer is lost", answer=writes_inferences(lambda b: b[:-1])),
    wrong("length-in-letters", "id-echoed", "Content-Length counts letters: of what is longer in bytes the end is lost",
          answer=writes_inferences(lambda b: b[:len(b.decode("utf-8", "replace"))])),
])

OF_HTTP = [
    ("http.length-answer", wrong("chunks-without-end", "", "chunks have no end", answer=never_ends_chunks)),
    ("http.head-no-body", wrong("head-has-a-body", "", "an answer to HEAD has a body",
        answer=lambda request, answer: answer.set_body(b'{"name": "not empty at all"}') if request.method == "HEAD" and answer.status == 200 else None)),
]

GUESSES = [
    ("name", "name-is-guessed", "a missing name is the model's", lambda tensor, place, inputs: "INPUT0"),
    ("name", "guesses-second-name", "the second input has its name by its place", lambda tensor, place, inputs: f"INPUT{place}" if place else None),
    ("datatype", "guesses-second-datatype", "the second input has the datatype of the first", of_the_first("datatype")),
    ("datatype", "guesses-datatype-of-texts", "texts without a datatype are BYTES", of_elements(str, "BYTES")),
    ("datatype", "guesses-datatype-of-bool", "true and false without a datatype are BOOL", of_elements(bool, "BOOL")),
    ("datatype", "guesses-datatype-of-integers", "whole numbers without a datatype are INT32", of_elements(int, "INT32")),
    ("datatype", "guesses-datatype-of-fractions", "numbers without a datatype are FP64", of_elements(float, "FP64")),
    ("shape", "shape-is-from-data", "a missing shape is the data's",
     lambda tensor, place, inputs: [2, 2] if flat_count(tensor["data"]) == 4 else [1, flat_count(tensor["data"])]),
    ("shape", "guesses-second-shape", "the second input has the shape of the first", of_the_first("shape")),
    ("shape", "guesses-shape-of-brackets", "data without a shape has that of its brackets", of_brackets),
    ("shape", "guesses-shape-of-one-row", "data without a shape is one row", lambda tensor, place, inputs: [1, flat_count(tensor["data"])]),
    ("data", "data-is-guessed", "missing data is zeros", lambda tensor, place, inputs: [0] * max(product(tensor.get("shape")), 0)),
]

WRONG += [(pair[0], key) for key, edit in OF_HTTP for pair in wrong_over_rest([edit])]
WRONG += wrong_over_rest([wrong(name, member + "-required", why, request=guesses(member, guess)) for member, name, why, guess in GUESSES])
