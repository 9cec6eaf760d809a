"""A tour with tritonclient: triton.py http|json|grpc      TARGET, GRPC: the server

The two clients have the same interface. Over HTTP, tensors are binary, as is the client's default, or JSON (binary_data=False)."""
import queue
import sys
from concurrent.futures import ThreadPoolExecutor

import numpy
from tour import A, B, BF16, GRPC, HTTP, NOT_UTF8, VALUES, Tour

form = sys.argv[1]
transport = "grpc" if form == "grpc" else "http"
if transport == "http":
    import tritonclient.http as library

    client = library.InferenceServerClient(HTTP, concurrency=8)
else:
    import tritonclient.grpc as library
    from tritonclient.grpc import service_pb2, service_pb2_grpc

    client = library.InferenceServerClient(GRPC)
binary = form != "json"
tour = Tour("tritonclient " + form)


def tensor(name, datatype, array):
    made = library.InferInput(name, list(array.shape), datatype)
    if transport == "http":
        made.set_data_from_numpy(array, binary_data=binary)
    else:
        made.set_data_from_numpy(array)
    return made


def requested(*names):
    if transport == "http":
        return [library.InferRequestedOutput(name, binary_data=binary) for name in names]
    return [library.InferRequestedOutput(name) for name in names]


def simple(a=A, b=B, **options):
    return client.infer("simple", [tensor("INPUT0", "INT32", a), tensor("INPUT1", "INT32", b)], **options)


def identity(datatype, array, **options):
    name = "identity_" + datatype.lower()
    return client.infer(name, [tensor("INPUT0", datatype, array)], **options).as_numpy("OUTPUT0")


def both(result):
    return result.as_numpy("OUTPUT0"), result.as_numpy("OUTPUT1")


def names(result):
    response = result.get_response()
    return [o["name"] for o in response["outputs"]] if transport == "http" else [o.name for o in response.outputs]


def member(result, key):
    response = result.get_response()
    return response.get(key) if transport == "http" else getattr(response, key)


def health():
    tour.check("the server is live", client.is_server_live, True)
    tour.check("the server is ready", client.is_server_ready, True)
    tour.check("a model is ready", lambda: client.is_model_ready("simple"), True)
    tour.check("a version is ready", lambda: client.is_model_ready("simple", "1"), True)
    if transport == "http":
        tour.check("an unknown model is not ready", lambda: client.is_model_ready("no_such_model"), False)
        tour.check("an unknown version is not ready", lambda: client.is_model_ready("simple", "9"), False)
    else:
        tour.refused("an unknown model is not ready", lambda: client.is_model_ready("no_such_model"), "NOT_FOUND")
        tour.refused("an unknown version is not ready", lambda: client.is_model_ready("simple", "9"), "NOT_FOUND")


def json_of(call, *arguments):
    return call(*arguments) if transport == "http" else call(*arguments, as_json=True)


def metadata():
    def server():
        answer = json_of(client.get_server_metadata)
        return answer["name"], isinstance(answer["version"], str), answer.get("extensions", [])

    tour.check("server metadata", server, ["oip-reference-server", True, ["binary_tensor_data", "classification", "sequence", "schedule_policy", "kserve_v2", "model_configuration", "statistics", "streaming", "generate", "model_repository"]])

    def tensors(answer, kind):
        return [(t["name"], t["datatype"], [int(d) for d in t["shape"]]) for t in answer[kind]]

    def model(name):
        answer = json_of(client.get_model_metadata, name)
        return answer["name"], answer["versions"], answer["platform"], tensors(answer, "inputs"), tensors(answer, "outputs")

    pair = [("INPUT0", "INT32", [-1, 16]), ("INPUT1", "INT32", [-1, 16])]
    tour.check("metadata of simple", lambda: model("simple"),
               ["simple", ["1"], "onnx_onnxv1", pair, [(n.replace("IN", "OUT"), d, s) for n, d, s in pair]])
    tour.check("metadata of a version", lambda: json_of(client.get_model_metadata, "versioned", "2")["name"], "versioned")
    tour.check("both versions are listed", lambda: model("versioned")[1], ["1", "2"])
    for datatype in [*VALUES, "BF16"]:
        tour.check(f"metadata of identity_{datatype.lower()}", lambda: model("identity_" + datatype.lower())[3],
                   [("INPUT0", datatype, [-1, -1])])
    tour.check("metadata of a model of rank 0", lambda: tensors_of_scalar(), [("INPUT0", "FP32", [])])
    not_found = "404" if transport == "http" else "NOT_FOUND"
    tour.refused("metadata of an unknown model", lambda: client.get_model_metadata("no_such_model"), "no_such_model", not_found)
    tour.refused("metadata of an unknown version", lambda: client.get_model_metadata("simple", "9"), "simple", not_found)


