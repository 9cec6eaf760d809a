import triton_python_backend_utils as triton


class TritonPythonModel:
    def execute(self, requests):
        arrays = [triton.get_input_tensor_by_name(request, "INPUT0").as_numpy() for request in requests]
        return [triton.InferenceResponse([triton.Tensor("OUTPUT0", array)]) for array in arrays]
