#!/usr/bin/python3
"""Servers with models that the suite does not know: the right ones pass, and the judge names what is wrong. Argument: BUILD."""
import json
import os
import resource
import tempfile

from judge_process import Run, Server, build, checks, copy_model, reference_server, run_tests, write

# A quirk of the server, and a requirement that the judge must report as broken.
QUIRKS = [
    ("input-left-out", "v2-rest.all-inputs"),
    ("input-left-out", "v2-grpc.all-inputs"),
    ("counts-nothing", "v2-rest.data-count"),
    ("counts-nothing", "v2-grpc.data-count"),
    ("negative-dimensions", "v2-rest.shape-not-negative"),
    ("all-outputs-always", "v2-rest.outputs-on-request"),
    ("all-outputs-always", "v2-grpc.outputs-on-request"),
    ("any-case", "v2-rest.case-sensitive"),
    ("any-case", "v2-grpc.case-sensitive"),
    ("big-endian", "v2-grpc.output-values"),
    ("mangles-texts", "v2-grpc.output-values"),
    ("rounds-integers", "v2-grpc.output-values"),
    ("drops-signs", "v2-grpc.output-values"),
    ("loses-large-floats", "v2-grpc.output-values"),
    ("overflow-is-empty", "v2-rest.infer-answers"),
    ("first-row-alone", "v2-rest.answer-data-count"),
    ("first-row-alone", "v2-grpc.answer-data-count"),
    ("metadata-without-shape", "v2-rest.metadata-inputs"),
    ("unknown-datatype", "v2-rest.metadata-datatype"),
]


def odd_server(*quirks):
    return Server("/usr/bin/python3", "conformance/tests/odd_models.py", *quirks)


def judge(server, *flags):
    """Runs only the cases of any model. The other cases also judge HTTP, which Python's library does for this server."""
    return Run("--target", server.http, "--grpc", server.grpc, "--filter", "*/probe/*", *flags)


def example(folder, name, **members):
    return write(os.path.join(folder, name), members)


def test_a_good_server():
    with odd_server() as server:
        run = judge(server)
        checks.code(0, "models that no kit has", run)
        checks.that("REST and gRPC" in run.output or "v2-grpc" in run.output, "both transports are reported", run)
        for model, data in (("picture", "'pixels' FP32 [3,224,224]"), ("square", "'x' FP32 [1,1]"), ("words", "'text' BYTES [2]")):
            told = [note for note in run.report["discovery"]["notes"] if note.startswith(f"model '{model}' is probed with {data}")]
            checks.that(told, f"the request to {model} is told", run)
        judged = {id for id, verdict in run.by_id().items() if verdict == "pass"}
        for model in ("square", "picture", "words", "switches", "names%2F1"):
            for encoding in ("rest-nested", "rest-flat", "grpc-typed", "grpc-raw"):
                key = "v2-rest.data-count" if encoding.startswith("rest") else "v2-grpc.data-count"
                checks.that(f"v2/probe/valid/shape-larger@{model}@{encoding}#{key}" in judged, f"{model}: neighbours over {encoding}", run)
        checks.that("v2/probe/valid@square@grpc-raw#v2-grpc.output-values" in judged, "encodings agree", run)
        checks.that(run.by_id().get("v2/probe/valid@dice@grpc-raw#v2-grpc.output-values") == "pass-weak",
                    "numbers that differ each time are not compared", run)
        usable = [v for id, v in run.by_id().items() if id.startswith("v2/probe/metadata-usable@secret@")]
        checks.that(usable and set(usable) == {"warn"}, "a promise of metadata that is not kept is a warning", run)
        models = (word for model in ("square", "words", "switches", "dice") for word in ("--model", model))
        again = judge(server, "--jobs", "1", "--seed", "7", *models)  # 'picture' alone takes most of the time
        checks.that(len(again.by_id()) > 1000 and again.by_id().items() <= run.by_id().items(), "another number of jobs and another seed give the same verdicts", again)
        one = judge(server, "--model", "words")
        checks.code(0, "one model alone", one)
        checks.that(not any("@square@" in id for id in one.by_id()), "--model leaves the others out", one)


def test_refused_over_one_transport():
    """Integers that JSON may limit (RFC 8259, 6), and least ones: whoever refuses them with an error is right."""
    with odd_server("small-integers-in-json") as server:
        run = judge(server, "--model", "double", "--strict")
        checks.code(0, "a reader of JSON that takes integers within 2^53 alone", run)
        weak = {id for id, verdict in run.by_id().items() if verdict == "pass-weak" and "v2/probe/integers@" in id}
        checks.that("v2/probe/integers@double@rest-flat#v2-rest.infer-answers" in weak, f"a refusal shows little: {weak}", run)


