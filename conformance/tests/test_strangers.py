#!/usr/bin/python3
"""The judge meets servers as strangers write and run them: of one thread, slow, still starting, with many models. Argument: BUILD."""

from judge_process import Run, checks, run_tests, say
from strangers import Stranger

LIVE = ("--filter", "v2-rest/health/live@*")  # it passes: what does not is asked again if others went over its connection before
VALID = ("--filter", "v2/probe/valid/id-*")


def judge(server, *flags):
    return Run("--target", server.http, *flags)


def test_of_one_thread():
    """A second connection is not served before the first is closed, so the judge must not keep one open."""
    chosen = ("--filter", "v2/probe/*", "--filter", "v2-rest/metadata/*", "--filter", "v2-rest/framing/pieces", "--timeout", "10")
    with Stranger(threads=False) as server:
        run = judge(server, *chosen)
    with Stranger() as other:
        usual = judge(other, *chosen)
    notes = run.report["discovery"]["notes"]
    checks.that(run.code == usual.code == 1 and len(run.by_id()) > 200, "it is judged, and this server is not right", run)
    checks.that(run.report["jobs"] == 1 and any("one connection at a time" in note for note in notes), "the report says how", run)
    checks.that(usual.report["jobs"] == 8 and not any("one connection" in note for note in usual.report["discovery"]["notes"]),
                "a server of many threads is not meant", usual)
    checks.that(not run.verdicts("timeout", "blocked"), f"these had no answer: {run.verdicts('timeout', 'blocked')[:5]}", run)
    differing = {id for id in run.by_id() if run.by_id()[id] != usual.by_id().get(id)}
    checks.that(not differing, f"these are judged otherwise: {sorted(differing)[:5]}", run)


def test_body_left_unread():
    """http.server takes the body of a GET for the next request. That is the connection's fault, and no answer's."""
    with Stranger() as server:
        run = judge(server, "--filter", "v2-rest/metadata/server", "--filter", "v2-rest/metadata/server/body")
        id = "v2-rest/metadata/server/body/replay@http#http.in-step"
        checks.that(run.verdicts("fail") == [id], f"these fail: {run.verdicts('fail')}", run)
        checks.code(1, "a replay shows it", say("replay", id, "--target", server.http), f"FAIL {id}")


def test_wrong_request_served():
    """What the answer to a request holds that had to be refused, or should be, breaks no right client: it is a finding about refusals alone."""
    with Stranger(counts=False) as server:
        run = judge(server, "--filter", "v2/probe/valid*", "--filter", "v2-rest/watch/*")
        broken = {finding["requirement"]: finding["layer"] for finding in run.report["findings"]}
        checks.that(broken.get("v2-rest.data-count") == "refusals", f"it is noticed: {broken}", run)
        for key in ("v2-rest.answer-data-count", "v2-rest.output-shape"):  # the second of a shape that only should be refused
            checks.that(key not in broken, f"once: {broken}", run)


def test_side_by_side():
    """Discovery asks for many models at once, and finds the same whether it does or not."""
    found = []
    for jobs in (1, 8):
        with Stranger(models=8, pause=0.005) as server:
            run = judge(server, "--jobs", str(jobs), *LIVE)
            checks.code(0, f"{jobs} jobs", run)
            found.append(run.report["discovery"])
            checks.that(server.most == 1 if jobs == 1 else server.most > 2, f"with {jobs} jobs {server.most} requests were made at once", run)
    checks.that(found[0] == found[1], f"{found[0]}\nis not\n{found[1]}")


def test_with_many_models():
    """What is planned and asked grows as the number of models that are probed, and not faster; of a long list a few are probed."""
    listed = []
    for models in (100, 200):
        with Stranger(models=models) as server:
            run = judge(server, *LIVE)
            checks.code(0, f"{models} models in the list", run)
            listed.append((run.report["planned"], len(run.report["discovery"]["probed"]), server.asked))
            checks.that(run.says("Listed, but not asked: model-16, model-17") and run.says(f"and {models - 26} more (--models-max is 16)."),
                        "the others are told", run)
    checks.that(listed[0] == listed[1], f"planned, probed, asked: {listed}")
    grown = []
    with Stranger(models=200) as server:
        for count in (10, 60, 110):
            before = server.asked
            run = judge(server, *VALID, *(word for i in range(count) for word in ("--model", f"model-{i}")))
            checks.code(0, f"{count} models by name", run)
            grown.append((run.report["planned"], run.report["judged"], server.asked - before))
    steps = [[b - a for a, b in zip(grown[i], grown[i + 1])] for i in range(2)]
    checks.that(steps[0] == steps[1] and min(steps[0]) > 0, f"planned, judged, asked: {grown}")


def test_chosen_by_globs():
    """A glob chooses of the models that the target lists, --models-max bounds how many, and the report says which were left out and why."""
    with Stranger(models=100) as server:
        run = judge(server, *LIVE, "--model", "model-1[5-9]", "--model", "model-4?", "--model", "model-77", "--models-max", "12")
        checks.code(0, "two globs and a name", run)
        probed = ["model-77", *(f"model-{i}" for i in (*range(15, 20), *range(40, 47)))]
        checks.that(run.report["discovery"]["probed"] == probed, f"these are probed: {run.report['discovery']['probed']}", run)
        left_out = {one["why"]: one["models"] for one in run.report["discovery"]["unasked"]}
        checks.that(left_out["--models-max is 12"] == [f"model-{i}" for i in range(47, 50)] and len(left_out["no --model names it"]) == 84
                    and len(left_out) == 2, f"these are not: {left_out}")
        checks.that(run.says("model-9 and 74 more (no --model names it); model-47, model-48, model-49 (--models-max is 12)."), "a person is told, too", run)
        checks.code(2, "a glob that matches nothing", judge(server, *LIVE, "--model", "model-1?", "--model", "modell*"),
                    "--model 'modell*' is a glob, and the target lists no model 'modell*', but model-0, model-1")
        whole = judge(server, "--models-max", "100", *VALID)
        checks.code(0, "all hundred of them", whole)
        checks.that(len(whole.report["discovery"]["probed"]) == 100 and not whole.report["discovery"]["unasked"], "none is left out", whole)


def test_still_starting():
    """--wait lasts until somebody listens, and until 503 ends."""
    for how in ("opens_after", "ready_after"):
        with Stranger(**{how: 600}) as server:
            run = judge(server, *LIVE)
            checks.code(3, f"nobody waits for {how}", run)
            checks.that(run.output.count("\n") == 1 and "--wait SECONDS" in run.output, "one line says what to do", run)
        with Stranger(**{how: 1}) as server:
            run = judge(server, *LIVE, "--wait", "60")
            checks.code(0, f"--wait with {how}", run)
            checks.that(not any("after 60 s of waiting" in note for note in run.report["discovery"]["notes"]), "it is not waited for longer", run)


run_tests(globals())
