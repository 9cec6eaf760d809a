#!/usr/bin/python3
"""Servers that are compliant in an unusual way fail no requirement, and servers that break one sentence fail it. Arguments: BUILD
[GLOB of the names of variants].

The reference server is played behind a relay that changes what is said (conformance/tests/variants/). Of a compliant variant no MUST
may fail, and no SHOULD may be warned of, except those that the variant breaks knowingly. Of a wrong one the requirement that it breaks
must fail; only the cases of that requirement are played, and what its watcher needs to see."""
import fnmatch
import sys
import urllib.parse

sys.path[:0] = ["conformance/tests", "conformance/tests/variants"]
import grpc_relay
import grpc_variants
import rest_relay
import rest_variants
import rest_wrong
from judge_process import Checks, Run, reference_server

build, globs = sys.argv[1], sys.argv[2:] or ["*"]
checks = Checks()


def faults_of(variant, run):
    """Returns what the run says against the variant."""
    results = run.report["results"] if run.report else []
    broken = {r["id"].split("#")[0] for r in results if r["verdict"] == "warn" and r["key"] in variant.breaks}
    bad = [f"{r['verdict']} {r['id']}" for r in results if r["verdict"] in ("fail", "timeout", "error")
           or r["verdict"] == "blocked" and r["id"].split("#")[0] not in broken]
    warned = {r["key"] for r in results if r["verdict"] == "warn"}
    bad += [f"warn {r['id']}" for r in results if r["verdict"] == "warn" and r["key"] not in variant.breaks]
    bad += [f"{key} was to be warned of, and was not" for key in sorted(variant.breaks - warned)]
    judged = run.report["judged"] if run.report else 0
    if judged < variant.judged:
        bad.append(f"only {judged} assertions were judged, at least {variant.judged} should be")
    return bad


# For what a watcher judges, or every refusal brings: enough for it to see, and not all cases.
PLAYED = {key: ["v2-rest/watch/*", "v2/infer/with-version*", "v2/infer/datatype/int32*", "v2-rest/metadata/*",
                "v2-rest/infer/failing-model*"]
          for key in ("v2-rest.answer-json", "v2-rest.answer-nesting", "v2-rest.error-body", "v2-rest.error-status", "http.length-answer")}


def play(variant, relay, flags):
    """Runs the judge against the variant. Returns the run and how much the variant changed."""
    run = Run(build, *flags, *variant.flags)
    checks.that(not relay.faults, f"{variant.name}: {len(relay.faults)} exceptions in its functions, such as\n{''.join(relay.faults[:1])}")
    print(f"{variant.name:32} {run.report['judged'] if run.report else 0:5} judged, {relay.touched:5} changed, {run.seconds:5.1f} s",
          flush=True)
    return run, relay.touched


def play_rest(variant, *flags):
    with rest_relay.Relay(variant, rest) as relay:
        return play(variant, relay, ["--target", relay.address + variant.prefix, "--profile", "v2-rest", *flags])


def play_grpc(variant, *flags):
    with grpc_relay.Relay(variant, server.grpc) as relay:
        return play(variant, relay, ["--grpc", relay.address, *flags])


def judge(variant, player):
    run, touched = player(variant)
    bad = faults_of(variant, run)
    checks.code(0, variant.name, run)
    checks.that(touched > 0 or variant.changes_nothing, f"{variant.name}: nothing was changed")
    checks.that(not bad, f"{variant.name} is compliant ({variant.why}), but:\n    " + "\n    ".join(bad[:40]))


def notice(variant, key, player):
    """The suite notices a variant that is wrong."""
    seen = [flag for glob in PLAYED.get(key, ["*#" + key]) for flag in ("--filter", glob)]
    run, _ = player(variant, *seen)
    failed = {r["key"] for r in run.report["results"] if r["verdict"] == "fail"} if run.report else set()
    checks.code(1, variant.name, run)
    checks.that(key in failed, f"{variant.name} breaks {key} ({variant.why}); what fails is {', '.join(sorted(failed)) or 'nothing'}")


def is_chosen(variant):
    return any(fnmatch.fnmatchcase(variant.name, glob) for glob in globs)


with reference_server(build, "--models", f"{build}/models/kit", "--models", f"{build}/models/builtin") as server:
    address = urllib.parse.urlsplit(server.http)
    rest = (address.hostname, address.port)
    for variants, wrong, player in ((rest_variants.VARIANTS, rest_wrong.WRONG, play_rest),
                                    (grpc_variants.VARIANTS, grpc_variants.WRONG, play_grpc)):
        for variant in filter(is_chosen, variants):
            judge(variant, player)
        for variant, key in wrong:
            if is_chosen(variant):
                notice(variant, key, player)
checks.end()
