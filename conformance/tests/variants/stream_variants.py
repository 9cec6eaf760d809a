"""Servers over gRPC that are compliant in an unusual way with streams of inferences, health, reflection and TensorRT Inference Server v1:
the reference server behind the relay of grpc_relay.py.

Each row of VARIANTS is the profiles that are judged (None: the variant's flags choose) and a variant, which says why its server is
compliant. Numbers in the sentences are the documents of SPEC_NOTES.md."""
import queue
import threading

import grpc
from google.protobuf import descriptor_pb2
from google.protobuf.descriptor import FieldDescriptor
from google.protobuf.internal.decoder import _DecodeVarint
from grpc_relay import Variant, Refusal, answer_of, refuse
from grpc_variants import fields_of, writes_backwards, writes_unknown_fields
from over_grpc import over_grpc, replaces
from right_meanings import RIGHT
from wire import DATA, END_STREAM, PADDED, varint
from wire import field as field_of

UNIMPLEMENTED = grpc.StatusCode.UNIMPLEMENTED
PAUSE = 0.02  # seconds that an answer waits for another one that may go before it


def each(edit):
    """Makes what says the answers from an edit of each that parses."""
    def says(call, answers):
        for answer in answers:
            if answer.message is not None:
                edit(call, answer.message)
            yield answer
    return says


def is_of(call, rpcs):
    return call.rpc in ([rpcs] if isinstance(rpcs, str) else rpcs)


def of(rpcs, edit):
    """The same of the answers to these calls alone: the name of one, or several."""
    return each(lambda call, message: edit(call, message) if is_of(call, rpcs) else None)


def instead(rpcs, make):
    """Makes what says the answers to these calls from `make(call, answer, its number)`, which returns those that come instead of one."""
    return lambda call, answers: (one for at, answer in enumerate(answers) for one in make(call, answer, at)) if is_of(call, rpcs) else answers


def asked(rpcs, edit):
    """Makes what hears the requests from an edit of each message of these calls that parses."""
    return lambda call, message: edit(message) if is_of(call, rpcs) and message is not None else None


# --- How answers are written -----------------------------------------------------------------------------------------------


def compresses(call, answers):
    call.compressed = True
    return answers


def says_more_in_metadata(call, answers):
    call.first_metadata = call.trailers = [("x-served-by", "relay"), ("x-trace-bin", b"\x00\xff\x01")]
    return answers


def rewritten(message, write):
    """The bytes of a message whose fields are written by `write(message, field, value)`, which returns None for the usual form."""
    made, usual = [], fields_of(message.SerializeToString())
    for field, value in message.ListFields():
        own = write(message, field, value)
        if own is not None:
            made.append(own)
        elif field.type == FieldDescriptor.TYPE_MESSAGE and not field.message_type.GetOptions().map_entry:
            for one in value if field.label == FieldDescriptor.LABEL_REPEATED else [value]:
                part = rewritten(one, write)
                made.append(field_of(field.number, part))
        else:
            made += [data for number, _, data in usual if number == field.number]
    return b"".join(made)


WIRE = {FieldDescriptor.TYPE_FLOAT: 5, FieldDescriptor.TYPE_FIXED32: 5, FieldDescriptor.TYPE_DOUBLE: 1, FieldDescriptor.TYPE_FIXED64: 1}


def unpacked(message, field, value):
    """Repeated numbers: the first half one by one, the others packed."""
    texts = (FieldDescriptor.TYPE_MESSAGE, FieldDescriptor.TYPE_STRING, FieldDescriptor.TYPE_BYTES)
    if field.label != FieldDescriptor.LABEL_REPEATED or field.type in texts:
        return None
    made, half = [], len(value) // 2 + 1
    for number in value[:half]:
        one = type(message)()
        getattr(one, field.name).append(number)
        data = one.SerializeToString()
        _, at = _DecodeVarint(data, 0)
        _, at = _DecodeVarint(data, at)
        made.append(varint(field.number << 3 | WIRE.get(field.type, 0)) + data[at:])
    rest = type(message)()
    getattr(rest, field.name).extend(value[half:])
    return b"".join(made) + rest.SerializeToString()