def tensors_of_scalar():
    answer = json_of(client.get_model_metadata, "scalar")
    return [(t["name"], t["datatype"], [int(d) for d in t.get("shape", [])]) for t in answer["inputs"]]


def numbers(name):
    """Returns (successes, failures, elements of batches, nanoseconds) of the only version of a model."""
    found = json_of(client.get_inference_statistics, name)["model_stats"]
    assert len(found) == 1 and found[0]["name"] == name and found[0]["version"] == "1", found
    stats = found[0]["inference_stats"]
    return tuple(int(x) for x in (stats["success"].get("count", 0), stats["fail"].get("count", 0), found[0].get("inference_count", 0), stats["success"].get("ns", 0)))


def configuration_and_statistics():
    def largest_batch():
        found = json_of(client.get_model_config, "simple")
        config = found if transport == "http" else found["config"]
        return config["name"], int(config.get("max_batch_size", 0)), [(i["name"], i["data_type"]) for i in config["input"]]

    def growth():
        before = numbers("simple")
        for _ in range(3):
            simple()
        try:
            simple(A[:, :1])
        except Exception:  # it is refused, and counted
            pass
        after = numbers("simple")
        return [b - a for a, b in zip(before[:3], after[:3])], after[3] > before[3]

    tour.check("the configuration", largest_batch, ("simple", 0, [("INPUT0", "TYPE_INT32"), ("INPUT1", "TYPE_INT32")]))
    tour.check("the statistics count what was asked", growth, ([3, 1, 3], True))
    tour.check("statistics of all models", lambda: {"simple", "scalar"} <= {m["name"] for m in json_of(client.get_inference_statistics)["model_stats"]}, True)
    tour.refused("statistics of an unknown model", lambda: client.get_inference_statistics("no_such_model"), "no_such_model")


def inference():
    tour.check("sum and difference", lambda: both(simple()), (A + B, A - B))
    tour.check("a batch of three", lambda: both(simple(numpy.repeat(A, 3, 0), numpy.repeat(B, 3, 0))),
               (numpy.repeat(A + B, 3, 0), numpy.repeat(A - B, 3, 0)))
    tour.check("the answer names the model", lambda: member(simple(), "model_name"), "simple")
    tour.check("the answer names the version", lambda: member(simple(), "model_version"), "1")
    for request_id in ("42", "größe 数量 🙂", "x" * 10000):
        tour.check(f"the id comes back: {request_id[:20]}", lambda: member(simple(request_id=request_id), "id"), request_id)
    tour.check("no id, none back", lambda: member(simple(), "id") or "", "")
    tour.check("all outputs by default", lambda: names(simple()), ["OUTPUT0", "OUTPUT1"])
    tour.check("one output", lambda: names(simple(outputs=requested("OUTPUT1"))), ["OUTPUT1"])
    tour.check("its values", lambda: simple(outputs=requested("OUTPUT1")).as_numpy("OUTPUT1"), A - B)
    tour.check("outputs in the order asked for", lambda: names(simple(outputs=requested("OUTPUT1", "OUTPUT0"))),
               ["OUTPUT1", "OUTPUT0"])
    four = numpy.array([[0, 1, -7, 16777217]], numpy.int32)
    for version, addend in (("1", 100), ("2", 200), ("", 200)):
        tour.check(f"version '{version}' of a model", lambda: client.infer(
            "versioned", [tensor("INPUT0", "INT32", four)], model_version=version).as_numpy("OUTPUT0"), four + numpy.int32(addend))

    def casts():
        result = client.infer("many_outputs", [tensor("INPUT0", "INT32", four)])
        return [result.as_numpy(f"OUTPUT{i}") for i in range(4)]

    tour.check("outputs of four datatypes", casts,
               [four, four.astype(numpy.int64), four.astype(numpy.float32), four != 0])
    tour.check("a tensor of rank 0", lambda: client.infer(
        "scalar", [tensor("INPUT0", "FP32", numpy.array(1.5, numpy.float32))]).as_numpy("OUTPUT0"), numpy.array(3, numpy.float32))

    def unicode():
        x, y = numpy.array([1, 2], numpy.int32), numpy.array([10, 20], numpy.int32)
        result = client.infer("unicode", [tensor("größe", "INT32", x), tensor("数量", "INT32", y)])
        return result.as_numpy("итог"), result.as_numpy("🙂")

    tour.check("names outside ASCII", unicode, (numpy.array([11, 22], numpy.int32), numpy.array([1, 2], numpy.int32)))
    tour.check("parameters do no harm", lambda: both(simple(
        parameters={"a": "text", "b": 7, "c": True}, priority=1, timeout=1000000)), (A + B, A - B))
    tour.check("a sequence id does no harm", lambda: both(simple(
        sequence_id=5, sequence_start=True, sequence_end=True)), (A + B, A - B))
    tour.check("headers do no harm", lambda: both(simple(headers={"x-request": "1"})), (A + B, A - B))


