"""Servers of TensorRT Inference Server v1 that differ from the reference server in what they say, right ones and wrong ones: each row is played
over HTTP (the relay of rest_relay.py) and over gRPC (grpc_relay.py). An edit sees the messages that gRPC has, `answer(InferResponse)` and
`status(ServerStatus)`; over HTTP they are read from the header NV-InferResponse and the body, and written there.

The rows of VARIANTS and WRONG are as in http_variants.py, those of STREAM_VARIANTS and STREAM_WRONG as in stream_variants.py and
stream_wrong.py. Numbers in the sentences are the documents of SPEC_NOTES.md."""
import re

import grpc_relay
from google.protobuf import text_format
from grpc_relay import FACTORY, POOL
from over_grpc import replaces
from rest_relay import Variant
from stream_variants import SUCCESS, each

HTTP, GRPC = "trtis-v1-http", "trtis-v1-grpc"
InferResponse = FACTORY.GetPrototype(POOL.FindMessageTypeByName("nvidia.inferenceserver.InferResponse"))
ServerStatus = FACTORY.GetPrototype(POOL.FindMessageTypeByName("nvidia.inferenceserver.ServerStatus"))

# --- The carriers ----------------------------------------------------------------------------------------------------------


def read(header, body):
    """The message of an answer over HTTP. The header says which sizes the tensors have, and after them stands all that describes them."""
    made, at = InferResponse(), 0
    text_format.Parse(body[sum(map(int, re.findall(r"batch_byte_size: (\d+)", header))):].decode(), made.meta_data)
    for output in made.meta_data.output:
        if output.HasField("raw"):
            made.raw_output.append(body[at:at + output.raw.batch_byte_size])
            at += output.raw.batch_byte_size
    return made


def write(made, response):
    behind = text_format.MessageToString(made.meta_data).encode()
    for output in made.meta_data.output:  # classes follow the tensors alone
        del output.batch_classes[:]
    response.set_header("NV-InferResponse", text_format.MessageToString(made.meta_data, as_one_line=True))
    response.set_body(b"".join(made.raw_output) + behind)


def over_http(answer, status, ready=True):
    def change(request, response):
        header = response.header("NV-InferResponse")
        if not ready and request.path == "/api/health/ready" and response.status == 200:
            response.set_status(503)
        if response.status != 200 or "binary" in request.target:
            return
        if answer and header:
            made = read(header, response.body)
            before = made.SerializeToString(deterministic=True)
            answer(made)
            if made.SerializeToString(deterministic=True) != before:
                write(made, response)
        if status and "/api/status" in request.path:
            made = text_format.Parse(response.body.decode(), ServerStatus())
            status(made)
            response.set_body(text_format.MessageToString(made).encode())
    return change


def over_messages(answer, status, ready=True):
    def change(call, message):
        if not ready and call.rpc == "Health" and call.asked[0] is not None and call.asked[0].mode == "ready":
            message.health = False
        elif answer and call.method.startswith("/nvidia.") and call.rpc in ("Infer", "StreamInfer"):
            answer(message)
        elif status and call.method.startswith("/nvidia.") and call.rpc == "Status" and message.request_status.code == SUCCESS:
            status(message.server_status)
    return each(change)


# --- Answers ---------------------------------------------------------------------------------------------------------------


def of_raw(edit):
    """An edit of all tensors, `edit(list of bytes, batch size)`."""
    def change(answer):
        if answer.raw_output:
            replaces(answer.raw_output, edit(list(answer.raw_output), answer.meta_data.batch_size))
    return change


def of_outputs(edit):
    def change(answer):
        for output in answer.meta_data.output:
            edit(output, answer.meta_data)
    return change


def each_raw(edit):
    return of_raw(lambda raws, rows: [edit(raw) for raw in raws])


def other_order(answer):
    if len(answer.raw_output) == len(answer.meta_data.output):
        replaces(answer.meta_data.output, reversed(answer.meta_data.output))
        replaces(answer.raw_output, reversed(answer.raw_output))


def clears(*fields):
    return lambda message: [message.ClearField(field) for field in fields]


def of_models(edit):
    """An edit of a status from an edit of that of each model."""
    return lambda status: [edit(model) for model in status.model_status.values()]


def batch_in_dims(output, header):
    if output.HasField("raw"):
        replaces(output.raw.dims, [header.batch_size, *output.raw.dims])


def each_classes(edit):
    """An edit of the classes of each element of a batch, `edit(classes, those of the first element)`."""
    return of_outputs(lambda output, header: [replaces(one.cls, edit(list(one.cls), list(output.batch_classes[0].cls))) for one in output.batch_classes])


# --- Statuses --------------------------------------------------------------------------------------------------------------


def has_types_of_its_own(status):
    for output in status.model_status["simple"].config.output if "simple" in status.model_status else []:
        output.data_type = 14


def is_short(status):
    """Only what the page names: the server's status, each model by its name with its configuration, and what versions it has."""
    for model in status.model_status.values():
        for version in model.version_status.values():
            clears("infer_stats", "model_execution_count", "model_inference_count")(version)
    clears("id", "version", "uptime_ns", "status_stats", "profile_stats", "health_stats", "ready_state")(status)


