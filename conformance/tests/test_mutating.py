#!/usr/bin/python3
"""Cases that change the models of a target leave it as it was: also when orders fail, and when the run is interrupted. Argument: BUILD.

A proxy stands between the judge and our server. It counts the orders (loads and unloads) that the judge gives, and refuses some of them."""
import http.client
import http.server
import json
import re
import signal
import subprocess
import sys
import tempfile
import threading
import time

sys.path.insert(0, "conformance/tests")
import http_handler
from judge_process import Checks, reference_server

build = sys.argv[1]
checks = Checks()


class Proxy(http.server.ThreadingHTTPServer):
    """Passes requests on. `refuses(verb, number)` says which orders it refuses itself; `number` counts those of that verb. `slow`: seconds
    until it passes a load on; `early`: seconds by which it answers a load before it passes it on."""

    daemon_threads = True

    def __init__(self, target, refuses=lambda verb, number: False, seen=lambda verb, number: None, slow=0, early=0):
        self.slow, self.early = slow, early
        super().__init__(("127.0.0.1", 0), Passing)
        self.target, self.refuses, self.seen = target.removeprefix("http://"), refuses, seen
        self.orders = {"load": 0, "unload": 0}
        self.lock = threading.Lock()
        threading.Thread(target=self.serve_forever, daemon=True).start()

    def address(self):
        return f"http://127.0.0.1:{self.server_address[1]}"


OWN = {"content-length", "connection", "transfer-encoding"}  # headers of the connection to the proxy itself


class Passing(http_handler.Handler):
    disable_nagle_algorithm = True

    def pass_on(self):
        body = self.body()
        order = re.fullmatch(r"/v2/repository/models/[^/]+/(load|unload)", self.path)
        if order:
            verb = order.group(1)
            with self.server.lock:
                self.server.orders[verb] += 1
                number = self.server.orders[verb]
            self.server.seen(verb, number)
            if self.server.refuses(verb, number):
                self.answer(500, [("Content-Type", "application/json")], b'{"error": "the proxy refuses it"}')
                return
        asked = self.command, self.path, body, dict(self.headers)
        if order and verb == "load" and self.server.early:
            threading.Timer(self.server.early, self.ask, asked).start()
            self.answer(200, [], b"")
            return
        if order and verb == "load":
            time.sleep(self.server.slow)
        self.answer(*self.ask(*asked))

    def ask(self, *asked):
        connection = http.client.HTTPConnection(self.server.target)
        connection.request(*asked)
        answer = connection.getresponse()
        told = answer.status, [one for one in answer.getheaders() if one[0].lower() not in OWN], answer.read()
        connection.close()
        return told

    do_GET = do_POST = do_HEAD = do_PUT = do_DELETE = pass_on


def index(server):
    connection = http.client.HTTPConnection(server.http.removeprefix("http://"))
    connection.request("POST", "/v2/repository/index")
    return sorted((row["name"], row["version"], row["state"]) for row in json.load(connection.getresponse()))


class Judging:
    """A run of the judge through a proxy."""

    def __init__(self, server, *flags, interrupt_at=None, refuses=lambda verb, number: False, cases="repository-rest*", **times):
        self.proxy = Proxy(server.http, refuses, self.seen, **times)
        self.interrupt_at = interrupt_at
        self.started = threading.Event()
        with tempfile.TemporaryDirectory() as folder:
            command = [f"{build}/oip-conformance", "run", "--target", self.proxy.address(), "--filter", cases, "--json", f"{folder}/report.json", *flags]
            self.process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
            self.started.set()
            self.output = self.process.communicate(timeout=120)[0]
            self.code = self.process.returncode
            with open(f"{folder}/report.json", encoding="utf-8") as file:
                self.results = json.load(file)["results"]
        self.proxy.shutdown()

    def seen(self, verb, number):
        self.started.wait()
        if (verb, number) == self.interrupt_at:
            self.process.send_signal(signal.SIGINT)

    def verdicts(self, case):
        return {result["verdict"] for result in self.results if result["id"].startswith(case + "@")}


def without_the_flag(server):
    run = Judging(server)
    checks.that(run.code == 0, "without --allow-mutation", run)
    checks.that(not any(run.proxy.orders.values()), "without --allow-mutation no order is given", run)
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
        checks.that(run.proxy.orders["unload"] < 20, "an interrupted run ends soon", run)
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


with reference_server(build, "--models", f"{build}/models/kit", "--model-control", "explicit") as own:
    was = index(own)
    without_the_flag(own)
    with_the_flag(own, was)
    with_refusals(own, was)
    with_interruption(own, was)
    with_time(own, was)
    where_nothing_helps(own)
checks.end()
