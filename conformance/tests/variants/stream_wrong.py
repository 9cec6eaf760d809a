"""Servers over gRPC that break exactly one sentence about streams of inferences, health, reflection or TensorRT Inference Server v1, in
ways that no deviation of the reference server has.

Each row of WRONG is a profile, a variant (stream_relay.py), and the slug of the requirement that must be among those that fail."""
import threading

import grpc
from google.protobuf import descriptor_pb2
from grpc_relay import Refusal
from over_grpc import over_streams, replaces
from stream_relay import StreamVariant, answer_of
from stream_variants import HEALTH, STREAMS, SUCCESS, V1, each, is_final, of, of_files
from wrong_meanings import WRONG as MEANT

OK, INTERNAL, NOT_FOUND = grpc.StatusCode.OK, grpc.StatusCode.INTERNAL, grpc.StatusCode.NOT_FOUND
V1_INFERENCES = ("Infer", "StreamInfer")


def of_streams(says):
    """Leaves the answers of other methods as they are."""
    return lambda call, answers: says(call, answers) if call.rpc in ("ModelStreamInfer", "StreamInfer") else answers


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


def waits_for_the_last(call, answers):
    """Says nothing before the model has made all of its answers."""
    yield from list(answers)


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


def refuses_instead(call, answers):
    for answer in answers:
        if is_error(answer):
            raise Refusal(INTERNAL, answer.message.error_message)
        yield answer


def says_errors_twice(call, answers):
    for answer in answers:
        yield answer
        if is_error(answer):
            yield answer


def swaps_pairs(call, answers):
    """Of each two answers to a request the second comes first."""
    held = None
    for answer in answers:
        if held is None:
            held = answer
            continue
        yield answer
        yield held
        held = None
    if held is not None:
        yield held


def loses_after(count):
    def says(call, answers):
        for number, answer in enumerate(answers):
            if number < count:
                yield answer
    return says


def doubles(number):
    def says(call, answers):
        for index, answer in enumerate(answers):
            yield answer
            if index == number:
                yield answer
    return says


def always_ends_with_an_empty_one(call, answers):
    yield from answers
    if is_decoupled(call):
        empty = call.reply()
        empty.infer_response.id = call.asked[-1].id
        empty.infer_response.parameters["triton_final_response"].bool_param = True
        yield answer_of(call, empty)


def without_the_empty_one(call, answers):
    for answer in answers:
        if not (is_final(answer.message) and not answer.message.infer_response.outputs):
            yield answer


def empty_one_is_an_error(call, message):
    if is_final(message) and not message.infer_response.outputs:
        message.error_message = "the end"


def empty_one_has_outputs(call, message):
    if is_final(message) and not message.infer_response.outputs:
        message.infer_response.outputs.add(name="OUT", datatype="INT32", shape=[0])


def each_is_final(call, message):
    if message.infer_response.outputs:
        message.infer_response.parameters["triton_final_response"].bool_param = True


def ends_where_nothing_comes(call, answers):
    """A request without an answer ends the stream."""
    for answer in answers:
        if not any(message is not None and any(list(tensor.shape) == [0] for tensor in message.inputs) for message in call.asked):
            yield answer


def id_of_the_first(call, message):
    if call.asked and call.asked[0] is not None:
        message.infer_response.id = call.asked[0].id


def id_of_the_last(call, answers):
    """Waits, since else the answers to the first request may have gone before the next one comes."""
    for answer in answers:
        if is_decoupled(call):
            call.ended.wait(1)
        if call.asked and call.asked[-1] is not None and answer.message.infer_response.id:
            answer.message.infer_response.id = call.asked[-1].id
        yield answer


def large_are_zero(call, message):
    replaces(message.infer_response.raw_output_contents, [
        raw if len(raw) <= 16384 else raw[:16384] + bytes(len(raw) - 16384) for raw in message.infer_response.raw_output_contents])


def index_from_one(call, message):
    """The second output of the decoupled model, which counts its answers, begins at 1."""
    answer = message.infer_response
    for number, output in enumerate(answer.outputs):
        if output.name == "IDX" and number < len(answer.raw_output_contents):
            answer.raw_output_contents[number] = (int.from_bytes(answer.raw_output_contents[number], "little") + 1).to_bytes(4, "little")


