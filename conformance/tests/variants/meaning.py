"""An edit of what a server says or reads, stated once for all wires.

An edit sees a request and an answer as rest_relay.py has them: the path of the endpoint, and the object that 000 shows in JSON. Over gRPC
the same objects are made from messages (over_grpc.py). `request(request)` changes a request, or returns its answer; `answer(request, answer)`
changes an answer. The functions below make these from smaller edits, which change an object where it is: nothing is sent anew that has not
changed."""
import itertools
import math
import threading

from rest_relay import Answer, Variant, refusal

BATCHED = ["--filter", "v2/infer/sum-and-difference*"]


class Edit:
    """One server that differs from the reference server: its name, why it is right, or what is wrong with it, and its edits. `slug` is the
    requirement that a wrong one breaks, `breaks` are those of level should that a right one breaks knowingly; neither has a prefix.
    `judged`: how many assertions are judged at least, over REST and over gRPC. `rest` and `grpc` are keywords of the one wire."""

    def __init__(self, name, why, slug=None, request=None, answer=None, breaks=(), judged=(3200, 1500), flags=(), rest=None, grpc=None):
        self.name, self.why, self.slug, self.request, self.answer = name, why, slug, request, answer
        self.breaks, self.judged, self.flags, self.rest, self.grpc = list(breaks), judged, list(flags), rest or {}, grpc or {}


def wrong(name, slug, why, **rest):
    return Edit(name, why, slug, **rest)


def over_rest(edit):
    own = {"judged": edit.judged[0], "flags": edit.flags, "breaks": edit.breaks, **edit.rest}
    own["breaks"] = ["v2-rest." + slug for slug in own["breaks"]]
    return Variant(edit.name, edit.why, request=edit.request, answer=edit.answer, **own)


def wrong_over_rest(edits):
    return [(over_rest(edit), "v2-rest." + edit.slug) for edit in edits]


# --- Edits of objects ------------------------------------------------------------------------------------------------------


def tensors(body, *sides):
    return [tensor for side in sides for tensor in (body.get(side) if isinstance(body.get(side), list) else [])
            if isinstance(tensor, dict)]


def holders(body, *sides):
    """The object and its tensors: what may have parameters."""
    return [body] + tensors(body, *sides)


def is_metadata(request):
    named = request.model()
    return bool(named) and not named[2] and request.method == "GET"


def edits_json(edit):
    """An edit of an answer from an edit of the object in its body, `edit(request, answer, object)`, which returns False to change nothing."""
    def change(request, answer):
        body = answer.json if answer.body else None
        before = repr(body)
        if isinstance(body, dict) and edit(request, answer, body) is not False and repr(body) != before:
            answer.json = body
    return change


def edits_inference(edit):
    """An edit of a request from an edit of the object of an inference, `edit(request, object)`, which may return an answer."""
    def change(request):
        body = request.json if request.is_inference() else None
        before = repr(body)
        made = edit(request, body) if isinstance(body, dict) else None
        if isinstance(made, Answer):
            return made
        if made is not False and repr(body) != before:
            request.json = body
        return None
    return change


def edits_inputs(edit):
    """An edit of a request from an edit of each of its inputs."""
    return edits_inference(lambda request, body: [edit(tensor) for tensor in tensors(body, "inputs")] and None)


def reads(datatypes, edit):
    """An edit of a request from an edit of each flat or nested element of its inputs of these datatypes."""
    def of(element):
        return [of(one) for one in element] if isinstance(element, list) else element if isinstance(element, bool) or element is None \
            or isinstance(element, str) != ("BYTES" in datatypes) else edit(element)

    def change(tensor):
        if tensor.get("datatype") in datatypes and isinstance(tensor.get("data"), list):
            tensor["data"] = of(tensor["data"])
    return edits_inputs(change)


def refuses(where, text="this is not served", status=400):
    """Refuses the inferences for whose object `where(object)` holds."""
    return edits_inference(lambda request, body: refusal(status, text) if where(body) else None)


def asks(side, test):
    return lambda body: any(test(tensor) for tensor in tensors(body, side))


def edits_answers(edit):
    """An edit of an answer from an edit of the object of a successful inference, `edit(request, object)`."""
    return edits_json(lambda request, answer, body: edit(request, body) if answer.status == 200 and "outputs" in body and "model_name" in body
                      else False)


def edits_outputs(edit):
    return edits_answers(lambda request, body: [edit(output) for output in body["outputs"]] and None)


def puts(member, edit):
    """An edit of an answer that gives each output another value of a member that it has, `edit(output)`."""
    return edits_outputs(lambda output: output.update({member: edit(output)}) if member in output else None)


def edits_elements(datatypes, edit):
    """An edit of an answer from an edit of each element of the outputs of these datatypes, `edit(element)`."""
    def change(output):
        if output.get("datatype") in datatypes and "data" in output:
            output["data"] = [edit(element) for element in output["data"]]
    return edits_outputs(change)


def of_numbers(datatypes, edit):
    return edits_elements(datatypes, lambda element: edit(element) if isinstance(element, (int, float)) and not isinstance(element, bool)
                          else element)


def of_text(edit):
    return edits_elements(("BYTES",), lambda element: edit(element) if isinstance(element, str) else element)


def of_id(edit):
    return edits_answers(lambda request, body: body.update(id=edit(body["id"])) if "id" in body else None)


def loses_id(where):
    """Answers have no id whose request, or whose own object, is so: `where(request, the request's object, the answer's)`."""
    def change(request, body):
        asked = request.json
        if isinstance(asked, dict) and where(request, asked, body):
            body.pop("id", None)
    return edits_answers(change)


