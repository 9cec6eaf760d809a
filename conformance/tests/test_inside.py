#!/usr/bin/python3
"""The judge alone, in a folder without fixtures, judges as it does beside them, and a report says if others were played. Argument: BUILD."""
import os
import shutil
import tempfile

from judge_process import build, call, checks, read_json, reference_server

build = os.path.abspath(build)
SOME = ["--filter", "v2-rest/health/*", "--filter", "v2/infer/id*"]
REMARK = "they differ from those inside the program"


def judge(program, folder, *words):
    """Runs the judge in a folder, and returns what it said."""
    return call(program, *words, cwd=folder)


def report_of(program, folder, *flags):
    """Judges our server, and returns the report and what was printed."""
    run = judge(program, folder, "run", *FLAGS, *SOME, "--json", "report.json", *flags)
    return read_json(f"{folder}/report.json"), " ".join(run.output.split())


def verdicts(report):
    return {result["id"]: result["verdict"] for result in report["results"]}


with tempfile.TemporaryDirectory() as beside, tempfile.TemporaryDirectory() as alone, \
        reference_server("--models", f"{build}/models/kit") as server:
    FLAGS = ["--target", server.http, "--grpc", server.grpc]
    shutil.copytree("fixtures", f"{beside}/fixtures")
    shutil.copy(f"{build}/oip-conformance", alone)
    program = f"{alone}/oip-conformance"

    for words in (["lint"], ["list"], ["coverage"]):
        checks.that(judge(program, alone, *words) == judge(program, beside, *words), f"{words} differs without fixtures")
    checks.that(judge(program, alone, "explain", "simple").says("program:/models/kit/simple"), "explain does not say where a model lies")
    checks.code(2, "lint --fix where only the program has fixtures", judge(program, alone, "lint", "--fix"), "--fixtures DIR")

    (without, said), (within, _) = report_of(program, alone), report_of(program, beside)
    checks.that(without["suite"] == within["suite"] and "edited" not in without["suite"], f"the suites differ: {without['suite']}")
    checks.that(len(verdicts(without)) > 20 and verdicts(without) == verdicts(within), "the verdicts differ without fixtures")
    checks.that(REMARK not in said, f"fixtures inside the program are taken for others: {said}")

    with open(f"{beside}/fixtures/documents.json", "a", encoding="utf-8") as file:
        file.write("\n")
    edited, said = report_of(program, beside)
    checks.that(edited["suite"]["edited"] and f"'fixtures' were played; {REMARK}" in said, f"nothing tells that fixtures differ: {said}")
    edited, _ = report_of(program, alone, "--fixtures", f"{beside}/fixtures")
    checks.that("edited" in edited["suite"], "--fixtures does not override those inside the program")
    own, _ = report_of(program, beside, "--fixtures", "program:")
    checks.that(own["suite"] == without["suite"], "--fixtures program: does not name those inside the program")

checks.end()
