#!/usr/bin/python3
"""Asks `oip-conformance explain` for what exists, and for what is misspelt. Argument: BUILD."""

from judge_process import checks, say

SCREENS = 48  # lines of two terminals of 24


def explain(text, code, *said, without=None, options=()):
    """Checks the exit code, that each text is said, that the other one is not, and that two screens hold it."""
    run = say("explain", text, *options)
    checks.code(code, f"explain {text}", run, *said)
    checks.that(without is None or without not in run.output, f"explain {text}: it says {without!r}", run)
    lines = run.output.count("\n")
    checks.that(options or lines <= SCREENS, f"explain {text}: {lines} lines, more than {SCREENS}")


explain("v2-rest.id-echoed", 0, "v2-rest.id-echoed (must", "For example v2-rest/infer/request@http", "broken by rest-id-invented-anew, rest-id-lost",
        "--filter v2-rest.id-echoed")
explain("v2/infer/sum-and-difference", 0, "v2/infer/sum-and-difference@rest-nested\n", "@grpc-raw\n", "POST /v2/models/simple/infer",
        "OUTPUT0 is their sum", "--all")
explain("v2/infer/sum-and-difference", 0, "v2/infer/sum-and-difference@trtis-v1-grpc\n  says", without="(--all)", options=["--all"])
explain("simple", 0, "OUTPUT0 is their sum", "INT32 [-1,16]", "config.pbtxt", "POST /v2/models/simple/infer", "simple=NAME")
explain("one-model-fails", 0, "--state one-model-fails=URL", "into build/models:", "broken", "list --filter '*/one-model-fails*'")
explain("v2-rest.ready-version-known", 0, "v2-rest.ready-version-known\n", without="...")
explain("simpl", 2, "did you mean simple")
explain("v2-rest.infer-answers", 0)
explain("binary-tensors/infer/request", 0)
explain("v2/infer/sum-and-difference@rest-flat#v2-rest.id-echoed", 0, "v2-rest.id-echoed (must")
explain("v2/infer/sum-and-difference@rest-flat#v2-rest.accept", 2, "@rest-flat does not expect v2-rest.accept; it expects v2-rest.")
explain("rest-id-lost", 0, "--deviate rest-id-lost", "by        {", "deviations/v2-rest.json", "v2-rest.id-echoed (must")
explain("v2-rest.id-ecoed", 2, "did you mean v2-rest.id-echoed")
explain("rest-id-los", 2, "did you mean rest-id-lost")
explain("v2/infer/sum-and-diference", 2, "did you mean v2/infer/sum-and-difference")
explain("v2/infer/sum-and-difference/input-misssing", 2, "did you mean v2/infer/sum-and-difference/input-missing")
explain("echoed", 2, "did you mean", ".id-echoed")
explain("id_echoed", 2, "did you mean", "v2-grpc.id-echoed")
explain("data-count", 2, "did you mean", "v2-rest.data-count", "v2-grpc.data-count")
explain("v2/infer/sum-and-differences@rest-flat#v2-rest.id-echoed", 2, "did you mean v2/infer/sum-and-difference")
explain("v2-rest", 2, "`oip-conformance list --profile v2-rest`")
explain("v2/infer/", 2, "`oip-conformance list --filter 'v2/infer/*'`")
explain("accoun", 2, without="did you mean")
explain("fer", 2, "`oip-conformance list` shows IDs and keys", without="did you mean")
explain("7#%", 2, "`oip-conformance list` shows IDs and keys")
checks.end()