def writes_unpacked(call, data):
    message = call.reply_type.FromString(data) if call.reply_type else None
    return rewritten(message, unpacked) if message is not None else data


def writes_halves(call, data):
    """A message in a message comes in two parts, which its reader merges."""
    message = call.reply_type.FromString(data)
    holder = next((field for field, _ in message.ListFields() if field.type == FieldDescriptor.TYPE_MESSAGE
                   and field.label != FieldDescriptor.LABEL_REPEATED), None)
    if holder is None:
        return data
    inner = [field[2] for field in fields_of(getattr(message, holder.name).SerializeToString())]
    message.ClearField(holder.name)
    first, second = (field_of(holder.number, b"".join(part)) for part in (inner[:1], inner[1:]))
    return first + message.SerializeToString() + second


def writes_defaults(call, data):
    """Fields that are absent stand there with their defaults."""
    def present(message, field, value):
        if field.type != FieldDescriptor.TYPE_MESSAGE or field.label == FieldDescriptor.LABEL_REPEATED:
            return None
        return field_of(field.number, defaults_of(value) + rewritten(value, present))

    def defaults_of(message):
        made = b""
        for field in message.DESCRIPTOR.fields:
            if field.label != FieldDescriptor.LABEL_REPEATED and field.type != FieldDescriptor.TYPE_MESSAGE and not field.containing_oneof:
                kind = 2 if field.type in (FieldDescriptor.TYPE_STRING, FieldDescriptor.TYPE_BYTES) else WIRE.get(field.type, 0)
                made += varint(field.number << 3 | kind) + bytes({1: 8, 5: 4}.get(kind, 1))
        return made

    message = call.reply_type.FromString(data)
    return defaults_of(message) + rewritten(message, present)


PIECES, UNKNOWN_FRAME = (1, 2, 3, 5, 7, 11, 100, 1000), 0x4F


def many_frames(kind, flags, stream, payload):
    """DATA comes in many small frames, some empty, with frames of an unknown kind and others of the connection between them."""
    if kind != DATA or flags & PADDED or not payload:
        return [(kind, flags, stream, payload)]
    frames, at, number = [(UNKNOWN_FRAME, 0xFF, stream, b"extension")], 0, 0
    while at < len(payload):
        size = PIECES[min(number, len(PIECES) - 1)]
        frames.append((DATA, 0, stream, payload[at:at + size]))
        at, number = at + size, number + 1
    frames.append((DATA, flags & END_STREAM, stream, b""))
    return frames


# --- Streams of inferences -------------------------------------------------------------------------------------------------


def arriving(answers):
    """Yields each answer as it comes, or None after a pause without one."""
    waiting = queue.Queue()

    def reads():
        try:
            for answer in answers:
                waiting.put(answer)
            waiting.put(StopIteration)
        except BaseException as error:  # it is the reader's
            waiting.put(error)

    threading.Thread(target=reads, daemon=True).start()
    while True:
        try:
            answer = waiting.get(timeout=PAUSE)
        except queue.Empty:
            yield None
            continue
        if answer is StopIteration:
            return
        if isinstance(answer, BaseException):
            raise answer
        yield answer


def interleaves(call, answers):
    """The answers that are there together take turns by their ids, the last request first. Those to one request keep their order."""
    if call.rpc != "ModelStreamInfer":
        yield from answers
        return
    held = {}
    for answer in arriving(answers):
        if answer is not None:
            held.setdefault(answer.message.infer_response.id if answer.message is not None else "", []).append(answer)
            continue
        yield from turns(call, held)
    yield from turns(call, held)


def turns(call, held):
    while held:
        for name in sorted(held, reverse=True):
            answer = held[name].pop(0)
            answer.moved = True
            if not held[name]:
                del held[name]
            yield answer


