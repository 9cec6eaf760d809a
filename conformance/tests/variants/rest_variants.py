"""Servers that are compliant over REST in an unusual way: the reference server behind a relay (rest_relay.py) that changes what is said.

Each row of VARIANTS says why its server is compliant. Numbers in the sentences are the documents of SPEC_NOTES.md."""
import itertools
import json
import math
import re
import struct

import lenient_json
from meaning import edits_inference, edits_json, nested, tensors
from rest_relay import Answer, Variant, dumped, refusal


# --- HTTP ------------------------------------------------------------------------------------------------------------------


def closes(request, answer):
    if answer.status >= 200:
        answer.close()


def sends_chunks(request, answer):
    if answer.body and request.version == "1.1":
        answer.in_chunks(7 if len(answer.body) < 5000 else 4096)


def ends_by_closing(request, answer):
    if answer.body and answer.status >= 200:
        answer.until_the_end()


def sends_interim_answers(request, answer):
    if request.version == "1.1" and answer.status >= 200 and request.raw and b"100-continue" not in request.raw:
        answer.before = b"HTTP/1.1 102 Processing\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: </a>; rel=preload\r\n\r\n"


class MoreHeaders:
    """Says who served the answer, by cookies and traces, what else is offered, and what gateways add."""

    def __init__(self):
        self.counter = itertools.count()

    def answer(self, request, answer):
        number = next(self.counter)
        answer.headers += [["Server", " gunicorn/20 (a; b)"], ["Set-Cookie", " b=2"], ["Via", " 1.1 gateway"], ["Keep-Alive", " timeout=5, max=100"],
                           ["Set-Cookie", f" AWSALB={'%040x' % number}; Expires=Sun, 06 Nov 2044 08:49:37 GMT; Path=/"], ["Age", " 0"],
                           ["traceparent", f" 00-{number:032x}-{number:016x}-01"], ["X-Request-Id", f" {number}"], ["Content-Language", " en"],
                           ["ETag", ' W/"1"'], ["Cache-Control", " no-store"], ["Upgrade", " h2c, websocket"], ["Connection", " Upgrade"],
                           ["Alt-Svc", " h3=\":443\"; ma=60"], ["Strict-Transport-Security", " max-age=31536000"], ["Accept-Ranges", " none"]]
        answer.changed = True


def wants_json_type(request):
    kind = (request.header("Content-Type") or "").split(";")[0].strip().lower()
    return refusal(415, "only application/json is read here") if request.is_inference() and kind != "application/json" else None


def redirects_slashes(request):
    has_slash = request.path.endswith("/") and request.path != "/"
    return refusal(307, "", as_json=False).set_header("Location", request.path.rstrip("/")) if has_slash else None


def writes_odd_heads(request, answer):
    odd = {"content-type": "application/json;charset=UTF-8"}
    answer.headers = [[name.upper(), "\t" + odd.get(name.lower(), value.strip()) + " \t "] for name, value in answer.headers]
    answer.headers += [["x-empty", ""], ["X-NO-SUCH-HEADER", "a:b, \"c\""]]
    answer.reason, answer.changed = "", True


def refuses_odd_paths(request):
    odd = re.search("%(00|2f|5c|ff|fe|zz|4$|$)", request.path.lower()) or "//" in request.path or "/./" in request.path \
        or "/../" in request.path
    return refusal(400, "Bad Request", as_json=False) if odd else None


def has_more_paths(request):
    """A product that serves its own pages beside the protocol."""
    own = re.fullmatch("/(v1/health/live|health/live|v2/health|v2/models/[^/]+/versions|v99)", request.path)
    return refusal(200, "", as_json=False).set_body(b"a page of the product\n") if own and request.method == "GET" else None


PREFIX = "/models/llm"


def wants_prefix(request):
    below = request.path.startswith(PREFIX + "/")
    return None if below else refusal(404, "this host serves many models, below /models", as_json=False)


def strips_prefix(request):
    refused = wants_prefix(request)
    if not refused:
        request.set_target(request.target[len(PREFIX):])
    return refused


# --- Errors and health -----------------------------------------------------------------------------------------------------


def is_health(request):
    return request.path.endswith(("/ready", "/live"))


