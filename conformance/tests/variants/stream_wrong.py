"""Servers over gRPC that break exactly one sentence about streams of inferences, health, reflection or TensorRT Inference Server v1, in
ways that no deviation of the reference server has.

Each row of WRONG is a profile, a variant (grpc_relay.py), and the slug of the requirement that must be among those that fail."""
import threading

import grpc
from google.protobuf import descriptor_pb2
from grpc_relay import Variant, Refusal, answer_of, refuse
from over_grpc import over_grpc, replaces
from stream_variants import HEALTH, STREAMS, SUCCESS, V1, V1_INFERENCES, asked, instead, is_final, of, of_files, of_reflection
from wrong_meanings import WRONG as MEANT

OK, INTERNAL, NOT_FOUND = grpc.StatusCode.OK, grpc.StatusCode.INTERNAL, grpc.StatusCode.NOT_FOUND


def of_streams(says):
    """Leaves the answers of other methods as they are."""
    return lambda call, answers: says(call, answers) if call.rpc in ("ModelStreamInfer", "StreamInfer") else answers


def each_becomes(make):
    """Another list of answers for each one of a stream of inferences, `make(call, answer, its number)`."""
    return instead(("ModelStreamInfer", "StreamInfer"), make)


def each_answer(edit):
    """An edit of the answers to inferences of V2 in streams, `edit(call, ModelInferResponse)`."""
    return of("ModelStreamInfer", lambda call, message: edit(call, message.infer_response))


def is_error(answer):
    return answer.message is not None and bool(answer.message.error_message)


def is_decoupled(call):
    return any(message is not None and message.model_name == "repeat_int32" for message in call.asked)


# --- Streams of inferences -------------------------------------------------------------------------------------------------


def waits_for_the_end(call, answers):
    """Says nothing before the client has sent its last message."""
    held = []
    for answer in answers:
        held.append(answer)
        if not call.ended.wait(4):
            return
    yield from held


def ends_after_an_error(call, answers):
    failed = False
    for answer in answers:
        if not failed:
            yield answer
        failed = failed or is_error(answer)


def ends_with_the_error(call, answers):
    failed = ""
    for answer in answers:
        failed = failed or (answer.message.error_message if answer.message is not None else "")
        yield answer
    if failed:
        raise Refusal(INTERNAL, failed)


def swaps_pairs(call, answers):
    """Of each two answers to a request the second comes first."""
    for answer in answers:
        following = next(answers, None)
        yield from [answer] if following is None else [following, answer]


def always_ends_with_an_empty_one(call, answers):
    yield from answers
    if is_decoupled(call):
        empty = call.reply_type()
        empty.infer_response.id = call.asked[-1].id
        empty.infer_response.parameters["triton_final_response"].bool_param = True
        yield answer_of(call, empty)


def is_the_empty_one(message):
    return is_final(message) and not message.infer_response.outputs


def of_the_empty_one(edit):
    return of("ModelStreamInfer", lambda call, message: edit(message) if is_the_empty_one(message) else None)


def each_is_final(call, answer):
    if answer.outputs:
        answer.parameters["triton_final_response"].bool_param = True


def asks_for_nothing(call):
    return any(message is not None and any(list(tensor.shape) == [0] for tensor in message.inputs) for message in call.asked)


def with_id_of_the_last(call, answer, number):
    """Waits, since else the answers to the first request may have gone before the next one comes."""
    if is_decoupled(call):
        call.ended.wait(1)
    if call.asked and call.asked[-1] is not None and answer.message.infer_response.id:
        answer.message.infer_response.id = call.asked[-1].id
    return [answer]


def index_from_one(call, answer):
    """The second output of the decoupled model, which counts its answers, begins at 1."""
    for number, output in enumerate(answer.outputs):
        if output.name == "IDX" and number < len(answer.raw_output_contents):
            answer.raw_output_contents[number] = (int.from_bytes(answer.raw_output_contents[number], "little") + 1).to_bytes(4, "little")


def silent_end_is_an_error(call, answers):
    yield from answers
    raise Refusal(grpc.StatusCode.CANCELLED, "the client has ended its messages")


