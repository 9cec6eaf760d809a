"""Servers that break exactly one sentence of the documents over REST, in ways that no deviation of the reference server has.

Each row of WRONG names the requirement that must be among those that fail."""
import base64
import html
import json
import math
import re
import unicodedata

from rest_relay import refusal
from rest_variants import Variant, edits_inference, edits_json, flat_count, renamed, tensors

SERVER = "/v2"


def is_metadata(request):
    named = request.model()
    return bool(named) and not named[2] and request.method == "GET"


def edits_answers(edit):
    """Makes an edit of an answer from an edit of the object of a successful inference, `edit(request, object)`."""
    def change(request, answer, body):
        if answer.status != 200 or "outputs" not in body or "model_name" not in body:
            return False
        return edit(request, body)
    return edits_json(change)


def edits_outputs(edit):
    """Makes an edit of an answer from an edit of each of its outputs, `edit(output)`, which returns False where nothing is changed."""
    def change(request, body):
        return any([edit(output) is not False for output in body["outputs"]])
    return edits_answers(change)


def edits_elements(datatypes, edit):
    """Makes an edit of an answer from an edit of each element of the outputs of these datatypes, `edit(element)`."""
    def change(output):
        if output.get("datatype") not in datatypes or "data" not in output:
            return False
        before = json.dumps(output["data"])
        output["data"] = [edit(element) for element in output["data"]]
        return json.dumps(output["data"]) != before
    return edits_outputs(change)


def edits_metadata(edit):
    """Makes an edit of an answer from an edit of the metadata of a model."""
    def change(request, answer, body):
        return edit(request, body) if is_metadata(request) and answer.status == 200 else False
    return edits_json(change)


def edits_server(edit):
    """Makes an edit of an answer from an edit of the metadata of the server."""
    def change(request, answer, body):
        return edit(body) if request.path == SERVER and request.method == "GET" and answer.status == 200 else False
    return edits_json(change)


def edits_errors(edit):
    """Makes an edit of an answer from an edit of the answer to what was refused at an endpoint of inference or metadata."""
    def change(request, answer):
        if answer.status >= 400 and (request.is_inference() or is_metadata(request)):
            edit(request, answer)
    return change


def edits_text(datatypes, edit):
    """As edits_elements, but `edit` gets the text of the element and gives another, whatever JSON makes of it."""
    def change(request, answer):
        body = answer.json if answer.body else None
        if not isinstance(body, dict) or "model_name" not in body:
            return
        for output in tensors(body, "outputs"):
            if output.get("datatype") in datatypes and "data" in output:
                output["data"] = ["@@" + edit(json.dumps(element)) + "@@" for element in output["data"]]
                answer.changed = True
        if answer.changed:
            answer.set_body(re.sub(rb'"@@([^@]*)@@"', rb"\1", json.dumps(body, ensure_ascii=False).encode("utf-8", "surrogatepass")))
    return change


# --- The id ----------------------------------------------------------------------------------------------------------------


def of_id(edit):
    def change(request, body):
        if "id" not in body or edit(body["id"]) == body["id"]:
            return False
        body["id"] = edit(body["id"])
        return True
    return edits_answers(change)


def number_of_digits(text):
    return int(text) if re.fullmatch("[0-9]{1,9}", text) else text


@edits_answers
def loses_id_with_version(request, body):
    return request.model()[1] is not None and body.pop("id", None) is not None


# --- Elements --------------------------------------------------------------------------------------------------------------


def short(digits):
    return lambda number: float(f"%.{digits}g" % number) if isinstance(number, float) else number


def through_double(number):
    return int(float(number)) if isinstance(number, int) else number


def signed(number):
    return number - (1 << 64) if number >= 1 << 63 else number


def as_html(text):
    return html.escape(text) if isinstance(text, str) else text


def of_text(edit):
    return edits_elements(("BYTES",), lambda element: edit(element) if isinstance(element, str) else element)


# --- Outputs ---------------------------------------------------------------------------------------------------------------


def drops(member):
    def change(output):
        return output.pop(member, None) is not None
    return edits_outputs(change)


def puts(member, edit):
    def change(output):
        if member not in output or edit(output) == output[member]:
            return False
        output[member] = edit(output)
        return True
    return edits_outputs(change)


@edits_answers
def keys_outputs_by_name(request, body):
    body["outputs"] = {output.pop("name"): output for output in body["outputs"]}


@edits_answers
def gives_outputs_twice(request, body):
    body["outputs"] += body["outputs"]


@edits_answers
def swaps_data_of_outputs(request, body):
    same = [output for output in body["outputs"] if output["datatype"] == "INT32" and "data" in output]
    if len(same) < 2 or same[0]["data"] == same[1]["data"]:
        return False
    same[0]["data"], same[1]["data"] = same[1]["data"], same[0]["data"]
    return True


