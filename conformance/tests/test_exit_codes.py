#!/usr/bin/python3
"""Provokes every exit code of `oip-conformance run`. Argument: BUILD."""
import json
import os
import pty
import resource
import shutil
import subprocess
import sys
import tempfile
import threading
import time

import http_handler
from judge_process import Run, build, call, checks, null_server, read_json, reference_server, say, write

SOME = ("--filter", "v2/infer/s*", "--filter", "v2-rest/health/*")  # where it does not matter what is played


class Slow(http_handler.Handler):
    """Answers every request slowly, so that a run can be interrupted."""

    has_begun = threading.Event()

    def do_GET(self):
        time.sleep(0.02)
        if "%" in self.path:  # which cases ask for, and discovery does not
            self.has_begun.set()
        self.body()
        self.say(200, {"name": "identity_int32", "versions": ["1"], "platform": "x", "inputs": [], "outputs": []})

    do_POST = do_PUT = do_DELETE = do_GET


class Pauses(Slow):
    """Asks for a pause once, for as long as the client's token says."""

    asked = False

    def do_GET(self):
        if self.asked:
            super().do_GET()
            return
        Pauses.asked = True
        self.body()
        self.say(429, {}, [("Retry-After", self.headers["X-Token"])])

    do_POST = do_PUT = do_DELETE = do_GET


def usage(text, *flags, says=()):
    checks.code(2, text, Run(*flags), "oip-conformance: ", *says)


def limited(resource_limit, most, *flags):
    """Judges with a limit on what the process may have of something."""
    return say("run", *flags, preexec_fn=lambda: resource.setrlimit(resource_limit, (most, most)))


def say_to_full(*words):
    with open("/dev/full", "w", encoding="utf-8") as full:
        return say(*words, capture_output=False, stdout=full, stderr=subprocess.PIPE)


