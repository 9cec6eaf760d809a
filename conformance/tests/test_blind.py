#!/usr/bin/python3
"""No endpoint that is missing, broken or silent hides what does not ask it. Arguments: BUILD [GLOB of "ENDPOINT KIND"]. Without a glob
`make test` draws some, other ones for each commit; '*' plays all.

The reference server is judged whole, and then with one endpoint that answers as if it did not exist, fails, or never answers. Every
assertion that does not ask this endpoint must get the verdict that it got before. An assertion asks an endpoint

* if its case, or the base of its case, sends a request there, as the transcripts of the whole run show;
* if its case needs what only this endpoint says (`needs`, `found`): metadata says which versions a model has, a case of any model is made
  from metadata and tried by an inference, in TensorRT Inference Server v1 no inference can be written without the status, and in
  GraphPipe only metadata says which model is asked, if no example does;
* if it is a watcher that looks at the answers of inferences alone, and these are what is broken. What other watchers find may be
  otherwise, since they look at answers of that endpoint, but it must not be lost."""
import collections
import contextlib
import fnmatch
import functools
import json
import os
import re
import subprocess
import sys
import tempfile

from judge_process import Run, Server, build, checks, drawn, read_json, write
from flat_layout import answer_to
from rest_relay import Relay, Variant, refusal

globs = sys.argv[2:]
SHARE = 0.03  # of all; make test-all plays them all
EXTENSIONS = ("binary_tensor_data,classification,sequence,schedule_policy,kserve_v2,model_configuration,statistics,streaming,generate,"
              "model_repository")
MODELS = [flag for folder in ("kit", "builtin") for flag in ("--models", f"{build}/models/{folder}")]

# What a side of the server is judged by.
SIDES = {"rest": ("--target {http} --claim " + EXTENSIONS, "--protocols predict-v2"),
         "grpc": ("--grpc {grpc} --claim " + EXTENSIONS, "--protocols predict-v2"),
         "v1-http": ("--target {http}", "--protocols trtis-v1"),
         "v1-grpc": ("--grpc {grpc}", "--protocols trtis-v1"),
         "graphpipe": ("--graphpipe {graphpipe} --example ci/example.json", "")}

MODEL = "/v2/models/*"
# Endpoint: the side, the paths or the rpc, and what the requests of it look like if the paths do not say all.
ENDPOINTS = {
    "GET /v2": ("rest", ["/v2"]),
    "GET /v2/health/live": ("rest", ["/v2/health/live"]),
    "GET /v2/health/ready": ("rest", ["/v2/health/ready"]),
    "GET /v2/models/M": ("rest", [MODEL, MODEL + "/versions/*"]),
    "GET /v2/models/M/versions/V": ("rest", [MODEL + "/versions/*"]),
    "GET /v2/models/M/ready": ("rest", [MODEL + "/ready", MODEL + "/versions/*/ready"]),
    "POST /v2/models/M/infer": ("rest", [MODEL + "/infer", MODEL + "/versions/*/infer"]),
    "POST /v2/models/M/versions/V/infer": ("rest", [MODEL + "/versions/*/infer"]),
    "GET /v2/models": ("rest", ["/v2/models"]),
    "POST /v2/repository/index": ("rest", ["/v2/repository/index"]),
    "GET /v2/models/M/config": ("rest", [MODEL + "/config", MODEL + "/versions/*/config"]),
    "GET /v2/models/M/stats": ("rest", [MODEL + "/stats", MODEL + "/versions/*/stats", "/v2/models/stats"]),
    "ServerLive": ("grpc", None), "ServerReady": ("grpc", None), "ServerMetadata": ("grpc", None), "ModelReady": ("grpc", None),
    "ModelMetadata": ("grpc", None), "ModelInfer": ("grpc", None), "ModelStreamInfer": ("grpc", None),
    "RepositoryIndex": ("grpc", None), "ModelConfig": ("grpc", None), "ModelStatistics": ("grpc", None),
    "GET /api/status": ("v1-http", ["/api/status", "/api/status/*"]),
    "GET /api/health/live": ("v1-http", ["/api/health/live"]), "GET /api/health/ready": ("v1-http", ["/api/health/ready"]),
    "POST /api/infer/M": ("v1-http", ["/api/infer/*", "/api/infer/*/*"]),
    "Status": ("v1-grpc", None), "Health": ("v1-grpc", None), "Infer": ("v1-grpc", None), "StreamInfer": ("v1-grpc", None),
    "MetadataRequest": ("graphpipe", None), "InferRequest": ("graphpipe", None),
}
INFERENCE = {"POST /v2/models/M/infer", "ModelInfer", "POST /api/infer/M", "Infer", "InferRequest"}
# What is needed of what discovery found comes from here.
FOUND = INFERENCE | {"GET /v2/models/M", "ModelMetadata", "GET /api/status", "Status"}
EXAMPLE = "simple"  # the model of ci/example.json
KNOWN = {"MetadataRequest"}  # nothing else says which model a path of GraphPipe leads to: without it only an example is judged
STATUS = {"GET /api/status": ["POST /api/infer/M"], "Status": ["Infer", "StreamInfer"]}  # and what cannot be written without it
EXCUSED = {  # what a model does is shown elsewhere: that it answers more than once, or has sequences
    "ModelStreamInfer": "streaming-grpc/decoupled/unary", "ModelInfer": "streaming-grpc/stream/sequence"}


