"""Servers over REST that choose otherwise than the reference server where 000 leaves the choice to them, or that do as other HTTP
servers do: the reference server behind the relay of rest_relay.py. Numbers in the sentences are the documents of SPEC_NOTES.md."""
import email.utils
import itertools
import json
import re

from meaning import edits_inference, edits_json, flat, tensors
from rest_relay import Answer, Variant, refusal
from rest_variants import unquoted

# --- What is refused -------------------------------------------------------------------------------------------------------

MEMBERS = {"id", "parameters", "inputs", "outputs"}
OF_TENSORS = {"inputs": {"name", "shape", "datatype", "parameters", "data"}, "outputs": {"name", "parameters"}}


@edits_inference
def refuses_unknown_members(request, body):
    unknown = set(body) - MEMBERS
    for side, members in OF_TENSORS.items():
        for tensor in tensors(body, side):
            unknown |= set(tensor) - members
    return refusal(400, f"unknown members: {sorted(unknown)}") if unknown else False


@edits_inference
def refuses_odd_tensors(request, body):
    """Null for a member, no outputs, tensors of rank 0 or without elements, and types that JSON has no form for."""
    if None in body.values() or body.get("outputs") == []:
        return refusal(400, "a member is null or empty")
    for tensor in tensors(body, "inputs", "outputs"):
        shape = tensor.get("shape")
        if None in tensor.values() or tensor.get("datatype") in ("FP16", "BF16") or shape == [] or isinstance(shape, list) and 0 in shape:
            return refusal(400, "this tensor is not read here")
    return False


@edits_inference
def refuses_fractions(request, body):
    """A parameter is a text, a whole number, true or false, as in the .proto."""
    parameters = body.get("parameters")
    if isinstance(parameters, dict) and any(isinstance(value, float) for value in parameters.values()):
        return refusal(400, "a parameter has no fraction")
    return False


def empty(status, header):
    return Answer(status, "Refused", [header, ["Allow", " GET, POST, OPTIONS"]]).set_header("Date", email.utils.formatdate(usegmt=True))


def refuses_odd_requests(request):
    if "?" in request.target or request.method == "GET" and request.body and not request.path.endswith("/infer"):
        return refusal(400, "no query and no body are read here")
    if request.header("Content-Encoding"):
        return refusal(415, "no coding is read here")
    kinds = (request.header("Accept") or "*/*").split(",")
    if not any(kind.split(";")[0].strip() in ("*/*", "application/*", "application/json") for kind in kinds):
        return refusal(406, "only application/json is written here")
    if request.method == "HEAD":
        return empty(405, ["Content-Length", " 0"])
    if request.method == "OPTIONS":
        return empty(204, ["Access-Control-Allow-Origin", " *"])
    return refuses_odd_tensors(request)


def refuses_odd_heads(request):
    """HTTP/1.0 as a gateway of the cloud refuses it, and expectations."""
    if request.version == "1.0":
        return refusal(426, "Upgrade Required", as_json=False)
    if re.search(rb"(?im)^expect:", request.raw.partition(b"\r\n\r\n")[0]):
        return refusal(417, "Expectation Failed", as_json=False)
    return None


# --- What is taken ---------------------------------------------------------------------------------------------------------

INTEGERS = {"INT8": (-128, 127), "UINT8": (0, 255), "INT16": (-32768, 32767), "UINT16": (0, 65535), "INT32": (-1 << 31, (1 << 31) - 1),
            "UINT32": (0, (1 << 32) - 1), "INT64": (-1 << 63, (1 << 63) - 1), "UINT64": (0, (1 << 64) - 1)}


def coerced(kind, element):
    """What a lenient server makes of an element; the element itself where it cannot be read."""
    if isinstance(element, list):
        return [coerced(kind, one) for one in element]
    if element is None:
        return "" if kind == "BYTES" else False if kind == "BOOL" else 0
    if kind == "BYTES":
        return element if isinstance(element, str) else json.dumps(element)
    if isinstance(element, str):
        if kind == "BOOL" and element.lower() in ("true", "false", "1", "0"):
            return element.lower() in ("true", "1")
        if not re.fullmatch(r"-?\d+(\.\d+)?", element):
            return element
        element = float(element) if "." in element else int(element)
    if kind == "BOOL":
        return element if isinstance(element, bool) or element not in (0, 1) else bool(element)
    if kind in INTEGERS and isinstance(element, (bool, float)) and abs(element) < 1 << 53:
        return int(element)
    return float(element) if isinstance(element, bool) else element


@edits_inference
def takes_almost_all(request, body):
    """Coerces elements, takes nested data flat, and the last of what is given twice."""
    before = json.dumps(body)
    for tensor in tensors(body, "inputs"):
        shape, kind = tensor.get("shape"), tensor.get("datatype")
        if isinstance(tensor.get("data"), list) and isinstance(kind, str):
            tensor["data"] = coerced(kind, flat(tensor["data"]))
        if isinstance(shape, list) and all(isinstance(dimension, (int, float)) and dimension == int(dimension) for dimension in shape):
            tensor["shape"] = [dimension if isinstance(dimension, bool) else int(dimension) for dimension in shape]
    for side in ("inputs", "outputs"):
        if isinstance(body.get(side), list) and all(isinstance(tensor, dict) and isinstance(tensor.get("name"), str) for tensor in body[side]):
            body[side] = list({tensor["name"]: tensor for tensor in body[side]}.values())
    return json.dumps(body) != before  # what is fine goes on with its own spelling of numbers


# --- What is answered ------------------------------------------------------------------------------------------------------


def speaks_http_10(request, answer):
    """As Python's http.server does by default: each connection serves one request."""
    if answer.status >= 200:
        answer.version = "1.0"
        answer.close()
        answer.set_header("Connection", None)
        if request.method == "HEAD":
            answer.set_header("Content-Length", None)


