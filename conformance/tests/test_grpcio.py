#!/usr/bin/python3
"""A server whose gRPC is grpcio's, the C core, is conformant: it shares no line of HTTP/2 with the judge. Argument: BUILD.

It hands each call on to the reference server as it is. What its library answers itself is left out."""
import sys

sys.path[:0] = ["conformance/tests", "conformance/tests/variants"]
from grpc_relay import LIBRARY
from judge_process import Checks, Run, reference_server
from stream_relay import StreamRelay, StreamVariant

build = sys.argv[1]
checks = Checks()
with reference_server(build, "--models", f"{build}/models/kit", "--models", f"{build}/models/builtin", "--models", f"{build}/models/batching") as server:
    with StreamRelay(StreamVariant("grpcio", "it changes nothing"), server.grpc) as relay:
        run = Run(build, "--grpc", relay.address, "--timeout", "60", *LIBRARY)
checks.code(0, "grpcio", run)
bad = run.verdicts("fail", "timeout", "error", "warn", "blocked")
checks.that(not relay.faults, f"grpcio: {''.join(relay.faults[:1])}")
checks.that(not bad, f"grpcio: {', '.join(bad[:5])}", run)
checks.that(run.report and run.report["judged"] > 3000, "grpcio: too little was judged", run)
checks.end()
