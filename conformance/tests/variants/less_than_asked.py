"""Servers that lack what only weaker rows of the ledger ask for: no sentence of a document demands it, so no MUST may fail. They are the
reference server behind the relays of rest_relay.py and grpc_relay.py.

The rows of VARIANTS are as in http_variants.py, those of STREAMS as in stream_variants.py."""
import json
import re

import grpc
from google.protobuf import descriptor_pb2
from grpc_relay import refuse
from http_choices import LENGTH
from http_variants import BINARY, METRICS, SETTINGS, STATISTICS, in_metrics, right
from meaning import edits_json
from rest_relay import dumped
from stream_variants import HEALTH, REFLECTION, V1, asked, of, of_files, of_reflection
from stream_variants import right as right_stream

NOT_FOUND = grpc.StatusCode.NOT_FOUND


def keys(prefix, *slugs):
    return [f"{prefix}.{slug}" for slug in slugs]


# --- Extensions, and what operators ask for --------------------------------------------------------------------------------


@edits_json
def has_no_versions(request, answer, body):
    for entry in body.get("model_stats", []):
        if entry.get("name") != "versioned":
            entry.pop("version", None)


def in_words_of_proto3(value):
    """A message in JSON as proto3 has it: names in camel case, no defaults, 64 bits as texts."""
    if isinstance(value, list):
        return [in_words_of_proto3(one) for one in value]
    if not isinstance(value, dict):
        return value
    made = {re.sub("_([a-z])", lambda match: match[1].upper(), name): in_words_of_proto3(one) for name, one in value.items()}
    made.update({"dims": [str(dim) for dim in value["dims"]]} if "dims" in value else {})
    return {name: one for name, one in made.items() if one not in (0, "", False, [], {})}


def configures_in_proto3(request, answer):
    body = answer.json if request.path.endswith("/config") and answer.status == 200 else None
    if isinstance(body, dict):
        answer.json = in_words_of_proto3(body)


def gives_no_bytes(request):
    """Takes bytes, and answers JSON whatever is asked for."""
    length = request.header(LENGTH)
    try:
        size = int(length) if length else len(request.body)
        body = json.loads(request.body[:size]) if request.is_inference() else None
    except ValueError:
        return
    for holder in [body, *(body.get("outputs") or [])] if isinstance(body, dict) and isinstance(body.get("outputs", []), list) else []:
        parameters = holder.get("parameters") if isinstance(holder, dict) else None
        if isinstance(parameters, dict) and {"binary_data", "binary_data_output"} & set(parameters):
            parameters.pop("binary_data", None)
            parameters.pop("binary_data_output", None)
            request.changed = True
    if request.changed:
        tail = request.body[size:]
        request.body = dumped(body) + tail
        request.set_header("Content-Length", str(len(request.body)))
        if length:
            request.set_header(LENGTH, str(len(request.body) - len(tail)))


def lists_no_services(call, message):
    if message.HasField("list_services_response"):
        message.list_services_response.ClearField("service")


def in_two_files(call, files):
    """Messages are in a file of their own, which that of the service imports."""
    made = []
    for file in files:
        if not file.service or not file.message_type:
            made.append(file)
            continue
        messages = descriptor_pb2.FileDescriptorProto()
        messages.CopyFrom(file)
        messages.name = "messages_of_" + file.name
        del messages.service[:]
        del file.message_type[:], file.enum_type[:], file.dependency[:]
        file.dependency.append(messages.name)
        named = [f"{messages.package}.{message.name}" for message in messages.message_type]
        made += [messages] if call.answered.file_containing_symbol in named else [file, messages]
    return made


# As Triton does with --metrics-config counter_latencies=false, for one.
VARIANTS = [
    right(STATISTICS, "statistics-no-version", "Triton statistics: version is optional", answer=has_no_versions, breaks=keys(STATISTICS, "all-models")),
    right(SETTINGS, "config-in-proto3", "Triton model configuration: the JSON representation of a message", answer=configures_in_proto3,
          breaks=keys(SETTINGS, "config-names", "tensors", "parameters")),
    right(BINARY, "binary-gives-none", "SPEC_NOTES 76: clients read both forms", request=gives_no_bytes, judged=100,
          breaks=keys(BINARY, "output-is-binary", "output-default", "answer-type", "answer-data-or-size")),
    right(METRICS, "metrics-no-time", "Triton metrics: latencies can be switched off",
          answer=in_metrics(lambda body: b"".join(line for line in body.splitlines(True) if b"_duration_us" not in line))),
]

STREAMS = [
    right_stream(V1, "v1-grpc-health-alone", "002 does not say what HealthResponse has", ["health-status", "health-mode", "health-ready-stays", "request-id"],
                 says=of("Health", lambda call, message: message.ClearField("request_status"))),
    right_stream(REFLECTION, "reflection-lists-nothing", "gRPC reflection: no obligation to return a complete list",
                 ["reflection-grpc.list-services", "reflection-v1alpha-grpc.list-services"], says=of_reflection(lists_no_services)),
    right_stream(REFLECTION, "reflection-two-files", "gRPC reflection: the file with a given symbol", says=of_files(in_two_files)),
    right_stream(HEALTH, "health-no-empty-name", "gRPC health: the empty name is a SHOULD", ["check"],
                 hears=asked(("Check", "Watch"), lambda message: None if message.service else refuse(NOT_FOUND, "only services by their names are known"))),
]