def datatypes():
    for datatype, array in VALUES.items():
        tour.check(f"{datatype} there and back", lambda: identity(datatype, array), array)
        tour.check(f"{datatype}, no rows", lambda: identity(datatype, array[:0]), array[:0])
    if binary:
        tour.check("BF16 there and back", lambda: identity("BF16", BF16), BF16)
        tour.check("BYTES that are no UTF-8", lambda: identity("BYTES", NOT_UTF8), NOT_UTF8)
        special = numpy.array([[numpy.nan, numpy.inf, -numpy.inf]], numpy.float32)
        tour.check("NaN and infinities", lambda: identity("FP32", special), special)
    million = numpy.arange(1 << 20, dtype=numpy.float32).reshape(1, -1)
    tour.check("a million FP32", lambda: identity("FP32", million), million)


def classification():
    scores = numpy.array([[1, 7, 5, -2, 0.25, 9], [3, 2, 1, 0, -1, -2]], numpy.float32)
    options = {"binary_data": binary} if transport == "http" else {}

    def classes(count):
        wanted = [library.InferRequestedOutput("OUTPUT0", class_count=count, **options)]
        return client.infer("classes", [tensor("INPUT0", "FP32", scores)], outputs=wanted).as_numpy("OUTPUT0")

    two = numpy.array([[b"9.000000:5", b"7.000000:1:dog"], [b"3.000000:0:cat", b"2.000000:1:dog"]], object)
    tour.check("two classes of each row", lambda: classes(2), two)
    tour.check("no more classes than there are", lambda: classes(99).shape, (2, 6))


def sequences():
    """Does with the models of Triton's examples what the client's examples of sequences do."""
    values = [11, 7, 5, 3, 2, 0, 1]

    def send(model, sequence, numbers):
        answers = []
        for i, number in enumerate(numbers):
            one = numpy.full((1, 1), number, numpy.int32)
            result = client.infer(model, [tensor("INPUT", "INT32", one)], sequence_id=sequence, sequence_start=i == 0,
                                  sequence_end=i + 1 == len(numbers))
            answers.append(int(result.as_numpy("OUTPUT")[0][0]))
        return answers

    for sequence in (1000, "a-sequence"):
        tour.check(f"simple_sequence, id {sequence!r}", lambda: send("simple_sequence", sequence, [0] + values), [1] + values)
    tour.check("simple_dyna_sequence", lambda: send("simple_dyna_sequence", 1001, [100] + values), [101] + values[:-1] + [1 + 1001])
    sums = [20 + sum(values[:i]) for i in range(len(values) + 1)]
    tour.check("simple_string_dyna_sequence", lambda: send("simple_string_dyna_sequence", "1002", [20] + values),
               sums[:-1] + [sums[-1] + 1002])
    tour.refused("refused: a sequence without a start", lambda: client.infer(
        "simple_sequence", [tensor("INPUT", "INT32", numpy.ones((1, 1), numpy.int32))], sequence_id=77), "sequence_start")


def examples():
    """Asks the other models of Triton's examples."""
    small, ones = numpy.arange(16, dtype=numpy.int8).reshape(1, 16), numpy.ones((1, 16), numpy.int8)
    tour.check("simple_int8", lambda: both(client.infer("simple_int8", [tensor("INPUT0", "INT8", small), tensor("INPUT1", "INT8", ones)])),
               (small + ones, small - ones))

    def texts(array):
        return numpy.array([str(x).encode() for x in array.ravel()], object).reshape(array.shape)

    inputs = [tensor("INPUT0", "BYTES", texts(small)), tensor("INPUT1", "BYTES", texts(ones))]
    tour.check("simple_string", lambda: both(client.infer("simple_string", inputs)), (texts(small + ones), texts(small - ones)))
    nul = numpy.full((1, 16), b"he\0llo", object)
    tour.check("simple_identity keeps NUL", lambda: client.infer("simple_identity", [tensor("INPUT0", "BYTES", nul)]).as_numpy("OUTPUT0"), nul)


