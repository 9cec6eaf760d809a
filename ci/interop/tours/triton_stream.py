"""A tour of streams with tritonclient: triton_stream.py sync|aio      GRPC: the server

It does what Triton's own examples of streams do, with the same models: sequences, sequences that are dynamic, and a model that
repeats. Each tour is played over one stream."""
import asyncio
import queue
import sys

import numpy
from tour import A, B, GRPC, Tour

form = sys.argv[1]
if form == "aio":
    import tritonclient.grpc.aio as library
else:
    import tritonclient.grpc as library
tour = Tour("tritonclient stream " + form)


def tensor(name, datatype, array):
    made = library.InferInput(name, list(array.shape), datatype)
    made.set_data_from_numpy(array)
    return made


def plain(pair):
    """Returns what one answer says: ("error", text), or (id, {output: values}, whether it says that it is the last)."""
    result, error = pair
    if error:
        return "error", str(error)
    response = result.get_response()
    last = response.parameters["triton_final_response"].bool_param
    return response.id, {o.name: result.as_numpy(o.name).ravel().tolist() for o in response.outputs}, last


def sync_answers(requests, count):
    answers = queue.Queue()
    with library.InferenceServerClient(GRPC) as client:
        client.start_stream(callback=lambda result, error: answers.put((result, error)), stream_timeout=60)
        for request in requests:
            client.async_stream_infer(**request)
        return [plain(answers.get(timeout=20)) for _ in range(count)]


async def aio_answers(requests, count):
    async def each():
        for request in requests:
            yield request

    async with library.InferenceServerClient(GRPC) as client:
        found = [plain(pair) async for pair in client.stream_infer(inputs_iterator=each(), stream_timeout=60)]
    assert len(found) == count, found
    return found


def answers(requests, count):
    """Returns the answers to the requests of one stream; there must be so many."""
    return asyncio.run(aio_answers(requests, count)) if form == "aio" else sync_answers(requests, count)


VALUES = [11, 7, 5, 3, 2, 0, 1]


def sequence(model, identity, first, sign):
    values = [first] + [sign * value for value in VALUES]
    for i, value in enumerate(values):
        yield {"model_name": model, "inputs": [tensor("INPUT", "INT32", numpy.full((1, 1), value, numpy.int32))],
               "outputs": [library.InferRequestedOutput("OUTPUT")], "request_id": f"{identity}_{i}", "sequence_id": identity,
               "sequence_start": i == 0, "sequence_end": i + 1 == len(values)}


def sequences(model, string_model, text):
    """Three sequences on one stream, one after the other; the answers of each."""
    requests = [*sequence(model, 1000, 0, 1), *sequence(model, 1001, 100, -1), *sequence(string_model, text, 20, -1)]
    found = {}
    for id, outputs, last in answers(requests, len(requests)):
        assert last is True
        found.setdefault(id.split("_")[0], []).append(outputs["OUTPUT"][0])
    return found


def total(values, more):
    """What a dynamic sequence adds up to: the sums, and in the last answer `more`."""
    sums = [sum(values[: i + 1]) for i in range(len(values))]
    return sums[:-1] + [sums[-1] + more]


def repeat(values, delay, **options):
    count = len(values)
    return {"model_name": "repeat_int32", "inputs": [
        tensor("IN", "INT32", numpy.array(values, numpy.int32)), tensor("DELAY", "UINT32", numpy.full([count], delay, numpy.uint32)),
        tensor("WAIT", "UINT32", numpy.array([delay], numpy.uint32))], **options}


def simple(number):
    return {"model_name": "simple", "inputs": [tensor("INPUT0", "INT32", A + numpy.int32(number)), tensor("INPUT1", "INT32", B)],
            "request_id": str(number)}


def thousand():
    found = answers((simple(i) for i in range(1000)), 1000)
    right = [(str(i), {"OUTPUT0": (A + i + B).ravel().tolist(), "OUTPUT1": (A + i - B).ravel().tolist()}, True) for i in range(1000)]
    return found == right


def with_a_failure():
    found = answers([simple(1), {**simple(2), "model_name": "no_such_model"}, simple(3)], 3)
    return [answer[0] for answer in found], "no_such_model" in found[1][1]


def generated():
    text = tensor("text_input", "BYTES", numpy.array([b"one two"], object))
    request = {"model_name": "tokens", "inputs": [text], "request_id": "t", "parameters": {"stream": True, "max_tokens": 3}}
    return [answer[1]["text_output"] for answer in answers([request], 3)]


plus_one = lambda values: [values[0] + 1, *values[1:]]  # the models that are not dynamic mark the first answer
minus = [-value for value in VALUES]
tour.check("sequences on one stream", lambda: sequences("simple_sequence", "simple_sequence", "a-text"),
           {"1000": plus_one([0, *VALUES]), "1001": plus_one([100, *minus]), "a-text": plus_one([20, *minus])})
tour.check("dynamic sequences on one stream", lambda: sequences("simple_dyna_sequence", "simple_string_dyna_sequence", "1002"),
           {"1000": [*plus_one([0, *VALUES])[:-1], 1 + 1000], "1001": [*plus_one([100, *minus])[:-1], -1 + 1001],
            "1002": total([20, *minus], 1002)})
tour.check("a thousand requests on one stream", thousand, True)
tour.check("a model that repeats", lambda: answers([repeat(range(100, 110), 5, outputs=[library.InferRequestedOutput("OUT")])], 10),
           [("", {"OUT": [100 + i]}, False) for i in range(10)])
if form == "sync":  # the other client cannot ask for it
    tour.check("a last answer that is empty",
               lambda: answers([repeat([7], 0, request_id="r", enable_empty_final_response=True)], 2),
               [("r", {"OUT": [7], "IDX": [0]}, False), ("r", {}, True)])
tour.check("no answer at all", lambda: answers([repeat([], 0), simple(5)], 1)[0][0], "5")
tour.check("a failure among answers", with_a_failure, (["1", "error", "3"], True))
tour.check("tokens", generated, [[b"one"], [b" two"], [b" one"]])
tour.end()
