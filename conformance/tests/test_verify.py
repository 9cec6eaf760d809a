#!/usr/bin/python3
"""`verify` reaches the verdicts of a report again from its tape, and finds each lie, of which `make test` draws some; `rejudge` tells what
another suite says. Argument: BUILD."""
import copy
import gzip
import hashlib
import os
import shutil
import tempfile

from judge_process import checks, drawn, judge_ours, read_json, say, write

SOME = ["--filter", "v2-rest/health/*", "--filter", "v2-rest/metadata/*", "--filter", "v2/infer/id*"]
WRONG = "rest-id-lost,rest-error-body-is-detail,grpc-text-any-flag-is-taken,rest-wrong-method-is-400,rest-false-is-503"


def record(folder, *flags, server=(), ends=("target", "grpc", "graphpipe")):
    """Judges our server, and returns the path of the report; the tape lies beside it."""
    path = f"{folder}/report.json"
    run = judge_ours(path, *flags, "--record", f"{folder}/run.tape", server=server, ends=ends)
    checks.that(os.path.exists(path), f"the run wrote no report: {run.err}")
    return path


def leaves(value, at=()):
    """Yields places in a report: of each list those in its first and last item."""
    if isinstance(value, dict) and value:
        for name in value:
            yield from leaves(value[name], (*at, name))
    elif isinstance(value, list) and value:
        for index in {0, len(value) - 1}:
            yield from leaves(value[index], (*at, index))
    else:
        yield at


def kind_of(place):
    """Returns the place without what is data: indices, and names of requirements, profiles and texts."""
    names = [name if isinstance(name, str) else "*" for name in place]
    return tuple(names[:1] + ["*"] + names[2:] if names[0] in ("requirements", "profiles", "texts") else names)


def changed(value):
    return {str: lambda: value + "x", bool: lambda: not value, int: lambda: value + 1, float: lambda: value + 0.5}.get(type(value), lambda: "x")()


def lie(report, place):
    content = copy.deepcopy(report)
    parent = content
    for name in place[:-1]:
        parent = parent[name]
    parent[place[-1]] = changed(parent[place[-1]])
    return content


def digest(data):
    return hashlib.sha256(data).hexdigest()


def with_tape(folder, name, report, lines):
    """Writes a report that names another tape, with the right digest."""
    data = gzip.compress(b"".join(lines), mtime=0)
    with open(f"{folder}/{name}.tape", "wb") as file:
        file.write(data)
    return write(f"{folder}/{name}.json", {**report, "tape": {"file": f"{name}.tape", "digest": "sha256:" + digest(data)}})


# Whole runs: one that holds, and one that fails in many ways.
for what, server in (("a right server", ()), ("a wrong one", ("--deviate", WRONG))):
    with tempfile.TemporaryDirectory() as folder:
        path = record(folder, "--allow-mutation", "--header", "Authorization: Bearer a-secret-of-the-test", server=server)
        checks.code(0, what, say("verify", path), "the report agrees with them")
        checks.code(0, f"{what}, by the same suite", say("rejudge", path), "nothing changed; ")

# What is recorded needs no file for TLS, but commands name it, and no file of headers. A tape that names one is a stranger's.
with tempfile.TemporaryDirectory() as folder:
    authorities, tokens = write(f"{folder}/authorities.pem", ""), write(f"{folder}/tokens", "X-Api-Key: a-secret-of-the-test\n")
    path = record(folder, "--filter", "v2-rest/metadata/*", "--ca", authorities, "--header", f"@{tokens}", server=("--deviate", WRONG), ends=["target"])
    os.remove(authorities)
    os.remove(tokens)
    checks.code(0, "a run with --ca and --header @FILE", say("verify", path))
    with gzip.open(f"{folder}/run.tape") as file:
        lines = file.read()
    for words in ('["argument","--header"]\n["argument","@/etc/passwd"]', '["argument","--header=@/etc/passwd"]'):
        other = f"{folder}/other.tape"
        with gzip.open(other, "wb") as file:
            file.write(lines.replace(b'["argument","--header"]\n["argument","X-Api-Key: ***"]', words.encode()))
        checks.code(2, "a tape that names a file of headers", say("merge", other), "headers in a file")

