#!/usr/bin/python3
"""Looks at what a run says of a server that is wrong in several ways: on a screen, in JSON and in JUnit. Argument: BUILD."""
import datetime
import json
import os
import re
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as ElementTree

sys.path.insert(0, "conformance/tests")
from judge_process import Checks, reference_server

build = sys.argv[1]
checks = Checks()
MODELS = ("--models", f"{build}/models/kit", "--models", f"{build}/models/builtin")
WRONG = ("--deviate", "rest-server-version-is-a-number,grpc-id-lost,grpc-data-count-unchecked,grpc-text-any-flag-is-taken")
SOME = ("--filter", "v2-*/metadata/*", "--filter", "v2*/infer/raw*", "--filter", "v2/infer/sum-and-difference*", "--filter", "v2/infer/numbers/many*",
        "--filter", "v2-grpc/framing/*", "--filter", "health-grpc/*")


def run(server, *flags, cases=SOME):
    """Runs the judge, and returns its exit code, standard output and standard error."""
    process = subprocess.run([f"{build}/oip-conformance", "run", "--target", server.http, "--grpc", server.grpc, *cases, *flags],
                             capture_output=True, text=True, timeout=120)
    return process.returncode, process.stdout, process.stderr


def can_be_broken(line):
    """Whether a line could be shorter: it has a blank behind its first word, or behind a comma, and outside of quotes."""
    return " " in re.sub(r"'[^']*'|\[.*|\\$", "", re.sub(r"^ *([a-zA-Z]+ +)?|^[A-Z]+ ", "", line)).strip()


