"""A gRPC client in another language: a tour of a running reference server with the model kit.

    grpc_client.py HOST:PORT [--output raw|typed|mirror]

It tries health, metadata, inference with all 14 datatypes raw and typed, and refusals. protoc makes the messages from the published
schema. Python's struct makes the expected values; they never come from the server. Prints what failed, and exits with 1 if anything
did."""
import argparse
import math
import struct
import sys

import grpc

sys.path.insert(0, "proto/tests")
from checks import Checks
from schemas import schema

SERVICE = "/inference.GRPCInferenceService/"
pb = schema("inference")

# datatype: struct format (None: by hand), contents field (None: raw only), values from the lowest to the highest
DATATYPES = {
    "BOOL": ("?", "bool_contents", [True, False, True, True, False, False]),
    "UINT8": ("B", "uint_contents", [0, 1, 127, 128, 254, 255]),
    "UINT16": ("H", "uint_contents", [0, 1, 255, 256, 65534, 65535]),
    "UINT32": ("I", "uint_contents", [0, 1, 65536, 2**31, 2**32 - 2, 2**32 - 1]),
    "UINT64": ("Q", "uint64_contents", [0, 1, 2**53 + 1, 2**63, 2**64 - 2, 2**64 - 1]),
    "INT8": ("b", "int_contents", [0, 1, -1, 127, -127, -128]),
    "INT16": ("h", "int_contents", [0, 1, -1, 32767, -32767, -32768]),
    "INT32": ("i", "int_contents", [0, 1, -1, 2**31 - 1, 16777217, -(2**31)]),
    "INT64": ("q", "int64_contents", [0, 1, -1, 2**63 - 1, 2**53 + 1, -(2**63)]),
    "FP16": ("e", None, [0.0, 1.0, -2.5, 65504.0, 2.0**-24, math.inf]),
    "FP32": ("f", "fp32_contents", [0.0, -0.0, 1.5, 3.4028234663852886e38, 2.0**-149, -math.inf]),
    "FP64": ("d", "fp64_contents", [0.0, -0.0, 0.1, 1.7976931348623157e308, 5e-324, -math.inf]),
    "BF16": (None, None, [0.0, 1.0, -2.5, 2.0**127, 2.0**-126, math.inf]),
    "BYTES": (None, "bytes_contents", [b"", b"a", b"a\0b", "größe".encode(), b"\xff\xfe", b"x" * 300]),
}


def raw(datatype, values):
    """Returns the raw form of values: little-endian; BYTES after a 4-byte length; BF16 as the upper half of a binary32."""
    if datatype == "BYTES":
        return b"".join(struct.pack("<I", len(v)) + v for v in values)
    if datatype == "BF16":
        return b"".join(struct.pack("<f", v)[2:] for v in values)
    return struct.pack("<%d%s" % (len(values), DATATYPES[datatype][0]), *values)


