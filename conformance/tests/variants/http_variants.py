"""Servers of the other protocols over HTTP that are compliant in an unusual way: the reference server behind the relay of rest_relay.py.

Each row of VARIANTS (`right`) is the profile that is judged and a variant (rest_relay.py). The rows of WRONG (`wrong`) break one sentence
each, in ways that no deviation of the reference server has, and have the requirement that must be among those that fail. Numbers in the
sentences are the documents of SPEC_NOTES.md."""
import re
import struct

import rest_choices
import rest_habits
import rest_variants
from flat_layout import edits_message
from flatbuffers import Builder
from rest_relay import Variant, refusal
from rest_variants import breaks_framing

V1, PIPE, METRICS, BINARY, REPOSITORY, KSERVE = "trtis-v1-http", "graphpipe", "metrics", "binary-tensors", "v2-rest,repository-rest", "v2-kserve"
CLASSES, STATISTICS, GENERATE, SETTINGS = "classification-rest", "statistics-rest", "generate-rest", "model-configuration-rest"
JUDGED = {V1: 1000, PIPE: 700, METRICS: 4, BINARY: 150, REPOSITORY: 50, KSERVE: 20, CLASSES: 10, STATISTICS: 20, GENERATE: 60, SETTINGS: 10}


def right(profile, name, why, **rest):
    return profile, Variant(name, why, **{"judged": JUDGED[profile], **rest})


def wrong(profile, name, slug, why, **rest):
    return profile, Variant(name, why, **rest), slug


# --- TensorRT Inference Server v1 ------------------------------------------------------------------------------------------


def writes_other_text(request, answer):
    """NV-Status with its fields in another order, a number for the name of its code, commas, and other quotes."""
    status = answer.header("NV-Status")
    if not status or "'" in status or "\\" in status:
        return
    names = ("INVALID", "SUCCESS", "UNKNOWN", "INTERNAL", "NOT_FOUND", "INVALID_ARG", "UNAVAILABLE", "UNSUPPORTED")
    numbers = {name: number for number, name in enumerate(names)}
    fields = re.findall(r'(\w+): ("[^"]*"|[\w.-]+)', status)
    odd = [f"{name}:{numbers.get(value, value)}".replace('"', "'") for name, value in reversed(fields)]
    answer.set_header("NV-Status", " , ".join(odd))


def writes_angles(request, answer):
    """The text after the tensors, and that of a status, with angle brackets, comments and no line of its own for a field."""
    tensors = sum(int(size) for size in re.findall(r"batch_byte_size: (\d+)", answer.header("NV-InferResponse") or ""))
    text = answer.body[tensors:].decode("utf-8", "replace")
    if answer.status != 200 or not text or "binary" in request.target or "\ufffd" in text or re.search(r'"[^"\n]*[{}][^"\n]*"', text):
        return
    lines = text.replace("{", "<").replace("}", ">").split("\n")
    answer.set_body(answer.body[:tensors] + b"# as text\n" + " ".join(line.strip() for line in lines).encode())


def says_other_statuses(request, answer):
    """Errors with the statuses that HTTP has for them."""
    if answer.status == 400 and not breaks_framing(request):
        answer.set_status(503 if "/health/" in request.path else 404 if "unknown" in (answer.header("NV-Status") or "unknown") else 422)


def says_created(request, answer):
    """A success of a status or an inference with another status of success."""
    if answer.status == 200 and re.match("/api/(status|infer)", request.path):
        answer.set_status(201)


def knows_no_such_path(request):
    """What follows the name of a model in the path of a status is no path of the page."""
    return refusal(404, "", as_json=False).set_body(b"") if re.match("/api/status/[^/]+/.", request.path) else None


def is_healthy_without_a_word(request, answer):
    if request.path.startswith("/api/health/"):
        answer.set_header("NV-Status", None)


def writes_odd_heads(request, answer):
    answer.headers = [[name.lower(), "\t" + value.strip() + " \t "] for name, value in answer.headers]
    answer.reason, answer.changed = "", True


# --- GraphPipe -------------------------------------------------------------------------------------------------------------


def is_flat(request, answer):
    return request.method == "POST" and len(answer.body) > 8 and not answer.body.startswith(b"{")


def of_flat(edit):
    """An edit of an answer from an edit of the bytes of a message of GraphPipe."""
    return lambda request, answer: answer.edit_body(edit) if is_flat(request, answer) else None


def moves_the_root(body):
    """Zeros stand before the root and after the message."""
    return struct.pack("<I", struct.unpack("<I", body[:4])[0] + 16) + bytes(16) + body[4:] + bytes(16)


