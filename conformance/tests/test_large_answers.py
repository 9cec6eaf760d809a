#!/usr/bin/python3
"""The judge needs little memory and work, however long the answers of a server are and however many come. Argument: BUILD.
`make test` plays some of the servers, `make test-all` all of them."""
import os
import subprocess
import tempfile
from concurrent import futures

from judge_process import build, checks, drawn, null_server

RESIDENT = 1000  # MiB that a run may take at most
SECONDS = 60  # of processor time that a run may take at most


def judge(http, grpc, *flags):
    """Runs the judge against a null server. Its exit code, the MiB and the processor time that it took are checked later."""
    with null_server(http, grpc) as server, tempfile.TemporaryDirectory() as folder:
        address = ("--graphpipe" if http.startswith("graphpipe") else "--target", server.http) if grpc == "dead" else ("--grpc", server.grpc)
        process = subprocess.Popen([f"{build}/oip-conformance", "run", *address, *flags, "--timeout", "5", "--evidence", f"{folder}/evidence",
                                    "--json", f"{folder}/report.json"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        return process.returncode, usage.ru_maxrss // 1024, usage.ru_utime + usage.ru_stime


RUNS = drawn([("wide-inputs", "dead", "--model", "simple"), ("many-inputs", "dead", "--model", "simple"), ("long-metadata", "dead", "--model", "simple"),
              ("many-outputs", "dead", "--model", "simple", "--filter", "v2*/infer*"),
              ("many-dimensions", "dead", "--model", "simple"), ("long-tensor-name", "dead", "--model", "simple", "--filter", "v2*/infer*"),
              *((kind, "dead", "--filter", "v2*/infer*") for kind in ("json-outputs-100000", "binary-outputs-8000", "binary-outputs-100000")),
              ("wide-models", "dead", "--filter", "v2-rest/health/*"), ("v1-outputs-8000", "dead"),
              ("v1-models", "dead"), ("graphpipe-outputs-8000", "dead"), ("graphpipe-outputs-100000", "dead"), ("dead", "many-outputs"),
              ("members", "dead"), ("numbers", "dead"), ("dead", "large"), ("dead", "huge-claim"),
              ("dead", "endless-interim"), ("dead", "endless-trailers"), ("dead", "endless-padding"), ("dead", "header-bomb"), ("dead", "no-window"), ("dead", "endless-frames")], 0.3)
with futures.ThreadPoolExecutor(2) as pool:
    for run, (code, resident, seconds) in zip(RUNS, pool.map(lambda run: judge(*run), RUNS)):
        name = " ".join(run)
        checks.that(code in (0, 1, 2, 3), f"{name}: exit code {code}")
        checks.that(resident < RESIDENT, f"{name}: the judge took {resident} MiB")
        checks.that(seconds < SECONDS, f"{name}: the run took {seconds:.0f} s of processor time")
checks.end()