def test_no_usable_model():
    with odd_server("no-usable-model", "unlisted") as server, tempfile.TemporaryDirectory() as folder:
        checks.code(2, "no model is known", judge(server))
        checks.code(2, "a model that refuses what its metadata promises", judge(server, "--model", "secret"), "--example")
        code = {"name": "code", "datatype": "INT64", "shape": [1, 2], "data": [[5000, 6000]]}
        wrong = example(folder, "wrong.json", model="secret", inputs=[code])
        checks.code(2, "an example that the model refuses", judge(server, "--example", wrong))
        code = {"name": "code", "datatype": "INT64", "shape": [2], "data": [5000, 6000]}
        run = judge(server, "--example", example(folder, "good.json", model="secret", inputs=[code]))
        checks.code(0, "a good example", run)
        passed = {id for id, verdict in run.by_id().items() if verdict == "pass"}
        checks.that("v2/probe/valid/one-element-short@secret@grpc-raw#v2-grpc.data-count" in passed, "its neighbours are played", run)
        checks.code(2, "an example that is not there", judge(server, "--example", f"{folder}/none.json"))
        run = judge(server, "--model", "nobody")
        checks.code(1, "a model that is not there", run)
        checks.that(run.keys("fail") == {"v2-rest.model-metadata", "v2-grpc.model-metadata"}, "its metadata is what fails", run)
        checks.that(run.says('such as {"model": "nobody", "inputs": ['), "it is shown how an example looks", run)


def test_faulty_examples():
    """Each is refused before anything is judged, with its place and its value, in little memory."""
    good = {"name": "x", "datatype": "INT8", "shape": [2], "data": [1, 2]}
    faults = [
        ({"inputs": [dict(good, data=[1, 300])]}, "/inputs/0/data/1: this is not of datatype INT8: 300"),
        ({"inputs": [dict(good, datatype="FP32", data=[[1e300, 2]])]}, "/inputs/0/data/0/0: this is not of datatype FP32: 1e+300"),
        ({"inputs": [dict(good, datatype="BYTES", data=["a", {"b": 1}])]}, '/inputs/0/data/1: this is not of datatype BYTES: {"b":1}'),
        ({"inputs": [dict(good, data=[1])]}, "/inputs/0/shape: the shape has 2 elements, but the data has 1: [2]"),
        ({"inputs": [dict(good, shape=[-2])]}, "/inputs/0/shape: a shape must be a list of sizes: [-2]"),
        ({"inputs": [dict(good, datatype="INT31")]}, '/inputs/0/datatype: the protocol has no such datatype: "INT31"'),
        ({"inputs": [{"name": "x", "datatype": "INT8", "shape": [2]}]}, "a tensor needs a member 'data': "),
        ({"inputs": [dict(good, date=[1])]}, "/inputs/0/date: a tensor has no such member: [1]"),
        ({"inputs": {"x": good}}, "/inputs:"),
        ({"input": [good]}, "/input:"),
        ({}, "an example needs a member 'inputs': "),
        ({"inputs": [good], "parameters": {"a": None}}, "/parameters/a: a parameter must be a string, a number or a boolean: null"),
        ({"inputs": [good], "outputs": [{"name": 1}]}, "/outputs/0/name: this must be of type string: 1"),
        ({"inputs": [good], "outputs": ["y"]}, '/outputs/0: an output that is asked for must be an object: "y"'),
        ({"inputs": [good], "answer": {"outputs": []}}, "/answer:"),
        ({"inputs": [good], "answer": {"outputs": [dict(good, data=[1, "2"])]}}, '/answer/outputs/0/data/1: this is not of datatype INT8: "2"'),
        ({"inputs": [dict(good, name=f"x{i}") for i in range(100000)]}, "the judge takes at most 256 tensors, not 100000"),
        ({"inputs": [dict(good, shape=[9000000], data=[1] * 9000000)]}, "the judge reads 16777216"),
        ({"inputs": [dict(good, shape=[2000000], data=[1] * 2000000)]}, "more values than the 1048576 that are read"),
    ]
    with odd_server() as server, tempfile.TemporaryDirectory() as folder:
        for number, (members, said) in enumerate(faults):
            run = judge(server, "--example", example(folder, f"{number}.json", model="m", **members))
            checks.code(2, f"a faulty example: {said}", run)
            checks.that(f"{number}.json" in run.output and run.says(said), f"it is not told so: {said}", run)
        limit, used = 1 << 20, resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss  # kB, of the judge or the server
        checks.that(used < limit, f"a program took {used} kB")
        nameless = example(folder, "nameless.json", inputs=[good])
        checks.code(2, "an example without a model", judge(server, "--example", nameless))
        checks.code(2, "one for two models", judge(server, "--example", nameless, "--model", "a", "--model", "b"))
        checks.code(2, "two examples of one model", judge(server, "--example", nameless, "--example", nameless, "--model", "a"))


