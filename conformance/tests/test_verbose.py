#!/usr/bin/python3
"""The transcript that --verbose prints. Argument: BUILD. Each exchange is in it once, as it was sent and as it came, over every
transport; no value of --header is; and whatever a server sends, it is printable."""
import unicodedata

import http_handler
from judge_process import Run, build, checks, reference_server

SECRET = "a-very-secret-word"
CASES = ["v2/infer/sum-and-difference", "v2-rest/framing/error-keeps-the-connection", "health-grpc/watch", "v2-grpc/health/ready",
         "v2-grpc/http2/blocks", "v2-grpc/framing/answers"]


def transcripts(run):
    """Returns {ID: [transcript]}, a transcript being the lines from its ID to the next empty line."""
    found = {}
    for part in run.output.split("\n\n"):
        first, *lines = part.strip("\n").split("\n")
        if first.endswith(" s)") and lines and lines[0][:1] in "<>":
            found.setdefault(first.rsplit(" (", 1)[0], []).append([line for line in lines if line[:2] in ("> ", "< ", "<")])
    return found


def shows(lists, *wanted):
    """Whether one of the transcripts has these lines, or lines that begin so."""
    return any(all(any(line.startswith(part) for line in lines) for part in wanted) for lines in lists or [])


with reference_server("--models", f"{build}/models/kit") as server:
    flags = ["--target", server.http, "--grpc", server.grpc, "--header", f"x-secret: {SECRET}", *(f"--filter={case}*" for case in CASES)]
    run, quiet = Run(*flags, "--verbose"), Run(*flags)
checks.code(0, "verbose", run)
seen = transcripts(run)
checks.that(SECRET not in run.output, "the transcript has the value of --header")
checks.that(not transcripts(quiet), "there is a transcript without --verbose")
told = sum(len(lists) for lists in seen.values())
checks.that(told >= run.report["exchanges"] > 20, f"{told} transcripts, {run.report['exchanges']} exchanges")
checks.that(shows(seen.get("v2/infer/sum-and-difference@rest-flat"), "> POST /v2/models/simple/infer HTTP/1.1", "> Content-Type: application/json",
                  '> {"id":"42"', "< HTTP 200", "< Content-Type: application/json", '< {"id":"42"'), "no transcript of REST", run)
checks.that(shows(seen.get("v2/infer/sum-and-difference@grpc-raw"), "> /inference.GRPCInferenceService/ModelInfer", '> {"model_name":"simple"',
                  '< {"model_name":"simple"', "< OK"), "no transcript of gRPC", run)
checks.that(shows(seen.get("v2-rest/framing/error-keeps-the-connection@tcp"), "> POST /v2/models/identity_int32/infer HTTP/1.1\\x0d\\x0aHost: ",
                  "< HTTP 400"), "no transcript of bytes", run)
checks.that(shows(seen.get("health-grpc/watch@grpc"), "> /grpc.health.v1.Health/Watch", "> {", '< {"status":1}', "< the stream goes on"),
            "no transcript of a stream", run)
checks.that(shows(seen.get("v2-grpc/http2/blocks@grpc"), "> the preface of HTTP/2", "> SETTINGS flags 00 stream 0, 0 bytes", "> HEADERS flags 04 stream 1, ",
                  "< SETTINGS flags 01 stream 0, 0 bytes", "< DATA flags 00 stream 1, "), "no transcript of frames of HTTP/2", run)
checks.that(shows(seen.get("v2-grpc/framing/answers@grpc"), "> /inference.GRPCInferenceService/ServerLive", "> 5 bytes: 00000000 00", "< HTTP 200",
                  "< content-type: application/grpc", '< {"live":true}', "< grpc-status: 0"), "no transcript of frames of gRPC", run)


class Hostile(http_handler.Handler):
    """Answers with what a terminal might obey."""
    def answer(self):
        self.body()
        body = b'{"name": "\x1b[2J", "error": "\xc2\x9b31m\xe2\x80\xae\x07"}\r\n< HTTP 200\n'
        self.wfile.write(b"HTTP/1.1 500 \x1b[31m\r\nContent-Type: \x1b]0;x\x07\r\nContent-Length: %d\r\n\r\n%s" % (len(body), body))

    do_GET = do_POST = do_PUT = do_DELETE = do_HEAD = answer


server = http_handler.serve(Hostile)
run = Run("--target", server.http, "--filter=v2-rest/health/*", "--filter=v2-rest/metadata/*", "--verbose")
bad = {character for character in run.output if character not in "\n" and unicodedata.category(character) in ("Cc", "Cf", "Zl", "Zp")}
checks.that(not bad, f"characters that a terminal might obey: {bad}", run)
checks.that(shows([line for lists in transcripts(run).values() for line in lists], "< HTTP 500", '< {"name": "\\x1b[2J"'), "what came is not shown", run)


class Short(Hostile):
    """Ends the connection within its answer."""

    def answer(self):
        self.wfile.write(b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{\"name\": ")
        self.close_connection = True

    do_GET = do_POST = do_PUT = do_DELETE = do_HEAD = answer


server = http_handler.serve(Short)
run = Run("--target", server.http, "--filter=v2-rest/metadata/server", "--verbose")
checks.that(shows(transcripts(run).get("v2-rest/metadata/server@http"), "< HTTP 200", "< Content-Type: application/json", '< {"name": ', "< the connection was"),
            "an answer that breaks off is not shown", run)
checks.end()
