#!/usr/bin/python3
"""`diff` tells what changed between two runs, by their reports. Argument: BUILD."""
import json
import os
import tempfile

from judge_process import checks, judge_ours, read_json, say, write

CASES = ["--filter", "v2-rest/metadata/*", "--filter", "v2-rest/health/*"]


def rerun(folder, path, *server_flags, flags=()):
    """Plays again what fails or warns in a report. Returns what was said and the new report, if there is one."""
    again = f"{folder}/again.json"
    if os.path.exists(again):
        os.remove(again)
    run = judge_ours(again, "--rerun", path, *flags, server=server_flags)
    return run, read_json(again) if os.path.exists(again) else None


def failed(content):
    return {result["id"] for result in content["results"] if result["verdict"] in ("fail", "timeout", "warn")}


def report(folder, name, *server_flags, flags=()):
    """Judges our server, and returns the path of the report."""
    path = f"{folder}/{name}.json"
    judge_ours(path, *CASES, *flags, server=server_flags)
    return path


def diff(*words):
    return say("diff", *words)


def section(text, head):
    """Returns the keys of the requirements below a head."""
    lines = text.split(f"{head}: ", 1)[-1].split("\n\n")[0].split("\n")[1:] if f"{head}: " in text else []
    return [line.split(" ")[0] for line in lines if line and not line.startswith(" ")]


with tempfile.TemporaryDirectory() as directory:
    good = report(directory, "good")
    bad = report(directory, "bad", "--deviate", "rest-metadata-without-inputs")
    warned = report(directory, "warned", "--deviate", "rest-wrong-method-is-400")
    other = report(directory, "other", "--deviate", "rest-metadata-wants-a-version")
    part = report(directory, "part", flags=["--skip", "v2-rest.case-sensitive"])
    by_oip = report(directory, "by_oip", "--dialect", "kserve")

    code, out, _ = diff(good, good)
    checks.that(code == 0 and out.endswith("nothing changed; 0 still broken\n") and out.startswith("oip-reference-server "), f"the same twice: {code} {out}")
    code, out, _ = diff(good, bad)
    checks.that(code == 1 and "v2-rest.metadata-inputs" in section(out, "Newly broken"), f"a MUST is broken: {code} {out}")
    block = out.split("v2-rest.metadata-inputs", 1)[-1]
    witness = [finding["witness"] for finding in read_json(bad)["findings"] if finding["requirement"] == "v2-rest.metadata-inputs"]
    checks.that(len(witness) == 1 and f"case: {witness[0]}" in out, f"the case of the finding is told: {witness} {out}")
    checks.that("         case: v2-rest/metadata/" in block and "         because: " in block and "         reproduce: curl" in block, f"what is broken is shown: {out}")
    code, out, _ = diff(bad, good)
    checks.that(code == 0 and "v2-rest.metadata-inputs" in section(out, "Mended"), f"mended: {code} {out}")
    code, out, _ = diff(bad, bad)
    checks.that(code == 0 and "nothing changed; " in out and not out.endswith("; 0 still broken\n"), f"broken as before: {code} {out}")
    code, out, _ = diff(good, warned)
    checks.that(code == 0 and "v2-rest.wrong-method-405" in section(out, "Newly broken"), f"a SHOULD is broken: {code} {out}")
    checks.code(1, "a SHOULD is broken, strictly", diff("--strict", good, warned))
    code, out, _ = diff(good, other)
    checks.that(code == 0 and section(out, "Different answers where the documents are silent") == ["v2-rest.metadata-versionless"]
                and "         before: served\n         now: refused\n" in out, f"another answer: {code} {out}")
    code, out, _ = diff(good, part)
    checks.that(code == 0 and section(out, "No longer judged") == ["v2-rest.case-sensitive"], f"not judged any more: {code} {out}")
    code, out, _ = diff(part, good)
    checks.that(code == 0 and section(out, "Newly judged, and holds") == ["v2-rest.case-sensitive"], f"newly judged: {code} {out}")
    code, out, _ = diff(good, by_oip)
    checks.that("the runs were judged by different editions" in out and "the suites differ" not in out and "v2-rest.live-body" in section(out, "Newly judged, and holds"),
                f"another edition: {out}")
    changed = read_json(bad)
    changed["suite"]["fixtures"] = "sha256:" + 64 * "0"
    for result in changed["results"]:
        result["verdict"] = "waived" if result["verdict"] == "fail" else result["verdict"]
    code, out, _ = diff(good, write(f"{directory}/waived.json", changed))
    checks.that(code == 0 and "v2-rest.metadata-inputs" in section(out, "Broken, and now waived") and "the suites differ" in out, f"waived: {code} {out}")

    silent = f"{directory}/silent.json"
    say("run", "--target", "http://127.0.0.1:1", "--json", silent)
    code, out, _ = diff(silent, bad)
    checks.that("of the first nothing was judged: " in out and "different editions" not in out, f"a run that judged nothing: {code} {out}")

    code, out, _ = diff(good, bad, "--json", "-")
    told = json.loads(out)
    checks.that("v2-rest.metadata-inputs" in told["broken"] and told["mended"] == [] and told["new"].startswith("oip-reference-server"), f"JSON: {out}")
    code, out, _ = diff(good, bad, "--markdown", "-")
    checks.that(out.startswith("### Conformance: ") and "**Newly broken**" in out and "* `v2-rest.metadata-inputs` (must)" in out, f"Markdown: {out}")
    first = read_json(bad)
    run, again = rerun(directory, bad, "--deviate", "rest-metadata-without-inputs")
    checks.that(run.code == 1 and failed(again) == failed(first) and again["judged"] < first["judged"] / 2, "what fails is played again", run)
    run, again = rerun(directory, bad)
    verdicts = {result["verdict"] for result in again["results"] if result["key"] == "v2-rest.metadata-inputs"}
    checks.that(run.code in (0, 2) and "fail" not in verdicts and "pass" in verdicts, "mended since", run)
    for path, flags in ((f"{directory}/all-right.json", ()), ("conformance/tests/test_diff.py", ()), (bad, ("--filter", "*"))):
        write(f"{directory}/all-right.json", {**first, "results": [{**result, "verdict": "pass"} for result in first["results"]]})
        run, again = rerun(directory, path, flags=flags)
        checks.that(run.code == 2 and not again and run.output.strip(), f"--rerun {os.path.basename(path)} {flags}", run)
    write(f"{directory}/none.json", {})
    for words in ((good,), (good, bad, good), (good, f"{directory}/none.json"), (good, f"{directory}/no-such"), (good, "conformance/tests/test_diff.py")):
        code, out, said = diff(*words)
        checks.that(code == 2 and said.strip() and not out, f"{[os.path.basename(word) for word in words]}: {code} {said}")
checks.end()
