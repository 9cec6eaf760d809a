#!/usr/bin/python3
"""Plays waivers against a server that breaks two requirements. Argument: BUILD."""
import datetime
import json
import os
import tempfile

from judge_process import Run, build, checks, read_json, reference_server, write

MODELS = ("--models", f"{build}/models/kit", "--models", f"{build}/models/builtin")
BROKEN = ("--deviate", "rest-server-version-is-a-number,rest-answer-without-model-name")
SOME = ("--filter", "v2-rest/health/*", "--filter", "v2/infer/sum-and-difference*", "--filter", "v2-rest/metadata/*")
TODAY = datetime.datetime.now(datetime.timezone.utc).date()


def day(days):
    return (TODAY + datetime.timedelta(days=days)).isoformat()


with tempfile.TemporaryDirectory() as folder, reference_server(*MODELS, *BROKEN) as wrong, reference_server(*MODELS) as right:
    path = f"{folder}/waivers.json"

    def play(waivers, *flags, server=wrong, cases=SOME):
        """Writes the waivers, unless they are None, and runs the judge with them."""
        if waivers is not None:
            write(path, waivers if isinstance(waivers, str) else {"waivers": waivers})
        return Run("--target", server.http, *cases, "--waivers", path, *flags)

    run = Run("--target", wrong.http, *SOME, "--write-waivers", path)
    checks.code(1, "a server that is wrong", run)
    written = read_json(path)["waivers"]
    failing = [result for result in run.report["results"] if result["verdict"] == "fail"]
    keys = sorted({result["key"] for result in failing})
    checks.that(len(keys) >= 2, "the deviations break several requirements", run)
    checks.that(sorted(waiver["requirement"] for waiver in written) == keys, "a waiver is written for each requirement that fails", run)
    checks.that(all(waiver["expires"] == day(90) for waiver in written), "it expires after 90 days", run)

    checks.code(2, "waivers without a reason are refused", play(None), "waiver 1: 'reason' needs a string")
    good = [{**waiver, "reason": "the router is old", "owner": "Ann"} for waiver in written]
    for text, says in (('{"waivers": [], "waivers": []}', "nothing beside it"), ('{"waivers": [], "note": ""}', "nothing beside it"),
                       (json.dumps({"waivers": [{**good[0], "owner": " "}]}), "'owner' needs a string"),
                       (json.dumps({"waivers": good}).replace('"owner"', '"expires": "2027-01-01", "owner"', 1), "waiver 1: it has 'expires' twice")):
        checks.code(2, f"a file in which {says}", play(text), says)

    run = play(good)
    checks.code(0, "all failures are waived", run)
    checks.that(run.report["counts"]["waived"] == len(failing), "each is counted", run)
    checks.that(run.says(f"until {day(90)} by Ann: the router is old; it was: "), "the report says who waived it, why and until when", run)
    checks.code(1, "what is waived is not certified", play(good, "--certified"))

    run = play(good[1:])
    checks.code(1, "what no waiver names fails", run)
    checks.that(run.keys("fail") == {good[0]["requirement"]}, "nothing else fails", run)

    run = play([{**waiver, "observed": ["something else was seen"]} for waiver in good])
    checks.code(1, "another observation is not excused", run, "is stale: nothing failed with 'something else was seen'")

    Run("--target", wrong.http, "--write-waivers", path)
    whole = [{**waiver, "reason": "old", "owner": "Ann"} for waiver in read_json(path)["waivers"]]
    run = play(whole, cases=())
    checks.code(0, "waivers of the whole suite", run)
    checks.that(run.report["conclusion"] == "waived", "the conclusion says that there are waivers", run)

    longer = [{**waiver, "observed": [text + " and more" for text in waiver["observed"]]} for waiver in good]
    checks.code(1, "an observation that only begins like one that is excused", play(longer))
    wider = [{**waiver, "observed": [text[:20] + "*" + text[-3:] for text in waiver["observed"]]} for waiver in good]
    checks.code(0, "* stands for any bytes", play(wider))

    by_id = [{"assertion": result["id"], "observed": [result["why"]], "reason": "old", "owner": "Ann", "expires": day(30)}
             for result in failing]
    checks.code(0, "waivers of assertions", play(by_id))
    checks.code(1, "a waiver of an assertion excuses no other", play(by_id[1:]))
    by_key = [{**waiver, "assertion": "*#" + waiver["requirement"]} for waiver in good]
    for waiver in by_key:
        del waiver["requirement"]
    checks.code(0, "* stands for any bytes of an ID", play(by_key))
    checks.code(1, "an ID with * excuses only what it matches", play([{**waiver, "assertion": "no-case/" + waiver["assertion"]} for waiver in by_key]))

    run = play([*good[1:], {**good[0], "expires": day(-1)}])
    checks.code(5, "an expired waiver", run, f"the waiver of {good[0]['requirement']} expired after {day(-1)}")
    checks.code(0, "a waiver on its last day", play([*good[1:], {**good[0], "expires": day(0)}]))
    checks.code(5, "a waiver for more than a year", play([*good[1:], {**good[0], "expires": day(400)}]))
    run = play([*good[1:], {**good[0], "observed": ["*expected*"]}])
    checks.code(5, "a waiver that would excuse almost anything", run, "is too broad: '*expected*' would excuse almost anything")

    run = play(good, server=right)
    checks.code(5, "waivers of a server that has been mended", run)
    checks.that(" ".join(run.output.split()).count("is stale: nothing failed with") == len(good), "each is named", run)
    checks.code(0, "a failure that comes and goes", play([{**waiver, "sometimes": True} for waiver in good], server=right))
    checks.code(5, "a requirement that the suite does not have", play([*good, {**good[0], "requirement": "v2-rest.no-such"}]))
    checks.code(0, "a waiver of what was not judged is not stale", play([{**good[0], "requirement": "v2-grpc.model-known"}], server=right))

    for text, waivers in {"no list": {}, "no object": [1], "both names": [{**good[0], "assertion": by_id[0]["assertion"]}],
                          "an assertion without a key": [{**by_id[0], "assertion": "v2-rest/health/*"}],
                          "an assertion of any key": [{**by_id[0], "assertion": "v2-rest/health/*#v2-rest.*"}],
                          "no name": [{k: v for k, v in good[0].items() if k != "requirement"}],
                          "an unknown member": [{**good[0], "because": "x"}], "no day": [{**good[0], "expires": "2027-02-30x"}],
                          "a day that no month has": [{**good[0], "expires": "2027-02-31"}],
                          "a day of 2027 that only leap years have": [{**good[0], "expires": "2027-02-29"}],
                          "a day in another form": [{**good[0], "expires": "2027-3-031"}],
                          "an observation that is no string": [{**good[0], "observed": [1]}],
                          "no observation": [{**good[0], "observed": []}]}.items():
        checks.code(2, f"a file with {text}", play(waivers))
    os.unlink(path)
    checks.code(2, "no file", play(None))

checks.end()
