#!/usr/bin/python3
"""The judge needs little memory, however long the answers of a server are and however many come. Argument: BUILD."""
import os
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, "conformance/tests")
from judge_process import Checks, null_server

RESIDENT = 600  # MiB that a run may take at most
SECONDS = 60

build = sys.argv[1]
checks = Checks()


def judge(name, *flags):
    """Runs the judge. Its exit code is not checked here."""
    with tempfile.TemporaryDirectory() as folder:
        start = time.monotonic()
        process = subprocess.Popen([f"{build}/oip-conformance", "run", *flags, "--timeout", "5", "--evidence", f"{folder}/evidence",
                                    "--json", f"{folder}/report.json"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        seconds, resident = time.monotonic() - start, usage.ru_maxrss // 1024
    checks.that(process.returncode in (1, 2, 3), f"{name}: exit code {process.returncode}")
    checks.that(resident < RESIDENT, f"{name}: the judge took {resident} MiB")
    checks.that(seconds < SECONDS, f"{name}: the run took {seconds:.0f} s")


for kind in ("members", "numbers"):
    with null_server(kind, "dead") as server:
        judge(kind, "--target", server.http)
for kind in ("long-metadata", "many-inputs", "wide-inputs"):
    with null_server(kind, "dead") as server:
        judge(kind, "--target", server.http, "--model", "simple")
for kind in ("large", "huge-claim"):
    with null_server("dead", kind) as server:
        judge(f"gRPC {kind}", "--grpc", server.grpc)
checks.end()
