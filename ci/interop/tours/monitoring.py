"""A tour with the tools of operators, which have no file of ours      GRPC: the server; the programs are found in PATH

grpcurl knows nothing but what reflection tells (v1), and the client of grpcio-reflection makes its messages of that (v1alpha).
grpcio-health-checking asks for health, as probes of Kubernetes do."""
import base64
import json
import struct
import subprocess

import grpc
from google.protobuf import descriptor_pool, message_factory
from grpc_health.v1 import health_pb2, health_pb2_grpc
from grpc_reflection.v1alpha.proto_reflection_descriptor_database import ProtoReflectionDescriptorDatabase

from tour import GRPC, Tour

SERVICE = "inference.GRPCInferenceService"
HEALTH, REFLECTIONS = "grpc.health.v1.Health", ["grpc.reflection.v1.ServerReflection", "grpc.reflection.v1alpha.ServerReflection"]
A, B = list(range(16)), [3] * 16
SUMS = [[a + b for a, b in zip(A, B)], [a - b for a, b in zip(A, B)]]
RAW = [struct.pack("<16i", *A), struct.pack("<16i", *B)]
INPUTS = [{"name": name, "datatype": "INT32", "shape": [1, 16]} for name in ("INPUT0", "INPUT1")]


def run(*command):
    """Returns the output. A failure raises ValueError with what stood on stderr."""
    done = subprocess.run(command, capture_output=True, text=True, timeout=60)
    if done.returncode:
        raise ValueError(done.stderr.strip())
    return done.stdout


def grpcurl(*words):
    return run("grpcurl", "-plaintext", *words)


def call(method, request=None):
    return json.loads(grpcurl("-d", json.dumps(request or {}), GRPC, method))


def ints(data):
    return list(struct.unpack(f"<{len(data) // 4}i", data))


def lines(text):
    return set(text.split("\n")) - {""}


# --- grpcurl ---

tour = Tour("grpcurl, by reflection alone")
listed = lines(grpcurl(GRPC, "list"))
tour.check("services are listed", lambda: listed >= {SERVICE, HEALTH, *REFLECTIONS}, True)
methods = {service: lines(grpcurl(GRPC, "list", service)) for service in listed}
tour.check("methods are listed", lambda: methods[SERVICE] >= {f"{SERVICE}.{name}" for name in ("ServerLive", "ModelMetadata", "ModelInfer")}, True)
for method in sorted(set().union(*methods.values())):
    tour.check(f"{method} is described", lambda: grpcurl(GRPC, "describe", method).startswith(f"{method} is a method:"), True)
tour.check("a message is described", lambda: "string model_name = 1;" in grpcurl(GRPC, "describe", "inference.ModelInferRequest"), True)
tour.check("a message of another file is described", lambda: "max_batch_size" in grpcurl(GRPC, "describe", "inference.ModelConfig"), True)
tour.check("the server is live", lambda: call(f"{SERVICE}/ServerLive"), {"live": True})
tour.check("metadata", lambda: call(f"{SERVICE}/ModelMetadata", {"name": "simple"})["name"], "simple")
tour.check("configuration", lambda: call(f"{SERVICE}/ModelConfig", {"name": "simple"})["config"]["name"], "simple")
tour.check("sum and difference", lambda: [ints(base64.b64decode(text)) for text in call(f"{SERVICE}/ModelInfer", {
    "model_name": "simple", "inputs": INPUTS, "raw_input_contents": [base64.b64encode(raw).decode() for raw in RAW]})["rawOutputContents"]], SUMS)
tour.check("statistics", lambda: call(f"{SERVICE}/ModelStatistics", {"name": "simple"})["modelStats"][0]["inferenceStats"]["success"]["count"], "1")
tour.check("the server serves", lambda: call(f"{HEALTH}/Check"), {"status": "SERVING"})
tour.check("its service serves", lambda: call(f"{HEALTH}/Check", {"service": SERVICE}), {"status": "SERVING"})
tour.refused("an unknown service is not found", lambda: call(f"{HEALTH}/Check", {"service": "none"}), "NotFound")
tour.refused("an unknown symbol is not found", lambda: grpcurl(GRPC, "describe", "no.such"), "not found")
total = [tour.passed, tour.failed]
tour = Tour("Python")

# --- Python ---

with grpc.insecure_channel(GRPC) as channel:
    health = health_pb2_grpc.HealthStub(channel)
    ask = health_pb2.HealthCheckRequest
    SERVING, UNKNOWN = health_pb2.HealthCheckResponse.SERVING, health_pb2.HealthCheckResponse.SERVICE_UNKNOWN
    tour.check("grpcio-health-checking: Check", lambda: health.Check(ask(service=SERVICE)).status, SERVING)
    for service, status in (("", SERVING), ("none", UNKNOWN)):
        watching = health.Watch(ask(service=service))
        tour.check(f"grpcio-health-checking: Watch of '{service}'", lambda: next(watching).status, status)
        watching.cancel()

    database = ProtoReflectionDescriptorDatabase(channel)
    pool = descriptor_pool.DescriptorPool(database)
    tour.check("grpcio-reflection: services", lambda: set(database.get_services()) == listed, True)
    method = pool.FindServiceByName(SERVICE).FindMethodByName("ModelInfer")
    request, answer = (message_factory.GetMessageClass(kind) for kind in (method.input_type, method.output_type))
    infer = channel.unary_unary(f"/{SERVICE}/ModelInfer", request.SerializeToString, answer.FromString)
    tour.check("grpcio-reflection: sum and difference", lambda: [ints(raw) for raw in infer(request(
        model_name="simple", inputs=INPUTS, raw_input_contents=RAW)).raw_output_contents], SUMS)

tour.passed, tour.failed, tour.client = tour.passed + total[0], tour.failed + total[1], "tools of operators"
tour.end()
