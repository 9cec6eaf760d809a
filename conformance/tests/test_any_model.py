#!/usr/bin/python3
"""Extensions are judged on a server that hosts no model of the suite, and those of which nothing could be judged are told. Argument: BUILD."""
import contextlib
import re
import tempfile

from judge_process import Run, build, checks, copy_model, read_text, reference_server, run_tests, say, unjudged_claims
import rest_relay
from rest_relay import Variant

# The models of the suite that are served under names of their own.
FOREIGN = {"adder": "batching/batched_simple", "floats": "kit/identity_fp32", "grades": "batching/classes", "totals": "builtin/accumulator",
           "words": "kit/identity_bytes"}

# How many assertions of each claimed profile must be judged with them.
LEAST = {"binary-tensors": 100, "classification-rest": 36, "classification-grpc": 18, "sequence-rest": 9, "sequence-grpc": 9,
         "schedule-rest": 64, "schedule-grpc": 32, "model-configuration-rest": 35, "model-configuration-grpc": 30, "statistics-rest": 47,
         "statistics-grpc": 47, "repository-rest": 20, "repository-grpc": 15, "streaming-grpc": 8, "v2-kserve": 60, "metrics-triton": 15}


@contextlib.contextmanager
def foreign(models, *flags):
    """The reference server with models of the suite under other names."""
    with tempfile.TemporaryDirectory() as folder:
        for name, model in models.items():
            copy_model(f"{build}/models/{model}", f"{folder}/{name}")
        with reference_server("--models", folder, *flags) as server:
            yield server


def html_of(server, *flags):
    """Returns a run, and its page as one line of text."""
    with tempfile.TemporaryDirectory() as folder:
        run = Run("--target", server.http, "--grpc", server.grpc, "--html", f"{folder}/report.html", *flags)
        return run, " ".join(read_text(f"{folder}/report.html").split())


def test_every_extension_is_judged():
    with foreign(FOREIGN) as server:
        run = Run("--target", server.http, "--grpc", server.grpc, "--metrics", server.http)
    checks.code(0, "no model of the suite", run)
    checks.that(not run.report["discovery"]["kit_models"], "none of them is hosted", run)
    checks.that(not run.verdicts("fail", "timeout", "error"), f"what fails: {run.verdicts('fail', 'timeout', 'error')[:5]}", run)
    for profile, least in LEAST.items():
        judged = run.report["profiles"][profile]["counts"]
        judged = judged["pass"] + judged["pass-weak"] + judged["warn"]
        checks.that(judged >= least, f"{profile}: {judged} assertions are judged, {least} should be", run)
    checks.that([claim["claim"] for claim in unjudged_claims(run.report)] == ["generate"], "one extension needs a model that there is not", run)


def test_claims_without_a_model():
    """A model of 16-bit floats has no JSON, no classes, no sequences, and generates nothing."""
    with foreign({"halves": "kit/identity_fp16"}) as server:
        run, page = html_of(server)
        only_http = Run("--target", server.http, "--grpc", server.grpc, "--filter", "v2/probe/*")
    checks.code(0, "a model of which little can be judged", run)
    checks.that(not unjudged_claims(only_http.report), "what --filter leaves out is no finding", only_http)
    claims = {claim["claim"]: claim for claim in unjudged_claims(run.report)}
    checks.that(set(claims) == {"classification", "sequence", "generate"}, f"what was not judged: {set(claims)}", run)
    skipped = {case.get("classname"): case.find("skipped").get("message")
               for suite in run.junit if suite.get("name") == "claims" for case in suite}
    for name, claim in claims.items():
        profiles = ", ".join(claim["profiles"])
        sentence = f"the target claims '{name}', but nothing of it was judged ({profiles}): {claim['why']}"
        checks.that(run.says("WARN " + sentence), f"the console does not say: {sentence}", run)
        checks.that(skipped.get(name) == "warning: " + sentence, f"JUnit says of {name}: {skipped.get(name)}", run)
        checks.that(f"the target claims &#39;{name}&#39;, and nothing of it was judged" in page or sentence[:40] in page, f"the page says nothing of {name}", run)
    checks.that(run.says("Claimed, but not judged at all"), "the conclusion says so", run)


def test_sequences_of_v1():
    """The configuration says that the model takes sequences, so its status promises nothing about other requests."""
    with foreign({"totals": FOREIGN["totals"]}, "--protocols", "trtis-v1") as server:
        run = Run("--target", server.http, "--grpc", server.grpc, "--filter", "*/probe/*")
    judged = run.verdicts("pass", "warn", "fail") if run.report else []
    checks.that(run.code in (0, 2) and not run.keys("warn", "fail"), f"a model of sequences alone is right: {run.keys('warn', 'fail')}", run)
    checks.that(any("@totals@" in id for id in judged), "it is judged by its status", run)


