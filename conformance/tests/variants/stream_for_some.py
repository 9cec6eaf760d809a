"""Servers over gRPC that are wrong for some requests only, in streams, sequences, the repository and TensorRT Inference Server v1, and some
that choose otherwise there: the reference server behind the relay of stream_relay.py.

The rows of VARIANTS and WRONG are as in stream_variants.py and stream_wrong.py."""
import threading

from stream_relay import StreamVariant
from stream_variants import STREAMS, V1, each, of, replaces
from stream_wrong import of_streams, of_v1, wrong

SEQUENCE, REPOSITORY = "sequence-grpc", "v2-grpc,repository-grpc"
MUTATION = ["--allow-mutation", "--filter", "repository-grpc/*"]

# --- Streams ---------------------------------------------------------------------------------------------------------------


def ids_end(call, answers):
    """Behind the fortieth answer of a stream ids are missing."""
    for number, answer in enumerate(answers):
        if number >= 40:
            answer.message.infer_response.id = ""
        yield answer


def lags(call, answers):
    """Each answer of a stream holds the data of the one before, if that is of the same size."""
    before = None
    for answer in answers:
        raws = list(answer.message.infer_response.raw_output_contents)
        if before is not None and [len(raw) for raw in raws] == [len(raw) for raw in before]:
            replaces(answer.message.infer_response.raw_output_contents, before)
        before = raws
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


# --- Sequences and the repository ------------------------------------------------------------------------------------------


def of_sequences(edit):
    def hears(call, message):
        if call.rpc == "ModelInfer" and message is not None and "sequence_id" in message.parameters \
                and message.parameters["sequence_id"].int64_param > 0:
            edit(message.parameters)
    return hears


def one_for_all(parameters):
    parameters["sequence_id"].int64_param = 1


def ids_of_tens(parameters):
    parameters["sequence_id"].int64_param = parameters["sequence_id"].int64_param // 10 + 1000


def each_begins_anew(parameters):
    parameters["sequence_start"].bool_param = True


def all_are_ready(call, message):
    for model in message.models:
        model.state = "READY"


def versions_are_zero(call, message):
    for model in message.models:
        model.version = "0"


def index_backwards(call, message):
    if call.rpc == "RepositoryIndex":
        replaces(message.models, reversed(message.models))


# --- TensorRT Inference Server v1 ------------------------------------------------------------------------------------------


def elements_are_swapped(call, message):
    replaces(message.raw_output, [raw[4:8] + raw[:4] + raw[8:] if len(raw) >= 64 else raw for raw in message.raw_output])


def versions_are_one(call, message):
    message.meta_data.model_version = 1


def outputs_have_one_name(call, message):
    for output in message.meta_data.output:
        output.name = message.meta_data.output[0].name


LAST = LastOfAll()
VARIANTS = [
    (REPOSITORY, StreamVariant("index-grpc-backwards", "001 gives the entries of the index no order", says=each(index_backwards), judged=50,
                               flags=MUTATION)),
]

WRONG = [
    wrong(STREAMS, "stream-ids-end-at-40", "each-once", "behind the fortieth answer of a stream ids are missing", says=of_streams(ids_end)),
    wrong(STREAMS, "stream-lags", "each-once", "an answer holds the data of the one before", says=of_streams(lags)),
    wrong(STREAMS, "stream-id-of-any-stream", "streams-apart", "answers have the id of the newest request of all streams", hears=LAST.hears,
          says=each(LAST.says)),
    wrong(SEQUENCE, "sequence-grpc-one-for-all", "apart", "all sequences are one", hears=of_sequences(one_for_all)),
    wrong(SEQUENCE, "sequence-grpc-ids-of-tens", "apart", "sequences of the same ten are one", hears=of_sequences(ids_of_tens)),
    wrong(SEQUENCE, "sequence-grpc-always-new", "state", "each request begins its sequence", hears=of_sequences(each_begins_anew)),
    wrong(REPOSITORY, "index-grpc-always-ready", "repository-grpc.index-truthful", "every model in the index is READY",
          says=of("RepositoryIndex", all_are_ready), flags=MUTATION),
    wrong(REPOSITORY, "index-grpc-version-0", "repository-grpc.index-version", "entries of the index name the version 0",
          says=of("RepositoryIndex", versions_are_zero), flags=MUTATION),
    wrong(V1, "v1-grpc-elements-swapped", "output-values", "the first two elements of a large tensor are swapped", says=of_v1(elements_are_swapped)),
    wrong(V1, "v1-grpc-version-1", "model-version-is-asked", "every answer names version 1", says=of_v1(versions_are_one)),
    wrong(V1, "v1-grpc-one-name", "output-name", "all outputs have the name of the first", says=of_v1(outputs_have_one_name)),
]
