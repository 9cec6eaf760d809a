"""The engine of the reference server, as a process; it needs no onnxruntime."""
import os
import subprocess

import numpy

DATATYPES = {"FP32": numpy.float32, "FP64": numpy.float64, "INT64": numpy.int64, "INT32": numpy.int32, "BOOL": numpy.bool_}
NAMES = {numpy.dtype(kind): name for name, kind in DATATYPES.items()}
THREADS = int(os.environ.get("THREADS", "1"))  # what is compared is processor time on one thread, on several the time that passes


class Refused(Exception):
    pass


def peak_of(process):
    """Returns the most memory that a process has had, in MiB."""
    with open(f"/proc/{process}/status", encoding="ascii") as status:
        return next(int(line.split()[1]) >> 10 for line in status if line.startswith("VmHWM"))


class Engine:
    """The engine of the reference server, as the process build/reference-server/bench/engine."""

    def __init__(self, program, model, **environment):
        environment = {**os.environ, "OMP_NUM_THREADS": str(THREADS), "OMP_WAIT_POLICY": "passive", **environment}
        self.process = subprocess.Popen([program, model], stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment)
        line = self.process.stdout.readline().decode()
        if line != "loaded\n":
            raise Refused(line.strip() or "the engine ended")

    def run(self, inputs, repeats=1):
        """Returns the time of one run in seconds, and the outputs of the last one."""
        self.process.stdin.write(b"%d %d\n" % (repeats, len(inputs)))
        for array in inputs.values():
            head = [NAMES[array.dtype], str(array.ndim), *map(str, array.shape)]
            self.process.stdin.write(" ".join(head).encode() + b"\n" + array.tobytes())
        self.process.stdin.flush()
        line = self.process.stdout.readline().decode()
        if not line or line.startswith("error"):
            raise Refused(line.strip() or "the engine ended")
        processor, wall, count = map(int, line.split())
        return (processor if THREADS == 1 else wall) / 1e9 / repeats, [self.read() for _ in range(count)]

    def read(self):
        name, _, *shape = self.process.stdout.readline().decode().split()
        shape = [int(size) for size in shape]
        kind = numpy.dtype(DATATYPES[name])
        data = self.process.stdout.read(int(numpy.prod(shape, dtype=numpy.int64)) * kind.itemsize)
        return numpy.frombuffer(data, kind).reshape(shape)

    def peak(self):
        return peak_of(self.process.pid)

    def close(self):
        self.process.stdin.close()
        self.process.wait()
