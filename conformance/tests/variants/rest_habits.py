"""Servers over REST that have habits of other HTTP servers, of gateways before them, or of other languages: the reference server behind the
relay of rest_relay.py. Numbers in the sentences are the documents of SPEC_NOTES.md."""
import email.utils
import gzip
import json
import re
import struct
import urllib.parse
import zlib
from decimal import Decimal

from rest_relay import Answer, Variant, refusal
from rest_variants import closes, is_health, sends_chunks, writes_elements

# --- Heads and connections -------------------------------------------------------------------------------------------------


def wants_lengths(request):
    """As gateways that take bodies whole."""
    in_chunks = re.search(rb"(?im)^transfer-encoding:", request.raw.partition(b"\r\n\r\n")[0])
    return refusal(411, "Length Required", as_json=False) if in_chunks and request.path.startswith("/v2") else None


def ends_silently(request, answer):
    """The connection ends after every third answer, which does not say so: the server was stopped, or nobody came for a while."""
    if answer.status >= 200 and request.number % 3 == 0:
        answer.ends = answer.changed = True


def gives_up(request, answer):
    """The server says so, and ends the connection, where nobody came for a while."""
    if answer.status >= 200:
        answer.late = refusal(408, "no request came").set_header("Connection", "close").encode()


def closes_in_capitals(request, answer):
    if answer.status >= 200 and request.number % 2 == 0:
        closes(request, answer)
        answer.set_header("Connection", "X-Hop, CLOSE")
        answer.headers += [["X-Hop", " 1"]]


def says_odd_reasons(request, answer):
    """A reason with bytes beyond ASCII, and as many fields as gateways add."""
    answer.reason, answer.changed = "R\xe9ponse \xff", True
    answer.headers += [[f"X-Envoy-{number}", " \xe9" + "v" * 100] for number in range(60)]


def accepts(request, coding):
    accepted = (request.header("Accept-Encoding") or "").lower()
    return request.method != "HEAD" and re.search(rf"\b{coding}(?!\s*;\s*q=0(\.0*)?\s*(,|$))", accepted)


def coded(coding, encode):
    def change(request, answer):
        if answer.body and accepts(request, "gzip" if coding == "x-gzip" else coding):
            answer.set_body(encode(answer.body)).set_header("Content-Encoding", coding)
    return change


def compresses_in_chunks(request, answer):
    coded("gzip", gzip.compress)(request, answer)
    sends_chunks(request, answer)


def of_health(where, edit):
    """An edit of an answer about health, `edit(answer)`, whose status is so."""
    return lambda request, answer: edit(answer) if is_health(request) and where(answer.status) and request.method == "GET" else None


def decodes_paths(request):
    """As nginx, which merges slashes, resolves dots and decodes letters before it looks for the endpoint."""
    path = urllib.parse.unquote(request.path, errors="surrogateescape") if not re.search("%(2f|25|3f|23|00)", request.path.lower()) \
        else request.path
    while re.search(r"//|/\.(/|$)|/[^/]+/\.\.(/|$)", path):
        path = re.sub(r"//+", "/", path)
        path = re.sub(r"/\.(/|$)", "/", path, count=1)
        path = re.sub(r"/(?!\.\.(?:/|$))[^/]+/\.\.(/|$)", "/", path, count=1)
        if path.startswith("/../"):
            return refusal(400, "Bad Request", as_json=False)
    quoted = urllib.parse.quote(path, safe="/:@!$&'()*+,;=~%" if path == request.path else "/:@!$&'()*+,;=~", errors="surrogateescape")
    if quoted != request.path:
        request.set_target(quoted + request.target[len(request.path):])
    return None


# --- Numbers and texts -----------------------------------------------------------------------------------------------------


def of_32_bits(number):
    return struct.unpack("<f", struct.pack("<f", number))[0]


def all_digits(datatype, number):
    """Every digit that the number has in decimal, up to a thousand of them."""
    value = of_32_bits(number) if datatype == "FP32" else float(number)
    return format(Decimal(value), "f") if value or str(value)[0] != "-" else "-0"


def as_javascript(datatype, number):
    """No point where none is needed, exponents with a sign, and no sign where a zero has none."""
    return re.sub(r"\.0(?=$|e)", "", re.sub(r"e-0?", "e-", re.sub(r"e\+?0?(?=\d)", "e+", repr(float(number)))))


def escapes_slashes(request, answer):
    """As PHP and some writers for HTML: `/`, `<`, `&` and all beyond ASCII are escapes, with capitals."""
    body = answer.json if 0 < len(answer.body) < 200000 else None
    if body is None:
        return
    text = json.dumps(body, ensure_ascii=True)
    text = re.sub(r"\\u[0-9a-f]{4}", lambda match: "\\u" + match[0][2:].upper(), text)
    for sign in "<>&'":
        text = text.replace(sign, "\\u%04X" % ord(sign))
    answer.set_body(text.replace("/", "\\/").encode())