HOST = re.compile(rb"(\[[0-9A-Fa-f:.]+\]|([\w.~!$&'()*+,;=-]|%[0-9A-Fa-f]{2})*)(:[0-9]*)?")


def breaks_framing(request):
    """Whether RFC 9112, 3.2 or 6.3 demands 400: for a Host that is missing, doubled or no host, and for a Content-Length that is no number."""
    head = request.raw.partition(b"\r\n\r\n")[0]
    lengths = [length.strip() for length in re.findall(rb"(?im)^content-length:([^\r\n]*)", head)]
    hosts = [host.strip() for host in re.findall(rb"(?im)^host:([^\r\n]*)", head)]
    return len(hosts) != 1 or not HOST.fullmatch(hosts[0]) or len(set(lengths)) > 1 \
        or not all(re.fullmatch(rb"[0-9]+", length) for length in lengths)


def has_status(status, reason, where=lambda request, answer: True):
    """Another status of the errors of whole requests for which `where(request, answer)` holds."""
    def change(request, answer):
        if answer.status >= 400 and not breaks_framing(request) and where(request, answer):
            answer.set_status(status, reason).set_header("Allow", None)
    return change


@edits_json
def says_more_of_errors(request, answer, body):
    if answer.status < 400 or "error" not in body:
        return False
    body.update(code=3, details=[{"@type": "x"}], trace=None, message=body["error"], detail={"error": 1})
    return True


def has_pages_of_errors(request, answer):
    """A gateway answers in HTML what is no endpoint."""
    if answer.status in (404, 405) and not request.model() and not is_health(request):
        answer.set_body(b"<html><head><title>Not found</title></head></html>").set_header("Content-Type", "text/html")


def health_has_bodies(request, answer):
    if is_health(request) and answer.status == 200 and request.method == "GET":
        body = {"live" if request.path.endswith("live") else "ready": True}
        answer.set_body(dumped(body)).set_header("Content-Type", "application/json")


def only_bodies_say_ready(request, answer):
    """OIP's bodies; it gives a model that is not ready no status."""
    if request.method != "GET" or not is_health(request) or answer.status >= 500:
        return
    model = request.model()
    if model:
        answer.set_body(dumped({"name": model[0], "ready": answer.status == 200})).set_status(200, "OK")
    else:
        answer.set_body(dumped({"live": answer.status == 200}))
    answer.set_header("Content-Type", "application/json")


# --- How answers are written -----------------------------------------------------------------------------------------------


def writes_pretty(request, answer):
    body = answer.json if answer.body else None
    if body is not None:
        answer.set_body(b"\r\n \t" + json.dumps(body, indent=3, ensure_ascii=True).replace("\n", "\r\n").encode() + b"\r\n\r\n")


def escaped(value):
    """JSON in which every letter of every text is an escape."""
    if isinstance(value, str):
        units = value.encode("utf-16-be", "surrogatepass")
        return '"' + "".join("\\u" + units[i:i + 2].hex() for i in range(0, len(units), 2)) + '"'
    if isinstance(value, list):
        return "[" + ",".join(map(escaped, value)) + "]"
    if isinstance(value, dict):
        return "{" + ",".join(escaped(name) + ":" + escaped(member) for name, member in value.items()) + "}"
    return json.dumps(value)


def writes_escapes(request, answer):
    body = answer.json if 0 < len(answer.body) < 20000 else None  # longer ones take Python long
    if body is not None:
        answer.set_body(escaped(body).encode())


def unquoted(body):
    """JSON in which texts between @@ are the spellings of numbers."""
    return re.sub(rb'"@@([^@]*)@@"', rb"\1", dumped(body))


def writes_elements(datatypes, spell):
    """An edit of an answer from a spelling of each number of the outputs of these datatypes, `spell(datatype, number)`."""
    def change(request, answer):
        body = answer.json if answer.body else None
        found = [tensor for tensor in tensors(body, "outputs") if tensor.get("datatype") in datatypes and "data" in tensor] \
            if isinstance(body, dict) else []
        for tensor in found:
            tensor["data"] = [f"@@{spell(tensor['datatype'], element)}@@" if isinstance(element, (int, float)) and not isinstance(element, bool)
                              else element for element in tensor["data"]]
        if found:
            answer.set_body(unquoted(body))
    return change


