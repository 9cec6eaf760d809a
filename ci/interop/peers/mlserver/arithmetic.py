"""Models as a user of MLServer writes them: functions from numpy arrays to numpy arrays."""
import numpy
from mlserver import MLModel
from mlserver.codecs import NumpyCodec
from mlserver.types import InferenceRequest, InferenceResponse, ResponseOutput


class Arithmetic(MLModel):
    """Decodes the inputs, calls `compute` for the outputs by name, and encodes them."""

    async def predict(self, payload: InferenceRequest) -> InferenceResponse:
        inputs = {tensor.name: NumpyCodec.decode_input(tensor) for tensor in payload.inputs}
        outputs = []
        for name, array in self.compute(inputs).items():
            outputs.append(NumpyCodec.encode_output(name, array))
            outputs[-1].shape = list(array.shape)  # because the codec changes [n] to [n,1]
        return InferenceResponse(id=payload.id, model_name=self.name, model_version=self.version, outputs=outputs)


class AddSub(Arithmetic):
    def compute(self, inputs):
        a, b = inputs["INPUT0"], inputs["INPUT1"]
        return {"OUTPUT0": a + b, "OUTPUT1": a - b}


class Identity(Arithmetic):
    def compute(self, inputs):
        return {"OUTPUT0": inputs["INPUT0"]}


class Casts(Arithmetic):
    def compute(self, inputs):
        a = inputs["INPUT0"]
        return {"OUTPUT0": a, "OUTPUT1": a.astype(numpy.int64), "OUTPUT2": a.astype(numpy.float32), "OUTPUT3": a != 0}


class Double(Arithmetic):
    def compute(self, inputs):
        return {"OUTPUT0": inputs["INPUT0"] * numpy.float32(2)}


class Sum(Arithmetic):
    def compute(self, inputs):
        return {"итог": inputs["größe"] + inputs["数量"], "🙂": inputs["größe"]}


class Plus100(Arithmetic):
    def compute(self, inputs):
        return {"OUTPUT0": inputs["INPUT0"] + numpy.int32(100 * int(self.version))}


class Strings(MLModel):
    """Returns BYTES unchanged."""

    async def predict(self, payload: InferenceRequest) -> InferenceResponse:
        tensor = payload.inputs[0]
        output = ResponseOutput(name="OUTPUT0", shape=tensor.shape, datatype=tensor.datatype, data=tensor.data)
        return InferenceResponse(id=payload.id, model_name=self.name, model_version=self.version, outputs=[output])