SQUARE = [{"name": "x", "datatype": "FP32", "shape": [2, 2], "data": [[1, 2], [3, 4.5]]}]
ANSWER = {"outputs": [{"name": "turned", "datatype": "FP32", "shape": [2, 2], "data": [1, 3, 2, 4.5]},
                      {"name": "sums", "datatype": "FP32", "shape": [2], "data": [3, 7.5]}]}


def test_without_metadata():
    """An example is enough for the inferences, and is sent as it is; as the body that curl sent, it names no model."""
    with tempfile.TemporaryDirectory() as folder:
        asked = example(folder, "asked.json", id="1", parameters={"fast": True}, inputs=SQUARE,
                        outputs=[{"name": "turned"}, {"name": "sums"}])
        flags = ("--model", "square", "--example", asked)
        with odd_server("wants-outputs") as server:
            usual = judge(server, *flags)
            checks.that(not usual.verdicts("fail"), f"outputs are sent with each request: {usual.verdicts('fail')[:3]}", usual)
        with odd_server("no-metadata", "wants-outputs") as server:
            run = judge(server, *flags)
            alone = judge(server, "--model", "square")
        missing = {f"v2-{transport}.model-metadata" for transport in ("rest", "grpc")}
        for one in (run, alone):
            checks.code(1, "metadata is missing", one)
            checks.that(one.keys("fail") == missing, f"nothing else fails: {one.keys('fail')}", one)
        judged = [{id for id, verdict in one.by_id().items() if verdict in ("pass", "fail", "warn")} for one in (run, usual)]
        checks.that(len(judged[0]) > len(judged[1]) / 2 > 100, f"{len(judged[0])} of {len(judged[1])} are judged without metadata", run)
        for name in ("v2-rest/probe/body/data-text@square@http", "v2-grpc/probe/message/raw-fewer@square@grpc",
                     *(f"v2/probe/valid/{neighbour}@square@{encoding}" for neighbour in ("one-element-long", "one-output", "input-unknown")
                       for encoding in ("rest-nested", "rest-flat", "grpc-typed", "grpc-raw"))):
            checks.that(any(id.startswith(name + "#") for id in judged[0]), f"{name} is judged by the example alone", run)
        checks.that(alone.says("it has no metadata") and alone.says('such as {"model": "square", "inputs": ['), "it is said what helps", alone)


def test_known_answers():
    """The answer that an example must get makes values a MUST, over both transports."""
    with tempfile.TemporaryDirectory() as folder:
        near = json.loads(json.dumps(ANSWER))
        near["outputs"][1]["data"] = [3.001, 7.4999]
        far = json.loads(json.dumps(ANSWER))
        far["outputs"][1]["data"] = [3.01, 7.5]
        files = {name: example(folder, f"{name}.json", model="square", inputs=SQUARE, answer=dict(answer, model_name="square"))
                 for name, answer in (("near", near), ("far", far))}
        values = {f"v2-{transport}.output-values" for transport in ("rest", "grpc")}
        with odd_server() as server:
            run = judge(server, "--model", "square", "--example", files["near"])
            checks.code(0, "the right answer", run)
            checks.that(run.report["values_checked"], "values were checked", run)
            told = {id for id in run.verdicts("pass") if id.startswith("v2/probe/answer@square@")}
            checks.that(len(told) == 4, f"they were in each encoding: {told}", run)
            run = judge(server, "--model", "square", "--example", files["far"])
            checks.that(run.code == 1 and run.keys("fail") == values, f"another answer than the example's: {run.keys('fail')}", run)
        with odd_server("zeros") as server:
            run = judge(server, "--model", "square", "--example", files["near"])
            checks.that(run.code == 1 and run.keys("fail") == values, f"a server that answers zeros: {run.keys('fail')}", run)
            checks.code(0, "nobody knows what it should answer", judge(server, "--model", "square"))


