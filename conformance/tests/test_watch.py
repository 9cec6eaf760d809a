#!/usr/bin/python3
"""`watch` between clients and servers: every byte passes as it is, right traffic gives no finding, and who is wrong is found by the row
that says so. Argument: BUILD."""
import base64
import importlib
import json
import os
import queue
import random
import signal
import socket
import tempfile
import threading
import urllib.request

import grpc
from google.protobuf import json_format, message_factory

from judge_process import COMMIT, EVERYTHING, PATIENCE, Run, Server, build, checks, drawn, read_json, reference_server, say
import http_handler
from forwarder import Listener, address_of
from shown import Schemas
from wire import frame

MODELS = [word for kind in ("kit", "batching", "builtin") for word in ("--models", f"{build}/models/{kind}")]
INFER = "POST /v2/models/simple/infer"
LIMIT = 120  # seconds of an exchange; reached only by what hangs


class Watch:
    """`watch` before the addresses of a server. When it is over it has its exit code, its output, its report, and what was found as
    {(side, key)}."""

    def __init__(self, *flags):
        self.folder = tempfile.TemporaryDirectory()
        self.report = f"{self.folder.name}/watch.json"
        self.server = Server(f"{build}/oip-conformance", "watch", *flags, "--json", self.report)
        self.http, self.grpc, self.graphpipe = self.server.http, self.server.grpc, self.server.graphpipe

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.server.process.send_signal(signal.SIGTERM)
        self.output = self.server.process.communicate(timeout=PATIENCE)[0]
        self.code = self.server.process.returncode
        if os.path.exists(self.report):
            self.report = read_json(self.report)
        self.found = {(finding["side"], finding["key"]) for finding in self.report["findings"]}
        self.folder.cleanup()


# --- Clients ---


def ask(address, method, path, body=None, headers=None):
    """Returns status and body of the answer over REST."""
    data = body if body is None or isinstance(body, bytes) else json.dumps(body).encode()
    request = urllib.request.Request(address + path, data, {"Content-Type": "application/json", **(headers or {})}, method=method)
    try:
        with urllib.request.urlopen(request, timeout=LIMIT) as answer:
            return answer.status, answer.read()
    except urllib.error.HTTPError as error:
        return error.code, error.read()


class Calls:
    """Messages of the service of V2, and calls with them."""

    def __init__(self):
        self.pool = Schemas(f"{build}/gen/schemas.desc").pool

    def message(self, rpc, fields):
        """Returns the bytes of the request, whose `fields` are as in the JSON of protobuf."""
        method = self.pool.FindMethodByName(f"inference.GRPCInferenceService.{rpc}")
        kind = message_factory.MessageFactory(self.pool).GetPrototype(method.input_type)
        return json_format.ParseDict(fields, kind()).SerializeToString()

    def call(self, address, rpc, fields, metadata=()):
        """Returns code and bytes of the answer. `fields` may be the bytes of the message."""
        message = fields if isinstance(fields, bytes) else self.message(rpc, fields)
        with grpc.insecure_channel(address) as channel:
            try:
                path = f"/inference.GRPCInferenceService/{rpc}"
                return "OK", channel.unary_unary(path)(message, timeout=LIMIT, metadata=metadata, wait_for_ready=True)
            except grpc.RpcError as error:
                return error.code().name, error.details()


calls = Calls()


def tensor(**changes):
    made = {"name": "INPUT0", "datatype": "INT32", "shape": [1, 16], "data": list(range(16)), **changes}
    return {name: value for name, value in made.items() if value is not ...}


def inference(**changes):
    made = {"id": "42", "inputs": [tensor(), tensor(name="INPUT1")], **changes}
    return {name: value for name, value in made.items() if value is not ...}


def typed(**changes):
    made = {"name": "INPUT0", "datatype": "INT32", "shape": [1, 16], "contents": {"int_contents": list(range(16))}, **changes}
    return {name: value for name, value in made.items() if value is not ...}


def infer_call(*inputs, raw=()):
    return {"model_name": "simple", "id": "42", "inputs": list(inputs), "raw_input_contents": [base64.b64encode(one).decode() for one in raw]}


RIGHT_CALL = infer_call(typed(), typed(name="INPUT1"))
BARE = {name: value for name, value in typed().items() if name != "contents"}


