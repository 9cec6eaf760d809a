#!/usr/bin/python3
"""Servers that are compliant in an unusual way fail no requirement, and servers that break one sentence fail it. Arguments: BUILD
[GLOB of the names of variants]. Without a glob a sample is played, another one for each commit, and a smaller one in `make test` than in
`make test-all`; '*' plays all.

The reference server is played behind a relay that changes what is said (conformance/tests/variants/). Of a compliant variant no MUST
may fail, and no SHOULD may be warned of, except those that the variant breaks knowingly. Of a wrong one the requirement that it breaks
must fail; only the cases of that requirement are played, and what its watcher needs to see."""
import contextlib
import fnmatch
import importlib
import multiprocessing
import random
import re
import sys
from concurrent import futures

from judge_process import COMMIT, EVERYTHING, Run, build, checks, read_json, reference_server

globs = sys.argv[2:]

# For what a watcher judges, or every refusal brings: enough for it to see, and not all cases.
WATCHED = ["v2-rest/watch/*", "v2/infer/with-version*", "v2/infer/datatype/int32*", "v2-rest/metadata/*", "v2-rest/infer/failing-model*"]
PLAYED = {key: WATCHED for key in ("v2-rest.answer-json", "v2-rest.answer-nesting", "v2-rest.error-body", "v2-rest.error-status",
                                   "http.length-answer")}
MORE = ["--models", f"{build}/models/batching", "--graphpipe", "127.0.0.1:0"]  # of what V2 alone does not need
PATIENT = ["--timeout", "60"]  # a relay on a busy machine may take long; a compliant one answers


def faults_of(variant, run):
    """Returns what the run says against the variant. What waits for a requirement that it breaks knowingly may be blocked."""
    results = run.report["results"] if run.report else []
    broken = {r["id"].split("#")[0] for r in results if r["verdict"] == "warn" and r["key"] in variant.breaks}
    for r in results:
        control = re.search("its control ([^ #]*)", r.get("why", ""))
        if r["verdict"] == "blocked" and control and control[1] in broken:
            broken.add(r["id"].split("#")[0])
    bad = [f"{r['verdict']} {r['id']}" for r in results if r["verdict"] in ("fail", "timeout", "error")
           or r["verdict"] == "blocked" and r["id"].split("#")[0] not in broken]
    warned = {r["key"] for r in results if r["verdict"] == "warn"}
    bad += [f"warn {r['id']}" for r in results if r["verdict"] == "warn" and r["key"] not in variant.breaks]
    bad += [f"{key} was to be warned of, and was not" for key in sorted(variant.breaks - warned)]
    judged = run.report["judged"] if run.report else 0
    if judged < variant.judged:
        bad.append(f"only {judged} assertions were judged, at least {variant.judged} should be")
    return bad


def play(variant, relay, address, *flags):
    """Runs the judge against the variant behind a relay. Returns the run and how much the variant changed."""
    with relay:
        run = Run(*address(relay), *flags, *variant.flags)
    checks.that(not relay.faults, f"{variant.name}: {len(relay.faults)} exceptions in its functions, such as\n{''.join(relay.faults[:1])}")
    print(f"{variant.name:32} {run.report['judged'] if run.report else 0:5} judged, {relay.touched:5} changed, {run.seconds:5.1f} s",
          flush=True)
    return run, relay.touched


def play_http(profile, variant, key, server, *flags):
    """Plays the cases of a profile over HTTP."""
    import rest_relay
    relay = rest_relay.Relay(variant, server.graphpipe if profile == "graphpipe" else server.http)
    flag = {"graphpipe": "--graphpipe", "metrics": "--metrics"}.get(profile, "--target")
    own = ("--target", server.http) if profile == "metrics" else ()
    return play(variant, relay, lambda relay: (flag, relay.address + variant.prefix, *own), "--profile", profile, *flags)


def play_grpc(profiles, variant, key, server, *flags):
    """Plays the cases of some profiles over gRPC. What gRPC demands of any server is left out: there the relay's own library answers, and no variant
    has a say unless it changes frames. It also resets the stream of a message that cannot be inflated."""
    import grpc_relay
    flags += ("--profile", profiles) if profiles else ()
    flags += () if key.startswith("grpc.") else tuple(grpc_relay.LIBRARY)
    with serve(*MORE, *variant.server) if variant.server else contextlib.nullcontext(server) as own:
        return play(variant, grpc_relay.Relay(variant, own.grpc), lambda relay: ("--grpc", relay.address), *flags)


