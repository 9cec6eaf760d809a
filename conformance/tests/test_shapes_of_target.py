#!/usr/bin/python3
"""Our own server in shapes that the suite might take for granted: one protocol or transport alone, models under other names, in other
versions, with other batches or few datatypes, small messages, no configurations, one model. Nothing that it lacks may fail or warn: it is
not applicable, and says why. Argument: BUILD."""
import os
import shutil
import tempfile

from judge_process import Run, Server, build, checks, copy_model, drawn, read_text, write

REPOSITORIES = [f"{build}/models/{name}" for name in ("kit", "batching", "builtin")]
MODELS = {name: f"{folder}/{name}" for folder in REPOSITORIES for name in os.listdir(folder) if os.path.isdir(f"{folder}/{name}")}
EXTENSIONS = ["classification", "sequence", "statistics", "model_repository", "schedule_policy", "streaming"]
NO_CONFIGURATIONS = {
    "unclaimed": {"breaks": "v2-rest.server-metadata", "on": {"path": "/v2"}, "by": {"alter": {"set": {"/json/extensions": EXTENSIONS}}}},
    "unclaimed-grpc": {"breaks": "v2-grpc.server-name", "on": {"rpc": "ServerMetadata"},
                       "by": {"alter": {"set": {"/message/extensions": EXTENSIONS}}}},
    "none": {"breaks": "model-configuration-rest.config", "on": {"path": "/v2/models/*/config"}, "by": {"alter": {"set": {"/status": 404}}}},
    "none-grpc": {"breaks": "model-configuration-grpc.config", "on": {"rpc": "ModelConfig"},
                  "by": {"alter": {"set": {"/code": "UNIMPLEMENTED"}}}},
}


def copy(folder, name, versions=("1",), batch=None, called=None):
    """Copies a model under the name `called`. One that has version 1 alone gets those versions in its place."""
    to = f"{folder}/{called or name}"
    copy_model(MODELS[name], to)
    if os.path.isdir(f"{to}/1") and not os.path.isdir(f"{to}/2"):
        os.rename(f"{to}/1", f"{to}/given")
        for version in versions:
            shutil.copytree(f"{to}/given", f"{to}/{version}")
        shutil.rmtree(f"{to}/given")
    if batch and os.path.exists(f"{to}/config.pbtxt"):
        write(f"{to}/config.pbtxt", read_text(f"{to}/config.pbtxt").replace("max_batch_size: 4", f"max_batch_size: {batch}"))


def mapped(names, prefix):
    return [flag for name in names for flag in ("--map", f"{name}={prefix}{name}")]


class Shape:
    """`server`: flags of our server. `ends`: the addresses that the judge gets. `edit(folder)` makes a repository, and returns flags of the judge.
    `says`: what a reason must say. `least`: how many assertions must have passed."""

    def __init__(self, *server, ends=("http", "grpc", "graphpipe", "metrics"), edit=None, says="", least=1000):
        self.server, self.ends, self.edit, self.says, self.least = server, ends, edit, says, least


def all_copied(**how):
    def edit(folder):
        for name in MODELS:
            copy(folder, name, **how)
        return []
    return edit


def renamed(folder):
    for name in MODELS:
        copy(folder, name, called="my_" + name)
    return mapped(MODELS, "my_")


def taken_names(folder):
    for called, name in (("simple", "identity_bytes"), ("identity_bytes", "simple"), ("identity_int32", "identity_fp32")):
        copy(folder, name, called=called)
    return []


def other_batch(batch):
    def edit(folder):
        own = ("batched_simple", "classes")
        for name in MODELS:
            copy(folder, name, batch=batch, called="my_" + name if name in own else None)
        return mapped(own, "my_")
    return edit


def kept(keeps):
    def edit(folder):
        for name in filter(keeps, MODELS):
            copy(folder, name)
        return []
    return edit


def identities_under_other_names(folder):
    for name in MODELS:
        if name.startswith("identity_"):
            copy(folder, name, called="my_" + name)
    return []


