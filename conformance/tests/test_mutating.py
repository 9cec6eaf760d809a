#!/usr/bin/python3
"""Cases that change the models of a target leave it as it was: also when orders fail, and when the run is interrupted. Argument: BUILD.

A relay stands between the judge and our server. It counts the orders (loads and unloads) that the judge gives, and refuses some of them."""
import json
import re
import signal
import subprocess
import tempfile
import threading
import time
import urllib.request

from judge_process import build, checks, read_json, reference_server
from rest_relay import Relay, Variant, refusal


def index(server):
    with urllib.request.urlopen(server.http + "/v2/repository/index", b"") as answer:
        return sorted((row["name"], row["version"], row["state"]) for row in json.load(answer))


class Judging:
    """A run of the judge through a relay that counts the orders. `refuses(verb, number)` says which it refuses itself; `number` counts those of that
    verb. `slow`: seconds until it passes a load on; `early`: seconds by which it answers a load before it passes it on."""

    def __init__(self, server, *flags, interrupt_at=None, refuses=lambda verb, number: False, cases="repository-rest*", slow=0, early=0):
        self.server, self.interrupt_at, self.refuses, self.slow, self.early = server, interrupt_at, refuses, slow, early
        self.orders, self.started = {"load": 0, "unload": 0}, threading.Event()
        with tempfile.TemporaryDirectory() as folder, Relay(Variant("orders", "they are counted", request=self.order), server.http) as relay:
            command = [f"{build}/oip-conformance", "run", "--target", relay.address, "--filter", cases, "--json", f"{folder}/report.json", *flags]
            self.process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
            self.started.set()
            self.output = self.process.communicate(timeout=120)[0]
            self.code = self.process.returncode
            self.results = read_json(f"{folder}/report.json")["results"]

    def order(self, request):
        order = re.fullmatch(r"/v2/repository/models/[^/]+/(load|unload)", request.path)
        if not order:
            return None
        verb = order[1]
        self.orders[verb] += 1
        self.started.wait()
        if (verb, self.orders[verb]) == self.interrupt_at:
            self.process.send_signal(signal.SIGINT)
        if self.refuses(verb, self.orders[verb]):
            return refusal(500, "the relay refuses it")
        if verb == "load" and self.early:
            threading.Timer(self.early, urllib.request.urlopen, [self.server.http + request.path, request.body]).start()
            return refusal(200, "").set_body(b"")
        time.sleep(self.slow if verb == "load" else 0)
        return None

    def verdicts(self, case):
        return {result["verdict"] for result in self.results if result["id"].startswith(case + "@")}


def without_the_flag(server):
    run = Judging(server)
    checks.that(run.code == 0, "without --allow-mutation", run)
    checks.that(not any(run.orders.values()), "without --allow-mutation no order is given", run)
    checks.that(run.verdicts("repository-rest/unload") == {"not-applicable"}, "they are not applicable", run)
    whys = [result["why"] for result in run.results if result["id"].startswith("repository-rest/unload@")]
    checks.that(whys and all("--allow-mutation" in why for why in whys), "and the reason names the flag", run)
    checks.that(run.verdicts("repository-rest/index") == {"pass"}, "the index is asked without the flag", run)


def with_the_flag(server, before):
    run = Judging(server, "--allow-mutation")
    checks.that(run.code == 0 and "pass" in run.verdicts("repository-rest/unload"), "with --allow-mutation", run)
    checks.that(index(server) == before, "all models are as before", run)


def with_refusals(server, before):
    # One of them is the load of a case, the next that of its `finally`: what stays unloaded is put back by the judge.
    for number in (1, 4):
        run = Judging(server, "--allow-mutation", cases="repository-rest/unload*",
                      refuses=lambda verb, count, at=number: verb == "load" and at <= count <= at + 1)
        checks.that(index(server) == before, f"loads {number} and {number + 1} were refused, all models are as before", run)


def with_interruption(server, before):
    for verb, number in (("unload", 1), ("load", 1)):
        run = Judging(server, "--allow-mutation", interrupt_at=(verb, number))
        checks.that(run.code == 130, f"interrupted at {verb} {number}: exit code {run.code}", run)
        checks.that(run.orders["unload"] < 20, "an interrupted run ends soon", run)
        checks.that(index(server) == before, f"interrupted at {verb} {number}, all models are as before", run)
    run = Judging(server, "--allow-mutation", interrupt_at=("unload", 1), refuses=lambda verb, count: verb == "load" and count == 1)
    checks.that(run.code == 130 and index(server) == before, "interrupted, and the first load is refused", run)


def with_time(server, before):
    run = Judging(server, "--allow-mutation", "--timeout", "1", cases="repository-rest/unload@simple@*", slow=1.5)
    checks.that(run.code == 0 and run.verdicts("repository-rest/unload@simple") == {"pass", "not-applicable"}, "loading takes longer than --timeout", run)
    run = Judging(server, "--allow-mutation", cases="repository-rest/unload@*", early=0.4)
    checks.that(run.code == 0, "loads are answered 0.4 s before they are carried out", run)
    checks.that(index(server) == before, "and all models are as before", run)


def where_nothing_helps(server):
    run = Judging(server, "--allow-mutation", refuses=lambda verb, number: verb == "load")
    checks.that(run.code == 1, f"every load is refused: exit code {run.code}", run)
    checks.that("models of the target could not be put back: '" in " ".join(run.output.split()), "the last line names the models", run)
    checks.that("to be loaded: POST /v2/repository/models/" in " ".join(run.output.split()), "and the order that would do it", run)
    checks.that("blocked" in {result["verdict"] for result in run.results}, "no other model is touched then", run)
    missing = [row for row in index(server) if row[2] != "READY"]
    checks.that(len(missing) == 1, f"{missing} are not ready", run)
    run = Judging(server, "--allow-mutation", cases="repository-rest/index")
    checks.that(f"lists the model '{missing[0][0]}', but it is not ready" in " ".join(run.output.split()), "the next run says so", run)


with reference_server("--models", f"{build}/models/kit", "--model-control", "explicit") as own:
    was = index(own)
    without_the_flag(own)
    with_the_flag(own, was)
    with_refusals(own, was)
    with_interruption(own, was)
    with_time(own, was)
    where_nothing_helps(own)
checks.end()
