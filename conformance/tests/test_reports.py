#!/usr/bin/python3
"""Looks at what a run says of a server that is wrong in several ways: on a screen, in JSON, in JUnit and as an HTML page. Argument: BUILD."""
import datetime
import hashlib
import html
import json
import os
import re
import subprocess
import tempfile
import xml.etree.ElementTree as ElementTree

from judge_process import build, checks, null_server, read_json, read_text, reference_server, say
from page import Page

MODELS = ("--models", f"{build}/models/kit", "--models", f"{build}/models/builtin")
WRONG = ("--deviate", "rest-server-version-is-a-number,grpc-id-lost,grpc-data-count-unchecked,grpc-text-any-flag-is-taken")
SOME = ("--filter", "v2-*/metadata/*", "--filter", "v2*/infer/raw*", "--filter", "v2/infer/sum-and-difference*", "--filter", "v2/infer/numbers/many*",
        "--filter", "v2-grpc/framing/*", "--filter", "health-grpc/*")


def run(server, *flags, cases=SOME):
    return say("run", "--target", server.http, "--grpc", server.grpc, *cases, *flags, timeout=120)


def check_page(path, report, what):
    """Checks the form of a page, and that it has what the JSON report of the same run has."""
    page = Page(path)
    checks.that(not page.wrong, f"{what}: {page.wrong[:5]}")
    checks.that(not re.search("[^\n -~\u00a0-\u200a\u2010-\u2027\u202f-\u205f\u2070-\ufefe\uff00-\U0010ffff]", page.source), f"{what}: unprintable characters")
    ElementTree.fromstring(page.source.split("\n", 1)[1])
    shown = set(page.codes)
    lacking = [result["id"] for result in report["results"] if result["verdict"] in ("fail", "timeout", "warn") and result["id"].isprintable()
               and "\\" not in result["id"] and result["id"] not in shown]
    checks.that(not lacking, f"{what}: not on the page: {lacking[:5]}")
    for row in report["must_rows"]["untried"]:
        checks.that(row["key"] in shown, f"{what}: {row['key']} is not on the page")
    rows = f"{report['must_rows']['met']} of {report['must_rows']['asked']} MUST requirements hold"
    checks.that(rows in page.text, f"{what}: the page does not say {rows}")
    checks.that(all(link.startswith(("#", "https://")) for link in page.links), f"{what}: {set(page.links)}")
    checks.that(len(page.source) < 16e6, f"{what}: the page has {len(page.source)} characters")
    return page


def can_be_broken(line):
    """Whether a line could be shorter: it has a blank after its first word, or after a comma, and outside of quotes."""
    return " " in re.sub(r"'[^']*'|\[.*|\\$", "", re.sub(r"^ *([a-zA-Z]+ +)?|^[A-Z]+ ", "", line)).strip()