METADATA_REQUEST = json.dumps("\0\0\0\2\b\0\0\0\4\0\4\0\4\0\0\0")[1:-1]  # the end of GraphPipe's, in bytes that a case spells out
NOTHING_TO_LOSE = ("not-applicable", "blocked")


def deviations(name, kind):
    """Returns the deviations that break an endpoint, in the form of fixtures/deviations."""
    side, paths = ENDPOINTS[name]
    found = {}
    http = {"404": [{"set": {"/status": 404, "/json": {"error": "there is nothing"}}}, {"set": {"/status": 404, "/body": ""}},
                    {"set": {"/status": 404}}],
            "500": [{"set": {"/status": 500, "/json": {"error": "it is broken"}}}, {"set": {"/status": 500, "/body": ""}},
                    {"set": {"/status": 500}}], "hang": [{"hang": True}]}
    rpc = {"404": [{"set": {"/code": "UNIMPLEMENTED", "/details": "there is no such rpc"}}],
           "500": [{"set": {"/code": "INTERNAL", "/details": "it is broken"}}], "hang": [{"hang": True}]}
    for on in [{"path": path} for path in paths] if paths else [{"rpc": name}]:
        for alter in (http if paths else rpc)[kind]:
            found[f"blind-{len(found)}"] = {"breaks": "http.any" if paths else "grpc.any", "by": {"alter": alter}, "on": on}
    return found


def asks(name):
    """Returns a pattern of the lines that transcripts have of requests to the endpoint."""
    _, paths = ENDPOINTS[name]
    if not paths:
        return re.compile(rf'^> (/[\w.]+/{name}$|asks {name}$|{{"req_type": ?"{name}")', re.M)
    one = "|".join(re.escape(path).replace(r"\*", "[^/ ]*") for path in paths)
    return re.compile(rf"[A-Za-z]+ [^ ]*?({one})/?(\?[^ ]*)? HTTP/")


def family_of(assertion):
    """Returns the path of the family of an assertion, and its name if it is a neighbour."""
    path, name = assertion.split("@")[0].split("#")[0], ""
    while not os.path.exists(f"fixtures/{path}.json"):
        path, _, last = path.rpartition("/")
        name = f"{last}/{name}".rstrip("/")
    return path, name


def requests_of(output):
    """Returns {ID of a play: what was sent, as transcripts have it}."""
    found = {}
    for block in output.split("\n\n"):
        head, _, rest = block.strip("\n").partition("\n")
        match = re.fullmatch(r"(\S+@\S+) \([0-9.]+ s\)", head)
        if match:
            found[match[1]] = found.get(match[1], "") + "\n" + rest
    return found


def replaced(value, old, new):
    """The value with each value or text "old" in it replaced."""
    if value == old:
        return new
    if isinstance(value, dict):
        return {replaced(name, old, new): replaced(one, old, new) for name, one in value.items()}
    if isinstance(value, list):
        return [replaced(one, old, new) for one in value]
    return value.replace(old, new) if isinstance(value, str) and isinstance(old, str) else value


