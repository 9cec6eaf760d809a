"""A decoupled model that stands for a generator of text, as a user of Triton's Python backend writes it."""
import itertools
import json

import numpy
import triton_python_backend_utils as backend


def output(text):
    return backend.InferenceResponse([backend.Tensor("text_output", numpy.array([text], numpy.object_))])


class TritonPythonModel:
    def answer(self, request):
        text = backend.get_input_tensor_by_name(request, "text_input").as_numpy()[0].decode()
        parameters = json.loads(request.parameters() or "{}")
        count, fails = int(parameters.get("max_tokens", 16)), parameters.get("fail_after")
        words = itertools.islice(itertools.cycle([word for word in text.split(" ") if word]), count if fails is None else int(fails))
        tokens = [" " * (place > 0) + word for place, word in enumerate(words)]
        sender = request.get_response_sender()
        for part in tokens if parameters.get("stream") in (True, "true") else ["".join(tokens)] * (fails is None):
            sender.send(output(part))
        if fails is not None:
            sender.send(backend.InferenceResponse(error=backend.TritonError("the model failed, as it was told to")))
        sender.send(flags=backend.TRITONSERVER_RESPONSE_COMPLETE_FINAL)

    def execute(self, requests):
        for request in requests:
            self.answer(request)
