#!/usr/bin/python3
"""Judges servers that have an extension over one transport, for some models, or not at all. Argument: BUILD.

Each is the reference server behind a relay for REST and one for gRPC (conformance/tests/variants)."""
import re

import grpc

from judge_process import Run, build, checks, reference_server
import grpc_relay
import rest_relay
from grpc_relay import LIBRARY, Refusal
from rest_relay import Variant, refusal
from stream_variants import of, replaces

PATIENT = ("--timeout", "60")  # a relay on a busy machine may take long
EXTENSIONS = ("RepositoryIndex", "RepositoryModelLoad", "RepositoryModelUnload", "ModelConfig", "ModelStatistics", "ModelStreamInfer")
PATHS = r"/v2/repository/.*|/v2/models(/[^/]+(/versions/[^/]+)?/(stats|config|generate|generate_stream))?|/v2/models/stats"


def rest_without_binary(request):
    binary = request.header("Inference-Header-Content-Length") or b"binary_data" in request.body
    return refusal(400, "tensors are JSON") if binary else None


def rest_lists(extensions):
    """The server's metadata over REST lists these extensions; None: there is no such metadata."""
    def answer(request, answer):
        if request.path == "/v2" and answer.status == 200:
            if extensions is None:
                answer.set_status(404)
                answer.json = {"error": "there is no such path"}
            elif answer.json:
                answer.json = {**answer.json, "extensions": extensions}
    return answer


def rest_without(paths):
    return lambda request: refusal(404, "there is no such path") if re.fullmatch(paths, request.path) else None


def grpc_lists(extensions):
    return of("ServerMetadata", lambda call, message: replaces(message.extensions, extensions))


def grpc_without(*rpcs):
    def hears(call, message):
        if call.rpc in rpcs:
            raise Refusal(grpc.StatusCode.UNIMPLEMENTED, "unknown method " + call.rpc)
    return hears


def streams_for(models):
    def hears(call, message):
        if call.rpc == "ModelStreamInfer" and message is not None and message.model_name not in models:
            raise Refusal(grpc.StatusCode.FAILED_PRECONDITION, "this model does not stream")
    return hears


def classes_of(models):
    def hears(call, message):
        if call.rpc == "ModelInfer" and message is not None and message.model_name not in models \
                and any("classification" in output.parameters for output in message.outputs):
            raise Refusal(grpc.StatusCode.INVALID_ARGUMENT, "this model has no labels")
    return hears


def binary_not_for(model):
    def request(request):
        binary = request.header("Inference-Header-Content-Length") or b"binary_data" in request.body
        return refusal(400, "this model takes JSON alone") if binary and (request.model() or [""])[0] == model else None
    return request


class Judged:
    """A run against the server behind both relays, each with what changes it (`rest`, `grpc`: of their variants)."""

    def __init__(self, server, rest, grpc, *flags):
        http_relay = rest_relay.Relay(Variant("", "", **rest), server.http)
        calls_relay = grpc_relay.Relay(grpc_relay.Variant("", "", **grpc), server.grpc)
        with http_relay, calls_relay:
            self.run = Run("--target", http_relay.address, "--grpc", calls_relay.address, *PATIENT, *LIBRARY, *flags)
        for relay in (http_relay, calls_relay):
            checks.that(not relay.faults, "".join(relay.faults[:1]))
        self.keys = [one["requirement"] for one in self.run.report["findings"] if one["level"] == "must"]
        self.judged = {key.split(".")[0] for key in (r["key"] for r in self.run.report["results"] if r["verdict"] in ("pass", "fail"))}

    def check(self, what, code, keys, judged=(), unasked=()):
        checks.code(code, what, self.run)
        why = {r["id"]: r.get("why") for r in self.run.report["results"] if r["verdict"] == "fail"}
        checks.that(self.keys == list(keys), f"{what}: what fails is {self.keys}, such as {list(why.items())[:4]}", self.run)
        for profile in judged:
            checks.that(profile in self.judged, f"{what}: nothing of {profile} is judged", self.run)
        for profile in unasked:
            checks.that(profile not in self.judged, f"{what}: {profile} is judged", self.run)


