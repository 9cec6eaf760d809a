"""A tour with KServe's Python client, REST and gRPC      TARGET, GRPC: the server, with --dialect kserve

The client reads JSON bodies of the health endpoints. The document does not define these, so the server needs the dialect."""
import asyncio
import logging
import os

import numpy
from kserve import InferenceGRPCClient, InferenceRESTClient, InferInput, InferRequest, RESTConfig
from kserve.protocol.infer_type import RequestedOutput
from tour import A, B, GRPC, NOT_UTF8, VALUES, Tour

logging.disable(logging.CRITICAL)
URL = os.environ["TARGET"]
loop = asyncio.new_event_loop()
asyncio.set_event_loop(loop)
rest = InferenceRESTClient(RESTConfig(protocol="v2", timeout=30))
grpc = InferenceGRPCClient(GRPC)


def wait(coroutine):
    return loop.run_until_complete(coroutine)


def tensor(name, datatype, array, binary):
    made = InferInput(name, list(array.shape), datatype)
    made.set_data_from_numpy(array, binary_data=binary)
    return made


def tour_of(transport, binary):
    """`binary` means raw contents over gRPC, and binary tensors over REST."""
    is_rest = transport == "REST"
    form = f"REST {'binary' if binary else 'JSON'}" if is_rest else f"gRPC {'raw' if binary else 'typed'}"
    tour = Tour(f"kserve {form}")
    not_found, client_error = ("404", "400") if is_rest else ("NOT_FOUND", "INVALID_ARGUMENT")

    def send(model, inputs, **options):
        request = InferRequest(model, inputs, **options)
        if is_rest:
            return wait(rest.infer(URL, request, model_name=model))
        return wait(grpc.infer(request))

    def simple(a=A, b=B, **options):
        return send("simple", [tensor("INPUT0", "INT32", a, binary), tensor("INPUT1", "INT32", b, binary)], **options)

    def arrays(response):
        return {output.name: output.as_numpy() for output in response.outputs}

    def identity(datatype, array):
        return arrays(send("identity_" + datatype.lower(), [tensor("INPUT0", datatype, array, binary)]))["OUTPUT0"]

    wanted = {"OUTPUT0": A + B, "OUTPUT1": A - B}
    where = (URL,) if is_rest else ()
    client = rest if is_rest else grpc
    tour.check("the server is live", lambda: wait(client.is_server_live(*where)), True)
    tour.check("the server is ready", lambda: wait(client.is_server_ready(*where)), True)
    tour.check("a model is ready", lambda: wait(client.is_model_ready(*where, "simple")), True)
    if is_rest:
        tour.check("an unknown model is not ready", lambda: wait(rest.is_model_ready(URL, "no_such_model")), False)
    else:
        tour.refused("an unknown model is not ready", lambda: wait(grpc.is_model_ready("no_such_model")), "NOT_FOUND")

    tour.check("sum and difference", lambda: arrays(simple()), wanted)
    tour.check("a batch of three", lambda: arrays(simple(numpy.repeat(A, 3, 0), numpy.repeat(B, 3, 0))),
               {name: numpy.repeat(array, 3, 0) for name, array in wanted.items()})
    tour.check("the answer names the model", lambda: simple().model_name, "simple")
    if not is_rest:  # the client does not read it from JSON
        tour.check("the answer names the version", lambda: simple().model_version, "1")
    for request_id in ("42", "größe 数量 🙂"):
        tour.check(f"the id comes back: {request_id}", lambda: simple(request_id=request_id).id, request_id)
    tour.check("parameters do no harm", lambda: arrays(simple(parameters={"a": "text", "b": 7, "c": True})), wanted)
    tour.check("one output", lambda: arrays(simple(request_outputs=[RequestedOutput("OUTPUT1")])), {"OUTPUT1": A - B})
    for datatype, array in VALUES.items():
        if datatype == "FP16" and not binary:
            tour.refused("FP16 is refused by the client itself", lambda: identity(datatype, array), "FP16" if is_rest else "datatype")
            continue
        tour.check(f"{datatype} there and back", lambda: identity(datatype, array), array)
    if binary and not is_rest:
        tour.check("BYTES that are no UTF-8", lambda: identity("BYTES", NOT_UTF8), NOT_UTF8)

    one = tensor("INPUT0", "INT32", A, binary)
    floats = tensor("INPUT1", "FP32", numpy.zeros((1, 16), numpy.float32), binary)
    two = tensor("INPUT1", "INT32", B, binary)
    table = [
        ("an unknown model", lambda: send("no_such_model", [one]), ["no_such_model", not_found]),
        ("a missing input", lambda: send("simple", [one]), ["INPUT1", client_error]),
        ("an unknown input", lambda: send("simple", [one, two, tensor("no_such", "INT32", B, binary)]), ["no_such", client_error]),
        ("another datatype", lambda: send("simple", [one, floats]), ["INPUT1", client_error]),
        ("another shape", lambda: simple(A.reshape(16, 1), B), ["INPUT0", client_error]),
        ("an unknown output", lambda: simple(request_outputs=[RequestedOutput("no_such")]), ["no_such", client_error]),
    ]
    for says, call, words in table:
        tour.refused(f"refused: {says}", call, *words)
        tour.check(f"sound after: {says}", lambda: arrays(simple()), wanted)

    async def many():
        def request(i):
            return InferRequest("simple", [tensor("INPUT0", "INT32", A + numpy.int32(i), binary), tensor("INPUT1", "INT32", B, binary)])
        calls = [rest.infer(URL, request(i), model_name="simple") if is_rest else grpc.infer(request(i)) for i in range(32)]
        return [arrays(response) for response in await asyncio.gather(*calls)]

    tour.check("32 requests side by side", lambda: wait(many()),
               [{"OUTPUT0": A + B + numpy.int32(i), "OUTPUT1": A - B + numpy.int32(i)} for i in range(32)])
    return tour


tours = [tour_of("REST", False), tour_of("REST", True), tour_of("gRPC", True), tour_of("gRPC", False)]
wait(rest.close())
wait(grpc.close())
total = Tour("kserve")
total.passed, total.failed = sum(t.passed for t in tours), sum(t.failed for t in tours)
total.end()
