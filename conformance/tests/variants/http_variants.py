"""Servers of the other protocols over HTTP that are compliant in an unusual way: the reference server behind the relay of rest_relay.py.

Each row of VARIANTS is the profile that is judged and a variant (rest_relay.py). The rows of WRONG break one sentence each, in ways
that no deviation of the reference server has, and have the requirement that must be among those that fail. Numbers in the sentences are
the documents of SPEC_NOTES.md."""
import re
import struct

from rest_relay import Variant, refusal
from rest_variants import Pieces, breaks_framing, closes, compresses, ends_by_closing, says_more_in_heads, sends_chunks


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
    """The text behind the tensors, and that of a status, with angle brackets, comments and no line of its own for a field."""
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


def writes_odd_heads(request, answer):
    answer.headers = [[name.lower(), "\t" + value.strip() + " \t "] for name, value in answer.headers]
    answer.reason, answer.changed = "", True


# --- GraphPipe -------------------------------------------------------------------------------------------------------------


def is_flat(request, answer):
    return request.method == "POST" and len(answer.body) > 8 and not answer.body.startswith(b"{")


def moves_the_root(request, answer):
    """Zeros stand before the root and behind the message."""
    if is_flat(request, answer):
        root = struct.unpack("<I", answer.body[:4])[0]
        answer.set_body(struct.pack("<I", root + 16) + bytes(16) + answer.body[4:] + bytes(16))


def has_a_page(request):
    return None if request.method != "GET" else page(refusal(200, "", as_json=False))


def page(answer):
    answer.set_body(b"<html><h1>This server serves models over GraphPipe</h1></html>")
    return answer


def errors_are_500(request, answer):
    if answer.status == 400 and request.method == "POST" and not breaks_framing(request):
        answer.set_status(500)


# --- Metrics ---------------------------------------------------------------------------------------------------------------


def number_otherwise(value):
    return repr(float(value)) + "e+00" if re.fullmatch(r"-?\d+(\.\d+)?", value) and len(value) < 16 else value


def writes_metrics_otherwise(request, answer):
    """No HELP, labels in another order and with a comma behind the last, exponents, tabs, comments and empty lines."""
    if answer.status != 200 or request.path != "/metrics" or request.method != "GET":
        return
    lines = []
    for line in answer.body.decode().split("\n"):
        sample = re.fullmatch(r"(\w+)(?:\{(.*)\})? (\S+)", line)
        if line.startswith("# HELP"):
            lines += ["", "# a comment, and nothing else", "#"]
        elif sample:
            labels = ",".join(reversed(re.findall(r'\w+="(?:[^"\\]|\\.)*"', sample[2] or "")))
            lines.append(sample[1] + (f" {{ {labels} , }}" if labels else "") + "\t  " + number_otherwise(sample[3]))
        else:
            lines.append(line)
    answer.set_body("\n".join(lines).encode())
    answer.set_header("Content-Type", "text/plain; charset=utf-8; version=0.0.4")


def has_more_metrics(request, answer):
    if answer.status == 200 and request.path == "/metrics" and request.method == "GET":
        answer.set_body(answer.body + b"# TYPE go_gc_seconds summary\ngo_gc_seconds{quantile=\"0\"} NaN\n"
                        b"go_gc_seconds{quantile=\"1\"} +Inf\ngo_gc_seconds_sum 1e-05\ngo_gc_seconds_count 2\nno_type_at_all -1 1700000000000\n")


# --- The table -------------------------------------------------------------------------------------------------------------

V1, PIPE, METRICS = "trtis-v1-http", "graphpipe", "metrics"

VARIANTS = [
    (V1, Variant("v1-other-text", "the text form allows commas, any quotes, numbers of enumerations and any order of fields",
                 answer=writes_other_text, judged=1000)),
    (V1, Variant("v1-angles", "the text form allows angle brackets, comments and any blanks", answer=writes_angles, judged=1000)),
    (V1, Variant("v1-other-statuses", "002 says 'the HTTP response code' of failure, and not which", answer=says_other_statuses,
                 judged=1000)),
    (V1, Variant("v1-closes", "RFC 9112, 9.6: a server may close the connection behind any answer", answer=closes, judged=1000)),
    (V1, Variant("v1-chunks", "RFC 9112, 7.1: an answer may come in chunks", answer=sends_chunks, judged=1000)),
    (V1, Variant("v1-odd-heads", "RFC 9110, 5.1: names of headers have no case", answer=writes_odd_heads, judged=1000)),
    (PIPE, Variant("pipe-root-elsewhere", "flatbuffers: the root is found by its offset", answer=moves_the_root, judged=700)),
    (PIPE, Variant("pipe-page", "004, Server: a GET may give something helpful, as a page for people", request=has_a_page, judged=700)),
    (PIPE, Variant("pipe-errors-500", "004 does not say which status an error has", answer=errors_are_500, judged=700)),
    (PIPE, Variant("pipe-chunks", "RFC 9112, 7.1: an answer may come in chunks", answer=sends_chunks, judged=700)),
    (PIPE, Variant("pipe-ends-by-closing", "RFC 9112, 6.3: an answer without a length ends with its connection", answer=ends_by_closing,
                   judged=700)),
    (PIPE, Variant("pipe-in-pieces", "RFC 9293, 3.7.1: a stream of bytes has no messages", answer=Pieces().answer, judged=700)),
    (METRICS, Variant("metrics-otherwise", "the text format: blanks, comments, exponents and a last comma are free",
                      answer=writes_metrics_otherwise, judged=4)),
    (METRICS, Variant("metrics-more", "the text format: samples may have no type and no help, NaN, and a time", answer=has_more_metrics,
                      judged=4)),
    (METRICS, Variant("metrics-gzip", "RFC 9110, 12.5.3: an answer may be in a coding that the request accepts", answer=compresses,
                      judged=4)),
    (METRICS, Variant("metrics-more-headers", "RFC 9110, 5.1: headers that mean nothing here do no harm", answer=says_more_in_heads,
                      judged=4)),
]