def leaves_out_empty_shapes(message):
    """A list that is empty may be absent."""
    scalars = [tensor for tensor in message.outputTensors or [] if tensor.shape is not None and len(tensor.shape) == 0]
    for tensor in scalars:
        tensor.shape = None
    return scalars


def has_errors_of(status):
    return lambda request, answer: answer.set_status(status) if answer.status == 400 and request.method == "POST" and not breaks_framing(request) else None


def closes_for_errors(request, answer):
    """Says nothing, and ends the connection."""
    if answer.status >= 400 and request.method == "POST":
        answer.raw, answer.changed, answer.ends = b"", False, True


PAGE = b"<html><h1>This server serves models over GraphPipe</h1></html>"


# --- Metrics ---------------------------------------------------------------------------------------------------------------


def has_metrics(request, answer):
    return answer.status == 200 and request.path == "/metrics" and request.method == "GET"


def in_metrics(edit):
    """An edit of an answer from an edit of the text of the metrics."""
    return lambda request, answer: answer.edit_body(edit) if has_metrics(request, answer) else None


def number_otherwise(value):
    return repr(float(value)) + "e+00" if re.fullmatch(r"-?\d+(\.\d+)?", value) and len(value) < 16 else value


def writes_otherwise(body):
    """No HELP, labels in another order and with a comma after the last, exponents, tabs, comments and empty lines."""
    lines = []
    for line in body.decode().split("\n"):
        sample = re.fullmatch(r"(\w+)(?:\{(.*)\})? (\S+)", line)
        if line.startswith("# HELP"):
            lines += ["", "# a comment, and nothing else", "#"]
        elif sample:
            labels = ",".join(reversed(re.findall(r'\w+="(?:[^"\\]|\\.)*"', sample[2] or "")))
            lines.append(sample[1] + (f" {{ {labels} , }}" if labels else "") + "\t  " + number_otherwise(sample[3]))
        else:
            lines.append(line)
    return "\n".join(lines).encode()


def writes_metrics_otherwise(request, answer):
    if has_metrics(request, answer):
        answer.set_body(writes_otherwise(answer.body)).set_header("Content-Type", "text/plain; charset=utf-8; version=0.0.4")


MORE = b"""# TYPE go_gc_seconds summary
go_gc_seconds{quantile="0"} NaN
go_gc_seconds{quantile="1"} +Inf
go_gc_seconds_sum 1e-05
go_gc_seconds_count 2
no_type_at_all -1 1700000000000
"""

# --- The table -------------------------------------------------------------------------------------------------------------

# What is right of HTTP and JSON over REST is right for other protocols, too.
OVER_REST = {variant.name: variant for module in (rest_variants, rest_choices, rest_habits) for variant in module.VARIANTS}

VARIANTS = [
    right(V1, "v1-other-text", "the text form allows commas, any quotes, numbers of enumerations and any order of fields", answer=writes_other_text),
    right(V1, "v1-angles", "the text form allows angle brackets, comments and any blanks", answer=writes_angles),
    right(V1, "v1-other-statuses", "002 says 'the HTTP response code' of failure, and not which", answer=says_other_statuses),
    right(V1, "v1-created", "002 says 'the HTTP response code' of success, and not which", answer=says_created),
    right(V1, "v1-no-path-behind-a-model", "002: api/status has one name after it; what another path is, no page says", request=knows_no_such_path),
    right(V1, "v1-health-is-a-status", "002: health is the status of the answer; NV-Status belongs to status and inference",
          breaks=["trtis-v1-http.health-status", "trtis-v1-http.request-id"], answer=is_healthy_without_a_word),
    right(V1, "v1-odd-heads", "RFC 9110, 5.1: names of headers have no case", answer=writes_odd_heads),
    right(PIPE, "pipe-root-elsewhere", "flatbuffers: the root is found by its offset", answer=of_flat(moves_the_root)),
    right(PIPE, "pipe-scalars-without-shape", "flatbuffers: a list that is absent is empty",
          answer=edits_message("InferResponse", leaves_out_empty_shapes, Builder)),
    right(PIPE, "pipe-page", "004, Server: a GET may give something helpful, as a page for people",
          request=lambda request: refusal(200, "", as_json=False).set_body(PAGE) if request.method == "GET" else None),
    *(right(PIPE, f"pipe-errors-{status}", "004 does not say which status an error has", answer=has_errors_of(status)) for status in (200, 500)),
    right(METRICS, "metrics-otherwise", "the text format: blanks, comments, exponents and a last comma are free", answer=writes_metrics_otherwise),
    right(METRICS, "metrics-more", "the text format: samples may have no type and no help, NaN, and a time", answer=in_metrics(lambda body: body + MORE)),
    *(right(profile, f"{prefix}-{name}", OVER_REST[name].why, answer=OVER_REST[name].answer) for profile, prefix, names in [
        (V1, "v1", "chunked-answers closes-always empty-chunks ends-silently http-1.0 interim-answers odd-reasons old-dates"),
        (PIPE, "pipe", "chunked-answers closes-in-capitals ends-by-closing http-1.0 in-pieces interim-answers"),
        (METRICS, "metrics", "odd-chunks more-headers"),
        (KSERVE, "kserve", "long-errors more-members pretty-json spelled-integers"),
        (BINARY, "binary", "empty-chunks ends-silently http-1.0")] for name in names.split()),
]


