"""Shared by the script tests of the judge: starts and stops programs, runs the judge, and checks its reports."""
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile
import time
import typing
import xml.etree.ElementTree as ElementTree

import jsonschema

sys.path[:0] = ["conformance/tests/variants", "proto/tests"]  # for the script, too
import checks
from program import Program

SCHEMA = jsonschema.Draft7Validator(json.load(open("conformance/report/report.schema.json", encoding="utf-8")))
FREE = {"says", "observed", "why", "expected", "received", "sent", "command", "grpcurl", "refused_by", "asked", "answered", "seconds"}  # their values are any
PATIENCE = 600  # seconds; reached only if the judge hangs
EVERYTHING = "TEST_ALL" in os.environ  # `make test-all` sets it
COMMIT = subprocess.getoutput("git rev-parse HEAD")


def drawn(items, share):
    """Returns what a test plays, in its order: all items for `make test-all`, otherwise a share of them, another one for each commit."""
    items = list(items)
    numbers = random.Random(COMMIT).sample(range(len(items)), max(1, round(len(items) * share)))
    return items if EVERYTHING else [items[number] for number in sorted(numbers)]


def read_text(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def read_json(path):
    return json.loads(read_text(path))


def write(path, content):
    """Writes a text, or a value as JSON. Returns the path."""
    with open(path, "w", encoding="utf-8") as file:
        file.write(content if isinstance(content, str) else json.dumps(content))
    return path


def copy_model(model, folder):
    """Copies the folder of a model, which goes by the name of its new folder."""
    shutil.copytree(model, folder)
    config, names = f"{folder}/config.pbtxt", [f'name: "{os.path.basename(path)}"' for path in (model, folder)]
    if os.path.exists(config):
        write(config, read_text(config).replace(*names, 1))


class Server(Program):
    """A server that prints where it listens (program.py)."""

    def __init__(self, *command, **how):
        super().__init__(*command, **how)
        self.http, self.grpc = "http://" + self.listening.get("http", ""), self.listening.get("grpc")
        self.graphpipe = "http://" + self.listening.get("graphpipe", "")


def null_server(http, grpc):
    return Server("/usr/bin/python3", "conformance/tests/null_servers.py", http, grpc)


def reference_server(*flags):
    return Server(f"{build}/oip-reference-server", "--http", "127.0.0.1:0", "--grpc", "127.0.0.1:0", *flags, ready="loaded ")


def has(output, text):
    """Whether the output has the text, wherever its lines are broken."""
    return " ".join(text.split()) in " ".join(output.split())


class Said(typing.NamedTuple):
    code: int
    out: str
    err: str
    faults = ()

    @property
    def output(self):
        return (self.out or "") + (self.err or "")  # one that goes elsewhere is None

    def says(self, text):
        return has(self.output, text)


def call(*command, **how):
    """Runs a command, and returns what it said."""
    run = subprocess.run(command, **{"capture_output": True, "text": True, "check": False, **how})
    return Said(run.returncode, run.stdout, run.stderr)


def say(*words, **how):
    """Runs a command of the judge, and returns what it said."""
    return call(f"{build}/oip-conformance", *words, **how)


def judge_ours(report, *flags, server=(), ends=("target",)):
    """Judges our server of the kit at these ends, and leaves the report there."""
    with reference_server("--models", f"{build}/models/kit", "--graphpipe", "127.0.0.1:0", *server) as own:
        addresses = {"target": own.http, "grpc": own.grpc, "graphpipe": own.graphpipe}
        words = [word for end in ends for word in (f"--{end}", addresses[end])]
        return say("run", *words, *flags, "--json", report, "--evidence", os.path.dirname(report))


def form_of(result):
    """Returns what the schema sees of a result: two results of the same form fit it, or both do not."""
    if not isinstance(result, dict):
        return repr(result)
    return tuple((name, type(value), (name == "seconds" and str(value).startswith("-")) if name in FREE else repr(value))
                 for name, value in result.items())


def misfit_of(report, known=set()):
    """Returns why a report does not fit its schema, or None. The forms of results that fitted are `known`, since most runs have many
    of the same thousands."""
    forms = {form_of(result): result for result in report.get("results", [])}
    unknown = [result for form, result in forms.items() if form not in known]
    for error in SCHEMA.iter_errors({**report, "results": unknown} if "results" in report else report):
        return error.message
    known.update(forms)
    return None


def unjudged_claims(report):
    """Returns the findings that an extension is claimed of which nothing was judged."""
    return [finding for finding in report["findings"] if "claim" in finding]


class Run:
    """A finished run of the judge, with its reports read and checked. `interrupt_at`: an event, at which it gets SIGINT."""

    def __init__(self, *flags, interrupt_at=None, command="run"):
        with tempfile.TemporaryDirectory() as folder:
            junit, report = f"{folder}/deep/junit.xml", f"{folder}/report.json"
            files = ["--junit", junit, "--json", report, "--evidence", f"{folder}/evidence"] if command == "run" else []
            start = time.monotonic()
            process = subprocess.Popen([f"{build}/oip-conformance", command, *flags, *files], stdout=subprocess.PIPE,
                                       stderr=subprocess.STDOUT)
            if interrupt_at:
                interrupt_at.wait(PATIENCE)
                process.send_signal(2)
            self.output = process.communicate(timeout=PATIENCE)[0].decode()
            self.seconds = time.monotonic() - start
            self.code = process.returncode
            self.junit = ElementTree.parse(junit).getroot() if os.path.exists(junit) else None
            self.report = read_json(report) if os.path.exists(report) else None
        self.faults = list(self.check()) if command == "run" else []

    def check(self):
        """Returns what is wrong with the reports, with any result of the run."""
        if (self.junit is None) != (self.report is None):
            yield "one report is missing"
        if self.junit is None or self.report is None:
            return
        misfit = misfit_of(self.report)
        if misfit:
            yield f"the JSON report does not fit its schema: {misfit[:300]}"
            return
        if self.report["exit_code"] != self.code:
            yield f"the report says exit code {self.report['exit_code']}, the program {self.code}"
        planned = [result for result in self.report["results"] if "replay" not in result]
        left_out = self.report["counts"]["disabled"]
        if len(planned) + left_out != self.report["planned"]:
            yield f"{self.report['planned']} planned, {left_out} left out, {len(planned)} reported"
        if len({result["id"] for result in self.report["results"]}) != len(self.report["results"]):
            yield "an ID stands twice in the report"
        cases = [case for case in self.junit.iter("testcase") if case.get("classname") != "oip-conformance"]
        told = len(self.report["results"]) + len(self.report["not_offered"]) + len(unjudged_claims(self.report))
        if len(cases) != told:
            yield f"{told} results, ways that are not offered and claims that were not judged, {len(cases)} testcases"
        bad = sum(len(case.findall("failure")) + len(case.findall("error")) for case in self.junit.iter("testcase"))
        if self.code != 0 and bad == 0:
            yield "the run is not green, but no testcase says so"
        if self.code == 0 and bad:
            yield "the run is green, but a testcase is not"
        for attribute, element in (("failures", "failure"), ("errors", "error"), ("skipped", "skipped")):
            said = int(self.junit.get(attribute))
            counted = sum(case.find(element) is not None for case in self.junit.iter("testcase"))
            if said != counted:
                yield f"JUnit says {said} {attribute} and has {counted}"

    def says(self, text):
        return has(self.output, text)

    def verdicts(self, *names):
        return [result["id"] for result in self.report["results"] if result["verdict"] in names]

    def keys(self, *names):
        return {result["key"] for result in self.report["results"] if result["verdict"] in names}

    def by_id(self):
        return {result["id"]: result["verdict"] for result in self.report["results"]}


class Checks(checks.Checks):
    def that(self, holds, text, run=None):
        super().that(holds, text)
        if run is not None and not holds:
            print("\n".join("  | " + line for line in run.output.splitlines()[-15:]))

    def code(self, expected, text, run, *says):
        """The run ended so, and said all of these texts."""
        self.that(run.code == expected, f"{text}: exit code {run.code}, expected {expected}", run)
        for said in says:
            self.that(run.says(said), f"{text}: it does not say {said!r}", run)
        for fault in run.faults:
            self.that(False, f"{text}: {fault}", run)


build, checks = sys.argv[1], Checks()  # of the script that imports this


def run_tests(script):
    """Calls the functions of a script whose names begin with test_, in their order, and ends it. `script` is its globals()."""
    for name, test in list(script.items()):
        if name.startswith("test_"):
            test()
    checks.end()