# --- What is answered and refused ------------------------------------------------------------------------------------------


def writes_fractions_long(request, answer):
    """Every fraction of an answer, also of a parameter, has 17 digits and an exponent, as some libraries print doubles."""
    body = answer.json if answer.status == 200 and request.is_inference() else None
    if isinstance(body, dict):
        text = re.sub(rb'("(?:[^"\\\\]|\\\\.)*")|(-?[0-9]+\.[0-9]+(?:[eE][-+]?[0-9]+)?)',
                      lambda match: match[1] or b"%.16E" % float(match[2]), answer.body)
        if text != answer.body:
            answer.set_body(text)


def options_of_all(request):
    """CORS before all else, for whoever names an origin."""
    if request.method == "OPTIONS":
        return Answer(200, "OK", [["Content-Length", " 0"], ["Date", " " + email.utils.formatdate(usegmt=True)], ["Access-Control-Allow-Methods", " GET, POST"], ["Allow", " GET, POST, OPTIONS"]])
    return None


# --- The table -------------------------------------------------------------------------------------------------------------

FLOATS = ("FP32", "FP64", "FP16", "BF16")

VARIANTS = [
    Variant("wants-lengths", "RFC 9112, 6.3: a server may answer 411 to a body without Content-Length", refuses=wants_lengths),
    Variant("ends-silently", "RFC 9112, 9.5: a server may close an idle connection at any time", answer=ends_silently),
    Variant("gives-up", "RFC 9110, 15.5.9: a server may answer 408 to an idle connection", answer=gives_up),
    Variant("closes-in-capitals", "RFC 9110, 7.6.1: options of a connection have no case", answer=closes_in_capitals),
    Variant("no-dates", "RFC 9110, 6.6.1: a server without a clock sends no Date", answer=lambda request, answer: answer.set_header("Date", None),
            breaks=["http.date"]),
    Variant("odd-reasons", "RFC 9112, 4: a reason has any bytes but controls; RFC 9110, 5.5: so have values", answer=says_odd_reasons),
    Variant("deflate", "RFC 9110, 8.4.1.2: deflate is the zlib format", answer=coded("deflate", zlib.compress)),
    Variant("x-gzip", "RFC 9110, 8.4.1.3: x-gzip is gzip", answer=coded("x-gzip", gzip.compress), breaks=["v2-rest.coded-answer"]),
    Variant("gzip-members", "RFC 1952, 2.2: a gzip file has one member or more",
            answer=coded("gzip", lambda body: gzip.compress(body[:len(body) // 2]) + gzip.compress(body[len(body) // 2:]))),
    Variant("gzip-chunks", "RFC 9110, 8.4, and RFC 9112, 7: a coding of the content within chunks", answer=compresses_in_chunks,
            breaks=["v2-rest.content-length-answer"]),
    Variant("says-identity", "RFC 9110, 8.4: identity SHOULD NOT be named, and means no coding",
            answer=lambda request, answer: answer.set_header("Content-Encoding", "identity")
            if answer.body and not answer.header("Content-Encoding") else None,
            breaks=["v2-rest.coded-answer", "http.coding-refused"]),
    Variant("health-says-ok", "000, Health: the body should be empty",
            answer=of_health(lambda status: status == 200, lambda answer: answer.set_body(b"OK").set_header("Content-Type", "text/plain; charset=utf-8")),
            breaks=["v2-rest.health-body-empty"]),
    Variant("decodes-paths", "RFC 3986, 6.2.2: a path may be normalised before it is read", request=decodes_paths),
    Variant("fp32-as-doubles", "RFC 8259, 6: a number may have more digits than its reader keeps",
            answer=writes_elements(("FP32",), lambda datatype, number: repr(of_32_bits(number)))),
    Variant("all-digits", "RFC 8259, 6: a fraction may have any number of digits", answer=writes_elements(("FP32", "FP64"), all_digits)),
    Variant("numbers-of-javascript", "RFC 8259, 6: 2, 2.0 and 2e+0 are the same number", answer=writes_elements(FLOATS, as_javascript)),
    Variant("escaped-slashes", "RFC 8259, 7: a slash may be an escape, and digits of escapes may be capitals", answer=escapes_slashes),
    Variant("unknown-is-410", "000: an error is any HTTP error status",
            answer=lambda request, answer: answer.set_status(410, "Gone") if answer.status == 404 and request.method in ("GET", "POST") else None,
            breaks=["v2-rest.model-unknown-404", "v2-rest.unknown-path"]),
    Variant("silent-health", "000, Health: the body should be empty, of what is false too",
            answer=of_health(lambda status: status >= 400, lambda answer: answer.set_body(b"").set_header("Content-Type", None))),
    Variant("fractions-of-17-digits", "RFC 8259, 6: a number may have more digits than its reader keeps", answer=writes_fractions_long),
    Variant("options-are-200", "RFC 9110, 9.3.7: OPTIONS tells of any resource, whether it is there or not", request=options_of_all),
]