def refuses_a_second_request(call, message):
    if call.rpc == "ModelStreamInfer" and len(call.asked) > 1:
        raise Refusal(grpc.StatusCode.RESOURCE_EXHAUSTED, "one request for each stream")


def silent_end_is_an_error(call, answers):
    yield from answers
    raise Refusal(grpc.StatusCode.CANCELLED, "the client has ended its messages")


def ids_end(call, answers):
    """Behind the fortieth answer of a stream ids are missing."""
    for number, answer in enumerate(answers):
        if number >= 40:
            answer.message.infer_response.id = ""
        yield answer


class LastOfAll:
    """Answers have the id of the newest request of all streams."""

    def __init__(self):
        self.newest, self.lock = "", threading.Lock()

    def hears(self, call, message):
        if call.rpc == "ModelStreamInfer" and message is not None and message.id:
            with self.lock:
                self.newest = message.id

    def says(self, call, message):
        if call.rpc == "ModelStreamInfer" and message.infer_response.id:
            message.infer_response.id = self.newest


# --- Health and reflection -------------------------------------------------------------------------------------------------


def any_service_serves(call, message):
    if call.rpc in ("Check", "Watch") and message is not None:
        message.service = ""


def unknown_is_an_answer(call, answers):
    try:
        yield from answers
    except grpc.RpcError as error:
        if call.rpc != "Check" or error.code() != NOT_FOUND:
            raise
        yield answer_of(call, call.reply(status=3))
        raise Refusal(OK, "") from error


def watch_refuses_unknown(call, answers):
    for answer in answers:
        if call.rpc == "Watch" and answer.message is not None and answer.message.status == 3:
            raise Refusal(NOT_FOUND, "unknown service")
        yield answer


def watch_begins_with_unknown(call, answers):
    if call.rpc == "Watch":
        yield answer_of(call, call.reply(status=0))
    yield from answers


def of_reflection(edit):
    return of("ServerReflectionInfo", edit)


def unknown_is_no_file(call, message):
    if message.HasField("error_response"):
        message.file_descriptor_response.SetInParent()


def unknown_has_no_code(call, message):
    if message.HasField("error_response"):
        message.error_response.error_code = 0


def unknown_ends_the_stream(call, answers):
    for answer in answers:
        if call.rpc == "ServerReflectionInfo" and answer.message.HasField("error_response"):
            raise Refusal(NOT_FOUND, "not found")
        yield answer


def answers_last_first(call, answers):
    yield from reversed(list(answers)) if call.rpc == "ServerReflectionInfo" else answers


def only_the_service(call, files):
    """The file is found by the service, and not by its methods and messages."""
    asked = call.asked[-1].file_containing_symbol
    return files if not asked or asked.endswith("Service") else [descriptor_pb2.FileDescriptorProto(name="empty.proto")]


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
        file.name = file.name if call.asked[-1].file_containing_symbol else "file_" + file.name
    return files


def symbol_only(call, files):
    """Gives the file itself, and none by its name."""
    if call.asked[-1].file_by_filename:
        return []
    return files[:1]


# --- TensorRT Inference Server v1 ------------------------------------------------------------------------------------------


def of_v1(edit):
    """Makes an edit of the answers to inferences that succeeded."""
    return each(lambda call, message: edit(call, message)
                if call.method.startswith("/nvidia.") and call.rpc in V1_INFERENCES and message.request_status.code == SUCCESS else None)


def v1_always_success(call, message):
    if call.method.startswith("/nvidia.") and call.rpc in V1_INFERENCES:
        message.request_status.code = SUCCESS


def v1_model_shows_all(call, message):
    if call.rpc == "Status" and call.method.startswith("/nvidia.") and message is not None:
        message.model_name = ""


def v1_any_version(call, message):
    if call.rpc in V1_INFERENCES and call.method.startswith("/nvidia.") and message is not None and message.model_version > 2:
        message.model_version = -1


def v1_latest_is_first(call, message):
    if call.rpc in V1_INFERENCES and call.method.startswith("/nvidia.") and message is not None and message.model_version == -1:
        message.model_version = 1


def v1_inputs_by_place(call, message):
    if call.rpc in V1_INFERENCES and call.method.startswith("/nvidia.") and message is not None:
        names = sorted(tensor.name for tensor in message.meta_data.input)
        for tensor, name in zip(message.meta_data.input, names):
            tensor.name = name


