#!/usr/bin/python3
"""Judges servers that are wrong in one layer each: the word for the documents, that for the transport, and exit codes. Argument: BUILD."""
from concurrent import futures

import grpc

from judge_process import Run, build, checks, reference_server

MODELS = ("--models", f"{build}/models/kit")
ANSWERS, REFUSALS, TRANSPORT = "rest-id-lost", "rest-error-body-is-detail", "http2-bad-values-are-taken"


def server_with(*deviations):
    return reference_server(*MODELS, *(("--deviate", ",".join(deviations)) if deviations else ()))


class Overloaded(grpc.GenericRpcHandler):
    """Knows ServerLive alone, and has no room for its calls."""
    def service(self, handler_call_details):
        if not handler_call_details.method.endswith("/ServerLive"):
            return None
        return grpc.unary_unary_rpc_method_handler(lambda _, context: context.abort(grpc.StatusCode.RESOURCE_EXHAUSTED, "come again"))


def judge(server, *flags):
    return Run("--target", server.http, "--grpc", server.grpc, *flags)


def says(what, run, code, conclusion, findings, *texts):
    """Checks the exit code, the word, how many findings each layer has, and what else is said."""
    checks.code(code, what, run, *texts)
    checks.that(run.report["conclusion"] == conclusion, f"{what}: {run.report['conclusion']}", run)
    layers = [one["layer"] for one in run.report["findings"] if "requirement" in one]
    told = tuple(layers.count(layer) for layer in ("answers", "refusals", "transport"))
    checks.that(told == findings, f"{what}: findings of answers, refusals and transport: {told}", run)
    checks.that(f"\n{conclusion}" in run.output and "\nNext: " in run.output, f"{what}: the end of the console", run)


with server_with() as server:
    run = judge(server)
    says("a right server", run, 0, "conformant", (0, 0, 0), "transport: no finding in ")
    checks.that({one["conclusion"] for one in run.report["profiles"].values()} <= {"conformant", "certified", "not judged"}, "so is each profile", run)
    says("a right server whose transport counts", judge(server, "--transport", "must"), 0, "conformant", (0, 0, 0))

with server_with(TRANSPORT) as server:
    run = judge(server)
    says("a server whose library is wrong", run, 0, "conformant", (0, 0, 1), "transport: 1 finding in http2; ")
    checks.that(not run.says("FAIL "), "a line tells of the transport, and no block", run)
    suite = next(one for one in run.junit if one.get("name") == "transport")
    checks.that(suite.get("failures") == "0" and run.junit.get("failures") == "0", "in JUnit it is a suite of its own without failures", run)
    messages = [one.get("message") for one in suite.iter("skipped") if one.get("message").startswith("transport: http2.field-value (must): ")]
    checks.that(messages, "what fails there is skipped with its message", run)
    run = judge(server, "--transport", "must")
    says("the same, where the transport counts", run, 1, "conformant", (0, 0, 1), "FAIL http2.field-value (must, transport",
         "exit code 1: a MUST of the transport failed, but none of the documents")
    checks.that(run.junit.get("failures") != "0", "it is a failure then", run)
    checks.code(1, "who asks for a text wants it judged", judge(server, "--filter", "http2.*"))
    checks.code(1, "who asks for cases of a text alone, too", judge(server, "--filter", "v2-grpc/http2/*"))
    checks.code(0, "who asks for others does not", judge(server, "--filter", "v2-grpc/health/*"))

with server_with(REFUSALS, TRANSPORT) as server:
    run = judge(server)
    says("a server that is lax", run, 1, "interoperable", (0, 1, 1))
    checks.that(run.report["profiles"]["v2-rest"]["conclusion"] == "interoperable", "the profile is, too", run)
    checks.that(run.report["profiles"]["v2-grpc"]["conclusion"] in ("conformant", "certified"), "the other profile is better", run)
    says("a server that is lax, if that is enough", judge(server, "--accept", "interoperable"), 0, "interoperable", (0, 1, 1),
         "exit code 0: no MUST about answers failed, and --accept interoperable accepts", "Next: v2-rest.")
    says("a server that is lax, with a part of the suite", judge(server, "--filter", "v2-rest.*"), 1, "not conformant", (0, 1, 0))
    checks.code(1, "lax where the transport counts", judge(server, "--accept", "interoperable", "--transport", "must"))

with server_with(ANSWERS, REFUSALS) as server:
    run = judge(server)
    says("a server that answers wrongly", run, 1, "not interoperable", (1, 1, 0))
    checks.that(run.report["findings"][0]["requirement"] == "v2-rest.id-echoed", "answers come first", run)
    says("which is never enough", judge(server, "--accept", "interoperable"), 1, "not interoperable", (1, 1, 0))
    lines = judge(server, "--profile", "v2-rest", "--profile", "v2-grpc").output.count("\n")
    checks.that(lines < 60, f"two findings and all that stands around them have {lines} lines")

# A model that is not there is one cause, and so one finding, over both transports.
with server_with() as server:
    says("a name that is mistyped", judge(server, "--model", "smiple", "--filter", "v2-*/probe/*@smiple*"), 1, "not interoperable", (1, 0, 0),
         "because the target lists no model 'smiple', but ", "(GET /v2/models gave 200)")

def failed_by(run):
    return {key for one in run.report["findings"] if "requirement" in one for key in (one["requirement"], *one.get("also", []))}


# What is not an answer of gRPC says nothing about the name of the service, nor does one that has no room for a call.
with server_with("grpc-text-answers-have-http-status", "grpc-text-no-status") as server:
    run = judge(server, "--profile", "v2-grpc")
    failed = failed_by(run)
    checks.that({"v2-grpc.server-live", "grpc.http-status", "grpc.status-sent"} <= failed, f"HTTP status 500 without grpc-status breaks {failed}", run)
    checks.that("v2-grpc.service-name" not in failed, "a method that answers so is not taken for one of another service", run)
overloaded = grpc.server(futures.ThreadPoolExecutor(4), handlers=[Overloaded()])
port = overloaded.add_insecure_port("127.0.0.1:0")
overloaded.start()
run = Run("--grpc", f"127.0.0.1:{port}", "--profile", "v2-grpc")
checks.that("v2-grpc.server-live" in failed_by(run), "a server without room does not say that it is live", run)
checks.that("v2-grpc.service-name" not in failed_by(run), "but its service has the right name", run)
overloaded.stop(0)

with server_with() as server:
    checks.code(1, "conformant is not certified", judge(server, "--accept", "certified"))
    for flags in (("--accept", "good"), ("--transport", "may"), ("--certified", "--accept", "interoperable")):
        checks.code(2, f"{flags} is a fault of usage", judge(server, *flags))

checks.end()
