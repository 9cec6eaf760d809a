#!/usr/bin/python3
"""No value of --header stands in anything that the judge prints or writes, whatever a target says of the headers that came, and no
credentials of an address. Argument: BUILD."""
import base64
import gzip
import html
import json
import os
import secrets
import tempfile
import urllib.parse

from judge_process import checks, misfit_of, null_server, run_tests, say, write
import echoing_server

TOKEN = secrets.token_urlsafe(24)
ODD = "k3y" + secrets.token_hex(4) + "/\"q\\u\"o'te&<%41>+é=".encode("ascii", "ignore").decode() + secrets.token_hex(4)
PASSWORD = "pass" + secrets.token_hex(6)
HEADERS = {"Authorization": f"Bearer {TOKEN}", "X-Api-Key": ODD, "Proxy-Authorization": "Basic " + base64.b64encode(f"user:{PASSWORD}".encode()).decode()}
SOME = ("v2-rest/*", "v2-grpc/*", "*/probe/*", "repository-*/*", "v2/infer/s*")
FEW = ("v2-rest/metadata/*", "v2-rest/health/*")
SLOW = ("*/health/ready-soon", "v2-rest/framing/close*")  # what waits for a server


def spellings(secret):
    """Returns the spellings of a secret that must not be found; all letters are small."""
    yield secret
    yield json.dumps(secret)[1:-1]
    yield html.escape(secret)
    yield html.escape(json.dumps(secret)[1:-1])
    yield secret.replace("\\", "\\x5c")
    yield secret.replace("\\", "\\134").replace("%", "\\045").replace("'", "\\047")
    yield secret.replace("'", "'\\''")
    yield urllib.parse.quote(secret)
    yield urllib.parse.quote(secret, safe="")
    yield secret.encode().hex()
    yield secret.encode().hex(":")
    yield ", ".join(map(str, secret.encode()))
    yield "".join(f"&#x{byte:x};" for byte in secret.encode())
    for before in range(3):
        for encode in (base64.b64encode, base64.urlsafe_b64encode):
            yield encode(b"x" * before + secret.encode()).decode()[(before * 8 + 5) // 6:(before + len(secret)) * 8 // 6]


FORMS = sorted({form.lower() for secret in (TOKEN, ODD, PASSWORD, HEADERS["Proxy-Authorization"].split()[1]) for form in spellings(secret)})
BEGINNINGS = [secret[:-3].lower() for secret in (TOKEN, ODD, PASSWORD)]


class Judged:
    """A run with all reports: what it printed, and what lies in its folder, by the name of the file."""

    def __init__(self, folder, *flags, headers=HEADERS, cases=SOME):
        kinds = ("junit", "json", "html", "markdown", "badge", "write-waivers", "evidence", "record")
        self.folder, files = folder, [word for kind in kinds for word in (f"--{kind}", f"{folder}/{kind}")]
        given = [word for name, value in headers.items() for word in ("--header", f"{name}: {value}")]
        filters = [f"--filter={glob}" for glob in cases] + [f"--skip={glob}" for glob in SLOW]
        self.code, out, err = say("run", *flags, *filters, *given, *files, "--verbose", "--timeout", "2", text=False, timeout=300)
        self.texts = {"standard output": out, "standard error": err}
        for place, _, names in os.walk(folder):
            for name in names:
                with open(os.path.join(place, name), "rb") as file:
                    content = file.read()
                    self.texts[os.path.join(place, name)] = gzip.decompress(content) if name == "record" else content
        self.report = json.loads(self.text_of("json"))

    def text_of(self, kind):
        return self.texts[f"{self.folder}/{kind}"].decode()


def expect_no_secret(judged, what):
    for name, text in judged.texts.items():
        text = text.decode("utf-8", "replace").lower()
        for form in FORMS + BEGINNINGS:
            at = text.find(form)
            checks.that(at < 0, f"{what}: {name.removeprefix(judged.folder)} has {form}: {text[max(0, at - 150):at + 150]!r}")
            checks.that(form not in name.lower(), f"{what}: a file is called {name}")


def expect_reports(judged, what):
    expect_no_secret(judged, what)
    misfit = misfit_of(judged.report)
    checks.that(not misfit, f"{what}: {misfit}")


def test_a_server_that_tells_what_came():
    server, grpc = echoing_server.grpc_server()
    with tempfile.TemporaryDirectory() as folder:
        judged = Judged(folder, "--target", echoing_server.rest_server(), "--grpc", grpc)
        expect_reports(judged, "a server that tells what came")
        for seen in (echoing_server.Rest.seen, echoing_server.Calls.seen):
            checks.that(set(HEADERS.values()) <= seen, "the headers were not sent")
        failed = [result for result in judged.report["results"] if result["verdict"] == "fail"]
        encodings = {result["encoding"] for result in failed}
        checks.that(judged.code == 1 and {"tcp", "http", "grpc"} <= encodings, f"exit code {judged.code}, failures over {encodings}")
        checks.that(any("@model%20of%20***@" in result["id"] for result in judged.report["results"]), "no model of the target was judged")
        checks.that(any("begins with: ***" in result.get("why", "") for result in failed), "no answer is quoted that is no HTTP")
        commands = [result["command"] for result in failed]
        checks.that(any(" replay " in command for command in commands), "no command plays a case again")
        checks.that(all(f"{name}: ***" in command for command in commands for name in HEADERS),
                    "a command has no place for a header")
        checks.that(all(f"{name}: ***" in judged.text_of("html") for name in HEADERS), "the page has no place for a header")
        checks.that("Authorization: ***" in judged.report["command"], f"the command line is {judged.report['command']}")
    server.stop(None)


def test_waivers_of_another_token():
    """What is hidden in a waiver is excused when another token is hidden in its place."""
    server = echoing_server.rest_server()
    with tempfile.TemporaryDirectory() as folder:
        first = Judged(f"{folder}/first", "--target", server, cases=FEW)
        waivers = json.loads(first.text_of("write-waivers"))
        checks.that(any("***" in text for waiver in waivers["waivers"] for text in waiver["observed"]), "no waiver has what is hidden")
        for waiver in waivers["waivers"]:
            waiver.update(reason="it tells what came", owner="the test")
        write(f"{folder}/waivers", waivers)
        others = {"Authorization": f"Bearer {secrets.token_hex(20)}", "X-Api-Key": secrets.token_hex(30), "Proxy-Authorization": HEADERS["Proxy-Authorization"]}
        then = Judged(f"{folder}/then", "--target", server, "--waivers", f"{folder}/waivers", headers=others, cases=FEW)
        checks.that(then.report["counts"]["waived"] == first.report["counts"]["fail"] > 0 == then.report["counts"]["fail"],
                    f"{then.report['counts']} with waivers: {then.report['reason']}")


def test_servers_that_answer_something_else():
    with tempfile.TemporaryDirectory() as folder, null_server("echo", "echo") as server:
        expect_reports(Judged(folder, "--target", server.http, "--grpc", server.grpc), "a server that sends requests back")
    with tempfile.TemporaryDirectory() as folder:
        judged = Judged(folder, "--target", echoing_server.rest_server(echoing_server.Redirect))
        expect_reports(judged, "a server that redirects")
        checks.that("redirects every request" in judged.report["reason"] and "***" in judged.report["reason"], f"the reason is {judged.report['reason']}")


def test_a_header_that_is_no_secret():
    with tempfile.TemporaryDirectory() as folder:
        judged = Judged(folder, "--target", echoing_server.rest_server(), headers={"X-Env": "1", "X-Stage": "production"},
                        cases=FEW)
        printed = judged.texts["standard output"].decode()
        checks.that("HTTP/1.1" in printed and "***" not in printed.replace("X-Env: ***", "").replace("X-Stage: ***", ""),
                    "a header that is no secret is hidden elsewhere")


def test_what_cannot_be_used():
    address = f"user:{PASSWORD}@127.0.0.1:1"
    for words in (("--target", f"http://{address}"), (f"--target=https://{address}/x"), ("--grpc", address), ("--grpc", f"grpcs://{address}"),
                  ("--graphpipe", f"http://{address}"), ("--metrics", f"http://{address}"), ("--state", f"loading=http://{address}"),
                  (f"http://{address}",), ("--header", PASSWORD), ("--header", "Authorization:", PASSWORD), (f"Authorization: {PASSWORD}",),
                  (f"--target=http://127.0.0.1:1/?key={PASSWORD}",), ("--header", "X-Api-Key:", "-" + PASSWORD), (f"--header:{PASSWORD}",),
                  ("compare", f"http://{address}", "http://127.0.0.1:1"), ("compare", "http://127.0.0.1:1", f"{address},http://127.0.0.1:1")):
        words = (words,) if isinstance(words, str) else words
        code, *told = say(*(words if words[0] == "compare" else ("run", *words)))
        said = "".join(told)
        checks.that(code == 2 and said.count("\n") == 1, f"{words}: exit code {code}: {said}")
        checks.that(PASSWORD not in said, f"{words}: {said}")


run_tests(globals())
