"""Plays random small graphs; ci/models/compare says how it is called.

Each seed from SEED (0) on draws a graph, the shapes of its runs, the instructions that oneDNN may use, and the threads. The
engine must make of them what onnxruntime makes without its optimizations, some of which are wrong. Of a graph that differs,
nodes are removed as long as it still does; the rest is printed, and stands in BUILD/graphs/SEED.onnx. Each graph is played
in a process of its own, because some make onnxruntime abort.
"""
import itertools
import os
import sys
import traceback

import numpy
import onnx
import onnxruntime
from onnx import TensorProto, helper, numpy_helper, shape_inference

from compare import TOLERANCE, Onnxruntime, difference
from engine import Engine, Refused

KINDS = {"f": TensorProto.FLOAT, "d": TensorProto.DOUBLE, "i": TensorProto.INT32, "l": TensorProto.INT64, "b": TensorProto.BOOL}
LETTERS = {kind: letter for letter, kind in KINDS.items()}
TYPES = {letter: helper.tensor_dtype_to_np_dtype(kind) for letter, kind in KINDS.items()}
FORMS = [{"DNNL_MAX_CPU_ISA": isa, "OMP_NUM_THREADS": threads} for isa in ("SSE41", "AVX2", "DEFAULT") for threads in "12"]
OPEN = [{"N": batch, "T": length} for batch, length in ((1, 9), (3, 14), (8, 11), (0, 9))]
CHANNELS = (1, 3, 4, 8, 8, 12, 16, 24, 64, 72)
PASSED, FAILED, UNUSABLE = range(3)
ACCEPTED = ("nothing to ", "does not fit into an input")  # refusals where onnxruntime makes NaN, or nothing


class Invalid(Exception):
    """What was drawn is no graph of ONNX; another draw follows."""


class Unusable(Exception):
    """onnxruntime cannot run the graph, or rounding alone changes its results."""


