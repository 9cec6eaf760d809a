#!/usr/bin/python3
"""Servers that are compliant in an unusual way fail no requirement. Arguments: BUILD [GLOB of the names of variants].

The reference server is played behind a relay that changes what is said (conformance/tests/variants/). No MUST may fail; no SHOULD may
be warned of, except those that the variant breaks knowingly."""
import fnmatch
import multiprocessing
import sys
import urllib.parse
from concurrent import futures

sys.path[:0] = ["conformance/tests", "conformance/tests/variants"]
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


def play(variant, relay, address, *flags):
    """Runs the judge against the variant behind a relay. Returns the run and how much the variant changed."""
    with relay:
        run = Run(build, *address(relay), *flags, *variant.flags)
    checks.that(not relay.faults, f"{variant.name}: {len(relay.faults)} exceptions in its functions, such as\n{''.join(relay.faults[:1])}")
    print(f"{variant.name:26} {run.report['judged'] if run.report else 0:5} judged, {relay.touched:5} changed, {run.seconds:5.1f} s",
          flush=True)
    return run, relay.touched


def play_rest(variant, server):
    """A relay of JSON cannot carry binary tensors, so that profile is left out."""
    address = urllib.parse.urlsplit(server.http)
    import rest_relay
    relay = rest_relay.Relay(variant, (address.hostname, address.port))
    return play(variant, relay, lambda relay: ("--target", relay.address + variant.prefix), "--profile", "v2-rest")


def play_grpc(variant, server):
    import grpc_relay
    if not variant.server:
        return play(variant, grpc_relay.Relay(variant, server.grpc), lambda relay: ("--grpc", relay.address))
    with serve(*variant.server) as other:
        run, _ = play(variant, grpc_relay.Relay(variant, other.grpc), lambda relay: ("--grpc", relay.address))
        return run, len(variant.server)


def judge(variant, played):
    run, touched = played
    bad = faults_of(variant, run)
    checks.code(0, variant.name, run)
    checks.that(touched > 0, f"{variant.name}: nothing was changed")
    checks.that(not bad, f"{variant.name} is compliant ({variant.why}), but:\n    " + "\n    ".join(bad[:40]))


def notice(variant, key, played):
    """The suite notices a variant that is wrong."""
    run, _ = played
    failed = {r["key"] for r in run.report["results"] if r["verdict"] == "fail"}
    checks.code(1, variant.name, run)
    checks.that(key in failed, f"{variant.name} breaks {key}; what fails is {', '.join(sorted(failed))}")


def is_chosen(variant):
    return any(fnmatch.fnmatchcase(variant.name, glob) for glob in globs)


def serve(*flags):
    return reference_server(build, "--models", f"{build}/models/kit", "--models", f"{build}/models/builtin", *flags)


def play_rest_variants():
    import rest_variants
    return rest_variants, play_rest


def play_grpc_variants():
    import grpc_variants
    return grpc_variants, play_grpc


def play_all(of_transport):
    """Plays the variants of one transport. Returns how many checks were done and failed."""
    variants, player = of_transport()
    chosen = [variant for variant in variants.VARIANTS + [variant for variant, _ in variants.WRONG] if is_chosen(variant)]
    if chosen:
        wrong = {variant.name: key for variant, key in variants.WRONG}
        with serve() as server:
            for variant in chosen:
                if variant.name in wrong:
                    notice(variant, wrong[variant.name], player(variant, server))
                else:
                    judge(variant, player(variant, server))
    return checks.done, checks.failed


# The transports are played at the same time, each with a server and a process of its own.
with futures.ProcessPoolExecutor(2, multiprocessing.get_context("fork")) as pool:
    for done, failed in pool.map(play_all, (play_grpc_variants, play_rest_variants)):
        checks.done, checks.failed = checks.done + done, checks.failed + failed
checks.that(checks.done, f"no variant is called {' or '.join(globs)}")
checks.end()
