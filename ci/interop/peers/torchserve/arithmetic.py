"""Models as a careful user of TorchServe writes them. TorchServe hands the body of a request to the handler of its model as it came, and knows
nothing of tensors; so the handler reads them, checks them and writes them, and numpy computes."""
import json

import numpy

# For each datatype that of numpy, and what an element is in JSON
WHOLE = {name: (numpy.dtype(name.lower()), (int,)) for name in "INT8 INT16 INT32 INT64 UINT8 UINT16 UINT32 UINT64".split()}
REAL = {"FP16": (numpy.float16, (int, float)), "FP32": (numpy.float32, (int, float)), "FP64": (numpy.float64, (int, float))}
DATATYPES = {"BOOL": (numpy.bool_, (bool,)), "BYTES": (numpy.object_, (str,)), **WHOLE, **REAL}


def tensors(names, datatypes, shape):
    return [(name, datatype, shape) for name, datatype in zip(names, datatypes)]


def identity(datatype):
    return tensors(["INPUT0"], [datatype], [-1, -1]), tensors(["OUTPUT0"], [datatype], [-1, -1]), lambda a: (a,)


TWO, BOTH, FOUR = ["INPUT0", "INPUT1"], ["OUTPUT0", "OUTPUT1"], ["OUTPUT0", "OUTPUT1", "OUTPUT2", "OUTPUT3"]
MODELS = {  # inputs, outputs, and what computes the arrays of outputs from those of inputs
    "add-sub": (tensors(TWO, ["INT32"] * 2, [-1, 16]), tensors(BOTH, ["INT32"] * 2, [-1, 16]), lambda a, b: (a + b, a - b)),
    "casts": (tensors(TWO[:1], ["INT32"], [-1, 4]), tensors(FOUR, ["INT32", "INT64", "FP32", "BOOL"], [-1, 4]),
              lambda a: (a, a.astype(numpy.int64), a.astype(numpy.float32), a != 0)),
    "scalar": (tensors(TWO[:1], ["FP32"], []), tensors(BOTH[:1], ["FP32"], []), lambda a: (numpy.asarray(a * numpy.float32(2)),)),
    "unicode": (tensors(["größe", "数量"], ["INT32"] * 2, [-1]), tensors(["итог", "🙂"], ["INT32"] * 2, [-1]), lambda a, b: (a + b, a)),
    **{f"identity_{datatype.lower()}": identity(datatype) for datatype in DATATYPES},
}


def array_of(tensor, datatype, shape):
    """Returns the elements of an input; raises an error if they are not what the model takes."""
    given = tensor["shape"]
    if tensor["datatype"] != datatype:
        raise ValueError(f"datatype {tensor['datatype']} instead of {datatype}")
    if len(given) != len(shape) or any(type(one) is not int or one < 0 or wanted not in (-1, one) for one, wanted in zip(given, shape)):
        raise ValueError(f"shape {given} instead of {shape}")
    elements, (dtype, kinds) = numpy.array(tensor["data"], object), DATATYPES[datatype]
    if elements.ndim != 1 and elements.shape != tuple(given):
        raise ValueError(f"data that is nested otherwise than {given}")
    if any(type(one) not in kinds for one in elements.flat):
        raise ValueError(f"an element is not {datatype}")
    array = elements.astype(dtype)
    if (array != elements).any() if datatype in WHOLE else datatype in REAL and not numpy.isfinite(array).all():
        raise ValueError(f"an element does not fit {datatype}")
    return array.reshape(given)


class Arithmetic:
    """The handler of all models: TorchServe makes one for each."""

    def initialize(self, context):
        self.inputs, self.outputs, self.compute = MODELS[context.model_name]

    def answer(self, request, context):
        given = {tensor["name"]: tensor for tensor in request["inputs"]}
        if len(given) != len(request["inputs"]) or set(given) != {name for name, _, _ in self.inputs}:
            raise ValueError(f"the model has the inputs {', '.join(name for name, _, _ in self.inputs)}")
        arrays = self.compute(*[array_of(given[name], datatype, shape) for name, datatype, shape in self.inputs])
        outputs = {name: {"name": name, "datatype": datatype, "shape": list(array.shape), "data": array.flatten().tolist()}
                   for (name, datatype, _), array in zip(self.outputs, arrays)}
        asked = [output["name"] for output in request.get("outputs") or []] or outputs
        return {"model_name": context.model_name, "model_version": context.manifest["model"]["modelVersion"],
                **({"id": request["id"]} if "id" in request else {}), "outputs": [outputs[name] for name in asked]}

    def handle(self, requests, context):
        answers = []
        for place, request in enumerate(requests):
            body = request.get("body")
            try:
                answers.append(self.answer(json.loads(body) if isinstance(body, bytearray) else body, context))
            except Exception as error:  # whatever is wrong with the request
                context.set_response_status(400, "Bad Request", place)
                answers.append({"error": str(error)})
            context.set_response_content_type(place, "application/json")
        return answers
