"""Models as a user of Dynamo writes them: asynchronous generators from tensors to tensors. Usage: server.py GRPC_PORT"""
import asyncio
import sys

import numpy
from dynamo.llm import KserveGrpcService, PythonAsyncEngine
from dynamo.runtime import dynamo_worker

DATATYPES = {
    "bool": "Bool", "int8": "Int8", "int16": "Int16", "int32": "Int32", "int64": "Int64", "uint8": "Uint8",
    "uint16": "Uint16", "uint32": "Uint32", "uint64": "Uint64", "fp16": "Float16", "bf16": "BFloat16", "fp32": "Float32",
    "fp64": "Float64", "bytes": "Bytes",
}


def tensor(name, datatype, shape, values):
    return {"metadata": {"name": name, "data_type": datatype, "shape": shape},
            "data": {"data_type": datatype, "values": values}}


class Model:
    """Each of `inputs` and `outputs` is (name, datatype, shape). `compute` returns the values of the outputs, in order, for those
    of the inputs. Outputs have the shape of the first input."""

    def __init__(self, name, inputs, outputs, compute):
        self.name, self.inputs, self.outputs, self.compute = name, inputs, outputs, compute

    def configuration(self):
        def listed(tensors):
            return [{"name": name, "data_type": datatype, "shape": shape} for name, datatype, shape in tensors]
        return {"name": self.name, "inputs": listed(self.inputs), "outputs": listed(self.outputs)}

    async def generate(self, request, context=None):
        given = {one["metadata"]["name"]: one for one in request["tensors"]}
        values = self.compute(*[given[name]["data"]["values"] for name, _, _ in self.inputs])
        shape = given[self.inputs[0][0]]["metadata"]["shape"]
        yield {"model": request["model"],
               "tensors": [tensor(name, datatype, shape, one) for (name, datatype, _), one in zip(self.outputs, values)]}


def wrapped(numbers):
    return numpy.array(numbers, numpy.int64).astype(numpy.int32).tolist()


def models():
    def tensors(names, datatypes, shape):
        return [(name, datatype, shape) for name, datatype in zip(names, datatypes)]

    two, both, four = ["INPUT0", "INPUT1"], ["OUTPUT0", "OUTPUT1"], ["OUTPUT0", "OUTPUT1", "OUTPUT2", "OUTPUT3"]
    yield Model("add-sub", tensors(two, ["Int32"] * 2, [-1, 16]), tensors(both, ["Int32"] * 2, [-1, 16]),
                lambda a, b: (wrapped([x + y for x, y in zip(a, b)]), wrapped([x - y for x, y in zip(a, b)])))
    yield Model("casts", tensors(two[:1], ["Int32"], [-1, 4]),
                tensors(four, ["Int32", "Int64", "Float32", "Bool"], [-1, 4]),
                lambda a: (a, a, [float(x) for x in a], [x != 0 for x in a]))
    yield Model("scalar", tensors(two[:1], ["Float32"], []), tensors(both[:1], ["Float32"], []),
                lambda a: ([x * 2 for x in a],))
    yield Model("unicode", tensors(["größe", "数量"], ["Int32"] * 2, [-1]), tensors(["итог", "🙂"], ["Int32"] * 2, [-1]),
                lambda a, b: (wrapped([x + y for x, y in zip(a, b)]), a))
    for name, datatype in DATATYPES.items():
        yield Model("identity_" + name, tensors(two[:1], [datatype], [-1, -1]), tensors(both[:1], [datatype], [-1, -1]),
                    lambda a: (a,))


@dynamo_worker()
async def serve(runtime):
    service = KserveGrpcService(port=int(sys.argv[1]), host="127.0.0.1")
    for model in models():
        engine = PythonAsyncEngine(model.generate, asyncio.get_running_loop())
        service.add_tensor_model(model.name, "1", engine, tensor_model_config=model.configuration())
    await service.run(runtime)


asyncio.run(serve())
