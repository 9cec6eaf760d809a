"""What the tours of all clients share: a printed line for each check, values of each datatype, and the last line `N passed, N failed`."""
import os
import sys
import traceback

import ml_dtypes
import numpy

HTTP = os.environ.get("TARGET", "").removeprefix("http://")
GRPC = os.environ.get("GRPC", "")

# Two rows of three values for each datatype, from its lowest to its highest.
VALUES = {
    "BOOL": numpy.array([[True, False, True], [False, False, True]]),
    "UINT8": numpy.array([[0, 1, 127], [128, 254, 255]], numpy.uint8),
    "UINT16": numpy.array([[0, 1, 255], [256, 65534, 65535]], numpy.uint16),
    "UINT32": numpy.array([[0, 1, 65536], [2**31, 2**32 - 2, 2**32 - 1]], numpy.uint32),
    "UINT64": numpy.array([[0, 1, 2**53 + 1], [2**63, 2**64 - 2, 2**64 - 1]], numpy.uint64),
    "INT8": numpy.array([[0, 1, -1], [127, -127, -128]], numpy.int8),
    "INT16": numpy.array([[0, 1, -1], [32767, -32767, -32768]], numpy.int16),
    "INT32": numpy.array([[0, 1, -1], [2**31 - 1, 16777217, -(2**31)]], numpy.int32),
    "INT64": numpy.array([[0, 1, -1], [2**63 - 1, 2**53 + 1, -(2**63)]], numpy.int64),
    "FP16": numpy.array([[0, -0.0, 1], [-2.5, 65504, 2.0**-24]], numpy.float16),
    "FP32": numpy.array([[0, -0.0, 0.1], [3.4028234663852886e38, 2.0**-149, -1.5]], numpy.float32),
    "FP64": numpy.array([[0, -0.0, 0.1], [1.7976931348623157e308, 5e-324, -1.5]], numpy.float64),
    "BYTES": numpy.array([[b"", b"a", "größe".encode()], ["数量🙂".encode(), b'"\\/', b"x" * 300]], object),
}
NOT_UTF8 = numpy.array([[b"\xff\xfe", b"a\0b"]], object)
BF16 = numpy.array([[0, -0.0, 1], [-2.5, 2.0**127, 2.0**-126]], ml_dtypes.bfloat16)

A = numpy.arange(16, dtype=numpy.int32).reshape(1, 16)
B = numpy.full((1, 16), 3, numpy.int32)


def plain(value):
    """Returns a value that can be printed, and is equal to another only if datatype, shape and bits are the same."""
    if isinstance(value, numpy.ndarray):
        if value.dtype == object:
            elements = [x.encode() if isinstance(x, str) else bytes(x) for x in value.ravel()]
            return "BYTES", value.shape, elements
        return str(value.dtype), value.shape, value.tobytes()
    if isinstance(value, dict):
        return {key: plain(member) for key, member in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(member) for member in value]
    return value


class Tour:
    def __init__(self, client):
        self.client, self.passed, self.failed = client, 0, 0

    def report(self, says, problem=None):
        if problem is None:
            self.passed += 1
            print(f"ok     {self.client}: {says}", flush=True)
        else:
            self.failed += 1
            print(f"FAILED {self.client}: {says}\n       {problem}", flush=True)

    def check(self, says, call, wanted):
        """Checks that call() returns what is wanted."""
        try:
            got = plain(call())
        except Exception as error:  # an exception of a client fails this check, but does not end the tour
            where = traceback.extract_tb(error.__traceback__)[-1]
            got = f"{type(error).__name__}: {error} ({os.path.basename(where.filename)}:{where.lineno})"
        wanted = plain(wanted)
        self.report(says, None if got == wanted else f"wanted {str(wanted)[:600]}\n       got    {str(got)[:600]}")

    def refused(self, says, call, *words):
        """Checks that call() raises an error whose text has all the words."""
        try:
            got = call()
            self.report(says, f"no error, but {str(got)[:300]}")
        except Exception as error:  # the clients have no common class of errors
            text = f"{type(error).__name__}: {error}"
            missing = [word for word in words if word not in text]
            self.report(says, f"the error does not say {missing}: {text[:400]}" if missing else None)

    def end(self):
        print(f"{self.client}: {self.passed} passed, {self.failed} failed", flush=True)
        sys.exit(1 if self.failed else 0)
