"""A client of V2 over REST and one over gRPC with the same methods, for the script tests of the server.

What a method asks for comes after the code of the answer, which both give by its name in gRPC: "OK". Any number of threads may ask at once."""
import base64
import http.client
import json
import struct

import grpc

from server_process import PATIENCE
from schemas import schema

SERVICE = "/inference.GRPCInferenceService/"
pb = schema("inference")
CODES = {200: "OK", 400: "INVALID_ARGUMENT", 403: "PERMISSION_DENIED", 404: "NOT_FOUND", 409: "FAILED_PRECONDITION", 503: "UNAVAILABLE"}
PARAMETERS = {bool: "bool_param", int: "int64_param", str: "string_param", bytes: "bytes_param"}
# datatype: format of struct (None: by hand), field of contents (None: raw only)
DATATYPES = {
    "BOOL": ("?", "bool_contents"), "UINT8": ("B", "uint_contents"), "UINT16": ("H", "uint_contents"), "UINT32": ("I", "uint_contents"),
    "UINT64": ("Q", "uint64_contents"), "INT8": ("b", "int_contents"), "INT16": ("h", "int_contents"), "INT32": ("i", "int_contents"),
    "INT64": ("q", "int64_contents"), "FP16": ("e", None), "FP32": ("f", "fp32_contents"), "FP64": ("d", "fp64_contents"), "BF16": (None, None),
    "BYTES": (None, "bytes_contents")}


def values_of(datatype, data):
    """Returns the values of a tensor in the raw form."""
    if datatype == "BYTES":
        values = []
        while data:
            (size,) = struct.unpack_from("<I", data)
            values.append(data[4 : 4 + size])
            data = data[4 + size :]
        return values
    if datatype == "BF16":
        return [struct.unpack("<f", b"\0\0" + data[i : i + 2])[0] for i in range(0, len(data), 2)]
    return [value for (value,) in struct.iter_unpack("<" + DATATYPES[datatype][0], data)]


class Rest:
    name = "REST"

    def __init__(self, server):
        self.address = server.http

    def ask(self, method, path, body=None):
        """Returns the status and the body of an answer. `body` is text or bytes, or becomes JSON."""
        connection = http.client.HTTPConnection(self.address, timeout=PATIENCE)
        connection.request(method, path, body if body is None or isinstance(body, (str, bytes)) else json.dumps(body))
        answer = connection.getresponse()
        text = answer.read()
        connection.close()
        return answer.status, text

    def read(self, path):
        """Returns the JSON of an answer that must be right."""
        status, text = self.ask("GET", path)
        assert status == 200, (path, status, text)
        return json.loads(text)

    def infer(self, model, inputs, id="", **parameters):
        """Returns the answer as {"id", "parameters", "outputs": {name: values}}; nothing if it is an error."""
        status, text = self.ask("POST", f"/v2/models/{model}/infer", self.request(inputs, id, **parameters))
        answer = json.loads(text)
        if status != 200:
            return CODES[status], {}
        return "OK", {"id": answer.get("id", ""), "parameters": answer.get("parameters", {}),
                      "outputs": {output["name"]: output["data"] for output in answer["outputs"]}}

    @staticmethod
    def request(inputs, id="", **parameters):
        """Returns the body of an inference. `inputs` are {name: (datatype, shape, values)}."""
        tensors = [{"name": name, "datatype": datatype, "shape": shape, "data": values} for name, (datatype, shape, values) in inputs.items()]
        return json.dumps({"id": id, "parameters": parameters, "inputs": tensors})

    def is_ready(self, model):
        return self.ask("GET", f"/v2/models/{model}/ready")[0] == 200

    def is_described(self, model):
        return self.ask("GET", f"/v2/models/{model}")[0] == 200

    def extensions(self):
        return self.read("/v2")["extensions"]

    def index(self):
        """Returns {(model, version): state}, without a code."""
        _, text = self.ask("POST", "/v2/repository/index")
        return {(row["name"], row.get("version")): row["state"] for row in json.loads(text)}

    def change(self, what, model, files={}, **parameters):
        """Returns the code alone; `what` is "load" or "unload"."""
        parameters |= {f"file:{path}": base64.b64encode(content).decode() for path, content in files.items()}
        return CODES[self.ask("POST", f"/v2/repository/models/{model}/{what}", {"parameters": parameters})[0]]


class Grpc:
    name = "gRPC"

    def __init__(self, server):
        self.channel = server.channel()

    def method(self, name):
        return self.channel.unary_unary(SERVICE + name, getattr(pb, name + "Request").SerializeToString, getattr(pb, name + "Response").FromString)

    def call(self, method, **members):
        """Calls a method with a request that has these members. Returns the answer as a message; None if it is an error."""
        return self.send(method, getattr(pb, method + "Request")(**members))

    def send(self, method, request):
        try:
            return "OK", self.method(method)(request, timeout=PATIENCE)
        except grpc.RpcError as error:
            return error.code().name, None

    def infer(self, model, inputs, id="", **parameters):
        code, answer = self.send("ModelInfer", self.request(model, inputs, id, **parameters))
        return code, self.answer(answer) if answer else {}

    def begin(self, model, inputs, id="", **parameters):
        """Begins an inference, and returns its future; `answer` takes the result."""
        return self.method("ModelInfer").future(self.request(model, inputs, id, **parameters), timeout=PATIENCE)

    @staticmethod
    def request(model, inputs, id="", **parameters):
        request = pb.ModelInferRequest(model_name=model, id=id)
        for name, (datatype, shape, values) in inputs.items():
            contents = request.inputs.add(name=name, datatype=datatype, shape=shape).contents
            getattr(contents, DATATYPES[datatype][1]).extend(value.encode() if isinstance(value, str) else value for value in values)
        for name, value in parameters.items():
            setattr(request.parameters[name], PARAMETERS[type(value)], value)
        return request

    @staticmethod
    def answer(message):
        return {"id": message.id,
                "parameters": {name: getattr(value, value.WhichOneof("parameter_choice")) for name, value in message.parameters.items()},
                "outputs": {output.name: values_of(output.datatype, raw) for output, raw in zip(message.outputs, message.raw_output_contents)}}

    def is_ready(self, model):
        return self.call("ModelReady", name=model)[1].ready

    def is_described(self, model):
        return self.call("ModelMetadata", name=model)[0] == "OK"

    def extensions(self):
        return list(self.call("ServerMetadata")[1].extensions)

    def index(self):
        return {(row.name, row.version): row.state for row in self.call("RepositoryIndex")[1].models}

    def change(self, what, model, files={}, **parameters):
        method = {"load": "RepositoryModelLoad", "unload": "RepositoryModelUnload"}[what]
        request = getattr(pb, method + "Request")(model_name=model)
        for name, value in (parameters | {f"file:{path}": content for path, content in files.items()}).items():
            setattr(request.parameters[name], PARAMETERS[type(value)], value)
        return self.send(method, request)[0]
