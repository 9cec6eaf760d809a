#!/usr/bin/python3
"""Servers that are compliant in an unusual way fail no requirement, and servers that break one sentence fail it. Arguments: BUILD
[GLOB of the names of variants]. Without a glob a sample is played, another one for each commit, and a smaller one in `make test` than in
`make test-all`; '*' plays all.

The reference server is played behind a relay that changes what is said (conformance/tests/variants/). Of a compliant variant no MUST
may fail, and no SHOULD may be warned of, except those that the variant breaks knowingly. Of a wrong one the requirement that it breaks
must fail; only the cases of that requirement are played, and what its watcher needs to see."""
import fnmatch
import importlib
import multiprocessing
import random
import re
import sys
import urllib.parse
from concurrent import futures

sys.path[:0] = ["conformance/tests", "conformance/tests/variants"]
from judge_process import COMMIT, Checks, EVERYTHING, Run, read_json, reference_server

build, globs = sys.argv[1], sys.argv[2:]
checks = Checks()

# For what a watcher judges, or every refusal brings: enough for it to see, and not all cases.
WATCHED = ["v2-rest/watch/*", "v2/infer/with-version*", "v2/infer/datatype/int32*", "v2-rest/metadata/*", "v2-rest/infer/failing-model*"]
PLAYED = {key: WATCHED for key in ("v2-rest.answer-json", "v2-rest.answer-nesting", "v2-rest.error-body", "v2-rest.error-status",
                                   "http.length-answer")}
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
        run = Run(build, *address(relay), *flags, *variant.flags)
    checks.that(not relay.faults, f"{variant.name}: {len(relay.faults)} exceptions in its functions, such as\n{''.join(relay.faults[:1])}")
    print(f"{variant.name:32} {run.report['judged'] if run.report else 0:5} judged, {relay.touched:5} changed, {run.seconds:5.1f} s",
          flush=True)
    return run, relay.touched


def play_rest(variant, server, *flags):
    import rest_relay
    address = urllib.parse.urlsplit(server.http)
    relay = rest_relay.Relay(variant, (address.hostname, address.port))
    return play(variant, relay, lambda relay: ("--target", relay.address + variant.prefix), *flags)


def play_http(pair, server, *flags):
    """Plays the cases of one profile of another protocol over HTTP."""
    import rest_relay
    profile, variant = pair
    address = urllib.parse.urlsplit(server.graphpipe if profile == "graphpipe" else server.http)
    relay = rest_relay.Relay(variant, (address.hostname, address.port))
    flag = {"graphpipe": "--graphpipe", "metrics": "--metrics"}.get(profile, "--target")
    own = ("--target", server.http) if profile == "metrics" else ()
    return play(variant, relay, lambda relay: (flag, relay.address, *own), "--profile", profile, *flags)


def play_grpc(variant, server, *flags):
    import grpc_relay
    if not variant.server:
        return play(variant, grpc_relay.Relay(variant, server.grpc), lambda relay: ("--grpc", relay.address), *flags)
    with serve(*variant.server) as other:
        run, _ = play(variant, grpc_relay.Relay(variant, other.grpc), lambda relay: ("--grpc", relay.address), *flags)
        return run, len(variant.server)


def play_stream(pair, server, *flags):
    """Plays the cases of some profiles over gRPC that have streams, or are of another protocol."""
    import stream_relay
    profiles, variant = pair
    flags += ("--profile", profiles) if profiles else ()
    if "trtis-v1-grpc" in (profiles or ""):  # what the relay's library answers
        flags += ("--skip", "grpc.*", "--skip", "http2.*", "--skip", "trtis-v1-grpc/framing/*", "--skip", "trtis-v1-grpc/http2/*")
    if not variant.server:
        return play(variant, stream_relay.StreamRelay(variant, server.grpc), lambda relay: ("--grpc", relay.address), *flags)
    with serve("--models", f"{build}/models/batching", *variant.server) as other:
        return play(variant, stream_relay.StreamRelay(variant, other.grpc), lambda relay: ("--grpc", relay.address), *flags)


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


def chosen(variants, name_of, share):
    """Returns the variants that the arguments ask for: those that a glob names, or a share of them, drawn by the commit."""
    if globs:
        return [variant for variant in variants if any(fnmatch.fnmatchcase(name_of(variant), glob) for glob in globs)]
    return random.Random(COMMIT).sample(variants, max(1, round(len(variants) * (share if EVERYTHING else share / 8))))


def serve(*flags):
    return reference_server(build, "--models", f"{build}/models/kit", "--models", f"{build}/models/builtin", *flags)


