#!/usr/bin/python3
"""Servers with models that the suite does not know: the right ones pass, and the judge names what is wrong. Argument: BUILD."""
import json
import os
import shutil
import sys
import tempfile

sys.path.insert(0, "conformance/tests")
from judge_process import Checks, Run, Server, reference_server

build = sys.argv[1]
checks = Checks()

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
    ("metadata-without-shape", "v2-rest.metadata-inputs"),
    ("unknown-datatype", "v2-rest.metadata-datatype"),
]


def odd_server(*quirks):
    return Server("/usr/bin/python3", "conformance/tests/odd_models.py", *quirks)


def judge(server, *flags):
    """Runs only the cases of any model. The other cases also judge HTTP, which Python's library does for this server."""
    return Run(build, "--target", server.http, "--grpc", server.grpc, "--filter", "*/probe/*", *flags)


def verdicts(run):
    return {result["id"]: result["verdict"] for result in run.report["results"]}


def failed_keys(run):
    return {result["key"] for result in run.report["results"] if result["verdict"] == "fail"}


def warned_keys(run):
    return {result["key"] for result in run.report["results"] if result["verdict"] == "warn"}


def example(folder, name, **members):
    path = os.path.join(folder, name)
    with open(path, "w", encoding="utf-8") as file:
        json.dump(members, file)
    return path


def a_good_server():
    with odd_server() as server:
        run = judge(server)
        checks.code(0, "models that no kit has", run)
        checks.that("REST and gRPC" in run.output or "v2-grpc" in run.output, "both transports are reported", run)
        for model, data in (("picture", "'pixels' FP32 [3,224,224]"), ("square", "'x' FP32 [1,1]"), ("words", "'text' BYTES [2]")):
            checks.that(run.says(f"model '{model}' is probed with {data}"), f"the request to {model} is told", run)
        judged = {id for id, verdict in verdicts(run).items() if verdict == "pass"}
        for model in ("square", "picture", "words", "switches", "names%2F1"):
            for encoding in ("rest-nested", "rest-flat", "grpc-typed", "grpc-raw"):
                key = "v2-rest.data-count" if encoding.startswith("rest") else "v2-grpc.data-count"
                checks.that(f"v2/probe/valid/shape-larger@{model}@{encoding}#{key}" in judged, f"{model}: neighbours over {encoding}", run)
        checks.that("v2/probe/valid@square@grpc-raw#v2-grpc.output-values" in judged, "encodings agree", run)
        checks.that(verdicts(run).get("v2/probe/valid@dice@grpc-raw#v2-grpc.output-values") == "pass-weak",
                    "numbers that differ each time are not compared", run)
        usable = [v for id, v in verdicts(run).items() if id.startswith("v2/probe/metadata-usable@secret@")]
        checks.that(usable and set(usable) == {"warn"}, "a promise of metadata that is not kept is a warning", run)
        models = (word for model in ("square", "words", "switches", "dice") for word in ("--model", model))
        again = judge(server, "--jobs", "1", "--seed", "7", *models)  # 'picture' alone takes most of the time
        checks.that(len(verdicts(again)) > 1000 and verdicts(again).items() <= verdicts(run).items(), "another number of jobs and another seed give the same verdicts", again)
        one = judge(server, "--model", "words")
        checks.code(0, "one model alone", one)
        checks.that(not any("@square@" in id for id in verdicts(one)), "--model leaves the others out", one)


def no_usable_model():
    with odd_server("no-usable-model", "unlisted") as server, tempfile.TemporaryDirectory() as folder:
        run = judge(server)
        checks.code(2, "no model is known", run)
        run = judge(server, "--model", "secret")
        checks.code(2, "a model that refuses what its metadata promises", run)
        checks.that("--example" in run.output, "--example is proposed", run)
        code = {"name": "code", "datatype": "INT64", "shape": [1, 2], "data": [[5000, 6000]]}
        wrong = example(folder, "wrong.json", model="secret", inputs=[code])
        checks.code(2, "an example that the model refuses", judge(server, "--example", wrong))
        code = {"name": "code", "datatype": "INT64", "shape": [2], "data": [5000, 6000]}
        run = judge(server, "--example", example(folder, "good.json", model="secret", inputs=[code]))
        checks.code(0, "a good example", run)
        passed = {id for id, verdict in verdicts(run).items() if verdict == "pass"}
        checks.that("v2/probe/valid/one-element-short@secret@grpc-raw#v2-grpc.data-count" in passed, "its neighbours are played", run)
        for name, members in (("no-model.json", {"inputs": [code]}), ("no-inputs.json", {"model": "secret"}),
                              ("too-few.json", {"model": "secret", "inputs": [dict(code, data=[5000])]})):
            run = judge(server, "--example", example(folder, name, **members))
            checks.code(2, f"example {name}", run)
            checks.that(name in run.output, "the file is named", run)
        checks.code(2, "an example that is not there", judge(server, "--example", f"{folder}/none.json"))
        checks.code(2, "a model that is not there", judge(server, "--model", "nobody"))


