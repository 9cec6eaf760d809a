"""Servers that are compliant in an unusual way in what they say or take, whatever the wire: each row is played over REST and over gRPC, where
its name begins with grpc-. What is unusual about one wire is in rest_variants.py, grpc_variants.py and their neighbours.

Each row says why its server is compliant. Numbers in the sentences are the documents of SPEC_NOTES.md."""
import math
import os
import struct

from meaning import (Edit, edits_answers, edits_inference, edits_inputs, edits_json, flat_count, holders, listed_shape, of_numbers, refuses, tensors)
from rest_relay import refusal

# --- Answers ---------------------------------------------------------------------------------------------------------------


@edits_answers
def adds_parameters(request, body):
    body["parameters"] = {"took_ms": 0.5, "cached": False, "where": "\u00e9", "empty": "", **body.get("parameters", {})}
    for tensor in tensors(body, "outputs"):
        tensor["parameters"] = {"content_type": "np", **tensor.get("parameters", {})}


@edits_answers
def echoes_parameters(request, body):
    """000 does not say which parameters an answer has."""
    asked = request.json
    if isinstance(asked, dict) and isinstance(asked.get("parameters"), dict):
        plain = {name: value for name, value in asked["parameters"].items() if isinstance(value, (str, int))}
        body["parameters"] = {**plain, **body.get("parameters", {})}


@edits_json
def reverses(request, answer, body):
    for side in ("inputs", "outputs"):
        if isinstance(body.get(side), list):
            body[side].reverse()
    items = list(body.items())
    body.clear()
    body.update(reversed(items))


def next_float(number):
    bits = struct.unpack("<I", struct.pack("<f", number))[0]
    return struct.unpack("<f", struct.pack("<I", bits + 1))[0] if 0 < bits & 0x7fffffff < 0x7f7ffff0 else number


def rounds_otherwise(request, answer):
    """A processor whose sums end in another last bit."""
    if request.is_inference() and request.model()[0] == "convnet":
        of_numbers(("FP32",), next_float)(request, answer)


# --- Requests --------------------------------------------------------------------------------------------------------------

ECHOING = {"parameters", "plain_parameters", "gate"}


@edits_inference
def refuses_parameters(request, body):
    unknown = any(isinstance(holder.get("parameters"), dict) and holder["parameters"] for holder in holders(body, "inputs", "outputs"))
    return refusal(400, "a parameter is not known") if unknown and request.model()[0] not in ECHOING else None