REST = ("binary-tensors", "classification-rest", "repository-rest", "sequence-rest", "model-configuration-rest", "statistics-rest", "generate-rest", "v2-kserve")
GRPC = ("classification-grpc", "repository-grpc", "sequence-grpc", "model-configuration-grpc", "statistics-grpc", "streaming-grpc")
DECOUPLED, LABELLED = ("repeat_int32", "tokens"), ("classes", "classifier")
REST_HAS_NONE = {"request": rest_without(PATHS), "answer": rest_lists([])}
GRPC_HAS_NONE = {"hears": grpc_without(*EXTENSIONS), "says": grpc_lists([])}
UNSERVED = [  # the profile, what refuses it over REST and over gRPC, and the finding
    ("statistics-rest", {"request": rest_without("/v2/models(/.*)?/stats")}, {}, "statistics-rest.statistics"),
    ("model-configuration-grpc", {}, {"hears": grpc_without("ModelConfig")}, "model-configuration-grpc.config"),
    ("streaming-grpc", {}, {"hears": grpc_without("ModelStreamInfer")}, "streaming-grpc.served"),
    ("binary-tensors", {"request": rest_without_binary}, {}, "binary-tensors.served"),
]

with reference_server("--models", f"{build}/models/kit", "--models", f"{build}/models/builtin", "--models", f"{build}/models/batching") as server:
    run = Judged(server, {}, GRPC_HAS_NONE)
    run.check("extensions over REST only", 0, (), REST, GRPC)
    run = Judged(server, REST_HAS_NONE, {})
    run.check("extensions over gRPC only", 0, (), GRPC, REST)
    run = Judged(server, {"answer": rest_lists(None)}, {"says": grpc_lists(["statistics"])}, "--filter", "statistics-*")
    run.check("extensions that only gRPC can tell of", 0, (), ("statistics-rest", "statistics-grpc"))
    checks.that(run.run.says("over REST the target does not say which extensions it has"), "the notes say so", run.run)
    run = Judged(server, REST_HAS_NONE, GRPC_HAS_NONE, "--claim", "rest:statistics", "--filter", "statistics-*")
    checks.that(run.run.code == 1 and run.judged == {"statistics-rest"}, "the user claims for REST alone", run.run)
    run = Judged(server, {}, {"hears": streams_for(DECOUPLED)})
    run.check("streams for decoupled models only", 0, (), ("streaming-grpc",))
    checks.that(run.run.says("does not take the extension 'streaming', as other models do"), "the notes name a model", run.run)
    run = Judged(server, {"request": binary_not_for("identity_fp16")}, {"hears": classes_of(LABELLED)},
                 "--filter", "v2/*", "--filter", "binary-tensors/*", "--filter", "classification/*")
    run.check("binary tensors and classes for some models", 0, (), ("binary-tensors", "classification-grpc", "classification-rest"))
    excused = {r["id"].split("#")[0].split("@")[-1] for r in run.run.report["results"] if "does not take the extension" in r.get("why", "")}
    checks.that(excused == {"rest-binary", "classification-binary", "classification-raw"}, f"excused: {excused}", run.run)
    for profile, rest, grpc_side, finding in UNSERVED:
        run = Judged(server, rest, grpc_side, "--profile", f"{profile},classification-rest,schedule-rest")
        what = f"{profile}, of which nothing is served"
        run.check(what, 1, (finding,))
        checks.that(run.run.says(f"but serves nothing of {profile}: "), f"{what}: the end says so", run.run)
    run = Judged(server, {"request": rest_without_binary, "answer": rest_lists(["classification", "schedule_policy"])}, GRPC_HAS_NONE,
                 "--filter", "classification/*", "--filter", "schedule/*")
    run.check("classes and priorities in JSON alone", 0, (), ("classification-rest", "schedule-rest"))
    for claim in ("streamin", "grpc:generate", "soap:streaming"):
        run = Run("--target", server.http, *PATIENT, "--claim", claim)
        checks.that(run.code == 2 and run.says("--claim: "), f"--claim {claim} is a fault of usage", run)

with reference_server("--models", f"{build}/models/kit", "--model-control", "none") as server:
    run = Judged(server, {"answer": rest_lists(["model_repository"])}, {"says": grpc_lists(["model_repository"])}, "--allow-mutation",
                 "--filter", "repository-*")
    run.check("a model repository that is fixed", 0, (), ("repository-rest", "repository-grpc"))
    checks.that(run.run.says("loading is switched off: POST /v2/repository/models/"), "REST's reason", run.run)
    checks.that(run.run.says("loading is switched off: RepositoryModelLoad "), "gRPC's reason", run.run)

checks.end()
