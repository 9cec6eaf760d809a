"""Servers whose answers are out of date, or do not agree with one another: what was unloaded goes on in one place, an index lists what is
not there. They are the reference server behind the relays of rest_relay.py and stream_relay.py.

The rows of WRONG are as in http_variants.py, those of STREAMS as in stream_wrong.py."""
import re

from http_choices import MUTATION, REPOSITORY, edits_index
from rest_relay import refusal
from rest_variants import Variant
from stream_relay import StreamVariant
from stream_variants import of

GRPC_REPOSITORY = "v2-grpc,repository-grpc"
GHOST = {"name": "ghost", "version": "1", "state": "READY"}


def versions_go_on(what):
    """Below /versions, what was unloaded is answered as if it were served."""
    unloaded = set()

    def change(request):
        order, named = re.fullmatch(r"/v2/repository/models/([^/]+)/(load|unload)", request.path), request.model()
        if order:
            (unloaded.add if order[2] == "unload" else unloaded.discard)(order[1])
        if not named or named[0] not in unloaded or named[1] is None or not request.path.endswith(what):
            return None
        answer = refusal(200, "")
        answer.json = {"model_name": request.model()[0], "outputs": []}
        return answer
    return change


def lists_as_before(request, answer):
    """With ready: true the index is the one that was asked for first."""
    body = request.json if request.path == "/v2/repository/index" else None
    if isinstance(body, dict) and body.get("ready") is True and answer.status == 200:
        answer.set_body(FIRST.setdefault("index", answer.body))


FIRST = {}


@edits_index
def lists_a_ghost(index):
    return [*index, GHOST]


@edits_index
def lists_both(index):
    return index + [{**entry, "state": "UNAVAILABLE"} for entry in index if entry.get("state") == "READY"]


def ghost_over_grpc(call, message):
    message.models.add(**GHOST)


def both_over_grpc(call, message):
    for entry in [entry for entry in message.models if entry.state == "READY"]:
        message.models.add(name=entry.name, version=entry.version, state="UNAVAILABLE")


def wrong(name, slug, why, **functions):
    return REPOSITORY, Variant(name, why, flags=MUTATION, **functions), f"repository-rest.{slug}"


def wrong_over_grpc(name, slug, why, rpc, edit):
    return GRPC_REPOSITORY, StreamVariant(name, why, says=of(rpc, edit), flags=["--allow-mutation"]), f"repository-grpc.{slug}"


WRONG = [
    wrong("index-has-a-ghost", "index-truthful", "the index says that a model is READY which does not exist", answer=lists_a_ghost),
    wrong("index-says-both", "index-truthful", "what is READY is UNAVAILABLE, too", answer=lists_both),
    wrong("index-ready-is-old", "index-ready", "with ready: true the index is out of date", answer=lists_as_before),
    wrong("versions-infer-on", "infer-truthful", "what was unloaded infers below /versions", request=versions_go_on("/infer")),
    wrong("versions-ready-on", "ready-truthful", "what was unloaded is ready below /versions", request=versions_go_on("/ready")),
]

STREAMS = [
    wrong_over_grpc("index-grpc-has-a-ghost", "index-truthful", "the index says that a model is READY which does not exist", "RepositoryIndex",
                    ghost_over_grpc),
    wrong_over_grpc("index-grpc-says-both", "index-truthful", "what is READY is UNAVAILABLE, too", "RepositoryIndex", both_over_grpc),
]
