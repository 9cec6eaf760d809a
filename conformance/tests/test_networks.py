#!/usr/bin/python3
"""The judge as a vendor runs it: through TLS whose authority is anybody's, below a path, far from its fixtures. Argument: BUILD."""
import os
import re
import shutil
import tempfile
from concurrent import futures

import grpc

from forwarder import Forwarder, address_of, make_certificate, tls_context
from judge_process import Run, build, call, checks, reference_server, write

# Behind a forwarder the host of a request is not the one at which our server listens, and its library looks at that.
ABSOLUTE = ("--skip", "*/absolute-form*")
SOME = (*ABSOLUTE, "--filter", "v2/infer/scalar*", "--filter", "v2-rest/framing/*", "--filter", "v2-rest/health/*", "--filter", "v2-grpc/framing/*")


def of_encodings(run):
    return {result["encoding"] for result in (run.report or {"results": []})["results"] if result["verdict"] == "pass"}


def through_tls(server, folder):
    pem = make_certificate(f"{folder}/server")
    rest, grpc = (Forwarder(address_of(at), tls=tls_context(pem, protocol)).address
                  for at, protocol in ((server.http, "http/1.1"), (server.grpc, "h2")))
    both = ("--target", f"https://{rest}", "--grpc", f"grpcs://{grpc}")
    run = Run(*both, *SOME, "--ca", pem + ".pem")
    checks.code(0, "a proxy that speaks TLS", run)
    checks.that({"http", "tcp", "grpc", "rest-flat", "grpc-raw"} <= of_encodings(run), "all ways are judged over TLS", run)
    checks.that(run.report and run.report["insecure"] is False, "the certificate was checked", run)
    run = Run(*both, *SOME)
    checks.code(3, "an authority that nobody knows", run)
    checks.that(run.output.count("\n") == 1 and run.output.count("--ca FILE") == 2 and "--insecure" in run.output, "one line says what to do", run)
    run = Run(*both, *SOME, "--insecure")
    checks.code(0, "--insecure", run)
    checks.that(run.report["insecure"] and any("not checked" in note for note in run.report["discovery"]["notes"]) and
                "not checked (--insecure)" in run.output and
                {case.get("name") for case in run.junit.iter("property")} >= {"insecure"}, "every report says that nobody was checked", run)
    for variable, value in (("SSL_CERT_FILE", pem + ".pem"), ("SSL_CERT_DIR", f"{folder}/authorities")):
        os.makedirs(f"{folder}/authorities", exist_ok=True)
        shutil.copy(pem + ".pem", f"{folder}/authorities/server.pem")
        call("openssl", "rehash", f"{folder}/authorities", check=True)
        os.environ[variable] = value
        checks.code(0, f"authorities that {variable} names", Run(*both, "--filter", "v2-*/health/*"))
        del os.environ[variable]
    other = make_certificate(f"{folder}/other", "DNS:other.example")
    run = Run("--target", "https://" + Forwarder(address_of(server.http), tls=tls_context(other)).address, "--ca", other + ".pem")
    checks.code(3, "a certificate of another name", run, "cannot be verified")
    run = Run("--grpc", grpc, "--insecure", "--filter", "v2-grpc/health/*")
    checks.code(0, "an address without a scheme speaks TLS where a flag is about certificates", run)
    run = Run("--target", f"https://{rest}", "--grpc", "grpc://" + server.grpc, "--ca", pem + ".pem", "--filter", "v2-*/health/*")
    checks.code(0, "TLS for REST alone", run)
    for text, said, *flags in (("TLS at a port that speaks none", "no TLS connection", "--target", server.http.replace("http", "https")),
                               ("gRPC over TLS at a port that speaks none", "no TLS connection", "--grpc", "grpcs://" + server.grpc),
                               ("no TLS at a port that wants it", "TLS", "--target", f"http://{rest}"),
                               ("gRPC without TLS at a port that wants it", "TLS", "--grpc", f"grpc://{grpc}")):
        run = Run(*flags)
        checks.code(3, text, run)
        checks.that(said in run.output and run.output.count("\n") == 1, f"{text}: one line says it", run)
    with reference_server("--models", f"{build}/models/kit", "--deviate", "rest-id-lost") as wrong:
        at = Forwarder(address_of(wrong.http), tls=tls_context(pem)).address
        run = Run("--target", f"https://{at}", "--insecure", "--filter", "v2/infer/sum*")
        checks.code(1, "a wrong server behind TLS", run)
        checks.that(any(" --insecure " in r.get("command", "") for r in run.report["results"]), "the command does not check either", run)


def below_a_path(server):
    prefix, asked = "/serve/models", set()

    def without_prefix(piece):
        asked.update(path.decode("latin-1") for path in re.findall(rb"(?m)^\S+ (\S+) HTTP/[019]\.[019]\r$", piece))
        return re.sub(rb"(?<=[A-Za-z] )" + prefix.encode() + rb"(?=/)", b"", piece)

    forwarder = Forwarder(address_of(server.http), change=without_prefix)
    run = Run("--target", f"http://{forwarder.address}{prefix}", *SOME, "--filter", "v2-rest/metadata/*")
    checks.code(0, "a server below a path", run)
    checks.that({"http", "tcp", "rest-flat"} <= of_encodings(run), "bytes and requests find it", run)
    stray = {path for path in asked if not re.match(rf"{prefix}/", path)}
    checks.that(len(asked) > 10 and not stray, f"these paths are not below it: {sorted(stray)[:5]}", run)