def rows(table, *modules):
    """The rows of that table in all of these modules that have it."""
    return [row for module in modules for row in getattr(importlib.import_module(module), table, [])]


def rest_variants():
    """Only what the relay can carry without knowing it is judged of compliant variants: JSON."""
    import meaning
    compliant = rows("VARIANTS", "rest_variants", "rest_choices", "rest_habits") + meaning.right_over_rest(rows("RIGHT", "right_meanings"))
    wrong = rows("WRONG", "rest_wrong") + meaning.wrong_over_rest(rows("WRONG", "wrong_meanings"))
    return compliant, wrong, play_rest, ["--profile", "v2-rest"]


def grpc_variants():
    """What gRPC demands of any server is left out: there the relay's own library answers, and no variant has a say. It also resets the
    stream of a message that cannot be inflated."""
    import over_grpc
    from grpc_relay import LIBRARY
    compliant = rows("VARIANTS", "grpc_variants", "grpc_choices", "grpc_habits") + over_grpc.right_over_grpc(rows("RIGHT", "right_meanings"))
    wrong = rows("WRONG", "grpc_wrong") + over_grpc.wrong_over_grpc(rows("WRONG", "wrong_meanings"))
    return compliant, wrong, play_grpc, ["--profile", "v2-grpc", *LIBRARY]


def play_all(of_transport):
    """Plays the variants of one transport. Returns how many checks were done, and what failed."""
    compliant, wrong, player, flags = of_transport()
    compliant = chosen(compliant, lambda variant: variant.name, 0.25)
    wrong = chosen(wrong, lambda pair: pair[0].name, 0.18)
    if compliant or wrong:
        with serve() as server:
            for variant in compliant:
                judge(variant, player(variant, server, *flags, *PATIENT))
            for variant, key in wrong:
                filters = [flag for glob in PLAYED.get(key, ["*#" + key]) for flag in ("--filter", glob)]
                notice(variant, key, player(variant, server, *filters))
    return checks.done, checks.failures


def play_others():
    """Plays the variants of the other protocols over HTTP. Returns how many checks were done, and what failed."""
    modules = ("http_variants", "http_choices", "http_for_some", "event_streams", "v1_texts", "less_than_asked", "extension_meanings", "v1_meanings")
    pairs = chosen(rows("VARIANTS", *modules), lambda pair: pair[1].name, 0.2)
    wrong = chosen(rows("WRONG", *modules), lambda row: row[1].name, 0.2)
    if pairs or wrong:
        with serve("--models", f"{build}/models/batching", "--graphpipe", "127.0.0.1:0") as server:
            for pair in pairs:
                judge(pair[1], play_http(pair, server, *PATIENT))
            for profile, variant, slug in wrong:
                notice(variant, slug if "." in slug else f"{profile}.{slug}", play_http((profile, variant), server))
    return checks.done, checks.failures


def play_streams():
    """Plays the variants of the other services over gRPC, and of streams. Returns how many checks were done, and what failed."""
    pairs = chosen(rows("VARIANTS", "stream_variants") + rows("FRAMES", "grpc_choices", "grpc_habits") + rows("STREAMS", "less_than_asked")
                   + rows("STREAM_VARIANTS", "extension_meanings", "v1_meanings"), lambda pair: pair[1].name, 0.2)
    wrong = chosen(rows("WRONG", "stream_wrong") + rows("FRAMES", "grpc_wrong") + rows("STREAM_WRONG", "extension_meanings", "v1_meanings"),
                   lambda row: row[1].name, 0.2)
    if pairs or wrong:
        with serve("--models", f"{build}/models/batching") as server:
            for pair in pairs:
                judge(pair[1], play_stream(pair, server, *PATIENT))
            for profile, variant, slug in wrong:
                key = slug if "." in slug else f"{profile}.{slug}"
                variant.flags += ["--filter", f"*#{key}"]
                notice(variant, key, play_stream((profile, variant), server))
    return checks.done, checks.failures


# They are played at the same time, each with a server and a process of its own.
with futures.ProcessPoolExecutor(4, multiprocessing.get_context("fork")) as pool:
    jobs = [pool.submit(play_all, grpc_variants), pool.submit(play_all, rest_variants), pool.submit(play_others),
            pool.submit(play_streams)]
    for done, failures in (job.result() for job in jobs):
        checks.done, checks.failures = checks.done + done, checks.failures + failures
checks.that(checks.done, f"no variant is called {' or '.join(globs)}")
checks.end()
