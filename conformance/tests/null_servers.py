#!/usr/bin/python3
"""Servers that do not implement the protocol, for the tests of the judge: null servers, which the suite must fail, and hostile
ones, which the client must survive.

    null_servers.py HTTP GRPC

prints `listening http=127.0.0.1:PORT grpc=127.0.0.1:PORT` and serves until it is killed. HTTP and GRPC are kinds of servers; `dead`
is a port on which no program listens.
"""
import functools
import gzip
import itertools
import os
import re
import socket
import struct
import sys
import time

import hostile_models as hostile
from forwarder import Listener

sys.path.insert(0, "proto/tests")
from wire import CONTINUATION, DATA, GOAWAY, HEADERS, PING, RST_STREAM, SETTINGS, WINDOW_UPDATE, field, frame, literal, message


def read_request(connection):
    """Returns head and body of one HTTP/1 request; None at the end of the connection."""
    data = b""
    while b"\r\n\r\n" not in data:
        piece = connection.recv(65536)
        if not piece:
            return None
        data += piece
    head, _, body = data.partition(b"\r\n\r\n")
    length = 0
    for line in head.split(b"\r\n")[1:]:
        name, _, value = line.partition(b":")
        if name.lower() == b"content-length" and value.strip().isdigit():
            length = int(value)
    while len(body) < length:
        piece = connection.recv(65536)
        if not piece:
            break
        body += piece
    return head, body


def answer(connection, status, body, headers=b""):
    connection.sendall(b"HTTP/1.1 %s\r\n%sContent-Length: %d\r\n\r\n%s" % (status, headers, len(body), body))


def end_softly(connection):
    """Closes when the client has closed. To close before it has been read out would send a reset, which may overtake the last frame."""
    connection.shutdown(socket.SHUT_WR)
    while connection.recv(65536):
        pass
    connection.close()


def send_for_ever(connection, piece, pause=0.0):
    while True:
        connection.sendall(piece)
        if pause:
            time.sleep(pause)


def hang():
    time.sleep(3600)


JSON = b"Content-Type: application/json\r\n"
NOTHING = b"404 Not Found", b'{"error":"no"}'


def paged(*pages):
    """A server with pages: (a pattern of "METHOD PATH", the body of its JSON or a function of the request's, which may return (status, body)). Of
    anything else the server knows nothing."""
    def serve(connection, head, body):
        asked = b" ".join((head + b"  ").split(b" ")[:2])
        page = next((page for pattern, page in pages if re.fullmatch(pattern, asked)), lambda body: NOTHING)
        made = page(body) if callable(page) else page
        status, text = made if isinstance(made, tuple) else (b"200 OK", made)
        answer(connection, status, text, JSON)
    return serve


def about(name, extensions=b""):
    return b"[A-Z]+ /v2", b'{"name":"%s","version":"0","extensions":[%s]}' % (name, extensions)


def tiny(needs_version, needs_version_for_metadata=False, has_metadata=True):
    """A server with one model, theirs/1, which answers valid inference requests."""
    model = (b'{"name":"theirs/1","versions":["1","2"],"platform":"none",'
             b'"inputs":[{"name":"A","datatype":"INT32","shape":[-1,2]}],"outputs":[]}')
    below = rb"[A-Z]+ /v2/models/theirs%2F1"

    def infer(has_version):
        def page(body):
            good = b'"shape":[1,2]' in body and re.search(rb'"data":\[\d,\d\]', body) and (has_version or not needs_version)
            return b"200 OK" if good else b"400 Bad Request", b"{}"
        return page

    versions = rb"/versions/(1|2.*)" if needs_version_for_metadata else rb"(/versions/2.*)?"
    metadata = [(rb"GET /v2/models/theirs%2F1" + versions, model)] if has_metadata else []
    return paged(about(b"tiny"), (below + rb".*/ready", b""), (below + rb"/versions/2.*/infer", infer(True)), (below + rb".*/infer", infer(False)), *metadata)


def slow(serve):
    """The same server, with models that never say what they are: of those called mute it does not even say that they are not ready."""

    def serve_some(connection, head, body):
        path = (head + b"  ").split(b" ")[1]
        if path.startswith(b"/v2/models/mute") or (path.startswith(b"/v2/models/slow") and not path.endswith(b"/ready")):
            hang()
        serve(connection, head, body)

    return serve_some


