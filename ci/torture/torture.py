"""What the torture tests share: a running server, its requests as bytes, and allocations that fail on demand."""
import ctypes
import gzip
import json
import mmap
import os
import re
import struct
import subprocess
import sys
import tempfile
import time

sys.path[:0] = ["proto/tests", "reference-server/tests"]
import server_process
from wire import ACK, DATA, END_STREAM, HEADERS, PING, PREFACE, RST_STREAM, SETTINGS, call_head, field, frame, frames_of, input_tensor, message, varint

PATIENCE = 30  # seconds; reached only if something hangs


def fail(message):
    print(f"torture: {message}", file=sys.stderr)
    sys.exit(1)


def arguments():
    """Returns (whether the short form is asked for, the build folder)."""
    words = sys.argv[1:]
    short = "--short" in words
    folders = [word for word in words if word != "--short"]
    if len(folders) != 1 or folders[0].startswith("-"):
        fail(f"usage: {sys.argv[0]} [--short] BUILD")
    return short, folders[0]


# --- Allocations that fail (memory.c) -----------------------------------------------------------------------------------


def code_for_libraries(program):
    """Returns where the functions of the server lie that allocate what libnghttp2 asks for (reference-server/grpc/blocks.c)."""
    symbols = subprocess.run(["nm", "-S", "--defined-only", program], capture_output=True, text=True, check=True).stdout
    places = [(int(words[0], 16), int(words[1], 16)) for words in map(str.split, symbols.splitlines())
              if len(words) == 4 and words[3].startswith("block_take")]
    if not places:
        sys.exit(f"{program} has no function block_take: memory for libnghttp2 cannot be told from the server's own")
    return ",".join(f"{begin:x}-{begin + size:x}" for begin, size in places)


class Memory:
    """The page that is shared with a program which was started in `environment`."""

    EVER = 2**63

    def __init__(self, build):
        self.file = tempfile.NamedTemporaryFile(prefix="torture-")
        self.file.truncate(mmap.PAGESIZE)
        self.page = mmap.mmap(self.file.fileno(), mmap.PAGESIZE)
        self.library = os.path.abspath(f"{build}/torture/memory.so")
        if not os.path.exists(self.library):
            sys.exit(f"{self.library} is not built (make BUILD={build} {build}/torture/memory.so)")

    def environment(self, libraries="protobuf-c,libz.so", spared=""):
        checks = "verify_asan_link_order=0:" + os.environ.get("ASAN_OPTIONS", "")
        return dict(os.environ, LD_PRELOAD=self.library, TORTURE_CONTROL=self.file.name, TORTURE_LIBRARIES=libraries,
                    TORTURE_SPARED=spared, ASAN_OPTIONS=checks)

    def give_out(self, first, last):
        """Makes the allocations of these numbers fail, counted from now on."""
        self.page[:40] = struct.pack("<5Q", 0, 0, 0, last, 0)
        self.page[16:24] = struct.pack("<Q", first)

    def recover(self):
        """Lets all allocations succeed again. Returns how many were asked for, how many failed, and where the last of these was (for
        addr2line)."""
        self.page[16:24] = bytes(8)
        asked, failed, _, _, place = struct.unpack("<5Q", self.page[:40])
        return asked, failed, f"0x{place:x}"


# --- A server -----------------------------------------------------------------------------------------------------------


class Server(server_process.Server):
    """A reference server on free ports. RuntimeError, if it does not start, has its exit code and what it said."""

    def __init__(self, build, *flags, env=None):
        self.errors = tempfile.TemporaryFile("w+", errors="replace")
        try:
            super().__init__(build, *flags, models=(), endpoints=("http", "grpc", "graphpipe"), stderr=self.errors, env=env)
        except RuntimeError as error:
            raise RuntimeError(*error.args[:2], self.said()) from error

    def said(self):
        """Returns what it said of errors."""
        self.errors.seek(0)
        return self.errors.read()

    def end(self):
        """Ends the server. Returns None, or what was wrong: it must end with 0 within seconds, and no request may be in flight."""
        if self.process.poll() is not None:
            return f"the server ended by itself with {self.process.returncode}: {self.said()[-4000:]}"
        begun = time.monotonic()
        code = self.stop()
        if code != 0:
            return f"the server ended with {code} after SIGTERM: {self.said()[-4000:]}"
        if "were cut" in self.process.stdout.read() or time.monotonic() - begun > PATIENCE / 2:
            return "requests were left in flight"
        return None

    def ask(self, request):
        """Sends one request on a connection of its own and returns the answer. The answer has no code if the server ended."""
        try:
            with self.connect(request.transport) as connection:
                return request.exchange(connection)
        except ConnectionError as error:
            return Answer(None, str(error))

    def has_crashed(self):
        """Called when an answer did not come. Waits, because a crash may take a moment."""
        try:
            self.process.wait(0.5)
        except subprocess.TimeoutExpired:
            return False
        return True


