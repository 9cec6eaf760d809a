"""Servers that lack what only weaker rows of the ledger ask for: no sentence of a document demands it, so no MUST may fail. They are the
reference server behind the relays of rest_relay.py and stream_relay.py.

The rows of VARIANTS are as in http_variants.py, those of STREAMS as in stream_variants.py."""
import re

from http_choices import MUTATION, REPOSITORY, V1, edits_index
from rest_relay import refusal
from rest_variants import Variant
from stream_relay import StreamVariant
from stream_variants import each, of

OTHER_WORDS = {"READY": "AVAILABLE", "UNAVAILABLE": "STOPPED", "UNLOADING": "STOPPING", "LOADING": "STARTING"}
BY_PARAMETERS = ["config-shown", "load-config", "load-config-valid", "load-files", "load-file-valid", "load-file-inside"]

OF_HEADERS = ["id-echoed", "model-name-given", "model-version-is-asked", "version-named"]


def keys(prefix, *slugs):
    return [f"{prefix}.{slug}" for slug in slugs]


# --- The repository --------------------------------------------------------------------------------------------------------


@edits_index
def says_other_states(index):
    return [{**entry, "state": OTHER_WORDS.get(entry.get("state"), "")} for entry in index]


def says_other_states_over_grpc(call, message):
    for entry in message.models:
        entry.state = OTHER_WORDS.get(entry.state, "")


@edits_index
def lists_nothing(index):
    return []


def parameters_of(request):
    body = request.json if request.path.endswith(("/load", "/unload")) else None
    return body.get("parameters") if isinstance(body, dict) else None


def ignores_parameters(request):
    if isinstance(parameters_of(request), dict) and parameters_of(request):
        request.json = {}


def refuses_parameters(request):
    return refusal(400, "no parameters are known here") if parameters_of(request) else None


def ignores_parameters_over_grpc(call, message):
    if call.rpc in ("RepositoryModelLoad", "RepositoryModelUnload") and message is not None:
        message.ClearField("parameters")


# --- TensorRT Inference Server v1 ------------------------------------------------------------------------------------------


def without_blocks(text, name):
    """The text form of a message without its fields `name { ... }`."""
    while (start := text.find(name + " {")) >= 0:
        end, depth = start + len(name) + 2, 1
        while depth:
            depth += {"{": 1, "}": -1}.get(text[end], 0)
            end += 1
        text = text[:start].rstrip() + text[end:]
    return text


def describes_outputs_alone(request, answer):
    """NV-InferResponse, and the message behind the tensors, have what describes the outputs alone."""
    header = answer.header("NV-InferResponse")
    if answer.status != 200 or not header or "binary" in request.target:
        return
    size = sum(int(size) for size in re.findall(r"batch_byte_size: (\d+)", header))
    bare = re.compile(r'(model_name: "[^"]*"|model_version: \d+|\bid: \d+)\s*')
    answer.set_header("NV-InferResponse", bare.sub("", header))
    answer.set_body(answer.body[:size] + bare.sub("", answer.body[size:].decode()).encode())


def shows_no_config(request, answer):
    if "/api/status" in request.target and answer.status == 200 and "binary" not in request.target:
        answer.set_body(without_blocks(answer.body.decode(), "config").encode())


def describes_outputs_alone_over_grpc(call, message):
    if call.rpc in ("Infer", "StreamInfer"):
        for field in ("model_name", "model_version", "id"):
            message.meta_data.ClearField(field)


def shows_no_config_over_grpc(call, message):
    for status in message.server_status.model_status.values():
        status.ClearField("config")


def is_healthy_without_words(call, message):
    message.ClearField("request_status")


VARIANTS = [
    (REPOSITORY, Variant("index-other-states", "001 names no states", answer=says_other_states, judged=50, flags=MUTATION,
                         breaks=keys("repository-rest", "index-state", "index-unloading"))),
    (REPOSITORY, Variant("index-of-nothing", "no text says that a server which serves models has them in a repository", answer=lists_nothing,
                         judged=20, flags=MUTATION, breaks=keys("repository-rest", "index-models", "index-versions"))),
    (REPOSITORY, Variant("load-ignores-parameters", "003 gives an order no parameters", request=ignores_parameters, judged=50, flags=MUTATION,
                         breaks=keys("repository-rest", "unload-dependents-boolean", *BY_PARAMETERS))),
    (REPOSITORY, Variant("load-refuses-parameters", "003 gives an order no parameters", request=refuses_parameters, judged=50, flags=MUTATION,
                         breaks=keys("repository-rest", "unload-dependents", "config-shown", "load-config", "load-files"))),
    (V1, Variant("v1-outputs-alone", "002: InferResponseHeader describes the outputs", answer=describes_outputs_alone, judged=1000,
                 breaks=keys(V1, "request-header-syntax", "version-digits", *OF_HEADERS))),
    (V1, Variant("v1-no-config", "002 does not say what ServerStatus has", answer=shows_no_config, judged=100, flags=["--filter", "trtis-v1-http/*"],
                 breaks=keys(V1, "status-config"))),
]

STREAMS = [
    ("v2-grpc,repository-grpc", StreamVariant(
        "index-grpc-other-states", "001 names no states", says=of("RepositoryIndex", says_other_states_over_grpc), judged=50,
        flags=["--allow-mutation", "--filter", "repository-grpc/*"], breaks=keys("repository-grpc", "index-state", "index-unloading"))),
    ("v2-grpc,repository-grpc", StreamVariant(
        "load-grpc-ignores-parameters", "001 names no parameter of an order", hears=ignores_parameters_over_grpc, judged=50,
        flags=["--allow-mutation", "--filter", "repository-grpc/*"],
        breaks=keys("repository-grpc", "unload-dependents-boolean", *BY_PARAMETERS))),
    ("trtis-v1-grpc", StreamVariant("v1-grpc-outputs-alone", "002: InferResponseHeader gives response meta-data", judged=600,
                                    says=each(describes_outputs_alone_over_grpc),
                                    breaks=keys("trtis-v1-grpc", "error-id", "stream-error-inside", "stream-versions", *OF_HEADERS))),
    ("trtis-v1-grpc", StreamVariant("v1-grpc-no-config", "002 does not say what ServerStatus has", judged=100,
                                    says=of("Status", shows_no_config_over_grpc), flags=["--filter", "trtis-v1-grpc/*"],
                                    breaks=["trtis-v1-grpc.status-config"])),
    ("trtis-v1-grpc", StreamVariant("v1-grpc-health-alone", "002 does not say what HealthResponse has", judged=600,
                                    says=of("Health", is_healthy_without_words),
                                    breaks=keys("trtis-v1-grpc", "health-status", "health-mode", "health-ready-stays", "request-id"))),
]
