"""Models as a user of KServe's Python server writes them: functions from numpy arrays to numpy arrays."""
import argparse

import numpy
import kserve
from kserve import InferOutput, InferRequest, InferResponse, Model, ModelServer
from kserve.utils.utils import generate_uuid

DATATYPES = "BOOL INT8 INT16 INT32 INT64 UINT8 UINT16 UINT32 UINT64 FP16 FP32 FP64 BYTES".split()


class Arithmetic(Model):
    """Each of `inputs` and `outputs` is (name, datatype, shape). `compute` returns the output arrays, in order, for the input arrays."""

    def __init__(self, name, inputs, outputs, compute):
        super().__init__(name)
        self.inputs, self.outputs, self.compute, self.ready = inputs, outputs, compute, True

    @staticmethod
    def metadata(tensors):
        return [{"name": name, "datatype": datatype, "shape": shape} for name, datatype, shape in tensors]

    def get_input_types(self):
        return self.metadata(self.inputs)

    def get_output_types(self):
        return self.metadata(self.outputs)

    def predict(self, payload: InferRequest, headers=None, response_headers=None):
        given = {tensor.name: tensor.as_numpy() for tensor in payload.inputs}
        outputs = []
        for (name, datatype, _), array in zip(self.outputs, self.compute(*[given[name] for name, _, _ in self.inputs])):
            output = InferOutput(name, list(array.shape), datatype)
            output.set_data_from_numpy(array, binary_data=payload.use_binary_outputs)
            outputs.append(output)
        return InferResponse(model_name=self.name, response_id=payload.id or generate_uuid(), infer_outputs=outputs,
                             use_binary_outputs=payload.use_binary_outputs, requested_outputs=payload.request_outputs)


def models():
    def tensors(names, datatypes, shape):
        return [(name, datatype, shape) for name, datatype in zip(names, datatypes)]

    two, both, four = ["INPUT0", "INPUT1"], ["OUTPUT0", "OUTPUT1"], ["OUTPUT0", "OUTPUT1", "OUTPUT2", "OUTPUT3"]
    yield Arithmetic("add-sub", tensors(two, ["INT32"] * 2, [-1, 16]), tensors(both, ["INT32"] * 2, [-1, 16]),
                     lambda a, b: (a + b, a - b))
    yield Arithmetic("casts", tensors(two[:1], ["INT32"], [-1, 4]),
                     tensors(four, ["INT32", "INT64", "FP32", "BOOL"], [-1, 4]),
                     lambda a: (a, a.astype(numpy.int64), a.astype(numpy.float32), a != 0))
    yield Arithmetic("scalar", tensors(two[:1], ["FP32"], []), tensors(both[:1], ["FP32"], []),
                     lambda a: (numpy.asarray(a * numpy.float32(2)),))  # numpy makes a number of it, KServe wants an array
    yield Arithmetic("unicode", tensors(["größe", "数量"], ["INT32"] * 2, [-1]), tensors(["итог", "🙂"], ["INT32"] * 2, [-1]),
                     lambda a, b: (a + b, a))
    for datatype in DATATYPES:
        yield Arithmetic("identity_" + datatype.lower(), tensors(two[:1], [datatype], [-1, -1]),
                         tensors(both[:1], [datatype], [-1, -1]), lambda a: (a,))


if __name__ == "__main__":
    arguments, _ = argparse.ArgumentParser(parents=[kserve.model_server.parser]).parse_known_args()
    ModelServer(http_port=arguments.http_port, grpc_port=arguments.grpc_port, workers=1).start(list(models()))
