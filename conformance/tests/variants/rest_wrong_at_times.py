"""Servers over REST that break one sentence only now and then: for some requests, for some shapes, or every so often.

Each row of WRONG names the requirement that must be among those that fail."""
import itertools
import json
import math

from rest_relay import refusal
from rest_variants import Variant, edits_inference, edits_json, nested, tensors
from rest_wrong import edits_answers, edits_elements, edits_errors, edits_outputs, is_metadata, members, of_id, of_text


class Sometimes:
    """Every so often a request of some kind fails."""

    def __init__(self, every, kind, status=500):
        self.counter, self.every, self.kind, self.status = itertools.count(1), every, kind, status

    def request(self, request):
        return refusal(self.status, "out of workers") if self.kind(request) and next(self.counter) % self.every == 0 else None


def asks(member, test):
    """Whether a request has an input, or an output, for which the test holds."""
    def where(request):
        body = request.json if request.is_inference() else None
        return isinstance(body, dict) and any(test(tensor) for tensor in tensors(body, member))
    return where


def is_nested(rank):
    return lambda tensor: len(tensor.get("shape") or []) >= rank and isinstance(tensor.get("data"), list) \
        and tensor["data"] and isinstance(tensor["data"][0], list)


def is_flat(rank):
    return lambda tensor: len(tensor.get("shape") or []) >= rank and isinstance(tensor.get("data"), list) \
        and tensor["data"] and not isinstance(tensor["data"][0], list)


def refuses(where, status=400):
    return lambda request: refusal(status, "this is not served") if where(request) else None


def loses_id(where):
    def change(request, answer):
        body = answer.json if answer.status == 200 and request.is_inference() and where(request) else None
        if isinstance(body, dict) and body.pop("id", None) is not None:
            answer.json = body
    return change


@edits_answers
def swaps_when_reversed(request, body):
    """Who asks for the outputs in another order gets the names in his order, and the data in the model's."""
    outputs = body["outputs"]
    names = [output.get("name") for output in outputs]
    if len(outputs) < 2 or names == sorted(names) or any(len(output.get("data", [])) != len(outputs[0].get("data", [])) for output in outputs):
        return False
    ordered = [output["data"] for output in sorted(outputs, key=lambda output: output["name"])]
    for output, data in zip(outputs, ordered):
        output["data"] = data
    return True


@edits_inference
def asks_for_two(request, body):
    """Of more than two requested outputs the first two come."""
    if len(tensors(body, "outputs")) < 3:
        return False
    body["outputs"] = body["outputs"][:2]
    return True


@edits_inference
def outputs_in_any_case(request, body):
    listed = [output for output in tensors(body, "outputs") if isinstance(output.get("name"), str) and output["name"].islower()]
    for output in listed:
        output["name"] = output["name"].upper()
    return bool(listed)


@edits_inference
def inputs_in_any_case(request, body):
    listed = [tensor for tensor in tensors(body, "inputs") if isinstance(tensor.get("name"), str) and tensor["name"].islower()]
    for tensor in listed:
        tensor["name"] = tensor["name"].upper()
    return bool(listed)


def columns_first(output):
    """From rank 3 on the last two dimensions are swapped in the data."""
    shape, data = output.get("shape", []), output.get("data", [])
    if len(shape) < 3 or len(data) != math.prod(shape) or min(shape[-2:]) < 2:
        return False
    rows, columns = shape[-2:]
    output["data"] = [data[at + c + r * columns] for at in range(0, len(data), rows * columns) for c in range(columns) for r in range(rows)]
    return True


def nests_wrongly(output):
    """From rank 3 on only the outermost dimension is nested."""
    shape = output.get("shape", [])
    if len(shape) < 3 or not output.get("data"):
        return False
    output["data"] = nested(output["data"], [shape[0], math.prod(shape[1:])])
    return True


def repeats_rows(output):
    """Rows behind the eighth are the eighth again: a batch that is computed in parts."""
    shape, data = output.get("shape", []), output.get("data", [])
    if len(shape) < 2 or shape[0] < 3 or len(data) != math.prod(shape):
        return False
    row = math.prod(shape[1:])
    output["data"] = data[:2 * row] + data[row:2 * row] * (shape[0] - 2)
    return output["data"] != data


@edits_inference
def reads_large_numbers_as_doubles(request, body):
    done = False
    for tensor in tensors(body, "inputs"):
        if tensor.get("datatype") in ("INT64", "UINT64") and isinstance(tensor.get("data"), list):
            before = json.dumps(tensor["data"])
            tensor["data"] = [int(float(one)) if isinstance(one, int) and not isinstance(one, bool) and abs(one) < 1 << 62 else one
                              for one in tensor["data"]]
            done |= json.dumps(tensor["data"]) != before
    return done


@edits_inference
def product_overflows(request, body):
    """The product of the dimensions is one of 64 bits."""
    done = False
    for tensor in tensors(body, "inputs"):
        shape, data = tensor.get("shape"), tensor.get("data")
        if isinstance(shape, list) and isinstance(data, list) and shape and all(type(d) is int and d > 0 for d in shape) \
                and math.prod(shape) >= 1 << 64 and math.prod(shape) % (1 << 64) == len(data):
            tensor["shape"] = [1, len(data)]
            done = True
    return done


def writes_infinity(request, answer):
    """What has overflown is Infinity, which is no JSON."""
    if request.is_inference() and answer.status == 500 and b"infinit" in answer.body.lower():
        answer.set_status(200, "OK")
        answer.set_body(b'{"model_name":"m","outputs":[{"name":"OUTPUT0","datatype":"FP32","shape":[1],"data":[Infinity]}]}')