with tempfile.TemporaryDirectory() as folder, reference_server(*MODELS, *WRONG) as server:
    files = {name: f"{folder}/{name}" for name in ("junit.xml", "report.json", "report.html", "report.md", "badge.svg", "evidence")}
    flags = ("--junit", files["junit.xml"], "--json", files["report.json"], "--html", files["report.html"], "--markdown", files["report.md"], "--badge", files["badge.svg"], "--evidence", files["evidence"])
    code, screen, _ = run(server, *flags)
    checks.that(code == 1, f"exit code {code}")
    report = read_json(files["report.json"])
    root = ElementTree.parse(files["junit.xml"]).getroot()
    page = check_page(files["report.html"], report, "a wrong server")
    failed = [result for result in report["results"] if result["verdict"] == "fail"]
    warned = [result for result in report["results"] if result["verdict"] == "warn"]
    checks.that(len(failed) > 10 and warned, f"{len(failed)} failures, {len(warned)} warnings")

    badge = ElementTree.parse(files["badge.svg"]).getroot()
    rows, texts = report["must_rows"], [text.text for text in badge.iter("{http://www.w3.org/2000/svg}text")]
    checks.that(texts[1:] == [f"{report['conclusion']}, {rows['met']} of {rows['asked']} MUST"] and texts[1] in badge.get("aria-label"), f"the badge says {texts}")

    # On a screen
    wide = [line for line in screen.splitlines() if len(line) > 80 and can_be_broken(line)]
    checks.that(not wide, f"lines that do not fit: {wide[:3]}")
    blocks = {match[1]: match[0] for match in re.finditer(r"(?m)^FAIL (\S+) .*(?:\n  .*)*", screen)}
    findings = report["findings"]
    checks.that(list(blocks) == [one["requirement"] for one in findings if one["layer"] != "transport"], f"blocks of {list(blocks)}")
    for one in findings:
        block, witness = blocks.get(one["requirement"], ""), one["witness"].split("#")[0]
        checks.that(block.count("\n") < 30, f"a block of {block.count(chr(10)) + 1} lines: {block}")
        checks.that(not block or re.search(re.escape(f"({one['level']}, {one['layer']}, {one['cases']} case"), block), f"{one} is told as {block}")
        checks.that(not block or witness in block and "\n  received  " in block and "\n  reproduce " in block, f"no witness: {block}")
    checks.that(not re.search("(?m)^WARN ", screen) and f"warnings: {len({result['key'] for result in warned})} requirements" in screen, "warnings are counted")
    checks.that(f"\nNext: {report['next']['says'][:40]}" in screen, f"the end does not say what is next: {report['next']}")
    total = re.search(r"(?m)^all(?: |:.*\n).*? (\d+)$", screen)
    checks.that(total and int(total[1]) == report["planned"] == sum(report["counts"].values()), f"{report['planned']} are planned, the table sums to {total}")
    judged = sum(report["counts"][name] for name in ("pass", "pass-weak", "warn", "fail", "timeout"))
    checks.that(judged == report["judged"] - report["counts"]["error"] and f"{report['judged']} judged" in screen, f"{judged} were judged")

    # The findings: answers, refusals, transport; each requirement that failed is one, or follows one
    layers = ["answers", "refusals", "transport"]
    order = [layers.index(one["layer"]) for one in findings]
    checks.that(order == sorted(order), f"the order is {[one['layer'] for one in findings]}")
    told = {one["requirement"] for one in findings} | {key for one in findings for key in one["also"]}
    checks.that(told >= {result["key"] for result in failed}, f"no finding tells of {({result['key'] for result in failed}) - told}")
    words = " ".join(screen.split())
    sentences = {"must_rows": re.search(r"\d+ findings?: .*(?= exit code)", words)[0], "transport": report["transport"]["says"]}
    for what, sentence in sentences.items():
        numbers = [int((re.search(pattern, sentence) or (0, 0))[1]) for pattern in (r"(\d+) finding", r"\((\d+) of them", r"(\d+) more MUST requirement")]
        rows = (report["transport"] if what == "transport" else report)["must_rows"]["failed"]
        checks.that(rows == numbers[0] - numbers[1] + numbers[2] > 0, f"{rows} rows fail: {sentence}")
    every = {result["id"]: result for result in report["results"]}
    for one in findings:
        checks.that(every[one["witness"]]["key"] == one["requirement"] and every[one["witness"]]["verdict"] == "fail", f"the witness of {one}")
    code, all_of_it, _ = run(server, "--all")
    words = {word.rstrip(":") for word in all_of_it.split()}
    unnamed = [result["id"] for result in failed if not {result["id"], result["id"].split("#")[0]} & words]
    checks.that(not unnamed, f"--all does not name {unnamed[:3]}")
    checks.that(len(re.findall("(?m)^WARN ", all_of_it)) == len({result["key"] for result in warned}), "--all tells a warning of each requirement")

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
    with open("fixtures/texts/000.json", "rb") as text:
        digest = "sha256:" + hashlib.sha256(text.read()).hexdigest()
    checks.that(report["suite"]["documents"]["000"] == digest and len(report["suite"]["documents"]) == len(os.listdir("fixtures/texts")),
                f"the documents are named by their fingerprints: {report['suite']['documents']}")
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
        failure, skipped = cases[result["id"]].find("failure"), cases[result["id"]].find("skipped")
        if result["layer"] == "transport":
            checks.that(failure is None and skipped.get("message").startswith(f"transport: {result['key']} (must): "), f"{result['id']} is a failure")
            continue
        checks.that(failure.get("type") == "must" == result["level"], f"{result['id']}: type {failure.get('type')}")
        begin = f"{result['key']} (must): {report['requirements'][result['key']]['says']}; "
        checks.that(failure.get("message").startswith(begin), f"{result['id']}: message {failure.get('message')}")
        checks.that(cases[result["id"]].get("classname") == result["case"].replace("/", "."), f"{result['id']}: class {cases[result['id']].get('classname')}")
    for result in failed + warned:
        element = next(iter(cases[result["id"]]))
        if element.tag == "skipped":
            continue
        lines = dict(line.split(": ", 1) for line in element.text.splitlines() if ": " in line)
        told = {"requirement": "key", "sent": "sent", "reproduce": "command", "or": "grpcurl", "case": "says", "because": "why", "received": "received",
                "expected": "expected"}
        for label, member in told.items():
            # What is longer is cut; a backslash and what is not printable is spelled.
            same = lines.get(label, "")[:1000] == result.get(member, "")[:1000] or "\\" in result[member] or not result[member].isprintable()
            checks.that(same, f"{result['id']}: {label} is {lines.get(label)} instead of {result.get(member)}")

    # As a page
    checks.that(report["conclusion"].capitalize() in page.text and server.http in page.text, "the page names verdict and target")
    for result in failed + warned:
        checks.that(f"fail-{result['key']}" in page.ids or f"warn-{result['key']}" in page.ids, f"the page does not tell of {result['key']}")
    tree = ElementTree.fromstring(page.source.split("\n", 1)[1])
    told = {"Because": "why", "Expected": "expected", "Received": "received", "Sent": "sent", "Reproduce": "command", "Or": "grpcurl"}
    by_id = {result["id"]: result for result in failed + warned}
    articles = tree.findall(".//article")
    checks.that({by_id[article.find("h4/code").text]["key"] for article in articles} == {one["requirement"] for one in findings} | {result["key"] for result in warned},
                "a case of each requirement is shown in full")
    for article in articles:
        result = by_id[article.find("h4/code").text]
        members = {told[one.find("dt").text]: "".join(one.find("dd").itertext()) for one in article.findall("dl/div")}
        for name in told.values():
            same = members.get(name, "")[:1000] == result.get(name, "")[:1000] or not result[name].isprintable()
            checks.that(same, f"{result['id']}: {name} is {members.get(name)} instead of {result.get(name)}")
        transcript = article.findtext("details/pre", "")
        checks.that("\n> " in transcript and "\n< " in transcript, f"{result['id']}: the transcript is {transcript[:200]}")
    counts = [int(cell.text) for cell in tree.findall(".//table[@class='profiles']/tbody/tr[@class='sum']/td")[1:]]
    heads = [cell.text for cell in tree.findall(".//table[@class='profiles']/thead/tr")[1]]
    must, columns = report["must_rows"], dict(reversed(list(zip(heads, counts))))
    told = {"met": "met", "met so far": "met_so_far", "failed": "failed", "not tried": "not_tried"}
    checks.that(all(columns.get(name, 0) == must[member] for name, member in told.items()), f"the sums of MUST requirements are {columns}")

    # As a short summary
    summary = re.sub(r"\\([!-/:-@\[-`{-~])", r"\1", read_text(files["report.md"]))
    for one in findings:
        key, many = one["requirement"], "s" if one["cases"] > 1 else ""
        head = f"**{key}** ({one['level']}, {one['layer']}, {one['cases']} case{many}): {report['requirements'][key]['says']}"
        checks.that((head in html.unescape(summary)) == (one["layer"] != "transport"), f"the summary and {key}")
    checks.that(f"| **all profiles** | **{report['conclusion']}** | {' | '.join(map(str, counts))} |" in summary, "summary and page have other numbers")

    # On standard output
    code, output, screen = run(server, "--json", "-", cases=("--filter", "v2-rest/metadata/*"))
    checks.that(json.loads(output)["exit_code"] == code and f"exit code {code}: " in screen, "--json - is standard output, and nothing else is")
    code, output, screen = run(server, "--junit", "-", "--strict")
    types = {failure.get("type") for failure in ElementTree.fromstring(output).iter("failure")}
    checks.that(code == 1 and "should" in types, f"--strict: exit code {code}, {types}")