def binary(json_size=None, sizes=(64, 64), data=bytes(128)):
    """Returns the body and the headers of a binary inference."""
    inputs = [tensor(name=f"INPUT{i}", data=..., parameters={"binary_data_size": size}) for i, size in enumerate(sizes)]
    text = json.dumps({"inputs": inputs, "parameters": {"binary_data_output": True}}).encode()
    return text + data, {"Inference-Header-Content-Length": str(len(text) if json_size is None else json_size)}


def right_traffic(http, address):
    """Makes the exchanges of a client that does everything right, and returns the answers."""
    body, headers = binary()
    yield from (ask(http, "GET", path) for path in ("/v2", "/v2/health/live", "/v2/health/ready", "/v2/models/simple", "/v2/models/simple/ready",
                                                    "/v2/models/simple/versions/1", "/v2/models/no_such", "/nowhere"))
    yield ask(http, "POST", "/v2/models/simple/infer", inference())
    yield ask(http, "POST", "/v2/models/simple/infer", body, headers)
    yield ask(http, "POST", "/v2/models/identity_fp32/infer", {"inputs": [tensor(datatype="FP32", shape=[1, 2], data=[[1, 4.5]])]})
    yield ask(http, "POST", "/v2/models/no_such/infer", inference())
    for rpc, fields in (("ServerLive", {}), ("ServerMetadata", {}), ("ModelMetadata", {"name": "simple"}), ("ModelReady", {"name": "simple"}),
                        ("ModelMetadata", {"name": "no_such"}), ("ModelInfer", RIGHT_CALL),
                        ("ModelInfer", infer_call(BARE, {**BARE, "name": "INPUT1"}, raw=[bytes(64), bytes(64)]))):
        yield calls.call(address, rpc, fields)


# What is wrong with an inference over REST, and the row that says so.
WRONG_BODIES = [
    ("v2-rest.json-valid", b"{"), ("v2-rest.json-valid", b"no JSON"), ("v2-rest.body-object", b"[]"), ("v2-rest.json-lenient", b'{"inputs": [],}'),
    ("v2-rest.trailing-text", json.dumps(inference()).encode() + b"{}"), ("v2-rest.id-string", inference(id=42)),
    ("v2-rest.non-finite-literal", inference(inputs=[tensor(datatype="FP32", data=[*range(15), float("nan")])])),
    ("v2-rest.inputs-required", inference(inputs=...)), ("v2-rest.inputs-array", inference(inputs={})), ("v2-rest.input-object", inference(inputs=[1])),
    ("v2-rest.outputs-array", inference(outputs={})), ("v2-rest.output-object", inference(outputs=["OUTPUT0"])),
    ("v2-rest.output-name-required", inference(outputs=[{}])), ("v2-rest.parameters-object", inference(parameters=[])),
    *((f"v2-rest.{slug}", inference(inputs=[tensor(**changes), tensor(name="INPUT1")])) for slug, changes in [
        ("name-required", {"name": ...}), ("name-string", {"name": 1}), ("datatype-required", {"datatype": ...}), ("datatype-known", {"datatype": "int32"}),
        ("datatype-string", {"datatype": 3}), ("shape-required", {"shape": ...}), ("shape-array", {"shape": 2}), ("shape-integers", {"shape": [1, "2"]}),
        ("shape-not-negative", {"shape": [-1, 2]}), ("data-required", {"data": ...}), ("data-array", {"data": 1}), ("data-count", {"data": [1]}),
        ("data-nesting", {"data": [[0] * 8, [1] * 8]}), ("element-range", {"datatype": "INT8", "data": [128] * 16}), ("element-type", {"data": ["1"] * 16}),
        ("element-null", {"data": [None] * 16})]),
]
WRONG_BINARIES = [
    ("header-number", binary("many")), ("header-fits", binary(10**6)), ("size-integer", binary(sizes=("64", 64))), ("data-complete", binary(data=bytes(124))),
    ("data-surplus", binary(data=bytes(132))), ("size-matches-shape", binary(sizes=(60, 64), data=bytes(124))),
]
WRONG_CALLS = [
    ("name-required", infer_call(typed(name=...))), ("datatype-known", infer_call(typed(datatype="int32"))), ("shape-not-negative", infer_call(typed(shape=[-1, 2]))),
    ("data-required", infer_call(BARE)), ("data-count", infer_call(typed(contents={"int_contents": [1]}))),
    ("contents-field", infer_call(typed(contents={"int64_contents": [1] * 16}))), ("element-range", infer_call(typed(datatype="INT8", contents={"int_contents": [128] * 16}))),
    ("fp16-raw", infer_call(typed(datatype="FP16", contents={"fp32_contents": [1] * 16}))), ("raw-count", infer_call(BARE, {**BARE, "name": "INPUT1"}, raw=[bytes(64)])),
    ("raw-surplus", infer_call(BARE, raw=[bytes(64), bytes(64)])), ("raw-size", infer_call(BARE, raw=[bytes(63)])),
    ("raw-or-contents", infer_call(typed(), raw=[bytes(64)])), ("string-utf8", b"\x0a\x02\xff\xfe"),
    ("message-valid", b"\x0a\x05a"), ("wire-type", b"\x08\x01"),
]


