#!/usr/bin/python3
"""A server is judged by the edition of the documents that its answers fit, or by the one that --edition names. Argument: BUILD."""
import os
import subprocess
import tempfile

from judge_process import build, checks, judge_ours, read_json

OF_000 = {"v2-rest.case-sensitive", "v2-rest.health-body-empty", "v2-rest.health-false-4xx", "v2-rest.model-ready-false"}
OF_OIP = {"v2-rest.live-body", "v2-rest.ready-body", "v2-rest.model-ready-body", "v2-rest.metadata-properties", "generate-rest.details",
          "generate-rest.finish-reason", "generate-rest.stop"}
CASES = ["--filter", "v2-rest/health/*", "--filter", "v2-rest/metadata/*", "--filter", "generate-rest/generate/details*", "--allow-mutation"]


def run(server_flags, *flags):
    """Judges our server with these flags; returns the exit code, what was printed and the report, or None if there is none."""
    with tempfile.TemporaryDirectory() as folder:
        path = f"{folder}/report.json"
        said = judge_ours(path, *flags, server=["--models", f"{build}/models/builtin", *server_flags])
        return said.code, said.out + said.err, read_json(path) if os.path.exists(path) else None


def check(label, server_flags, flags, code, edition):
    got, said, report = run(server_flags, *CASES, *flags)
    checks.that(got == code and report and report["discovery"]["edition"] == edition, f"{label}: exit code {got}, {said[-800:]}")
    keys = {result["key"] for result in report["results"]} if report else set()
    rows, others = (OF_OIP, OF_000) if edition == "OIP" else (OF_000, OF_OIP)
    checks.that(rows <= keys and not others & keys, f"{label}: judged were {sorted(keys & (OF_000 | OF_OIP))}")
    return said


WITH_BODIES = ["--dialect", "kserve"]
check("empty bodies", [], [], 0, "000")
said = check("bodies with live", WITH_BODIES, [], 0, "OIP")
checks.that("judged by the edition OIP" in said and "/ready" in said, f"the report says by which edition it judges, and why: {said}")
check("bodies with live, by 000", WITH_BODIES, ["--edition", "000"], 0, "000")
check("a body of 000's that resembles one of OIP's", [*WITH_BODIES, "--deviate", "rest-model-ready-body-without-name"], [], 0, "000")
said = check("empty bodies, by OIP", [], ["--edition", "OIP"], 1, "OIP")
checks.that("v2-rest.live-body" in said and "v2-rest.model-ready-body" in said, f"empty bodies break OIP: {said}")
code, said, report = run([], "--edition", "no-such")
checks.that(code == 2 and "there is no edition 'no-such'" in said, f"an unknown edition: exit code {code}, {said}")

killed = subprocess.run(["ci/mutation", build, "--edition", "OIP", *CASES], capture_output=True, text=True, check=False,
                        env={**os.environ, "OIP_SERVER_FLAGS": " ".join(WITH_BODIES)}).stdout
for name in ("rest-live-body-says-no", "rest-ready-body-neither", "rest-model-ready-body-without-name", "rest-model-ready-body-says-yes", "rest-metadata-properties-number",
             "rest-generate-details-without-tokens", "rest-generate-finishes-for-another-reason", "rest-generate-goes-on-behind-stop"):
    checks.that(f"killed    {name} " in killed, f"{name} is not killed: {killed[-1500:]}")
checks.end()