def hanging(path, serve):
    """The same server, which does not answer requests to that path."""

    def serve_others(connection, head, body):
        if head.split(b" ")[1] == path:
            hang()
        serve(connection, head, body)

    return serve_others


def limits(serve):
    """The same server, which answers each request only when it is sent again: first it says 429, or 503 where it is a POST."""
    seen = set()

    def serve_later(connection, head, body):
        if (head, body) in seen:
            seen.remove((head, body))
            serve(connection, head, body)
        else:
            seen.add((head, body))
            status = b"429 Too Many Requests" if head.startswith(b"GET") else b"503 Service Unavailable"
            answer(connection, status, b"", b"Retry-After: 0\r\n")

    return serve_later


@functools.cache
def metadata(input_count, shape, name):
    """Returns the metadata of a model with that many inputs, whose names begin so."""
    tensors = ",".join('{"name":"%s%d","datatype":"FP32","shape":[%s]}' % (name, i, shape) for i in range(input_count))
    return ('{"name":"simple","versions":["1"],"platform":"none","inputs":[%s],"outputs":[]}' % tensors).encode()


@functools.cache
def outputs(count):
    """Returns the answer to an inference that has so many outputs."""
    tensors = ",".join('{"name":"OUT%d","datatype":"INT32","shape":[1],"data":[%d]}' % (i, i) for i in range(count))
    return ('{"model_name":"simple","outputs":[%s]}' % tensors).encode()


def events(connection, head, body):
    """A server with the model tokens, which generates texts without end."""
    if (head + b"  ").split(b" ")[1].endswith(b"/generate_stream"):
        connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n")
        send_for_ever(connection, b'data: {"text_output": "never"}\n\n', 0.01)
    text = b'"datatype":"BYTES","shape":[1]}]'
    paged(about(b"events", b'"generate"'), (
        b"GET /v2/models/tokens", b'{"name":"tokens","versions":["1"],"platform":"none","inputs":[{"name":"text_input",%s,'
                                  b'"outputs":[{"name":"text_output",%s}' % (text, text)))(connection, head, body)


def described(input_count, shape, output_count=0, name="IN"):
    """A server with one model, simple, which has that metadata and answers each inference with so many outputs."""
    simple = b"/v2/models/simple"
    return paged(about(b"described"), (b"GET " + simple, lambda body: metadata(input_count, shape, name)), (b"[A-Z]+ " + simple + b"/ready", b""),
                 (b"[A-Z]+ " + simple + b"/infer", lambda body: outputs(output_count)))


SUMS = ",".join('{"name":"OUTPUT%d","datatype":"INT32","shape":[1,16],"data":%s}' % (i, [j + 1 - 2 * i for j in range(16)]) for i in range(2))
INFERRED = {
    b"simple": b'{"model_name":"simple","id":"42","outputs":[%s]}' % SUMS.encode(),
    b"identity_int32": b'{"outputs":[{"name":"OUTPUT0","datatype":"INT32","shape":[1,1],"data":[1]}]}',
}
SECOND = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}"


def cut(size):
    """A server that answers the first of several inferences which are sent at once, and of the second so many bytes. Then the connection ends."""

    def serve(connection, head, body):
        model = (head + b"///").split(b"/")[3]
        if model not in INFERRED:
            tiny(False)(connection, head, body)
        elif b"/infer " not in head:
            answer(connection, b"200 OK", b"{}", JSON)
        elif b" HTTP/1.1" not in body:
            answer(connection, b"200 OK", INFERRED[model], JSON)
        else:
            answer(connection, b"200 OK", INFERRED[model], JSON)
            connection.sendall(SECOND[:size])
            end_softly(connection)

    return serve


@functools.cache
def wide_metadata():
    inputs = b",".join(b'{"name":"IN%d","datatype":"FP32","shape":[1,1,1,1,1,1,1,1]}' % i for i in range(9000))
    return b'{"name":"wide","versions":["1"],"platform":"none","inputs":[%s],"outputs":[]}' % inputs


def listed(count):
    return b"[%s]" % b",".join(b'{"name":"m%d","version":"1","state":"READY"}' % i for i in range(count))


# Every name but one is a model of 9000 inputs of eight dimensions, and an index lists 200 of them.
wide_models = paged(about(b"wide"), (b"[A-Z]+ /v2/repository/index", listed(200)), (b"GET /v2/models/(?!.*no_such)[^/]*", lambda body: wide_metadata()),
                    (b"[A-Z]+ /v2/health/.*", b""))


