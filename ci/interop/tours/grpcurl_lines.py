"""A tour with the grpcurl commands of a report      BUILD; GRPC: a server that is wrong; grpcurl is found in PATH

Each command must make the call that the judge made, so the server must answer it with the same status."""
import json
import os
import subprocess
import sys
import tempfile

from tour import GRPC, Tour

CASES = ("v2-grpc/infer/*", "v2/infer/sum-and-difference*", "v2/infer/bytes*", "v2/infer/parameters*", "v2/infer/datatype/*")
tour = Tour("grpcurl of a report")


def status_of(command):
    """Runs the command, and returns the status of its call as the judge spells it."""
    run = subprocess.run(command, shell=True, capture_output=True, text=True, timeout=60)
    name = "OK" if run.returncode == 0 else run.stderr.partition("Code: ")[2].split("\n")[0] or run.stderr
    return "".join("_" + c if c.isupper() and name != "OK" else c for c in name).upper().lstrip("_")


with tempfile.TemporaryDirectory() as folder:
    report = os.path.join(folder, "report.json")
    filters = [word for case in CASES for word in ("--filter", case)]
    subprocess.run([os.path.join(sys.argv[1], "oip-conformance"), "run", "--grpc", GRPC, *filters, "--json", report, "--evidence", folder],
                   stdout=subprocess.DEVNULL, timeout=120)
    with open(report, encoding="utf-8") as file:
        results = json.load(file)["results"]

calls = {r["grpcurl"]: r for r in results if "grpcurl" in r}
tour.check("many calls fail", lambda: len(calls) > 30, True)
for command, result in calls.items():
    received = result["received"].partition(",")[0].partition(":")[0]
    tour.check(result["id"], lambda command=command: status_of(command), received)
tour.end()
