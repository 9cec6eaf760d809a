"""Writes the table of calls that every gRPC library makes:      calls.py FILE

The programs in ci/interop/callers (grpcio, grpc-go, grpc-js, grpc-java) each make these calls, one after the other, so that what they
print can be compared line by line. A call is an object; messages are in protobuf's JSON form, with the names of the .proto:

    says       what is tried
    rpc        the method of inference.GRPCInferenceService
    message    the request
    metadata   [key, value] pairs; the value of a key that ends in -bin is a text of Latin-1, for its bytes
    deadline   seconds
    gzip       whether the request is compressed
    cancel     seconds after which the client cancels
    times      how often at the same time; {i} in texts is the number of each
    code       the code that must come
    details    texts that must stand in the details of the error
    answer     the answer that must come, if it is OK"""
import base64
import json
import struct
import sys

from tour import VALUES

FIELDS = {"BOOL": "bool", "INT8": "int", "INT16": "int", "INT32": "int", "INT64": "int64", "UINT8": "uint", "UINT16": "uint",
          "UINT32": "uint", "UINT64": "uint64", "FP32": "fp32", "FP64": "fp64", "BYTES": "bytes"}
ODD_NAME = "50% größe\n数量🙂 %41 \"no\\such\""
calls = []


def call(says, rpc, message, code="OK", **more):
    calls.append({"says": says, "rpc": rpc, "message": message, "code": code, **more})


def base(data):
    return base64.b64encode(data).decode()


def raw(array):
    return b"".join(struct.pack("<I", len(x)) + x for x in array.ravel()) if array.dtype == object else array.tobytes()


def ints(*values):
    return base(struct.pack(f"<{len(values)}i", *values))


def tensor(name, datatype="INT32", shape=(1, 16), **more):
    return {"name": name, "datatype": datatype, "shape": [str(size) for size in shape], **more}


def answer(model, outputs, contents, **more):
    return {"model_name": model, "model_version": "1", **more, "outputs": outputs, "raw_output_contents": contents}


A, B = list(range(16)), [3] * 16
SUMS = [ints(*(a + b for a, b in zip(A, B))), ints(*(a - b for a, b in zip(A, B)))]
OUTPUTS = [tensor("OUTPUT0"), tensor("OUTPUT1")]


def simple(**more):
    return {"model_name": "simple", "inputs": [tensor("INPUT0"), tensor("INPUT1")], "raw_input_contents": [ints(*A), ints(*B)], **more}


def sums(says, request=None, **more):
    call(says, "ModelInfer", request or simple(), answer=answer("simple", OUTPUTS, SUMS), **more)


def refused(says, rpc, message, code, *details, **more):
    call(f"refused: {says}", rpc, message, code, details=list(details), **more)
    sums(f"sound after: {says}")


def at_gate(name, **more):
    return {"model_name": "gate", "raw_input_contents": [base(struct.pack("<I", len(name)) + name.encode())],
            "inputs": [tensor("INPUT0", "BYTES", (1,))], **more}


def nobody_waits(says, name):
    """Opens a gate, which says whom it let pass."""
    opener = at_gate(name, parameters={"open": {"bool_param": True}})
    call(says, "ModelInfer", opener, answer=answer("gate", [tensor("OUTPUT0", "BYTES", (1,))], opener["raw_input_contents"],
                                                  parameters={"released": {"int64_param": "0"}}))


# --- Health and metadata ---
call("the server is live", "ServerLive", {}, answer={"live": True})
call("the server is ready", "ServerReady", {}, answer={"ready": True})
call("a model is ready", "ModelReady", {"name": "simple"}, answer={"ready": True})
call("a version is ready", "ModelReady", {"name": "simple", "version": "1"}, answer={"ready": True})
call("server metadata", "ServerMetadata", {})
call("metadata of a model", "ModelMetadata", {"name": "simple"}, answer={
    "name": "simple", "versions": ["1"], "platform": "onnx_onnxv1",
    "inputs": [tensor(f"INPUT{i}", shape=(-1, 16)) for i in (0, 1)], "outputs": [tensor(f"OUTPUT{i}", shape=(-1, 16)) for i in (0, 1)]})

# --- Inference ---
sums("sum and difference, raw")
sums("sum and difference, typed", {"model_name": "simple", "inputs": [
    tensor("INPUT0", contents={"int_contents": A}), tensor("INPUT1", contents={"int_contents": B})]})
call("an id comes back", "ModelInfer", simple(id="größe 数量🙂"), answer=answer("simple", OUTPUTS, SUMS, id="größe 数量🙂"))
call("one output", "ModelInfer", simple(outputs=[{"name": "OUTPUT1"}]), answer=answer("simple", OUTPUTS[1:], SUMS[1:]))
sums("parameters do no harm", simple(parameters={"a": {"string_param": "x"}, "b": {"int64_param": "7"}, "c": {"bool_param": True}}))
for version, addend in (("1", 100), ("2", 200), ("", 200)):
    call(f"version '{version}' of a model", "ModelInfer",
         {"model_name": "versioned", "model_version": version, "inputs": [tensor("INPUT0", shape=(1, 4))], "raw_input_contents": [ints(1, 2, 3, 4)]},
         answer={**answer("versioned", [tensor("OUTPUT0", shape=(1, 4))], [ints(*(addend + i for i in (1, 2, 3, 4)))]), "model_version": version or "2"})