def is_final(message):
    return message.infer_response.parameters["triton_final_response"].bool_param if \
        "triton_final_response" in message.infer_response.parameters else None


def without_mark(where):
    """The mark of the last answer is left out where `where(message)` holds."""
    return of("ModelStreamInfer", lambda call, message: where(message) and message.infer_response.parameters.pop("triton_final_response"))


def ends_barely(call, message):
    """The empty answer has no more than the id and the mark."""
    if is_final(message) and not message.infer_response.outputs:
        message.infer_response.model_name = message.infer_response.model_version = ""


def errors_with_names(call, message):
    if message.error_message:
        message.infer_response.model_name, message.infer_response.model_version = "?", "0"
        message.error_message = "[request id: ...] " + message.error_message + " \u2014 \u00fc"


def broken_is_an_error_inside(call, answers):
    """A message that does not parse is an error among the answers, and the stream ends with OK after it."""
    try:
        yield from answers
    except grpc.RpcError as error:
        if call.rpc != "ModelStreamInfer" or error.code() in (grpc.StatusCode.CANCELLED, grpc.StatusCode.DEADLINE_EXCEEDED):
            raise
        yield answer_of(call, call.reply_type(error_message=error.details() or "broken"))
        raise Refusal(grpc.StatusCode.OK, "") from error


# --- Health and reflection -------------------------------------------------------------------------------------------------


def lacks(service):
    def hears(call, message):
        if call.method.startswith(f"/grpc.reflection.{service}."):
            raise Refusal(UNIMPLEMENTED, f"unknown service grpc.reflection.{service}.ServerReflection")
    return hears


def speaks_v1_alone(call, message):
    """The service of V2 is not there: it is not called, and neither health nor reflection knows its name."""
    if call.method.startswith("/inference."):
        raise Refusal(UNIMPLEMENTED, "unknown service inference.GRPCInferenceService")
    for field in ("service", "file_containing_symbol", "all_extension_numbers_of_type"):
        if getattr(message, field, "").startswith("inference."):
            setattr(message, field, "no.such.Name")


def lists_no_v2(call, message):
    if message.HasField("list_services_response"):
        listed = message.list_services_response.service
        replaces(listed, [one for one in listed if not one.name.startswith("inference.")])


def of_reflection(edit):
    return of("ServerReflectionInfo", edit)


def of_files(edit):
    """Makes an edit of answers from one of the files in them, `edit(call, files)`, which returns the files that come instead.
    `call.answered` is the request to which they are the answer."""
    def change(call, message):
        call.answered = message.original_request
        if message.HasField("file_descriptor_response"):
            files = [descriptor_pb2.FileDescriptorProto.FromString(data) for data in message.file_descriptor_response.file_descriptor_proto]
            replaces(message.file_descriptor_response.file_descriptor_proto, [file.SerializeToString() for file in edit(call, files)])
    return of_reflection(change)


def leaves_out_what_was_sent(call, files):
    """The protocol: the server tracks which files it has sent on the stream, and need not send them again."""
    sent = call.__dict__.setdefault("sent", set())
    left = [file for file in files if file.name not in sent]
    sent.update(file.name for file in files)
    return left


def all_in_one_file(call, files):
    """One file has all messages, and imports nothing."""
    for other in files[1:]:
        files[0].message_type.extend(other.message_type)
        files[0].enum_type.extend(other.enum_type)
    del files[0].dependency[:]
    return files[:1]


def says_unimplemented_inside(call, message):
    if message.HasField("error_response"):
        message.error_response.error_code, message.error_response.error_message = 12, ""


def echoes_nothing(call, message):
    message.ClearField("original_request")
    message.valid_host = ""


def lists_more(call, message):
    if message.HasField("list_services_response"):
        message.list_services_response.service.add(name="a.Service")
        replaces(message.list_services_response.service, sorted(message.list_services_response.service, key=lambda s: s.name))


