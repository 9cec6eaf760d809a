"""A tour with grpcurl and ghz      GRPC: the server; the programs are found in PATH

Both read the published schema; tours/monitoring.py is one by reflection alone. As in protobuf's JSON form, grpcurl prints raw bytes in base64
and 64-bit integers as strings, and leaves out fields that have their default."""
import base64
import json
import os
import re
import struct
import subprocess

from tour import GRPC, VALUES, Tour

SCHEMA = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "..", "proto", "schema")
SERVICE = "inference.GRPCInferenceService"
tour = Tour("grpcurl")


def grpcurl(method, request=None, *flags):
    """Returns the answer. A refusal raises ValueError with its code and message."""
    command = ["grpcurl", "-plaintext", "-import-path", SCHEMA, "-proto", "inference.proto", *flags]
    command += ["-d", json.dumps(request or {}), GRPC, method if "/" in method else f"{SERVICE}/{method}"]
    run = subprocess.run(command, capture_output=True, text=True, timeout=60)
    if run.returncode:
        raise ValueError(run.stderr.strip())
    return json.loads(run.stdout)


def raw(values, code="i"):
    return base64.b64encode(struct.pack(f"<{len(values)}{code}", *values)).decode()


def ints(text):
    data = base64.b64decode(text)
    return list(struct.unpack(f"<{len(data) // 4}i", data))


A, B = list(range(16)), [3] * 16
SUMS = [[a + b for a, b in zip(A, B)], [a - b for a, b in zip(A, B)]]


def tensor(name, **members):
    return {"name": name, "datatype": "INT32", "shape": [1, 16], **members}


def simple(**members):
    return {"model_name": "simple", "inputs": [tensor("INPUT0"), tensor("INPUT1")],
            "raw_input_contents": [raw(A), raw(B)], **members}


def sums(request, *flags):
    return [ints(text) for text in grpcurl("ModelInfer", request, *flags)["rawOutputContents"]]


tour.check("the server is live", lambda: grpcurl("ServerLive"), {"live": True})
tour.check("the server is ready", lambda: grpcurl("ServerReady"), {"ready": True})
tour.check("a model is ready", lambda: grpcurl("ModelReady", {"name": "simple"}), {"ready": True})
tour.check("a version is ready", lambda: grpcurl("ModelReady", {"name": "simple", "version": "1"}), {"ready": True})
tour.check("server metadata", lambda: grpcurl("ServerMetadata")["name"], "oip-reference-server")
tour.check("metadata of simple", lambda: grpcurl("ModelMetadata", {"name": "simple"}), {
    "name": "simple", "versions": ["1"], "platform": "onnx_onnxv1",
    "inputs": [{"name": f"INPUT{i}", "datatype": "INT32", "shape": ["-1", "16"]} for i in (0, 1)],
    "outputs": [{"name": f"OUTPUT{i}", "datatype": "INT32", "shape": ["-1", "16"]} for i in (0, 1)]})
tour.check("sum and difference, raw", lambda: sums(simple()), SUMS)
tour.check("sum and difference, typed", lambda: sums({"model_name": "simple", "inputs": [
    tensor("INPUT0", contents={"int_contents": A}), tensor("INPUT1", contents={"int_contents": B})]}), SUMS)
tour.check("metadata of a call does no harm", lambda: sums(simple(), "-H", "x-request: 1"), SUMS)
tour.check("id, model and version come back", lambda: {key: grpcurl("ModelInfer", simple(id="größe 42"))[key]
           for key in ("id", "modelName", "modelVersion")}, {"id": "größe 42", "modelName": "simple", "modelVersion": "1"})
tour.check("one output", lambda: sums(simple(outputs=[{"name": "OUTPUT1"}])), SUMS[1:])
tour.check("parameters do no harm", lambda: sums(simple(parameters={
    "a": {"string_param": "x"}, "b": {"int64_param": "7"}, "c": {"bool_param": True}})), SUMS)
for version, addend in (("1", 100), ("2", 200), ("", 200)):
    tour.check(f"version '{version}' of a model", lambda: sums({
        "model_name": "versioned", "model_version": version, "raw_input_contents": [raw([1, 2, 3, 4])],
        "inputs": [{"name": "INPUT0", "datatype": "INT32", "shape": [1, 4]}]}), [[x + addend for x in (1, 2, 3, 4)]])

FIELDS = {"BOOL": "bool", "INT8": "int", "INT16": "int", "INT32": "int", "INT64": "int64", "UINT8": "uint", "UINT16": "uint",
          "UINT32": "uint", "UINT64": "uint64", "FP32": "fp32", "FP64": "fp64", "BYTES": "bytes"}


def in_json(element):
    if isinstance(element, bytes):
        return base64.b64encode(element).decode()
    return str(element) if isinstance(element, int) and not isinstance(element, bool) and abs(element) >= 2**53 else element


def raw_of(array):
    if array.dtype == object:
        return b"".join(struct.pack("<I", len(x)) + x for x in array.ravel())
    return array.tobytes()


