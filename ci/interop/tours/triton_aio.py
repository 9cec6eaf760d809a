"""A tour with the asyncio clients of tritonclient: triton_aio.py http|grpc      TARGET, GRPC: the server"""
import asyncio
import sys

import numpy
from tour import A, B, GRPC, HTTP, Tour

transport = sys.argv[1]
if transport == "http":
    import tritonclient.http.aio as library
else:
    import tritonclient.grpc.aio as library
tour = Tour("tritonclient asyncio " + transport)


def tensor(name, datatype, array):
    made = library.InferInput(name, list(array.shape), datatype)
    made.set_data_from_numpy(array)
    return made


def texts(array):
    return numpy.array([str(x).encode() for x in array.ravel()], object).reshape(array.shape)


async def ask(call):
    """Runs `call(client)` with a client of its own, since a client belongs to one event loop."""
    async with library.InferenceServerClient(HTTP if transport == "http" else GRPC) as client:
        return await call(client)


def check(says, call, wanted):
    tour.check(says, lambda: asyncio.run(ask(call)), wanted)


async def simple(client, number=0, **options):
    inputs = [tensor("INPUT0", "INT32", A + numpy.int32(number)), tensor("INPUT1", "INT32", B)]
    result = await client.infer("simple", inputs, **options)
    return result.as_numpy("OUTPUT0"), result.as_numpy("OUTPUT1")


async def side_by_side(client):
    return await asyncio.gather(*(simple(client, number) for number in range(64)))


async def strings(client):
    result = await client.infer("simple_string", [tensor("INPUT0", "BYTES", texts(A)), tensor("INPUT1", "BYTES", texts(B))])
    return result.as_numpy("OUTPUT0"), result.as_numpy("OUTPUT1")


async def sequence(client, identity, numbers):
    answers = []
    for i, number in enumerate(numbers):
        one = numpy.full((1, 1), number, numpy.int32)
        result = await client.infer("simple_sequence", [tensor("INPUT", "INT32", one)], sequence_id=identity,
                                    sequence_start=i == 0, sequence_end=i + 1 == len(numbers))
        answers.append(int(result.as_numpy("OUTPUT")[0][0]))
    return answers


async def sequences(client):
    """Two sequences take turns."""
    return await asyncio.gather(sequence(client, 2001, [0, 11, 7, 5]), sequence(client, "two", [100, -11, -7, -5]))


check("the server is live", lambda client: client.is_server_live(), True)
check("a model is ready", lambda client: client.is_model_ready("simple"), True)
check("sum and difference", simple, (A + B, A - B))
check("priority and timeout", lambda client: simple(client, priority=1, timeout=60000000), (A + B, A - B))
check("64 requests side by side", side_by_side, [(A + B + numpy.int32(i), A - B + numpy.int32(i)) for i in range(64)])
check("simple_string", strings, (texts(A + B), texts(A - B)))
check("two sequences", sequences, [[1, 11, 7, 5], [101, -11, -7, -5]])
tour.refused("refused: an unknown model", lambda: asyncio.run(ask(lambda client: client.infer(
    "no_such_model", [tensor("INPUT0", "INT32", A)]))), "Request for unknown model", "404" if transport == "http" else "NOT_FOUND")
check("sound after: an unknown model", simple, (A + B, A - B))
tour.end()
