"""Asks the reference server over each protocol for the models of ci/models; ci/models/compare says how it is called. The outputs must be
onnxruntime's, which compare.py has recorded."""
import fnmatch
import glob
import http.client
import json
import os
import statistics
import sys
import tempfile

sys.path[:0] = ["reference-server/tests", "proto/tests"]
os.environ["OMP_NUM_THREADS"] = "1"

import graphpipe_messages
import numpy
from engine import NAMES, Engine
from graphpipe_messages import gp
from schemas import schema
from server_process import PATIENCE, Server

TOLERANCE = 1e-4
PAIRS = 15
LEAST = 0.003  # seconds of an inference that is more than its request
SLICE = 0.4  # seconds that one half of a pair should take
pb = schema("inference")


def read(raw, like):
    """Returns the tensors of raw bytes that lie one behind the other, each of the type and shape of its counterpart."""
    tensors = []
    for other in like.values():
        tensors.append(numpy.frombuffer(raw[:other.nbytes], other.dtype).reshape(other.shape))
        raw = raw[other.nbytes:]
    return tensors


class Client:
    def __init__(self, server):
        self.http, self.graphpipe = (http.client.HTTPConnection(*server.addresses[name], timeout=PATIENCE) for name in ("http", "graphpipe"))
        self.infer = server.channel().unary_unary("/inference.GRPCInferenceService/ModelInfer", pb.ModelInferRequest.SerializeToString,
                                                  pb.ModelInferResponse.FromString)

    @staticmethod
    def post(connection, path, body, headers=()):
        connection.request("POST", path, body, dict(headers))
        response = connection.getresponse()
        content = response.read()
        assert response.status == 200, f"{path}: {response.status} {content[:300]}"
        return response, content

    def over_rest(self, model, inputs, outputs):
        """Takes binary tensors in both directions."""
        tensors = [{"name": name, "datatype": NAMES[array.dtype], "shape": array.shape, "parameters": {"binary_data_size": array.nbytes}}
                   for name, array in inputs.items()]
        head = json.dumps({"inputs": tensors, "outputs": [{"name": name, "parameters": {"binary_data": True}} for name in outputs]}).encode()
        response, content = self.post(self.http, f"/v2/models/{model}/infer", head + b"".join(map(numpy.ndarray.tobytes, inputs.values())),
                                      {"Inference-Header-Content-Length": len(head)})
        length = int(response.getheader("Inference-Header-Content-Length"))
        shapes = [tuple(output["shape"]) for output in json.loads(content[:length])["outputs"]]
        assert shapes == [array.shape for array in outputs.values()], f"{model}: the shapes are {shapes}"
        return read(content[length:], outputs)

    def over_grpc(self, model, inputs, outputs):
        request = pb.ModelInferRequest(model_name=model, raw_input_contents=map(numpy.ndarray.tobytes, inputs.values()))
        for name, array in inputs.items():
            request.inputs.add(name=name, datatype=NAMES[array.dtype], shape=array.shape)
        for name in outputs:
            request.outputs.add(name=name)
        response = self.infer(request, timeout=PATIENCE)
        return read(b"".join(response.raw_output_contents), outputs)

    def over_v1(self, model, inputs, outputs):
        asked = ["batch_size: 1", *(f'input {{ name: "{name}" dims: {list(array.shape)} }}' for name, array in inputs.items()),
                 *(f'output {{ name: "{name}" }}' for name in outputs)]
        _, content = self.post(self.http, f"/api/infer/{model}", b"".join(map(numpy.ndarray.tobytes, inputs.values())),
                               {"NV-InferRequest": " ".join(asked)})
        return read(content, outputs)

    def over_graphpipe(self, model, inputs, outputs):
        kinds = {"FP32": "Float32", "FP64": "Float64", "INT64": "Int64", "INT32": "Int32"}
        tensors = [graphpipe_messages.numbers(kinds[NAMES[array.dtype]], array.shape, array.tobytes()) for array in inputs.values()]
        _, content = self.post(self.graphpipe, f"/{model}", graphpipe_messages.infer(tensors, list(inputs), list(outputs)))
        response = gp["InferResponse"].InferResponse.GetRootAsInferResponse(content, 0)
        return read(b"".join(response.OutputTensors(i).DataAsNumpy().tobytes() for i in range(response.OutputTensorsLength())), outputs)


WAYS = {"REST": Client.over_rest, "gRPC": Client.over_grpc, "v1": Client.over_v1, "GraphPipe": Client.over_graphpipe}


def worst_of(made, outputs):
    """Returns the largest difference, relative to the largest value."""
    return max(float(numpy.max(numpy.abs(a.astype(float) - b)) / max(numpy.max(numpy.abs(b)), 1e-30)) for a, b in zip(made, outputs.values()))


def part(arrays, batch, kind):
    """Returns the recorded arrays of a batch that are inputs or outputs."""
    head = f"{batch} {kind} "
    return {key[len(head):]: array for key, array in arrays.items() if key.startswith(head)}


def check(client, name, arrays):
    """Returns whether the outputs are right over each protocol."""
    told = []
    for way, ask in WAYS.items():
        worst = max(worst_of(ask(client, name, part(arrays, batch, "in"), part(arrays, batch, "out")), part(arrays, batch, "out"))
                    for batch in (1, 8))
        told.append((way, worst))
    is_right = all(worst <= TOLERANCE for _, worst in told)
    print(f"{name:24} {'ok' if is_right else 'FAIL'}   largest difference {', '.join(f'{way} {worst:.1e}' for way, worst in told)}", flush=True)
    return is_right


def bench(server, client, engine, name, arrays):
    """Prints the processor time of an inference of batch 1 over REST beside that of the bare engine, if the engine needs some time for it."""
    inputs, outputs = part(arrays, 1, "in"), part(arrays, 1, "out")

    def serve(repeats):
        before = server.worked()
        for _ in range(repeats):
            client.over_rest(name, inputs, outputs)
        return (server.worked() - before) / repeats

    serve(2)
    once = engine.run(inputs, 2)[0]
    if once < LEAST:
        return
    repeats = max(1, int(SLICE / once))
    pairs = [(serve(repeats), engine.run(inputs, repeats)[0]) for _ in range(PAIRS)]
    low, middle, high = statistics.quantiles([served / bare for served, bare in pairs], n=4)
    print(f"{name:24} over REST  ratio {middle:5.2f} ({low:.2f} to {high:.2f}) to the bare engine", flush=True)


def main(build, *wanted):
    paths = {os.path.basename(path)[:-4]: path for path in sorted(glob.glob(f"{build}/onnx/*.npz"))}
    names = [name for name in paths if not wanted or any(fnmatch.fnmatch(name, pattern) for pattern in wanted)]
    with tempfile.TemporaryDirectory() as folder:
        for name in names:
            os.makedirs(f"{folder}/{name}/1")
            os.symlink(os.path.abspath(f"{build}/onnx/{name}.onnx"), f"{folder}/{name}/1/model.onnx")
        with Server(build, "--models", folder, models=(), endpoints=("http", "grpc", "graphpipe")) as server:
            client = Client(server)
            results = []
            for name in names:
                with numpy.load(paths[name]) as file:
                    arrays = dict(file)
                results.append(check(client, name, arrays))
                engine = Engine(f"{build}/reference-server/bench/engine", f"{build}/onnx/{name}.onnx")
                bench(server, client, engine, name, arrays)
                engine.close()
    print(f"{sum(results)} passed, {len(results) - sum(results)} failed")
    return 0 if names and all(results) else 1


sys.exit(main(*sys.argv[1:]))