# --- Requests and answers -----------------------------------------------------------------------------------------------


class Answer:
    """`code` is the HTTP status or the gRPC code, None if there was no complete answer. `text` is what answers are compared by."""

    def __init__(self, code, text, sentence=None):
        self.code, self.text, self.sentence = code, text, sentence

    def __eq__(self, other):
        return (self.code, self.text) == (other.code, other.text)

    def __repr__(self):
        return f"{self.code} {self.text[:300]!r}"


class Rest:
    """One HTTP request, as bytes."""

    transport = "http"
    exhausted = (413, 500, 503)

    def __init__(self, name, method, path, body=b"", headers=(), chunked=False):
        self.name, self.method, self.path = name, method, path
        lines = [f"{method} {path} HTTP/1.1", "Host: x", "Connection: close", *headers]
        if chunked:
            lines.append("Transfer-Encoding: chunked")
            middle = len(body) // 2
            body = b"".join(b"%x\r\n%s\r\n" % (len(part), part) for part in (body[:middle], body[middle:], b""))
        elif body:
            lines.append(f"Content-Length: {len(body)}")
        self.bytes = "\r\n".join(lines).encode() + b"\r\n\r\n" + body

    def exchange(self, connection):
        connection.sendall(self.bytes)
        return self.read(connection)

    def read(self, connection):
        data = b""
        try:
            while (part := connection.recv(1 << 20)):
                data += part
        except ConnectionError:
            pass
        head, found, body = data.partition(b"\r\n\r\n")
        if not found:
            return Answer(None, data)
        length = re.search(rb"(?i)\r\ncontent-length: (\d+)", head)
        if self.method != "HEAD" and length and int(length[1]) != len(body):
            return Answer(None, data)
        return self.answer_of(head, body)

    def answer_of(self, head, body):
        error = re.fullmatch(rb'\s*\{"error":\s*"(.+)"\}\s*', body) or re.fullmatch(rb"([ -~]+)\n", body)
        return Answer(int(head.split()[1]), body, error and error[1])


class GraphPipe(Rest):
    """A request for GraphPipe's listener. Its errors are flatbuffers, in which the sentence stands as it is."""

    transport = "graphpipe"

    def read(self, connection):
        answer = super().read(connection)
        sentence = re.search(rb"[ -~]{8,}", answer.text or b"")
        answer.sentence = sentence and sentence[0]
        return answer


class V1(Rest):
    """A request of TensorRT Inference Server v1. What is wrong stands in a header, and the time in the body of a status."""

    exhausted = (400, 503)

    def answer_of(self, head, body):
        status = re.search(rb'\r\nNV-Status: .*? msg: "(.+?)" server_id', head)
        return Answer(int(head.split()[1]), re.sub(rb"uptime_ns: \d+", b"", body), status and status[1])


class Field(ctypes.Structure):
    _fields_ = [("name", ctypes.c_void_p), ("value", ctypes.c_void_p), ("name_size", ctypes.c_size_t),
                ("value_size", ctypes.c_size_t), ("flags", ctypes.c_uint8)]


class Fields:
    """The header fields of one connection, decoded by libnghttp2."""

    FINAL, EMIT = 1, 2

    def __init__(self):
        self.library = ctypes.CDLL("libnghttp2.so.14")
        self.inflater = ctypes.c_void_p()
        assert self.library.nghttp2_hd_inflate_new(ctypes.byref(self.inflater)) == 0

    def __del__(self):
        self.library.nghttp2_hd_inflate_del(self.inflater)

    def read(self, block):
        """Returns a header block as lines `name: value`."""
        lines, flags, row = b"", ctypes.c_int(), Field()
        inflate = self.library.nghttp2_hd_inflate_hd2
        inflate.restype = ctypes.c_ssize_t
        while not flags.value & self.FINAL:
            taken = inflate(self.inflater, ctypes.byref(row), ctypes.byref(flags), block, ctypes.c_size_t(len(block)), 1)
            if taken < 0:
                return lines
            block = block[taken:]
            if flags.value & self.EMIT:
                lines += b"%s: %s\n" % (ctypes.string_at(row.name, row.name_size), ctypes.string_at(row.value, row.value_size))
        self.library.nghttp2_hd_inflate_end_headers(self.inflater)
        return lines


