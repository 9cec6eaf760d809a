"""A server that says in all that it answers which headers came with the request, over REST and gRPC, in several spellings. Its models have
their names from them, too. It is wrong often enough that every kind of report has something to tell of it."""
import base64
import http.server
import json
import shutil
import subprocess
import sys
import tempfile
import threading
import urllib.parse
from concurrent import futures

import grpc

HEADERS = ("authorization", "x-api-key", "proxy-authorization")
SIDES = {"inputs": [{"name": "IN", "datatype": "INT32", "shape": [2]}], "outputs": [{"name": "OUT", "datatype": "BYTES", "shape": [3]}]}


def decoded(value):
    """The user and the password of `Basic`."""
    scheme, _, rest = value.partition(" ")
    return base64.b64decode(rest).decode() if scheme == "Basic" else rest


def spellings(values):
    """What came, in the spellings in which a server might say it."""
    text = " | ".join(values)
    for value in values:
        yield value
        yield decoded(value) or value
        yield value.upper()
        yield urllib.parse.quote(value)
        yield urllib.parse.quote(value, safe="")
        yield value.encode().hex()
        yield value[:-3] + "..."
    yield from (base64.b64encode((before + text).encode()).decode() for before in ("", "a", "ab"))
    yield from (base64.urlsafe_b64encode((before + text).encode()).decode() for before in ("", "a", "ab"))


class Echo:
    """What is answered to a request with these headers."""

    def __init__(self, headers):
        self.values = [headers[name] for name in HEADERS if headers.get(name)]
        self.said = " and ".join(spellings(self.values))
        self.model = "model of " + (self.values[0].split()[-1] if self.values else "nobody")

    def metadata(self):
        return {"name": self.model, "versions": ["1"], "platform": self.said,
                **{side: [{**tensor, "name": f"{tensor['name']} {self.model}"} for tensor in tensors] for side, tensors in SIDES.items()}}

    def data(self):
        return (self.values * 3)[:3] or ["", "", ""]


# --- REST ------------------------------------------------------------------------------------------------------------------


class Rest(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    seen = set()

    def answer(self):
        echo = Echo({name: self.headers.get(name) for name in HEADERS})
        Rest.seen |= set(echo.values)
        if self.headers.get("Transfer-Encoding"):
            return self.send_error(501)
        self.rfile.read(int(self.headers.get("Content-Length") or 0))
        path = urllib.parse.unquote(self.path)
        model = path.startswith(f"/v2/models/{echo.model}")
        if path == "/v2":
            status, body = 200, {"name": echo.said, "version": echo.values, "extensions": ["model_repository", echo.said]}
        elif path == "/v2/health/live":
            status, body = 200, {"live": True, "said": echo.said}
        elif path == "/v2/repository/index":
            status, body = 200, [{"name": echo.model, "version": "1", "state": "READY", "reason": echo.said}]
        elif path == "/v2/models":
            status, body = 200, {"models": [echo.model]}
        elif model and self.command == "GET":
            status, body = 200, echo.metadata()
        elif model and path.endswith("/infer"):
            output = {**echo.metadata()["outputs"][0], "data": echo.data()}
            status, body = 200, {"model_name": echo.model, "outputs": [output], "parameters": {"said": echo.said}}
        else:
            status, body = 418, {"error": echo.said, **dict.fromkeys(echo.values, echo.values)}
        return self.reply(status, body, echo)

    def reply(self, status, body, echo):
        body = json.dumps(body).encode()
        if "text" in self.path or "framing" in self.path:
            body = f"<no json> {echo.said}".encode() + b"\xff\0"
        self.send_response(status)
        self.send_header("Content-Type", "application/json; said=" + echo.said)
        self.send_header("X-Said", echo.said)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    do_GET = do_POST = do_PUT = do_DELETE = do_HEAD = do_OPTIONS = do_PATCH = answer

    def send_error(self, code, message=None, explain=None):
        """Says what it has read, which is no answer of HTTP."""
        said = " ".join(value for value in map(self.headers.get, HEADERS) if value) if hasattr(self, "headers") else self.requestline
        self.wfile.write(said.encode("latin-1"))
        self.close_connection = True

    def log_message(self, *_):
        pass


class Redirect(Rest):
    """Answers with the headers in the address where it sends everybody."""

    def reply(self, status, body, echo):
        self.send_response(302)
        self.send_header("Location", f"http://elsewhere/?said={urllib.parse.quote(echo.said)}")
        self.send_header("Content-Length", "0")
        self.end_headers()


def rest_server(kind=Rest):
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), kind)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return f"http://127.0.0.1:{server.server_address[1]}"


# --- gRPC ------------------------------------------------------------------------------------------------------------------


def load_schema():
    folder = tempfile.mkdtemp()
    subprocess.run(["protoc", "-Iproto/schema", f"--python_out={folder}", "inference.proto", "model_config.proto"], check=True)
    sys.path.insert(0, folder)
    import inference_pb2
    shutil.rmtree(folder)
    return inference_pb2


class Calls(grpc.GenericRpcHandler):
    seen = set()

    def __init__(self):
        self.schema = load_schema()

    def service(self, call):
        rpc = call.method.rpartition("/")[2]

        def serve(request, context):
            echo = Echo(dict(context.invocation_metadata()))
            Calls.seen |= set(echo.values)
            context.set_trailing_metadata([("said", echo.said), ("said-bin", echo.said.encode())])
            answer = self.answer_of(rpc, request, echo)
            if answer is None:
                context.abort(grpc.StatusCode.DATA_LOSS, echo.said)
            return answer.SerializeToString()

        return grpc.unary_unary_rpc_method_handler(serve)

    def answer_of(self, rpc, request, echo):
        if rpc == "ServerMetadata":
            return self.schema.ServerMetadataResponse(name=echo.said, version=echo.model, extensions=echo.values)
        if rpc == "ModelMetadata" and echo.model.encode() in request:
            return self.schema.ModelMetadataResponse(**echo.metadata())
        if rpc == "ModelInfer" and echo.model.encode() in request:
            answer = self.schema.ModelInferResponse(model_name=echo.said, outputs=echo.metadata()["outputs"])
            answer.raw_output_contents.append(b"".join(len(value).to_bytes(4, "little") + value.encode() for value in echo.data()))
            return answer
        return None


def grpc_server():
    """Returns the server, which ends when it is forgotten, and its address."""
    server = grpc.server(futures.ThreadPoolExecutor(16), handlers=[Calls()])
    port = server.add_insecure_port("127.0.0.1:0")
    server.start()
    return server, f"127.0.0.1:{port}"