# --- TensorRT Inference Server v1 ------------------------------------------------------------------------------------------

SUCCESS, V1_UNKNOWN, V1_INTERNAL = 1, 2, 3
V1_INFERENCES = ("Infer", "StreamInfer")


def v1_only_the_code(call, message):
    """Of a RequestStatus the code alone tells, and a failure has nothing else."""
    if not hasattr(message, "request_status"):
        return
    code = message.request_status.code
    if code != SUCCESS:
        message.Clear()
    message.request_status.Clear()
    message.request_status.code = code


def v1_other_codes(call, message):
    if hasattr(message, "request_status") and message.request_status.code not in (SUCCESS, 0):
        message.request_status.code = V1_INTERNAL if message.request_status.code == V1_UNKNOWN else V1_UNKNOWN


def v1_makes_ids(call, message):
    if message.request_status.code == SUCCESS and not message.meta_data.id:
        message.meta_data.id = 0x7fffffffffffffff


def v1_interleaves(call, answers):
    """The answers that are there together come in falling order of their ids, those without an id in their own."""
    if call.rpc != "StreamInfer":
        yield from answers
        return
    held = []
    for answer in arriving(answers):
        if answer is not None:
            held.append(answer)
            continue
        yield from v1_sorted(held)
        held = []
    yield from v1_sorted(held)


def v1_sorted(held):
    for answer in sorted(held, key=lambda answer: -answer.message.meta_data.id if answer.message is not None else 0):
        answer.moved = True
        yield answer


# --- The table -------------------------------------------------------------------------------------------------------------

STREAMS, HEALTH, V1 = "streaming-grpc", "health-grpc", "trtis-v1-grpc"
REFLECTION = "reflection-grpc,reflection-v1alpha-grpc"
ONLY_REFLECTION = ["--filter", "reflection-*/*"]  # not as a profile that is asked for: it may be missing
MEANINGS = {edit.name: edit for edit in RIGHT}
ALL = ",".join(("v2-grpc", STREAMS, HEALTH, REFLECTION, V1))


def right(profile, name, why, breaks=(), **rest):
    """A row. Requirements of the profile itself are named by their slugs."""
    keys = [slug if "." in slug else f"{profile}.{slug}" for slug in breaks]
    return profile, Variant(name, why, breaks=keys, judged={ALL: 2500, STREAMS: 400, V1: 600, HEALTH: 9}.get(profile, 1), **rest)


