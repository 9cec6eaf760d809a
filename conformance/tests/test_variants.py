#!/usr/bin/python3
"""Servers that are compliant in an unusual way fail no requirement. Arguments: BUILD [GLOB of the names of variants].

The reference server is played behind a relay that changes what is said (conformance/tests/variants/). No MUST may fail; no SHOULD may
be warned of, except those that the variant breaks knowingly."""
import fnmatch
import sys
import urllib.parse

sys.path[:0] = ["conformance/tests", "conformance/tests/variants"]
import rest_relay
import rest_variants
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


def play_rest(variant, server):
    """Runs the judge against the variant. Returns the run and how much the variant changed."""
    with rest_relay.Relay(variant, server) as relay:
        run = Run(build, "--target", relay.address + variant.prefix, "--profile", "v2-rest", *variant.flags)
    checks.that(not relay.faults, f"{variant.name}: {len(relay.faults)} exceptions in its functions, such as\n{''.join(relay.faults[:1])}")
    print(f"{variant.name:22} {run.report['judged'] if run.report else 0:5} judged, {relay.touched:5} changed, {run.seconds:5.1f} s",
          flush=True)
    return run, relay.touched


def judge_rest(variant, server):
    run, touched = play_rest(variant, server)
    bad = faults_of(variant, run)
    checks.code(0, variant.name, run)
    checks.that(touched > 0, f"{variant.name}: nothing was changed")
    checks.that(not bad, f"{variant.name} is compliant ({variant.why}), but:\n    " + "\n    ".join(bad[:40]))


def notice_rest(variant, key, server):
    """The suite notices a variant that is wrong."""
    run, _ = play_rest(variant, server)
    failed = {r["key"] for r in run.report["results"] if r["verdict"] == "fail"}
    checks.code(1, variant.name, run)
    checks.that(key in failed, f"{variant.name} breaks {key}; what fails is {', '.join(sorted(failed))}")


def is_chosen(variant):
    return any(fnmatch.fnmatchcase(variant.name, glob) for glob in globs)


with reference_server(build, "--models", f"{build}/models/kit", "--models", f"{build}/models/builtin") as server:
    address = urllib.parse.urlsplit(server.http)
    for variant in filter(is_chosen, rest_variants.VARIANTS):
        judge_rest(variant, (address.hostname, address.port))
    for variant, key in rest_variants.WRONG:
        if is_chosen(variant):
            notice_rest(variant, key, (address.hostname, address.port))
checks.end()