class Rpc:
    """One gRPC request, as the bytes of its connection: preface, settings, headers, message."""

    transport = "grpc"
    exhausted = (8, 13, 14)

    def __init__(self, name, rpc, body, encode=None):
        self.name = name
        head = call_head(rpc if "/" in rpc else f"/inference.GRPCInferenceService/{rpc}", grpc_encoding="gzip" if encode else None)
        data = message(encode(body), 1) if encode else message(body)
        parts = [data[i : i + 16384] for i in range(0, len(data), 16384)]
        self.bytes = (PREFACE + frame(4, 0, 0, struct.pack(">HI", 4, 2**31 - 1))
                      + frame(8, 0, 0, struct.pack(">I", 2**30)) + frame(1, 4, 1, head))
        self.bytes += b"".join(frame(0, i + 1 == len(parts), 1, part) for i, part in enumerate(parts))

    def exchange(self, connection):
        connection.sendall(self.bytes)  # fits into the initial window of a server
        return self.read(connection)

    def read(self, connection):
        fields, headers, data = Fields(), b"", b""
        try:
            for kind, flags, stream, payload in frames_of(connection.makefile("rb")):
                if kind in (SETTINGS, PING) and not flags & ACK:
                    connection.sendall(frame(kind, ACK, 0, payload if kind == PING else b""))
                headers += fields.read(payload) if stream and kind == HEADERS else b""
                data += payload if stream and kind == DATA else b""
                if kind == RST_STREAM or kind in (HEADERS, DATA) and flags & END_STREAM:
                    break
        except ConnectionError:
            pass
        code = re.search(rb"grpc-status: (\d+)", headers)
        sentence = re.search(rb"grpc-message: (.+)", headers)
        return Answer(int(code[1]) if code else None, data + headers, sentence and sentence[1])


# --- One request of each kind -------------------------------------------------------------------------------------------


def json_input(name, datatype, shape, data):
    return {"name": name, "datatype": datatype, "shape": shape, "data": data}