def of_parameters(keeps=lambda value: True, edit=lambda value: value):
    """Each parameter of an answer and its outputs that is kept, edited."""
    def change(request, body):
        for holder in holders(body, "outputs"):
            if holder.get("parameters"):
                holder["parameters"] = {name: edit(value) for name, value in holder["parameters"].items() if keeps(value)}
    return edits_answers(change)


def edits_metadata(edit):
    """An edit of an answer from an edit of the metadata of a model, `edit(request, object)`."""
    return edits_json(lambda request, answer, body: edit(request, body) if is_metadata(request) and answer.status == 200 else False)


def metadata_of(edit):
    return edits_metadata(lambda request, body: edit(body))


def listed(edit, *sides):
    """An edit of metadata from an edit of each tensor in it."""
    return metadata_of(lambda body: [edit(tensor) for tensor in tensors(body, *(sides or ("inputs", "outputs")))] and None)


def listed_shape(edit, *sides):
    return listed(lambda tensor: tensor.update(shape=edit(tensor["shape"])), *sides)


def edits_server(edit):
    return edits_json(lambda request, answer, body: edit(body) if request.path == "/v2" and request.method == "GET" and answer.status == 200
                      else False)


def renames_models(edit):
    """An edit of a request from another spelling of the name of its model."""
    def change(request):
        named = request.model()
        if named and edit(named[0]) != named[0]:
            request.name_model(edit(named[0]))
    return change


# --- Data ------------------------------------------------------------------------------------------------------------------


def flat(data):
    return [element for part in data for element in flat(part)] if isinstance(data, list) else [data]


def flat_count(data):
    return sum(flat_count(element) for element in data) if isinstance(data, list) else 1


def nested(data, shape):
    if len(shape) < 2 or 0 in shape:
        return data
    step = math.prod(shape[1:])
    return [nested(data[i:i + step], shape[1:]) for i in range(0, len(data), step)]


def product(shape):
    """How many elements a plain shape has; -1 of any other."""
    plain = isinstance(shape, list) and all(type(dimension) is int and 0 < dimension < 1000 for dimension in shape)
    return math.prod(shape) if plain else -1


def zero_like(data):
    example = flat(data)[0]
    return "" if isinstance(example, str) else False if isinstance(example, bool) else 0


def fills(where=lambda index, tensor: True):
    """Fills up the data of inputs for which `where(index, input)` holds."""
    def change(request, body):
        for index, tensor in enumerate(tensors(body, "inputs")):
            data, count = tensor.get("data"), product(tensor.get("shape"))
            if isinstance(data, list) and data and 0 < flat_count(data) < count and where(index, tensor):
                tensor["data"] = flat(data) + [zero_like(data)] * (count - flat_count(data))
    return edits_inference(change)


def cuts(where=lambda tensor: True):
    """Passes over elements that are too many."""
    def change(tensor):
        data, count = tensor.get("data"), product(tensor.get("shape"))
        if isinstance(data, list) and len(data) == flat_count(data) > count > 0 and where(tensor):
            tensor["data"] = data[:count]
    return edits_inputs(change)


# --- At times, and what stays ----------------------------------------------------------------------------------------------


def at_times(every, kind, status=500, text="out of workers"):
    """Every so often a request of some kind is refused."""
    counter = itertools.count(1)
    return lambda request: refusal(status, text) if kind(request) and next(counter) % every == 0 else None


def remembers(key):
    """Gives an answer again to what looks like the same request."""
    known = {}

    def change(request, answer):
        seen = key(request) if request.is_inference() and answer.status == 200 else None
        if seen is not None and isinstance(answer.json, dict) and repr(known.setdefault(seen, answer.json)) != repr(answer.json):
            answer.json = known[seen]
    return change


def by_id(request):
    body = request.json
    return (request.path, body["id"]) if isinstance(body, dict) and isinstance(body.get("id"), str) and body["id"] else None


def lags():
    """Gives each inference the outputs of the one before, of the same model and shape."""
    last, lock = {}, threading.Lock()

    def change(request, body):
        key = (body.get("model_name"), repr([[output.get("name"), output.get("shape")] for output in body["outputs"]]))
        with lock:
            before, last[key] = last.get(key, body["outputs"]), body["outputs"]
        body["outputs"] = before
    return edits_answers(change)


def behind_errors(edit, forgets=True):
    """Behind an error of a model an answer of it is edited, `edit(object, the id of the request that failed)`: the next one, or all."""
    failed = {}

    def change(request, answer):
        named, asked = request.model(), request.json
        if request.is_inference() and named and answer.status == 400:
            failed[named[0]] = asked.get("id", "") if isinstance(asked, dict) else ""
        elif request.is_inference() and named and answer.status == 200 and named[0] in failed and isinstance(answer.json, dict):
            body = answer.json
            edit(body, failed.pop(named[0]) if forgets else failed[named[0]])
            answer.json = body
    return change


def computes_by(version, instead_of):
    """Keywords of an edit: inferences of a version of the model versioned are computed by another, and say that they are not."""
    def request(request):
        named = request.model()
        if request.is_inference() and named and named[:2] == ("versioned", instead_of):
            request.asked_version = instead_of
            request.name_model(named[0], version)

    def answer(request, body):
        if "model_version" in body:
            body["model_version"] = getattr(request, "asked_version", None) or body["model_version"]
    return {"request": request, "answer": edits_answers(answer)}