# --- Servers that have the extensions, and are wrong ---

def changed_json(path_end, change):
    """Answers of such a path are changed by `change`, which gets the JSON."""
    def answer(request, answer):
        if request.path.endswith(path_end) and answer.status == 200 and answer.json:
            answer.json = change(answer.json)
    return answer


def other_dims(config):
    return {**config, "input": [{**one, "dims": [7]} for one in config["input"]]}


def no_count(stats):
    for one in stats["model_stats"]:
        one["inference_stats"]["success"]["count"] = 5
    return stats


def smallest_first(response):
    for output in response.get("outputs", []):
        if output["datatype"] == "BYTES" and all(":" in str(one) for one in output["data"]):
            output["data"] = output["data"][::-1]
    return response


WRONG = [
    ("/config", lambda config: {**config, "name": "another"}, "model-configuration-rest.config", "fail"),
    ("/config", other_dims, "model-configuration-rest.tensors", "warn"),
    ("/stats", no_count, "statistics-rest.success", "fail"),
    ("/infer", smallest_first, "classification-rest.classes", "fail"),
]


def test_wrong_extensions():
    with foreign({name: FOREIGN[name] for name in ("adder", "grades")}) as server:
        for path, change, key, verdict in WRONG:
            with rest_relay.Relay(Variant("", "", answer=changed_json(path, change)), server.http) as relay:
                run = Run("--target", relay.address, "--filter", key)
            found = {result["verdict"] for result in run.report["results"] if result["key"] == key}
            checks.that(verdict in found, f"{key} is {found}", run)


def says_errors_with_200(request, answer):
    if answer.status >= 400 and request.is_inference():
        answer.set_status(200)


def has_no_platform(request, answer):
    if request.method == "GET" and answer.status == 200 and answer.json and "platform" in answer.json:
        answer.json = {name: value for name, value in answer.json.items() if name != "platform"}


def knows_every_model(request, answer):
    if re.fullmatch("/v2/models/[^/]+", request.path) and request.method == "GET" and answer.status == 404:
        answer.set_status(200).set_body(b"{}")


# What the report names first, of servers that host no model of the suite.
BLAMED = [
    ("v2-rest.infer-answers", lambda request, answer: answer.set_status(201) if request.is_inference() and answer.status == 200 else None),
    ("v2-rest.error-status", says_errors_with_200),
    ("v2-rest.metadata-platform", has_no_platform),
    ("v2-rest.metadata-model-known", knows_every_model),
    ("binary-tensors.answer-header", lambda request, answer: answer.set_header("Inference-Header-Content-Length", None)),
]


def test_blame():
    with foreign({"adder": FOREIGN["adder"]}) as server:
        for key, change in BLAMED:
            with rest_relay.Relay(Variant("", "", answer=change), server.http) as relay:
                run = Run("--target", relay.address, "--profile", "v2-rest,binary-tensors", "--model", "adder")
            first = [finding["requirement"] for finding in run.report["findings"]][:1]
            checks.that(first == [key], f"{key} is broken, and {first} is named first", run)


def metadata_for_all():
    """Answers each request of GraphPipe as the first short one, which asks for metadata."""
    metadata = []

    def answer(request, answer):
        if request.method == "POST" and answer.status == 200:
            metadata.extend([] if metadata or len(request.body) > 48 else [answer.body])
            answer.set_body(metadata[0] if metadata else answer.body)
    return answer


def signs_integers(request, answer):
    """Numbers of UINT64 are printed as INT64."""
    if request.is_inference() and answer.status == 200 and answer.json:
        body = answer.json
        for output in body.get("outputs", []):
            output["data"] = [number - (1 << 64) if number >> 63 else number for number in output.get("data", [])]
        answer.json = body


def test_large_integers():
    with foreign({"longs": "kit/identity_uint64"}) as server:
        with rest_relay.Relay(Variant("", "", answer=signs_integers), server.http) as relay:
            run = Run("--target", relay.address, "--grpc", server.grpc, "--filter", "v2/probe/integers", "--filter", "v2/probe/valid")
    checks.that("v2-rest.output-values" in run.keys("fail"), f"UINT64 is printed as INT64: {run.keys('fail')}", run)


def test_blame_over_graphpipe():
    """A model that answers no inference is asked all the same: nothing there says that it is not ready."""
    with foreign({"adder": FOREIGN["adder"]}, "--graphpipe", "127.0.0.1:0") as server:
        with rest_relay.Relay(Variant("", "", answer=metadata_for_all()), server.graphpipe) as relay:
            run = Run("--graphpipe", relay.address)
    first = [finding["requirement"] for finding in run.report["findings"]][:1]
    checks.that(first == ["graphpipe.infer-answers"], f"metadata answers inferences, and {first} is named first", run)


