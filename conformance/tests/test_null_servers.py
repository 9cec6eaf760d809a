#!/usr/bin/python3
"""Servers that do not implement the protocol pass no assertion. Argument: BUILD.

With each of them the run ends after few answers that were waited for in vain, with the right exit code
(conformance/support/exit_code.h; SPEC_NOTES.md, note 1) and a full report. No assertion passes, except those of may rows, which pass with either outcome,
and those about the frames of an answer of gRPC, which the library of a null server makes as it makes those of others.

A server that ends the connection within its second answer is judged, too, at whatever byte it does (`make test` draws some): an answer that breaks off is none, and
only an end after the first one is a way to end a connection."""

from judge_process import Run, checks, drawn, null_server
from null_servers import SECOND

TIMEOUT = 2
VAIN = 12  # answers that a run waits for in vain at most: where a control got none, what stands on it is not asked
PASSES, FAILS, UNRESPONSIVE = 0, 1, 3

HTTP = {"ok": FAILS, "500": FAILS, "empty": FAILS, "hang": UNRESPONSIVE, "close": UNRESPONSIVE, "dead": UNRESPONSIVE,
        "short-body": FAILS, "trickle": FAILS}
GRPC = {"empty": FAILS, "internal": FAILS, "unimplemented": FAILS, "hang": UNRESPONSIVE, "close": UNRESPONSIVE,
        "dead": UNRESPONSIVE}

FRAMES = "v2-grpc/framing/answers"


def judge(name, code, *flags):
    run = Run(*flags, "--timeout", str(TIMEOUT))
    checks.code(code, name, run)
    results = run.report["results"] if run.report else [{"id": "no report", "verdict": "pass", "level": "must"}]
    passed = [result["id"] for result in results
              if result["verdict"] in ("pass", "pass-weak") and (result["level"] != "may" or result["observed"] != "no")
              and not result["id"].startswith(FRAMES)]
    vain = sum(result["verdict"] == "timeout" for result in results)
    checks.that(vain <= VAIN, f"{name}: {vain} answers were waited for in vain", run)
    checks.that(not passed, f"{name}: passes {', '.join(passed[:5])}", run)


for kind, code in HTTP.items():
    with null_server(kind, "dead") as server:
        judge(f"HTTP {kind}", code, "--target", server.http)
for kind, code in HTTP.items():
    with null_server(kind, "dead") as server:
        judge(f"GraphPipe {kind}", code, "--graphpipe", server.http)
for kind, code in GRPC.items():
    with null_server("dead", kind) as server:
        judge(f"gRPC {kind}", code, "--grpc", server.grpc)
for kinds, code in ((("hang", "hang"), UNRESPONSIVE), (("500", "internal"), FAILS), (("500", "hang"), UNRESPONSIVE)):
    with null_server(*kinds) as server:
        judge(f"both {kinds}", code, "--target", server.http, "--grpc", server.grpc)
for size in drawn(range(len(SECOND)), 0.25):
    with null_server(f"cut-{size}", "dead") as server:
        run = Run("--target", server.http, "--filter", "v2-rest/framing/many-inferences", "--timeout", str(TIMEOUT))
    checks.code(FAILS if size else PASSES, f"{size} bytes of the second answer", run)
    verdicts = {result["key"]: result["verdict"] for result in run.report["results"]} if run.report else {}
    checks.that(verdicts == {"http.order": "fail" if size else "pass", "http.in-step": "pass"}, f"{size} bytes are judged: {verdicts}", run)
checks.end()