def side_by_side():
    def ask(i):
        return both(simple(A + numpy.int32(i), B, request_id=str(i)))

    def all_asked():
        with ThreadPoolExecutor(8) as pool:
            return list(pool.map(ask, range(64)))

    def called_back():
        answers = queue.Queue()
        for i in range(8):
            client.async_infer("simple", [tensor("INPUT0", "INT32", A + numpy.int32(i)), tensor("INPUT1", "INT32", B)],
                               lambda result, error: answers.put(both(result)), client_timeout=20)
        return sorted((answers.get(timeout=20) for _ in range(8)), key=lambda answer: answer[0][0][0])

    if transport == "grpc":  # an HTTP client may be used by one greenlet only
        tour.check("8 answers by a callback", called_back, [(A + B + numpy.int32(i), A - B + numpy.int32(i)) for i in range(8)])
        tour.check("64 requests side by side", all_asked, [(A + B + numpy.int32(i), A - B + numpy.int32(i)) for i in range(64)])
    else:
        def asynchronous():
            asked = [client.async_infer("simple", [tensor("INPUT0", "INT32", A + numpy.int32(i)), tensor("INPUT1", "INT32", B)])
                     for i in range(64)]
            return [both(one.get_result()) for one in asked]

        tour.check("64 requests side by side", asynchronous, [(A + B + numpy.int32(i), A - B + numpy.int32(i)) for i in range(64)])


def compression():
    algorithms = ("gzip", "deflate")
    for algorithm in algorithms:
        if transport == "http":
            tour.check(f"{algorithm} both ways", lambda: both(simple(
                request_compression_algorithm=algorithm, response_compression_algorithm=algorithm)), (A + B, A - B))
        else:
            tour.check(f"{algorithm} to the server", lambda: both(simple(compression_algorithm=algorithm)), (A + B, A - B))


def refusals():
    client_error = "400" if transport == "http" else "INVALID_ARGUMENT"
    not_found = "404" if transport == "http" else "NOT_FOUND"
    one, wrong = tensor("INPUT0", "INT32", A), numpy.zeros((1, 16), numpy.float32)
    table = [
        ("an unknown model", lambda: client.infer("no_such_model", [one]), ["Request for unknown model", "no_such_model", not_found]),
        ("an unknown version", lambda: client.infer("simple", [one, tensor("INPUT1", "INT32", B)], "9"), ["simple", not_found]),
        ("a missing input", lambda: client.infer("simple", [one]), ["INPUT1", client_error]),
        ("no inputs", lambda: client.infer("simple", []), [client_error]),
        ("an unknown input", lambda: client.infer("simple", [one, tensor("INPUT1", "INT32", B), tensor("no_such", "INT32", B)]),
         ["no_such", client_error]),
        ("an input given twice", lambda: client.infer("simple", [one, one]), ["INPUT0", client_error]),
        ("another datatype", lambda: client.infer("simple", [one, tensor("INPUT1", "FP32", wrong)]),
         ["INPUT1", "FP32", "INT32", client_error]),
        ("another shape", lambda: simple(A.reshape(16, 1), B), ["INPUT0", client_error]),
        ("another rank", lambda: simple(A[0], B), ["INPUT0", client_error]),
        ("an unknown output", lambda: simple(outputs=requested("no_such")), ["no_such", client_error]),
        ("an output asked for twice", lambda: simple(outputs=requested("OUTPUT0", "OUTPUT0")), ["OUTPUT0", client_error]),
        ("a model that fails", lambda: client.infer("failing", [tensor("INPUT0", "FP32", numpy.zeros(2, numpy.float32))]),
         ["failing", "500" if transport == "http" else "INTERNAL"]),
    ]
    for says, call, words in table:
        tour.refused(f"refused: {says}", call, *words)
        tour.check(f"sound after: {says}", lambda: both(simple()), (A + B, A - B))


def typed():
    """Sends typed contents as Triton's own examples do, and reads the raw contents of the answer."""
    stub = service_pb2_grpc.GRPCInferenceServiceStub(client._channel)
    fields = {"BOOL": "bool_contents", "INT8": "int_contents", "INT16": "int_contents", "INT32": "int_contents",
              "INT64": "int64_contents", "UINT8": "uint_contents", "UINT16": "uint_contents", "UINT32": "uint_contents",
              "UINT64": "uint64_contents", "FP32": "fp32_contents", "FP64": "fp64_contents", "BYTES": "bytes_contents"}
    for datatype, field in fields.items():
        def ask():
            request = service_pb2.ModelInferRequest(model_name="identity_" + datatype.lower())
            one = request.inputs.add(name="INPUT0", datatype=datatype, shape=VALUES[datatype].shape)
            getattr(one.contents, field).extend(VALUES[datatype].ravel().tolist())
            return library.InferResult(stub.ModelInfer(request)).as_numpy("OUTPUT0")

        tour.check(f"{datatype}, typed contents", ask, VALUES[datatype])


health()
metadata()
configuration_and_statistics()
inference()
datatypes()
classification()
sequences()
examples()
side_by_side()
compression()
refusals()
if transport == "grpc":
    typed()
client.close()
tour.end()