def test_evidence():
    """What is told of a question is its own answer, and not that of a question which was asked to make sure."""
    with foreign({"adder": FOREIGN["adder"], "words": FOREIGN["words"]}, "--graphpipe", "127.0.0.1:0", "--protocols", "predict-v2,graphpipe") as server:
        with rest_relay.Relay(without("/words"), server.graphpipe) as relay:
            run = Run("--target", server.http, "--graphpipe", relay.address, "--filter", "v2/probe/valid", "--profile", "v2-rest,graphpipe")
            unlisted = say("run", "--graphpipe", relay.address, "--model", "no_such*")
        v1 = Run("--grpc", server.grpc, "--filter", "v2/probe/valid")
    hosted = {result["id"].partition("#")[0]: result.get("why", "") for result in run.report["results"]}["v2/probe/valid@words@graphpipe"]
    spoken = {one["profile"]: one["why"] for one in v1.report["not_offered"]}["trtis-v1-grpc"]
    checks.that("a MetadataRequest at /words gave 404" in hosted, f"why a model is not hosted: {hosted}", run)
    checks.that(unlisted.says("(a MetadataRequest at / gave 200)"), f"who lists no such model: {unlisted.output}")
    checks.that("Status gave UNIMPLEMENTED" in spoken, f"why v1 is not spoken: {spoken}", v1)


# --- Servers without server metadata, so that nothing lists their extensions ---

LEAST_KEPT = 0.8  # of what is judged of a server with metadata
SHOWN = {"binary-tensors", "classification-rest", "model-configuration-rest", "statistics-rest", "repository-rest"}


def without(*ends):
    """What ends so is answered 404."""
    def answer(request, answer):
        if request.path.partition("?")[0].endswith(ends):
            answer.status, answer.json = 404, {"error": "there is nothing"}
    return Variant("", "", answer=answer)


def judged(run):
    return set(run.verdicts("pass", "pass-weak", "warn", "fail"))


def test_what_nothing_lists():
    with foreign({"adder": FOREIGN["adder"]}) as server:
        whole = Run("--target", server.http, "--model", "adder")
        with rest_relay.Relay(without("/v2"), server.http) as relay:
            run = Run("--target", relay.address, "--model", "adder", "--all")
            case = "statistics-rest/probe/known@adder@http"
            again = Run(case, "--target", relay.address, command="replay")
        with rest_relay.Relay(without("/v2", "/config", "/stats", "/index"), server.http) as relay:
            less = Run("--target", relay.address, "--model", "adder")
    kept = len(judged(run) & judged(whole)) / len(judged(whole))
    checks.that(kept >= LEAST_KEPT, f"without GET /v2, {kept:.0%} is judged of what is judged with it", run)
    failed = run.keys("fail")
    checks.that(failed == {"v2-rest.server-metadata"}, f"nothing else fails: {failed}", run)
    checks.that(run.says("no metadata of the server lists extensions; the judge uses those that its answers show: 'binary_tensor_data' over REST (POST"),
                "it is told which extensions are judged", run)
    counts = {name: sum(one["counts"][verdict] for verdict in ("pass", "pass-weak", "warn")) for name, one in run.report["profiles"].items()}
    checks.that(all(counts[name] for name in SHOWN), f"all that is shown is judged: {counts}", run)
    checks.code(0, "a case of what is shown can be replayed", again, f"PASS {case}")
    why = {one["profile"]: one["why"] for one in less.report["not_offered"]}
    for profile, said in (("model-configuration-rest", "GET /v2/models/adder/config gave 404"), ("repository-rest", "POST /v2/repository/index gave 404"),
                          ("statistics-rest", "GET /v2/models/adder/stats gave 404")):
        checks.that(said in why.get(profile, ""), f"{profile} is not offered: {why.get(profile)}", less)
    checks.that(less.keys("fail") == failed, "what is not shown fails nothing", less)


def test_what_nothing_shows():
    """As TorchServe, whose models have neither metadata nor readiness over REST."""
    case = ("--filter", "v2/infer/sum-and-difference")
    with reference_server("--models", f"{build}/models/kit", "--protocols", "predict-v2") as server:
        with rest_relay.Relay(without("/simple", "/simple/versions/1", "/ready"), server.http) as relay:
            named = Run("--target", relay.address, "--model", "simple", *case)
            unnamed = Run("--target", relay.address, *case)
    checks.code(0, "a model of the kit that the user names", named)
    checks.that("v2/infer/sum-and-difference@rest-flat#v2-rest.output-values" in named.verdicts("pass"), "is judged by its values", named)
    checks.that(not judged(unnamed), "nobody else knows that it is there", unnamed)


run_tests(globals())
