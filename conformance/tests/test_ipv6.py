#!/usr/bin/python3
"""Targets may have IPv6 addresses: --target http://[::1]:PORT and --grpc [::1]:PORT, also on bare connections. Argument: BUILD.

The reference server listens for gRPC on [::1] itself. For HTTP its library knows no IPv6, so a forwarder stands before it, which
hands on the bytes as they come. Without IPv6 on this machine nothing is tested."""
import socket

from forwarder import Forwarder, address_of
from judge_process import Run, build, checks, reference_server


def has_ipv6():
    try:
        with socket.socket(socket.AF_INET6) as probe:
            probe.bind(("::1", 0))
        return True
    except OSError:
        return False


def main():
    if not has_ipv6():
        print("no IPv6 here")
        checks.end()
    models = ("--models", f"{build}/models/kit", "--models", f"{build}/models/builtin")
    with reference_server("--grpc", "[::1]:0", *models) as server:
        checks.that(server.grpc.startswith("[::1]:"), f"the server says that it listens at {server.grpc}")
        said = []
        forwarder = Forwarder(address_of(server.http), "::1", change=lambda piece: said.append(piece) or piece)
        filters = ("v2-rest/framing/*", "v2-rest/metadata/*", "v2-grpc/metadata/*", "v2-grpc/framing/*", "v2/infer/scalar*")
        left_out = ("--skip", "*/absolute-form*")  # the server's library does not read [::1] in the target of a request either
        run = Run("--target", "http://" + forwarder.address, "--grpc", server.grpc, *left_out,
                  *(word for glob in filters for word in ("--filter", glob)))
        checks.code(0, "a target on IPv6", run)
        passed = {result["encoding"] for result in (run.report or {"results": []})["results"] if result["verdict"] == "pass"}
        for encoding in ("http", "tcp", "grpc", "rest-flat", "grpc-raw"):
            checks.that(encoding in passed, f"nothing was judged over {encoding}", run)
        checks.that(not run.verdicts("fail", "timeout", "warn"), f"these failed: {run.verdicts('fail', 'timeout', 'warn')}")
        checks.that(f"Host: {forwarder.address}\r\n".encode() in b"".join(said), "the address is the Host")
    checks.end()


main()