# A page of servers that answer anything with bytes of their own
for kinds, flags in ((("markup", "ok"), ()), (("nul", "ok"), ("--model", "<script>alert(2)</script>\x9b\u202e")), (("echo", "html"), ())):
    with tempfile.TemporaryDirectory() as folder, null_server(*kinds) as server:
        json_file, html_file = f"{folder}/report.json", f"{folder}/report.html"
        run(server, "--json", json_file, "--html", html_file, "--evidence", folder, "--timeout", "2", *flags, cases=())
        report = read_json(json_file)
        with open(json_file, encoding="utf-8") as file:
            checks.that(not re.search("[\x7f-\x9f\u202e]", file.read()), f"{kinds}: {json_file} does something to a terminal")
        page = check_page(html_file, report, kinds)
        checks.that(kinds[0] != "markup" or ("<script>" in page.text and report["counts"]["fail"] > 100), f"{kinds}: what came is shown as text")

# A page on standard output, and of a run that cannot begin
with tempfile.TemporaryDirectory() as folder, null_server("dead", "dead") as server:
    code, output, screen = run(server, "--html", "-", cases=())
    checks.that(code == 3 and output.startswith("<!DOCTYPE html>") and "Not judged" in output, f"a dead server: exit code {code}, {output[:80]}")

checks.end()