@edits_json
def versions_lie(request, answer, body):
    """An answer names the version that was asked for."""
    if answer.status != 200 or "model_version" not in body:
        return False
    body["model_version"] = getattr(request, "asked_version", None) or body["model_version"]
    return True


def takes_the_latest(request):
    named = request.model()
    if named and named[1] == "1" and named[0] == "versioned" and request.is_inference():
        request.asked_version = "1"
        request.set_target(request.target.replace("/versions/1/", "/versions/2/"))


def head_has_a_body(request, answer):
    if request.method == "HEAD" and answer.status == 200:
        answer.set_body(b"{\"name\": \"not empty at all\"}")


def metadata(edit):
    @edits_json
    def change(request, answer, body):
        return edit(body) if is_metadata(request) and answer.status == 200 else False
    return change


def doubles_inputs(body):
    body["inputs"] = body["inputs"] * 2


def spells_versions_as_numbers(body):
    body["versions"] = [int(version) for version in body.get("versions", [])]


def error_is_an_object(request, answer):
    body = answer.json
    if isinstance(body, dict) and "error" in body:
        answer.json = {"error": {"code": answer.status, "message": body["error"]}}


def wrong(name, key, why, **functions):
    return Variant(name, why, **functions), key


WRONG = [
    wrong("id-cut-at-1000", "v2-rest.id-echoed", "an id is cut behind a thousand letters", answer=of_id(lambda id: id[:1000])),
    wrong("id-lost-when-nested", "v2-rest.id-echoed", "who sends nested data gets no id", answer=loses_id(asks("inputs", is_nested(2)))),
    wrong("id-lost-with-two-inputs", "v2-rest.id-echoed", "who sends two inputs gets no id",
          answer=loses_id(lambda request: isinstance(request.json, dict) and len(tensors(request.json, "inputs")) > 1)),
    wrong("error-is-an-object", "v2-rest.error-body", "an error is an object", answer=edits_errors(error_is_an_object)),
    wrong("fails-at-times", "v2-rest.output-values", "every twentieth inference fails", request=Sometimes(20, lambda r: r.is_inference()).request),
    wrong("not-ready-at-times", "v2-rest.server-ready", "every second time the server is not ready",
          request=Sometimes(2, lambda r: r.path == "/v2/health/ready", 400).request),
    wrong("not-live-at-times", "v2-rest.server-live", "every third time the server is not live",
          request=Sometimes(3, lambda r: r.path == "/v2/health/live", 400).request),
    wrong("versions-lie", "v2-rest.version-named", "version 1 is computed by version 2", request=takes_the_latest, answer=versions_lie),
    wrong("columns-first-from-3", "v2-rest.output-values", "tensors of rank 3 are not in row-major order", answer=edits_outputs(columns_first)),
    wrong("nests-wrongly-from-3", "v2-rest.answer-nesting", "tensors of rank 3 are nested once", answer=edits_outputs(nests_wrongly),
          flags=["--filter", "v2/infer/convnet*"]),
    wrong("swaps-when-reversed", "v2-rest.outputs-on-request", "outputs in another order have each other's data", answer=swaps_when_reversed),
    wrong("two-outputs-only", "v2-rest.outputs-on-request", "of more than two requested outputs two come", request=asks_for_two),
    wrong("inputs-in-any-case", "v2-rest.case-sensitive", "names of inputs are read in any case", request=inputs_in_any_case),
    wrong("outputs-in-any-case", "v2-rest.case-sensitive", "names of outputs are read in any case", request=outputs_in_any_case),
    wrong("rows-behind-the-second", "v2-rest.output-values", "rows behind the second are the second again", answer=edits_outputs(repeats_rows)),
    wrong("reads-doubles", "v2-rest.output-values", "INT64 in requests goes through a double", request=reads_large_numbers_as_doubles),
    wrong("product-overflows", "v2-rest.data-count", "the number of elements is counted in 64 bits", request=product_overflows),
    wrong("writes-infinity", "v2-rest.answer-json", "what overflows is written as Infinity", answer=writes_infinity,
          flags=["--filter", "v2-rest/infer/not-finite*"]),
    wrong("texts-end-at-nul", "v2-rest.output-values", "BYTES end at a NUL", answer=of_text(lambda t: t.split("\0")[0])),
    wrong("texts-without-private-use", "v2-rest.output-values", "letters at the end of the first plane are lost",
          answer=of_text(lambda t: "".join(c for c in t if not "\ue000" <= c <= "\uffff"))),
    wrong("int8-has-no-minimum", "v2-rest.output-values", "the least INT8 becomes the one above",
          answer=edits_elements(("INT8",), lambda e: -127 if e == -128 else e)),
    wrong("int64-has-no-minimum", "v2-rest.output-values", "the least INT64 becomes the one above",
          answer=edits_elements(("INT64",), lambda e: e + 1 if e == -1 << 63 else e)),
    wrong("uint16-is-missing", "v2-rest.output-values", "UINT16 is not served", request=refuses(asks("inputs", lambda t: t.get("datatype") == "UINT16"))),
    wrong("flat-is-refused", "v2-rest.data-flat", "flat data of rank 2 is refused", request=refuses(asks("inputs", is_flat(2)))),
    wrong("nested-is-refused-from-3", "v2-rest.output-values", "nested data of rank 3 is refused", request=refuses(asks("inputs", is_nested(3)))),
    wrong("head-has-a-body", "http.head-no-body", "an answer to HEAD has a body", answer=head_has_a_body),
    wrong("metadata-inputs-twice", "v2-rest.metadata-inputs", "each input is listed twice", answer=metadata(doubles_inputs)),
    wrong("metadata-versions-numbers", "v2-rest.metadata-versions", "versions are numbers", answer=metadata(spells_versions_as_numbers)),
]