@functools.cache
def members():
    return b"{" + b",".join(b'"%d":0' % i for i in range(2000000)) + b"}"  # 20 MB


@functools.cache
def numbers():
    return b'{"outputs":[{"name":"OUTPUT0","datatype":"INT32","shape":[1,16],"data":[0' + b",1" * 10000000 + b"]}]}"


def v1(outputs, status=None):
    """v1 over HTTP with one model, simple, which answers with so many outputs; `status` are the bytes of another status."""
    status = status or functools.cache(lambda: hostile.v1_server({b"simple": hostile.v1_config(outputs)}))

    def serve(connection, head, body):
        path = (head + b"  ").split(b" ")[1]
        good = b"NV-Status: code: SUCCESS\r\n"
        if path.startswith(b"/api/status"):
            answer(connection, b"200 OK", status(), good)
        elif path.startswith(b"/api/infer/simple"):
            told = min(outputs, 1500)  # the client reads no longer line
            answer(connection, b"200 OK", bytes(4 * told) + hostile.v1_header(outputs),
                   good + b"NV-InferResponse: %s\r\n" % hostile.v1_text_header(told))
        elif path.startswith(b"/api/health"):
            answer(connection, b"200 OK", b"", good)
        else:
            answer(connection, b"404 Not Found", b"", b"NV-Status: code: NOT_FOUND msg: 'no'\r\n")

    return serve


def graphpipe(outputs):
    """GraphPipe: asks are told apart by what a MetadataRequest is, which is short."""
    return lambda c, h, b: answer(c, b"200 OK", hostile.graphpipe_inference(outputs) if b"IN" in b else hostile.graphpipe_metadata(outputs))