def dead_ports():
    for flags in (("--target", "http://127.0.0.1:1"), ("--grpc", "127.0.0.1:1"), ("--graphpipe", "http://127.0.0.1:1"),
                  ("--target", "http://[::1]:1"), ("--grpc", "[::1]:1"), ("--target", "https://127.0.0.1:1"), ("--grpc", "grpcs://[::1]:1")):
        run = Run(*flags)
        checks.code(3, f"a dead port: {flags[1]}", run)
        checks.that(run.output.count("\n") == 1 and "no connection" in run.output and flags[1] in run.output, f"{flags[1]}: one line", run)


def far_from_the_fixtures(folder):
    """Neither the folder in which one stands nor the place of an installed copy matters."""
    root = os.path.join(folder, "installed")
    os.makedirs(f"{root}/bin")
    os.makedirs(f"{root}/share/oip-conformance")
    shutil.copy(f"{build}/oip-conformance", f"{root}/bin")
    shutil.copytree("fixtures", f"{root}/share/oip-conformance/fixtures", ignore=shutil.ignore_patterns("models"))
    shutil.copytree("fixtures/models", f"{root}/share/oip-conformance/fixtures/models", ignore=shutil.ignore_patterns("*.onnx"))
    os.symlink(f"{root}/bin/oip-conformance", f"{folder}/linked")
    for program in (f"{root}/bin/oip-conformance", f"{folder}/linked", os.path.abspath(f"{build}/oip-conformance")):
        checks.code(0, f"{program} finds its fixtures", call(program, "list", "--filter", "v2-rest.id-echoed", cwd="/"), "#v2-rest.id-echoed\tmust")


def what_serve_prints(server):
    """`make serve` prints an inference that the server answers."""
    recipe = call("make", "-n", "serve", check=True).out
    (echo,) = [line for line in recipe.splitlines() if line.startswith('echo "  curl ')]
    curl = call("sh", "-c", echo, check=True).out.replace("http://127.0.0.1:8000", server.http)
    answer = call("sh", "-c", curl).out
    checks.that('"data":[1.5,2' in answer.replace(" ", ""), f"{curl} gave {answer}")


def with_a_guarded_repository(folder):
    """A server that guards its model repository alone breaks nothing."""
    write(f"{folder}/token", "secret\n")
    with reference_server("--models", f"{build}/models/kit", "--repository-token", f"{folder}/token") as server:
        some = ("--target", server.http, "--grpc", server.grpc, "--filter", "repository*/index", "--filter", "v2-*/health/*")
        run = Run(*some)
        whys = {row["profile"]: row["why"] for row in (run.report or {"not_offered": []})["not_offered"]}
        checks.code(0, "a repository that wants a token", run)
        for profile, said in (("repository-rest", "POST /v2/repository/index gave 401; it needs credentials: give --header 'Authorization: ...'"),
                              ("repository-grpc", "RepositoryIndex gave UNAUTHENTICATED; it needs credentials: give --header 'Authorization: ...'")):
            checks.that(whys.get(profile, "").endswith(said), f"{profile} is not judged, and it is said what helps: {whys.get(profile)}", run)
        run = Run(*some, "--header", "Authorization: Bearer secret")
        checks.code(0, "a repository whose token is given", run)
        checks.that(any(name.startswith("repository-rest/index@http#") for name in run.verdicts("pass")), "it is judged", run)


def with_credentials_for_frames():
    """Frames of HTTP/2 that a case writes have the headers of the user, too: a server may serve no call without them."""
    class Guarded(grpc.GenericRpcHandler):
        def service(self, call):
            is_known = dict(call.invocation_metadata).get("authorization") == "Bearer secret"
            return grpc.unary_unary_rpc_method_handler(
                lambda request, context: b"\x08\x01" if is_known else context.abort(grpc.StatusCode.UNAUTHENTICATED, "who is there?"))

    server = grpc.server(futures.ThreadPoolExecutor(8), handlers=[Guarded()])
    address = f"127.0.0.1:{server.add_insecure_port('127.0.0.1:0')}"
    server.start()
    run = Run("--grpc", address, "--filter", "http2.call", "--header", "Authorization: Bearer secret")
    checks.that(run.keys("pass") == {"http2.call"}, "a server that wants credentials serves frames", run)
    server.stop(None)


with tempfile.TemporaryDirectory() as scratch, \
        reference_server("--models", f"{build}/models/kit", "--models", f"{build}/models/builtin") as ours:
    through_tls(ours, scratch)
    below_a_path(ours)
    dead_ports()
    what_serve_prints(ours)
    far_from_the_fixtures(scratch)
    with_a_guarded_repository(scratch)
with_credentials_for_frames()
checks.end()
