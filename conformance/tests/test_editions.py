#!/usr/bin/python3
"""A server is judged by the edition of the documents that its answers fit, or by the one that --edition names. Argument: BUILD."""
import os
import tempfile

from judge_process import build, call, checks, judge_ours, read_json

OF_000 = {"v2-rest.case-sensitive", "v2-rest.health-body-empty", "v2-rest.health-false-4xx", "v2-rest.model-ready-false"}
OF_OIP = {"v2-rest.live-body", "v2-rest.ready-body", "v2-rest.model-ready-body", "v2-rest.metadata-properties", "generate-rest.details",
          "generate-rest.finish-reason", "generate-rest.stop"}
CASES = ["--filter", "v2-rest/health/*", "--filter", "v2-rest/metadata/*", "--filter", "generate-rest/generate/details*", "--allow-mutation"]


def run(server_flags, *flags):
    """Judges our server with these flags; returns what was said and the report, or None if there is none."""
    with tempfile.TemporaryDirectory() as folder:
        path = f"{folder}/report.json"
        said = judge_ours(path, *flags, server=["--models", f"{build}/models/builtin", *server_flags])
        return said, read_json(path) if os.path.exists(path) else None


def check(label, server_flags, flags, code, edition, *says):
    said, report = run(server_flags, *CASES, *flags)
    checks.code(code, label, said, *says)
    checks.that(report and report["discovery"]["edition"] == edition, f"{label}: another edition", said)
    keys = {result["key"] for result in report["results"]} if report else set()
    rows, others = (OF_OIP, OF_000) if edition == "OIP" else (OF_000, OF_OIP)
    checks.that(rows <= keys and not others & keys, f"{label}: judged were {sorted(keys & (OF_000 | OF_OIP))}")


WITH_BODIES = ["--dialect", "kserve"]
check("empty bodies", [], [], 0, "000")
check("bodies with live", WITH_BODIES, [], 0, "OIP", "judged by the edition OIP", "/ready")
check("bodies with live, by 000", WITH_BODIES, ["--edition", "000"], 0, "000")
check("a body of 000's that resembles one of OIP's", [*WITH_BODIES, "--deviate", "rest-model-ready-body-without-name"], [], 0, "000")
check("empty bodies, by OIP", [], ["--edition", "OIP"], 1, "OIP", "v2-rest.live-body", "v2-rest.model-ready-body")
checks.code(2, "an unknown edition", run([], "--edition", "no-such")[0], "there is no edition 'no-such'")

killed = call("ci/mutation", build, "--edition", "OIP", *CASES, env={**os.environ, "OIP_SERVER_FLAGS": " ".join(WITH_BODIES)}).out
for name in ("rest-live-body-says-no", "rest-ready-body-neither", "rest-model-ready-body-without-name", "rest-model-ready-body-says-yes", "rest-metadata-properties-number",
             "rest-generate-details-without-tokens", "rest-generate-finishes-for-another-reason", "rest-generate-goes-on-behind-stop"):
    checks.that(f"killed    {name} " in killed, f"{name} is not killed: {killed[-1500:]}")
checks.end()
