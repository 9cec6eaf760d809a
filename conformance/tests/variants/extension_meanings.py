"""Servers of the repository and of sequences that differ from the reference server in what they say or take, right ones and wrong ones: each
row is played over REST and over gRPC.

The rows of VARIANTS and WRONG are as in http_variants.py, those of STREAM_VARIANTS and STREAM_WRONG as in stream_variants.py and
stream_wrong.py. Numbers in the sentences are the documents of SPEC_NOTES.md."""
from meaning import Edit, edits_inference, wrong
from over_grpc import over_grpc
from rest_relay import Variant, refusal

MUTATION = ["--allow-mutation", "--filter", "repository-*/*"]
OTHER_WORDS = {"READY": "AVAILABLE", "UNAVAILABLE": "STOPPED", "UNLOADING": "STOPPING", "LOADING": "STARTING"}
BY_PARAMETERS = ["config-shown", "load-config", "load-config-valid", "load-files", "load-file-valid", "load-file-inside"]

# --- The repository --------------------------------------------------------------------------------------------------------


def edits_index(edit):
    """An edit of an answer from an edit of the index, `edit(list of objects)`, which returns the index that is given instead."""
    def change(request, answer):
        index = answer.json if request.path.endswith("/index") and answer.status == 200 else None
        if isinstance(index, list):
            answer.json = edit(index)
    return change


def of_entries(edit):
    return edits_index(lambda index: [{**entry, **edit(entry)} for entry in index])


def parameters_of(request):
    body = request.json if request.path.endswith(("/load", "/unload")) else None
    return body.get("parameters") if isinstance(body, dict) else None


def ignores_parameters(request):
    if isinstance(parameters_of(request), dict) and parameters_of(request):
        request.json = {**request.json, "parameters": {}}


# --- Sequences -------------------------------------------------------------------------------------------------------------


def of_sequences(edit):
    """An edit of a request from an edit of the parameters of one that names a sequence by a number."""
    @edits_inference
    def change(request, body):
        parameters = body.get("parameters")
        if isinstance(parameters, dict) and type(parameters.get("sequence_id")) is int and parameters["sequence_id"] > 0:
            parameters.update(edit(parameters["sequence_id"]))
    return change


# --- The tables ------------------------------------------------------------------------------------------------------------

REPOSITORY = [
    Edit("index-other-states", "001 and 003 name no states", answer=of_entries(lambda entry: {"state": OTHER_WORDS.get(entry.get("state"), "")}),
         breaks=["index-state", "index-unloading"]),
    Edit("index-backwards", "001 and 003 give the entries of the index no order", answer=edits_index(lambda index: index[::-1])),
    Edit("index-of-nothing", "no text says that a server which serves models has them in a repository", answer=edits_index(lambda index: []),
         breaks=["index-models", "index-versions"], judged=(20, 10)),
    Edit("load-refuses-parameters", "001 and 003 name no parameter of an order",
         request=lambda request: refusal(400, "no parameters are known here") if parameters_of(request) else None,
         breaks=["unload-dependents", "config-shown", "load-config", "load-files"]),
    Edit("load-ignores-parameters", "001 and 003 name no parameter of an order", request=ignores_parameters,
         breaks=["unload-dependents-boolean", *BY_PARAMETERS]),
]
WRONG_REPOSITORY = [
    wrong("index-always-ready", "index-truthful", "every model in the index is READY", answer=of_entries(lambda entry: {"state": "READY"})),
    wrong("index-version-0", "index-version", "entries of the index name the version 0", answer=of_entries(lambda entry: {"version": "0"})),
    wrong("index-has-a-ghost", "index-truthful", "the index says that a model is READY which does not exist",
          answer=edits_index(lambda index: [*index, {"name": "ghost", "version": "1", "state": "READY"}])),
    wrong("index-says-both", "index-truthful", "what is READY is UNAVAILABLE, too", answer=edits_index(
        lambda index: index + [{**entry, "state": "UNAVAILABLE"} for entry in index if entry.get("state") == "READY"])),
]
WRONG_SEQUENCES = [
    wrong("sequence-one-for-all", "apart", "all sequences are one", request=of_sequences(lambda number: {"sequence_id": 1})),
    wrong("sequence-ids-of-tens", "apart", "sequences of the same ten are one", request=of_sequences(lambda number: {"sequence_id": number // 10 + 1000})),
    wrong("sequence-always-new", "state", "each request begins its sequence", request=of_sequences(lambda number: {"sequence_start": True})),
]


def over_grpc_name(edit):
    return edit.name.replace("-", "-grpc-", 1)


def keys(extension, transport, edit):
    return [f"{extension}-{transport}.{slug}" for slug in edit.breaks]


VARIANTS = [("v2-rest,repository-rest", Variant(edit.name, edit.why, request=edit.request, answer=edit.answer, flags=MUTATION, judged=min(edit.judged[0], 50),
                                                breaks=keys("repository", "rest", edit))) for edit in REPOSITORY]
STREAM_VARIANTS = [("v2-grpc,repository-grpc", over_grpc(edit, over_grpc_name(edit), flags=MUTATION, judged=min(edit.judged[1], 50),
                                                            breaks=keys("repository", "grpc", edit))) for edit in REPOSITORY]
WRONG = [("v2-rest,repository-rest", Variant(edit.name, edit.why, answer=edit.answer, flags=MUTATION), f"repository-rest.{edit.slug}")
         for edit in WRONG_REPOSITORY]
WRONG += [("sequence-rest", Variant(edit.name, edit.why, request=edit.request), edit.slug) for edit in WRONG_SEQUENCES]
STREAM_WRONG = [("v2-grpc,repository-grpc", over_grpc(edit, over_grpc_name(edit), flags=MUTATION), f"repository-grpc.{edit.slug}")
                for edit in WRONG_REPOSITORY]
STREAM_WRONG += [("sequence-grpc", over_grpc(edit, over_grpc_name(edit)), edit.slug) for edit in WRONG_SEQUENCES]