def speaks_http_10_and_ends(request, answer):
    speaks_http_10(request, answer)
    if answer.status >= 200:
        answer.set_header("Content-Length", None)


class Limited:
    """A gateway that refuses every hundredth request, and says when to come again: by 429 and 503 in turn."""

    def __init__(self):
        self.counter = itertools.count(1)

    def request(self, request):
        number = next(self.counter)
        is_limited = number % 97 == 0 and request.method in ("GET", "POST")
        return refusal(503 if number % 2 else 429, "too many requests", as_json=False).set_header("Retry-After", "0") if is_limited else None


@edits_json
def has_no_ids(request, answer, body):
    """An id that was not given is an empty one, or null."""
    if "model_name" not in body or body.get("id"):
        return False
    body["id"] = "" if len(body["model_name"]) % 2 else None
    return True


@edits_json
def spells_integers(request, answer, body):
    """Dimensions and integers with a fraction or an exponent, as a JavaScript or Lua server might."""
    found = tensors(body, "inputs", "outputs")
    for tensor in found:
        tensor["shape"] = [f"@@{dimension}{'.0' if dimension % 2 else 'E+0'}@@" for dimension in tensor["shape"]]
        if tensor.get("datatype") in INTEGERS and "data" in tensor:
            tensor["data"] = [f"@@{element}{'.0' if element % 2 else 'e0'}@@" for element in tensor["data"]]
    return bool(found)


def writes_integers_otherwise(request, answer):
    spells_integers(request, answer)
    if answer.json is not None and b"@@" in answer.body:
        answer.set_body(unquoted(answer.json))


@edits_json
def says_long_errors(request, answer, body):
    if answer.status < 400 or "error" not in body:
        return False
    body["error"] = "\x01\u2028 Traceback \"é\U0001f600\"\n\t" + body["error"] + " x" * 50000
    return True


def empty_chunks(request, answer):
    """Answers without a body come in the chunked coding too, which has no chunks then; and with trailers."""
    if answer.status >= 200 and request.version == "1.1" and request.method not in ("HEAD",) and answer.status not in (204, 304):
        answer.in_chunks(100000, "", "Server-Timing: a;dur=1\r\n")


def dates_of_old(request, answer):
    """RFC 9110, 5.6.7: two old forms of dates are still read; lengths may begin with zeros; fields may be lists."""
    length = answer.header("Content-Length")
    if length:
        answer.set_header("Content-Length", "000" + length)
    answer.headers += [["Connection", " X-Hop"], ["Connection", ""], ["X-Hop", " 1"], ["Vary", " Accept"], ["Vary", " Accept-Encoding"]]


@edits_json
def mixes_forms(request, answer, body):
    """Of the tensors of two dimensions every second is nested."""
    found = [tensor for tensor in tensors(body, "outputs") if len(tensor.get("shape", [])) == 2 and tensor.get("data")]
    for tensor in found[::2]:
        rows = tensor["shape"][1]
        tensor["data"] = [tensor["data"][i:i + rows] for i in range(0, len(tensor["data"]), rows)]
    return bool(found)


# --- The table -------------------------------------------------------------------------------------------------------------

VARIANTS = [
    Variant("no-fractions", "000, Parameters: currently no parameters are defined", request=refuses_fractions),
    Variant("strict-members", "000 defines the members of a request, and says nothing of others", request=refuses_unknown_members),
    Variant("refuses-the-open", "000 leaves it to the server what it takes beside the plain requests", request=refuses_odd_requests,
            refuses=refuses_odd_heads, flags=["--skip", "v2/infer/nothing/*", "--skip", "v2/infer/scalar/*"]),
    Variant("takes-almost-all", "000, Tensor Data: a server may coerce elements", request=takes_almost_all),
    Variant("http-1.0", "RFC 9110, 2.5: a server may answer with a lower minor version", answer=speaks_http_10),
    Variant("http-1.0-ends", "RFC 9112, 6.3: an answer without a length ends with its connection", answer=speaks_http_10_and_ends,
            breaks=["v2-rest.content-length-answer"]),
    Variant("limits-at-times", "RFC 6585, 4, and RFC 9110, 15.6.4: 429 and 503 say when to come again", request=Limited().request),
    Variant("empty-ids", "000, Inference Response: nothing is said of an id when none was given", answer=has_no_ids),
    Variant("spelled-integers", "RFC 8259, 6: 2.0, 2e0 and 2 are the same number", answer=writes_integers_otherwise),
    Variant("long-errors", "000: an error is a string, of any length and script", answer=says_long_errors),
    Variant("errors-400", "000: an error is any HTTP error status, 'typically 400'",
            answer=lambda request, answer: answer.set_status(400).set_header("Allow", None)
            if 400 < answer.status < 500 and request.raw and request.header("Host") else None,
            breaks=["v2-rest.model-unknown-404", "v2-rest.wrong-method-405", "v2-rest.unknown-path"]),
    Variant("heads-in-chunks", "RFC 9112, 6.1: an answer to HEAD may have Transfer-Encoding",
            answer=lambda request, answer: answer.set_header("Content-Length", None).set_header("Transfer-Encoding", "chunked")
            if request.method == "HEAD" else None),
    Variant("empty-chunks", "RFC 9112, 7.1: a body without chunks is empty; trailers may follow", answer=empty_chunks,
            breaks=["v2-rest.content-length-answer"]),
    Variant("old-dates", "RFC 9110, 5.6.7 and 8.6: old forms of dates, zeros before lengths", answer=dates_of_old),
    Variant("mixed-forms", "000, Tensor Data: each tensor may be nested or flat", answer=mixes_forms),
]