for datatype, array in VALUES.items():
    name = "identity_" + datatype.lower()
    one = {"name": "INPUT0", "datatype": datatype, "shape": [2, 3]}
    wanted = base64.b64encode(raw_of(array)).decode()
    tour.check(f"{datatype}, raw", lambda: grpcurl("ModelInfer", {
        "model_name": name, "inputs": [one], "raw_input_contents": [wanted]})["rawOutputContents"], [wanted])
    if datatype in FIELDS:
        contents = {FIELDS[datatype] + "_contents": [in_json(x) for x in array.ravel().tolist()]}
        tour.check(f"{datatype}, typed", lambda: grpcurl("ModelInfer", {
            "model_name": name, "inputs": [{**one, "contents": contents}]})["rawOutputContents"], [wanted])

refusals = [
    ("an unknown model", "ModelInfer", simple(model_name="no_such_model"), ["NotFound", "no_such_model"]),
    ("an unknown version", "ModelInfer", simple(model_version="9"), ["NotFound", "simple"]),
    ("metadata of an unknown model", "ModelMetadata", {"name": "no_such_model"}, ["NotFound", "no_such_model"]),
    ("a missing input", "ModelInfer", {"model_name": "simple", "inputs": [tensor("INPUT0")], "raw_input_contents": [raw(A)]},
     ["InvalidArgument", "INPUT1"]),
    ("raw contents with contents", "ModelInfer", simple(inputs=[
        tensor("INPUT0", contents={"int_contents": A}), tensor("INPUT1")]), ["InvalidArgument", "INPUT0"]),
    ("one raw contents for two inputs", "ModelInfer", simple(raw_input_contents=[raw(A)]), ["InvalidArgument"]),
    ("three raw contents for two inputs", "ModelInfer", simple(raw_input_contents=[raw(A)] * 3), ["InvalidArgument"]),
    ("raw contents that are short", "ModelInfer", simple(raw_input_contents=[raw(A), raw(B[:15])]), ["InvalidArgument", "INPUT1"]),
    ("contents in a field of another datatype", "ModelInfer", {"model_name": "simple", "inputs": [
        tensor("INPUT0", contents={"int64_contents": A}), tensor("INPUT1", contents={"int_contents": B})]},
     ["InvalidArgument", "INPUT0"]),
    ("an unknown output", "ModelInfer", simple(outputs=[{"name": "no_such"}]), ["InvalidArgument", "no_such"]),
    ("a model that fails", "ModelInfer", {"model_name": "failing", "inputs": [
        {"name": "INPUT0", "datatype": "FP32", "shape": [2]}], "raw_input_contents": [raw([0, 0])]}, ["Internal", "failing"]),
]
for says, method, request, words in refusals:
    tour.refused(f"refused: {says}", lambda: grpcurl(method, request), *words)
    tour.check(f"sound after: {says}", lambda: sums(simple()), SUMS)
total = [tour.passed, tour.failed]
tour = Tour("ghz")


def ghz(method, request, *flags):
    """Returns how often each status came, and how many answers came in all."""
    command = ["ghz", "--insecure", "--import-paths", SCHEMA, "--proto", os.path.join(SCHEMA, "inference.proto"), "--call",
               f"{SERVICE}.{method}", "--data", json.dumps(request), "--format", "json", *flags, GRPC]
    run = subprocess.run(command, capture_output=True, text=True, timeout=120)
    if run.returncode:
        raise ValueError(re.sub(r"\s+", " ", run.stderr))
    report = json.loads(run.stdout)
    return report["statusCodeDistribution"], report["count"]


load = ("--total", "2000", "--concurrency", "32")
tour.check("2000 raw requests, 32 at a time", lambda: ghz("ModelInfer", simple(), *load), ({"OK": 2000}, 2000))
tour.check("on 8 connections", lambda: ghz("ModelInfer", simple(), *load, "--connections", "8"), ({"OK": 2000}, 2000))
tour.check("with gzip", lambda: ghz("ModelInfer", simple(), *load, "--enable-compression"), ({"OK": 2000}, 2000))
tour.check("2000 typed requests", lambda: ghz("ModelInfer", {"model_name": "simple", "inputs": [
    tensor("INPUT0", contents={"int_contents": A}), tensor("INPUT1", contents={"int_contents": B})]}, *load),
    ({"OK": 2000}, 2000))
tour.check("2000 health requests", lambda: ghz("ServerLive", {}, *load), ({"OK": 2000}, 2000))
tour.check("2000 refusals", lambda: ghz("ModelInfer", simple(model_name="no_such_model"), *load), ({"NotFound": 2000}, 2000))
tour.check("2000 requests that lack an input", lambda: ghz("ModelInfer", {
    "model_name": "simple", "inputs": [tensor("INPUT0")], "raw_input_contents": [raw(A)]}, *load), ({"InvalidArgument": 2000}, 2000))
tour.passed, tour.failed, tour.client = tour.passed + total[0], tour.failed + total[1], "grpcurl and ghz"
tour.end()