def values_of(datatype, data):
    """Does the reverse of raw."""
    if datatype == "BYTES":
        values = []
        while data:
            (size,) = struct.unpack_from("<I", data)
            values.append(data[4 : 4 + size])
            data = data[4 + size :]
        return values
    if datatype == "BF16":
        return [struct.unpack("<f", b"\0\0" + data[i : i + 2])[0] for i in range(0, len(data), 2)]
    code = DATATYPES[datatype][0]
    return list(struct.unpack("<%d%s" % (len(data) // struct.calcsize(code), code), data))


class Tour:
    def __init__(self, address, output):
        # Without a proxy, and without retries that would hide a refusal.
        self.channel = grpc.insecure_channel(
            address,
            options=[("grpc.enable_http_proxy", 0), ("grpc.enable_retries", 0), ("grpc.max_receive_message_length", -1)],
        )
        self.output = output
        self.checks = Checks()

    def call(self, method, request, answer=None, **options):
        """Makes one unary call. Returns the answer, or the grpc.RpcError. `request` is a message or bytes."""
        data = request if isinstance(request, bytes) else request.SerializeToString()
        stub = self.channel.unary_unary(SERVICE + method, response_deserializer=answer.FromString if answer else None)
        try:
            return stub(data, timeout=options.pop("timeout", 20), **options)
        except grpc.RpcError as error:
            return error

    def check(self, name, got, wanted):
        # repr distinguishes -0.0 from 0.0, and True from 1
        self.checks.that(repr(got) == repr(wanted), "%s\n    expected %.300r\n    received %.300r" % (name, wanted, got))

    def check_refused(self, name, got, code, *words):
        if isinstance(got, grpc.RpcError):
            self.checks.that(got.code() == code and all(word in got.details() for word in words),
                             "%s\n    expected %s with %s\n    received %s: %s" % (name, code, words, got.code(), got.details()))
        else:
            self.checks.that(False, "%s\n    expected %s\n    received an answer: %.200r" % (name, code, got))

    # --- requests -------------------------------------------------------------------------------------------------------

    @staticmethod
    def request(model, *inputs, **members):
        """Makes a request. Each of `inputs` is (name, datatype, shape, values or None, "raw" or "typed")."""
        request = pb.ModelInferRequest(model_name=model, **members)
        for name, datatype, shape, values, form in inputs:
            tensor = request.inputs.add(name=name, datatype=datatype, shape=shape)
            if form == "raw":
                request.raw_input_contents.append(raw(datatype, values))
            elif form == "typed":
                getattr(tensor.contents, DATATYPES[datatype][1]).extend(values)
        return request

    def infer(self, request, **options):
        return self.call("ModelInfer", request, pb.ModelInferResponse, **options)

    @staticmethod
    def outputs(response):
        """Returns {name: (datatype, shape, values)} from either form of an answer, or the text of an error."""
        if isinstance(response, grpc.RpcError):
            return "%s: %s" % (response.code(), response.details())
        result = {}
        is_raw = len(response.raw_output_contents) > 0
        for i, tensor in enumerate(response.outputs):
            if is_raw:
                values = values_of(tensor.datatype, response.raw_output_contents[i])
            else:
                values = list(getattr(tensor.contents, DATATYPES[tensor.datatype][1]))
            result[tensor.name] = (tensor.datatype, list(tensor.shape), values)
        return result

    # --- the tour -------------------------------------------------------------------------------------------------------

    def health(self):
        self.check("server is live", self.call("ServerLive", b"", pb.ServerLiveResponse).live, True)
        self.check("server is ready", self.call("ServerReady", b"", pb.ServerReadyResponse).ready, True)
        for version in ("", "1"):
            answer = self.call("ModelReady", pb.ModelReadyRequest(name="simple", version=version), pb.ModelReadyResponse)
            self.check("model 'simple' is ready, version %r" % version, answer.ready, True)
        for name, version in (("no_such", ""), ("simple", "77"), ("SIMPLE", ""), ("simple", "01"), ("simple\0x", "")):
            answer = self.call("ModelReady", pb.ModelReadyRequest(name=name, version=version), pb.ModelReadyResponse)
            self.check_refused("readiness of %r version %r" % (name, version), answer, grpc.StatusCode.NOT_FOUND)

    def metadata(self):
        server = self.call("ServerMetadata", b"", pb.ServerMetadataResponse)
        self.check("server has a name and a version", bool(server.name and server.version), True)
        model = self.call("ModelMetadata", pb.ModelMetadataRequest(name="simple"), pb.ModelMetadataResponse)
        self.check("metadata of simple", (model.name, list(model.versions), model.platform), ("simple", ["1"], "onnx_onnxv1"))
        tensors = [(t.name, t.datatype, list(t.shape)) for t in list(model.inputs) + list(model.outputs)]
        wanted = [(name, "INT32", [-1, 16]) for name in ("INPUT0", "INPUT1", "OUTPUT0", "OUTPUT1")]
        self.check("tensors of simple", tensors, wanted)
        model = self.call("ModelMetadata", pb.ModelMetadataRequest(name="versioned"), pb.ModelMetadataResponse)
        self.check("versions of versioned", list(model.versions), ["1", "2"])
        answer = self.call("ModelMetadata", pb.ModelMetadataRequest(name="no_such"), pb.ModelMetadataResponse)
        self.check_refused("metadata of no_such", answer, grpc.StatusCode.NOT_FOUND, "no_such")

    def datatypes(self):
        for datatype, (_, field, values) in DATATYPES.items():
            for form in ("raw", "typed"):
                name = "%s %s" % (datatype, form)
                request = self.request(
                    "identity_" + datatype.lower(), ("INPUT0", datatype, [2, 3], values, form if field else "raw"), id=name
                )
                if form == "typed" and not field:
                    continue
                answer = self.infer(request)
                if isinstance(answer, grpc.RpcError):
                    self.check(name, answer.details(), "an answer")
                    continue
                self.check(name + ": id, model, version", (answer.id, answer.model_name, answer.model_version),
                           (name, "identity_" + datatype.lower(), "1"))
                wants_raw = self.output == "raw" or not field or (self.output == "mirror" and form == "raw")
                self.check(name + ": entries of raw_output_contents", len(answer.raw_output_contents), 1 if wants_raw else 0)
                if wants_raw:
                    self.check(name + ": bytes", bytes(answer.raw_output_contents[0]), raw(datatype, values))
                wanted = values_of(datatype, raw(datatype, values))
                self.check(name + ": values", self.outputs(answer), {"OUTPUT0": (datatype, [2, 3], wanted)})

    def shapes(self):
        for shape, values in (([0, 3], []), ([1, 1], [1.5]), ([1, 5000], [i / 8 for i in range(5000)])):
            for form in ("raw", "typed"):
                answer = self.infer(self.request("identity_fp32", ("INPUT0", "FP32", shape, values, form)))
                self.check("shape %r %s" % (shape, form), self.outputs(answer), {"OUTPUT0": ("FP32", shape, values)})
        answer = self.infer(self.request("scalar", ("INPUT0", "FP32", [], [2.5], "raw")))
        if not isinstance(answer, grpc.RpcError):
            self.check("rank 0", [list(t.shape) for t in answer.outputs], [[]])
        large = [i * 0.25 for i in range(1024 * 1024)]
        answer = self.infer(self.request("identity_fp32", ("INPUT0", "FP32", [1024, 1024], large, "raw")))
        self.check("4 MB", self.outputs(answer)["OUTPUT0"][2] == large, True)

    def simple(self):
        a, b = list(range(16)), [2**31 - 1 - i for i in range(16)]
        total = [struct.unpack("<i", struct.pack("<I", (x + y) & 0xFFFFFFFF))[0] for x, y in zip(a, b)]
        difference = [x - y for x, y in zip(a, b)]
        inputs = [("INPUT0", "INT32", [1, 16], a, "raw"), ("INPUT1", "INT32", [1, 16], b, "raw")]
        both = {"OUTPUT0": ("INT32", [1, 16], total), "OUTPUT1": ("INT32", [1, 16], difference)}
        answer = self.infer(self.request("simple", *inputs))
        self.check("simple: all outputs", self.outputs(answer), both)
        self.check("simple: no id is invented", answer.id, "")
        self.check("simple: inputs in another order", self.outputs(self.infer(self.request("simple", *inputs[::-1]))), both)

        request = self.request("simple", *inputs)
        request.outputs.add(name="OUTPUT1")
        self.check("simple: one output", self.outputs(self.infer(request)), {"OUTPUT1": both["OUTPUT1"]})
        request.outputs.add(name="OUTPUT0")
        self.check("simple: outputs in the order asked", list(self.outputs(self.infer(request))), ["OUTPUT1", "OUTPUT0"])

        request = self.request("simple", *inputs, id="größe\0x")
        request.parameters["a"].bool_param = True
        request.parameters["b"].int64_param = -(2**63)
        request.parameters["c"].string_param = "text"
        request.inputs[0].parameters["d"].bool_param = False
        request.outputs.add(name="OUTPUT0").parameters["e"].string_param = ""
        answer = self.infer(request)
        self.check("simple: id with NUL and parameters", (answer.id, list(self.outputs(answer))), ("größe\0x", ["OUTPUT0"]))

        versions = [self.infer(self.request("versioned", *self.versioned_input(), model_version=v)) for v in ("1", "2")]
        self.check("versioned: each answers", [a.model_version for a in versions], ["1", "2"])
        self.check("versioned: differently", self.outputs(versions[0]) != self.outputs(versions[1]), True)

    def versioned_input(self):
        model = self.call("ModelMetadata", pb.ModelMetadataRequest(name="versioned"), pb.ModelMetadataResponse)
        tensor = model.inputs[0]
        shape = [max(d, 1) for d in tensor.shape]
        return [(tensor.name, tensor.datatype, shape, [3] * math.prod(shape), "raw")]

    def refusals(self):
        """A few of each kind: which duties there are, test_duties and test_grpc_request say."""
        invalid = grpc.StatusCode.INVALID_ARGUMENT
        values = list(range(16))
        inputs = [("INPUT0", "INT32", [1, 16], values, "raw"), ("INPUT1", "INT32", [1, 16], values, "raw")]
        typed = [(name, datatype, shape, data, "typed") for name, datatype, shape, data, _ in inputs]

        def refused(name, code, words, change, form=inputs):
            request = self.request("simple", *form)
            change(request)
            self.check_refused(name, self.infer(request), code, *words)

        refused("unknown model", grpc.StatusCode.NOT_FOUND, ["no_such"], lambda r: setattr(r, "model_name", "no_such"))
        refused("unknown version", grpc.StatusCode.NOT_FOUND, ["77"], lambda r: setattr(r, "model_version", "77"))
        refused("no inputs", invalid, [], lambda r: (r.ClearField("inputs"), r.ClearField("raw_input_contents")))
        refused("unknown datatype", invalid, ["INT33"], lambda r: setattr(r.inputs[0], "datatype", "INT33"))
        refused("other shape", invalid, ["[1,17]"], lambda r: r.inputs[0].shape.__setitem__(1, 17))
        refused("raw too short", invalid, ["15", "16"],
                lambda r: r.raw_input_contents.__setitem__(0, r.raw_input_contents[0][:60]))
        refused("wrong contents field", invalid, ["int_contents", "fp32_contents"],
                lambda r: (r.inputs[0].ClearField("contents"), r.inputs[0].contents.fp32_contents.extend([1.0] * 16)), typed)
        refused("unknown output", invalid, ["OUTPUT7"], lambda r: r.outputs.add(name="OUTPUT7"))
        for datatype, value in (("INT8", 128), ("INT8", -129), ("UINT8", 256), ("INT16", 32768), ("UINT16", 65536)):
            request = self.request("identity_" + datatype.lower(), ("INPUT0", datatype, [1, 1], [value], "typed"))
            self.check_refused("%d as %s" % (value, datatype), self.infer(request), invalid, str(value), datatype)

    def hostile(self):
        invalid = grpc.StatusCode.INVALID_ARGUMENT
        valid = self.request("identity_int32", ("INPUT0", "INT32", [1, 1], [7], "raw")).SerializeToString()
        self.check_refused("truncated", self.infer(valid[:-1]), invalid)
        self.check_refused("invalid UTF-8 in model_name", self.infer(b"\x0a\x02\xff\xfe"), invalid)
        self.check_refused("unknown rpc", self.call("NoSuchRpc", valid), grpc.StatusCode.UNIMPLEMENTED, "NoSuchRpc")
        self.check_refused("malformed ModelReady", self.call("ModelReady", b"\x0a\x05x", None), invalid)
        answer = self.infer(b"\xfa\x07\x02hi" + valid)  # an unknown field is allowed
        self.check("unknown field", self.outputs(answer), {"OUTPUT0": ("INT32", [1, 1], [7])})
        answer = self.infer(self.request("identity_int32", ("INPUT0", "INT32", [1, 1], [7], "raw")),
                            compression=grpc.Compression.Gzip)
        self.check("gzip", self.outputs(answer), {"OUTPUT0": ("INT32", [1, 1], [7])})
        # Shape and contents are unpacked. The contents come in two parts, of which the second is packed.
        tensor = b"\x0a\x06INPUT0\x12\x05INT32\x18\x01\x18\x04\x2a\x04\x10\x01\x10\x02\x2a\x04\x12\x02\x03\x00"
        answer = self.infer(b"\x0a\x0eidentity_int32\x2a" + bytes([len(tensor)]) + tensor)
        self.check("unpacked fields in parts", self.outputs(answer), {"OUTPUT0": ("INT32", [1, 4], [1, 2, 3, 0])})

    def run(self):
        self.health()
        self.metadata()
        self.datatypes()
        self.shapes()
        self.simple()
        self.refusals()
        self.hostile()
        self.health()  # the server still answers after all this
        self.checks.end()


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("address")
    parser.add_argument("--output", choices=("raw", "typed", "mirror"), default="raw")
    arguments = parser.parse_args()
    Tour(arguments.address, arguments.output).run()