# --- Wrong ones ------------------------------------------------------------------------------------------------------------


def always_takes_the_latest(request):
    match = re.fullmatch(r"(/api/infer/[^/]+)/\d+", request.path)
    if match and request.method == "POST":
        request.set_target(request.target.replace(request.path, match[1]))


def leaves_a_model_out(request, answer):
    if request.path == "/api/status" and answer.status == 200:
        answer.set_body(re.sub(rb'^model_status \{\n  key: "identity_int8"\n.*?^\}\n', b"", answer.body, flags=re.S | re.M))


def hides_a_model(request, answer):
    if request.path == "/api/status/identity_int8":
        answer.set_status(400)
        answer.set_header("NV-Status", 'code: INVALID_ARG msg: "no status available for unknown model" server_id: "inference:0"')
        answer.set_body(b"")
    leaves_a_model_out(request, answer)


def serves_short_bodies(request, answer):
    """A request whose body lacks bytes is served as if they were zeros: its answer comes from nowhere."""
    if answer.status == 400 and "unexpected size" in (answer.header("NV-Status") or ""):
        answer.set_status(200, "OK")
        answer.set_header("NV-Status", 'code: SUCCESS server_id: "inference:0" request_id: 1')


def forgets_data_in_the_middle(request, answer):
    if is_flat(request, answer) and len(answer.body) > 4096:
        half = len(answer.body) // 2
        answer.set_body(answer.body[:half] + bytes(8) + answer.body[half + 8:])


def names_inputs_alike(request, answer):
    if is_flat(request, answer) and answer.body.count(b"INPUT1") == 1:
        answer.set_body(answer.body.replace(b"INPUT1", b"INPUT0"))


def answers_errors_with_nothing(request, answer):
    if answer.status >= 400 and request.method == "POST":
        answer.set_body(b"")


def counts_in_metrics(change):
    def edit(request, answer):
        if answer.status == 200 and request.path == "/metrics" and request.method == "GET":
            answer.set_body(change(answer.body))
    return edit


def histogram(*counts):
    lines = zip(('h_bucket{le="1"}', 'h_bucket{le="2"}', 'h_bucket{le="+Inf"}', "h_count"), counts)
    return "".join(f"{name} {count}\n" for name, count in lines).encode()


WRONG = [
    (V1, Variant("v1-always-latest", "002: a version in the path is that version", request=always_takes_the_latest),
     "infer-versioned"),
    (V1, Variant("v1-one-model-hidden", "002, Status: what is being served stands in the status, and identity_int8 answers inferences",
                 answer=hides_a_model, flags=["--profile", "v2-rest"]), "status-all"),
    (V1, Variant("v1-short-bodies-served", "002: the tensors stand in the body", answer=serves_short_bodies), "data-short"),
    (PIPE, Variant("pipe-large-data-lost", "004: the outputs hold what the model computes", answer=forgets_data_in_the_middle),
     "output-values"),
    (PIPE, Variant("pipe-inputs-alike", "004, Metadata: names tell inputs apart", answer=names_inputs_alike), "metadata-io-unique"),
    (PIPE, Variant("pipe-errors-of-nothing", "004: an error is an InferResponse", answer=answers_errors_with_nothing), "error-response"),
    (METRICS, Variant("metrics-without-end", "the text format: the last line ends with a line feed",
                      answer=counts_in_metrics(lambda body: body.rstrip(b"\n"))), "last-line"),
    (METRICS, Variant("metrics-twice", "the text format: the lines of a metric stand together",
                      answer=counts_in_metrics(lambda body: body + body.split(b"\n")[2] + b"\n")), "sample-once"),
    (METRICS, Variant("metrics-type-behind", "the text format: TYPE stands before the samples",
                      answer=counts_in_metrics(lambda body: body + b"a_b 1\n# TYPE a_b counter\n")), "type-first"),
    (METRICS, Variant("metrics-buckets-fall", "the text format: buckets hold all below them",
                      answer=counts_in_metrics(lambda body: body + b"# TYPE h histogram\n" + histogram(3, 2, 4, 4))), "distribution"),
    (METRICS, Variant("metrics-count-is-another", "the text format: _count is the value of the last bucket",
                      answer=counts_in_metrics(lambda body: body + b"# TYPE h histogram\n" + histogram(1, 2, 4, 5))), "distribution"),
]
