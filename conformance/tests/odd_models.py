#!/usr/bin/python3
"""A V2 server with models that are not in the kit, for the tests of the probes. It follows the documents strictly, except for the
quirks that are asked for.

    odd_models.py [QUIRK...]

prints `listening http=127.0.0.1:PORT grpc=127.0.0.1:PORT` and serves REST and gRPC until it is killed. Its models:

    square    FP32 [-1,-1], takes only as many rows as columns; returns the transposed matrix and the sum of each row
    picture   FP32 [3,224,224]; returns three means
    words     BYTES [-1]; returns them in capitals, and their lengths
    switches  BOOL [2] and UINT8 [2]; returns INT64 [2]
    dice      INT32 [1]; returns another number each time
    secret    INT64 [-1], takes only numbers above 1000, which its metadata cannot say
    names/1   INT32 [2]; its name needs escaping in a path
    rows      FP32 [-1,2]; returns the sum of each row
    double    INT64 [2] and FP32 [2]; returns the integers, and twice the floats, unless these overflow
"""
import http.server
import json
import math
import random
import re
import struct
import sys
import urllib.parse
from concurrent import futures

import grpc

import http_handler

sys.path.insert(0, "proto/tests")
from schemas import schema

QUIRKS = set(sys.argv[1:])
FP32_MAX = 3.4028234663852886e38
FORMATS = {"BOOL": "?", "UINT8": "B", "UINT16": "H", "UINT32": "I", "UINT64": "Q", "INT8": "b", "INT16": "h", "INT32": "i",
           "INT64": "q", "FP32": "f", "FP64": "d"}
CONTENTS = {"BOOL": "bool_contents", "UINT8": "uint_contents", "UINT16": "uint_contents", "UINT32": "uint_contents",
            "UINT64": "uint64_contents", "INT8": "int_contents", "INT16": "int_contents", "INT32": "int_contents",
            "INT64": "int64_contents", "FP32": "fp32_contents", "FP64": "fp64_contents", "BYTES": "bytes_contents"}
DATATYPES = set(CONTENTS) | {"FP16", "BF16"}


class Refusal(Exception):
    def __init__(self, status, why):
        super().__init__(why)
        self.status = status


def bad(why):
    return Refusal(400, why)


# --- The models: name -> (inputs, outputs, what it computes) ---------------------------------------------------------------


def square(shape, data):
    rows, columns = shape["x"]
    if rows != columns:
        raise bad("x has as many rows as columns")
    x = data["x"]
    turned = [x[c * columns + r] for r in range(rows) for c in range(columns)]
    return {"turned": (shape["x"], turned), "sums": ([rows], [sum(x[r * columns:(r + 1) * columns]) for r in range(rows)])}


def secret(shape, data):
    if any(x <= 1000 for x in data["code"]):
        raise bad("that is not the code")
    return {"opened": (shape["code"], [True] * len(data["code"]))}


def rows(shape, data):
    sums = [a + b for a, b in zip(data["pair"][::2], data["pair"][1::2])]
    return {"sums": ([shape["pair"][0], 1], sums[:1] if "first-row-alone" in QUIRKS else sums)}


def double(shape, data):
    twice = [2 * x for x in data["floats"]]
    if any(abs(x) > FP32_MAX for x in twice):
        raise bad("twice a float is beyond FP32")
    return {"same": ([2], data["integers"]), "twice": ([2], twice)}


