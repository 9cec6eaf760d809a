#!/usr/bin/python3
"""The parts of a run (`--shard`) that `merge` makes one report of say the same as a whole run. Argument: BUILD."""
import os
import shlex
import tempfile

from judge_process import build, checks, read_json, reference_server, say

WRONG = ["--deviate", "rest-id-lost,rest-error-body-is-detail,grpc-text-any-flag-is-taken,rest-false-is-503"]
PARTS = 3
SHOWN = ("verdict", "why", "observed")


def runs(folder, server, plans):
    """Judges one server several times: {name of the report: its flags}. Returns the paths of the reports by their names."""
    paths = {name: f"{folder}/{name}.json" for name in plans}
    with reference_server("--models", f"{build}/models/kit", "--graphpipe", "127.0.0.1:0", *server) as own:
        address = ("--target", own.http, "--grpc", own.grpc, "--graphpipe", own.graphpipe)
        for name, flags in plans.items():
            run = say("run", *address, "--timeout", "60", "--evidence", f"{folder}/evidence", "--json", paths[name],
                      *shlex.split(flags))
            checks.that(os.path.exists(paths[name]), f"a run wrote no report: {run.err}")
    return paths


def merge(folder, *words):
    path = f"{folder}/merged.json"
    if os.path.exists(path):
        os.remove(path)
    run = say("merge", *words, "--json", path, "--junit", f"{folder}/merged.xml")
    return run, read_json(path) if os.path.exists(path) else None


def parts(folder, count=PARTS, more=""):
    return {f"part{i}": f"--shard {i}/{count} --record {folder}/part{i}.tape {more}" for i in range(1, count + 1)}


for what, server, more in (("a right server", [], "--allow-mutation"), ("a wrong one", WRONG, "")):
    with tempfile.TemporaryDirectory() as folder:
        paths = runs(folder, server, {"whole": more, **parts(folder, more=more)})
        whole = read_json(paths.pop("whole"))
        run, merged = merge(folder, *paths.values())
        checks.code(whole["exit_code"], what, run, "exit code")
        told, again = ({result["id"]: [result.get(name) for name in SHOWN] for result in report["results"]} for report in (whole, merged))
        checks.that(told.keys() == again.keys(), f"{what}: results that one has alone: {sorted(told.keys() ^ again.keys())[:5]}")
        other = [(name, told[name], again[name]) for name in told if again.get(name) != told[name]]
        checks.that(not other, f"{what}: {len(other)} results differ: {other[:3]}")
        for member in ("conclusion", "must_rows", "counts", "atlas"):
            checks.that(whole[member] == merged[member], f"{what}: {member}: {whole[member]} is {merged[member]} in the merged report")
        checks.that(os.path.exists(f"{folder}/merged.xml"), f"{what}: all reports are written", run)
        each = [{result["id"] for result in read_json(path)["results"]} for path in paths.values()]
        checks.that(sum(map(len, each)) == len(told) and set().union(*each) == told.keys(), f"{what}: each case is in one part: {[len(ids) for ids in each]}")

with tempfile.TemporaryDirectory() as folder:
    some = "--filter 'v2-rest/health/*'"
    paths = runs(folder, [], {**parts(folder, 2, some), "other": f"--shard 2/2 --record {folder}/other.tape --filter 'v2-rest/metadata/*'",
                              "alone": f"--record {folder}/alone.tape {some}", "bare": f"--shard 2/2 {some}"})
    checks.code(0, "two parts of some cases", merge(folder, paths["part1"], paths["part2"])[0])
    for what, words, says in (("a part is missing", ["part1"], "is part 1 of 2; reports that were given: 1"), ("a part twice", ["part1", "part1"], "another report has too"),
                              ("too many", ["part1", "part2", "part2"], "is part 1 of 2; reports that were given: 3"),
                              ("other flags", ["part1", "other"], "comes from another run"), ("a whole run", ["alone", "alone"], "comes from a whole run"),
                              ("no tape", ["part1", "bare"], "--record")):
        run, content = merge(folder, *(paths[word] for word in words))
        checks.code(2, what, run, says)
        checks.that(content is None, f"{what}: a report is written", run)
    run, content = merge(folder, f"{folder}/alone.tape")
    verdicts = [[result["verdict"] for result in one["results"]] for one in (content, read_json(paths["alone"]))]
    checks.that(run.code == 0 and verdicts[0] == verdicts[1], "a tape gives the report of its run", run)
    checks.code(2, "no report", merge(folder)[0])

zeroth, last = (say("list", "--shard", shard).out for shard in ("0/3", "3/3"))
checks.that(last and zeroth == last, "the 0th part is the last")
for shard in ("3/2", "0/0", "1", "1/", "/2", "1/0", "-1/2", "1/2/3", "1/1001", "a/b", ""):
    checks.code(2, f"--shard '{shard}'", say("list", "--shard", shard), "--shard needs I/N")

checks.end()