def with_reference_server():
    with reference_server("--models", f"{build}/models/kit", "--models", f"{build}/models/builtin") as server:
        both = ("--target", server.http, "--grpc", server.grpc)
        whole = run = Run(*both)
        checks.code(0, "the reference server", run, "no MUST of the documents failed")
        checks.code(0, "REST alone", Run("--target", server.http, *SOME))
        checks.code(2, "a mutation that plays nothing", say("mutation", *both, "--filter", "repository-rest/concurrent*"), "no key of a case was played: ")
        checks.code(0, "gRPC alone", Run("--grpc", server.grpc))
        run = Run(*both, "--certified")
        checks.code(1, "--certified where a state is missing, so that MUST requirements were not tried", run,
                    "the target is conformant, but --accept certified demands a run")
        checks.that(run.report["conclusion"] == "conformant", "the conclusion is what it is without the flag", run)
        checks.code(1, "--certified with a filter", Run(*both, "--certified", "--filter", "v2-rest/health/live*"))
        run = Run(*both, "--profile", "v2-grpc")
        checks.code(0, "one profile", run)
        checks.that(run.report["conclusion"] == "partial", "a run of one profile of two is partial", run)
        checks.code(0, "a profile that extends another", Run(*both, "--profile", "binary-tensors"))
        run = Run(*both, "--filter", "v2-rest/health/live*")
        checks.code(0, "a filter", run)
        checks.that(run.report["conclusion"] == "partial", "a filtered run is partial", run)
        run = Run(*both, "--filter", "v2/infer/sum-and-difference/input-missing")
        checks.code(0, "a filter that leaves one neighbour, which is refused: its base infers as its control", run)
        checks.code(0, "one model", Run(*both, "--model", "identity_int32", "--strict"))
        one = Run(*both, "--jobs", "1")
        checks.that(one.report["jobs"] == 1 and whole.report["jobs"] == 8, "the report says how many jobs there were", one)
        brief = [[(result["id"], result["verdict"]) for result in run.report["results"]] for run in (one, whole)]
        checks.that(brief[0] == brief[1], "1 job and 8 give the same verdicts in the same order")
        checks.code(6, "too few", Run(*both, *SOME, "--min", "1000000"))
        live = ("run", *both, "--filter", "v2-rest/health/live*")
        unwritten = say(*live, "--json", "/dev/null/report.json")
        checks.that(unwritten.code == 2 and not unwritten.out and "/dev/null/report.json cannot be written" in unwritten.err,
                    "a report that cannot be written is said before anything is sent")
        checks.code(4, "a report for which there is no room", say(*live, "--json", "/dev/full"), "\nexit code 4: /dev/full cannot be written")
        checks.code(4, "a console that is full", say_to_full(*live), "standard output cannot be written")
        piped = say(*live, "--json", "-")
        checks.that(piped.code == 0 and json.loads(piped.out)["conclusion"] == "partial" and "exit code 0" in piped.err,
                    "--json - is standard output, and nothing else is written there")
        report = json.loads(piped.out)
        checks.that({result["case"] for result in report["results"]} == {"v2-rest/health/live"} and report["counts"]["disabled"] > 1000,
                    "what a filter leaves out is counted, and not listed")
        run = Run(*both, "--skip", "http.*", "--skip", "v2/*", "--skip", "v2-*/infer/*")
        checks.code(0, "what HTTP demands is left out", run)
        checks.that(run.report["conclusion"] == "partial" and not any(r["key"].startswith("http.") for r in run.report["results"]),
                    "what is skipped is not judged, and the run is partial", run)
        usage("a text that is no profile", *both, "--profile", "http", says=["--skip 'http.*'"])
        usage("an address that has the root of all paths", "--target", server.http + "/v2", says=["leave '/v2' out"])
        checks.code(0, "waiting for a server that is ready", Run(*both, "--wait", "60", "--filter", "v2-rest/health/live*"))
        usage("a filter that matches nothing", *both, "--filter", "v3/*")
        run = Run(*both, "--model", "no_such_model", "--filter", "*/probe/*")
        checks.code(1, "a model that is not there", run)
        checks.that(run.keys("fail") >= {"v2-rest.model-metadata", "v2-grpc.model-metadata"},
                    "its metadata is what is missing", run)
        usage("a map of what the kit has not", *both, "--map", "no_such_model=x")
        usage("a state that is not there", *both, "--state", "no-such-state=http://127.0.0.1:1")
        usage("a profile that is not there", *both, "--profile", "v3-rest")
        usage("an extension that no profile has", *both, "--claim", "no_such_extension")
        usage("a profile of the other transport", "--target", server.http, "--profile", "v2-grpc")
        run = Run(*both, "--map", "identity_int32=identity_fp32")
        checks.code(2, "a mapped model with other inputs", run, "(its input 'INPUT0' is not INT32)", "--model identity_fp32 probes it", "INT32", "FP32")
        run = Run(*both, "--map", "identity_int32=nothing", *SOME)
        checks.code(0, "a mapped model that is not hosted", run, "--map identity_int32=nothing has no effect")
        run = Run("--target", server.http, "--grpc", "127.0.0.1:1", *SOME)
        checks.code(3, "one transport of two is dead", run)
        checks.that(run.report and run.report["counts"]["pass"] > 500, "the other transport is judged all the same", run)
        with tempfile.TemporaryDirectory() as folder:
            fixtures = f"{folder}/fixtures"
            shutil.copytree("fixtures", fixtures)
            case = read_json(f"{fixtures}/v2-rest/health/live.json")
            case["expect"]["v2-rest.no-such-row"] = "answered"
            write(f"{fixtures}/v2-rest/health/live.json", case)
            checks.code(4, "a case expects a row that there is not", Run(*both, "--fixtures", fixtures, "--filter", "v2-rest/health/*"))
            write(f"{fixtures}/v2-rest/health/live.json", '{"says": "cut')
            checks.code(4, "a fixture is no JSON", Run(*both, "--fixtures", fixtures))
        checks.code(4, "no fixtures", Run(*both, "--fixtures", "/nowhere"))
        # What this machine lacks is never a verdict on the target.
        for files in (20, 60):
            checks.code(4, f"{files} files", limited(resource.RLIMIT_NOFILE, files, *both), "no more files can be opened")
        with tempfile.TemporaryDirectory() as folder:
            cut = limited(resource.RLIMIT_FSIZE, 4096, *both, "--filter", "v2-rest/health/*", "--json", f"{folder}/report.json")
            checks.code(4, "files of 4 kB", cut, "cannot be written: File too large")
            checks.that(not os.listdir(folder), f"it leaves {os.listdir(folder)}")
    with reference_server("--models", f"{build}/models/kit", "--deviate", "rest-id-lost") as server:
        run = Run("--target", server.http, *SOME)
        checks.code(1, "a server that loses the id", run)
        checks.that(any("#v2-rest.id-echoed" in name for name in run.verdicts("fail")), "the id is what failed", run)
        checks.code(1, "more failed than is missing", Run("--target", server.http, *SOME, "--min", "1000000"))
    with reference_server("--models", f"{build}/models/broken") as server:
        run = Run("--target", server.http, "--filter", "v2/*", "--filter", "v2-rest/infer/*")
        checks.code(2, "no model of the kit is hosted", run, "--model NAME")