def long_number(datatype, number):
    """The number with zeros that change nothing."""
    if not isinstance(number, float) or not math.isfinite(number):
        return json.dumps(number)
    text = repr(number)
    if "e" in text:
        digits, exponent = text.split("e")
        return f"{digits}{'' if '.' in digits else '.'}{'0' * 60}E{int(exponent):+05d}"
    return f"{text}{'0' * 60}e+000"


@edits_json
def says_more_of_models(request, answer, body):
    if "platform" in body:
        body.update(platform="mlserver_sklearn, 1.3", state="READY", ready=True, max_batch_size=8, tags=["a"], properties={"a": {"b": None}})
        for tensor in tensors(body, "inputs", "outputs"):
            tensor.update(optional=False, tags={"content_type": "np"}, data_format="NCHW")
        return True
    if "extensions" in body:
        body["extensions"] += ["trace", "x-my.own/extension v2"]
        body["build"] = 7
        return True
    return False


@edits_json
def adds_empty_parameters(request, answer, body):
    if "model_name" not in body:
        return False
    for holder in [body] + tensors(body, "outputs"):
        holder.setdefault("parameters", {})
    return True


@edits_json
def nests_data(request, answer, body):
    for tensor in tensors(body, "outputs"):
        if "data" in tensor and math.prod(tensor["shape"]) == len(tensor["data"]):
            tensor["data"] = nested(tensor["data"], tensor["shape"])


def spelled(datatype, number):
    """Another spelling of a number that a float output holds."""
    if number == int(number) and abs(number) < 1 << 53:
        return f"{int(number)}{'.0' if int(number) % 2 else 'e0'}" if number or math.copysign(1, number) > 0 else "-0e0"
    return repr(number) if "e" in repr(number) else f"{number!r}E+00"


@edits_json
def adds_members(request, answer, body):
    body["no_such_member"] = {"a": [None, {}]}
    for tensor in tensors(body, "inputs", "outputs"):
        tensor["no_such_member"] = 1


# --- How requests are read -------------------------------------------------------------------------------------------------


def reads_leniently(request):
    if not request.is_inference() or request.json is not None and not re.search(b"NaN|Infinity", request.body):
        return None
    try:
        body = lenient_json.read(request.body)
    except ValueError:
        return None
    if isinstance(body, dict) and request.json != body:
        request.json = body
    return None


def takes_raw_tail(request):
    """Inputs of INT32 with binary_data_size and no data have their elements after the JSON."""
    if not request.is_inference():
        return None
    text = request.body.decode("latin-1")
    try:
        body, end = json.JSONDecoder().raw_decode(text)
    except (ValueError, RecursionError):
        return None
    tail = request.body[end:]
    named = [tensor.get("parameters") for tensor in tensors(body, "inputs")] if isinstance(body, dict) else []
    sizes = [parameters.get("binary_data_size") if isinstance(parameters, dict) else None for parameters in named]
    if not tail or not sizes or not all(isinstance(size, int) for size in sizes) or sum(sizes) != len(tail):
        return None
    if any(tensor.get("datatype") != "INT32" or size % 4 for tensor, size in zip(tensors(body, "inputs"), sizes)):
        return None
    for tensor, size in zip(tensors(body, "inputs"), sizes):
        tensor["data"] = list(struct.unpack(f"<{size // 4}i", tail[:size]))
        tail = tail[size:]
    request.json = body
    return None


def integer(value):
    if isinstance(value, str) and re.fullmatch("[0-9]+", value):
        return int(value)
    if isinstance(value, list) and len(value) == 1:
        return integer(value[0])
    return int(value) if isinstance(value, (bool, float)) else value


