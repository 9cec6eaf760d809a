#!/usr/bin/python3
"""--repeat plays everything several times and lists what did not come out alike. Argument: BUILD."""
import os
import tempfile
import threading

import strangers
from judge_process import Run, checks, misfit_of, read_json, read_text, run_tests, say, write

LIVE, READY = "v2-rest/health/live@http#v2-rest.server-live", "v2-rest/health/ready@http"
CHOSEN = ("--filter", "v2-rest/health/live@*", "--filter", "v2-rest/health/ready@*", "--jobs", "1")


class Flaky(strangers.Handler):
    """It says that it is not alive each third time, from the `first` time on."""

    def describe(self, path):
        if path == ["v2", "health", "live"]:
            self.stranger.lives += 1
            if self.stranger.lives == 10:
                self.stranger.tenth.set()
            if self.stranger.lives >= self.stranger.first and self.stranger.lives % 3 == 0:
                return self.say(500)
        return super().describe(path)


class Server(strangers.Stranger):
    def __init__(self, first=1):
        super().__init__(handler=Flaky)
        self.first, self.lives, self.tenth = first, 0, threading.Event()


def judge(server, *flags, **how):
    return Run("--target", server.http, *CHOSEN, *flags, **how)


def verdicts(run):
    return {flake["id"]: {one["verdict"]: one for one in flake["verdicts"]} for flake in run.report["repeat"]["flaky"]}


def test_alike():
    with Server(first=10**9) as server:
        once, run = judge(server), judge(server, "--repeat", "3")
    checks.code(once.code, "as one run", run)
    checks.that("repeat" not in once.report and "alike" not in once.output, "one run says nothing of it", once)
    checks.that(run.report["repeat"] == {"rounds": 3, "waiting": 0, "flaky": []}, "nothing differs", run)
    checks.that(run.says("Every verdict was the same in 3 rounds.") and "Verdicts that differ" not in run.output, "that is said", run)
    checks.that(run.report["exchanges"] == 3 * once.report["exchanges"] and run.report["judged"] == once.report["judged"],
                "each assertion counts once, each exchange is one", run)


def test_now_and_then():
    with Server() as server:
        run = judge(server, "--repeat", "6")
    flaky = verdicts(run)
    checks.code(1, "it failed twice", run)
    live = flaky.get(LIVE, {})
    checks.that({verdict: one["count"] for verdict, one in live.items()} == {"pass": 4, "fail": 2}, f"it is counted: {flaky}", run)
    checks.that(live and live["pass"]["answered"] == "200" and live["fail"]["answered"] == "500" and "why" in live["fail"]
                and "v2-rest/health/live" in live["fail"]["command"], f"the first exchange of each verdict is shown: {live}", run)
    checks.that(len(flaky) == 2 and READY not in str(list(flaky)) and LIVE in run.verdicts("fail"), "the gravest result stands, and nothing else is listed", run)
    checks.that(run.says("Verdicts that differ between the 6 rounds") and run.says("4 x pass: GET /v2/health/live, answered 200")
                and run.says("2 x fail: GET /v2/health/live, answered 500"), "a person is told", run)
    case = next(case for case in run.junit.iter("testcase") if case.get("name") == LIVE)
    checks.that("flaky: 4 x pass, 2 x fail" in case.find("failure").text, "a CI is told", run)


def test_judged_again():
    """The tape of such a run has all rounds; a report that counts otherwise is found out."""
    with tempfile.TemporaryDirectory() as folder, Server() as server:
        report, flags = f"{folder}/report.json", ("--record", f"{folder}/run.tape", "--repeat", "4")
        say("run", "--target", server.http, *CHOSEN, *flags, "--json", report)
        checks.that(misfit_of(read_json(report)) is None and os.path.exists(f"{folder}/run.tape"), "it is recorded")
        checks.code(0, "its verdicts are reached again", Run(report, command="verify"))
        write(report, read_text(report).replace('"rounds":\t4', '"rounds":\t40'))
        checks.code(1, "forty rounds were not played", Run(report, command="verify"))


def test_interrupted():
    """A round that a signal ends is no round, and the run says that it did not end."""
    with Server(first=10**9) as server:
        run = judge(server, "--repeat", "1000", interrupt_at=server.tenth)
    checks.code(130, "a thousand rounds are not waited for", run)
    checks.that(1 < run.report["repeat"]["rounds"] < 1000 and not run.report["repeat"]["flaky"], f"{run.report['repeat']}", run)


def test_refused():
    for number in ("0", "1001", "-1"):
        checks.code(2, f"--repeat {number}", Run("--target", "http://127.0.0.1:1", "--repeat", number), "--repeat")


run_tests(globals())
