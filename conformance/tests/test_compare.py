#!/usr/bin/python3
"""`compare` plays two targets and tells where they answer differently, judged or not. Argument: BUILD."""
import json
import tempfile

import strangers
from strangers import Stranger
from judge_process import build, checks, read_json, read_text, reference_server, run_tests, say

METADATA = ("--filter", "v2-rest/probe/metadata*", "--filter", "v2-rest/health/*", "--filter", "v2/probe/valid*")


class Talkative(strangers.Handler):
    """The same server, but for what no row judges: a header, a member, other names of what it is, and a counter."""
    header, counts = "X-Node", False

    def say(self, status, answer=None):
        self.stranger.said = getattr(self.stranger, "said", 0) + 1
        if isinstance(answer, dict) and "inputs" in answer:
            answer = {**answer, "owner": "somebody", "platform": "another"}
        if isinstance(answer, dict) and self.counts:
            answer = {**answer, "said": self.stranger.said}
        super().say(status, answer)

    def end_headers(self):
        self.send_header(self.header, "one")
        self.send_header("Date", str(self.stranger.said))
        super().end_headers()


class Comparison:
    def __init__(self, *words):
        with tempfile.TemporaryDirectory() as folder:
            self.code, self.output, self.error = say("compare", *words, "--json", f"{folder}/c.json", "--markdown", f"{folder}/c.md")
            self.content = read_json(f"{folder}/c.json") if self.code in (0, 1) else {}
            self.markdown = read_text(f"{folder}/c.md") if self.code in (0, 1) else ""
        self.places = {one["place"]: one for one in self.content.get("answers", [])}


def test_the_same():
    with Stranger() as server:
        same = Comparison(server.http, server.http, *METADATA)
    checks.that(same.code == 0 and not same.places and same.content["requests"]["both"] > 50, "a server is like itself", same)
    checks.that("no verdict differs" in same.output and "before" not in same.output, "it is said", same)


def test_what_no_row_judges():
    with Stranger(models=10) as one, Stranger(models=10, handler=Talkative) as other:
        found = Comparison(one.http, other.http, "--models-max", "10", *METADATA)
    owner = found.places.get("/json/owner")
    checks.that(found.code == 0, f"no row judges it: exit code {found.code}, {found.error}", found)
    checks.that(owner and owner["first"] == "nothing" and owner["second"] == "'somebody'" and owner["count"] >= 10,
                f"a member of ten models is one line: {owner}", found)
    checks.that(set(found.places) == {"/json/owner", "/json/platform", "/headers/x-node"}, f"and a value, and a header: {set(found.places)}", found)
    checks.that("/json/owner: nothing | 'somebody'" in found.output and "/json/owner" in found.markdown, "it is told in each form", found)


def test_what_differs_from_itself():
    """A counter is left out; what stands beside it is told."""
    counting = type("Counting", (Talkative,), {"counts": True})
    with Stranger(handler=counting) as one, Stranger(handler=type("Other", (counting,), {"header": "X-Other"})) as other:
        found = Comparison(one.http, other.http, *METADATA)
    places = set(found.places)
    checks.that(places == {"/headers/x-node", "/headers/x-other"} and found.content["unsteady_places"] > 0, f"these differ: {places}", found)


def test_what_is_judged():
    """Verdicts are told as diff tells them, and answers that differ with them are not told twice."""
    with reference_server("--models", f"{build}/models/kit") as one, \
            reference_server("--models", f"{build}/models/kit", "--deviate", "rest-metadata-without-inputs") as other:
        found = Comparison(one.http, other.http, "--filter", "v2-rest/metadata/model*")
        back = Comparison(other.http, one.http, "--filter", "v2-rest/metadata/model*")
    checks.that(found.code == 1 and "v2-rest.metadata-inputs" in found.content["broken"], f"the second breaks a MUST: {found.content}", found)
    checks.that("Broken only by the second" in found.output and "curl" in found.output, "it is shown with a command", found)
    checks.that(found.content["requests"]["judged_differently"] > 0, "its answers are counted apart", found)
    checks.that(back.code == 0 and "v2-rest.metadata-inputs" in back.content["mended"] and "Broken only by the first" in back.output, "the other way round", back)


def test_by_meaning():
    """Tensors as raw bytes and as typed contents are the same tensors."""
    models = ("--models", f"{build}/models/kit")
    with reference_server(*models, "--grpc-output", "raw") as one, reference_server(*models, "--grpc-output", "typed") as other:
        found = Comparison(f"grpc://{one.grpc}", f"grpc://{other.grpc}", "--filter", "v2/infer/*")
    checks.that(found.code == 0 and found.content["requests"]["both"] > 50, f"they are compared over gRPC: {found.content}", found)
    checks.that(not any(place.startswith("/outputs") for place in found.places), f"no output differs: {set(found.places)}", found)


def test_secret():
    """What a target says of a header that proves who asks is told to nobody."""
    class Telling(strangers.Handler):
        def say(self, status, answer=None):
            super().say(status, {**answer, "you": "x" * 50 + self.headers.get("Authorization", "")} if isinstance(answer, dict) else answer)

    with Stranger() as one, Stranger(handler=Telling) as other:
        found = Comparison(one.http, other.http, "--header", "Authorization: Bearer swordfish-1234", *METADATA)
    told = found.output + found.error + found.markdown + json.dumps(found.content)
    checks.that("/json/you" in found.places and "swordfish" not in told and "Bearer s" not in told, f"a secret is hidden: {found.places.get('/json/you')}", found)


def test_refused():
    for words, says in ((("http://127.0.0.1:1",), "compare needs two targets"), (("a b", "http://127.0.0.1:1"), "'a b' is not a target that can be compared"),
                        (("http://h:1", "grpc://h"), "'grpc://h' is not a target"), (("http://h:1", "http://h:2", "--target", "http://h:3"), "compare has no flag --target")):
        wrong = Comparison(*words)
        checks.that(wrong.code == 2 and says in wrong.error, f"{words}: {wrong.code} {wrong.error}", wrong)
    with Stranger() as server:
        gone = Comparison(server.http, "http://127.0.0.1:1", *METADATA)
    checks.that(gone.code == 3, f"nobody answers: {gone.code}", gone)


run_tests(globals())
