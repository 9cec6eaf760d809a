#!/usr/bin/python3
"""A server that pads all that it answers over gRPC, as it may (RFC 9113, 6.1 and 6.2), is conformant. Argument: BUILD."""
import sys

sys.path.insert(0, "conformance/tests")
from judge_process import Checks, Run, reference_server

build = sys.argv[1]
checks = Checks()
with reference_server(build, "--models", f"{build}/models/kit", "--models", f"{build}/models/builtin", "--models", f"{build}/models/batching",
                      "--grpc-padding", "255") as server:
    run = Run(build, "--grpc", server.grpc)
checks.code(0, "padding", run)
bad = run.verdicts("fail", "timeout", "error", "warn", "blocked")
checks.that(not bad, f"padding: {', '.join(bad[:5])}", run)
checks.that(run.report and run.report["judged"] > 3000, "padding: too little was judged", run)
checks.end()