def judge(variant, played):
    run, touched = played
    bad = faults_of(variant, run)
    checks.code(0, variant.name, run)
    checks.that(touched > 0, f"{variant.name}: nothing was changed")
    checks.that(not bad, f"{variant.name} is compliant ({variant.why}), but:\n    " + "\n    ".join(bad[:40]))


def notice(variant, key, played):
    """The suite notices a variant that is wrong: a MUST fails, any other requirement is warned of."""
    run, _ = played
    ledger = read_json(f"fixtures/requirements/{key.split('.')[0]}.json")
    is_must = any(row["key"] == key and row["level"] == "must" for row in ledger)
    seen = ("fail", "timeout") if is_must else ("fail", "timeout", "warn")
    failed = {r["key"] for r in run.report["results"] if r["verdict"] in seen} if run.report else set()
    checks.that(run.code == 1 or not is_must, f"{variant.name}: exit code {run.code}, expected 1", run)
    checks.that(key in failed, f"{variant.name} breaks {key} ({variant.why}); what fails is {', '.join(sorted(failed)) or 'nothing'}")


def chosen(table):
    """Returns the rows that the arguments ask for: those whose variants a glob names, or a share of them, drawn by the commit."""
    if globs:
        return [row for row in table if any(fnmatch.fnmatchcase(row[1].name, glob) for glob in globs)]
    return random.Random(COMMIT).sample(table, max(1, round(len(table) * (0.2 if EVERYTHING else 0.025))))


def serve(*flags):
    return reference_server("--models", f"{build}/models/kit", "--models", f"{build}/models/builtin", *flags)


def rows(table, *modules):
    """The rows of that table in all of these modules that have it."""
    return [row for module in modules for row in getattr(importlib.import_module(module), table, [])]


# Each returns rows of compliant variants, which are the profiles that are judged and a variant, and rows of wrong ones, which have the requirement, too.


def over_rest():
    """Only what the relay can carry without knowing it is judged of compliant variants: JSON."""
    import meaning
    compliant = rows("VARIANTS", "rest_variants", "rest_choices", "rest_habits") + list(map(meaning.over_rest, rows("RIGHT", "right_meanings")))
    wrong = rows("WRONG", "rest_wrong") + meaning.wrong_over_rest(rows("WRONG", "wrong_meanings"))
    return [("v2-rest", variant) for variant in compliant], [("v2-rest", *row) for row in wrong]


def over_grpc():
    import over_grpc as carrier
    compliant = rows("VARIANTS", "grpc_variants", "grpc_choices", "grpc_habits") + list(map(carrier.over_grpc, rows("RIGHT", "right_meanings")))
    wrong = rows("WRONG", "grpc_wrong") + carrier.wrong_over_grpc(rows("WRONG", "wrong_meanings"))
    return [("v2-grpc", variant) for variant in compliant], [("v2-grpc", *row) for row in wrong]


def others_over_http():
    modules = ("http_variants", "http_choices", "http_for_some", "event_streams", "v1_texts", "less_than_asked", "extension_meanings", "v1_meanings")
    return rows("VARIANTS", *modules), rows("WRONG", *modules)


def others_over_grpc():
    both = ("extension_meanings", "v1_meanings")
    return rows("VARIANTS", "stream_variants") + rows("STREAMS", "less_than_asked") + rows("STREAM_VARIANTS", *both), \
        rows("WRONG", "stream_wrong") + rows("STREAM_WRONG", *both)


def play_all(tables, player, *flags):
    """Plays variants of a server with these flags. Returns how many checks were done, and what failed."""
    compliant, wrong = map(chosen, tables())
    if compliant or wrong:
        with serve(*flags) as server:
            for profile, variant in compliant:
                judge(variant, player(profile, variant, "", server, *PATIENT))
            for profile, variant, slug in wrong:
                key = slug if "." in slug else f"{profile}.{slug}"
                filters = [flag for glob in PLAYED.get(key, ["*#" + key]) for flag in ("--filter", glob)]
                notice(variant, key, player(profile, variant, key, server, *filters))
    return checks.done, checks.failures


# They are played at the same time, each with a server and a process of its own.
with futures.ProcessPoolExecutor(4, multiprocessing.get_context("fork")) as pool:
    jobs = [pool.submit(play_all, *job) for job in ((over_grpc, play_grpc), (over_rest, play_http), (others_over_http, play_http, *MORE),
                                                     (others_over_grpc, play_grpc, *MORE))]
    for done, failures in (job.result() for job in jobs):
        checks.done, checks.failures = checks.done + done, checks.failures + failures
checks.that(checks.done, f"no variant is called {' or '.join(globs)}")
checks.end()
