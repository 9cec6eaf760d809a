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
    sink      INT32 [2]; has no outputs
    nothing   INT32 [-1,0]; returns no elements, and how many came
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

sys.path[:0] = ["conformance/tests/variants", "proto/tests"]
from grpc_relay import parsed, types_of
from over_grpc import CODES, ENDPOINTS, OF_MODELS, TYPED, Asked, bytes_of, put, raw_of, text_of

QUIRKS = set(sys.argv[1:])
FP32_MAX = 3.4028234663852886e38


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
    "sink": ([("in", "INT32", [2])], [], lambda shape, data: {}),
    "nothing": ([("in", "INT32", [-1, 0])], [("none", "FP32", [0, 3]), ("count", "INT64", [1])],
                lambda shape, data: {"none": ([0, 3], []), "count": ([1], [len(data["in"])])}),
    "names/1": ([("in", "INT32", [2])], [("out", "INT32", [2])], lambda shape, data: {"out": ([2], data["in"])}),
}
if "no-usable-model" in QUIRKS:
    MODELS = {"secret": MODELS["secret"]}
if "crashes" in QUIRKS:  # sixteen requests in a row that get no answer would end the run
    del MODELS["sink"], MODELS["nothing"]
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
        if datatype not in TYPED or datatype != known[got][0]:
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


# --- Requests and answers as 000 has them in JSON --------------------------------------------------------------------------


def must(condition, why):
    if not condition:
        raise bad(why)


def flat(data, depth=0):
    must(depth < 40, "nested too deep")
    if list not in map(type, data):
        return data
    return [element for one in data for element in (flat(one, depth + 1) if isinstance(one, list) else [one])]


RANGES = {"UINT8": (0, 255), "INT32": (-2**31, 2**31 - 1), "INT64": (-2**63, 2**63 - 1)}
KINDS = {"BYTES": {str}, "BOOL": {bool}, **dict.fromkeys(RANGES, {int})}  # of all others int and float


def elements_of(data, datatype):
    data = flat(data)
    must(set(map(type, data)) <= KINDS.get(datatype, {int, float}), f"an element is no {datatype}")
    low, high = RANGES.get(datatype, (None, None))
    must(low is None or not data or low <= min(data) <= max(data) <= high, f"an element is no {datatype}")
    return list(map(bytes_of, data)) if datatype == "BYTES" else data


def read_input(tensor):
    must(isinstance(tensor, dict), "an input is an object")
    for member, kind in (("name", str), ("datatype", str), ("shape", list), ("data", list)):
        must(member in tensor, f"an input needs '{member}'")
        must(isinstance(tensor[member], kind), f"'{member}' is of another type")
    for dimension in tensor["shape"]:
        must(type(dimension) is int and dimension < 2**64, "dimensions are whole numbers")
    must(isinstance(tensor.get("parameters", {}), dict), "parameters are an object")
    datatype = tensor["datatype"].upper() if "any-case" in QUIRKS else tensor["datatype"]
    return tensor["name"], tensor["datatype"], tensor["shape"], elements_of(tensor["data"], datatype)


def read_output(tensor):
    must(isinstance(tensor, dict) and isinstance(tensor.get("name"), str), "an output needs a name")
    must(isinstance(tensor.get("parameters", {}), dict), "parameters are an object")
    return tensor["name"]


def infer_object(name, version, request):
    must(isinstance(request, dict), "a request is an object")
    must(isinstance(request.get("id", ""), str), "id is a string")
    must(isinstance(request.get("inputs"), list), "inputs are a list")
    must(isinstance(request.get("outputs", []), list), "outputs are a list")
    must(isinstance(request.get("parameters", {}), dict), "parameters are an object")
    given = [read_input(tensor) for tensor in request["inputs"]]
    wanted = [read_output(tensor) for tensor in request.get("outputs", [])]
    must(given or "input-left-out" in QUIRKS, "there are no inputs")
    name, outputs = infer(name, version, given, wanted)
    answer = {"model_name": name, "model_version": "1", "outputs": [{"name": n, "datatype": d, "shape": s, "data": data} for n, d, s, data in outputs]}
    if "id" in request:
        answer["id"] = request["id"]
    return answer


ROUTES = [
    ("GET", r"/v2/health/live", lambda: None),
    ("GET", r"/v2/health/ready", must_be_awake),
    ("GET", r"/v2", lambda: {"name": "odd models", "version": "1", "extensions": []}),
    *([("GET", r"/v2/models", lambda: {"models": list(MODELS)})] if "unlisted" not in QUIRKS else []),
    ("GET", r"/v2/models/([^/]+)(?:/versions/([^/]+))?/ready", lambda n, v: must_be_awake(find(n, v)[0])),
    ("GET", r"/v2/models/([^/]+)(?:/versions/([^/]+))?", metadata),
    ("POST", r"/v2/models/([^/]+)(?:/versions/([^/]+))?/infer", infer_object),
]


def respond(method, path, read):
    """Returns the status and the object of the answer, or of the error; `read` returns the object of the request."""
    for allowed, pattern, call in ROUTES:
        match = re.fullmatch(pattern, path)
        if match and method != allowed:
            return 405, {"error": f"only {allowed} is served here"}
        if match:
            try:
                arguments = [urllib.parse.unquote(part) if part else "" for part in match.groups()]
                return 200, call(*arguments, *([read()] if call is infer_object else []))
            except Refusal as refusal:
                return refusal.status, {"error": str(refusal)}
            except (AttributeError, KeyError, TypeError, ValueError):  # a request that the server does not foresee
                return 500, {"error": "internal error"}
    return 404, {"error": "there is nothing here"}