MODELS = {
    "square": ([("x", "FP32", [-1, -1])], [("turned", "FP32", [-1, -1]), ("sums", "FP32", [-1])], square),
    "picture": ([("pixels", "FP32", [3, 224, 224])], [("means", "FP32", [3])],
                lambda shape, data: {"means": ([3], [sum(data["pixels"][c * 50176:(c + 1) * 50176]) / 50176 for c in range(3)])}),
    "words": ([("text", "BYTES", [-1])], [("capitals", "BYTES", [-1]), ("lengths", "INT64", [-1])], lambda shape, data: {
        "capitals": (shape["text"], [word.upper() for word in data["text"]]), "lengths": (shape["text"], [len(word) for word in data["text"]])}),
    "switches": ([("on", "BOOL", [2]), ("level", "UINT8", [2])], [("sum", "INT64", [2])],
                 lambda shape, data: {"sum": ([2], [a + b for a, b in zip(data["on"], data["level"])])}),
    "dice": ([("seed", "INT32", [1])], [("number", "INT32", [1])], lambda shape, data: {"number": ([1], [random.randrange(1 << 30)])}),
    "secret": ([("code", "INT64", [-1])], [("opened", "BOOL", [-1])], secret),
    "rows": ([("pair", "FP32", [-1, 2])], [("sums", "FP32", [-1, 1])], rows),
    "double": ([("integers", "INT64", [2]), ("floats", "FP32", [2])], [("same", "INT64", [2]), ("twice", "FP32", [2])], double),
    "names/1": ([("in", "INT32", [2])], [("out", "INT32", [2])], lambda shape, data: {"out": ([2], data["in"])}),
}
if "no-usable-model" in QUIRKS:
    MODELS = {"secret": MODELS["secret"]}
if "unknown-datatype" in QUIRKS:
    MODELS["typed"] = ([("x", "STRING", [-1])], [("y", "STRING", [-1])], MODELS["names/1"][2])


def find(name, version=""):
    if name not in MODELS and "any-case" in QUIRKS:
        name = name.swapcase()
    if name not in MODELS:
        raise Refusal(404, f"there is no model '{name}'")
    if version not in ("", "1"):
        raise Refusal(404, f"model '{name}' has no version '{version}'")
    return name, MODELS[name]


def must_be_awake(name="names/1"):
    if "asleep" in QUIRKS and name == "names/1":
        raise Refusal(409, f"model '{name}' is not ready")


def metadata(name, version):
    name, (inputs, outputs, _) = find(name, version)
    if "no-metadata" in QUIRKS:
        raise Refusal(404, "nobody is told of tensors here")
    listed = [[{"name": n, "datatype": d, "shape": s} for n, d, s in side] for side in (inputs, outputs)]
    if "metadata-without-shape" in QUIRKS:
        del listed[0][0]["shape"]
    if "metadata-without-tensors" in QUIRKS:
        listed = [[], []]
    return {"name": name, "versions": ["1"], "platform": "pytorch_torchscript", "inputs": listed[0], "outputs": listed[1]}