def rest_requests():
    def infer(name, model, inputs, headers=(), chunked=False, encode=None, **members):
        body = json.dumps({"inputs": inputs, **members}, ensure_ascii=False).encode()
        return Rest(name, "POST", f"/v2/models/{model}/infer", encode(body) if encode else body, headers, chunked)

    row = list(range(16))
    simple = [json_input("INPUT0", "INT32", [1, 16], row), json_input("INPUT1", "INT32", [1, 16], row[::-1])]
    large = [json_input("INPUT0", "FP32", [100, 100], [i / 8 for i in range(10000)])]
    texts = [json_input("INPUT0", "BYTES", [2, 2], ["a", "", "größe\n\0", "x" * 300])]
    yield infer("REST small", "simple", simple)
    yield infer("REST with all members", "simple", simple, id="größe \n", parameters={"a": 1, "b": "x", "c": True},
                outputs=[{"name": "OUTPUT1", "parameters": {"d": 0.5}}, {"name": "OUTPUT0"}])
    yield infer("REST large", "identity_fp32", large)
    yield infer("REST nested", "identity_fp64", [json_input("INPUT0", "FP64", [2, 3], [[1, 2.5, -0.0], [1e300, 5e-324, 6]])])
    yield infer("REST BYTES", "identity_bytes", texts)
    yield infer("REST FP16", "identity_fp16", [json_input("INPUT0", "FP16", [1, 3], [1, 0.1, -2])])
    yield infer("REST gzip", "simple", simple, ["Content-Encoding: gzip"], encode=gzip.compress)
    yield infer("REST chunked", "simple", simple, chunked=True)
    yield infer("REST in order of its own", "simple/versions/1", simple[::-1])
    yield infer("REST convolution", "convnet", convnet_input())
    yield infer("REST unknown model", "none", simple)
    yield infer("REST input missing", "simple", simple[:1])
    yield infer("REST too many elements", "simple", [simple[0], json_input("INPUT1", "INT32", [1, 16], row + row)])
    yield infer("REST wrong element", "simple", [simple[0], json_input("INPUT1", "INT32", [1, 16], row[:-1] + ["x"])])
    yield Rest("REST no JSON", "POST", "/v2/models/simple/infer", b'{"inputs": [')
    yield Rest("REST no gzip", "POST", "/v2/models/simple/infer", b"{}", ["Content-Encoding: gzip"])
    yield Rest("REST unknown coding", "POST", "/v2/models/simple/infer", b"{}", ["Content-Encoding: br"])
    yield Rest("REST unknown path", "GET", "/v2/none/%41")
    yield Rest("REST wrong method", "GET", "/v2/models/simple/infer")
    yield Rest("REST two hosts", "GET", "/v2", headers=["Host: y"])
    yield Rest("REST metadata", "GET", "/v2")
    yield Rest("REST model metadata", "GET", "/v2/models/versioned")
    yield Rest("REST version metadata", "GET", "/v2/models/%76ersioned/versions/2")
    yield Rest("REST unknown metadata", "GET", "/v2/models/versioned/versions/7")
    yield Rest("REST ready", "GET", "/v2/models/simple/ready")
    yield Rest("REST live", "GET", "/v2/health/live")
    yield Rest("REST head", "HEAD", "/v2/models/simple")
    yield Rest("metrics", "GET", "/metrics")
    yield Rest("metrics, wrong method", "PUT", "/metrics")
    yield Rest("REST index", "POST", "/v2/repository/index")
    yield Rest("REST load", "POST", "/v2/repository/models/simple/load")
    yield Rest("REST load with a configuration", "POST", "/v2/repository/models/versioned/load",
               json.dumps({"parameters": {"config": '{"version_policy": {"all": {}}}'}}).encode())
    yield Rest("REST load of a faulty file", "POST", "/v2/repository/models/simple/load", b'{"parameters": {"file:1/model.onnx": "QUJD"}}')
    yield Rest("REST unload of an unknown model", "POST", "/v2/repository/models/none/unload")


def convnet_input():
    return [json_input("INPUT0", "FP32", [1, 1, 8, 8], [i % 7 - 3 for i in range(64)])]


def grpc_requests():
    row = struct.pack("<16i", *range(16))
    packed = field(2, b"".join(varint(i) for i in range(16)))
    name = field(1, "simple")
    raw = name + b"".join(input_tensor(f"INPUT{i}", "INT32", [1, 16]) for i in (0, 1)) + field(7, row) * 2
    typed = name + b"".join(input_tensor(f"INPUT{i}", "INT32", [1, 16], packed) for i in (0, 1))
    parameter = field(4, field(1, "a") + field(2, field(3, "b")))
    floats = struct.pack("<10000f", *range(10000))
    texts = b"".join(struct.pack("<I", size) + b"x" * size for size in (0, 1, 300))
    yield Rpc("gRPC raw", "ModelInfer", raw)
    yield Rpc("gRPC typed", "ModelInfer", typed)
    yield Rpc("gRPC with all members", "ModelInfer",
              raw + field(2, "1") + field(3, "größe") + parameter + field(6, field(1, "OUTPUT1")) + field(6, field(1, "OUTPUT0")))
    yield Rpc("gRPC large", "ModelInfer",
              field(1, "identity_fp32") + input_tensor("INPUT0", "FP32", [100, 100]) + field(7, floats))
    yield Rpc("gRPC BYTES", "ModelInfer", field(1, "identity_bytes") + input_tensor("INPUT0", "BYTES", [1, 3]) + field(7, texts))
    yield Rpc("gRPC typed BYTES", "ModelInfer",
              field(1, "identity_bytes") + input_tensor("INPUT0", "BYTES", [1, 2], field(8, "a") + field(8, b"\xff" * 300)))
    yield Rpc("gRPC gzip", "ModelInfer", raw, encode=gzip.compress)
    yield Rpc("gRPC index", "RepositoryIndex", b"")
    yield Rpc("gRPC load", "RepositoryModelLoad", field(2, "simple"))
    yield Rpc("gRPC load with a configuration", "RepositoryModelLoad",
              field(2, "versioned") + field(3, field(1, "config") + field(2, field(3, '{"version_policy": {"all": {}}}'))))
    yield Rpc("gRPC unload of an unknown model", "RepositoryModelUnload", field(2, "none"))
    yield Rpc("gRPC unknown model", "ModelInfer", field(1, "none"))
    yield Rpc("gRPC raw too short", "ModelInfer", name + raw[8:-66] + field(7, row[:-1]))
    yield Rpc("gRPC input missing", "ModelInfer", name + input_tensor("INPUT0", "INT32", [1, 16]) + field(7, row))
    yield Rpc("gRPC no message", "ModelInfer", b"\xff\xff")
    yield Rpc("gRPC unknown rpc", "ModelLearn", b"")
    yield Rpc("gRPC live", "ServerLive", b"")
    yield Rpc("gRPC ready", "ModelReady", field(1, "simple"))
    yield Rpc("gRPC metadata", "ServerMetadata", b"")
    yield Rpc("gRPC model metadata", "ModelMetadata", field(1, "versioned"))
    yield Rpc("gRPC unknown metadata", "ModelMetadata", field(1, "none"))
    yield Rpc("gRPC health", "/grpc.health.v1.Health/Check", b"")
    yield Rpc("gRPC health of an unknown service", "/grpc.health.v1.Health/Check", field(1, "none"))
    for name, asked in (("a symbol", field(4, "inference.GRPCInferenceService")), ("an unknown file", field(3, "none")), ("services", field(7, "")),
                        ("extensions", field(6, "inference.ModelInferRequest"))):
        yield Rpc(f"gRPC reflection of {name}", "/grpc.reflection.v1.ServerReflection/ServerReflectionInfo", asked)