with tempfile.TemporaryDirectory() as folder:
    path = record(folder, *SOME, server=("--deviate", WRONG))
    report = read_json(path)
    checks.that("v2-rest.error-body" in {one["requirement"] for one in report["findings"]}, "the server is wrong")
    places = list(leaves(report))
    kinds = {kind_of(place): place for place in places}
    checks.that(len(kinds) > 80, f"kinds of places: {len(kinds)}")
    for kind, place in drawn(kinds.items(), 1 / 8):
        run = say("verify", write(f"{folder}/lie.json", lie(report, place)))
        checks.that(run.code in (1, 2) and run.output, f"{'/'.join(map(str, kind))} was changed", run)
    honest = write(f"{folder}/lie.json", report)
    checks.code(0, "the same report, laid out otherwise", say("verify", honest))
    for member in ("results", "requirements", "findings", "atlas", "tape"):
        content = {**report, member: report[member][1:] if isinstance(report[member], list) else {}}
        run = say("verify", write(f"{folder}/lie.json", content))
        checks.that(run.code in (1, 2), f"some of {member} is missing", run)

    # The tape: a changed line is named, and one that was changed with its digests gives other verdicts.
    with gzip.open(f"{folder}/run.tape") as file:
        lines = file.read().splitlines(keepends=True)
    for number in drawn(range(0, len(lines), max(1, len(lines) // 40)), 1 / 8):
        line = lines[number]
        other = [*lines[:number], line[:len(line) // 2] + b"~" + line[len(line) // 2:], *lines[number + 1:]]
        run = say("verify", with_tape(folder, "changed", report, other))
        checks.that(run.code in (1, 2), f"line {number + 1} of the tape was changed: {line[:200]}", run)
        if line.startswith((b'["request"', b'["answer"')):
            checks.that(run.says(f"line {number + 1} "), "the line is named", run)
    checks.code(2, "the end is missing", say("verify", with_tape(folder, "cut", report, lines[:-1])), "has no end")
    with open(f"{folder}/run.tape", "rb") as file:
        data = file.read()
    for name, content in (("no.tape", b""), ("half.tape", data[:len(data) // 2]), ("text.tape", b"x\n"), ("empty.tape", gzip.compress(b""))):
        with open(f"{folder}/{name}", "wb") as file:
            file.write(content)
        checks.code(2, name, say("verify", path, "--tape", f"{folder}/{name}"), f"{folder}/{name}")
    run = say("verify", with_tape(folder, "same", report, lines))
    checks.that(run.code == 1 and "/tape/" not in run.output or run.code == 0, "the same lines, compressed anew", run)
    digests = {}
    for number, line in enumerate(lines):
        head, _, text = line.partition(b",{")
        if line.startswith(b'["answer"') and b'\\"detail\\"' in text:
            mended = b"{" + text[:-2].replace(b'\\"detail\\"', b'\\"error\\"')
            digests[head.split(b'"')[3]] = digest(mended).encode()
            lines[number] = head + b"," + mended + b"]\n"
    other = []
    for line in lines:
        words = line.split(b'"')
        other.append(b'"'.join(digests.get(word, word) for word in words))
    checks.code(1, "an answer was mended, with all digests", say("verify", with_tape(folder, "mended", report, other)), "/verdict")

    # Another suite.
    shutil.copytree("fixtures", f"{folder}/fixtures")
    ledger = f"{folder}/fixtures/requirements/v2-rest.json"
    rows = read_json(ledger)
    for row in rows:
        if row["key"] == "v2-rest.error-body":
            row["level"] = "should"
    write(ledger, rows)
    checks.code(2, "a report of another suite", say("verify", path, "--fixtures", f"{folder}/fixtures"), "another suite")
    run = say("rejudge", path, "--fixtures", f"{folder}/fixtures")
    eased = run.output.partition("Failed before, and is now only a warning: ")[2].split("\n\n")[0]
    checks.that(run.code == 0 and "\nv2-rest.error-body (should" in eased, "what another suite says", run)
    broken_off = write(f"{folder}/broken-off.json", {**report, "exit_code": 124})
    checks.code(2, "a run that broke off", say("verify", broken_off), "did not finish")
    without = {name: value for name, value in report.items() if name != "tape"}
    checks.code(2, "nothing was recorded", say("verify", write(f"{folder}/without.json", without)), "--record")
    checks.code(2, "no report", say("verify", "conformance/tests/test_verify.py"))
    unwritten = say("run", "--target", "http://127.0.0.1:1", "--record", "/dev/null/x")
    checks.code(2, "a tape that cannot be written", unwritten, "/dev/null/x cannot be written")

checks.end()