class Graph:
    """A graph that grows. The shape of a value has numbers, the names of open dimensions, and None where nobody knows."""

    def __init__(self, seed=0):
        self.random = numpy.random.default_rng(seed)
        self.opset = self.of(11, 12, 13, 13, 15, 17)
        self.nodes, self.constants, self.inputs, self.values, self.outputs = [], {}, {}, {}, []

    def upto(self, most, least=0):
        return int(self.random.integers(least, most + 1))

    def of(self, *choices):
        return choices[self.upto(len(choices) - 1)]

    def often(self, share=0.5):
        return self.random.random() < share

    def swapped(self, *pair):
        return pair[::-1] if self.often() else pair

    def shape(self, name):
        return list(self.values[name][1])

    def axis(self, name):
        """Chooses an axis: as it is, and as it is written."""
        rank = len(self.shape(name))
        axis = self.upto(rank - 1)
        return axis, axis - rank * self.often(0.3)

    def axes(self, name):
        return sorted({self.axis(name)[0] for _ in range(3)})

    def pick(self, kinds="f", ranks=range(1, 6), known=(), where=lambda shape: True):
        """Chooses a value, mostly a late one. These dimensions of it are known."""
        names = [name for name, (kind, shape) in self.values.items() if kind in kinds and len(shape) in ranks
                 and all(isinstance(shape[i], int) for i in known) and where(shape)]
        if not names:
            raise Invalid
        return names[-1 - min(int(self.random.exponential(2)), len(names) - 1)]

    def input(self, kind, *shape):
        name = f"in{len(self.inputs)}"
        self.inputs[name] = self.values[name] = (kind, shape)
        return name

    def constant(self, array, shared=True):
        """Makes a constant, or finds one of the same shape."""
        array = numpy.asarray(array)
        same = [name for name, other in self.constants.items() if other.dtype == array.dtype and other.shape == array.shape]
        if shared and array.dtype == numpy.float32 and array.size > 1 and same and self.often(0.4):
            return self.of(*same)
        self.constants[f"c{len(self.constants)}"] = array
        return f"c{len(self.constants) - 1}"

    def floats(self, *shape, scale=1.0):
        return self.constant((self.random.standard_normal(shape) * scale).astype(numpy.float32))

    def number(self, value, *shape):
        return self.constant(numpy.full(shape, value, numpy.float32), False)

    def integers(self, *numbers):
        return self.constant(numpy.array(numbers, numpy.int64))

    def matrix(self, *shape):
        """Makes weights: a constant, one that is computed, or an input. The last dimension but one is summed over."""
        weights = self.floats(*shape, scale=max(shape[-2], 1) ** -0.5)
        way = self.of(*range(9))
        if way == 0:
            return self.input("f", *shape)
        if way == 1:
            return self.node("Mul", weights, self.floats(1))
        return self.node("Transpose", self.floats(*shape[::-1])) if way == 2 else weights

    def other(self, x):
        """Chooses what is broadcast to x: a value or a constant."""
        kind, shape = self.values[x]
        if self.often(0.4):
            return self.pick(kind, range(6), where=lambda other: len(other) <= len(shape) and all(
                a in (1, b) and b is not None for a, b in zip(other[::-1], shape[::-1])))
        sizes = [size if isinstance(size, int) and self.often(0.6) else 1 for size in shape]
        sizes = [1] * self.of(0, 0, 0, 1) + sizes if self.often(0.3) else sizes[self.upto(len(sizes)):]
        return self.floats(*sizes) if kind == "f" else self.constant(self.random.integers(1, 4, sizes).astype(TYPES[kind]))

    def type_of(self, name):
        array = self.constants.get(name)
        kind, shape = self.values[name] if array is None else (LETTERS[helper.np_dtype_to_tensor_dtype(array.dtype)], array.shape)
        return helper.make_tensor_value_info(name, KINDS[kind], shape)

    def node(self, op, *inputs, outputs=1, shape=None, **attributes):
        """Adds a node, if it is valid. Returns its output, or the list of them; an output of 0 is not wanted."""
        wanted = [1] * outputs if isinstance(outputs, int) else outputs
        names = [f"v{len(self.nodes)}_{i}" if is_wanted else "" for i, is_wanted in enumerate(wanted)]
        node = helper.make_node(op, [name or "" for name in inputs], names, **{key: value for key, value in attributes.items() if value is not None})
        given = list(dict.fromkeys(filter(None, inputs)))
        made, types = [name for name in names if name], []
        graph = helper.make_graph([node], op, [self.type_of(name) for name in given], [onnx.ValueInfoProto(name=name) for name in made],
                                  [numpy_helper.from_array(self.constants[name], name) for name in given if name in self.constants])
        try:
            model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", self.opset)])
            inferred = [info.type.tensor_type for info in shape_inference.infer_shapes(model, strict_mode=True, data_prop=True).graph.output]
        except (shape_inference.InferenceError, RuntimeError) as error:
            raise Invalid from error
        least = 1 if op == "Conv" or "Pool" in op else 0
        for tensor in inferred:
            sizes = shape or [d.dim_value if d.HasField("dim_value") else d.dim_param if d.dim_param in OPEN[0] else None for d in tensor.shape.dim]
            if not (tensor.HasField("shape") or shape) or any(isinstance(size, int) and not least <= size <= 4000 for size in sizes):
                raise Invalid
            types.append((LETTERS[tensor.elem_type], tuple(sizes)))
        self.values.update(zip(made, types))
        self.nodes.append(node)
        return made if len(made) > 1 else made[0]

    def with_list(self, op, x, key, numbers, since=13, **attributes):
        """Adds a node whose list is an attribute or, from an opset on, an input."""
        if self.opset < since:
            return self.node(op, x, **attributes, **{key: numbers})
        return self.node(op, x, None if numbers is None else self.integers(*numbers), **attributes)

    def model(self):
        """Makes the model, of the nodes that its outputs need."""
        needed, nodes = set(self.outputs), []
        for node in reversed(self.nodes):
            if needed & set(node.output):
                needed |= set(filter(None, node.input))
                nodes.insert(0, node)
        constants = {name: numpy_helper.from_array(array, name) for name, array in self.constants.items() if name in needed}
        early = [helper.make_node("Constant", [], [name], value=constants.pop(name)) for name in list(constants)[::5]]
        outputs = [helper.make_tensor_value_info(name, KINDS[self.values[name][0]], [None] * len(self.shape(name))) for name in self.outputs]
        graph = helper.make_graph(early + nodes, "random", [self.type_of(name) for name in self.inputs], outputs, list(constants.values()))
        return helper.make_model(graph, opset_imports=[helper.make_opsetid("", self.opset)], ir_version=7)

    def feeds(self, sizes, seed):
        random = numpy.random.default_rng(seed)
        shapes = {name: [sizes.get(size, size) for size in shape] for name, (_, shape) in self.inputs.items()}
        return {name: (random.standard_normal(shapes[name]) if kind in "fd" else random.integers(0, 4, shapes[name])).astype(TYPES[kind])
                for name, (kind, _) in self.inputs.items()}