def finds_wrong_clients(server):
    with Watch("--target", server.http, "--grpc", server.grpc) as watch:
        for _, body in WRONG_BODIES:
            ask(watch.http, "POST", "/v2/models/simple/infer", body)
        for _, (body, headers) in WRONG_BINARIES:
            ask(watch.http, "POST", "/v2/models/simple/infer", body, headers)
        for _, message in WRONG_CALLS:
            calls.call(watch.grpc, "ModelInfer", message)
        ask(watch.http, "GET", "/v2/models/simple/infer")
        talk(address_of(watch.http), b"GET /v2 HTTP/1.1\r\n\r\n")
    wanted = {("client", key) for key, _ in WRONG_BODIES} | {("client", f"binary-tensors.{slug}") for slug, _ in WRONG_BINARIES} | \
             {("client", f"v2-grpc.{slug}") for slug, _ in WRONG_CALLS} | {("client", "v2-rest.wrong-method-405"), ("client", "http.host")}
    checks.that(watch.found == wanted, f"wrong requests: missed {sorted(wanted - watch.found)}, found besides {sorted(watch.found - wanted)}")
    checks.that(watch.code == 1, f"a client that breaks a MUST: exit code {watch.code}")
    counted = [finding for finding in watch.report["findings"] if finding["key"] == "v2-rest.data-count"]
    checks.that(counted and counted[0]["asked"] == INFER and counted[0]["level"] == "must" and "Predict Protocol" in counted[0]["source"] and
                counted[0]["why"] == "/json/inputs/0: the shape [1,16] has 16 elements, the data 1", f"what is said of a finding: {counted}")
    checks.that("client  must    v2-rest.data-count\n" in watch.output and INFER in watch.output, "what is printed of a finding")


# Deviations of the server, the row that each breaks, and an exchange that shows it.
DEVIATIONS = [
    ("rest-error-body-is-detail", "v2-rest.error-body", lambda watch: ask(watch.http, "POST", "/v2/models/simple/infer", b"{")),
    ("rest-data-count-unchecked", "v2-rest.data-count", lambda watch: ask(watch.http, "POST", "/v2/models/simple/infer", inference(inputs=[tensor(data=[1]), tensor(name="INPUT1")]))),
    ("rest-client-errors-are-500", "v2-rest.client-error-4xx", lambda watch: ask(watch.http, "POST", "/v2/models/simple/infer", inference(inputs=[tensor(data=[1]), tensor(name="INPUT1")]))),
    ("rest-id-lost", "v2-rest.id-echoed", lambda watch: ask(watch.http, "POST", "/v2/models/simple/infer", inference())),
    ("rest-an-element-is-lost", "v2-rest.answer-data-count", lambda watch: ask(watch.http, "POST", "/v2/models/simple/infer", inference())),
    ("rest-output-without-datatype", "v2-rest.output-datatype", lambda watch: ask(watch.http, "POST", "/v2/models/simple/infer", inference())),
    ("rest-answer-without-model-name", "v2-rest.model-name-given", lambda watch: ask(watch.http, "POST", "/v2/models/simple/infer", inference())),
    ("rest-metadata-without-inputs", "v2-rest.metadata-inputs", lambda watch: ask(watch.http, "GET", "/v2/models/simple")),
    ("rest-extensions-a-string", "v2-rest.server-extensions", lambda watch: ask(watch.http, "GET", "/v2")),
    ("http-no-date", "http.date", lambda watch: ask(watch.http, "GET", "/v2")),
    ("http-host-unchecked", "http.host", lambda watch: talk(address_of(watch.http), b"GET /v2 HTTP/1.1\r\nConnection: close\r\n\r\n")),
    ("grpc-raw-count-unchecked", "v2-grpc.raw-count",
     lambda watch: calls.call(watch.grpc, "ModelInfer", infer_call(BARE, {**BARE, "name": "INPUT1"}, raw=[bytes(64)]))),
    ("grpc-metadata-of-another-name", "v2-grpc.metadata-name", lambda watch: calls.call(watch.grpc, "ModelMetadata", {"name": "simple"})),
    ("grpc-metadata-datatype-with-prefix", "v2-grpc.metadata-datatype", lambda watch: calls.call(watch.grpc, "ModelMetadata", {"name": "simple"})),
    ("rest-variable-dimension-is-minus-2", "v2-rest.metadata-variable", lambda watch: ask(watch.http, "GET", "/v2/models/identity_fp32")),
    ("grpc-outputs-without-data", "v2-grpc.answer-data-count", lambda watch: calls.call(watch.grpc, "ModelInfer", RIGHT_CALL)),
    ("grpc-text-answers-are-json", "grpc.content-type-answer", lambda watch: Run("--grpc", watch.grpc, "--filter", "v2-grpc/health/live*")),
    ("grpc-text-no-status", "grpc.status-sent", lambda watch: Run("--grpc", watch.grpc, "--filter", "v2-grpc/health/live*")),
]


