"""Shared by scripts: has modules made of the published schemas, which share nothing with our own readers and writers."""
import contextlib
import importlib
import os
import subprocess
import sys
import tempfile

import flatbuffers


@contextlib.contextmanager
def folder_of_modules():
    with tempfile.TemporaryDirectory() as folder:
        sys.path.insert(0, folder)
        yield folder
        sys.path.remove(folder)


def schema(name):
    """Returns the module that protoc makes of a published schema."""
    with folder_of_modules() as folder:
        subprocess.run(["protoc", "-Iproto/schema", f"--python_out={folder}", f"{name}.proto", "model_config.proto"], check=True)
        return importlib.import_module(f"{name}_pb2")


def graphpipe_schema():
    """Returns the modules that flatc makes for the messages of GraphPipe, by their names."""
    with folder_of_modules() as folder:
        subprocess.run(["flatc", "--python", "-o", folder, "proto/schema/graphpipe.fbs"], check=True)
        names = [name[:-3] for name in os.listdir(f"{folder}/graphpipe") if name != "__init__.py"]
        return {name: importlib.import_module(f"graphpipe.{name}") for name in names}


def graphpipe_request(modules, kind, count, data):
    """Returns an inference of GraphPipe with one tensor of the type `kind` and the shape [1, count]."""
    t, r, q = modules["Tensor"], modules["InferRequest"], modules["Request"]
    builder = flatbuffers.Builder(1024)
    bytes_at = builder.CreateByteVector(data)
    t.TensorStartShapeVector(builder, 2)
    builder.PrependInt64(count)
    builder.PrependInt64(1)
    shape = builder.EndVector()
    t.TensorStart(builder)
    t.TensorAddType(builder, kind)
    t.TensorAddShape(builder, shape)
    t.TensorAddData(builder, bytes_at)
    tensor = t.TensorEnd(builder)
    r.InferRequestStartInputTensorsVector(builder, 1)
    builder.PrependUOffsetTRelative(tensor)
    tensors = builder.EndVector()
    r.InferRequestStart(builder)
    r.InferRequestAddInputTensors(builder, tensors)
    inference = r.InferRequestEnd(builder)
    q.RequestStart(builder)
    q.RequestAddReqType(builder, 1)
    q.RequestAddReq(builder, inference)
    builder.Finish(q.RequestEnd(builder))
    return bytes(builder.Output())