def test_a_kit_beside_others():
    """--model adds to what is asked of the kit, and what is hosted and not asked is named."""
    with tempfile.TemporaryDirectory() as folder:
        copy_model(f"{build}/models/kit/simple", f"{folder}/add")
        copy_model(f"{build}/models/kit/simple", f"{folder}/other")
        os.symlink(os.path.abspath(f"{build}/models/kit/simple"), f"{folder}/simple")
        with reference_server("--models", folder) as server:
            run = Run("--target", server.http, "--model", "add", "--filter", "v2/infer/sum-and-difference", "--filter", "v2/probe/valid")
        checks.code(0, "the model add, and the kit's simple", run)
        for passed in ("v2/infer/sum-and-difference@rest-flat#v2-rest.output-values", "v2/probe/valid@add@rest-flat#v2-rest.output-values"):
            checks.that(run.by_id().get(passed) == "pass", f"{passed} is judged", run)
        checks.that(run.says("Listed, but not asked: other (no --model names it)."), "what nobody asked is named", run)


def test_metadata_without_tensors():
    """As KServe's Python server has it unless a model says more: no request can be made from it."""
    with odd_server("metadata-without-tensors") as server, tempfile.TemporaryDirectory() as folder:
        run = judge(server, "--model", "words")
        checks.code(2, "metadata without tensors", run)
        checks.that("names no tensors" in run.output and "--example" in run.output, "--example is proposed", run)
        text = {"name": "text", "datatype": "BYTES", "shape": [2], "data": ["a", "b"]}
        run = judge(server, "--model", "words", "--example", example(folder, "words.json", model="words", inputs=[text]))
        checks.code(0, "an example for a model whose metadata names no tensors", run)


def test_a_server_that_crashes():
    with odd_server("crashes") as server:
        run = Run("--target", server.http, "--filter", "*/probe/*")
        checks.code(1, "a server that closes the connection at every valid inference", run)
        checks.that("v2-rest.infer-answers" in run.keys("fail"), "that it does not answer is what fails", run)
        failed = [result for result in run.report["results"] if result["verdict"] == "fail"]
        checks.that(failed and all("/infer" in result["command"] for result in failed), "a command sends the inference again", run)


def test_no_json_form():
    """A server that has FP16 alone, which goes over REST as bytes after the JSON: that is an inference over REST."""
    with tempfile.TemporaryDirectory() as folder:
        os.symlink(os.path.abspath(f"{build}/models/kit/identity_fp16"), f"{folder}/identity_fp16")
        with reference_server("--models", folder) as server:
            for model in ((), ("--model", "identity_fp16")):
                run = Run("--target", server.http, "--profile", "v2-rest,binary-tensors", *model)
                checks.code(0, "a server with a model of FP16 alone", run)
                passed = run.verdicts("pass") if run.report else []
                checks.that(any("@rest-binary#" in name for name in passed), "it is judged in that form", run)
    for kind in ("fp16", "bf16"):
        with tempfile.TemporaryDirectory() as folder:
            copy_model(f"{build}/models/kit/identity_{kind}", f"{folder}/halves")
            with reference_server("--models", folder, "--protocols", "predict-v2") as server:
                run = Run("--target", server.http, "--model", "halves")
                checks.code(0, f"a server with a model of {kind} alone, of which the suite does not know", run)
                passed = run.verdicts("pass") if run.report else []
                for case in ("valid", "valid/one-element-short"):
                    checks.that(any(name.startswith(f"v2/probe/{case}@halves@rest-binary#") for name in passed),
                                f"{case} is judged in the form of the extension that the server claims", run)


def test_a_model_that_is_not_ready():
    """000: "if all the models are ready": a server that says no is right, and the model promises nothing."""
    with odd_server("asleep") as server:
        run = Run("--target", server.http, "--grpc", server.grpc, "--filter", "*/health/ready*", "--filter", "*/probe/metadata-usable*")
        checks.code(0, "a server with a model that is not ready", run, "names/1 (not ready)")
        checks.that(not any("@names%2F1@" in id for id in run.by_id()), "it is not probed", run)


def test_quirks():
    for quirk in dict.fromkeys(quirk for quirk, _ in QUIRKS):
        models = ["square", "words", "switches", "rows", "double"] + ["typed"] * (quirk == "unknown-datatype")
        with odd_server(quirk) as server:
            run = judge(server, "--strict", *(word for model in models for word in ("--model", model)))
            checks.code(1, quirk, run)
            for wanted in (key for q, key in QUIRKS if q == quirk):
                checks.that(wanted in run.keys("fail", "warn"), f"{quirk} breaks {wanted}", run)


run_tests(globals())