@edits_inference
def coerces(request, body):
    """Reads members of another type than the schema's where they have a meaning, and passes over those that may be left out."""
    before = json.dumps(body)
    if "id" in body and not isinstance(body["id"], str) and body["id"] is not None:
        body["id"] = json.dumps(body["id"])
    for holder in [body] + tensors(body, "inputs", "outputs"):
        if "parameters" in holder and not isinstance(holder["parameters"], dict):
            del holder["parameters"]
    if "outputs" in body:
        listed = body["outputs"] if isinstance(body["outputs"], list) else [body["outputs"]]
        listed = [{"name": output} if isinstance(output, str) else output for output in listed]
        listed = [output[0] if isinstance(output, list) and output else output for output in listed]
        listed = [{"name": output} if isinstance(output, str) else output for output in listed if isinstance(output, (dict, str))]
        for output in listed:
            if isinstance(output.get("name"), list) and output["name"]:
                output["name"] = output["name"][0]
        body["outputs"] = [output for output in listed if isinstance(output.get("name"), str) or "name" not in output]
        if not body["outputs"]:
            del body["outputs"]
    for tensor in tensors(body, "inputs"):
        if isinstance(tensor.get("name"), list) and tensor["name"]:
            tensor["name"] = tensor["name"][0]
        if isinstance(tensor.get("shape"), str):
            try:
                tensor["shape"] = json.loads(tensor["shape"])
            except ValueError:
                pass
        if isinstance(tensor.get("shape"), list):
            tensor["shape"] = [integer(dimension) for dimension in tensor["shape"]]
        if isinstance(tensor.get("data"), str) and re.fullmatch("[0-9]+(,[0-9]+)*", tensor["data"]):
            tensor["data"] = [int(number) for number in tensor["data"].split(",")]
        if "datatype" in tensor and not isinstance(tensor["datatype"], str):
            tensor["datatype"] = "INT32"
    return json.dumps(body) != before


def wants_versions(request):
    named = request.model()
    if named and named[1] is None and named[2] != "/ready":
        return refusal(404, "a model is named with its version")
    return None


class Pieces:
    """Sends every twentieth answer in some hundred pieces, most of them byte by byte."""

    def __init__(self):
        self.counter = itertools.count()

    def answer(self, request, answer):
        if next(self.counter) % 20 == 0:
            answer.piece = 1 + len(answer.body) // 200


# --- The table -------------------------------------------------------------------------------------------------------------