@edits_inputs
def minus_one_is_the_rest(tensor):
    shape = tensor.get("shape")
    if isinstance(shape, list) and all(isinstance(d, int) for d in shape) and [d for d in shape if d < 0] == [-1]:
        rest, count = math.prod(d for d in shape if d >= 0), flat_count(tensor.get("data", []))
        if rest and count % rest == 0:
            tensor["shape"] = [count // rest if d == -1 else d for d in shape]


@edits_inference
def takes_small_batches(request, body):
    """A limit of the batch, as models have that were compiled for one."""
    shapes = [tensor.get("shape") for tensor in tensors(body, "inputs")]
    large = any(isinstance(shape, list) and len(shape) > 1 and type(shape[0]) is int and shape[0] > 64 for shape in shapes)
    return refusal(400, "the batch is larger than 64") if large else None


# --- Versions --------------------------------------------------------------------------------------------------------------


def takes_the_oldest(request):
    named = request.model()
    if named and named[:2] == ("versioned", None):
        request.name_model(version="1")


def has_no_versions(request):
    named = request.model()
    return refusal(404, "this server has no versions") if named and named[1] is not None else None


@edits_json
def says_no_versions(request, answer, body):
    body.pop("versions", None)
    body.pop("model_version", None)


RELEASE = "release-"


def has_named_versions(request):
    named = request.model()
    if not named or named[1] is None:
        return None
    if not named[1].startswith(RELEASE):
        return refusal(404, "there is no such release")
    request.name_model(version=named[1][len(RELEASE):])
    return None


@edits_json
def names_versions(request, answer, body):
    if answer.status == 200 and body.get("versions"):
        body["versions"] = [RELEASE + version for version in body["versions"]]
    if answer.status == 200 and body.get("model_version"):
        body["model_version"] = RELEASE + body["model_version"]


# --- Other models ----------------------------------------------------------------------------------------------------------


def has_other_case(model):
    """The models of the kit are any server's. Of the others some never answer a probe: the suite knows them, but not a GATE."""
    return model.lower() in os.listdir("fixtures/models/kit")


def asks_for(name_of):
    """Requests of a model that the kit lacks are asked of another one, `name_of(model)`, or None for any that is the kit's."""
    def change(request):
        named = request.model()
        if named and name_of(named[0]):
            request.asked_model, request.asked_version = named[:2]
            request.name_model(name_of(named[0]))
    return change


def answers_as_asked(more):
    """Answers name the model that was asked for; `more(models)` are those that a list has besides."""
    @edits_json
    def change(request, answer, body):
        asked = getattr(request, "asked_model", None)
        if request.path == "/v2/models" and isinstance(body.get("models"), list):
            body["models"] += more(body["models"])
        body.update({member: asked for member in ("name", "model_name") if asked and member in body and answer.status == 200})
    return change


ODD = "a model/1 %41\u00e9 \U0001f600"
TWO = "two_signatures"


def two_signatures(request):
    """A model whose version 1 calls its tensors OLD_IN and OLD_OUT; the last that it lists is 1."""
    asks_for({TWO: "versioned"}.get)(request)
    body = request.json if request.is_inference() and getattr(request, "asked_version", None) == "1" else None
    if isinstance(body, dict):
        for tensor in tensors(body, "inputs", "outputs"):
            tensor["name"] = {"OLD_IN": "INPUT0", "OLD_OUT": "OUTPUT0"}.get(tensor.get("name"), str(tensor.get("name")) + "?")
        request.json = body


def answers_of_two(request, answer):
    @edits_json
    def change(request, answer, body):
        if answer.status == 200 and getattr(request, "asked_model", None) and "versions" in body:
            body["versions"] = ["2", "1"]
        if answer.status == 200 and getattr(request, "asked_version", None) == "1":
            for tensor in tensors(body, "inputs", "outputs"):
                tensor["name"] = {"INPUT0": "OLD_IN", "OUTPUT0": "OLD_OUT"}[tensor["name"]]
    change(request, answer)
    answers_as_asked(lambda models: [TWO])(request, answer)


# --- The table -------------------------------------------------------------------------------------------------------------

RIGHT = [
    Edit("other-order", "000 gives members and tensors names, and no order", answer=reverses),
    Edit("answer-parameters", "000, Inference Response: an answer and its outputs may have parameters", answer=adds_parameters),
    Edit("echoes-parameters", "000, Inference Response: an answer may have parameters", answer=echoes_parameters),
    Edit("makes-ids", "000, Inference Response: nothing is said of an id when none was given",
         answer=edits_answers(lambda request, body: body.update(id=body.get("id") or "made-by-the-server"))),
    Edit("rounds-otherwise", "000 does not say how a model computes, and sums of FP32 differ in their last bit", answer=rounds_otherwise),
    Edit("refuses-parameters", "000, Parameters: currently no parameters are defined", request=refuses_parameters),
    Edit("minus-one", "000, Request Input: what a negative dimension means is not said", request=minus_one_is_the_rest, breaks=["shape-not-negative"]),
    Edit("small-batches", "000 leaves it to the model which sizes it takes of a variable dimension", request=takes_small_batches),
    Edit("short-ids", "000 gives no limit for an id, and a server may have one", request=refuses(lambda body: len(str(body.get("id"))) > 1024)),
    Edit("any-size", "000, Model Metadata: dimensions of variable size are -1; which sizes a model then takes is not said",
         answer=listed_shape(lambda shape: [-1] * len(shape))),
    Edit("oldest-version", "000: the server chooses a version by its own policy", request=takes_the_oldest),
    Edit("hides-versions", "000, Inference Response: model_version is optional",
         answer=edits_json(lambda request, answer, body: body.pop("model_version", None)), breaks=["model-version-is-asked"],
         grpc={"breaks": ["model-version-is-asked", "model-version-given"]}),
    Edit("no-versions", "000: versions are optional for servers that do not support them", request=has_no_versions, answer=says_no_versions,
         judged=(3000, 1300)),
    Edit("named-versions", "000: a version is a string, and nothing says that it is a number", request=has_named_versions, answer=names_versions,
         rest={"unread": lambda data: data.replace(b"/versions/" + RELEASE.encode(), b"/versions/")}),
    Edit("both-cases", "000: strings are case-sensitive, so simple and SIMPLE are two models",
         request=asks_for(lambda model: model.lower() if model.isupper() and has_other_case(model) else None),
         answer=answers_as_asked(lambda models: [model.upper() for model in models if has_other_case(model)])),
    Edit("odd-name", "000: a model's name is any string", request=asks_for({ODD: "simple"}.get), answer=answers_as_asked(lambda models: [ODD]),
         flags=["--model", ODD], judged=(300, 150)),
    Edit("versions-differ", "000, Model Metadata: each version has metadata of its own", request=two_signatures, answer=answers_of_two,
         flags=["--model", TWO], judged=(300, 150)),
]