for datatype, array in VALUES.items():
    model, content = "identity_" + datatype.lower(), base(raw(array))
    one, out = tensor("INPUT0", datatype, (2, 3)), [tensor("OUTPUT0", datatype, (2, 3))]
    call(f"{datatype}, raw", "ModelInfer", {"model_name": model, "inputs": [one], "raw_input_contents": [content]},
         answer=answer(model, out, [content]))
    if datatype in FIELDS:
        array = array + 0 if datatype in ("FP32", "FP64") else array  # not every library reads -0.0 from JSON
        content = base(raw(array))
        elements = [base(x) if isinstance(x, bytes) else str(x) if datatype.endswith("64") and datatype != "FP64" else x
                    for x in array.ravel().tolist()]
        typed = {**one, "contents": {FIELDS[datatype] + "_contents": elements}}
        call(f"{datatype}, typed", "ModelInfer", {"model_name": model, "inputs": [typed]}, answer=answer(model, out, [content]))
for says, size, more in (("4 MB, raw", 1 << 20, {}), ("4 MB, raw, with gzip", 1 << 20, {"gzip": True}), ("no elements", 0, {})):
    content = base(struct.pack("<I", 0x3DCCCCCD) * size)
    call(says, "ModelInfer", {"model_name": "identity_fp32", "inputs": [tensor("INPUT0", "FP32", (1, size))],
                              "raw_input_contents": [content]},
         answer=answer("identity_fp32", [tensor("OUTPUT0", "FP32", (1, size))], [content]), **more)

# --- What gRPC adds ---
sums("metadata does no harm", metadata=[["x-request", "1"], ["x-request", "2"], ["x-empty", ""], ["x-odd", "a, b; c=\"%41\""]])
sums("binary metadata does no harm", metadata=[["x-trace-bin", "".join(map(chr, range(256)))], ["x-trace-bin", ""], ["x-one-bin", "\0"]])
sums("metadata of 7 kB does no harm", metadata=[["x-long", "x" * 7000]])
sums("with gzip", gzip=True)
call("gzip of an empty message", "ServerLive", {}, gzip=True, answer={"live": True})
sums("with a deadline", deadline=60)
call("a deadline that passes while the model waits", "ModelInfer", at_gate("deadline"), "DEADLINE_EXCEEDED", deadline=0.3)
nobody_waits("nobody waits any longer after a deadline", "deadline")
call("a call that is cancelled while the model waits", "ModelInfer", at_gate("cancelled"), "CANCELLED", cancel=0.3)
nobody_waits("nobody waits any longer after a cancellation", "cancelled")
call("100 calls that are cancelled", "ModelInfer", at_gate("cancelled"), "CANCELLED", cancel=0.3, times=100)
nobody_waits("nobody waits any longer after 100 cancellations", "cancelled")
call("100 calls at the same time", "ModelInfer", simple(id="number {i}"), times=100,
     answer=answer("simple", OUTPUTS, SUMS, id="number {i}"))
call("8 calls of 4 MB at the same time", "ModelInfer", {
    "model_name": "identity_fp32", "id": "{i}", "inputs": [tensor("INPUT0", "FP32", (1, size := 1 << 20))],
    "raw_input_contents": [content := base(struct.pack("<I", 0x3DCCCCCD) * size)]}, times=8,
    answer=answer("identity_fp32", [tensor("OUTPUT0", "FP32", (1, size))], [content], id="{i}"))

# --- Refusals ---
refused("an unknown model", "ModelInfer", simple(model_name="no_such_model"), "NOT_FOUND", "no_such_model")
refused("an unknown version", "ModelInfer", simple(model_version="9"), "NOT_FOUND", "simple")
refused("a model whose name an error must encode", "ModelMetadata", {"name": ODD_NAME}, "NOT_FOUND", "50% größe", "数量🙂 %41")
refused("a missing input", "ModelInfer", {"model_name": "simple", "inputs": [tensor("INPUT0")], "raw_input_contents": [ints(*A)]},
        "INVALID_ARGUMENT", "INPUT1")
refused("raw contents that are short", "ModelInfer", simple(raw_input_contents=[ints(*A), ints(*B[1:])]), "INVALID_ARGUMENT", "INPUT1")
refused("raw contents with contents", "ModelInfer", simple(inputs=[tensor("INPUT0", contents={"int_contents": A}), tensor("INPUT1")]),
        "INVALID_ARGUMENT", "INPUT0")
for count in (1, 3):
    refused(f"{count} raw contents for two inputs", "ModelInfer", simple(raw_input_contents=[ints(*A)] * count), "INVALID_ARGUMENT")
refused("contents in a field of another datatype", "ModelInfer", {"model_name": "simple", "inputs": [
    tensor("INPUT0", contents={"int64_contents": [str(a) for a in A]}), tensor("INPUT1", contents={"int_contents": B})]}, "INVALID_ARGUMENT", "INPUT0")
refused("an unknown output", "ModelInfer", simple(outputs=[{"name": "no_such"}]), "INVALID_ARGUMENT", "no_such")
refused("a model that fails", "ModelInfer", {"model_name": "failing", "inputs": [tensor("INPUT0", "FP32", (2,))],
                                             "raw_input_contents": [ints(0, 0)]}, "INTERNAL", "failing")
refused("an unknown method", "NoSuchMethod", {}, "UNIMPLEMENTED", "NoSuchMethod")
refused("a message above the limit", "ModelInfer", {
    "model_name": "identity_fp32", "inputs": [tensor("INPUT0", "FP32", (1, size := 3 << 20))],
    "raw_input_contents": [base(bytes(4 * size))]}, "RESOURCE_EXHAUSTED", "8388608")
refused("100 calls that are refused at the same time", "ModelInfer", simple(model_name="no_such_{i}"), "NOT_FOUND", "no_such_", times=100)

with open(sys.argv[1], "w", encoding="utf-8") as file:
    json.dump(calls, file)