@functools.cache
def family(path):
    case = read_json(f"fixtures/{path}.json")
    if "like" not in case:
        return case
    base = family(case["like"])
    for old, new in case.get("replace", []):
        base = replaced(base, old, new)
    return {**base, **case}


@functools.cache
def hidden_of(path):
    """What the case asks where its bytes do not show it: frames, and the files of GraphPipe on a connection."""
    case = family(path)
    asked = [act["grpc"].rpartition("/")[2] for act in [case] + case.get("steps", []) if "grpc" in act]
    for file in re.findall(r"graphpipe/[\w/.-]+\.bin", json.dumps(case)):
        asked.append("MetadataRequest" if "metadata" in file else "InferRequest")
    if METADATA_REQUEST in json.dumps(case):
        asked.append("MetadataRequest")
    return "\n".join(f"> asks {name}" for name in asked)


def needs_found(path, name):
    case = family(path)
    whole = [case, case.get("neighbours", {}).get(name, {})]
    return "*" in (case.get("infer"), case.get("model")) or any("found" in one.get("needs", {}) for one in whole) or "${found:" in json.dumps(whole[1])


def needs_known(assertion, path):
    """Whether the case is about a model of which only metadata can tell: one of the kit, or one that no example is of."""
    case = family(path)
    return {case.get("infer", "*"), case.get("model", "*")} != {"*"} or "promised" in json.dumps(case) \
        or (case.get("infer") == "*" and assertion.split("@")[1] != EXAMPLE)


def serve(side, *flags):
    names = {"http": "--http", "grpc": "--grpc", "graphpipe": "--graphpipe"}
    ports = [flag for name in names.values() for flag in (name, "127.0.0.1:0")]
    return Server(f"{build}/oip-reference-server", *ports, *MODELS, *SIDES[side][1].split(), *flags, ready="loaded ")


@contextlib.contextmanager
def without(name, kind):
    """A server on which the endpoint is broken. The path of GraphPipe does not tell its requests apart: there a relay answers."""
    side, _ = ENDPOINTS[name]
    if side != "graphpipe":
        with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
            broken = deviations(name, kind)
            json.dump(broken, file)
            file.flush()
            with serve(side, "--deviations", file.name, "--deviate", ",".join(broken)) as server:
                yield server
        return

    def answered(request):
        if request.method != "POST" or answer_to(request.body) != name.replace("Request", "Response"):
            return None
        request.raw = b""  # of which the server behind it waits for the rest
        return None if kind == "hang" else refusal(int(kind), "there is nothing", as_json=False)

    with serve(side) as server:
        with Relay(Variant(name, kind, request=answered), server.graphpipe) as relay:
            server.graphpipe = relay.address
            yield server
            checks.that(not relay.faults, f"{name} {kind}: {relay.faults}")


def judge(side, server, *flags):
    address = {"http": server.http, "grpc": server.grpc, "graphpipe": server.graphpipe}
    return Run(*SIDES[side][0].format(**address).split(), *flags)


class Whole:
    """The run without a fault of one side."""

    def __init__(self, side):
        with serve(side) as server:
            run = judge(side, server, "--verbose")
        checks.that(run.report and run.code in (0, 1), f"{side}: exit code {run.code}", run)
        self.verdicts = run.by_id()
        self.requests = requests_of(run.output)
        self.judged = run.report["judged"]
        self.of_base = collections.defaultdict(str)  # by family and encoding
        for play, sent in self.requests.items():
            path, name = family_of(play)
            if not name:
                self.of_base[path, play.rpartition("@")[2]] += sent

    def sent_by(self, play, path):
        """What the play and its base have sent."""
        return "\n".join((self.requests.get(play, ""), self.of_base[path, play.rpartition("@")[2]], hidden_of(path)))


def is_of(side, assertion):
    """A server of v1 alone fails V2, of which there is nothing to lose."""
    return not side.startswith("v1") or "trtis-v1-" in assertion.split("#")[0]


