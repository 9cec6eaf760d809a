"""Models as a user of pytriton writes them: functions from numpy arrays to numpy arrays. Those with labels and sequences, which pytriton
does not offer, lie in repository/, as a user of Triton itself writes them. Usage: server.py HTTP_PORT GRPC_PORT"""
import pathlib
import sys

import numpy
from pytriton.decorators import batch
from pytriton.model_config import ModelConfig, Tensor
from pytriton.triton import Triton, TritonConfig, TritonSecurityConfig

DATATYPES = {
    "bool": numpy.bool_, "int8": numpy.int8, "int16": numpy.int16, "int32": numpy.int32, "int64": numpy.int64,
    "uint8": numpy.uint8, "uint16": numpy.uint16, "uint32": numpy.uint32, "uint64": numpy.uint64,
    "fp16": numpy.float16, "fp32": numpy.float32, "fp64": numpy.float64, "bytes": bytes,
}


@batch
def add_sub(INPUT0, INPUT1):
    return {"OUTPUT0": INPUT0 + INPUT1, "OUTPUT1": INPUT0 - INPUT1}


@batch
def casts(INPUT0):
    return {"OUTPUT0": INPUT0, "OUTPUT1": INPUT0.astype(numpy.int64), "OUTPUT2": INPUT0.astype(numpy.float32),
            "OUTPUT3": INPUT0 != 0}


@batch
def identity(INPUT0):
    return {"OUTPUT0": INPUT0}


def tensors(names, types, shape):
    return [Tensor(name=name, dtype=dtype, shape=shape) for name, dtype in zip(names, types)]


def main():
    repository = pathlib.Path(__file__).resolve().parent / "repository"
    config = TritonConfig(model_repository=repository, http_address="127.0.0.1", http_port=int(sys.argv[1]), grpc_address="127.0.0.1",
                          grpc_port=int(sys.argv[2]), metrics_port=int(sys.argv[3]))
    two, both, four = ["INPUT0", "INPUT1"], ["OUTPUT0", "OUTPUT1"], ["OUTPUT0", "OUTPUT1", "OUTPUT2", "OUTPUT3"]
    batches = ModelConfig(max_batch_size=8)
    with Triton(config=config, security_config=TritonSecurityConfig(restricted_endpoints=[])) as triton:
        triton.bind("add-sub", add_sub, tensors(two, [numpy.int32] * 2, (16,)), tensors(both, [numpy.int32] * 2, (16,)),
                    config=batches)
        triton.bind("casts", casts, tensors(two, [numpy.int32], (4,)),
                    tensors(four, [numpy.int32, numpy.int64, numpy.float32, numpy.bool_], (4,)), config=batches)
        for name, dtype in DATATYPES.items():
            triton.bind("identity_" + name, identity, tensors(two, [dtype], (-1,)), tensors(both, [dtype], (-1,)),
                        config=batches)
        triton.serve()


main()