def has_one_asleep(status):
    """One more model, whose version is not ready."""
    if len(status.model_status) > 1:
        status.model_status["asleep"].version_status[1].ready_state = 2
    status.ready_state = 1


# --- The tables ------------------------------------------------------------------------------------------------------------

OWN = ["--filter", "trtis-v1-*/*"]
OF_HEADERS = ["id-echoed", "model-name-given", "model-version-is-asked", "version-named"]

# Name, why, keywords: what is edited, what it breaks knowingly on each wire, and how many assertions are judged at least.
RIGHT = [
    ("other-order", "002: tensors stand in the order of the header of the answer", {"answer": other_order}, [], [], 600),
    ("outputs-alone", "002: InferResponseHeader describes the outputs", {"answer": lambda answer: clears("model_name", "model_version", "id")(answer.meta_data)},
     ["request-header-syntax", "version-digits", *OF_HEADERS], ["error-id", "stream-error-inside", "stream-versions", *OF_HEADERS], 600),
    ("no-config", "002 does not say what ServerStatus has", {"status": of_models(clears("config")), "flags": OWN}, ["status-config"], ["status-config"], 100),
    ("own-types", "002 does not say which types there are", {"status": has_types_of_its_own}, ["status-types"], ["status-types"], 600),
    ("short-status", "002 names the status; its fields are those of a release", {"status": is_short},
     *[["status-counts", "status-failures", "status-id", "status-ready-state", "status-requests"]] * 2, 600),
    ("one-asleep", "002, Health: ready is a server all of whose models are", {"status": has_one_asleep, "ready": False}, [], [], 600),
]

WRONG_ANSWERS = [
    ("raw-reversed", "output-values", "tensors stand in another order than their header says", of_raw(lambda raws, rows: raws[::-1])),
    ("elements-swapped", "output-values", "the first two elements of a large tensor are swapped",
     each_raw(lambda raw: raw[4:8] + raw[:4] + raw[8:] if len(raw) >= 64 else raw)),
    ("large-tensors-lost", "output-values", "what is after 4096 bytes of a tensor is zero", each_raw(lambda raw: raw[:4096] + bytes(max(len(raw) - 4096, 0)))),
    ("last-byte-of-second", "output-values", "the last byte of the second tensor is another",
     of_raw(lambda raws, rows: [raw[:-1] + bytes([raw[-1] ^ 1]) if number == 1 and raw else raw for number, raw in enumerate(raws)])),
    ("first-row", "batch", "each element of a batch has the result of the first",
     of_raw(lambda raws, rows: [raw[:len(raw) // rows] * rows if rows > 1 and len(raw) % rows == 0 else raw for raw in raws])),
    ("batch-in-dims", "output-shape", "dims have the batch", of_outputs(batch_in_dims)),
    ("size-of-one", "output-size", "batch_byte_size is that of one element",
     of_outputs(lambda output, header: setattr(output.raw, "batch_byte_size", output.raw.batch_byte_size // max(header.batch_size, 1)))),
    ("one-name", "output-name", "all outputs have the name of the first",
     of_outputs(lambda output, header: setattr(output, "name", header.output[0].name))),
    ("classes-rising", "classification", "the smallest class stands first", each_classes(lambda classes, first: classes[::-1])),
    ("same-classes", "classification-batch", "each element of a batch has the classes of the first", each_classes(lambda classes, first: first)),
    ("version-1", "model-version-is-asked", "every answer names version 1", lambda answer: setattr(answer.meta_data, "model_version", 1)),
]
WRONG_STATUSES = [
    ("one-model-left-out", "status-all", "002, Status: the status has all models that are being served",
     lambda status: status.model_status.pop("identity_int8") if len(status.model_status) > 1 else None),
]


def keys(profile, slugs):
    return [f"{profile}.{slug}" for slug in slugs]


def right(profile, kind, name, why, side, what, breaks, judged):
    edits, own = (what.get("answer"), what.get("status"), what.get("ready", True)), {"breaks": keys(profile, breaks), "judged": judged, "flags": what.get("flags", ())}
    return profile, kind(name, why, **{side: (over_http if profile == HTTP else over_messages)(*edits)}, **own)


VARIANTS = [right(HTTP, Variant, "v1-" + name, why, "answer", what, breaks, judged) for name, why, what, breaks, _, judged in RIGHT]
STREAM_VARIANTS = [right(GRPC, grpc_relay.Variant, "v1-grpc-" + name, why, "says", what, breaks, judged) for name, why, what, _, breaks, judged in RIGHT]
BOTH = [(*row[:3], (row[3], None)) for row in WRONG_ANSWERS] + [(*row[:3], (None, row[3])) for row in WRONG_STATUSES]
WRONG = [(HTTP, Variant("v1-" + name, why, answer=over_http(*what)), slug) for name, slug, why, what in BOTH]
STREAM_WRONG = [(GRPC, grpc_relay.Variant("v1-grpc-" + name, why, says=over_messages(*what)), slug) for name, slug, why, what in BOTH]
