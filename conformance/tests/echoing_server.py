"""A server that says in all that it answers which headers came with the request, over REST and gRPC, in several spellings. Its models have
their names from them, too. It is wrong often enough that every kind of report has something to tell of it."""
import base64
import json
import urllib.parse
from concurrent import futures

import grpc

import http_handler

from schemas import schema

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
        yield value.encode().hex(":")
        yield ", ".join(map(str, value.encode()))
        yield "".join(f"&#x{byte:X};" for byte in value.encode())
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


class Rest(http_handler.Handler):
    seen = set()

    def echo(self):
        echo = Echo({name: self.headers.get(name) for name in HEADERS})
        Rest.seen |= set(echo.values)
        if self.headers.get("Transfer-Encoding"):
            return self.send_error(501)
        self.body()
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
        self.answer(status, [("Content-Type", "application/json; said=" + echo.said), ("X-Said", echo.said)], body)

    do_GET = do_POST = do_PUT = do_DELETE = do_HEAD = do_OPTIONS = do_PATCH = echo

    def send_error(self, code, message=None, explain=None):
        """Says what it has read, which is no answer of HTTP."""
        said = " ".join(value for value in map(self.headers.get, HEADERS) if value) if hasattr(self, "headers") else self.requestline
        self.wfile.write(said.encode("latin-1"))
        self.close_connection = True


class Redirect(Rest):
    """Answers with the headers in the address where it sends everybody."""

    def reply(self, status, body, echo):
        self.answer(302, [("Location", f"http://elsewhere/?said={urllib.parse.quote(echo.said)}")], b"")


def rest_server(kind=Rest):
    return http_handler.serve(kind).http


# --- gRPC ------------------------------------------------------------------------------------------------------------------


class Calls(grpc.GenericRpcHandler):
    seen = set()

    def __init__(self):
        self.schema = schema("inference")

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