VARIANTS = [
    right(ALL, "stream-compressed", "gRPC: a server may compress its messages in a coding that the client accepts", says=compresses),
    right(ALL, "stream-more-metadata", "gRPC over HTTP/2: any metadata may stand before and after the messages", says=says_more_in_metadata),
    right(ALL, "stream-many-frames", "RFC 9113: DATA frames have any size, also none, and unknown kinds of frames are passed over", frame=many_frames),
    right(ALL, "stream-unknown-fields", "proto3: fields that the schema does not have are passed over", write=writes_unknown_fields),
    right(ALL, "stream-fields-backwards", "proto3 encoding: fields come in any order", write=writes_backwards),
    right(ALL, "stream-halves", "proto3 encoding: of a message that comes twice the parts are merged", write=writes_halves),
    right(ALL, "stream-defaults-written", "proto3: a field that has its default may be written", write=writes_defaults),
    right(ALL, "stream-unpacked", "proto3 encoding: parsers take repeated numbers packed, one by one, and both together",
          write=writes_unpacked, server=["--grpc-output", "typed"]),
    right(STREAMS, "stream-interleaved", "answers to different requests come in any order, those of one in theirs (note on order)", says=interleaves),
    (STREAMS, over_grpc(MEANINGS["other-order"], "stream-other-outputs", judged=400)),
    (STREAMS, over_grpc(MEANINGS["answer-parameters"], "stream-parameters", judged=400)),
    right(STREAMS, "stream-marks-only-the-end", "the last answer says so; that others say the contrary is nowhere demanded",
          says=without_mark(lambda message: is_final(message) is False)),
    right(STREAMS, "stream-ends-barely", "the answer that ends the others is empty", says=of("ModelStreamInfer", ends_barely)),
    right(STREAMS, "stream-marks-nothing", "that an only answer says that it is the last is a SHOULD", ["final-marked"],
          says=without_mark(lambda message: message.infer_response.outputs and is_final(message) is not None)),
    right(STREAMS, "stream-errors-alone", "that an error names its request is a SHOULD", ["error-id"],
          says=of("ModelStreamInfer", lambda call, message: message.ClearField("infer_response") if message.error_message else None)),
    right(STREAMS, "stream-errors-with-names", "what stands beside error_message is not said", says=of("ModelStreamInfer", errors_with_names)),
    right(ALL, "stream-broken-is-unknown", "gRPC status codes: libraries say UNKNOWN or INTERNAL for what does not parse",
          hears=lambda call, message: refuse(grpc.StatusCode.UNKNOWN, "Exception deserializing request!") if message is None and call.request_type else None),
    right(STREAMS, "stream-broken-is-inside", "a message that is no request is an error of the stream or among the answers",
          says=broken_is_an_error_inside),
    right(HEALTH, "health-without-watch", "the health protocol has clients expect that Watch is UNIMPLEMENTED",
          hears=lambda call, message: refuse(UNIMPLEMENTED, "unimplemented") if call.rpc == "Watch" else None),
    right(HEALTH, "health-knows-itself", "the health protocol: Check of a service that is not known is NOT_FOUND", ["check-service"],
          hears=asked(("Check", "Watch"), lambda message: setattr(message, "service", message.service and "no.such.Service"))),
    right(None, "reflection-only-v1alpha", "a server may have the older edition alone", hears=lacks("v1"), flags=ONLY_REFLECTION),
    right(None, "reflection-only-v1", "a server may have the newer edition alone", hears=lacks("v1alpha"), flags=ONLY_REFLECTION),
    right(None, "reflection-of-v1-alone", "a server need not speak V2: its services are those that it has", hears=speaks_v1_alone,
          says=of_reflection(lists_no_v2), flags=ONLY_REFLECTION + ["--filter", "health-grpc/*"]),
    right(REFLECTION, "reflection-imports-first", "the files of an answer have no order", says=of_files(lambda call, files: files[::-1])),
    right(REFLECTION, "reflection-one-by-one", "imports may be left to requests of their own", says=of_files(lambda call, files: files[:1])),
    right(REFLECTION, "reflection-sends-once", "files that were sent on a stream need not be sent again", says=of_files(leaves_out_what_was_sent)),
    right(REFLECTION, "reflection-one-file", "a schema may be one file that imports nothing", says=of_files(all_in_one_file)),
    right(REFLECTION, "reflection-other-errors", "which error it is, the reflection protocol does not demand", ["reflection-grpc.unknown-code"],
          says=of_reflection(says_unimplemented_inside)),
    right(REFLECTION, "reflection-echoes-nothing", "that an answer repeats its request is a SHOULD", ["reflection-grpc.echoes-request"],
          says=of_reflection(echoes_nothing)),
    right(REFLECTION, "reflection-lists-more", "a server may have services of its own", says=of_reflection(lists_more)),
    right(V1, "v1-grpc-only-the-code", "002: request_status tells success or failure; its fields are those of a release",
          ["error-id", "error-message", "server-id", "stream-error-inside", "error-outputs", "status-id", "request-id"], says=each(v1_only_the_code)),
    right(V1, "v1-grpc-other-codes", "002 names no code of a failure", says=each(v1_other_codes)),
    right(V1, "v1-grpc-makes-ids", "002 does not say what becomes of an id that is not given", says=of(V1_INFERENCES, v1_makes_ids)),
    right(V1, "v1-grpc-interleaved", "the answers of a stream have ids, and the page promises no order", says=v1_interleaves),
]
