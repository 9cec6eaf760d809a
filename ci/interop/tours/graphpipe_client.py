"""A tour with the original Python client of GraphPipe      GRAPHPIPE: the server

The client knows no BOOL and no BF16, sends no big-endian arrays, and shows of an error only the reason phrase of HTTP."""
import os

import numpy
from graphpipe import remote
from tour import A, B, NOT_UTF8, VALUES, Tour

URL = os.environ["GRAPHPIPE"]
tour = Tour("graphpipe-py")

SIMPLE, SUM, DIFFERENCE = URL + "/simple", A + B, A - B

for datatype, array in VALUES.items():
    if datatype in ("BOOL", "BYTES"):
        continue
    model = f"{URL}/identity_{datatype.lower()}"
    tour.check(f"every bit of {datatype} comes back", lambda m=model, a=array: remote.execute(m, a), array)
    tour.check(f"named {datatype}", lambda m=model, a=array: remote.execute(m, a, "INPUT0", "OUTPUT0"), array)
    tour.check(f"{datatype} without elements", lambda m=model, a=array: remote.execute(m, a[:0]), array[:0])
    tour.check(f"{datatype} in Fortran's order", lambda m=model, a=array: remote.execute(m, numpy.asfortranarray(a)), array)

# Texts come back as bytes of a fixed width, which end in NULs.
for says, texts in (("BYTES", VALUES["BYTES"]), ("BYTES that are not UTF-8", NOT_UTF8), ("text", numpy.array([["größe", "", "数量🙂"]]))):
    wanted = [[x.encode() if isinstance(x, str) else bytes(x) for x in row] for row in texts]
    tour.check(says, lambda t=texts: remote.execute(URL + "/identity_bytes", t).tolist(), wanted)

tour.check("inputs without names", lambda: remote.execute_multi(SIMPLE, [A, B], None, None), [SUM, DIFFERENCE])
tour.check("inputs by name, in another order", lambda: remote.execute_multi(SIMPLE, [B, A], ["INPUT1", "INPUT0"], None), [SUM, DIFFERENCE])
tour.check("outputs in the order of their names", lambda: remote.execute_multi(SIMPLE, [A, B], None, ["OUTPUT1", "OUTPUT0"]), [DIFFERENCE, SUM])
tour.check("one output", lambda: remote.execute_multi(SIMPLE, [A, B], None, ["OUTPUT1"]), [DIFFERENCE])
tour.check("an output twice", lambda: remote.execute_multi(SIMPLE, [A, B], None, ["OUTPUT0", "OUTPUT0"]), [SUM, SUM])
tour.check("a scalar", lambda: remote.execute(URL + "/scalar", numpy.array(21, numpy.float32)), numpy.array(42, numpy.float32))
tour.check("a config", lambda: remote.execute_multi(SIMPLE, [A, B], None, None, '{"a": 1, "b": "x", "c": true}'), [SUM, DIFFERENCE])
large = numpy.arange(150528, dtype=numpy.float32).reshape(1, -1)
tour.check("602 kB", lambda: remote.execute(URL + "/identity_fp32", large), large)
tour.check("an inner layer", lambda: remote.execute(URL + "/convnet", numpy.ones((1, 1, 8, 8), numpy.float32), None, "pool2").shape, (1, 6, 2, 2))

tour.check("names of inputs", lambda: remote.get_input_names(SIMPLE), ["INPUT0", "INPUT1"])
tour.check("names of outputs", lambda: remote.get_output_names(SIMPLE), ["OUTPUT0", "OUTPUT1"])
tour.check("names that are not ASCII", lambda: remote.get_input_names(URL + "/unicode"), ["größe", "数量"])
tour.check("shapes of inputs", lambda: remote.get_input_shapes(SIMPLE), [[None, 16], [None, 16]])
tour.check("shapes of outputs", lambda: remote.get_output_shapes(URL + "/convnet"), [[None, 5], [None, 6, 2, 2]])
tour.check("types of inputs", lambda: remote.get_input_types(SIMPLE), [numpy.dtype("int32")] * 2)
tour.check("types of outputs, one unknown", lambda: remote.get_output_types(URL + "/many_outputs"),
           [numpy.dtype("int32"), numpy.dtype("int64"), numpy.dtype("float32"), None])
tour.check("server and model", lambda: [remote.metadata(SIMPLE).Name(), remote.metadata(SIMPLE).Server()], [b"simple", b"oip-reference-server"])

for says, call, *words in (
    ("a missing input", lambda: remote.execute(SIMPLE, A), "400", "INPUT1", "missing"),
    ("an unknown input", lambda: remote.execute(SIMPLE, A, "x"), "no input 'x'"),
    ("an unknown output", lambda: remote.execute_multi(SIMPLE, [A, B], None, ["x"]), "no output 'x'"),
    ("another type", lambda: remote.execute_multi(SIMPLE, [A, B.astype(numpy.float32)], None, None), "INT32", "FP32"),
    ("another shape", lambda: remote.execute_multi(SIMPLE, [A, B[:, :3]], None, None), "[1,3]"),
    ("too many inputs", lambda: remote.execute_multi(SIMPLE, [A, B, A], None, None), "3 inputs"),
    ("a type that GraphPipe lacks", lambda: remote.execute(URL + "/identity_bool", VALUES["UINT8"]), "BOOL"),
    ("a config that is no JSON", lambda: remote.execute_multi(SIMPLE, [A, B], None, None, "debug"), "config"),
):
    tour.refused(says, call, *words)
    tour.check(f"a sound answer after {says}", lambda: remote.execute_multi(SIMPLE, [A, B], None, None), [SUM, DIFFERENCE])

tour.end()
