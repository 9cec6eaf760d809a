import triton_python_backend_utils as triton


class TritonPythonModel:
    def execute(self, requests):
        pairs = [[triton.get_input_tensor_by_name(request, name).as_numpy() for name in ("INPUT0", "INPUT1")] for request in requests]
        return [triton.InferenceResponse([triton.Tensor("OUTPUT0", a + b), triton.Tensor("OUTPUT1", a - b)]) for a, b in pairs]