def v1_cuts_raw(call, message):
    """What is missing of an input becomes zeros."""
    if call.rpc in V1_INFERENCES and call.method.startswith("/nvidia.") and message is not None:
        replaces(message.raw_input, [raw + bytes(-len(raw) % 64) if len(raw) in (60, 63) else raw for raw in message.raw_input])


def v1_health_is_silent(call, message):
    message.ClearField("request_status")


def v1_status_is_silent(call, message):
    message.ClearField("request_status")


def v1_stream_doubles(call, answers):
    for number, answer in enumerate(answers):
        yield answer
        if call.rpc == "StreamInfer" and number == 1:
            yield answer


def v1_stream_status_lost(call, message):
    message.ClearField("request_status")


def v1_without_header(call, message):
    message.ClearField("meta_data")


def wrong(profile, name, slug, why, **functions):
    return profile, StreamVariant(name, why, **functions), slug


R, LAST, MEANINGS = "reflection-grpc", LastOfAll(), {edit.name: edit for edit in MEANT}
WRONG = [
    wrong(STREAMS, "stream-waits-for-the-end", "answers-at-once", "answers come when the client has ended its messages",
          says=of_streams(waits_for_the_end), flags=["--timeout", "2"]),
    wrong(STREAMS, "stream-waits-for-the-last", "as-made", "answers come when the model has made all", says=of_streams(waits_for_the_last),
          flags=["--timeout", "2"]),
    wrong(STREAMS, "stream-ends-after-an-error", "error-inside", "behind an error nothing comes", says=of_streams(ends_after_an_error)),
    wrong(STREAMS, "stream-ends-with-the-error", "error-inside", "the stream ends with the error too", says=of_streams(ends_with_the_error)),
    wrong(STREAMS, "stream-error-is-a-status", "error-inside", "an error ends the stream", says=of_streams(refuses_instead)),
    wrong(STREAMS, "stream-errors-twice", "error-inside", "an error comes twice", says=of_streams(says_errors_twice)),
    wrong(STREAMS, "stream-pairs-swapped", "decoupled-order", "the second answer comes before the first", says=of_streams(swaps_pairs)),
    wrong(STREAMS, "stream-loses-after-500", "decoupled", "of many answers the first 500 come", says=of_streams(loses_after(500))),
    wrong(STREAMS, "stream-loses-after-50", "each-once", "the answers behind the fiftieth are lost", says=of_streams(loses_after(50))),
    wrong(STREAMS, "stream-doubles-the-third", "answers", "the third answer comes twice", says=of_streams(doubles(2))),
    wrong(STREAMS, "stream-doubles-the-ninth", "each-once", "the ninth answer comes twice", says=of_streams(doubles(8))),
    wrong(STREAMS, "stream-always-an-empty-one", "final-unasked", "an empty answer comes that nobody asked for",
          says=of_streams(always_ends_with_an_empty_one)),
    wrong(STREAMS, "stream-never-an-empty-one", "final-empty", "the empty answer that was asked for is missing",
          says=of_streams(without_the_empty_one)),
    wrong(STREAMS, "stream-empty-one-is-an-error", "final-empty", "the empty answer is an error", says=of("ModelStreamInfer", empty_one_is_an_error)),
    wrong(STREAMS, "stream-empty-one-has-outputs", "final-empty", "the last answer has an output without elements",
          says=of("ModelStreamInfer", empty_one_has_outputs)),
    wrong(STREAMS, "stream-each-is-final", "final-empty", "each answer says that it is the last", says=of("ModelStreamInfer", each_is_final)),
    wrong(STREAMS, "stream-none-ends-it", "decoupled-none", "a request without an answer ends the stream",
          says=of_streams(ends_where_nothing_comes)),
    wrong(STREAMS, "stream-id-of-the-first", "decoupled-apart", "all answers have the id of the first request",
          says=of("ModelStreamInfer", id_of_the_first)),
    wrong(STREAMS, "stream-id-of-the-last", "decoupled-apart", "answers have the id of the newest request",
          says=of_streams(id_of_the_last)),
    (STREAMS, over_streams(MEANINGS["id-cut-at-32"], "stream-id-is-cut"), "id-echoed"),
    wrong(STREAMS, "stream-large-are-zero", "answers", "what is behind 16 KiB of an output is zero", says=of("ModelStreamInfer", large_are_zero)),
    wrong(STREAMS, "stream-index-from-one", "decoupled", "the model counts its answers from 1", says=of("ModelStreamInfer", index_from_one)),
    wrong(STREAMS, "stream-one-request", "answers", "a stream takes one request", hears=refuses_a_second_request),
    wrong(STREAMS, "stream-end-is-cancelled", "half-close", "a stream ends with CANCELLED", says=of_streams(silent_end_is_an_error)),
    wrong(STREAMS, "stream-ids-end-at-40", "each-once", "behind the fortieth answer of a stream ids are missing", says=of_streams(ids_end)),
    (STREAMS, over_streams(MEANINGS["lags"], "stream-lags"), "each-once"),
    wrong(STREAMS, "stream-id-of-any-stream", "streams-apart", "answers have the id of the newest request of all streams", hears=LAST.hears,
          says=each(LAST.says)),
    wrong(HEALTH, "health-any-service", "check-unknown", "any service is SERVING", hears=any_service_serves),
    wrong(HEALTH, "health-unknown-is-an-answer", "check-unknown", "an unknown service is answered with SERVICE_UNKNOWN",
          says=unknown_is_an_answer),
    wrong(HEALTH, "health-watch-any-service", "watch-unknown", "any service is SERVING for who watches it", hears=any_service_serves),
    wrong(HEALTH, "health-watch-refuses", "watch-unknown", "Watch of an unknown service is NOT_FOUND", says=watch_refuses_unknown),
    wrong(HEALTH, "health-watch-begins-unknown", "watch", "Watch says UNKNOWN first", says=watch_begins_with_unknown),
    wrong(R, "reflection-unknown-is-no-file", "unknown", "what there is not is a file of nothing", says=of_reflection(unknown_is_no_file)),
    wrong(R, "reflection-unknown-without-code", "unknown", "an error has the code OK", says=of_reflection(unknown_has_no_code)),
    wrong(R, "reflection-unknown-ends", "in-order", "an error ends the stream", says=unknown_ends_the_stream),
    wrong(R, "reflection-last-first", "in-order", "answers come last first", says=answers_last_first),
    wrong(R, "reflection-only-services", "file-of-symbol", "messages and methods are not found", says=of_files(only_the_service)),
    wrong(R, "reflection-sends-once-for-all", "file-of-symbol", "a file that was sent on another stream is left out",
          says=of_files(SendsOnce().left)),
    wrong(R, "reflection-first-method", "file-of-symbol", "of a service only the first method is there", says=of_files(without_methods)),
    wrong(R, "reflection-other-file-names", "file-by-name", "a file has another name than it was asked for by", says=of_files(other_file_names)),
    wrong(R, "reflection-no-files-by-name", "file-by-name", "no file is found by its name", says=of_files(symbol_only)),
    wrong(V1, "v1-grpc-always-success", "model-known", "every RequestStatus tells success", says=each(v1_always_success)),
    wrong(V1, "v1-grpc-model-shows-all", "status-model", "the status of one model has all", hears=v1_model_shows_all),
    wrong(V1, "v1-grpc-any-version", "version-known", "unknown versions are the latest", hears=v1_any_version),
    wrong(V1, "v1-grpc-latest-is-first", "infer-latest", "the latest version is the first", hears=v1_latest_is_first),
    wrong(V1, "v1-grpc-inputs-by-place", "inputs-by-name", "inputs are known by their place", hears=v1_inputs_by_place),
    wrong(V1, "v1-grpc-raw-filled", "data-short", "what is missing of an input becomes zeros", hears=v1_cuts_raw),
    wrong(V1, "v1-grpc-health-without-status", "health-status", "health has no RequestStatus", says=of("Health", v1_health_is_silent)),
    wrong(V1, "v1-grpc-status-without-status", "request-status", "the status has no RequestStatus", says=of("Status", v1_status_is_silent)),
    wrong(V1, "v1-grpc-stream-status-lost", "stream-status", "answers of a stream have no RequestStatus",
          says=of("StreamInfer", v1_stream_status_lost)),
    wrong(V1, "v1-grpc-stream-doubles", "stream-answers", "an answer of a stream comes twice", says=v1_stream_doubles),
    wrong(V1, "v1-grpc-without-header", "meta-data", "answers have no meta_data", says=of_v1(v1_without_header)),
]