def finds_wrong_servers():
    for deviation, key, exchange in drawn(DEVIATIONS, 1 / 3):
        with reference_server("--deviate", deviation, *MODELS) as server, Watch("--target", server.http, "--grpc", server.grpc) as watch:
            exchange(watch)
        found = {key for side, key in watch.found if side == "server"}
        checks.that(key in found, f"{deviation}: of the server is found {sorted(found)}, not {key}")


def leaves_right_traffic_alone(server):
    with Watch("--target", server.http, "--grpc", server.grpc) as watch:
        direct = list(right_traffic(server.http, server.grpc))
        through = list(right_traffic(watch.http, watch.grpc))
    checks.that(direct == through, f"answers differ: {[pair for pair in zip(direct, through) if pair[0] != pair[1]]}")
    refused = [status for status, _ in through if status not in (200, "OK")]
    checks.that(refused == [404, 404, 404, "NOT_FOUND"], f"what is refused: {refused}")
    checks.that(watch.code == 0 and not watch.found, f"right traffic: exit code {watch.code}, {watch.output}")
    checks.that(watch.report["exchanges"] == len(through), f"{watch.report['exchanges']} exchanges, {len(through)} were made")


def changes_no_verdict(server):
    """The judge itself, whose requests are as odd as any. A URL in a request names the host of the watch, which our server does not know."""
    some = ("--skip", "*/absolute-form*", "--timeout", "60", "--allow-mutation")
    with Watch("--target", server.http, "--grpc", server.grpc, "--graphpipe", server.graphpipe) as watch:
        direct = Run("--target", server.http, "--grpc", server.grpc, "--graphpipe", server.graphpipe, *some)
        through = Run("--target", watch.http, "--grpc", watch.grpc, "--graphpipe", watch.graphpipe, *some)
    verdicts = [run.by_id() for run in (direct, through)]
    checks.code(0, "the judge through the watch", through)
    checks.that(verdicts[0] == verdicts[1], f"verdicts differ: {[one for one in verdicts[0].items() if one not in verdicts[1].items()]}")
    of_server = [finding for finding in watch.report["findings"] if finding["side"] == "server"]
    checks.that(not of_server, f"our server is right, but: {of_server}")
    checks.that(watch.report["judged"] > 1000, f"only {watch.report['judged']} exchanges were judged")
    faults = [one for one in watch.report["unjudged"] if "pattern" in one["why"]]
    checks.that(not faults, f"faults in patterns: {faults}")


def convicts_no_innocent(server):
    """Servers that are right in unusual ways (test_variants.py). What the judge sends is as odd as any client's: no MUST is found against them."""
    import grpc_relay
    import meaning
    import over_grpc
    import rest_relay
    rest = [*rows("VARIANTS", "rest_variants", "rest_choices", "rest_habits"), *map(meaning.over_rest, rows("RIGHT", "right_meanings"))]
    calls = [*rows("VARIANTS", "grpc_variants", "grpc_choices", "grpc_habits"), *map(over_grpc.over_grpc, rows("RIGHT", "right_meanings"))]
    # `watch` takes addresses without a path, and its parser no tab after a length.
    rest = [variant for variant in rest if not variant.prefix and variant.name != "odd-heads"]
    calls = [variant for variant in calls if not variant.server]
    chance, count = random.Random(COMMIT), 12 if EVERYTHING else 2
    for variant in chance.sample(rest, count):
        with rest_relay.Relay(variant, server.http) as relay, Watch("--target", relay.address) as watch:
            Run("--target", watch.http, "--profile", "v2-rest", *variant.flags)
        no_must_is_found(variant, watch)
    for variant in chance.sample(calls, count):
        with grpc_relay.Relay(variant, server.grpc) as relay, Watch("--grpc", relay.address) as watch:
            Run("--grpc", watch.grpc, "--profile", "v2-grpc", *grpc_relay.LIBRARY, *variant.flags)
        no_must_is_found(variant, watch)


