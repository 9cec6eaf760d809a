#!/usr/bin/python3
"""What teaches: the guides, `walk`, and the book. Argument: BUILD. A server that only repeats what a guide tells is judged to be right by the
cases that the guide names; what our own server answers is never asked for it."""
import json
import os
import pty
import re
import signal
import subprocess
import tempfile

import http_handler
from judge_process import build, checks, read_json, read_text, reference_server, say
from page import Page

judge = f"{build}/oip-conformance"
profiles = read_json("fixtures/encodings.json")["profiles"]
guided = {name: profile["guide"] for name, profile in profiles.items() if "guide" in profile}


def run(*words):
    """Runs the judge without a terminal, and checks that a screen or a log file can show what it prints."""
    said = say(*words, stdin=subprocess.DEVNULL)
    wide = [line for line in said.out.splitlines() if len(line) > 80 and " " in line[12:].strip()]
    checks.that(not wide, f"{words}: a line of more than 80 columns: {wide[:1]}")
    checks.that(said.out.replace("\n", "").isprintable(), f"{words}: not printable")
    return said


def rows_of(profile):
    """Returns the keys that a guide must tell: what is demanded of servers by the newest edition, and tested."""
    rows = read_json(f"fixtures/requirements/{profile}.json")
    return {row["key"] for row in rows if row["level"] in ("must", "should") and row["binds"] == "server" and row["status"] == "tested"
            and any(source["text"] in ("OIP", "OIP schemas") or source["text"] != "000" for source in row["sources"])}


def exchanges_of(guide):
    """Returns {request line: (status, headers, body)} of the exchanges over HTTP with bodies of JSON."""
    found, lines = {}, re.sub(r"\n  (?=\S)", "", guide.split("\n\n", 1)[1]).splitlines()
    request = None
    for line in lines:
        if line.startswith("> ") and line.endswith(" HTTP/1.1"):
            request, answer = line[2:-9], []
            found[request] = answer
        elif line.startswith("<") and request:
            answer.append(line[2:])
    return {request: (int(answer[0].split()[1]), dict(line.split(": ") for line in answer[1:answer.index("")]), answer[-1])
            for request, answer in found.items()}


class Parrot(http_handler.Handler):
    """Repeats what the guide tells."""
    exchanges = {}

    def repeat(self):
        self.body()
        lost = (404, {"Content-Type": "application/json"}, '{"error": "the guide does not tell that"}')
        status, headers, body = self.exchanges.get(f"{self.command} {self.path}", lost)
        self.answer(status, [one for one in headers.items() if one[0] != "Content-Length"], body.encode())

    do_GET = do_POST = repeat


# The guides.
code, listed, _ = run("guide")
checks.that(code == 0 and [line.split()[0] for line in listed.splitlines() if line[0] != " "] == list(guided), f"guide lists {listed}")
checks.code(2, "guide v2-res", run("guide", "v2-res"), "did you mean v2-rest")
for name, guide in guided.items():
    code, told, _ = run("guide", name)
    cases = re.findall(r"^  case +(\S+)$", told, re.MULTILINE)
    checks.that(code == 0 and cases == guide["cases"], f"guide {name}: {code}, {cases}")
    keys = re.findall(r"^  (?:must|should) +(\S+):", told, re.MULTILINE)
    own = [key for key in keys if key.startswith(f"{name}.")]
    checks.that(sorted(own) == sorted(rows_of(name)), f"guide {name}: {set(own) ^ rows_of(name)}")
    checks.that(len(told.splitlines()) < 500, f"guide {name} has {len(told.splitlines())} lines")

# A server that knows nothing but the guide.
told = exchanges_of(run("guide", "v2-rest")[1])
for request, (_, headers, body) in told.items():
    checks.that(len(body) == int(headers["Content-Length"]), f"{request}: {body} has not {headers['Content-Length']} bytes")
tensors = [{"name": "INPUT0", "datatype": "INT32", "shape": [-1, -1]}], [{"name": "OUTPUT0", "datatype": "INT32", "shape": [-1, -1]}]
metadata = {"name": "identity_int32", "platform": "", "inputs": tensors[0], "outputs": tensors[1]}
Parrot.exchanges = {**told, "GET /v2/models/identity_int32": (200, {"Content-Type": "application/json"}, json.dumps(metadata))}
parrot = http_handler.serve(Parrot)
for case in guided["v2-rest"]["cases"]:
    checks.code(0, case, run("walk", f"{case}@http", "--target", parrot.http, "--edition", "OIP"), "what was judged holds")
parrot.shutdown()

# Walking, without a terminal and on one.
with reference_server("--models", f"{build}/models/kit") as server:
    code, walked, _ = run("walk", "v2-rest/infer/request/body-array@http", "--target", server.http)
    titles = re.findall(r"^\d+\. (\S+)$", walked, re.MULTILINE)
    checks.that(code == 0 and titles == [f"v2-rest/infer/request{end}@http" for end in ("", "/body-array")], f"{code}: {titles}")
    checks.that("\npass            v2-rest.body-object (must): a body that is JSON but not an object is an error\n  expected" in
                re.sub(r"\n {16}", " ", walked), f"no verdict: {walked[-900:]}")
    checks.code(0, "walk shows bytes, and outputs decoded", run("walk", "v2/infer/scalar@grpc-raw", "--grpc", server.grpc),
                '>   0a 06 73 63 61 6c 61 72  model_name "scalar"\n', '< the outputs are [{"name":"OUTPUT0","datatype":"FP32","shape":[],"data":[5]}]\n')
    checks.code(2, "walk without an encoding", run("walk", "v2/infer/scalar", "--grpc", server.grpc), "did you mean v2/infer/scalar@")

    for last, expected in ((None, 0), (signal.SIGINT, 130)):
        terminal, inner = pty.openpty()
        with subprocess.Popen([judge, "walk", "v2-rest/infer/request/body-array@http", "--target", server.http], stdin=inner,
                              stdout=subprocess.PIPE) as process:
            seen, asked = b"", 0
            for byte in iter(lambda: process.stdout.read1(1), b""):
                seen += byte
                if seen.endswith(b"Press Enter to go on. "):
                    asked += 1
                    if last and asked == 1:
                        process.send_signal(last)
                    else:
                        os.write(terminal, b"\n")
        checks.that(process.returncode == expected, f"on a terminal: {process.returncode}, expected {expected}")
        checks.that(last or asked == 2, f"Enter was asked for {asked} times")
        os.close(terminal)
        os.close(inner)

# The book.
with tempfile.TemporaryDirectory() as folder:
    code, _, said = run("book", "--html", f"{folder}/book.html", "--markdown", f"{folder}/book.md")
    page = Page(f"{folder}/book.html")
    checks.that(code == 0 and not page.wrong, f"book: {code}, {said}, {page.wrong[:5]}")
    markdown = read_text(f"{folder}/book.md").replace("\\", "")
headings = set(re.findall(r"^### (\S+)", markdown, re.MULTILINE))
keys = {row["key"] for name in os.listdir("fixtures/requirements") for row in read_json(f"fixtures/requirements/{name}")}
cases = {line.split("@")[0] for line in subprocess.check_output([judge, "list"], text=True).splitlines() if "@" in line}
families = {path for path in cases if os.path.exists(f"fixtures/{path}.json")}
checks.that(len(families) > 500, f"{len(families)} families")
for where, there in (("HTML", set(page.ids)), ("markdown", headings)):
    checks.that(not keys - there, f"{where}: it lacks the requirements {sorted(keys - there)[:5]}")
    checks.that(not families - there, f"{where}: it lacks the cases {sorted(families - there)[:5]}")
checks.end()