# --- REST ----------------------------------------------------------------------------------------------------------------


def once(pairs):
    must(len({k for k, _ in pairs}) == len(pairs), "a member stands there twice")
    return dict(pairs)


def no_constant(word):
    raise bad(f"{word} is no JSON")


def whole(text):
    must(abs(int(text)) <= 2**53 or "small-integers-in-json" not in QUIRKS, "an integer is beyond 2^53")
    return int(text)


def read_json(body):
    try:
        return json.loads(body.decode(), object_pairs_hook=once, parse_constant=no_constant, parse_int=whole)
    except (ValueError, RecursionError) as error:
        raise bad(f"no JSON: {error}") from None


def json_of(value):
    if "rounds-integers" in QUIRKS and isinstance(value, int) and not isinstance(value, bool):
        return int(float(value))
    if "drops-signs" in QUIRKS and isinstance(value, int) and value < 0:
        return -value
    if "loses-large-floats" in QUIRKS and isinstance(value, float) and abs(value) > 1e38:
        return 0.0
    return value.decode("ascii" if "mangles-texts" in QUIRKS else "utf-8", "replace") if isinstance(value, bytes) else value


class Rest(http_handler.Handler):
    def serve(self):
        body = self.body()
        status, answer = respond(self.command, self.path.split("?")[0], lambda: read_json(body))
        if status == 405:
            return self.say(status, answer, [("Allow", answer["error"].split()[1])])
        if status == 400 and "overflow-is-empty" in QUIRKS and "beyond FP32" in answer["error"]:
            return self.say(200)
        if status == 200 and answer and "model_name" in answer:
            if "crashes" in QUIRKS:
                self.close_connection = True
                return None
            for output in answer["outputs"]:
                output["data"] = [json_of(value) for value in output["data"]]
        return self.say(status, answer)

    do_GET = do_POST = do_PUT = do_DELETE = do_HEAD = do_OPTIONS = do_PATCH = serve


# --- gRPC: each call is answered as the request over REST that says the same -----------------------------------------------


def read_message(message):
    """Returns the object of an inference, if its tensors have their data in one form, and in the right place."""
    count = len(message.raw_input_contents)
    must(count in (0, len(message.inputs)), "one entry of raw contents for each input")
    for tensor in message.inputs:
        tensor.datatype = tensor.datatype.upper() if "any-case" in QUIRKS else tensor.datatype
        filled = [field.name for field, _ in tensor.contents.ListFields()]
        must(not count or not filled, "raw contents and contents")
        must(not filled or filled == [TYPED.get(tensor.datatype, [None])[0]], "the data are in another field than the datatype's")
    return Asked("ModelInfer", message).json


def write_message(message, answer):
    if hasattr(message, "live"):
        message.live = True
    elif hasattr(message, "ready"):
        message.ready = True
    outputs = [output.pop("data") for output in answer.get("outputs", [])] if answer and "model_name" in answer else []
    put(message, answer or {})
    for output, data in zip(message.outputs if outputs else [], outputs):
        must(output.datatype != "FP32" or all(abs(x) <= FP32_MAX for x in data), "an output is beyond FP32")
        raw, size = raw_of(output.datatype, map(text_of, data) if output.datatype == "BYTES" else data), 1
        if "big-endian" in QUIRKS and TYPED[output.datatype][1]:
            size = struct.calcsize(TYPED[output.datatype][1])
        message.raw_output_contents.append(b"".join(raw[at:at + size][::-1] for at in range(0, len(raw), size)))


class Handlers(grpc.GenericRpcHandler):
    def service(self, details):
        (request_type, reply_type), (service, _, rpc) = types_of(details.method), details.method[1:].rpartition("/")
        if service != "inference.GRPCInferenceService" or rpc not in {*ENDPOINTS, *OF_MODELS} - {"RepositoryIndex", "ModelStreamInfer"}:
            return None

        def serve(data, context):
            message, answer = parsed(request_type, data), reply_type()
            if message is None:
                context.abort(grpc.StatusCode.INVALID_ARGUMENT, "that is no message of this rpc")
            asked = Asked(rpc, message)
            status, said = respond(asked.method, asked.path, lambda: read_message(message))
            if status == 200:
                try:
                    write_message(answer, said)
                except Refusal as refusal:
                    context.abort(grpc.StatusCode.INTERNAL, str(refusal))
            elif rpc != "ServerReady":
                context.abort(CODES.get(status, grpc.StatusCode.INVALID_ARGUMENT), said["error"])
            return answer.SerializeToString()

        return grpc.unary_unary_rpc_method_handler(serve)


def main():
    options = [("grpc.max_receive_message_length", 64 << 20), ("grpc.max_send_message_length", 64 << 20)]
    grpc_server = grpc.server(futures.ThreadPoolExecutor(16), handlers=[Handlers()], options=options)
    grpc_port = grpc_server.add_insecure_port("127.0.0.1:0")
    grpc_server.start()
    http.server.ThreadingHTTPServer.request_queue_size = 64
    rest = http_handler.serve(Rest)
    print(f"listening http={rest.http.removeprefix('http://')} grpc=127.0.0.1:{grpc_port}", flush=True)
    grpc_server.wait_for_termination()


main()
