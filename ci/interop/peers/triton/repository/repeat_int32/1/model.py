"""A decoupled model, as the example repeat_int32 of Triton's backends, by its Python backend: each element of IN is an answer of its own."""
import time

import numpy
import triton_python_backend_utils as backend


class TritonPythonModel:
    def answer(self, request):
        values, delays, wait = (backend.get_input_tensor_by_name(request, name).as_numpy() for name in ("IN", "DELAY", "WAIT"))
        sender = request.get_response_sender()
        for place, (value, delay) in enumerate(zip(values, delays)):
            until = time.monotonic() + delay / 1000
            while time.monotonic() < until and not sender.is_cancelled():
                time.sleep(0.01)
            if sender.is_cancelled():
                break
            sender.send(backend.InferenceResponse([backend.Tensor("OUT", numpy.array([value], numpy.int32)),
                                                   backend.Tensor("IDX", numpy.array([place], numpy.uint32))]))
        sender.send(flags=backend.TRITONSERVER_RESPONSE_COMPLETE_FINAL)
        time.sleep(wait[0] / 1000)

    def execute(self, requests):
        for request in requests:
            self.answer(request)