SHAPES = {
    "V2 alone": Shape("--protocols", "predict-v2", ends=("http", "grpc")),
    "v1 alone": Shape("--protocols", "trtis-v1", ends=("http", "grpc"), says="it speaks TensorRT Inference Server v1"),
    "v1 over gRPC alone": Shape("--protocols", "trtis-v1", ends=("grpc",), says="it speaks TensorRT Inference Server v1"),
    "v1 over HTTP alone": Shape("--protocols", "trtis-v1", "--grpc", "none", ends=("http",)),
    "v1 and GraphPipe": Shape("--protocols", "trtis-v1,graphpipe", ends=("http", "grpc", "graphpipe"), edit=identities_under_other_names, least=2000),
    "GraphPipe alone": Shape("--protocols", "graphpipe", ends=("graphpipe",), least=500),
    "HTTP alone": Shape("--grpc", "none", ends=("http",), says="gRPC was not asked for"),
    "gRPC alone": Shape(ends=("grpc",), says="REST was not asked for"),
    "other names": Shape(edit=renamed),
    "names of the kit for other models": Shape(edit=taken_names, says="the kit's 'simple' takes"),
    "version 7": Shape(edit=all_copied(versions=("7",))),
    "versions 9 and 10": Shape(edit=all_copied(versions=("9", "10"))),
    "batches of 8": Shape(edit=other_batch(8), says="the largest batch that the model takes: 8"),
    "batches of 1": Shape(edit=other_batch(1), says="the largest batch that the model takes: 1"),
    "32 and 64 bits": Shape(edit=kept(lambda name: not any(bits in name for bits in ("16", "8", "bool", "bytes", "string"))),
                            says="model 'identity_bytes' is not hosted"),
    "small messages": Shape("--max-message", "65536", says="the target takes no request as large as this one"),
    "padded frames": Shape("--grpc-padding", "255", ends=("grpc",)),
    "no configurations": Shape("--deviate", ",".join(NO_CONFIGURATIONS), says="'model_configuration'"),
    "one model": Shape(edit=kept(lambda name: name == "simple"), says="is not hosted"),
}


def judge(name, shape):
    with tempfile.TemporaryDirectory() as folder:
        os.mkdir(f"{folder}/models")
        write(f"{folder}/deviations.json", NO_CONFIGURATIONS)
        flags = shape.edit(f"{folder}/models") if shape.edit else []
        models = [f"{folder}/models"] if shape.edit else REPOSITORIES
        command = ["--http", "127.0.0.1:0", "--graphpipe", "127.0.0.1:0"] + ["--grpc", "127.0.0.1:0"] * ("--grpc" not in shape.server)
        with Server(f"{build}/oip-reference-server", *command, *(word for one in models for word in ("--models", one)),
                    "--model-control", "explicit", "--deviations", f"{folder}/deviations.json", *shape.server, ready="loaded ") as server:
            addresses = {"http": ("--target", server.http), "grpc": ("--grpc", server.grpc), "graphpipe": ("--graphpipe", server.graphpipe),
                         "metrics": ("--metrics", server.http)}
            run = Run(*(word for end in shape.ends for word in addresses[end]), *flags, "--allow-mutation", "--transport", "must",
                      "--timeout", "60")
    checks.code(0, name, run)
    bad = run.verdicts("fail", "warn", "timeout", "error", "blocked")
    checks.that(not bad, f"{name}: {len(bad)} assertions, the first {bad[:3]}", run)
    checks.that(len(run.verdicts("pass")) >= shape.least, f"{name}: {len(run.verdicts('pass'))} assertions passed", run)
    reasons = [result.get("why", "") for result in run.report["results"] if result["verdict"] == "not-applicable"]
    reasons += [one["why"] for one in run.report["not_offered"]]
    checks.that(all(reasons), f"{name}: something is not applicable and does not say why", run)
    checks.that(any(shape.says in why for why in reasons), f"{name}: no reason says {shape.says!r}", run)


for one in drawn(sorted(SHAPES), 0.4):
    judge(one, SHAPES[one])
checks.end()