def metadata_without_tensors():
    """As KServe's Python server has it unless a model says more: no request can be made from it."""
    with odd_server("metadata-without-tensors") as server, tempfile.TemporaryDirectory() as folder:
        run = judge(server, "--model", "words")
        checks.code(2, "metadata without tensors", run)
        checks.that("names no tensors" in run.output and "--example" in run.output, "--example is proposed", run)
        text = {"name": "text", "datatype": "BYTES", "shape": [2], "data": ["a", "b"]}
        run = judge(server, "--model", "words", "--example", example(folder, "words.json", model="words", inputs=[text]))
        checks.code(0, "an example for a model whose metadata names no tensors", run)


def a_server_that_crashes():
    with odd_server("crashes") as server:
        run = Run(build, "--target", server.http, "--filter", "*/probe/*")
        checks.code(1, "a server that closes the connection at every valid inference", run)
        checks.that("v2-rest.infer-answers" in failed_keys(run), "that it does not answer is what fails", run)
        failed = [result for result in run.report["results"] if result["verdict"] == "fail"]
        checks.that(failed and all("/infer" in result["command"] for result in failed), "a command sends the inference again", run)


def copied_model(name, folder):
    """Copies a model of the kit, which goes by the name of its new folder."""
    shutil.copytree(f"{build}/models/kit/{name}", folder)
    with open(f"{folder}/config.pbtxt", encoding="utf-8") as file:
        config = file.read()
    with open(f"{folder}/config.pbtxt", "w", encoding="utf-8") as file:
        file.write(config.replace(f'"{name}"', f'"{os.path.basename(folder)}"'))


def no_json_form():
    """A server that has FP16 alone, which goes over REST as bytes behind the JSON: that is an inference over REST."""
    with tempfile.TemporaryDirectory() as folder:
        os.symlink(os.path.abspath(f"{build}/models/kit/identity_fp16"), f"{folder}/identity_fp16")
        with reference_server(build, "--models", folder) as server:
            for model in ((), ("--model", "identity_fp16")):
                run = Run(build, "--target", server.http, "--profile", "v2-rest,binary-tensors", *model)
                checks.code(0, "a server with a model of FP16 alone", run)
                passed = run.verdicts("pass") if run.report else []
                checks.that(any("@rest-binary#" in name for name in passed), "it is judged in that form", run)
    for kind in ("fp16", "bf16"):
        with tempfile.TemporaryDirectory() as folder:
            copied_model(f"identity_{kind}", f"{folder}/halves")
            with reference_server(build, "--models", folder, "--protocols", "predict-v2") as server:
                run = Run(build, "--target", server.http, "--model", "halves")
                checks.code(0, f"a server with a model of {kind} alone, of which the suite does not know", run)
                passed = run.verdicts("pass") if run.report else []
                for case in ("valid", "valid/one-element-short"):
                    checks.that(any(name.startswith(f"v2/probe/{case}@halves@rest-binary#") for name in passed),
                                f"{case} is judged in the form of the extension that the server claims", run)


def quirks():
    for quirk in dict.fromkeys(quirk for quirk, _ in QUIRKS):
        models = ["square", "words", "switches"] + ["typed"] * (quirk == "unknown-datatype")
        with odd_server(quirk) as server:
            run = judge(server, "--strict", *(word for model in models for word in ("--model", model)))
            checks.code(1, quirk, run)
            for wanted in (key for q, key in QUIRKS if q == quirk):
                checks.that(wanted in failed_keys(run) | warned_keys(run), f"{quirk} breaks {wanted}", run)


a_good_server()
no_usable_model()
metadata_without_tensors()
a_server_that_crashes()
no_json_form()
quirks()
checks.end()
