"""A tour of the model repository with tritonclient: model_control.py http|grpc      TARGET, GRPC: the server, MODELS: the kit

It does what Triton's example programs of that name do, step by step, and more. The server may have any models beside `simple`,
`versioned` and `identity_fp32`. It is left as it was found."""
import os
import sys

import numpy
from tour import A, B, GRPC, HTTP, Tour

transport = sys.argv[1]
if transport == "http":
    import tritonclient.http as library

    client = library.InferenceServerClient(HTTP, concurrency=4)
else:
    import tritonclient.grpc as library

    client = library.InferenceServerClient(GRPC)
tour = Tour("tritonclient model control " + transport)


def index():
    """Returns {(name, version): (state, reason)}."""
    found = client.get_model_repository_index()
    rows = found if transport == "http" else [{"name": m.name, "version": m.version, "state": m.state, "reason": m.reason} for m in found.models]
    return {(row["name"], row.get("version", "")): (row.get("state", ""), row.get("reason", "")) for row in rows}


def states(name):
    return {version: state for (model, version), (state, _) in index().items() if model == name}


def ready(name, version=""):
    return client.is_model_ready(name, version)


def asked(name, arrays, version=""):
    inputs = []
    for i, array in enumerate(arrays):
        tensor = library.InferInput(f"INPUT{i}", list(array.shape), {"int32": "INT32", "float32": "FP32"}[str(array.dtype)])
        tensor.set_data_from_numpy(array)
        inputs.append(tensor)
    return client.infer(name, inputs, model_version=version).as_numpy("OUTPUT0")


def versions(name):
    found = client.get_model_metadata(name)
    return found["versions"] if transport == "http" else list(found.versions)


def done(call, *arguments, **named):
    """Returns True when a call without a result has ended."""
    call(*arguments, **named)
    return True


def load_and_unload():
    tour.check("the index says that a model is ready", lambda: index()["simple", "1"], ("READY", ""))
    tour.check("a model is loaded again", lambda: done(client.load_model, "simple"), True)
    tour.check("it is ready", lambda: ready("simple"), True)
    tour.check("it answers", lambda: asked("simple", [A, B]), A + B)
    tour.check("a model is unloaded", lambda: done(client.unload_model, "simple"), True)
    tour.check("it is not ready", lambda: ready("simple"), False)
    tour.check("the index says so", lambda: states("simple") in ({"1": "UNAVAILABLE"}, {"1": "UNLOADING"}), True)
    tour.refused("it does not answer", lambda: asked("simple", [A, B]), "not ready")
    tour.refused("its metadata is not there", lambda: versions("simple"), "not ready")
    tour.check("the server is ready all the same", client.is_server_ready, True)
    tour.check("it is unloaded once more", lambda: done(client.unload_model, "simple", unload_dependents=True), True)
    tour.check("it is loaded", lambda: done(client.load_model, "simple"), True)
    tour.check("it is ready then", lambda: ready("simple"), True)
    tour.check("it answers then", lambda: asked("simple", [A, B]), A + B)


def largest_batch(name):
    found = client.get_model_config(name)
    return found["max_batch_size"] if transport == "http" else found.config.max_batch_size


def configurations():
    wrong = '"parameters": {"config": {{"max_batch_size": "16"}}}'
    tour.refused("a faulty configuration", lambda: client.load_model("simple", config=wrong), "failed to load")
    tour.check("the model stays", lambda: asked("simple", [A, B]), A + B)
    tour.check("a configuration in its place", lambda: done(client.load_model, "simple", config='{"max_batch_size":"16"}'), True)
    tour.check("it is shown", lambda: largest_batch("simple"), 16)
    batch = numpy.concatenate([A] * 17)
    tour.refused("it is obeyed", lambda: asked("simple", [batch, batch]), "16")
    tour.check("that of the folder", lambda: done(client.load_model, "simple"), True)
    tour.check("it is obeyed then", lambda: asked("simple", [batch, batch]), batch + batch)
    tour.check("it is shown then", lambda: largest_batch("simple"), 0)
    latest = '{"version_policy": {"latest": {"num_versions": 1}}}'
    tour.check("all versions", lambda: versions("versioned"), ["1", "2"])
    tour.check("the latest version alone", lambda: done(client.load_model, "versioned", config=latest), True)
    tour.check("it is alone", lambda: versions("versioned"), ["2"])
    tour.check("so says the index", lambda: states("versioned"), {"2": "READY"})
    tour.check("all versions again", lambda: done(client.load_model, "versioned"), True)
    tour.check("they are there", lambda: versions("versioned"), ["1", "2"])


def files():
    with open(os.path.join(os.environ["MODELS"], "identity_fp32", "1", "model.onnx"), "rb") as file:
        model = file.read()
    one = numpy.array([[1.5, -2.5]], numpy.float32)
    files = {"file:3/model.onnx": model}
    tour.check("a model from files", lambda: done(client.load_model, "brought", config="{}", files=files), True)
    tour.check("it is ready", lambda: ready("brought", "3"), True)
    tour.check("it answers", lambda: asked("brought", [one]), one)
    climbs = {"file:../simple/1/model.onnx": model}
    tour.refused("a file outside of the folder", lambda: client.load_model("brought", config="{}", files=climbs), "folder")
    tour.refused("a file that is no model", lambda: client.load_model("simple", config="{}", files={"file:1/model.onnx": b"no"}), "failed to load")
    tour.check("the model stays", lambda: asked("simple", [A, B]), A + B)
    tour.check("it is unloaded", lambda: done(client.unload_model, "brought"), True)
    tour.refused("it has no folder to be loaded from", lambda: client.load_model("brought"), "failed to load")
    tour.check("the index has forgotten it", lambda: states("brought"), {})


before = index()
load_and_unload()
configurations()
files()
tour.refused("an unknown model is not loaded", lambda: client.load_model("wrong_model_name"), "failed to load")
tour.refused("an unknown model is not unloaded", lambda: client.unload_model("wrong_model_name"), "wrong_model_name")
tour.refused("a path is no model", lambda: client.load_model("../kit/simple"), "failed to load" if transport == "grpc" else "")
tour.check("all is as it was", index, before)
tour.end()
