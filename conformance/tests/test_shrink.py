#!/usr/bin/python3
"""`shrink` finds the smallest request that fails as a case does, and the nearest that passes. Argument: BUILD."""
import json

import strangers
from judge_process import build, checks, reference_server, run_tests, say

PROBE = "v2/probe/valid@model-0@rest-flat#v2-rest.infer-answers"


class Server(strangers.Stranger):
    """Inferences that `breaks(request)` says are answered with 500."""

    def __init__(self, breaks):

        class Breaking(strangers.Handler):
            def infer(self, path, body):
                try:
                    request = json.loads(body)
                    broken = breaks(request)
                except (ValueError, KeyError, TypeError, AttributeError):
                    broken = False
                return self.say(500, {"error": "out of order"}) if broken else super().infer(path, body)

        super().__init__(handler=Breaking)


class Shrunk:
    def __init__(self, id, *flags):
        self.code, self.output, self.error = say("shrink", id, *flags)
        bodies = [json.loads(line[2:]) for line in self.output.splitlines() if line.startswith("> {")]
        self.failing, self.passing = (bodies + [None, None])[:2]

    def requests(self):
        return int(self.output.rsplit("after ", 1)[1].split()[0])


def test_long_text():
    """A text of four bytes breaks it: the smallest such request has nothing else, and one byte less passes."""
    with Server(lambda request: len(request.get("id", "")) >= 4) as server:
        found = Shrunk(PROBE, "--target", server.http)
    checks.that(found.code == 1, f"it fails: {found.code} {found.error}", found)
    checks.that(found.failing and found.failing["id"] == "3141" and found.passing["id"] == "314", f"{found.failing} and {found.passing}", found)
    checks.that(set(found.failing["inputs"][0]["data"]) == {0}, f"the values do not matter: {found.failing}", found)
    checks.that('/id\n    fails with   "3141"\n    passes with  "314"' in found.output, "the difference is marked", found)
    checks.that("The smallest request that fails so, of" in found.output and "limits" not in found.output, "no limit ended it", found)


def test_value():
    """One large value breaks it, wherever it stands."""
    with Server(lambda request: any(abs(x) > 0.01 for x in request["inputs"][0]["data"])) as server:
        found = Shrunk(PROBE, "--target", server.http)
    data = found.failing["inputs"][0]["data"] if found.failing else []
    checks.that(found.code == 1 and sum(x != 0 for x in data) == 1 and "id" not in found.failing, f"one value is left: {data} {found.error}", found)
    checks.that(found.passing and not any(found.passing["inputs"][0]["data"]), f"without it the request passes: {found.passing}", found)


def test_neighbour():
    """A wrong request shrinks with its base, so that it stays wrong by its change alone."""
    id = "v2-rest/infer/request/data-long@http#v2-rest.data-count"
    with reference_server("--models", f"{build}/models/kit", "--deviate", "rest-data-count-unchecked") as server:
        found = Shrunk(id, "--target", server.http)
        held = Shrunk("v2-rest/infer/request@http", "--target", server.http)
    inputs = [request["inputs"][0] for request in (found.failing, found.passing) if request]
    checks.that(found.code == 1 and [(one["shape"], one["data"]) for one in inputs] == [([1, 2], [0, 0, 0]), ([1, 2], [0, 0])],
                f"one element too many: {inputs} {found.error}", found)
    checks.that(found.failing and set(found.failing) == {"inputs"}, f"nothing else is left: {found.failing}", found)
    checks.that(held.code == 0 and "it holds" in held.output and held.requests() == 1, "what holds is not made smaller", held)


def test_limits():
    with Server(lambda request: len(request.get("id", "")) >= 4) as server:
        found = Shrunk(PROBE, "--target", server.http, "--max-requests", "3")
        checks.that(found.code == 1 and found.requests() == 3 and "within the limits" in found.output, "three requests, and no more", found)
        found = Shrunk(PROBE, "--target", server.http, "--max-time", "0.001")
        checks.that(found.code == 1 and "within the limits" in found.output and found.requests() < 10, "no time", found)


def test_refused():
    with Server(lambda request: False) as server:
        for words, says in ((("v2-rest/framing/method-unknown@tcp", "--target", server.http), "several steps"), (("v2/no/such@case", "--target", server.http), "there is no case"),
                            ((PROBE + "x", "--target", server.http), "does not expect"), (("--target", server.http), "replay, walk and shrink need the ID"),
                            ((PROBE,), "no server to judge")):
            wrong = Shrunk(*words)
            checks.that(wrong.code == 2 and says in wrong.error, f"{words}: {wrong.code} {wrong.error}", wrong)


run_tests(globals())
