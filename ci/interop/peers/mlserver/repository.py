"""Writes the model repository of MLServer: repository.py FOLDER HTTP_PORT GRPC_PORT"""
import json
import os
import shutil
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
DATATYPES = "BOOL INT8 INT16 INT32 INT64 UINT8 UINT16 UINT32 UINT64 FP16 FP32 FP64".split()


def tensors(names, datatypes, shape):
    return [{"name": name, "datatype": datatype, "shape": shape} for name, datatype in zip(names, datatypes)]


def write(folder, content):
    os.makedirs(os.path.dirname(folder), exist_ok=True)
    with open(folder, "w", encoding="utf-8") as file:
        json.dump(content, file, indent=1)


def model(folder, name, implementation, inputs, outputs, version="1"):
    shutil.copy(os.path.join(HERE, "arithmetic.py"), folder)
    write(os.path.join(folder, name, version, "model-settings.json"),
          {"name": name, "implementation": "arithmetic." + implementation, "platform": "numpy_python",
           "inputs": inputs, "outputs": outputs, "parameters": {"version": version}})


def main():
    folder, http, grpc = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    shutil.rmtree(folder, ignore_errors=True)
    os.makedirs(folder)
    write(os.path.join(folder, "settings.json"),
          {"http_port": http, "grpc_port": grpc, "host": "127.0.0.1", "parallel_workers": 0, "metrics_endpoint": None})
    two, both = ["INPUT0", "INPUT1"], ["OUTPUT0", "OUTPUT1"]
    model(folder, "add-sub", "AddSub", tensors(two, ["INT32"] * 2, [-1, 16]), tensors(both, ["INT32"] * 2, [-1, 16]))
    for datatype in DATATYPES:
        model(folder, "identity_" + datatype.lower(), "Identity",
              tensors(two[:1], [datatype], [-1, -1]), tensors(both[:1], [datatype], [-1, -1]))
    model(folder, "strings", "Strings", tensors(two[:1], ["BYTES"], [-1, -1]), tensors(both[:1], ["BYTES"], [-1, -1]))
    model(folder, "casts", "Casts", tensors(two[:1], ["INT32"], [-1, 4]),
          tensors(["OUTPUT0", "OUTPUT1", "OUTPUT2", "OUTPUT3"], ["INT32", "INT64", "FP32", "BOOL"], [-1, 4]))
    model(folder, "scalar", "Double", tensors(two[:1], ["FP32"], []), tensors(both[:1], ["FP32"], []))
    model(folder, "unicode", "Sum", tensors(["größe", "数量"], ["INT32"] * 2, [-1]), tensors(["итог", "🙂"], ["INT32"] * 2, [-1]))
    for version in ("1", "2"):
        model(folder, "versioned", "Plus100", tensors(two[:1], ["INT32"], [-1, 4]),
              tensors(both[:1], ["INT32"], [-1, 4]), version)


main()