def endless_graphpipe(connection, head, body):
    if b"IN" not in body:
        return graphpipe(1)(connection, head, body)
    connection.sendall(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")
    send_for_ever(connection, b"1\r\n\0\r\n", 0.02)


@functools.cache
def binary_outputs(count):
    """The body of an answer in binary form, and the length of its JSON."""
    text = ('{"model_name":"simple","outputs":[%s]}' % ",".join(
        '{"name":"OUT%d","datatype":"INT32","shape":[1],"parameters":{"binary_data_size":4}}' % i for i in range(count))).encode()
    return text + bytes(4 * count), len(text)


def in_binary(outputs):
    described_as = described(1, 16)

    def serve(connection, head, body):
        if b"/infer " in head:
            answer(connection, b"200 OK", binary_outputs(outputs)[0],
                   b"Content-Type: application/octet-stream\r\nInference-Header-Content-Length: %d\r\n" % binary_outputs(outputs)[1])
        else:
            described_as(connection, head, body)

    return serve


MANY = 100000

# kind -> function that handles each request (connection, head, body)
HTTP = {
    "members": lambda c, h, b: answer(c, b"200 OK", members(), JSON),
    "numbers": lambda c, h, b: answer(c, b"200 OK", numbers(), JSON),
    "long-metadata": described(130000, 16),  # 7 MB
    "many-inputs": described(10000, 16),
    "wide-inputs": described(256, 4000),
    "many-outputs": described(1, 16, 8000),  # 500 kB
    "many-dimensions": described(1, ",".join("1" * MANY)),
    "long-tensor-name": described(1, 16, name="x" * (10 << 20)),
    **{"%s-%d" % (kind, count): serve(count) for count in (8000, MANY) for kind, serve in
       {"binary-outputs": in_binary, "v1-outputs": v1, "graphpipe-outputs": graphpipe}.items()},
    "json-outputs-%d" % MANY: described(1, 16, MANY),
    "v1-models": v1(1, functools.cache(lambda: hostile.v1_server({b"m%d" % i: hostile.v1_config(1) for i in range(MANY)}))),
    "endless-events": events,
    "endless-graphpipe": endless_graphpipe,
    "mute-health": hanging(b"/v2/health/live", tiny(False)),
    "ok": lambda c, h, b: answer(c, b"200 OK", b"{}", JSON),
    "markup": lambda c, h, b: answer(c, b"200 OK", b'{"name":"</title><script>alert(1)</script>","version":"<b>\\u202e\\u0000","error":"\xff\x1b[31m'
                                     b']]>&lt;<!--\' onload=x","extensions":["<img src=x onerror=alert(1)>"]}', JSON + b"X-Mark: <script>\xff\x1b\r\n"),
    **{"cut-%d" % size: cut(size) for size in range(len(SECOND))},
    "500": lambda c, h, b: answer(c, b"500 Internal Server Error", b"no", b""),
    "empty": lambda c, h, b: answer(c, b"200 OK", b"", b""),
    "hang": lambda c, h, b: hang(),
    "close": lambda c, h, b: c.close(),
    # answers with the request that it received, byte for byte
    "echo": lambda c, h, b: answer(c, b"200 OK", h + b"\r\n\r\n" + b),
    "tiny": tiny(False),
    "wide-models": wide_models,
    "tiny-versions": tiny(True),
    "tiny-all-versions": tiny(True, True),
    "tiny-ready": tiny(False, has_metadata=False),
    "slow": slow(tiny(False)),
    "tiny-limits": limits(tiny(False)),
    "limits": lambda c, h, b: answer(c, b"429 Too Many Requests", b"", b"Retry-After: 3600\r\n"),
    "limits-for-ever": lambda c, h, b: answer(c, b"429 Too Many Requests", b"", b"Retry-After: 1" + 20 * b"0" + b"\r\n"),
    "busy": lambda c, h, b: answer(c, b"503 Service Unavailable", b"", b"Retry-After: 3600\r\n"),
    "401": lambda c, h, b: answer(c, b"401 Unauthorized", b"", b""),
    "502": lambda c, h, b: answer(c, b"502 Bad Gateway", b"", b""),
    "503": lambda c, h, b: answer(c, b"503 Service Unavailable", b"", b""),
    "redirect": lambda c, h, b: answer(c, b"307 Temporary Redirect", b"", b"Location: http://127.0.0.1:1/\r\n"),
    "interim": lambda c, h, b: (c.sendall(b"HTTP/1.1 100 Continue\r\nX-Interim: 1\r\n\r\n"), answer(c, b"200 OK", b"{}", JSON)),
    "trickle": lambda c, h, b: (c.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n"), send_for_ever(c, b".", 0.02)),
    "trickle-headers": lambda c, h, b: (c.sendall(b"HTTP/1.1 200 OK\r\nX: "), send_for_ever(c, b".", 0.02)),
    "endless-headers": lambda c, h, b: (c.sendall(b"HTTP/1.1 200 OK\r\n"), send_for_ever(c, b"X-More: headers\r\n" * 100)),
    "endless-line": lambda c, h, b: (c.sendall(b"HTTP/1.1 200 OK\r\nX: "), send_for_ever(c, b"x" * 4096)),
    "endless-interim": lambda c, h, b: send_for_ever(c, b"HTTP/1.1 100 Continue\r\n\r\n" * 100),
    "endless-body": lambda c, h, b: (c.sendall(b"HTTP/1.1 200 OK\r\n\r\n"), send_for_ever(c, b"x" * 65536)),
    "endless-chunks": lambda c, h, b: (c.sendall(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"),
                                       send_for_ever(c, b"1000\r\n" + b"x" * 4096 + b"\r\n")),
    "huge-claim": lambda c, h, b: (c.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 9223372036854775807\r\n\r\nx"), c.close()),
    "over-claim": lambda c, h, b: (c.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 18446744073709551617\r\n\r\nx"), c.close()),
    "short-body": lambda c, h, b: (c.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nxx"), c.close()),
    "short-head": lambda c, h, b: (c.sendall(b"HTTP/1.1 200 OK\r\nContent-"), c.close()),
    "two-lengths": lambda c, h, b: c.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 3\r\nContent-Length: 2\r\n\r\n{}"),
    "bad-chunk": lambda c, h, b: (c.sendall(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n{}\r\n"), c.close()),
    "garbage": lambda c, h, b: (c.sendall(b"\x00\x01\x02 this is no protocol\r\n\r\n"), c.close()),
    "bomb": lambda c, h, b: answer(c, b"200 OK", gzip.compress(bytes(64 << 20)), b"Content-Encoding: gzip\r\n"),
    "nul": lambda c, h, b: answer(c, b"200 OK", b'{"error": "a\x00b"}', JSON),
    "endless-trailers": lambda c, h, b: (c.sendall(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n"),
                                         send_for_ever(c, b"X-More: trailers\r\n" * 100)),
    "trailers": lambda c, h, b: c.sendall(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nTrailer: X-End\r\n\r\n"
                                          b"2\r\n{}\r\n0\r\nX-End: yes\r\n\r\n"),
}


def serve_http(connection, kind):
    try:
        while True:
            request = read_request(connection)
            if request is None:
                return
            HTTP[kind](connection, *request)
    except OSError:
        pass
    finally:
        connection.close()


# --- HTTP/2 by hand, for answers that no gRPC library sends -----------------------------------------------------------


GRPC_HEAD = literal(b":status", b"200") + literal(b"content-type", b"application/grpc")
GZIP_HEAD = GRPC_HEAD + literal(b"grpc-encoding", b"gzip")
DONE = literal(b"grpc-status", b"0")


def send_data(connection, data, stream=1):
    """Sends DATA frames and ignores flow control, as a hostile server may."""
    for at in range(0, len(data), 16384):
        connection.sendall(frame(DATA, 0, stream, data[at : at + 16384]))


def send_padded(connection, came, data, size):
    """Answers in DATA frames of so many bytes, each with 255 bytes of padding, and sends no more than the windows of the client take (RFC 9113, 5.2
    and 6.9). `came` is what the client has sent so far."""
    connection.sendall(frame(HEADERS, 4, 1, GRPC_HEAD))
    initial, windows, frames = 65535, [65535, 0], came[24:]  # of the connection; of the stream, beside the initial one
    for at in range(0, len(data), size):
        payload = b"\xff" + data[at : at + size] + bytes(255)
        while min(windows[0], initial + windows[1]) < len(payload) or len(frames) >= 9:
            while len(frames) < 9 or len(frames) < 9 + int.from_bytes(frames[:3], "big"):
                piece = connection.recv(65536)
                if not piece:
                    return
                frames += piece
            end, kind, stream = 9 + int.from_bytes(frames[:3], "big"), frames[3], int.from_bytes(frames[5:9], "big")
            if kind == WINDOW_UPDATE:
                windows[min(stream, 1)] += int.from_bytes(frames[9:end], "big")
            settings = [frames[i : i + 6] for i in range(9, end, 6)] if kind == SETTINGS else []
            initial = next((int.from_bytes(one[2:], "big") for one in settings if one[:2] == b"\0\4"), initial)
            frames = frames[end:]
        windows = [window - len(payload) for window in windows]
        connection.sendall(frame(DATA, 8, 1, payload))
    connection.sendall(frame(HEADERS, 5, 1, DONE))


GREETED = itertools.count()  # connections so far

HTTP2 = {
    "http404": lambda c: c.sendall(frame(HEADERS, 5, 1, literal(b":status", b"404") + literal(b"content-type", b"text/html"))),
    "no-status": lambda c: c.sendall(frame(HEADERS, 4, 1, GRPC_HEAD) + frame(DATA, 1, 1, message(b""))),
    "html": lambda c: c.sendall(frame(HEADERS, 4, 1, literal(b":status", b"200") + literal(b"content-type", b"text/html"))
                                + frame(DATA, 1, 1, b"<html>hello</html>")),
    "reset": lambda c: c.sendall(frame(RST_STREAM, 0, 1, struct.pack(">I", 2))),
    "cut": lambda c: (c.sendall(frame(HEADERS, 4, 1, GRPC_HEAD) + frame(DATA, 0, 1, message(b"x" * 100)[:50])), end_softly(c)),
    "goaway": lambda c: (c.sendall(frame(GOAWAY, 0, 0, struct.pack(">II", 0, 0))), end_softly(c)),
    "refuses-once": lambda c: HTTP2["no-message" if next(GREETED) else "goaway"](c),
    "resets-once": lambda c: HTTP2["no-message" if next(GREETED) else "refuses"](c),
    "refuses": lambda c: c.sendall(frame(RST_STREAM, 0, 1, struct.pack(">I", 7))),
    "calms": lambda c: (c.sendall(frame(GOAWAY, 0, 0, struct.pack(">II", 1, 11))), end_softly(c)),
    "early": lambda c: c.sendall(frame(HEADERS, 5, 1, GRPC_HEAD + literal(b"grpc-status", b"8")) + frame(RST_STREAM, 0, 1, bytes(4))),
    "pieces": lambda c: c.sendall(frame(HEADERS, 1, 1) + b"".join(
        frame(CONTINUATION, 4 * (at == len(GRPC_HEAD + DONE) - 1), 1, (GRPC_HEAD + DONE)[at : at + 1]) for at in range(len(GRPC_HEAD + DONE)))),
    "upper-case": lambda c: c.sendall(frame(HEADERS, 5, 1, GRPC_HEAD + DONE + literal(b"X-Upper", b"1"))),
    "idle-stream": lambda c: c.sendall(frame(DATA, 1, 7, b"x")),
    "trickle": lambda c: (c.sendall(frame(HEADERS, 4, 1, GRPC_HEAD) + frame(DATA, 0, 1, message(b"x" * 10000)[:5])),
                          send_for_ever(c, frame(DATA, 0, 1, b"x"), 0.02)),
    "huge-claim": lambda c: (c.sendall(frame(HEADERS, 4, 1, GRPC_HEAD) + frame(DATA, 0, 1, b"\x00\xff\xff\xff\xff")),
                             send_for_ever(c, frame(DATA, 0, 1, b"x" * 16384))),
    "bomb": lambda c: (c.sendall(frame(HEADERS, 4, 1, GZIP_HEAD)), send_data(c, message(gzip.compress(bytes(16 << 20)), 1)),
                       c.sendall(frame(HEADERS, 5, 1, DONE))),
    "gzip": lambda c: c.sendall(frame(HEADERS, 4, 1, GZIP_HEAD) + frame(DATA, 0, 1, message(gzip.compress(b"\x0a\x04null"), 1))
                                + frame(HEADERS, 5, 1, DONE)),
    "bad-gzip": lambda c: c.sendall(frame(HEADERS, 4, 1, GZIP_HEAD) + frame(DATA, 0, 1, message(b"no gzip", 1))
                                    + frame(HEADERS, 5, 1, DONE)),
    "endless-headers": lambda c: (c.sendall(frame(HEADERS, 0, 1, GRPC_HEAD)),
                                  send_for_ever(c, frame(CONTINUATION, 0, 1, literal(b"x-more", b"y" * 100) * 100))),
    "endless-empty": lambda c: (c.sendall(frame(HEADERS, 0, 1, GRPC_HEAD)), send_for_ever(c, frame(CONTINUATION, 0, 1) * 1000)),
    "endless-pings": lambda c: send_for_ever(c, frame(PING, 0, 0, bytes(8)) * 1000),
    "endless-settings": lambda c: send_for_ever(c, frame(SETTINGS, 0, 0, struct.pack(">HI", 4, 65535) * 100) * 100),
    "endless-goaways": lambda c: send_for_ever(c, frame(GOAWAY, 0, 0, struct.pack(">II", 1, 11) + b"x" * 100) * 100),
    "endless-interim": lambda c: send_for_ever(c, frame(HEADERS, 4, 1, literal(b":status", b"103")) * 1000),
    "endless-frames": lambda c: send_for_ever(c, frame(250, 0, 1, b"x" * 100) * 1000),
    "endless-data": lambda c: (c.sendall(frame(HEADERS, 4, 1, GRPC_HEAD)), send_for_ever(c, frame(DATA, 0, 1) * 1000)),
    "endless-padding": lambda c: (c.sendall(frame(HEADERS, 4, 1, GRPC_HEAD)),
                                  send_for_ever(c, frame(DATA, 8, 1, b"\xff" + bytes(255)) * 1000)),
    "endless-trailers": lambda c: (c.sendall(frame(HEADERS, 4, 1, GRPC_HEAD) + frame(DATA, 0, 1, message(b"")) + frame(HEADERS, 1, 1, DONE)),
                                   send_for_ever(c, frame(CONTINUATION, 0, 1, literal(b"x-more", b"y" * 100) * 100))),
    "no-window": lambda c: c.sendall(frame(SETTINGS, 0, 0, struct.pack(">HI", 4, 0))),
    "header-bomb": lambda c: c.sendall(frame(HEADERS, 4, 1, GRPC_HEAD + b"\x40\x01x\x7f\xa1\x1e" + b"y" * 4000 + b"\xbe" * 12000)),
    "large-frames": lambda c: c.sendall(frame(SETTINGS, 0, 0, struct.pack(">HIHI", 4, 65535, 5, 1 << 20)) + frame(GOAWAY, 0, 0, bytes(8))),
    "last": lambda c: c.sendall(frame(HEADERS, 5, 1, GRPC_HEAD + DONE) + frame(GOAWAY, 0, 0, struct.pack(">II", 1, 0))),
    "two-messages": lambda c: c.sendall(frame(HEADERS, 4, 1, GRPC_HEAD) + frame(DATA, 0, 1, message(b"") * 2) + frame(HEADERS, 5, 1, DONE)),
    "percent": lambda c: c.sendall(frame(HEADERS, 5, 1, GRPC_HEAD + literal(b"grpc-status", b"5")
                                         + literal(b"grpc-message", b"100%25 of '%c3%A9' "))),
    "no-message": lambda c: c.sendall(frame(HEADERS, 5, 1, GRPC_HEAD + DONE)),
    "odd-code": lambda c: c.sendall(frame(HEADERS, 5, 1, GRPC_HEAD + literal(b"grpc-status", b"77"))),
}
PADDED = {"padded-message": (message(bytes(range(250)) * 240), 2), "padded-stream": (message(b"x") * 15000, 3)}  # 7 MB of padding


def serve_http2(connection, kind):
    try:
        connection.sendall(frame(SETTINGS, 0, 0))
        data = b""
        while b"grpc" not in data and len(data) < 1 << 20:  # the HEADERS of the first request hold it
            piece = connection.recv(65536)
            if not piece:
                return
            data += piece
            if frames_have_headers(data):
                break
        connection.sendall(frame(SETTINGS, 1, 0))
        if kind in PADDED:
            send_padded(connection, data, *PADDED[kind])
        else:
            HTTP2[kind](connection)
        while connection.recv(65536):
            pass
    except OSError:
        pass
    finally:
        connection.close()


def frames_have_headers(data):
    at = 24  # the preface
    while at + 9 <= len(data):
        length = int.from_bytes(data[at : at + 3], "big")
        if data[at + 3] == HEADERS:
            return True
        at += 9 + length
    return False


V2_SERVICE, V1_SERVICE = "/inference.GRPCInferenceService/", "/nvidia.inferenceserver.GRPCService/"


# V2 and v1 with one model, simple, which has many outputs: method -> function that returns the answer
MANY_OUTPUTS = {
    V2_SERVICE + "ServerLive": lambda: field(1, 1),
    V2_SERVICE + "ServerReady": lambda: field(1, 1),
    V2_SERVICE + "ModelReady": lambda: field(1, 1),
    V2_SERVICE + "ServerMetadata": lambda: field(1, b"x") + field(2, b"0") + field(3, b"model_streaming"),
    V2_SERVICE + "ModelMetadata": lambda: hostile.v2_metadata(MANY),
    V2_SERVICE + "ModelInfer": lambda: hostile.v2_inference(MANY),
    V1_SERVICE + "Health": lambda: field(1, field(1, 1)) + field(2, 1),
    V1_SERVICE + "Status": lambda: hostile.v1_status(MANY),
    V1_SERVICE + "Infer": lambda: hostile.v1_inference(MANY),
}

# --- gRPC by grpcio ---------------------------------------------------------------------------------------------------


def start_grpc(kind):
    import grpc
    from concurrent import futures

    limited, counted, codes = set(), [], grpc.StatusCode
    refusals = {"internal": (codes.INTERNAL, "no"), "unavailable": (codes.UNAVAILABLE, "said by the server"), "exhausted": (codes.RESOURCE_EXHAUSTED, "no"),
                "deadline": (codes.DEADLINE_EXCEEDED, "Deadline Exceeded")}

    def handle(method, request, context):
        if kind == "hang":
            hang()
        if kind in refusals:
            context.abort(*refusals[kind])
        if kind == "limits":
            context.set_trailing_metadata([("grpc-retry-pushback-ms", "3600000")])
            context.abort(codes.RESOURCE_EXHAUSTED, "no")
        if kind == "tiny-limits":  # each call is answered when it is made again
            if (method, request) not in limited:
                limited.add((method, request))
                context.set_trailing_metadata([("grpc-retry-pushback-ms", "1")])
                context.abort(codes.RESOURCE_EXHAUSTED, "no")
            limited.remove((method, request))
        if kind == "tiny-final" and method.endswith("/ServerLive"):
            context.set_trailing_metadata([("grpc-retry-pushback-ms", "-1")])
            context.abort(codes.RESOURCE_EXHAUSTED, "no")
        if kind == "peer":
            context.abort(codes.ABORTED, context.peer())
        if kind == "time":
            context.abort(codes.ABORTED, "has a deadline" if (context.time_remaining() or 1e9) < 60 else "has none")
        if kind == "many-outputs":
            if method not in MANY_OUTPUTS:
                context.abort(codes.UNIMPLEMENTED, "no")
            if "/Model" in method and not request.startswith(field(1, b"simple")):
                context.abort(codes.NOT_FOUND, "no")
            return MANY_OUTPUTS[method]()
        if kind in ("tiny", "tiny-limits", "tiny-final"):
            if method.endswith("/ServerMetadata"):
                return b"\x0a\x04tiny"
            if method.endswith("/ModelMetadata") and request == b"\x0a\x08theirs/1":
                return b"\x0a\x08theirs/1\x12\x011\x22\x0e\x0a\x01A\x12\x05INT32\x1a\x02\x01\x02"
            context.abort(codes.NOT_FOUND, "no")
        if kind in ("echo", "tls"):
            sent = [(k, v) for k, v in context.invocation_metadata() if k.startswith("x-")]
            context.set_trailing_metadata(sent)
            return request
        if kind == "large":
            return bytes(2 << 20)
        return b""

    def stream(method, requests, context):
        if method == "Echo":  # a message for each message
            yield from requests
        elif method == "Twice":  # says how many came, when all have come
            yield from [b"%d" % sum(1 for _ in requests)] * 2
        elif method == "Endless":
            while True:
                yield b""
        elif method == "Huge":
            while True:
                yield bytes(100000)
        elif method == "Hang":  # one message, and no end
            yield b"1"
            hang()
        elif method == "Deaf":  # reads nothing
            hang()
        elif method == "Breaks":  # two messages, and an error
            yield b"1"
            yield b"2"
            context.abort(codes.ABORTED, "broken")
        elif method == "Counted":
            while True:
                counted.append(method)
                yield bytes(100000)
        elif method == "Count":  # how many messages Counted has begun to send so far
            yield b"%d" % len(counted)
        elif method == "Packed":
            context.set_compression(grpc.Compression.Gzip)
            yield b"1" * 1000

    class Handlers(grpc.GenericRpcHandler):
        def service(self, details):
            if kind == "streams":
                name = details.method.rpartition("/")[2]
                return grpc.stream_stream_rpc_method_handler(lambda requests, context: stream(name, requests, context))
            if kind == "unimplemented":
                return None
            return grpc.unary_unary_rpc_method_handler(lambda request, context: handle(details.method, request, context))

    options = [("grpc.so_reuseport", 0)]
    if kind in ("echo", "tls"):
        options.append(("grpc.max_receive_message_length", -1))
    server = grpc.server(futures.ThreadPoolExecutor(16), handlers=[Handlers()], options=options)
    if kind == "tls":
        with open(os.environ["NULL_SERVER_PEM"], "rb") as file:
            pem = file.read()
        port = server.add_secure_port("127.0.0.1:0", grpc.ssl_server_credentials([(pem, pem)]))
    else:
        port = server.add_insecure_port("127.0.0.1:0")
    server.start()
    return server, f"127.0.0.1:{port}"


def start_sockets(serve, kind):
    """Returns the server and its address."""
    if kind == "dead":  # the port is bound, so that no other program gets it, but nothing listens
        bound = socket.socket()
        bound.bind(("127.0.0.1", 0))
        return bound, "127.0.0.1:%d" % bound.getsockname()[1]
    listener = Listener(lambda connection: serve(connection, kind))
    return listener, listener.address


def main():
    http_kind, grpc_kind = sys.argv[1:3]
    http = start_sockets(serve_http, http_kind)
    if grpc_kind in ("dead", "close"):
        rpc = start_sockets(lambda connection, kind: connection.close(), grpc_kind)
    elif grpc_kind == "http1":
        rpc = start_sockets(lambda connection, kind: serve_http(connection, "ok"), grpc_kind)
    elif grpc_kind == "silent":
        rpc = start_sockets(lambda connection, kind: hang(), grpc_kind)
    elif grpc_kind in HTTP2 | PADDED and grpc_kind != "hang":
        rpc = start_sockets(serve_http2, grpc_kind)
    else:
        rpc = start_grpc(grpc_kind)
    print(f"listening http={http[1]} grpc={rpc[1]}", flush=True)
    parent = os.getppid()
    while os.getppid() == parent:
        time.sleep(0.5)
    os._exit(0)


if __name__ == "__main__":
    main()
