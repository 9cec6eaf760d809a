"""Shared by scripts: writes requests of GraphPipe with flatbuffers' own library, which shares nothing with our own writer."""
import flatbuffers

from schemas import graphpipe_schema

TYPES = ["Null", "Uint8", "Int8", "Uint16", "Int16", "Uint32", "Int32", "Uint64", "Int64", "Float16", "Float32", "Float64", "String"]
gp = graphpipe_schema()


def numbers(kind, shape, data=b""):
    return {"type": TYPES.index(kind) if isinstance(kind, str) else kind, "shape": shape, "data": data}


def strings(shape, values):
    return {"type": 12, "shape": shape, "strings": values}


def offsets(builder, start, made):
    start(builder, len(made))
    for offset in reversed(made):
        builder.PrependUOffsetTRelative(offset)
    return builder.EndVector()


def tensor(builder, content):
    t = gp["Tensor"]
    parts = {}
    if content["shape"] is not None:
        t.TensorStartShapeVector(builder, len(content["shape"]))
        for dim in reversed(content["shape"]):
            builder.PrependInt64(dim)
        parts["Shape"] = builder.EndVector()
    if content.get("data") is not None:
        parts["Data"] = builder.CreateByteVector(content["data"])
    if content.get("strings") is not None:
        parts["StringVal"] = offsets(builder, t.TensorStartStringValVector, [builder.CreateString(s) for s in content["strings"]])
    t.TensorStart(builder)
    t.TensorAddType(builder, content["type"])
    for name, offset in parts.items():
        getattr(t, "TensorAdd" + name)(builder, offset)
    return t.TensorEnd(builder)


def finish(builder, kind, value):
    r = gp["Request"]
    r.RequestStart(builder)
    r.RequestAddReqType(builder, kind)
    if value is not None:
        r.RequestAddReq(builder, value)
    builder.Finish(r.RequestEnd(builder))
    return bytes(builder.Output())


def infer(tensors, inputs=None, outputs=None, config=None, kind=1):
    builder, i = flatbuffers.Builder(0), gp["InferRequest"]
    parts = {}
    if config is not None:
        parts["Config"] = builder.CreateString(config)
    if inputs is not None:
        parts["InputNames"] = offsets(builder, i.InferRequestStartInputNamesVector, [builder.CreateString(n) for n in inputs])
    if tensors is not None:
        parts["InputTensors"] = offsets(builder, i.InferRequestStartInputTensorsVector, [tensor(builder, t) for t in tensors])
    if outputs is not None:
        parts["OutputNames"] = offsets(builder, i.InferRequestStartOutputNamesVector, [builder.CreateString(n) for n in outputs])
    i.InferRequestStart(builder)
    for name, offset in parts.items():
        getattr(i, "InferRequestAdd" + name)(builder, offset)
    return finish(builder, kind, i.InferRequestEnd(builder))


def metadata(kind=2):
    builder, m = flatbuffers.Builder(0), gp["MetadataRequest"]
    m.MetadataRequestStart(builder)
    return finish(builder, kind, m.MetadataRequestEnd(builder))
