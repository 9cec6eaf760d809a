#!/usr/bin/python3
"""Cases that change the models of a target leave it as it was: also when orders fail, and when the run is interrupted. Argument: BUILD.

A relay stands between the judge and our server. It counts the orders (loads and unloads) that the judge gives, and refuses some of them."""
import json
import re
import threading
import time
import urllib.request

from judge_process import Run, build, checks, reference_server
from rest_relay import Relay, Variant, refusal


def index(server):
    with urllib.request.urlopen(server.http + "/v2/repository/index", b"") as answer:
        return sorted((row["name"], row["version"], row["state"]) for row in json.load(answer))


class Judging(Run):
    """A run of the judge through a relay that counts the orders. `refuses(verb, number)` says which it refuses itself; `number` counts those of that
    verb. `slow`: seconds until it passes a load on; `early`: seconds by which it answers a load before it passes it on."""

    def __init__(self, server, *flags, interrupt_at=None, refuses=lambda verb, number: False, cases="repository-rest*", slow=0, early=0):
        self.server, self.last, self.refuses, self.slow, self.early = server, interrupt_at, refuses, slow, early
        self.orders, self.is_last = {"load": 0, "unload": 0}, threading.Event()
        with Relay(Variant("orders", "they are counted", request=self.order), server.http) as relay:
            super().__init__("--target", relay.address, "--filter", cases, *flags, interrupt_at=self.is_last if interrupt_at else None)

    def order(self, request):
        order = re.fullmatch(r"/v2/repository/models/[^/]+/(load|unload)", request.path)
        if not order:
            return None
        verb = order[1]
        self.orders[verb] += 1
        if (verb, self.orders[verb]) == self.last:
            self.is_last.set()
        if self.refuses(verb, self.orders[verb]):
            return refusal(500, "the relay refuses it")
        if verb == "load" and self.early:
            threading.Timer(self.early, urllib.request.urlopen, [self.server.http + request.path, request.body]).start()
            return refusal(200, "").set_body(b"")
        time.sleep(self.slow if verb == "load" else 0)
        return None

    def verdicts_of(self, case):
        return {result["verdict"] for result in self.report["results"] if result["id"].startswith(case + "@")}


def without_the_flag(server):
    run = Judging(server)
    checks.code(0, "without --allow-mutation", run)
    checks.that(not any(run.orders.values()), "without --allow-mutation no order is given", run)
    checks.that(run.verdicts_of("repository-rest/unload") == {"not-applicable"}, "they are not applicable", run)
    whys = [result["why"] for result in run.report["results"] if result["id"].startswith("repository-rest/unload@")]
    checks.that(whys and all("--allow-mutation" in why for why in whys), "and the reason names the flag", run)
    checks.that(run.verdicts_of("repository-rest/index") == {"pass"}, "the index is asked without the flag", run)


def with_the_flag(server, before):
    run = Judging(server, "--allow-mutation")
    checks.that(run.code == 0 and "pass" in run.verdicts_of("repository-rest/unload"), "with --allow-mutation", run)
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
        checks.code(130, f"interrupted at {verb} {number}", run)
        checks.that(run.orders["unload"] < 20, "an interrupted run ends soon", run)
        checks.that(index(server) == before, f"interrupted at {verb} {number}, all models are as before", run)
    run = Judging(server, "--allow-mutation", interrupt_at=("unload", 1), refuses=lambda verb, count: verb == "load" and count == 1)
    checks.that(run.code == 130 and index(server) == before, "interrupted, and the first load is refused", run)


def with_time(server, before):
    run = Judging(server, "--allow-mutation", "--timeout", "1", cases="repository-rest/unload@simple@*", slow=1.5)
    checks.that(run.code == 0 and run.verdicts_of("repository-rest/unload@simple") == {"pass", "not-applicable"}, "loading takes longer than --timeout", run)
    run = Judging(server, "--allow-mutation", cases="repository-rest/unload@*", early=0.4)
    checks.that(run.code == 0, "loads are answered 0.4 s before they are carried out", run)
    checks.that(index(server) == before, "and all models are as before", run)


def where_nothing_helps(server):
    run = Judging(server, "--allow-mutation", refuses=lambda verb, number: verb == "load")
    checks.code(1, "every load is refused", run, "models of the target could not be put back: '", "to be loaded: POST /v2/repository/models/")
    checks.that(run.verdicts("blocked"), "no other model is touched then", run)
    missing = [row for row in index(server) if row[2] != "READY"]
    checks.that(len(missing) == 1, f"{missing} are not ready", run)
    run = Judging(server, "--allow-mutation", cases="repository-rest/index")
    checks.that(run.says(f"lists the model '{missing[0][0]}', but it is not ready"), "the next run says so", run)


with reference_server("--models", f"{build}/models/kit", "--model-control", "explicit") as own:
    was = index(own)
    without_the_flag(own)
    with_the_flag(own, was)
    with_refusals(own, was)
    with_interruption(own, was)
    with_time(own, was)
    where_nothing_helps(own)
checks.end()