@edits_answers
def repeats_first_row(request, body):
    done = False
    for output in body["outputs"]:
        shape, data = output["shape"], output.get("data", [])
        if len(shape) > 1 and shape[0] > 1 and len(data) == flat_count(data):
            rows = shape[0]
            first = data[:len(data) // rows]
            done |= first * rows != data
            output["data"] = first * rows
    return done


@edits_answers
def wraps_data_once_more(request, body):
    done = False
    for output in body["outputs"]:
        if len(output.get("data", [])) > 1:
            output["data"] = [output["data"]]
            done = True
    return done


def all_but(limit):
    """Data is lost behind so many elements: the rest is the first element again."""
    def change(output):
        data = output.get("data", [])
        if len(data) <= limit or data[limit:] == [data[0]] * (len(data) - limit):
            return False
        output["data"] = data[:limit] + [data[0]] * (len(data) - limit)
        return True
    return edits_outputs(change)


def model_name_is(edit):
    def change(request, body):
        body["model_name"] = edit(body)
    return edits_answers(change)


@edits_answers
def lies_about_version(request, body):
    """Answers from the newest version, and says that it is the one that was asked for."""
    named = request.model()
    if named[1] != "1" or named[0] != "versioned":
        return False
    for output in body["outputs"]:
        output["data"] = [number + 100 for number in output["data"]]
    return True


@edits_answers
def parameters_are_texts(request, body):
    done = False
    for holder in [body] + body["outputs"]:
        for name, value in holder.get("parameters", {}).items():
            if not isinstance(value, str):
                holder["parameters"][name] = json.dumps(value)
                done = True
    return done


@edits_answers
def parameters_of_lists(request, body):
    done = False
    for holder in [body] + body["outputs"]:
        if holder.get("parameters"):
            holder["parameters"] = [{"name": name, "value": value} for name, value in holder["parameters"].items()]
            done = True
    return done


# --- How requests are read -------------------------------------------------------------------------------------------------


@edits_inference
def first_requested_output_only(request, body):
    if not isinstance(body.get("outputs"), list) or len(body["outputs"]) < 2:
        return False
    body["outputs"] = body["outputs"][:1]
    return True


@edits_inference
def ignores_requested_outputs(request, body):
    return body.pop("outputs", None) is not None


@edits_inference
def by_position(request, body):
    """Matches inputs by their place, not by their name."""
    if request.model()[0] != "simple" or len(tensors(body, "inputs")) != 2:
        return False
    names = [tensor.get("name") for tensor in body["inputs"]]
    for tensor, name in zip(body["inputs"], ("INPUT0", "INPUT1")):
        tensor["name"] = name
    return names != ["INPUT0", "INPUT1"] and set(names) == {"INPUT0", "INPUT1"}


def wants_inputs_first(request):
    body = request.json if request.is_inference() else None
    if isinstance(body, dict) and "inputs" in body and list(body)[0] != "inputs":
        return refusal(400, "a request begins with its inputs")
    return None


def wants_name_first(request):
    body = request.json if request.is_inference() else None
    if isinstance(body, dict) and any("name" in tensor and list(tensor)[0] != "name" for tensor in tensors(body, "inputs")):
        return refusal(400, "an input begins with its name")
    return None


def counted(body):
    """Gives each input with a plain shape and a list of data: the input, its data, and how many elements its shape holds."""
    for tensor in tensors(body, "inputs"):
        shape, data = tensor.get("shape"), tensor.get("data")
        if isinstance(shape, list) and isinstance(data, list) and all(type(d) is int and 0 < d < 1000 for d in shape):
            yield tensor, data, math.prod(shape)


@edits_inference
def fills_up_data(request, body):
    """Puts a zero where one element is missing."""
    done = False
    for _, data, count in counted(body):
        if flat_count(data) == count - 1 and data and not isinstance(data[0], list):
            data.append("" if isinstance(data[0], str) else False if isinstance(data[0], bool) else 0)
            done = True
    return done


@edits_inference
def cuts_data(request, body):
    """Passes over elements that are too many."""
    done = False
    for tensor, data, count in counted(body):
        if len(data) > count and flat_count(data) == len(data):
            tensor["data"] = data[:count]
            done = True
    return done


@edits_inference
def shape_from_data(request, body):
    """Believes the data and not the shape."""
    done = False
    for tensor in tensors(body, "inputs"):
        shape, data = tensor.get("shape"), tensor.get("data")
        if isinstance(shape, list) and len(shape) == 2 and isinstance(data, list) and type(shape[0]) is int and shape[0] == 1 \
                and flat_count(data) == len(data) > 0 and shape[1] != len(data):
            tensor["shape"] = [1, len(data)]
            done = True
    return done


def transposed(data):
    return [list(row) for row in zip(*data)]


@edits_inference
def nested_in_columns(request, body):
    """Reads nested data column by column."""
    done = False
    for tensor in tensors(body, "inputs"):
        data = tensor.get("data")
        if isinstance(data, list) and len(data) > 1 and all(isinstance(row, list) and len(row) == len(data[0]) > 1 for row in data) \
                and not isinstance(data[0][0], list):
            tensor["data"] = [element for row in transposed(data) for element in row]
            done = True
    return done


def refuses_when(wrong, text):
    def change(request):
        body = request.json if request.is_inference() else None
        return refusal(400, text) if isinstance(body, dict) and wrong(body) else None
    return change


def has_empty_parameters(body):
    return any(holder.get("parameters") == {} for holder in [body] + tensors(body, "inputs", "outputs"))


def is_nested(body):
    return any(isinstance(tensor.get("data"), list) and tensor["data"] and isinstance(tensor["data"][0], list) and
               isinstance(tensor["data"][0][0] if tensor["data"][0] else None, list) for tensor in tensors(body, "inputs"))


def other_spelling(request, edit):
    named = request.model()
    if named and edit(named[0]) != named[0]:
        request.set_target(renamed(request, edit(named[0])))


def trims_model_names(request):
    other_spelling(request, lambda name: name.strip())


def cuts_model_names(request):
    other_spelling(request, lambda name: name.split("-no-such")[0])


def ends_model_names_at_nul(request):
    other_spelling(request, lambda name: name.split("\0")[0])


def lower_paths(request):
    low = re.sub("^/v2|/(infer|ready|live|models|health|versions)(?=/|$)", lambda match: match[0].lower(), request.path, flags=re.I)
    if low != request.path:
        request.set_target(low + request.target[len(request.path):])


@edits_inference
def lower_datatypes(request, body):
    done = False
    for tensor in tensors(body, "inputs"):
        if isinstance(tensor.get("datatype"), str) and tensor["datatype"].upper() != tensor["datatype"]:
            tensor["datatype"] = tensor["datatype"].upper()
            done = True
    return done


ALIASES = {"FLOAT": "FP32", "FLOAT32": "FP32", "DOUBLE": "FP64", "STRING": "BYTES", "TYPE_STRING": "BYTES", "TYPE_INT32": "INT32", "INT": "INT32"}


@edits_inference
def knows_aliases(request, body):
    done = False
    for tensor in tensors(body, "inputs"):
        if isinstance(tensor.get("datatype"), str) and tensor["datatype"] in ALIASES:
            tensor["datatype"] = ALIASES[tensor["datatype"]]
            done = True
    return done


@edits_inference
def any_case_of_members(request, body):
    def lower(holder):
        made = {name.lower(): value for name, value in holder.items()}
        changed = made.keys() != holder.keys()
        holder.clear()
        holder.update(made)
        return changed
    return any([lower(holder) for holder in tensors(body, "inputs", "outputs") + [body]])


# --- State that stays ------------------------------------------------------------------------------------------------------


class Remembers:
    """Gives an answer again to what looks like the same request."""

    def __init__(self, key):
        self.key, self.known = key, {}

    def answer(self, request, answer):
        if not request.is_inference() or answer.status != 200:
            return
        key = self.key(request)
        if key is None:
            return
        before = self.known.setdefault(key, answer.body)
        if before != answer.body and answer.header("Inference-Header-Content-Length") is None:
            answer.set_body(before)


def by_id(request):
    body = request.json
    return (request.path, body["id"]) if isinstance(body, dict) and isinstance(body.get("id"), str) else None


def by_length(request):
    return (request.path, len(request.body)) if request.body else None


# --- Rules that hold for a part of the requests only -----------------------------------------------------------------------


def loses_id_where(holds):
    def change(request, body):
        asked = request.json
        return isinstance(asked, dict) and holds(asked) and body.pop("id", None) is not None
    return edits_answers(change)


def data_of(tensor, count):
    example = tensor["data"]
    while isinstance(example, list) and example:
        example = example[0]
    return ["" if isinstance(example, str) else False if isinstance(example, bool) else 0] * count


def product(shape):
    count = 1
    for dimension in shape if isinstance(shape, list) else [-1]:
        if type(dimension) is not int or not 0 < dimension < 1000:
            return -1
        count *= dimension
    return count


def fills_where(holds):
    """Fills up the data of inputs for which `holds(index, input)`."""
    @edits_inference
    def change(request, body):
        done = False
        for index, tensor in enumerate(tensors(body, "inputs")):
            data, count = tensor.get("data"), product(tensor.get("shape"))
            if isinstance(data, list) and data and 0 < flat_count(data) < count and holds(index, tensor):
                flat = json.loads("[" + json.dumps(data).replace("[", "").replace("]", "") + "]") if isinstance(data[0], list) else data
                tensor["data"] = flat + data_of(tensor, count - len(flat))
                done = True
        return done
    return change


def is_nested_data(index, tensor):
    return isinstance(tensor["data"][0], list)


def guesses(member, value):
    """Puts what an input lacks."""
    @edits_inference
    def change(request, body):
        done = False
        for tensor in tensors(body, "inputs"):
            if member not in tensor:
                tensor[member] = value(tensor)
                done = True
        return done
    return change


@edits_inference
def missing_input_is_zero(request, body):
    inputs = tensors(body, "inputs")
    if request.model()[0] != "simple" or len(inputs) != 1 or inputs[0].get("name") not in ("INPUT0", "INPUT1"):
        return False
    other = "INPUT1" if inputs[0]["name"] == "INPUT0" else "INPUT0"
    body["inputs"].append({"name": other, "datatype": "INT32", "shape": inputs[0].get("shape"), "data": [0] * flat_count(inputs[0].get("data"))})
    return True


def no_inputs_no_outputs(request):
    body = request.json if request.is_inference() else None
    if isinstance(body, dict) and not body.get("inputs") and request.model() and request.model()[0] in ("simple", "identity_int32"):
        answer = refusal(200, "")
        answer.json = {"model_name": request.model()[0], "model_version": "1", "outputs": []}
        return answer
    return None


def takes_a_list(request):
    body = request.json if request.is_inference() else None
    if isinstance(body, list) and body and isinstance(body[0], dict):
        request.json = body[0]


def empty_body_is_an_object(request):
    if request.is_inference() and not request.body:
        answer = refusal(200, "")
        answer.json = {"model_name": "x", "outputs": []}
        return answer
    return None


def closes_brackets(request):
    """Mends a body that breaks off."""
    if not request.is_inference() or request.json is not None:
        return
    for end in ("}", "]}", "]}]}", "}]}"):
        try:
            request.json = json.loads(request.body.decode() + end)
            return
        except (ValueError, RecursionError):
            pass


def success_is(status, of):
    def change(request, answer):
        if answer.status == 200 and of(request):
            answer.set_status(status, "Success")
    return change


@edits_answers
def loses_empty_parameters(request, body):
    done = False
    for holder in [body] + body["outputs"]:
        kept = {name: value for name, value in holder.get("parameters", {}).items() if value}
        if kept != holder.get("parameters", {}):
            holder["parameters"] = kept
            done = True
    return done


def shares_parameters(request, body):
    """All outputs have the parameters of the first."""
    if not body["outputs"] or "parameters" not in body["outputs"][0]:
        return False
    for output in body["outputs"][1:]:
        output["parameters"] = body["outputs"][0]["parameters"]
    return len(body["outputs"]) > 1


class Lags:
    """Gives each inference without an id the outputs of the one before, of the same model and shape."""

    def __init__(self):
        self.last = {}

    def answer(self, request, answer):
        body = answer.json if request.is_inference() and answer.status == 200 else None
        if not isinstance(body, dict) or "outputs" not in body:
            return
        key = (body.get("model_name"), json.dumps([[output.get("name"), output.get("shape")] for output in body["outputs"]]))
        before, self.last[key] = self.last.get(key, body["outputs"]), body["outputs"]
        if before != body["outputs"]:
            answer.json = dict(body, outputs=before)


class Crosses:
    """Two inferences of a model at the same time get each other's answers: the second that is answered gets the body of the first."""

    def __init__(self):
        self.waiting, self.last = {}, {}

    def request(self, request):
        if request.is_inference():
            self.waiting[request.path] = self.waiting.get(request.path, 0) + 1

    def answer(self, request, answer):
        if not request.is_inference() or request.path not in self.waiting:
            return
        self.waiting[request.path] -= 1
        last = self.last.pop(request.path, None)
        if last is not None and answer.status == 200:
            answer.set_body(last)
        elif self.waiting[request.path] > 0 and answer.status == 200:
            self.last[request.path] = answer.body


def counts_letters(request, answer):
    """Content-Length counts letters. Of what is longer in bytes the end is lost."""
    letters = len(answer.body.decode("utf-8", "replace"))
    if answer.status == 200 and request.is_inference() and letters < len(answer.body):
        answer.set_body(answer.body[:letters])


def large_numbers_are_texts(number):
    return str(number) if isinstance(number, int) and abs(number) >= 1 << 53 else number


# --- Errors ----------------------------------------------------------------------------------------------------------------


def error_is(edit):
    def change(request, answer):
        body = answer.json
        if isinstance(body, dict) and "error" in body:
            body["error"] = edit(body["error"])
            answer.json = body
    return edits_errors(change)


@edits_errors
def error_is_renamed(request, answer):
    answer.json = {"errors": "refused"}


@edits_errors
def error_is_text(request, answer):
    answer.set_body(b"refused")


@edits_errors
def error_is_a_text_of_json(request, answer):
    answer.json = "refused"


@edits_errors
def error_has_no_body(request, answer):
    answer.set_body(b"")
    answer.set_header("Content-Type", None)


def only(status, edit):
    def change(request, answer):
        if answer.status == status:
            edit(request, answer)
    return change


@edits_errors
def error_redirects(request, answer):
    if answer.status == 404:
        answer.set_status(302, "Found")
        answer.set_header("Location", "/")


@edits_errors
def missing_is_no_content(request, answer):
    if answer.status == 404:
        answer.set_status(204, "No Content")
        answer.body = b""
        answer.set_header("Content-Length", None)
        answer.set_header("Content-Type", None)


@edits_errors
def error_is_200(request, answer):
    answer.set_status(200, "OK")


def succeeds_without_outputs(answer):
    answer.set_status(200, "OK")
    answer.json = {"model_name": "x", "outputs": []}


def unknown_metadata_is_empty(request, answer):
    if is_metadata(request) and answer.status == 404:
        answer.set_status(200, "OK")
        answer.json = {"name": request.model()[0], "versions": [], "platform": "", "inputs": [], "outputs": []}


# --- Health ----------------------------------------------------------------------------------------------------------------


def health_answers(end, status, named=None):
    def change(request, answer):
        if request.method == "GET" and request.path.endswith(end) and answer.status != status and (named is None or named(request, answer)):
            answer.set_status(status, "Changed")
            answer.set_body(b"")
            if status == 204:
                answer.set_header("Content-Length", None)
    return change


# --- How answers are written -----------------------------------------------------------------------------------------------


def writes(edit):
    def change(request, answer):
        if answer.body and answer.json is not None and answer.status == 200:
            body = edit(answer.body)
            if body != answer.body:
                answer.set_body(body)
    return change


def says_shorter(request, answer):
    if answer.status == 200 and len(answer.body) > 2 and request.is_inference():
        body = answer.body
        answer.set_body(body[:-1])


def never_ends_chunks(request, answer):
    if answer.status == 200 and request.is_inference() and answer.body and request.version == "1.1":
        answer.in_chunks(50)
        answer.body = answer.body[:-5]
        answer.close()


def members(body, **changed):
    body.update(changed)


def wrong(name, key, why, request=None, answer=None, flags=()):
    return Variant(name, why, request=request, answer=answer, flags=flags), key


def crossing(name, key, why):
    crosses = Crosses()
    return wrong(name, key, why, request=crosses.request, answer=crosses.answer)


def remembering(name, key, why, by):
    return wrong(name, key, why, answer=Remembers(by).answer)


WRONG = [
    wrong("id-is-a-number", "v2-rest.id-echoed", "an id of digits comes back as a number", answer=of_id(number_of_digits)),
    wrong("id-cut-at-32", "v2-rest.id-echoed", "an id is cut behind 32 letters", answer=of_id(lambda id: id[:32])),
    wrong("id-trimmed", "v2-rest.id-echoed", "blanks around an id are lost", answer=of_id(lambda id: id.strip())),
    wrong("id-lower", "v2-rest.id-echoed", "an id comes back in lower case", answer=of_id(lambda id: id.lower())),
    wrong("id-normalized", "v2-rest.id-echoed", "an id comes back in another form of Unicode",
          answer=of_id(lambda id: unicodedata.normalize("NFD", id))),
    wrong("id-without-zeros", "v2-rest.id-echoed", "zeros in front of an id are lost", answer=of_id(lambda id: re.sub("^0+(?=[0-9])", "", id))),
    wrong("id-lost-with-version", "v2-rest.id-echoed", "who asks for a version gets no id", answer=loses_id_with_version),
    wrong("id-ascii", "v2-rest.id-echoed", "letters beyond ASCII become question marks",
          answer=of_id(lambda id: id.encode("ascii", "replace").decode())),
    wrong("id-escaped", "v2-rest.id-echoed", "an id comes back escaped for HTML", answer=of_id(as_html)),
    wrong("fp32-six-digits", "v2-rest.output-values", "FP32 is printed with six digits", answer=edits_elements(("FP32",), short(6))),
    wrong("fp64-fifteen-digits", "v2-rest.output-values", "FP64 is printed with fifteen digits", answer=edits_elements(("FP64",), short(15))),
    wrong("int64-is-a-double", "v2-rest.output-values", "INT64 goes through a double", answer=edits_elements(("INT64", "UINT64"), through_double)),
    wrong("uint64-is-signed", "v2-rest.output-values", "UINT64 is printed as INT64", answer=edits_elements(("UINT64",), signed)),
    wrong("zero-has-no-sign", "v2-rest.output-values", "-0.0 becomes 0.0",
          answer=edits_elements(("FP32", "FP64"), lambda n: 0.0 if n == 0 else n)),
    wrong("subnormals-are-zero", "v2-rest.output-values", "what is close to zero becomes zero",
          answer=edits_elements(("FP32",), lambda n: 0.0 if isinstance(n, float) and abs(n) < 1.17e-38 else n)),
    wrong("uint8-is-signed", "v2-rest.output-values", "UINT8 is printed as INT8",
          answer=edits_elements(("UINT8",), lambda n: n - 256 if n > 127 else n)),
    wrong("bool-is-text", "v2-rest.output-values", "BOOL comes as text", answer=edits_elements(("BOOL",), str)),
    wrong("texts-are-base64", "v2-rest.output-values", "BYTES come in base64", answer=of_text(lambda t: base64.b64encode(t.encode()).decode())),
    wrong("texts-are-trimmed", "v2-rest.output-values", "blanks around BYTES are lost", answer=of_text(str.strip)),
    wrong("texts-end-at-255", "v2-rest.output-values", "BYTES are cut behind 255 letters", answer=of_text(lambda t: t[:255])),
    wrong("texts-are-html", "v2-rest.output-values", "BYTES are escaped for HTML", answer=of_text(as_html)),
    wrong("texts-without-planes", "v2-rest.output-values", "letters above the first plane are lost",
          answer=of_text(lambda t: "".join(c if ord(c) < 65536 else "\ufffd" for c in t))),
    wrong("texts-normalized", "v2-rest.output-values", "BYTES come in another form of Unicode",
          answer=of_text(lambda t: unicodedata.normalize("NFKC", t))),
    wrong("empty-texts-are-null", "v2-rest.output-values", "empty BYTES become null", answer=of_text(lambda t: t or None)),
    wrong("line-ends-change", "v2-rest.output-values", "line ends within BYTES become others", answer=of_text(lambda t: t.replace("\n", "\r\n"))),
    wrong("thousand-elements", "v2-rest.output-values", "data behind a thousand elements is lost", answer=all_but(1000)),
    wrong("fifteen-elements", "v2-rest.output-values", "data behind sixteen elements is lost", answer=all_but(16)),
    wrong("output-has-no-name", "v2-rest.output-values", "an output has no name", answer=drops("name")),
    wrong("output-has-no-shape", "v2-rest.output-shape", "an output has no shape", answer=drops("shape")),
    wrong("output-has-no-data", "v2-rest.output-values", "an output has no data", answer=drops("data")),
    wrong("datatype-in-lower-case", "v2-rest.output-datatype", "an output's datatype comes in lower case",
          answer=puts("datatype", lambda o: o["datatype"].lower())),
    wrong("datatype-of-numpy", "v2-rest.output-datatype", "an output's datatype has the name of another table",
          answer=puts("datatype", lambda o: o["datatype"].replace("INT", "int").replace("FP", "float"))),
    wrong("shape-of-texts", "v2-rest.output-shape", "the dimensions of an output are texts", answer=puts("shape", lambda o: [str(d) for d in o["shape"]])),
    wrong("shape-without-batch", "v2-rest.output-shape", "an output's shape lacks the batch", answer=puts("shape", lambda o: o["shape"][1:])),
    wrong("shape-with-a-one", "v2-rest.output-shape", "an output's shape has one dimension more", answer=puts("shape", lambda o: o["shape"] + [1])),
    wrong("shape-reversed", "v2-rest.output-shape", "an output's shape is reversed", answer=puts("shape", lambda o: o["shape"][::-1])),
    wrong("shape-without-ones", "v2-rest.output-shape", "dimensions of 1 are left out",
          answer=puts("shape", lambda o: [d for d in o["shape"] if d != 1])),
    wrong("data-is-base64", "v2-rest.output-values", "data is one text", answer=puts("data", lambda o: base64.b64encode(str(o["data"]).encode()).decode())),
    wrong("one-element-is-no-list", "v2-rest.output-values", "data of one element is no list",
          answer=puts("data", lambda o: o["data"][0] if len(o["data"]) == 1 else o["data"])),
    wrong("data-is-wrapped", "v2-rest.answer-nesting", "data is in a list of its own", answer=wraps_data_once_more),
    wrong("outputs-by-name", "v2-rest.infer-answers", "outputs are an object", answer=keys_outputs_by_name),
    wrong("outputs-twice", "v2-rest.all-outputs", "each output comes twice", answer=gives_outputs_twice),
    wrong("outputs-swapped", "v2-rest.output-values", "two outputs have each other's data", answer=swaps_data_of_outputs),
    wrong("first-row-again", "v2-rest.output-values", "each row of a batch has the result of the first", answer=repeats_first_row),
    wrong("model-name-lower", "v2-rest.model-name-given", "an answer names a model in upper case", answer=model_name_is(lambda b: b["model_name"].upper())),
    wrong("model-name-with-version", "v2-rest.model-name-given", "the version stands in the name",
          answer=model_name_is(lambda b: b["model_name"] + ":" + b.get("model_version", "1"))),
    wrong("model-name-constant", "v2-rest.model-name-given", "every answer names one model", answer=model_name_is(lambda b: "model")),
    wrong("version-is-not-served", "v2-rest.infer-versioned", "another version computes than the answer names", answer=lies_about_version),
    wrong("parameters-are-texts", "v2-rest.parameters-given", "all parameters of an answer are texts", answer=parameters_are_texts),
    wrong("parameters-are-pairs", "v2-rest.parameters-given", "parameters of an answer are a list", answer=parameters_of_lists),
    wrong("first-output-only", "v2-rest.outputs-on-request", "of several requested outputs the first comes", request=first_requested_output_only),
    wrong("all-outputs-always", "v2-rest.outputs-on-request", "requested outputs are not read", request=ignores_requested_outputs),
    wrong("inputs-by-place", "v2-rest.output-values", "inputs are known by their place", request=by_position),
    wrong("inputs-first", "v2-rest.infer-answers", "a request that begins with another member is refused", request=wants_inputs_first),
    wrong("name-first", "v2-rest.output-values", "an input that begins with another member is refused", request=wants_name_first),
    wrong("data-is-filled", "v2-rest.data-count", "a missing element becomes zero", request=fills_up_data),
    wrong("data-is-cut", "v2-rest.data-count", "surplus elements are passed over", request=cuts_data),
    wrong("shape-is-guessed", "v2-rest.data-count", "the data says what the shape is", request=shape_from_data),
    wrong("columns-first", "v2-rest.output-values", "nested data is read in columns", request=nested_in_columns),
    wrong("empty-parameters-refused", "v2-rest.parameters-accepted", "an empty object of parameters is refused",
          request=refuses_when(has_empty_parameters, "no parameters")),
    wrong("three-levels-refused", "v2-rest.output-values", "data that is nested three deep is refused", request=refuses_when(is_nested, "too deep")),
    wrong("model-names-trimmed", "v2-rest.model-known", "blanks around a model's name are lost", request=trims_model_names),
    wrong("model-names-cut", "v2-rest.model-known", "what stands behind a model's name is passed over", request=cuts_model_names),
    wrong("model-names-end-at-nul", "v2-rest.model-known", "a model's name ends at a NUL", request=ends_model_names_at_nul),
    wrong("paths-in-any-case", "v2-rest.case-sensitive", "paths are read in any case", request=lower_paths),
    wrong("datatypes-in-any-case", "v2-rest.case-sensitive", "datatypes are read in any case", request=lower_datatypes),
    wrong("members-in-any-case", "v2-rest.case-sensitive", "members are read in any case", request=any_case_of_members),
    wrong("datatypes-by-other-names", "v2-rest.datatype-known", "datatypes have aliases", request=knows_aliases),
    remembering("remembers-by-id", "v2-rest.output-values", "the same id gives the same answer", by_id),
    remembering("remembers-by-length", "v2-rest.output-values", "a body of the same length gives the same answer", by_length),
    wrong("error-is-a-list", "v2-rest.error-body", "the error is a list", answer=error_is(lambda text: [text])),
    wrong("error-is-null", "v2-rest.error-body", "the error is null", answer=error_is(lambda text: None)),
    wrong("error-is-a-number", "v2-rest.error-body", "the error is a number", answer=error_is(lambda text: 400)),
    wrong("error-is-renamed", "v2-rest.error-body", "the error has another name", answer=error_is_renamed),
    wrong("error-is-text", "v2-rest.error-body", "an error is no JSON", answer=error_is_text),
    wrong("error-is-a-json-text", "v2-rest.error-body", "an error is a text and no object", answer=error_is_a_text_of_json),
    wrong("error-has-no-body", "v2-rest.error-body", "an error has no body", answer=error_has_no_body),
    wrong("missing-has-no-body", "v2-rest.error-body", "only 404 has no body", answer=only(404, error_has_no_body)),
    wrong("unready-has-no-body", "v2-rest.error-body", "only a failing model's error has no body", answer=only(500, error_has_no_body)),
    wrong("missing-redirects", "v2-rest.model-known", "an unknown model is a redirection", answer=error_redirects),
    wrong("missing-is-nothing", "v2-rest.model-known", "an unknown model is 204", answer=missing_is_no_content),
    wrong("errors-are-200", "v2-rest.error-status", "errors are told with 200", answer=error_is_200),
    wrong("unknown-metadata-is-empty", "v2-rest.metadata-model-known", "metadata of any model is given", answer=unknown_metadata_is_empty),
    wrong("live-is-204", "v2-rest.server-live", "live is 204", answer=health_answers("/live", 204)),
    wrong("ready-is-204", "v2-rest.server-ready", "ready is 204", answer=health_answers("health/ready", 204)),
    wrong("any-model-is-ready", "v2-rest.model-ready-false", "any model is ready", answer=health_answers("/ready", 200, lambda r, a: r.model())),
    wrong("server-name-null", "v2-rest.server-name", "the server's name is null", answer=edits_server(lambda b: members(b, name=None))),
    wrong("server-version-parts", "v2-rest.server-version", "the server's version is a list", answer=edits_server(lambda b: members(b, version=[1, 0]))),
    wrong("extensions-null", "v2-rest.server-extensions", "extensions are null", answer=edits_server(lambda b: members(b, extensions=None))),
    wrong("extensions-of-objects", "v2-rest.server-extensions", "extensions are objects",
          answer=edits_server(lambda b: members(b, extensions=[{"name": "x"}]))),
    wrong("metadata-name-lower", "v2-rest.metadata-name", "metadata has the name in upper case",
          answer=edits_metadata(lambda r, b: members(b, name=b["name"].upper()))),
    wrong("metadata-versions-text", "v2-rest.metadata-versions", "versions are one text",
          answer=edits_metadata(lambda r, b: members(b, versions=",".join(b["versions"])))),
    wrong("metadata-platform-null", "v2-rest.metadata-platform", "platform is null", answer=edits_metadata(lambda r, b: members(b, platform=None))),
    wrong("metadata-inputs-by-name", "v2-rest.metadata-inputs", "inputs are an object",
          answer=edits_metadata(lambda r, b: members(b, inputs={t["name"]: t for t in b["inputs"]}))),
    wrong("metadata-outputs-are-inputs", "v2-rest.metadata-outputs", "outputs are the inputs",
          answer=edits_metadata(lambda r, b: members(b, outputs=b["inputs"]))),
    wrong("metadata-outputs-cut", "v2-rest.metadata-outputs", "only the first output is listed",
          answer=edits_metadata(lambda r, b: members(b, outputs=b["outputs"][:1]))),
    wrong("metadata-inputs-cut", "v2-rest.metadata-inputs", "only the first input is listed",
          answer=edits_metadata(lambda r, b: members(b, inputs=b["inputs"][:1]))),
    wrong("metadata-datatype-lower", "v2-rest.metadata-datatype", "metadata has datatypes in lower case",
          answer=edits_metadata(lambda r, b: [members(t, datatype=t["datatype"].lower()) for t in b["inputs"] + b["outputs"]] and None)),
    wrong("metadata-output-datatype", "v2-rest.metadata-datatype", "the datatype of outputs is another",
          answer=edits_metadata(lambda r, b: [members(t, datatype="FP32" if t["datatype"] == "INT32" else t["datatype"]) for t in b["outputs"]] and None)),
    wrong("metadata-shape-of-texts", "v2-rest.metadata-inputs", "metadata has shapes of texts",
          answer=edits_metadata(lambda r, b: [members(t, shape=[str(d) for d in t["shape"]]) for t in b["inputs"]] and None)),
    wrong("metadata-variable-null", "v2-rest.metadata-variable", "a dimension of variable size is null",
          answer=edits_metadata(lambda r, b: [members(t, shape=[None if d == -1 else d for d in t["shape"]]) for t in b["inputs"]] and None)),
    wrong("metadata-variable-minus-2", "v2-rest.metadata-variable", "a dimension of variable size is -2",
          answer=edits_metadata(lambda r, b: [members(t, shape=[-2 if d == -1 else d for d in t["shape"]]) for t in b["outputs"]] and None)),
    wrong("metadata-shape-without-batch", "v2-rest.metadata-variable", "shapes in metadata lack the batch",
          answer=edits_metadata(lambda r, b: [members(t, shape=t["shape"][1:]) for t in b["inputs"] + b["outputs"]] and None)),
    wrong("writes-commas", "v2-rest.answer-json", "a comma stands behind the last member", answer=writes(lambda b: b[:-1] + b",}" if b.endswith(b"}") else b)),
    wrong("writes-bom", "v2-rest.answer-json", "a byte order mark stands in front", answer=writes(lambda b: b"\xef\xbb\xbf" + b)),
    wrong("writes-twice", "v2-rest.answer-json", "each answer comes twice", answer=writes(lambda b: b + b)),
    wrong("writes-utf16", "v2-rest.answer-json", "answers are UTF-16", answer=writes(lambda b: b.decode().encode("utf-16"))),
    wrong("writes-latin1", "v2-rest.answer-json", "answers are Latin-1", answer=writes(lambda b: b.decode().encode("latin-1", "replace"))),
    wrong("writes-single-quotes", "v2-rest.answer-json", "texts have other quotes", answer=writes(lambda b: b.replace(b'"', b"'"))),
    wrong("writes-a-comment", "v2-rest.answer-json", "a comment stands behind", answer=writes(lambda b: b + b"\n// end")),
    wrong("writes-capitals", "v2-rest.answer-json", "true and false have capitals",
          answer=writes(lambda b: b.replace(b"true", b"True").replace(b"false", b"False"))),
    wrong("loses-the-end", "v2-rest.answer-json", "the last byte of an answer is lost", answer=says_shorter),
    wrong("chunks-without-end", "http.length-answer", "chunks have no end", answer=never_ends_chunks),
    wrong("fp32-is-text", "v2-rest.output-values", "FP32 comes as text", answer=edits_elements(("FP32",), str)),
    wrong("fp64-two-decimals", "v2-rest.output-values", "FP64 is printed with two decimals", answer=edits_text(("FP64",), lambda t: "%.2f" % float(t))),
    wrong("id-lost-with-parameters", "v2-rest.id-echoed", "who sends parameters gets no id", answer=loses_id_where(lambda b: b.get("parameters"))),
    wrong("id-lost-with-outputs", "v2-rest.id-echoed", "who names outputs gets no id", answer=loses_id_where(lambda b: b.get("outputs"))),
    wrong("id-lost-behind-inputs", "v2-rest.id-echoed", "an id behind the inputs is not read",
          answer=loses_id_where(lambda b: "id" in b and list(b).index("id") > list(b).index("inputs"))),
    wrong("second-input-is-filled", "v2-rest.data-count", "only the first input is counted", request=fills_where(lambda i, t: i > 0)),
    wrong("texts-are-filled", "v2-rest.data-count", "BYTES are not counted", request=fills_where(lambda i, t: t.get("datatype") == "BYTES")),
    wrong("nested-is-filled", "v2-rest.data-count", "nested data is not counted", request=fills_where(is_nested_data)),
    wrong("bools-are-filled", "v2-rest.data-count", "BOOL is not counted", request=fills_where(lambda i, t: t.get("datatype") == "BOOL")),
    wrong("fp64-is-filled", "v2-rest.data-count", "FP64 is not counted", request=fills_where(lambda i, t: t.get("datatype") == "FP64")),
    wrong("datatype-is-guessed", "v2-rest.datatype-required", "a missing datatype is the model's", request=guesses("datatype", lambda t: "INT32")),
    wrong("shape-is-from-data", "v2-rest.shape-required", "a missing shape is the data's",
          request=guesses("shape", lambda t: [2, 2] if flat_count(t.get("data")) == 4 else [1, flat_count(t.get("data"))])),
    wrong("name-is-guessed", "v2-rest.name-required", "a missing name is the model's", request=guesses("name", lambda t: "INPUT0")),
    wrong("data-is-guessed", "v2-rest.data-required", "missing data is zeros",
          request=guesses("data", lambda t: [0] * max(product(t.get("shape")), 0))),
    wrong("input-is-guessed", "v2-rest.all-inputs", "a missing input is zeros", request=missing_input_is_zero),
    wrong("no-inputs-no-outputs", "v2-rest.inputs-required", "a request without inputs has no outputs", request=no_inputs_no_outputs),
    wrong("lists-of-requests", "v2-rest.body-object", "a list of requests is taken", request=takes_a_list),
    wrong("empty-bodies", "v2-rest.json-valid", "an empty body is taken", request=empty_body_is_an_object),
    wrong("broken-bodies", "v2-rest.json-valid", "a body that breaks off is mended", request=closes_brackets),
    wrong("inference-is-201", "v2-rest.infer-answers", "an inference is 201", answer=success_is(201, lambda r: r.is_inference())),
    wrong("metadata-is-203", "v2-rest.model-metadata", "metadata is 203", answer=success_is(203, is_metadata)),
    wrong("server-is-202", "v2-rest.server-metadata", "server metadata is 202", answer=success_is(202, lambda r: r.path == SERVER)),
    wrong("versioned-metadata-name", "v2-rest.metadata-versioned", "metadata of a version names it so",
          answer=edits_metadata(lambda r, b: members(b, name=b["name"] + "/" + r.model()[1]) if r.model()[1] else False)),
    wrong("parameters-lose-empty-ones", "v2-rest.parameters-given", "parameters that are 0, false or empty are lost", answer=loses_empty_parameters),
    wrong("parameters-shared", "v2-rest.parameters-given", "all outputs have the parameters of the first", answer=edits_answers(shares_parameters)),
    wrong("lags", "v2-rest.output-values", "an answer has the outputs of the one before", answer=Lags().answer),
    wrong("model-name-null", "v2-rest.model-name-given", "the model's name is null", answer=model_name_is(lambda b: None)),
    wrong("name-of-output-null", "v2-rest.output-values", "an output's name is null", answer=puts("name", lambda o: None)),
    wrong("unknown-version-has-metadata-body", "v2-rest.error-body", "errors of versions have no body",
          answer=lambda r, a: error_has_no_body(r, a) if r.model() and r.model()[1] else None),
    wrong("errors-of-versions-are-text", "v2-rest.error-body", "errors of inference with a version are no JSON",
          answer=lambda r, a: error_is_text(r, a) if r.is_inference() and r.model() and r.model()[1] else None),
    wrong("failure-is-empty", "v2-rest.failure-reported", "a model that fails answers without outputs",
          answer=lambda r, a: succeeds_without_outputs(a) if a.status == 500 else None),
    wrong("length-in-letters", "v2-rest.id-echoed", "Content-Length counts letters and not bytes", answer=counts_letters),
    wrong("large-numbers-are-texts", "v2-rest.output-values", "INT64 that JavaScript cannot hold comes as text",
          answer=edits_elements(("INT64", "UINT64"), large_numbers_are_texts)),
    crossing("answers-crossed", "v2-rest.id-echoed", "two requests at the same time get each other's answers"),
]