# --- Wrong ones ------------------------------------------------------------------------------------------------------------


def always_takes_the_latest(request):
    match = re.fullmatch(r"(/api/infer/[^/]+)/\d+", request.path)
    if match and request.method == "POST":
        request.set_target(request.target.replace(request.path, match[1]))


def hides_a_model(request, answer):
    if request.path == "/api/status/identity_int8":
        unknown = 'code: INVALID_ARG msg: "no status available for unknown model" server_id: "inference:0"'
        answer.set_status(400).set_header("NV-Status", unknown).set_body(b"")
    if request.path == "/api/status" and answer.status == 200:
        answer.set_body(re.sub(rb'^model_status \{\n  key: "identity_int8"\n.*?^\}\n', b"", answer.body, flags=re.S | re.M))


def serves_short_bodies(request, answer):
    """A request whose body lacks bytes is served as if they were zeros: its answer comes from nowhere."""
    if answer.status == 400 and "unexpected size" in (answer.header("NV-Status") or ""):
        answer.set_status(200).set_header("NV-Status", 'code: SUCCESS server_id: "inference:0" request_id: 1')


def forgets_data_in_the_middle(body):
    half = len(body) // 2
    return body[:half] + bytes(8) + body[half + 8:] if len(body) > 4096 else body


def histogram(*counts):
    lines = zip(('h_bucket{le="1"}', 'h_bucket{le="2"}', 'h_bucket{le="+Inf"}', "h_count"), counts)
    return "".join(f"{name} {count}\n" for name, count in lines).encode()


WRONG = [
    wrong(V1, "v1-always-latest", "infer-versioned", "002: a version in the path is that version", request=always_takes_the_latest),
    wrong(V1, "v1-one-model-hidden", "status-all", "002, Status: what is being served stands in the status, and identity_int8 answers inferences",
          answer=hides_a_model, flags=["--profile", "v2-rest"]),
    wrong(V1, "v1-short-bodies-served", "data-short", "002: the tensors stand in the body", answer=serves_short_bodies),
    wrong(PIPE, "pipe-large-data-lost", "output-values", "004: the outputs hold what the model computes", answer=of_flat(forgets_data_in_the_middle)),
    wrong(PIPE, "pipe-inputs-alike", "metadata-io-unique", "004, Metadata: names tell inputs apart",
          answer=of_flat(lambda body: body.replace(b"INPUT1", b"INPUT0") if body.count(b"INPUT1") == 1 else body)),
    wrong(PIPE, "pipe-errors-of-nothing", "error-response", "004: an error is an InferResponse",
          answer=lambda request, answer: answer.set_body(b"") if answer.status >= 400 and request.method == "POST" else None),
    wrong(PIPE, "pipe-errors-close", "data-count", "004: an error is an InferResponse", answer=closes_for_errors),
    wrong(METRICS, "metrics-without-end", "last-line", "the text format: the last line ends with a line feed",
          answer=in_metrics(lambda body: body.rstrip(b"\n"))),
    wrong(METRICS, "metrics-twice", "sample-once", "the text format: the lines of a metric stand together",
          answer=in_metrics(lambda body: body + body.split(b"\n")[2] + b"\n")),
    wrong(METRICS, "metrics-type-behind", "type-first", "the text format: TYPE stands before the samples",
          answer=in_metrics(lambda body: body + b"a_b 1\n# TYPE a_b counter\n")),
    wrong(METRICS, "metrics-buckets-fall", "distribution", "the text format: buckets hold all below them",
          answer=in_metrics(lambda body: body + b"# TYPE h histogram\n" + histogram(3, 2, 4, 4))),
    wrong(METRICS, "metrics-count-is-another", "distribution", "the text format: _count is the value of the last bucket",
          answer=in_metrics(lambda body: body + b"# TYPE h histogram\n" + histogram(1, 2, 4, 5))),
]
