"""Servers that lack what only weaker rows of the ledger ask for: no sentence of a document demands it, so no MUST may fail. They are the
reference server behind the relays of rest_relay.py and stream_relay.py.

The rows of VARIANTS are as in http_variants.py, those of STREAMS as in stream_variants.py."""
from http_choices import MUTATION, REPOSITORY, edits_index
from rest_relay import refusal
from rest_variants import Variant
from stream_relay import StreamVariant
from stream_variants import of

OTHER_WORDS = {"READY": "AVAILABLE", "UNAVAILABLE": "STOPPED", "UNLOADING": "STOPPING", "LOADING": "STARTING"}
BY_PARAMETERS = ["config-shown", "load-config", "load-config-valid", "load-files", "load-file-valid", "load-file-inside"]


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


VARIANTS = [
    (REPOSITORY, Variant("index-other-states", "001 names no states", answer=says_other_states, judged=50, flags=MUTATION,
                         breaks=keys("repository-rest", "index-state", "index-unloading"))),
    (REPOSITORY, Variant("index-of-nothing", "no text says that a server which serves models has them in a repository", answer=lists_nothing,
                         judged=20, flags=MUTATION, breaks=keys("repository-rest", "index-models", "index-versions"))),
    (REPOSITORY, Variant("load-ignores-parameters", "003 gives an order no parameters", request=ignores_parameters, judged=50, flags=MUTATION,
                         breaks=keys("repository-rest", "unload-dependents-boolean", *BY_PARAMETERS))),
    (REPOSITORY, Variant("load-refuses-parameters", "003 gives an order no parameters", request=refuses_parameters, judged=50, flags=MUTATION,
                         breaks=keys("repository-rest", "unload-dependents", "config-shown", "load-config", "load-files"))),
]

STREAMS = [
    ("v2-grpc,repository-grpc", StreamVariant(
        "index-grpc-other-states", "001 names no states", says=of("RepositoryIndex", says_other_states_over_grpc), judged=50,
        flags=["--allow-mutation", "--filter", "repository-grpc/*"], breaks=keys("repository-grpc", "index-state", "index-unloading"))),
    ("v2-grpc,repository-grpc", StreamVariant(
        "load-grpc-ignores-parameters", "001 names no parameter of an order", hears=ignores_parameters_over_grpc, judged=50,
        flags=["--allow-mutation", "--filter", "repository-grpc/*"],
        breaks=keys("repository-grpc", "unload-dependents-boolean", *BY_PARAMETERS))),
]