def graphpipe_requests():
    """Most are what the original programs wrote."""
    with open("proto/tests/graphpipe_originals.txt", encoding="utf-8") as file:
        lines = [line.split("\t") for line in file if not line.startswith("#")]
    original = {line[0]: bytes.fromhex(line[2]) for line in lines}
    numbers, texts = original["go_client_f32_2x2"], original["py_client_U_strings"]
    yield GraphPipe("GraphPipe infer", "POST", "/identity_fp32", numbers)
    yield GraphPipe("GraphPipe chunked", "POST", "/identity_fp32", numbers, chunked=True)
    yield GraphPipe("GraphPipe texts", "POST", "/line_bytes", texts)
    yield GraphPipe("GraphPipe of another type", "POST", "/simple", texts)
    yield GraphPipe("GraphPipe default model", "POST", "/none", numbers)
    yield GraphPipe("GraphPipe broken off", "POST", "/simple", numbers[:40])
    yield GraphPipe("GraphPipe metadata", "POST", "/convnet", original["flatc_metadata_req"])
    yield GraphPipe("GraphPipe GET", "GET", "/convnet")
    yield GraphPipe("GraphPipe wrong method", "PUT", "/convnet", numbers)


def v1_requests():
    row = struct.pack("<16i", *range(16)) * 2
    inputs = "".join('input { name: "INPUT%d" dims: 1 dims: 16 } ' % i for i in (0, 1))
    outputs = 'output { name: "OUTPUT0" cls { count: 3 } } output { name: "OUTPUT1" }'
    header = "NV-InferRequest: batch_size: 1 id: 7 " + inputs + outputs
    sequence = 'NV-InferRequest: batch_size: 1 correlation_id: 5 flags: 3 input { name: "INPUT" } output { name: "OUTPUT" }'
    yield V1("v1 infer", "POST", "/api/infer/simple", row, [header])
    yield V1("v1 infer binary", "POST", "/api/infer/simple?format=binary", row, [header], chunked=True)
    yield V1("v1 sequence", "POST", "/api/infer/accumulator", struct.pack("<i", 3), [sequence])
    yield V1("v1 unknown model", "POST", "/api/infer/none", row, [header])
    yield V1("v1 no header", "POST", "/api/infer/simple", row)
    yield V1("v1 wrong header", "POST", "/api/infer/simple", row, ["NV-InferRequest: no"])
    yield V1("v1 short body", "POST", "/api/infer/simple", row[:-1], [header])
    yield V1("v1 status", "GET", "/api/status/versioned")
    yield V1("v1 status of an unknown model", "GET", "/api/status/none")
    yield V1("v1 ready", "GET", "/api/health/ready")


def requests():
    return [*rest_requests(), *grpc_requests(), *graphpipe_requests(), *v1_requests()]
