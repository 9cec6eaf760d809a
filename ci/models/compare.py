"""Compares the engine with onnxruntime; ci/models/compare says how it is called."""
import fnmatch
import glob
import multiprocessing
import os
import statistics
import sys
import time

import numpy
import onnxruntime

from engine import THREADS, Engine, Refused, peak_of

TOLERANCE = 1e-4
DRAWS = 20
PAIRS = 15
SLICE = 0.2  # seconds that one half of a pair should take
class Onnxruntime:
    def __init__(self, model, optimized=True):
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = THREADS
        options.inter_op_num_threads = 1
        options.log_severity_level = 4
        options.add_session_config_entry("session.intra_op.allow_spinning", "0")  # it would go on while the engine is measured
        if not optimized:
            options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
        self.session = onnxruntime.InferenceSession(model, options, ["CPUExecutionProvider"])

    def run(self, inputs, repeats=1):
        clock = time.process_time if THREADS == 1 else time.perf_counter
        start = clock()
        for _ in range(repeats):
            outputs = self.session.run(None, inputs)
        return (clock() - start) / repeats, outputs


def peak_of_onnxruntime(path, batch):
    """Runs the model once in a process of its own, which has Python's memory besides. Returns its peak in MiB."""
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        return pool.apply(run_once, (path, batch))


def run_once(path, batch):
    other = Onnxruntime(path)
    other.run(draw(other.session, batch, numpy.random.default_rng(7)))
    return peak_of("self")


def draw(session, batch, random):
    """Makes random inputs. Integers are tokens, a mask of a few words at least, or zeros and ones."""
    made = {}
    length = int(random.integers(8, 128)) if batch else 128
    for spec in session.get_inputs():
        shape = [size if isinstance(size, int) and size > 0 else (batch or 1) if i == 0 else length
                 for i, size in enumerate(spec.shape)]
        if "int64" in spec.type:
            made[spec.name] = random.integers(0, 30000 if spec.name == "ids" else 2, shape, dtype=numpy.int64)
        else:
            made[spec.name] = random.standard_normal(shape, dtype=numpy.float32)
    if "mask" in made:
        made["mask"][:, :4] = 1
    return made


def difference(ours, theirs):
    if ours.shape != theirs.shape or ours.dtype != theirs.dtype:
        return float("inf")
    if ours.dtype.kind != "f":
        return 0.0 if numpy.array_equal(ours, theirs) else float("inf")
    error = numpy.max(numpy.abs(ours.astype(numpy.float64) - theirs), initial=0)
    return float(error / max(numpy.max(numpy.abs(theirs), initial=0), 1e-30))


def check(name, program, path):
    """Returns whether all outputs agree."""
    try:
        engine = Engine(program, path)
        other = Onnxruntime(path)
        random = numpy.random.default_rng(7)
        worst = 0.0
        for i in range(DRAWS):
            inputs = draw(other.session, 8 if i % 4 == 3 else 1, random)
            worst = max([worst, *map(difference, engine.run(inputs)[1], other.run(inputs)[1])])
        engine.close()
    except Refused as refusal:
        print(f"{name:24} FAIL {refusal}", flush=True)
        return False
    print(f"{name:24} {'ok' if worst <= TOLERANCE else 'FAIL'}   largest difference {worst:.1e}", flush=True)
    return worst <= TOLERANCE


def record(name, _, path):
    """Writes inputs of batch 1 and 8, and onnxruntime's outputs for them, for served.py."""
    other = Onnxruntime(path)
    arrays = {}
    for batch in (1, 8):
        inputs = draw(other.session, batch, numpy.random.default_rng(7))
        names = [output.name for output in other.session.get_outputs()]
        arrays.update({f"{batch} in {name}": array for name, array in inputs.items()})
        arrays.update({f"{batch} out {name}": array for name, array in zip(names, other.run(inputs)[1])})
    numpy.savez(path[:-5] + ".npz", **arrays)
    return True


def bench(name, program, path):
    """Prints the median of the ratios of alternating pairs, with the quartiles."""
    try:
        for batch in (1, 8):
            engine, other = Engine(program, path), Onnxruntime(path)
            inputs = draw(other.session, batch if batch > 1 else None, numpy.random.default_rng(7))
            once = max(engine.run(inputs, 2)[0], other.run(inputs, 2)[0])
            repeats = max(1, int(SLICE / once))
            pairs = [(engine.run(inputs, repeats)[0], other.run(inputs, repeats)[0]) for _ in range(PAIRS)]
            low, middle, high = statistics.quantiles([ours / theirs for ours, theirs in pairs], n=4)
            ours, theirs = (statistics.median(column) * 1e3 for column in zip(*pairs))
            print(f"{name:24} batch {batch}  ratio {middle:5.2f} ({low:.2f} to {high:.2f})  "
                  f"{ours:8.3f} ms, onnxruntime {theirs:8.3f} ms; "
                  f"peak {engine.peak()} MiB, onnxruntime {peak_of_onnxruntime(path, batch if batch > 1 else None)} MiB", flush=True)
            engine.close()
    except Refused as refusal:
        print(f"{name:24} FAIL {refusal}", flush=True)
        return False
    return True


def main(build, what, *wanted):
    program = f"{build}/reference-server/bench/engine"
    paths = {os.path.basename(path)[:-5]: path for path in sorted(glob.glob(f"{build}/onnx/*.onnx"))}
    names = [name for name in paths if not wanted or any(fnmatch.fnmatch(name, pattern) for pattern in wanted)]
    results = [{"check": check, "bench": bench, "record": record}[what](name, program, paths[name]) for name in names]
    print(f"{sum(results)} passed, {len(results) - sum(results)} failed")
    return 0 if names and all(results) else 1


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