def play(name, kind, whole):
    side, _ = ENDPOINTS[name]
    with without(name, kind) as server:
        run = judge(side, server, *(("--timeout", "2") if kind == "hang" else ()))
    patterns = [asks(one) for one in [name, *STATUS.get(name, [])]]
    verdicts = {result["id"]: result for result in run.report["results"]} if run.report else {}
    bad, asking, lost = [], 0, 0
    for assertion, verdict in whole.verdicts.items():
        play = assertion.split("#")[0]
        path, neighbour = family_of(assertion)
        sent, watched = whole.sent_by(play, path), family(path).get("on")
        now = verdicts.get(assertion)
        if not is_of(side, assertion):
            continue
        lost += verdict in ("pass", "pass-weak") and (not now or now["verdict"] in ("blocked", "not-applicable"))
        if any(pattern.search(sent) for pattern in patterns) or (name in FOUND and needs_found(path, neighbour)) \
                or (name in KNOWN and needs_known(assertion, path)) \
                or (watched and name in FOUND | KNOWN and (side == "graphpipe" or "nfer" in json.dumps(watched))) or path == EXCUSED.get(name):
            asking += 1
        elif not (now and now["verdict"] == verdict) and not (watched and now and now["verdict"] in ("fail", "warn")) \
                and not (verdict in NOTHING_TO_LOSE and (not now or now["verdict"] in NOTHING_TO_LOSE)):
            bad.append(f"{assertion}: {verdict}, then {now['verdict'] + ': ' + now.get('why', '')[:200] if now else 'not judged'}")
    print(f"{name + ' ' + kind:45} {asking:5} ask it, {lost:5} lost, {len(bad):5} of the others changed, {run.seconds:5.1f} s", flush=True)
    checks.that(run.report and run.code in (0, 1), f"{name} {kind}: exit code {run.code}", run)
    checks.that(asking > 0, f"{name} {kind}: nothing asks it")
    checks.that(not bad, f"{name} {kind} hides what does not ask it:\n    " + "\n    ".join(bad[:20]))


# --- Servers in other states ---

IN_STATES = ("GET /v2", "GET /v2/health/live", "GET /v2/health/ready", "GET /v2/models/M/ready", "ServerLive", "ServerReady",
             "ServerMetadata", "ModelReady")


@functools.cache
def judged_in_states(name):
    """Returns the verdicts of the cases that need a server in another state, {ID: verdict}; on all servers the endpoint is missing, if one is
    named."""
    with tempfile.TemporaryDirectory() as folder:
        broken = deviations(name, "404") if name else {}
        write(f"{folder}/deviations.json", broken)
        flags = f"--kill --deviations {folder}/deviations.json --deviate {','.join(broken)}" if name else "--kill"
        subprocess.run(["ci/with-states", build, flags, f"{build}/oip-conformance", "run", "--allow-mutation", "--json", f"{folder}/report.json",
                        "--timeout", "60"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False)
        results = read_json(f"{folder}/report.json")["results"]
    return {one["id"]: one["verdict"] for one in results if "state" in family(family_of(one["id"])[0]).get("needs", {})}


def play_in_states(name):
    side, paths = ENDPOINTS[name]
    asked = paths and re.compile("|".join(re.escape(path).replace(r"\*", "[^/]*") for path in paths))
    now, bad, others = judged_in_states(name), [], 0
    for assertion, verdict in judged_in_states("").items():
        case = family(family_of(assertion)[0])
        acts = [case] + case.get("steps", [])
        asks_it = any(asked.fullmatch(act.get("http", " ").split(" ")[1]) if paths else act.get("grpc") == name for act in acts)
        others += not asks_it
        if not asks_it and now.get(assertion) != verdict and verdict not in NOTHING_TO_LOSE:
            bad.append(f"{assertion}: {verdict}, then {now.get(assertion)}")
    checks.that(others > 20, f"only {others} assertions of other states do not ask {name}")
    checks.that(not bad, f"{name} hides in other states what does not ask it:\n    " + "\n    ".join(bad))


for name in IN_STATES if globs == ["*"] else [] if globs else drawn(IN_STATES, 0.25):
    play_in_states(name)

everything = [(name, kind) for name in ENDPOINTS for kind in ("404", "500", "hang")]
if globs:
    chosen = [one for one in everything if any(fnmatch.fnmatchcase(" ".join(one), glob) for glob in globs)]
else:
    chosen = drawn(everything, SHARE)
for side in SIDES:
    own = [one for one in chosen if ENDPOINTS[one[0]][0] == side]
    whole = Whole(side) if own else None
    for one in own:
        play(*one, whole)
checks.end()