VARIANTS = [
    Variant("chunked-answers", "RFC 9112, 7.1: an answer may come in chunks; 000 shows Content-Length in an example only", answer=sends_chunks,
            breaks=["v2-rest.content-length-answer"]),
    Variant("path-prefix", "000 gives paths below the server's address, and an address may end in a path", request=strips_prefix, refuses=wants_prefix,
            unread=lambda data: re.sub(rb"(?m)^([A-Z]+ )%s/" % PREFIX.encode(), rb"\1/", data), prefix=PREFIX),
    Variant("health-says-no", "OIP, Health: a body says whether a model is ready, and no status is named", answer=only_bodies_say_ready,
            flags=["--edition", "OIP"]),
    Variant("health-bodies", "000, Health: the body should be empty", answer=health_has_bodies, breaks=["v2-rest.health-body-empty"]),
    Variant("pretty-json", "RFC 8259, 2 and 7: blanks stand anywhere, letters may be escapes", answer=writes_pretty),
    Variant("nested-data", "000, Tensor Data: the nested form is one of the two", answer=nests_data),
    Variant("spelled-floats", "RFC 8259, 6: 2.0, 2e0 and 2 are the same number", answer=writes_elements(("FP32", "FP64"), spelled)),
    Variant("more-members", "000 defines the members that must be there, not that there are no others", answer=adds_members),
    Variant("closes-always", "RFC 9112, 9.6: a server may close the connection after any answer", answer=closes),
    Variant("odd-heads", "RFC 9110, 5.1 and 8.3: names of headers have no case, values stand between blanks, JSON may name its charset",
            answer=writes_odd_heads),
    Variant("head-not-implemented", "RFC 9110, 15.6.2: 501 is for methods that a server does not have",
            request=lambda request: Answer(501, "Not Implemented", [["Content-Length", " 0"]]) if request.method == "HEAD" else None),
    Variant("refuses-odd-paths", "000, Model Metadata binds endpoints: an HTTP layer may refuse %00, %2F, %ff and dots in its own words",
            request=refuses_odd_paths, refuses=refuses_odd_paths),
    Variant("more-paths", "000 does not say that a server has no other pages", request=has_more_paths),
    Variant("errors-500", "000: an error is any HTTP error status, 'typically 400'",
            answer=has_status(500, "Internal Server Error"),
            breaks=["v2-rest.client-error-4xx", "v2-rest.model-unknown-404", "v2-rest.health-false-4xx", "v2-rest.wrong-method-405",
                    "v2-rest.unknown-path", "http.method-unknown"]),
    Variant("health-503", "000, Health: 4xx indicates false; deployed probes use 503",
            answer=lambda request, answer: answer.set_status(503, "Service Unavailable")
            if is_health(request) and answer.status >= 400 and request.method == "GET" else None,
            breaks=["v2-rest.health-false-4xx"]),
    Variant("null-error", "000: the response objects may have more members, and null reports nothing",
            answer=edits_json(lambda request, answer, body: body.update(error=None) if answer.status == 200 else False)),
    Variant("lenient-json", "RFC 8259, 9: a reader may accept forms that are not JSON", request=reads_leniently),
    Variant("bytes-behind", "000 says nothing of what follows the JSON object, and 003 puts tensors there", request=takes_raw_tail),
    Variant("coerces", "000 does not say what becomes of a member of another type", request=coerces,
            breaks=["v2-rest." + row for row in ("id-string", "data-array", "datatype-string", "name-string", "shape-array", "shape-integers",
                                                 "output-name-string", "output-object", "outputs-array", "parameters-object")]),
    Variant("wants-versions", "000, Inference: without a version a server may return an error", request=wants_versions, refuses=wants_versions),
    Variant("closes-at-times", "RFC 9112, 9.6: after errors and after some requests, as servers with keepalive_requests do",
            answer=lambda request, answer: closes(request, answer) if answer.status >= 400 or request.number % 3 == 0 else None),
    Variant("ends-by-closing", "RFC 9112, 6.3: an answer without a length ends with its connection", answer=ends_by_closing,
            breaks=["v2-rest.content-length-answer"]),
    Variant("odd-chunks", "RFC 9112, 7.1: sizes are hexadecimal in either case and may begin with zeros, chunks have extensions, and trailers may follow",
            answer=lambda request, answer: answer.in_chunks(171, ";name=\"a;\\\"b\";last", "X-Checksum: 1\r\nX-Checksum: 2\r\n", b"0000%X")
            if answer.body and request.version == "1.1" else None,
            breaks=["v2-rest.content-length-answer"]),
    Variant("interim-answers", "RFC 9110, 15.2: answers of class 1xx may come before an answer", answer=sends_interim_answers),
    Variant("more-headers", "RFC 9110, 5.1 and 7.8, and RFC 6265, 4.1: headers that mean nothing here do no harm", answer=MoreHeaders().answer),
    Variant("json-type-only", "RFC 9110, 15.5.16: 415 for another Content-Type", request=wants_json_type),
    Variant("small-bodies", "RFC 9110, 15.5.14: a server has a limit for bodies",
            request=lambda request: refusal(413, "the body is larger than 1 MiB") if len(request.body) > 1 << 20 else None),
    Variant("redirects-slashes", "000 does not say what a slash after a path means", request=redirects_slashes),
    Variant("errors-422", "000: an error is any HTTP error status, 'typically 400'",
            answer=has_status(422, "Unprocessable Entity", lambda request, answer: answer.status == 400 and request.is_inference())),
    Variant("errors-with-more", "000: an error object has a member error, and may have more", answer=says_more_of_errors),
    Variant("html-404", "RFC 9110, 15.5: what explains an error has any form where 000 has no endpoint", answer=has_pages_of_errors),
    Variant("escaped-json", "RFC 8259, 7: any character may be an escape, in names too", answer=writes_escapes),
    Variant("long-numbers", "RFC 8259, 6: zeros after a fraction and before an exponent change nothing",
            answer=writes_elements(("FP32", "FP64"), long_number)),
    Variant("more-metadata", "000, Platforms is for information, and extensions are a server's own", answer=says_more_of_models),
    Variant("empty-parameters", "000, Parameters: an object, which may be empty", answer=adds_empty_parameters),
    Variant("in-pieces", "RFC 9293, 3.7.1: a stream of bytes has no messages, and a head may come byte by byte", answer=Pieces().answer),
]