class OfAnotherMind(http_handler.Handler):
    """Limits requests to one model, and serves all others, whatever they are."""

    def do_POST(self):
        self.body()
        if "limited" in self.path:
            self.say(429, headers=[("Retry-After", "0")])
        else:
            self.say(200, {"model_name": "simple", "outputs": []})


def leaves_choices_alone():
    """Answers that limit requests are no refusals, and what is wrong in two ways may mean something to a server; in one way it may not."""
    twice = inference(inputs=[tensor(data=[1], datatype="int32")])
    for path, body, found in (("limited", inference(), set()), ("other", twice, {("client", "v2-rest.data-count"), ("client", "v2-rest.datatype-known")}),
                              ("other", inference(inputs=[tensor(data=[1])]), {("client", "v2-rest.data-count"), ("server", "v2-rest.data-count")})):
        server = http_handler.serve(OfAnotherMind)
        with Watch("--target", server.http) as watch:
            ask(watch.http, "POST", f"/v2/models/{path}/infer", body)
        server.shutdown()
        about = {one for one in watch.found if "data" in one[1] or path == "limited"}
        checks.that(about == found, f"{path}, {body}: found {watch.found}, and not {found}")
        limits = [one for one in watch.report["unjudged"] if "limits" in one["why"]]
        checks.that(bool(limits) == (path == "limited"), f"{path}: not judged are {watch.report['unjudged']}")


def rows(table, *modules):
    return [row for module in modules for row in getattr(importlib.import_module(module), table)]


def no_must_is_found(variant, watch):
    found = [(finding["key"], finding["asked"], finding["why"], finding["received"]) for finding in watch.report["findings"]
             if finding["side"] == "server" and finding["level"] == "must" and finding["key"] not in variant.breaks]
    checks.that(not found, f"{variant.name} is compliant ({variant.why}), but: {found}")
    checks.that(watch.report["judged"] > 100, f"{variant.name}: only {watch.report['judged']} exchanges were judged")


# --- Bytes ---


def talk(address, sent):
    """Sends bytes, says that no more follow, and returns all that comes."""
    with socket.create_connection(address, LIMIT) as connection:
        connection.sendall(sent)
        connection.shutdown(socket.SHUT_WR)
        came = b""
        while piece := connection.recv(1 << 16):
            came += piece
        return came


class Scripted(Listener):
    """A server that says `says`, whatever it is told, and keeps what it was told, once for each connection."""

    def __init__(self):
        self.says, self.told = b"", queue.SimpleQueue()
        super().__init__(self.answer)

    def answer(self, connection):
        with connection:
            says = self.says
            speaker = threading.Thread(target=connection.sendall, args=(says,), daemon=True)
            speaker.start()
            told = b""
            while piece := connection.recv(1 << 16):
                told += piece
            speaker.join()
            self.told.put(told)


def changed(chance, text):
    """Returns the bytes with a few others in them."""
    text = bytearray(text)
    for _ in range(chance.randrange(1, 8)):
        at = chance.randrange(len(text) + 1)
        text[at:at + chance.randrange(4)] = chance.randbytes(chance.randrange(5))
    return bytes(text)