# --- What is drawn: each row of DRAWS chooses a value x, and adds nodes to it ---

def window(g, x, sizes):
    shape = g.shape(x)
    if 0 in shape:
        raise Invalid
    kernel = [g.of(*sizes)] * (len(shape) - 2) if g.often(0.6) else [g.of(*sizes) for _ in shape[2:]]
    kernel = [min(size, whole) if isinstance(whole, int) else size for size, whole in zip(kernel, shape[2:])]
    strides = g.of(None, [g.of(1, 2, 3)] * len(kernel), [g.upto(3, 1) for _ in kernel])
    if g.often(0.2) and max(strides or [1]) <= min(kernel):  # else onnxruntime pads by negative numbers
        return kernel, {"strides": strides, "auto_pad": g.of("SAME_UPPER", "SAME_LOWER", "VALID")}
    same = [size // 2 for size in kernel] * 2
    return kernel, {"strides": strides, "pads": g.of(None, same, same, [g.upto(size - 1) for size in kernel * 2]),
                    "dilations": [g.of(1, 2, 3)] * len(kernel) if g.often(0.15) else None}


def conv(g, x):
    channels = g.shape(x)[1] or 1
    groups = g.of(1, 1, 1, channels, *(n for n in (2, 4, 8) if channels % n == 0))
    made = groups * g.of(1, 1, 2, 8) if groups > 1 else g.of(*CHANNELS)
    kernel, attributes = window(g, x, (1, 1, 2, 3, 3, 3, 5))
    if channels >= 64 and len(kernel) == 2 and g.often(0.7):  # in tiles
        groups, made, kernel, attributes = 1, g.of(64, 72, 96), [3, 3], {"pads": g.of(None, [1, 1, 1, 1], [0, 1, 1, 0])}
    weights = g.floats(made, channels // groups, *kernel, scale=(channels // groups * numpy.prod(kernel)) ** -0.5)
    if g.often(0.1):
        weights = g.node("Mul", weights, g.floats(1))
    g.node("Conv", x, weights, *[g.floats(made)] * g.upto(1), group=groups, kernel_shape=g.of(None, kernel), **attributes)


def normalize_channels(g, x):
    count = g.shape(x)[1]
    variance = g.constant(g.random.uniform(0.5, 1.5, count).astype(numpy.float32), False)
    return g.node("BatchNormalization", x, *(g.floats(count) for _ in range(3)), variance, epsilon=g.of(None, 1e-3))


def block(g, x):
    """A block of a ResNet, of a DenseNet, or one with squeeze and excitation."""
    count, rank, size = g.shape(x)[1] or 1, len(g.shape(x)) - 2, g.of(1, 3)
    y = g.node("GlobalAveragePool", x) if g.often(0.25) else x
    y = g.node("Conv", y, g.floats(count, count, *[size] * rank, scale=(count * size ** rank) ** -0.5), pads=[size // 2] * 2 * rank)
    y = normalize_channels(g, y) if g.often(0.4) else y
    y = g.node(g.of("Relu", "Sigmoid"), y) if g.often(0.3) else y
    y = g.node("Concat", *g.swapped(x, y), axis=1) if g.often(0.2) else g.node(g.of("Add", "Add", "Mul"), *g.swapped(x, y))
    if g.often():
        g.node(g.of("Relu", "LeakyRelu"), y)


def pool(g, x):
    op = g.of("MaxPool", "AveragePool", "GlobalAveragePool", "GlobalMaxPool")
    kernel, attributes = window(g, x, (1, 2, 2, 3, 3, 5))
    if op == "AveragePool":
        attributes.update(dilations=None, count_include_pad=g.of(None, 1))
    if "auto_pad" not in attributes and not attributes.get("count_include_pad"):
        attributes["ceil_mode"] = g.of(None, 1)
    g.node(op, x, **({} if op.startswith("Global") else {"kernel_shape": kernel, **attributes}))


ACTIVATIONS = [("Relu", {}), ("Relu", {}), ("LeakyRelu", {"alpha": 0.2}), ("LeakyRelu", {"alpha": -0.5}), ("Sigmoid", {}), ("Tanh", {}), ("Erf", {}),
               ("Elu", {"alpha": 0.7}), ("Softplus", {}), ("Neg", {}), ("Abs", {}), ("HardSigmoid", {}), ("Selu", {}), ("Sin", {}), ("Identity", {})]


def activate(g, x):
    op, attributes = g.of(*ACTIVATIONS)
    y = g.node(op, x, **attributes)
    if g.often(0.2):
        g.node("Mul", *g.swapped(x, y))


def concat(g, x):
    axis, written = g.axis(x)
    kind, shape = g.values[x]
    fitting = [name for name, (k, s) in g.values.items() if k == kind and len(s) == len(shape) and None not in s
               and all(a == b or i == axis for i, (a, b) in enumerate(zip(s, shape)))]
    parts = [x] + [g.of(x, *fitting) for _ in range(g.upto(3))]
    if all(isinstance(size, int) for size in shape) and kind == "f":
        parts.append(g.floats(*shape[:axis], g.upto(9), *shape[axis + 1:]))
    g.node("Concat", *parts[::g.of(1, -1)], axis=written)


def split(g, x):
    axis, written = g.axis(x)
    size = g.shape(x)[axis]
    if not isinstance(size, int) or size < 1:
        raise Invalid
    if g.often():
        g.node("Split", x, outputs=g.of(*(n for n in (1, 2, 3, 4, 8) if size % n == 0)), axis=written)
        return
    cuts = [0] + sorted(g.upto(size) for _ in range(g.upto(2, 1))) + [size]
    g.with_list("Split", x, "split", [end - begin for begin, end in itertools.pairwise(cuts)], axis=written, outputs=len(cuts) - 1)


def cut(g, x):
    axes = [i for i in range(len(g.shape(x))) if g.often(0.4)] or [0]
    steps = [g.of(1, 1, 1, 2, 3, -1, -2) for _ in axes]
    starts = [g.upto(6) if step > 0 else g.of(-1, 10**6) for step in steps]
    ends = [g.of(-1, 5, 7, 10**9) if step > 0 else g.of(-10**9, 0, -5) for step in steps]
    more = [g.integers(*steps)] if set(steps) != {1} else []
    g.node("Slice", x, g.integers(*starts), g.integers(*ends), g.integers(*(axis - len(g.shape(x)) * g.often(0.3) for axis in axes)), *more)


def pad(g, x):
    rank = len(g.shape(x))
    pads = [g.of(0, 0, 1, 2, -1) if i % rank >= 2 or g.often(0.2) else 0 for i in range(2 * rank)]
    g.node("Pad", x, g.integers(*pads), *[g.number(2)] * g.upto(1), mode=g.of(None, "reflect", "edge"))


def reshape(g, x):
    shape = g.shape(x)
    at = g.upto(len(shape) - 1)
    if g.often(0.4):
        g.node("Reshape", x, g.integers(*(0 if g.often() or not isinstance(size, int) else size for size in shape[:at]), -1))
    elif all(isinstance(size, int) and size for size in shape[at:]):
        part = g.of(*(n for n in (1, 2, 3, 4, 8) if shape[at] % n == 0))
        g.node("Reshape", x, g.integers(*[0] * at, part, -1, *shape[at + 1:]))
    else:  # what exporters write for view(x.size(0), -1)
        size = g.node("Gather", g.node("Shape", x), g.constant(numpy.int64(0)), axis=0)
        wanted = g.node("Concat", g.with_list("Unsqueeze", size, "axes", [0]), g.integers(-1), axis=0)
        g.node("Reshape", x, wanted, shape=(shape[0], None))


def gemm(g, x):
    turned = int(not isinstance(g.shape(x)[1], int) or g.often(0.2))
    k, turned_too = g.shape(x)[1 - turned], g.upto(1)
    if not isinstance(k, int):
        raise Invalid
    m = g.of(1, 4, 8, 10, 33, k)
    c = [g.floats(*g.of((m,), (1, m), (1,), (), (1, 1)))] if g.often(0.7) else []
    g.node("Gemm", x, g.matrix(*((m, k) if turned_too else (k, m))), *c, transA=turned, transB=turned_too, alpha=g.of(None, 0.5),
           beta=g.of(None, None, 0.25, 0.0))


def matmul(g, x):
    k = g.shape(x)[-1]
    stack = g.of([], [], [], [1], [size if isinstance(size, int) else 1 for size in g.shape(x)[:-2]])
    y = g.node("MatMul", x, g.floats(k) if g.often(0.1) else g.matrix(*stack, k, g.of(1, 4, 8, 33, k)))
    if g.often(0.4) and g.shape(y) and isinstance(g.shape(y)[-1], int):
        g.node("Add", *g.swapped(y, g.floats(g.shape(y)[-1])))


def normalize(g, x):
    """LayerNormalization, or what exporters write for it."""
    width, axes = g.shape(x)[-1], [g.of(-1, len(g.shape(x)) - 1)]
    gain, bias = g.floats(width), g.floats(width)
    if g.opset >= 17 and g.often():
        g.node("LayerNormalization", x, gain, *[bias] * g.upto(1), axis=axes[0], epsilon=g.of(None, 1e-3), outputs=g.of(1, 1, 3))
        return
    y = g.node("Sub", x, g.node("ReduceMean", x, axes=axes))
    variance = g.node("ReduceMean", g.node("Pow", y, g.number(2)), axes=axes)
    y = g.node("Div", y, g.node("Sqrt", g.node("Add", variance, g.number(1e-3, *g.of((), (1,))))))
    g.node("Add", *g.of((y := g.node("Mul", y, gain), bias), (bias, y)))


def gelu(g, x):
    number = lambda value: g.number(value, *g.of((), (), (1,), (1, 1, 1, 1)))
    y = g.node("Add", g.node("Erf", g.node("Div", x, number(2 ** 0.5))), number(g.of(1, 1, 1, 2)))
    g.node("Mul", g.node("Mul", x, y), number(0.5))


def recur(g, x):
    kind, gates, most = g.of(("LSTM", 4, 3), ("GRU", 3, 2), ("RNN", 1, 2))
    direction = g.of("forward", "reverse", "bidirectional")
    d, h, (steps, batch, width) = 1 + (direction == "bidirectional"), g.of(1, 5, 8, 16), g.shape(x)
    lengths = None
    if g.often(0.4) and steps in ("T", *range(4, 100)):  # 1 to 4: of no steps, onnxruntime forgets the initial state
        lengths = g.node("Add", g.input("i", batch), g.constant(numpy.ones(1, numpy.int32)))
    start = [g.floats(d, batch, h) if isinstance(batch, int) and g.often() else None for _ in range(2)]
    more = [start[1], g.floats(d, 3 * h) if g.often(0.3) else None] if gates == 4 else []
    g.node(kind, x, g.floats(d, gates * h, width, scale=0.3), g.floats(d, gates * h, h, scale=0.3), g.of(None, g.floats(d, 2 * gates * h)), lengths,
           start[0], *more, hidden_size=h, direction=direction, linear_before_reset=g.upto(1) if gates == 3 else None,
           outputs=g.of(1, 2, [0, 1], most))


def row(weight, draw, kinds="f", ranks=range(1, 6), known=(), where=lambda shape: True):
    return [(draw, kinds, ranks, known, where)] * weight


def is_full(shape):
    return 0 not in shape


IMAGE = {"ranks": (3, 4, 5), "known": [1], "where": is_full}
DRAWS = sum([
    row(12, conv, **IMAGE), row(4, block, **IMAGE), row(3, pool, **IMAGE), row(3, normalize_channels, ranks=(2, 3, 4, 5), known=[1]),
    row(4, activate, ranks=range(6)), row(3, concat, "ffi"), row(2, split, "fi"), row(1, cut, "fib"), row(1, pad, ranks=(2, 3, 4, 5)), row(2, reshape, "fi", range(2, 7)),
    row(5, gemm, ranks=[2]), row(4, matmul, known=[-1]), row(2, normalize, known=[-1], where=is_full), row(1, gelu), row(4, recur, ranks=[3], known=[2]),
    row(3, lambda g, x: g.node("Clip", x, g.of(None, g.number(0), g.number(-0.5)), g.of(None, g.number(6))), ranks=range(6)),
    row(3, lambda g, x: g.node(g.of("Add", "Add", "Mul", "Sub"), *g.swapped(x, g.other(x))), "ffil", range(6)),
    row(1, lambda g, x: g.node(g.of("Max", "Min"), *g.swapped(x, g.other(x)))),
    row(1, lambda g, x: g.node("Div", x, g.node("Add", g.node("Abs", g.other(x)), g.number(1, 1)))),
    row(1, lambda g, x: g.node("PRelu", x, g.floats(g.shape(x)[1], *[1] * (len(g.shape(x)) - 2))), ranks=(2, 3, 4), known=[1]),
    row(1, lambda g, x: g.node("Mul", x, g.node("HardSigmoid", x, alpha=1 / 6, beta=0.5))),
    row(2, lambda g, x: g.node("Transpose", x, perm=g.of(None, [int(i) for i in g.random.permutation(len(g.shape(x)))])), "fib", range(1, 7)),
    row(1, lambda g, x: g.node("Flatten", x, axis=g.axis(x)[1]), "fi", range(2, 6)),
    row(1, lambda g, x: g.with_list("Unsqueeze", x, "axes", [g.axis(x)[1]]), "fi"),
    row(2, lambda g, x: g.with_list("Squeeze", x, "axes", [g.shape(x).index(1)]), "fi", where=lambda shape: 1 in shape),
    row(1, lambda g, x: g.node(g.of("Softmax", "LogSoftmax"), x, axis=g.axis(x)[1])),
    row(1, lambda g, x: g.node(g.of("ReduceMax", "ReduceMin", "ReduceMean", "ReduceL2"), x, axes=g.of(None, g.axes(x)), keepdims=g.of(None, 0)), where=is_full),
    row(1, lambda g, x: g.with_list("ReduceSum", x, "axes", g.of(None, g.axes(x)), keepdims=g.of(None, 0)), "fi", where=is_full),
    row(1, lambda g, x: g.node("Gather", x, g.constant(g.random.integers(-1, 1, g.of((), (1,), (2, 2), (0,)))), axis=g.axis(x)[1]), "fi", where=is_full),
    row(1, lambda g, x: x in g.inputs and g.node(g.of("ArgMax", "ArgMin"), x, axis=g.axis(x)[1], keepdims=g.upto(1)), where=is_full),
    row(1, lambda g, x: x in g.inputs and g.node("Gather", g.floats(4, 8), x), "i"),
    row(1, lambda g, x: g.node("Where", g.node(g.of("Greater", "Less"), x, g.floats(1)), *g.swapped(x, g.other(x)))),
    row(1, lambda g, x: g.node("Cast", g.node("Cast", x, to=KINDS[g.of("d", "f")]), to=KINDS["f"]), "fib", range(6)),
    row(1, lambda g, x: g.node("Add", x, g.node("Reshape", g.node("Neg", g.floats(g.shape(x)[-1])), g.integers(1, -1))), known=[-1]),
    row(1, lambda g, x: g.node("Slice", x, g.integers(0), g.input("l", 1), g.integers(g.axis(x)[1])), "fi"),  # its shape depends on data
    row(1, lambda g, x: g.node("Tile", x, g.integers(*(g.of(1, 1, 2, 3) for _ in g.shape(x)))), "fi", range(1, 5)),
    row(1, lambda g, x: g.node("Expand", x, g.integers(2, *(g.of(1, 3) if size == 1 else 1 for size in g.shape(x)))), "fi", range(1, 5)),
    row(1, lambda g, x: g.node("CumSum", x, g.constant(numpy.int64(g.axis(x)[1])), exclusive=g.upto(1), reverse=g.upto(1))),
    row(1, lambda g, x: g.node("DepthToSpace", x, blocksize=2, mode=g.of("DCR", "CRD")), ranks=[4], known=[1], where=lambda shape: shape[1] % 4 == 0),
    row(1, lambda g, x: g.node("LRN", x, size=g.of(1, 3, 5), alpha=0.1), ranks=[4], known=[1]),
    row(1, lambda g, x: g.node("InstanceNormalization", x, g.floats(g.shape(x)[1]), g.floats(g.shape(x)[1])), ranks=(3, 4), known=[1, -1],
        where=lambda shape: shape[-1] > 3),
    row(1, lambda g, x: g.node("Dropout", x, outputs=g.of(1, 2) if g.opset >= 12 else 1)),
], [])


def draw(seed):
    g = Graph(seed)
    batch = g.of("N", "N", "N", 2)
    inputs = [("f", batch, g.of(*CHANNELS), g.of(4, 7, 12), g.of(5, 8, 12)), ("f", batch, g.of(*CHANNELS), g.of(9, 16)), ("f", batch, 64, g.of(6, 11), 12),
              ("f", batch, g.of(8, 10, 16, 33)), ("f", "T", batch, g.of(5, 16)), ("f", batch, "T", g.of(8, 16)), ("f", batch, 8, "T", "T"),
              ("i", batch, g.of("T", 5)), ("f", batch, 4, 3, 5, 6), ("f", batch, g.of(0, 3, 3), 5)]
    for _ in range(g.of(1, 1, 2)):
        g.input(*g.of(*inputs))
    length = g.of(1, 3, 6, 10, 15)
    for _ in range(200):
        try:
            make, *what = g.of(*DRAWS)
            if len(g.nodes) < length:
                make(g, g.pick(*what))
        except Invalid:
            pass
    used = {name for node in g.nodes for name in node.input}
    made = [name for node in g.nodes for name in filter(None, node.output)]
    g.outputs = [name for name in made if (name not in used and g.often(0.9)) or g.often(0.1)] + [name for name in g.inputs if g.often(0.02)] or made[-1:]
    return g


# --- Comparing ---

def agree(ours, theirs):
    if ours.dtype == theirs.dtype and ours.shape == theirs.shape and ours.dtype.kind == "f":
        return not numpy.isfinite(theirs).all() or difference(ours, theirs) <= TOLERANCE or numpy.allclose(ours, theirs, 0, TOLERANCE / 10)
    return difference(ours, theirs) == 0


def is_steady(other, feeds, theirs, seed):
    """Says whether inputs that differ a little have about the same results."""
    random = numpy.random.default_rng(seed)
    near = {name: (array * (1 + 1e-5 * random.standard_normal(array.shape))).astype(array.dtype) for name, array in feeds.items() if array.dtype.kind == "f"}
    return all(map(agree, other.run({**feeds, **near})[1], theirs))


def fault_of(program, g, path, seed):
    """Returns what differs, or None."""
    onnx.save(g.model(), path)
    least = int(any(node.op_type in ("LSTM", "GRU", "RNN") for node in g.nodes))  # onnxruntime aborts at an empty batch
    order = numpy.random.default_rng(seed).choice(len(OPEN), 4, p=(0.3, 0.3, 0.3, 0.1))
    try:
        other = Onnxruntime(path, optimized=False)
        runs = [g.feeds({**OPEN[i], "N": max(OPEN[i]["N"], least)}, seed + i) for i in order]
        expected = [other.run(feeds)[1] for feeds in runs]
    except Exception as error:  # onnxruntime's have no common class
        raise Unusable from error
    engine = None
    try:
        engine = Engine(program, path, **FORMS[seed % len(FORMS)])
        for feeds, theirs in zip(runs, expected):
            for name, a, b in zip(g.outputs, engine.run(feeds)[1], theirs):
                if agree(a, b):
                    continue
                if a.shape == b.shape and not all(is_steady(other, feeds, theirs, i) for i in range(3)):
                    raise Unusable
                return f"{name} is {a.dtype} {a.shape}, not {b.dtype} {b.shape}; difference {difference(a, b):.1e}"
    except (Refused, OSError) as refusal:
        if any(text in str(refusal) for text in ACCEPTED):
            raise Unusable from refusal
        return str(refusal)
    finally:
        if engine:
            engine.process.kill()
            engine.process.wait()
    return None


def copy_of(g, outputs, name="", replacement=""):
    """Copies a graph, with other outputs, and with a value in the place of another."""
    made = Graph()
    made.opset, made.constants, made.values, made.inputs, made.outputs = g.opset, g.constants, dict(g.values), dict(g.inputs), outputs
    for node in g.nodes:
        made.nodes.append(onnx.NodeProto())
        made.nodes[-1].CopyFrom(node)
        made.nodes[-1].input[:] = [replacement if name and other == name else other for other in node.input]
    return made


def smaller(g):
    """Lists graphs that lack something of this one: outputs, or a node that an input of it replaces."""
    yield from (copy_of(g, [name]) for name in g.values)
    for node, name in [(node, name) for node in g.nodes for name in filter(None, node.output)]:
        yield from (copy_of(g, g.outputs, name, other) for other in node.input if g.values.get(other) == g.values[name])


def shrink(program, g, path, seed):
    """Removes what the fault does not need."""
    size = lambda graph: len(graph.model().graph.node) + len(graph.outputs)
    for made in smaller(g):
        try:
            if size(made) < size(g) and fault_of(program, made, path, seed):
                return shrink(program, made, path, seed)
        except Unusable:
            pass
    return g


def judge(program, path, seed):
    g = draw(seed)
    try:
        if not fault_of(program, g, path, seed):
            os.remove(path)
            return PASSED
    except Unusable:
        os.remove(path)
        return UNUSABLE
    g = shrink(program, g, path, seed)
    text = [line[:200] for line in onnx.printer.to_text(g.model()).splitlines()]
    print(f"seed {seed} FAIL {FORMS[seed % len(FORMS)]} {fault_of(program, g, path, seed)}", *text, sep="\n", flush=True)
    return FAILED


def play(program, path, seed):
    """Plays a graph in a process of its own. Returns how that ended; below 0: by a signal."""
    child = os.fork()
    if child:
        return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    try:
        os._exit(judge(program, path, seed))
    except Exception:
        traceback.print_exc()
        os._exit(FAILED)


def main(build, count, first="0"):
    onnxruntime.set_default_logger_severity(4)
    os.makedirs(f"{build}/graphs", exist_ok=True)
    ends = [play(f"{build}/reference-server/bench/engine", f"{build}/graphs/{seed}.onnx", seed) for seed in range(int(first), int(first) + int(count))]
    print(f"graphs: {ends.count(PASSED)} passed, {ends.count(FAILED)} failed, {len(ends) - ends.count(PASSED) - ends.count(FAILED)} that onnxruntime cannot judge")
    return 0 if ends.count(FAILED) == 0 else 1


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
