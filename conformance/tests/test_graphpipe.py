#!/usr/bin/python3
"""Answers over GraphPipe are judged as what they are. Argument: BUILD.

The reference server is played behind a relay that answers as the original servers do: without a length, in chunks, with errors of
status 200, with errors as text, or by closing the connection. 004 says nothing of the first three; the others break it."""
import collections
import http.client
import http.server
import sys
import threading
import urllib.parse

sys.path.insert(0, "conformance/tests")
import http_handler
from judge_process import Checks, Run, Server

FILTERS = [word for case in ("infer/*", "request/*", "metadata/*", "originals/*", "types/*", "watch/*")
           for word in ("--filter", f"graphpipe/{case}")]
build = sys.argv[1]
checks = Checks()


def in_full(relay, status, body):
    relay.head(status, f"Content-Length: {len(body)}")
    relay.wfile.write(body)


def until_closed(relay, status, body):
    relay.head(status, "Server: SimpleHTTP", version="HTTP/1.0")
    relay.wfile.write(body)
    relay.close_connection = True


def in_chunks(relay, status, body):
    relay.head(status, "Transfer-Encoding: chunked")
    for at in range(0, len(body), 7):
        piece = body[at : at + 7]
        relay.wfile.write(b"%x\r\n%s\r\n" % (len(piece), piece))
    relay.wfile.write(b"0\r\n\r\n")


def errors_of_status_200(relay, status, body):
    in_full(relay, 200, body)


def errors_as_text(relay, status, body):
    if status == 200:
        in_full(relay, status, body)
    else:
        in_full(relay, status, b"Invalid type: 0\n")


def errors_close(relay, status, body):
    if status == 200:
        in_full(relay, status, body)
    else:
        relay.close_connection = True


class Relay(http_handler.Handler):
    def head(self, status, header, version="HTTP/1.1"):
        self.wfile.write(f"{version} {status} x\r\nDate: {self.date_time_string()}\r\n{header}\r\n\r\n".encode())

    def do_POST(self):
        body = self.body()
        upstream = http.client.HTTPConnection(*self.server.upstream, timeout=60)
        upstream.request("POST", self.path, body)
        answer = upstream.getresponse()
        self.server.answer(self, answer.status, answer.read())
        upstream.close()


class Relays(http.server.ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 64

    def __init__(self, upstream, answer):
        super().__init__(("127.0.0.1", 0), Relay)
        self.upstream, self.answer = upstream, answer


def judged(answer, upstream):
    """Runs the judge. Returns its report, and how many assertions of each verdict each key has."""
    relays = Relays(upstream, answer)
    threading.Thread(target=relays.serve_forever, daemon=True).start()
    run = Run(build, "--graphpipe", f"http://127.0.0.1:{relays.server_port}", *FILTERS)
    relays.shutdown()
    relays.server_close()
    counts = collections.Counter((r["verdict"], r["key"]) for r in run.report["results"]) if run.report else {}
    return run, counts


def failing(counts, verdict):
    return {key for found, key in counts if found == verdict}


with Server(f"{build}/oip-reference-server", "--http", "127.0.0.1:0", "--grpc", "none", "--graphpipe", "127.0.0.1:0",
            "--default-model", "simple", "--models", f"{build}/models/kit", "--models", f"{build}/models/builtin") as server:
    server.wait_for("loaded ")
    address = urllib.parse.urlsplit(server.graphpipe)
    upstream = (address.hostname, address.port)
    for answer in (in_full, until_closed, in_chunks, errors_of_status_200):
        run, counts = judged(answer, upstream)
        checks.code(0, answer.__name__, run)
        bad = failing(counts, "fail") | failing(counts, "warn") | failing(counts, "blocked")
        checks.that(not bad, f"{answer.__name__}: {', '.join(sorted(bad))}", run)
        checks.that(sum(counts.values()) > 200, f"{answer.__name__}: only {sum(counts.values())} assertions", run)
    run, counts = judged(errors_as_text, upstream)
    checks.code(1, "errors as text", run)
    checks.that(failing(counts, "fail") == {"graphpipe.error-response"}, f"errors as text: {failing(counts, 'fail')} fail", run)
    run, counts = judged(errors_close, upstream)
    checks.code(1, "errors that close", run)
    checks.that({"graphpipe.data-count", "graphpipe.output-name-known"} <= failing(counts, "fail"),
                f"errors that close: {failing(counts, 'fail')} fail", run)
    checks.that("graphpipe.output-values" not in failing(counts, "fail"), "errors that close: what is right fails too", run)
checks.end()