def without_id_from_40(call, answer, number):
    if number >= 40:
        answer.message.infer_response.id = ""
    return [answer]


class LastOfAll:
    """Answers have the id of the newest request of all streams."""

    def __init__(self):
        self.newest, self.lock = "", threading.Lock()

    def hears(self, message):
        with self.lock:
            self.newest = message.id or self.newest

    def says(self, call, answer):
        if answer.id:
            answer.id = self.newest


# --- Health and reflection -------------------------------------------------------------------------------------------------


any_service_serves = asked(("Check", "Watch"), lambda message: message.ClearField("service"))


def unknown_is_an_answer(call, answers):
    try:
        yield from answers
    except grpc.RpcError as error:
        if call.rpc != "Check" or error.code() != NOT_FOUND:
            raise
        yield answer_of(call, call.reply_type(status=3))
        raise Refusal(OK, "") from error


def watch_begins_with_unknown(call, answers):
    if call.rpc == "Watch":
        yield answer_of(call, call.reply_type(status=0))
    yield from answers


def of_unknown(edit):
    return of_reflection(lambda call, message: edit(message) if message.HasField("error_response") else None)


def only_the_service(call, files):
    """The file is found by the service, and not by its methods and messages."""
    symbol = call.answered.file_containing_symbol
    return files if not symbol or symbol.endswith("Service") else [descriptor_pb2.FileDescriptorProto(name="empty.proto")]


class SendsOnce:
    """Files that were sent on one stream are left out of all others."""

    def __init__(self):
        self.sent = set()

    def left(self, call, files):
        left = [file for file in files if file.name not in self.sent]
        self.sent.update(file.name for file in files)
        return left


def without_methods(call, files):
    for file in files:
        for service in file.service:
            del service.method[1:]
    return files


def other_file_names(call, files):
    for file in files:
        file.name = file.name if call.answered.file_containing_symbol else "file_" + file.name
    return files


# --- TensorRT Inference Server v1 ------------------------------------------------------------------------------------------


def of_v1(edit):
    """Makes an edit of the answers to inferences that succeeded."""
    return of(V1_INFERENCES, lambda call, message: edit(message) if message.request_status.code == SUCCESS else None)


def loses(rpc, field):
    return of(rpc, lambda call, message: message.ClearField(field))


def takes_version(version, where):
    """Inferences of a version for which `where(version)` holds are of that one."""
    return asked(V1_INFERENCES, lambda message: setattr(message, "model_version", version) if where(message.model_version) else None)


def inputs_by_place(message):
    for tensor, name in zip(message.meta_data.input, sorted(tensor.name for tensor in message.meta_data.input)):
        tensor.name = name


def cuts_raw(message):
    """What is missing of an input becomes zeros."""
    replaces(message.raw_input, [raw + bytes(-len(raw) % 64) if len(raw) in (60, 63) else raw for raw in message.raw_input])


def wrong(profile, name, slug, why, **functions):
    return profile, Variant(name, why, **functions), slug