def passes_anything():
    """Garbage in both directions, near to what is right and far from it, on both kinds of ports: it comes out as it went in."""
    chance = random.Random(COMMIT)
    body = json.dumps(inference()).encode()
    http = [b"POST /v2/models/simple/infer HTTP/1.1\r\nHost: a\r\nContent-Length: %d\r\n\r\n" % len(body) + body,
            b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n" % len(body) + body]
    call = calls.message("ModelInfer", RIGHT_CALL)
    data = b"\0" + len(call).to_bytes(4, "big") + call
    fields = b"\x83\x86\x04\x2c" + b"/inference.GRPCInferenceService/ModelInfer"[:44].ljust(44, b"x")
    h2 = [b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + frame(4, 0, 0) + frame(1, 4, 1, fields) + frame(0, 1, 1, data),
          frame(4, 0, 0) + frame(4, 1, 0) + frame(1, 4, 1, b"\x88") + frame(0, 0, 1, data) + frame(1, 5, 1, b"\x40\x0bgrpc-status\x010")]
    scripted = Scripted()
    with Watch("--target", f"http://{scripted.address}", "--grpc", scripted.address) as watch:
        for number in range(300):
            kind, address = (http, address_of(watch.http)) if number % 2 else (h2, address_of(watch.grpc))
            sent, scripted.says = (changed(chance, one) if number % 5 else chance.randbytes(chance.randrange(2000)) for one in kind)
            if number == 100:
                sent, scripted.says = chance.randbytes(5 << 20), chance.randbytes(5 << 20)
            came, told = talk(address, sent), None
            checks.that(came == scripted.says, f"number {number}: {len(came)} bytes came of {len(scripted.says)}, or others")
            while told is None or (not told and sent):  # the watch looks whether somebody is there, and says nothing
                told = scripted.told.get(timeout=LIMIT)
            checks.that(told == sent, f"number {number}: the server was told something else")
    checks.that(watch.code in (0, 1), f"after garbage: exit code {watch.code}")


def passes_on_an_early_answer():
    """A client that still sends reads the answer of a server that has answered and gone."""
    answer = b"HTTP/1.1 400 Bad Request\r\nContent-Length: 2\r\nConnection: close\r\n\r\n{}"

    def answer_early(connection):
        with connection:
            if connection.recv(1 << 10):  # the watch connects once to see whether anybody is there
                connection.sendall(answer)
                connection.shutdown(socket.SHUT_WR)

    with Watch("--target", f"http://{Listener(answer_early).address}") as watch:
        came = talk(address_of(watch.http), b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 4000000\r\n\r\n" + bytes(4000000))
    checks.that(came == answer, f"the answer is whole: {came}")


def says_what_is_wrong(server):
    closed = socket.create_server(("127.0.0.1", 0))
    nobody = "127.0.0.1:%d" % closed.getsockname()[1]
    taken = socket.create_server(("127.0.0.1", 0))
    closed.close()
    for code, said, *flags in ((3, f"{nobody} cannot be reached: no connection (", "--target", f"http://{nobody}"),
                               (2, "watch does not speak TLS", "--target", "https://127.0.0.1:1"), (2, "no server to judge"),
                               *((2, f"'{at}' is not a HOST:PORT to listen at", "--target", server.http, "--listen", at)
                                 for at in ("nowhere", "nowhere:80", "127.0.0.1", "127.0.0.1:", "127.0.0.1:65536", "127.0.0.1:80x", "::1:80", "[::1:80", ":80")),
                               (2, "Address already in use", "--target", server.http, "--listen", "127.0.0.1:%d" % taken.getsockname()[1])):
        done = say("watch", *flags, timeout=LIMIT)
        checks.that(done.code == code and said in done.err and done.err.count("\n") == 1, f"{flags}: {done.code}, {done.err}")


def outlives_its_target():
    """What comes when the server has gone is closed, and told."""
    with reference_server(*MODELS) as server, Watch("--target", server.http) as watch:
        server.__exit__()
        checks.that(ended(address_of(watch.http)), "the connection of a client is closed where there is no server")
    checks.that(f"{server.http[len('http://'):]} cannot be reached: Connection refused\n" in watch.output, f"that is told: {watch.output}")
    checks.that(watch.code == 0, f"it is nobody's fault: exit code {watch.code}")


def ended(address):
    """Whether a connection is ended, orderly or not, to one who sends nothing. It may be before it is complete."""
    try:
        with socket.create_connection(address, LIMIT) as connection:
            return connection.recv(1) == b""
    except ConnectionResetError:
        return True


with reference_server("--graphpipe", "127.0.0.1:0", "--default-model", "simple", *MODELS) as ours:
    says_what_is_wrong(ours)
    leaves_right_traffic_alone(ours)
    finds_wrong_clients(ours)
    changes_no_verdict(ours)
    convicts_no_innocent(ours)
leaves_choices_alone()
outlives_its_target()
passes_anything()
passes_on_an_early_answer()
finds_wrong_servers()
checks.end()