def infer(name, version, given, wanted):
    """given: [(name, datatype, shape, flat data)]; wanted: names of outputs. Returns [(name, datatype, shape, data)]."""
    name, (inputs, outputs, compute) = find(name, version)
    must_be_awake(name)
    shapes, values = {}, {}
    for got, datatype, shape, data in given:
        known = {n: (d, s) for n, d, s in inputs}
        if "any-case" in QUIRKS:
            got, datatype = next((n for n in known if n.lower() == got.lower()), got), datatype.upper()
        if got not in known:
            raise bad(f"model '{name}' has no input '{got}'")
        if got in shapes:
            raise bad(f"input '{got}' is given twice")
        if datatype not in DATATYPES or datatype != known[got][0]:
            raise bad(f"input '{got}' is {known[got][0]}, not {datatype}")
        if any(d < 0 for d in shape):
            if "negative-dimensions" not in QUIRKS:
                raise bad(f"input '{got}' has a negative dimension")
            rest = abs(math.prod([d for d in shape if d >= 0]))
            shape = [d if d >= 0 else len(data) // rest for d in shape]
        if len(shape) != len(known[got][1]) or any(w not in (-1, d) for d, w in zip(shape, known[got][1]) if d >= 0):
            raise bad(f"the shape of input '{got}' does not fit {known[got][1]}")
        if math.prod(shape) != len(data):
            if "counts-nothing" not in QUIRKS:
                raise bad(f"input '{got}' has {len(data)} elements, its shape holds {math.prod(shape)}")
            data = (list(data) + [0] * 64)[:abs(math.prod(shape))]
        shapes[got], values[got] = shape, data
    for n, d, s in inputs:
        if n not in shapes:
            if "input-left-out" not in QUIRKS:
                raise bad(f"input '{n}' is missing")
            shapes[n] = [abs(x) for x in s]
            values[n] = [b"" if d == "BYTES" else 0] * math.prod(shapes[n])
    if "wants-outputs" in QUIRKS and not wanted:
        raise bad("name the outputs that you want")
    results = compute(shapes, values)
    if "zeros" in QUIRKS:
        results = {n: (shape, [b"" if isinstance(v, bytes) else 0 * v for v in data]) for n, (shape, data) in results.items()}
    types = {n: d for n, d, _ in outputs}
    for output in wanted:
        if output not in types:
            raise bad(f"model '{name}' has no output '{output}'")
    if "all-outputs-always" in QUIRKS:
        wanted = []
    return name, [(n, types[n], *results[n]) for n in wanted or types]


# --- REST ----------------------------------------------------------------------------------------------------------------


def must(condition, why):
    if not condition:
        raise bad(why)


def once(pairs):
    must(len({k for k, _ in pairs}) == len(pairs), "a member stands there twice")
    return dict(pairs)


def no_constant(word):
    raise bad(f"{word} is no JSON")


def flat(data, depth=0):
    must(depth < 40, "nested too deep")
    for element in data:
        if isinstance(element, list):
            yield from flat(element, depth + 1)
        else:
            yield element


RANGES = {"UINT8": (0, 255), "INT32": (-2**31, 2**31 - 1), "INT64": (-2**63, 2**63 - 1)}


def element(value, datatype):
    if datatype == "BYTES":
        must(isinstance(value, str), "BYTES are texts")
        return value.encode()
    if datatype == "BOOL":
        must(isinstance(value, bool), "BOOL is true or false")
        return value
    must(isinstance(value, (int, float)) and not isinstance(value, bool), "a number is wanted")
    if datatype in RANGES:
        must(isinstance(value, int) and RANGES[datatype][0] <= value <= RANGES[datatype][1], f"that is no {datatype}")
        must(abs(value) <= 2**53 or "small-integers-in-json" not in QUIRKS, "an integer is beyond 2^53")
    return value


def read_input(tensor):
    must(isinstance(tensor, dict), "an input is an object")
    for member, kind in (("name", str), ("datatype", str), ("shape", list), ("data", list)):
        must(member in tensor, f"an input needs '{member}'")
        must(isinstance(tensor[member], kind), f"'{member}' is of another type")
    for dimension in tensor["shape"]:
        must(type(dimension) is int and dimension < 2**64, "dimensions are whole numbers")
    must(isinstance(tensor.get("parameters", {}), dict), "parameters are an object")
    datatype = tensor["datatype"].upper() if "any-case" in QUIRKS else tensor["datatype"]
    data = [element(value, datatype) for value in flat(tensor["data"])]
    return tensor["name"], tensor["datatype"], tensor["shape"], data


def read_output(tensor):
    must(isinstance(tensor, dict) and isinstance(tensor.get("name"), str), "an output needs a name")
    must(isinstance(tensor.get("parameters", {}), dict), "parameters are an object")
    return tensor["name"]


def json_of(value):
    if "rounds-integers" in QUIRKS and isinstance(value, int) and not isinstance(value, bool):
        return int(float(value))
    if "drops-signs" in QUIRKS and isinstance(value, int) and value < 0:
        return -value
    if "loses-large-floats" in QUIRKS and isinstance(value, float) and abs(value) > 1e38:
        return 0.0
    return value.decode("ascii" if "mangles-texts" in QUIRKS else "utf-8", "replace") if isinstance(value, bytes) else value


def rest_infer(name, version, body):
    try:
        request = json.loads(body.decode(), object_pairs_hook=once, parse_constant=no_constant)
    except (ValueError, RecursionError) as error:
        raise bad(f"no JSON: {error}") from None
    must(isinstance(request, dict), "a request is an object")
    must(isinstance(request.get("id", ""), str), "id is a string")
    must(isinstance(request.get("inputs"), list), "inputs are a list")
    must(isinstance(request.get("outputs", []), list), "outputs are a list")
    must(isinstance(request.get("parameters", {}), dict), "parameters are an object")
    given = [read_input(tensor) for tensor in request["inputs"]]
    wanted = [read_output(tensor) for tensor in request.get("outputs", [])]
    must(given or "input-left-out" in QUIRKS, "there are no inputs")
    name, outputs = infer(name, version, given, wanted)
    answer = {"model_name": name, "model_version": "1",
              "outputs": [{"name": n, "datatype": d, "shape": s, "data": [json_of(v) for v in data]} for n, d, s, data in outputs]}
    if "id" in request:
        answer["id"] = request["id"]
    return answer


class Rest(http_handler.Handler):
    routes = [
        ("GET", r"/v2/health/live", lambda: None),
        ("GET", r"/v2/health/ready", must_be_awake),
        ("GET", r"/v2", lambda: {"name": "odd models", "version": "1", "extensions": []}),
        ("GET", r"/v2/models", lambda: {"models": list(MODELS)} if "unlisted" not in QUIRKS else None),
        ("GET", r"/v2/models/([^/]+)(?:/versions/([^/]+))?/ready", lambda n, v: must_be_awake(find(n, v or "")[0])),
        ("GET", r"/v2/models/([^/]+)(?:/versions/([^/]+))?", lambda n, v: metadata(n, v or "")),
        ("POST", r"/v2/models/([^/]+)(?:/versions/([^/]+))?/infer", rest_infer),
    ]

    def serve(self):
        body = self.body()
        path = self.path.split("?")[0]
        allowed = [(method, re.fullmatch(pattern, path), call) for method, pattern, call in self.routes]
        allowed = [(method, match, call) for method, match, call in allowed if match]
        if not allowed or (path == "/v2/models" and "unlisted" in QUIRKS):
            return self.say(404, {"error": "there is nothing here"})
        method, match, call = allowed[0]
        if self.command != method:
            return self.say(405, {"error": f"only {method} is served here"}, [("Allow", method)])
        arguments = [urllib.parse.unquote(part) if part else "" for part in match.groups()]
        if call is rest_infer:
            arguments.append(body)
        try:
            result = call(*arguments)
            if call is rest_infer and "crashes" in QUIRKS:
                self.close_connection = True
                return None
            return self.say(200, result)
        except Refusal as refusal:
            if "overflow-is-empty" in QUIRKS and "beyond FP32" in str(refusal):
                return self.say(200, None)
            return self.say(refusal.status, {"error": str(refusal)})
        except (AttributeError, KeyError, TypeError, ValueError):  # a request that the server does not foresee
            return self.say(500, {"error": "internal error"})

    do_GET = do_POST = do_PUT = do_DELETE = do_HEAD = do_OPTIONS = do_PATCH = serve


# --- gRPC ----------------------------------------------------------------------------------------------------------------


def unpack(raw, datatype):
    if datatype == "BYTES":
        values = []
        while raw:
            must(len(raw) >= 4 and len(raw) >= 4 + int.from_bytes(raw[:4], "little"), "raw BYTES are broken off")
            size = int.from_bytes(raw[:4], "little")
            values.append(raw[4:4 + size])
            raw = raw[4 + size:]
        return values
    size = struct.calcsize("<" + FORMATS[datatype])
    must(len(raw) % size == 0 or "counts-nothing" in QUIRKS, "raw contents are no whole elements")
    return list(struct.unpack(f"<{len(raw) // size}{FORMATS[datatype]}", raw[:len(raw) // size * size]))


def pack(values, datatype):
    if datatype == "BYTES":
        return b"".join(struct.pack("<I", len(v)) + v for v in values)
    order = ">" if "big-endian" in QUIRKS else "<"
    return struct.pack(f"{order}{len(values)}{FORMATS[datatype]}", *values)


def grpc_infer(request, answer):
    given = []
    raw = list(request.raw_input_contents)
    must(not raw or len(raw) == len(request.inputs), "one entry of raw contents for each input")
    for i, tensor in enumerate(request.inputs):
        datatype = tensor.datatype.upper() if "any-case" in QUIRKS else tensor.datatype
        must(datatype in FORMATS or datatype == "BYTES", f"'{tensor.datatype}' is no datatype of this server")
        filled = [field.name for field, _ in tensor.contents.ListFields()]
        if raw:
            must(not filled, "raw contents and contents")
            data = unpack(raw[i], datatype)
        else:
            must(filled == [CONTENTS[datatype]] or not filled, "the data are in another field than the datatype's")
            data = list(getattr(tensor.contents, CONTENTS[datatype]))
            low, high = RANGES.get(datatype, (None, None))
            must(low is None or all(low <= x <= high for x in data), f"an element is no {datatype}")
        given.append((tensor.name, tensor.datatype, list(tensor.shape), data))
    must(given or "input-left-out" in QUIRKS, "there are no inputs")
    name, outputs = infer(request.model_name, request.model_version, given, [o.name for o in request.outputs])
    answer.model_name, answer.model_version, answer.id = name, "1", request.id
    for name, datatype, shape, data in outputs:
        answer.outputs.add(name=name, datatype=datatype, shape=shape)
        answer.raw_output_contents.append(pack(data, datatype))


def grpc_ready(request, answer):
    must_be_awake(find(request.name, request.version)[0])
    answer.ready = True


def grpc_metadata(request, answer):
    said = metadata(request.name, request.version)
    answer.name, answer.platform = said["name"], said["platform"]
    answer.versions.extend(said["versions"])
    for side in ("inputs", "outputs"):
        for tensor in said[side]:
            getattr(answer, side).add(**tensor)


def set_all(answer, **members):
    for name, value in members.items():
        setattr(answer, name, value)


RPCS = {
    "ServerLive": lambda request, answer: set_all(answer, live=True),
    "ServerReady": lambda request, answer: set_all(answer, ready="asleep" not in QUIRKS),
    "ServerMetadata": lambda request, answer: set_all(answer, name="odd models", version="1"),
    "ModelReady": grpc_ready,
    "ModelMetadata": grpc_metadata,
    "ModelInfer": grpc_infer,
}


class Handlers(grpc.GenericRpcHandler):
    def __init__(self, schema):
        self.schema = schema

    def service(self, call):
        service, _, rpc = call.method[1:].rpartition("/")
        if service != "inference.GRPCInferenceService" or rpc not in RPCS:
            return None

        def serve(request, context):
            answer = getattr(self.schema, rpc + "Response")()
            try:
                RPCS[rpc](request, answer)
            except Refusal as refusal:
                code = grpc.StatusCode.NOT_FOUND if refusal.status == 404 else grpc.StatusCode.INVALID_ARGUMENT
                context.abort(code, str(refusal))
            return answer

        def read(message):
            try:
                return getattr(self.schema, rpc + "Request").FromString(message)
            except Exception:
                return None

        def serve_read(request, context):
            if request is None:
                context.abort(grpc.StatusCode.INVALID_ARGUMENT, "that is no message of this rpc")
            return serve(request, context)

        return grpc.unary_unary_rpc_method_handler(serve_read, request_deserializer=lambda b: read(b) or self.no_message(rpc, b),
                                                   response_serializer=lambda m: m.SerializeToString())

    def no_message(self, rpc, message):
        return getattr(self.schema, rpc + "Request")() if not message else None


def main():
    options = [("grpc.max_receive_message_length", 64 << 20), ("grpc.max_send_message_length", 64 << 20)]
    grpc_server = grpc.server(futures.ThreadPoolExecutor(16), handlers=[Handlers(schema("inference"))], options=options)
    grpc_port = grpc_server.add_insecure_port("127.0.0.1:0")
    grpc_server.start()
    http.server.ThreadingHTTPServer.request_queue_size = 64
    rest = http_handler.serve(Rest)
    print(f"listening http={rest.http.removeprefix('http://')} grpc=127.0.0.1:{grpc_port}", flush=True)
    grpc_server.wait_for_termination()


main()