def on_a_terminal():
    """A complaint fits on a screen; in a file it is one line."""
    terminal, child = pty.openpty()
    command = [f"{build}/oip-conformance", "run"]
    subprocess.run(command, stderr=child, check=False)
    os.close(child)
    shown = os.read(terminal, 4000).decode().replace("\r", "")
    os.close(terminal)
    written = call(*command).err
    checks.that(max(map(len, shown.splitlines())) <= 80 and shown.split() == written.split(), f"a complaint on a terminal: {shown}")
    checks.that(written.count("\n") == 1 and len(written) > 80, f"a complaint in a file: {written}")


def without():
    usage("no command")
    for command in (["list"], ["explain", "v2-rest.data-count"], ["lint"], ["coverage"], ["--help"], ["--version"]):
        done = say_to_full(*command)
        checks.that(done.code != 0 and "standard output cannot be written" in done.err, f"{command[0]} where there is no room: {done.code} {done.err}")
    with tempfile.TemporaryDirectory() as folder:
        shutil.copytree("fixtures", f"{folder}/fixtures")
        for text in ("{", '{"says": "x"}'):  # it cannot be read, or is wrong: one is told at once, the other is a finding
            write(f"{folder}/fixtures/v2/infer/a\x1b[31mb.json", text)
            done = say("lint", "--fixtures", f"{folder}/fixtures")
            checks.that(done.code != 0 and done.says("a\\x1b[31mb") and "\x1b" not in done.output, f"lint tells a name with an escape: {done}")
    headed = call("sh", "-c", f"{build}/oip-conformance list | head -1")
    checks.that(headed.out.count("\n") == 1 and not headed.err, f"a list of which the first line is read: {headed.err}")
    usage("no server to judge")
    usage("waivers that are not there, before the target is asked", "--target", "http://127.0.0.1:1", "--waivers", "/no/such/file",
          says=["--waivers /no/such/file: cannot read"])
    usage("a file of authorities that is not there", "--target", "http://127.0.0.1:1", "--ca", "/no/such/file",
          says=["--ca: cannot read /no/such/file: No such file or directory"])
    with tempfile.TemporaryDirectory() as folder:
        fifo = f"{folder}/fifo"
        os.mkfifo(fifo)
        for words in (("run", "--record", fifo), ("run", "--json", fifo), ("run", "--ca", fifo), ("run", "--cert", fifo, "--key", fifo), ("merge", fifo)):
            run = say(*words, *(["--target", "http://127.0.0.1:1"] if words[0] == "run" else []), timeout=60)
            checks.code(2, f"{words}, of which nobody opens the other end", run, fifo)
    on_a_terminal()
    usage("a flag that is not there", "--target", "http://127.0.0.1:1", "--tiemout", "3", says=["did you mean --timeout?"])
    usage("a value that is no number", "--target", "http://127.0.0.1:1", "--jobs", "many")
    usage("a value that is missing", "--target")
    usage("a target that is no URL", "--target", "127.0.0.1:8000")
    usage("an address with a scheme", "--grpc", "http://127.0.0.1:8001")
    usage("a header without a colon", "--target", "http://127.0.0.1:1", "--header", "x")
    for given in (["TARGET="], ["TARGET=http://127.0.0.1:1", "GRPC="], ["MODEL=", "TARGET=http://127.0.0.1:1"]):
        checks.code(2, f"make conformance {given}", call("make", "-n", "conformance", *given), "is given without a value")
    with null_server("tiny", "dead") as server:
        for flags, said in ((["--skip", "v2-rest.id-ecoed"], "--skip 'v2-rest.id-ecoed' matches nothing; did you mean v2-rest.id-echoed?"),
                            (["--filter", "v2-rest/health/*", "--filter", "xyz*"], "--filter 'xyz*' matches nothing; `oip-conformance list`"),
                            (["--profile", "v2-rst"], "there is no profile 'v2-rst'; did you mean v2-rest, v2-grpc?\n"),
                            (["--profile", "xyzzy"], "there is no profile 'xyzzy'; there are v2-rest, ")):
            usage(f"{flags}", "--target", server.http, *flags, says=[said])
        run = Run("--target", server.http, "--filter", "v2-rest/health/live", "--skip", "http2.*", "--skip", "v2/infer/*@grpc-raw")
        checks.code(1, "what the target is not asked for may be skipped, too", run)
    with null_server("dead", "dead") as server:
        run = Run("--target", server.http, "--wait", "0.5")
        checks.that(run.says("; the judge waited for it for 0.5 s (--wait)\n"), "a server that does not start is said to have been waited for", run)
    for kind in ("dead", "hang", "close"):
        with null_server(kind, "dead") as server:
            checks.code(3, f"a server that is {kind}", Run("--target", server.http, "--timeout", "1"))
    for kind, said in (("dead", "never answered over REST: no connection"), ("401", "--header"), ("503", "--wait"), ("busy", "--wait"), ("502", "a proxy cannot reach the server"),
                       ("redirect", "redirects every request over REST, the first to http://127.0.0.1:1/: the judge does not follow redirects"),
                       ("limits", "the target limits requests: 429, Retry-After: 3600, after 0 s of waiting"),
                       ("limits-for-ever", "the target limits requests: 429, Retry-After: 100000000000000000000, after 0 s of waiting")):
        with null_server(kind, "dead") as server:
            run = Run("--target", server.http)
            checks.code(3, f"a server that is {kind}", run)
            checks.that(said in run.output and run.output.count("\n") == 1, f"one line says what is wrong with {kind}", run)
    with null_server("tiny", "dead") as often, null_server("tiny-limits", "dead") as limited:
        told = [Run("--target", server.http, "--jobs", "1", "--skip", "v2-rest/framing/*") for server in (often, limited)]
        checks.that(told[0].verdicts("pass") == told[1].verdicts("pass") and len(told[0].verdicts("pass")) > 10,
                    "a server that limits requests is asked again, and judged as if it did not", told[1])
    for kind, said in (("limits", "over gRPC: the target limits requests: RESOURCE_EXHAUSTED, grpc-retry-pushback-ms: 3600000, after 0 s of waiting\n"),
                       ("exhausted", "answers every request over gRPC with RESOURCE_EXHAUSTED; it limits requests and does not say for how long")):
        with null_server("dead", kind) as server:
            run = Run("--grpc", server.grpc)
            checks.code(3, f"a server of gRPC that is {kind}", run)
            checks.that(said in run.output and run.output.count("\n") == 1, f"one line says what is wrong with {kind} over gRPC", run)
    with null_server("dead", "tiny") as often, null_server("dead", "tiny-limits") as limited:
        told = [Run("--grpc", server.grpc, "--jobs", "1", "--skip", "v2-grpc/framing/*", "--skip", "v2-grpc/http2/*")
                for server in (often, limited)]
        checks.that(all(told[0].verdicts(word) == told[1].verdicts(word) and len(told[0].verdicts(word)) > 3 for word in ("pass", "fail")),
                    "a server of gRPC that limits requests is asked again, and judged as if it did not", told[1])
    with null_server("dead", "tiny-final") as server:
        run = Run("--grpc", server.grpc, "--jobs", "1", "--filter", "v2-grpc/health/*", "--filter", "v2-grpc/metadata/*")
        checks.code(1, "a server of gRPC that wants a call not to be sent again", run)
        checks.that("v2-grpc/health/live@grpc#v2-grpc.server-live" in run.verdicts("fail"), "its answer is judged", run)
    with null_server("500", "dead") as server:
        checks.code(1, "a server that says 500", Run("--target", server.http))
        checks.code(1, "a server that says 500, and has no model", Run("--target", server.http, "--model", "m"))
    pauses = http_handler.serve(Pauses)
    run = Run("--target", pauses.http, "--filter", "v2-rest/health/live", "--header", "X-Token: a-secret-of-the-test")
    checks.that(run.output.startswith("oip-conformance: the target asks for a pause (429); the judge waits 1 s and asks again\n"),
                "a pause is told before it is over", run)
    checks.that("a-secret" not in run.output, "what a target says may be a secret, and is not told", run)
    pauses.shutdown()
    slow = http_handler.serve(Slow)
    run = Run("--target", slow.http, "--jobs", "1", interrupt_at=Slow.has_begun)
    checks.code(130, "interrupted", run)
    checks.that(run.report and run.report["counts"]["blocked"] > 0, "what was not played is reported as blocked", run)
    out_of_time()
    slow.shutdown()


