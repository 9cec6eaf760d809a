#!/usr/bin/python3
"""A server that is written by the suite alone, step by step: the end of each run names the next step, and no step loses a row that
holds. Argument: BUILD."""
import json

import http_handler
from judge_process import Run, checks

# What the server learns in each step, and what the end of the run says is to be done next.
STEPS = [
    ("nothing", "GET /v2 answered 404 (v2-rest.server-metadata)"),
    ("server", "v2-rest.server-live"),
    ("live", "GET /v2/models/add answered 404 (v2-rest.model-metadata)"),
    ("model", "v2-rest.server-ready"),
    ("ready", "v2-rest.infer-answers"),
    ("inference", "v2-rest.model-is-ready"),
    ("model ready", "v2-rest."),
    ("errors", "models of the kit are not hosted"),
]

TENSORS = {name: {"name": name, "datatype": "FP32", "shape": [-1, 2]} for name in ("A", "B", "SUM")}


def flat(data):
    return [number for one in data for number in (flat(one) if isinstance(one, list) else [one])]


def must(holds, why):
    if not holds:
        raise ValueError(why)


def check(request):
    """Refuses what is no right request to the model."""
    must(isinstance(request, dict) and isinstance(request.get("inputs"), list), "a request is an object with inputs")
    must(isinstance(request.get("id", ""), str) and isinstance(request.get("parameters", {}), dict), "id or parameters are wrong")
    must(isinstance(request.get("outputs", []), list), "outputs are a list")
    for output in request.get("outputs", []):
        must(isinstance(output, dict) and output.get("name") == "SUM", "there is no such output")
    names = [tensor.get("name") if isinstance(tensor, dict) else None for tensor in request["inputs"]]
    must(sorted(map(str, names)) == ["A", "B"], "the inputs are A and B")
    for tensor in request["inputs"]:
        shape, data = tensor.get("shape"), tensor.get("data")
        must(tensor.get("datatype") == "FP32" and isinstance(shape, list) and isinstance(data, list), "a tensor lacks something")
        must(len(shape) == 2 and all(type(size) is int and size >= 0 for size in shape) and shape[1] == 2, "the shape does not fit")
        must(all(type(number) in (int, float) for number in flat(data)) and len(flat(data)) == shape[0] * 2, "the data does not fit")
        must(all(abs(number) < 1e38 for number in flat(data)), "the sum would be beyond FP32")


class Growing(http_handler.Handler):
    can = set()

    def do_GET(self):
        answers = {"/v2/health/live": ("live", None), "/v2/health/ready": ("ready", None), "/v2/models/add/ready": ("model ready", None),
                   "/v2": ("server", {"name": "growing", "version": "1", "extensions": []}),
                   "/v2/models/add": ("model", {"name": "add", "platform": "python", "inputs": [TENSORS["A"], TENSORS["B"]],
                                                "outputs": [TENSORS["SUM"]]})}
        step, answer = answers.get(self.path.partition("?")[0], (None, None))
        if step in self.can:
            self.say(200, answer)
        else:
            self.say(404, {"error": "there is nothing"})

    def do_POST(self):
        body = self.body()
        if self.path != "/v2/models/add/infer" or "inference" not in self.can:
            return self.say(404, {"error": "there is nothing"})
        try:
            request = json.loads(body)
            if "errors" in self.can:
                check(request)
            a, b = (flat(tensor["data"]) for tensor in request["inputs"][:2])
            data = [float(x + y) for x, y in zip(a, b)]
            named = {"id": request["id"]} if "id" in request else {}
            answer = {"model_name": "add", **named, "outputs": [{**TENSORS["SUM"], "shape": [len(data) // 2, 2], "data": data}]}
        except Exception as error:  # before "errors", whatever goes wrong inside is the server's fault
            return self.say(400 if "errors" in self.can else 500, {"error": repr(error)})
        return self.say(200, answer)


def main():
    server = http_handler.serve(Growing)
    target = ("--target", server.http, "--profile", "v2-rest", "--model", "add", "--skip", "http.*")
    before = 0
    for step, to_do in STEPS:
        Growing.can = Growing.can | {step}
        run = Run(*target)
        rows = run.report["must_rows"]
        checks.code(0 if step == "errors" else 1, f"a server with {step}", run)
        checks.that(to_do in run.report["next"]["says"], f"next after {step} is not {to_do} but {run.report['next']['says']}", run)
        checks.that(rows["met"] >= before, f"with {step} {rows['met']} rows hold, without it {before}", run)
        checks.that("inference" in Growing.can or rows["untried"], f"without inferences all rows were tried at {step}", run)
        before = rows["met"]
    checks.that(before > 45, f"in the end {before} rows hold")
    Growing.can = {"live", "ready"}
    health = Run(*target).keys("pass")
    checks.that({"v2-rest.server-live", "v2-rest.server-ready"} <= health, f"of a server with health alone hold {health}")
    server.shutdown()


main()
checks.end()