R, LAST, MEANINGS = "reflection-grpc", LastOfAll(), {edit.name: edit for edit in MEANT}
WRONG = [
    wrong(STREAMS, "stream-waits-for-the-end", "answers-at-once", "answers come when the client has ended its messages",
          says=of_streams(waits_for_the_end), flags=["--timeout", "2"]),
    wrong(STREAMS, "stream-waits-for-the-last", "as-made", "answers come when the model has made all", says=of_streams(lambda call, answers: iter(list(answers))),
          flags=["--timeout", "2"]),
    wrong(STREAMS, "stream-ends-after-an-error", "error-inside", "after an error nothing comes", says=of_streams(ends_after_an_error)),
    wrong(STREAMS, "stream-ends-with-the-error", "error-inside", "the stream ends with the error too", says=of_streams(ends_with_the_error)),
    wrong(STREAMS, "stream-error-is-a-status", "error-inside", "an error ends the stream",
          says=each_becomes(lambda call, answer, number: refuse(INTERNAL, answer.message.error_message) if is_error(answer) else [answer])),
    wrong(STREAMS, "stream-errors-twice", "error-inside", "an error comes twice", says=each_becomes(lambda call, answer, number: [answer] * (1 + is_error(answer)))),
    wrong(STREAMS, "stream-pairs-swapped", "decoupled-order", "the second answer comes before the first", says=of_streams(swaps_pairs)),
    wrong(STREAMS, "stream-loses-after-500", "decoupled", "of many answers the first 500 come", says=each_becomes(lambda call, answer, number: [answer] * (number < 500))),
    wrong(STREAMS, "stream-loses-after-50", "each-once", "the answers after the fiftieth are lost",
          says=each_becomes(lambda call, answer, number: [answer] * (number < 50))),
    wrong(STREAMS, "stream-doubles-the-third", "answers", "the third answer comes twice", says=each_becomes(lambda call, answer, number: [answer] * (1 + (number == 2)))),
    wrong(STREAMS, "stream-doubles-the-ninth", "each-once", "the ninth answer comes twice", says=each_becomes(lambda call, answer, number: [answer] * (1 + (number == 8)))),
    wrong(STREAMS, "stream-always-an-empty-one", "final-unasked", "an empty answer comes that nobody asked for",
          says=of_streams(always_ends_with_an_empty_one)),
    wrong(STREAMS, "stream-never-an-empty-one", "final-empty", "the empty answer that was asked for is missing",
          says=each_becomes(lambda call, answer, number: [answer] * (not is_the_empty_one(answer.message)))),
    wrong(STREAMS, "stream-empty-one-is-an-error", "final-empty", "the empty answer is an error",
          says=of_the_empty_one(lambda message: setattr(message, "error_message", "the end"))),
    wrong(STREAMS, "stream-empty-one-has-outputs", "final-empty", "the last answer has an output without elements",
          says=of_the_empty_one(lambda message: message.infer_response.outputs.add(name="OUT", datatype="INT32", shape=[0]))),
    wrong(STREAMS, "stream-each-is-final", "final-empty", "each answer says that it is the last", says=each_answer(each_is_final)),
    wrong(STREAMS, "stream-none-ends-it", "decoupled-none", "a request without an answer ends the stream",
          says=each_becomes(lambda call, answer, number: [answer] * (not asks_for_nothing(call)))),
    wrong(STREAMS, "stream-id-of-the-first", "decoupled-apart", "all answers have the id of the first request",
          says=each_answer(lambda call, answer: setattr(answer, "id", call.asked[0].id) if call.asked and call.asked[0] is not None else None)),
    wrong(STREAMS, "stream-id-of-the-last", "decoupled-apart", "answers have the id of the newest request",
          says=each_becomes(with_id_of_the_last)),
    (STREAMS, over_grpc(MEANINGS["id-cut-at-32"], "stream-id-is-cut"), "id-echoed"),
    wrong(STREAMS, "stream-large-are-zero", "answers", "what is after 16 KiB of an output is zero",
          says=each_answer(lambda call, answer: replaces(answer.raw_output_contents, [raw[:16384] + bytes(max(len(raw) - 16384, 0))
                                                                                      for raw in answer.raw_output_contents]))),
    wrong(STREAMS, "stream-index-from-one", "decoupled", "the model counts its answers from 1", says=each_answer(index_from_one)),
    wrong(STREAMS, "stream-one-request", "answers", "a stream takes one request", hears=lambda call, message: refuse(
        grpc.StatusCode.RESOURCE_EXHAUSTED, "one request for each stream") if call.rpc == "ModelStreamInfer" and len(call.asked) > 1 else None),
    wrong(STREAMS, "stream-end-is-cancelled", "half-close", "a stream ends with CANCELLED", says=of_streams(silent_end_is_an_error)),
    wrong(STREAMS, "stream-ids-end-at-40", "each-once", "after the fortieth answer of a stream ids are missing", says=each_becomes(without_id_from_40)),
    (STREAMS, over_grpc(MEANINGS["lags"], "stream-lags"), "each-once"),
    wrong(STREAMS, "stream-id-of-any-stream", "streams-apart", "answers have the id of the newest request of all streams",
          hears=asked("ModelStreamInfer", LAST.hears), says=each_answer(LAST.says)),
    wrong(HEALTH, "health-any-service", "check-unknown", "any service is SERVING", hears=any_service_serves),
    wrong(HEALTH, "health-unknown-is-an-answer", "check-unknown", "an unknown service is answered with SERVICE_UNKNOWN",
          says=unknown_is_an_answer),
    wrong(HEALTH, "health-watch-any-service", "watch-unknown", "any service is SERVING for who watches it", hears=any_service_serves),
    wrong(HEALTH, "health-watch-refuses", "watch-unknown", "Watch of an unknown service is NOT_FOUND", says=instead("Watch", lambda call, answer, number: refuse(
        NOT_FOUND, "unknown service") if answer.message is not None and answer.message.status == 3 else [answer])),
    wrong(HEALTH, "health-watch-begins-unknown", "watch", "Watch says UNKNOWN first", says=watch_begins_with_unknown),
    wrong(R, "reflection-unknown-is-no-file", "unknown", "what there is not is a file of nothing",
          says=of_unknown(lambda message: message.file_descriptor_response.SetInParent())),
    wrong(R, "reflection-unknown-without-code", "unknown", "an error has the code OK", says=of_unknown(lambda message: message.error_response.ClearField("error_code"))),
    wrong(R, "reflection-unknown-ends", "in-order", "an error ends the stream", says=of_unknown(lambda message: refuse(NOT_FOUND, "not found"))),
    wrong(R, "reflection-last-first", "in-order", "answers come last first",
          says=lambda call, answers: reversed(list(answers)) if call.rpc == "ServerReflectionInfo" else answers),
    wrong(R, "reflection-only-services", "file-of-symbol", "messages and methods are not found", says=of_files(only_the_service)),
    wrong(R, "reflection-sends-once-for-all", "file-of-symbol", "a file that was sent on another stream is left out",
          says=of_files(SendsOnce().left)),
    wrong(R, "reflection-first-method", "file-of-symbol", "of a service only the first method is there", says=of_files(without_methods)),
    wrong(R, "reflection-other-file-names", "file-by-name", "a file has another name than it was asked for by", says=of_files(other_file_names)),
    wrong(R, "reflection-no-files-by-name", "file-by-name", "no file is found by its name",
          says=of_files(lambda call, files: [] if call.answered.file_by_filename else files[:1])),
    wrong(V1, "v1-grpc-always-success", "model-known", "every RequestStatus tells success",
          says=of(V1_INFERENCES, lambda call, message: setattr(message.request_status, "code", SUCCESS))),
    wrong(V1, "v1-grpc-model-shows-all", "status-model", "the status of one model has all", hears=asked("Status", lambda message: message.ClearField("model_name"))),
    wrong(V1, "v1-grpc-any-version", "version-known", "unknown versions are the latest", hears=takes_version(-1, lambda version: version > 2)),
    wrong(V1, "v1-grpc-latest-is-first", "infer-latest", "the latest version is the first", hears=takes_version(1, lambda version: version == -1)),
    wrong(V1, "v1-grpc-inputs-by-place", "inputs-by-name", "inputs are known by their place", hears=asked(V1_INFERENCES, inputs_by_place)),
    wrong(V1, "v1-grpc-raw-filled", "data-short", "what is missing of an input becomes zeros", hears=asked(V1_INFERENCES, cuts_raw)),
    wrong(V1, "v1-grpc-health-without-status", "health-status", "health has no RequestStatus", says=loses("Health", "request_status")),
    wrong(V1, "v1-grpc-status-without-status", "request-status", "the status has no RequestStatus", says=loses("Status", "request_status")),
    wrong(V1, "v1-grpc-stream-status-lost", "stream-status", "answers of a stream have no RequestStatus", says=loses("StreamInfer", "request_status")),
    wrong(V1, "v1-grpc-stream-doubles", "stream-answers", "an answer of a stream comes twice",
          says=instead("StreamInfer", lambda call, answer, number: [answer] * (1 + (number == 1)))),
    wrong(V1, "v1-grpc-without-header", "meta-data", "answers have no meta_data", says=of_v1(lambda message: message.ClearField("meta_data"))),
]