with tempfile.TemporaryDirectory() as folder, reference_server(build, *MODELS, *WRONG) as server:
    files = {name: f"{folder}/{name}" for name in ("junit.xml", "report.json", "evidence")}
    flags = ("--junit", files["junit.xml"], "--json", files["report.json"], "--evidence", files["evidence"])
    code, screen, _ = run(server, *flags)
    checks.that(code == 1, f"exit code {code}")
    with open(files["report.json"], encoding="utf-8") as file:
        report = json.load(file)
    root = ElementTree.parse(files["junit.xml"]).getroot()
    failed = [result for result in report["results"] if result["verdict"] == "fail"]
    warned = [result for result in report["results"] if result["verdict"] == "warn"]
    checks.that(len(failed) > 10 and warned, f"{len(failed)} failures, {len(warned)} warnings")

    # On a screen
    wide = [line for line in screen.splitlines() if len(line) > 80 and can_be_broken(line)]
    checks.that(not wide, f"lines that do not fit: {wide[:3]}")
    table = screen[screen.index("\ntimes  level   what failed"):]
    for key in {result["key"] for result in failed}:
        mine = [result for result in failed if result["key"] == key]
        row = f"{len(mine):5}  {mine[0]['level']:6}  {key}\n               {mine[0]['id'].split('#')[0]}\n"
        checks.that(row in table, f"the table has no {row}")
    for result in warned:
        if f"WARN {result['id']}\n" in screen:
            told = screen[screen.index(f"WARN {result['id']}\n"):].split("\n\n")[0]
            checks.that("\n  received  " in told, f"a warning does not say what came: {told}")
    checks.that(screen.count("WARN ") == len({result["key"] for result in warned}), "a warning of each requirement is told")

    # In JSON: what was sent, and how it is sent again
    grpc = [result for result in failed + warned if "inference.GRPCInferenceService/" in result["command"]]
    checks.that(len(grpc) > 10, f"{len(grpc)} results over gRPC")
    for result in grpc:
        checks.that(re.match(r"[A-Z][A-Za-z]+ (\{|with \d+ bytes|\d+ bytes)", result.get("sent", "")), f"{result['id']} was sent as {result.get('sent')}")
    named = [result for result in grpc if "grpcurl" in result]
    checks.that(any("-import-path 'proto/schema' -proto 'inference.proto'" in result["grpcurl"] for result in named), "grpcurl is told the schema")
    for result in named:
        for message in re.findall(r" -d '(\{.*\})' ", result["grpcurl"]):
            checks.that(isinstance(json.JSONDecoder().raw_decode(message)[0], dict), f"grpcurl is given no JSON: {message}")
    checks.that(not [result for result in report["results"] if "framing" in result["id"] and "grpcurl" in result], "grpcurl sends no wrong frames")

    # The folder of evidence
    for path in {path for result in failed + warned for path in re.findall(r"'@([^']+)'", result["command"])}:
        checks.that(os.path.dirname(path) == report["evidence"] and os.path.exists(path), f"{path} is not in {report['evidence']}")
    first = {name: os.path.getmtime(os.path.join(report["evidence"], name)) for name in os.listdir(report["evidence"])}
    run(server, *flags)
    checks.that(len(os.listdir(files["evidence"])) == 2, "a second run has a folder of its own")
    checks.that(first == {name: os.path.getmtime(os.path.join(report["evidence"], name)) for name in first}, "the first run's is as it was")

    # Provenance
    started = datetime.datetime.strptime(report["started"], "%Y-%m-%dT%H:%M:%SZ")
    checks.that(abs((datetime.datetime.now(datetime.timezone.utc).replace(tzinfo=None) - started).total_seconds()) < 600, "the time is that of the run")
    checks.that(server.http in report["command"] and "--filter" in report["command"], "the flags are told")
    checks.that(report["discovery"]["probed"] and report["discovery"]["kit_models"], "discovery is told")
    left_out = report["counts"]["disabled"]
    checks.that(left_out > 1000 and len(report["results"]) < 5000, f"{left_out} are left out, {len(report['results'])} reported")

    # In JUnit: the same as in JSON, in the places where viewers look
    schema = subprocess.run(["xmllint", "--noout", "--schema", "conformance/tests/junit.xsd", files["junit.xml"]], capture_output=True, text=True)
    checks.that(schema.returncode == 0, schema.stderr[:500])
    cases = {case.get("name"): case for case in root.iter("testcase")}
    for suite in root:
        if suite.get("name") == "not-offered":
            continue
        properties = {one.get("name"): one.get("value") for one in suite.iter("property")}
        told = {"suite.version": report["suite"]["version"], "suite.fixtures": report["suite"]["fixtures"], "command": report["command"],
                "evidence": report["evidence"], "conclusion": report["conclusion"], "exit-code": str(report["exit_code"]), "http": server.http}
        checks.that(told.items() <= properties.items() and "discovery" in properties, f"{suite.get('name')} has {properties}")
        checks.that(suite.get("timestamp") + "Z" == report["started"], "the time of JUnit is that of JSON")
    for result in failed:
        failure = cases[result["id"]].find("failure")
        checks.that(failure.get("type") == "must" == result["level"], f"{result['id']}: type {failure.get('type')}")
        begin = f"{result['key']} (must): {report['requirements'][result['key']]['says']}; "
        checks.that(failure.get("message").startswith(begin), f"{result['id']}: message {failure.get('message')}")
        checks.that(cases[result["id"]].get("classname") == result["case"].replace("/", "."), f"{result['id']}: class {cases[result['id']].get('classname')}")
    for result in failed + warned:
        element = next(iter(cases[result["id"]]))
        lines = dict(line.split(": ", 1) for line in element.text.splitlines() if ": " in line)
        told = {"requirement": "key", "sent": "sent", "reproduce": "command", "or": "grpcurl", "case": "says", "because": "why", "received": "received",
                "expected": "expected"}
        for label, member in told.items():
            # What is longer is cut; a backslash and what is not printable is spelled.
            same = lines.get(label, "")[:1000] == result.get(member, "")[:1000] or "\\" in result[member] or not result[member].isprintable()
            checks.that(same, f"{result['id']}: {label} is {lines.get(label)} instead of {result.get(member)}")

    # On standard output
    code, output, screen = run(server, "--json", "-", cases=("--filter", "v2-rest/metadata/*"))
    checks.that(json.loads(output)["exit_code"] == code and "not conformant" in screen, "--json - is standard output, and nothing else is")
    code, output, screen = run(server, "--junit", "-", "--strict")
    types = {failure.get("type") for failure in ElementTree.fromstring(output).iter("failure")}
    checks.that(code == 1 and "should" in types, f"--strict: exit code {code}, {types}")

checks.end()
