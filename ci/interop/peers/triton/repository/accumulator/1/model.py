"""A model with a state for each sequence, as a user of Triton's Python backend writes it. Triton sees to it that a sequence stays with one
instance, that it starts with a start, and that it is given up when it rests for too long."""
import numpy
import triton_python_backend_utils as backend


class TritonPythonModel:
    def initialize(self, args):
        self.totals = {}

    def answer(self, request):
        identity = (type(request.correlation_id()), request.correlation_id())
        value = backend.get_input_tensor_by_name(request, "INPUT").as_numpy()
        if request.flags() & backend.TRITONSERVER_REQUEST_FLAG_SEQUENCE_START:
            self.totals[identity] = numpy.zeros_like(value)
        self.totals[identity] = total = self.totals[identity] + value
        if request.flags() & backend.TRITONSERVER_REQUEST_FLAG_SEQUENCE_END:
            del self.totals[identity]
        return backend.InferenceResponse([backend.Tensor("OUTPUT", total)])

    def execute(self, requests):
        return [self.answer(request) for request in requests]