def out_of_time():
    """The time limit ends what would take for ever: the questions about a target, and its run, which gets more time until it begins."""
    with null_server("hang", "dead") as server:
        run = Run("--target", server.http, "--timeout", "300", "--time-limit", "1")
        checks.code(124, "a time limit before the run", run, "the time limit of 1 s was reached (--time-limit S gives more) while the target was asked")
    with null_server("mute-health", "dead") as server:
        for limit in (2, 8, 32, 128):
            run = Run("--target", server.http, "--timeout", "300", "--time-limit", str(limit), "--filter", "v2-rest/health/live*",
                      "--filter", "v2-rest/metadata/server*")
            checks.code(124, f"a time limit of {limit} s", run)
            if run.report["planned"]:
                break
    checks.that(run.report["reason"] == f"the time limit of {limit} s was reached (--time-limit S gives more)", "it says what the limit was", run)
    checks.that(run.report["conclusion"] == "partial", f"a run without a failure is partial, not {run.report['conclusion']}", run)
    late = [result for result in run.report["results"] if result["verdict"] == "blocked"]
    checks.that(late and all(result["why"] == "the time limit of the run was reached" for result in late), "what had no time says so", run)


def with_brain_floats():
    """The only model of the server is one of BF16, which tensors in JSON, TensorRT Inference Server v1 and GraphPipe lack."""
    with tempfile.TemporaryDirectory() as folder:
        shutil.copytree(f"{build}/models/kit/identity_bf16", f"{folder}/halves", ignore=shutil.ignore_patterns("config.pbtxt"))
        with reference_server("--models", folder, "--graphpipe", "127.0.0.1:0") as server:
            for flags in (("--target", server.http), ("--grpc", server.grpc)):
                checks.code(0, f"{flags[0]}: a model of BF16 is inferred by one of the protocols there", Run(*flags, "--model", "halves"))
            for flags, said in ((("--profile", "trtis-v1-http", "--profile", "v2-rest"), "over REST (v2-rest): none of the chosen cases that infer could be played: BF16 has no JSON form in the document"),
                                (("--profile", "binary-tensors", "--profile", "v2-rest", "--profile", "trtis-v1-http"), "over REST (trtis-v1-http)"),
                                (("--graphpipe", server.graphpipe), "over GraphPipe (graphpipe): none of the chosen cases that infer could be played: GraphPipe has no type for BF16")):
                run = Run("--target", server.http, "--model", "halves", *flags)
                checks.code(2, f"a protocol is asked for that cannot carry the model: {flags}", run, "no inference ran " + said)


if not os.path.exists("fixtures"):
    sys.exit("run this from the root of the project")
without()
with_reference_server()
with_brain_floats()
checks.end()
