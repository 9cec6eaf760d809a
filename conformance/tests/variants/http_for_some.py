"""Servers of the extensions over HTTP, of metrics, of GraphPipe and of TensorRT Inference Server v1 that choose otherwise than the reference
server, or that are wrong for some values only: the reference server behind the relay of rest_relay.py.

The rows of VARIANTS and WRONG are as in http_variants.py. Numbers in the sentences are the documents of SPEC_NOTES.md."""
import re
import struct
from decimal import Decimal

from extension_meanings import MUTATION, edits_index
from flat_layout import edits_message
from http_choices import LENGTH, edits_parts
from http_variants import BINARY, CLASSES, GENERATE, KSERVE, METRICS, PIPE, REPOSITORY, SETTINGS, STATISTICS, V1, in_metrics, right, wrong
from meaning import edits_json, tensors
from rest_relay import dumped, refusal, success

# --- Binary tensors --------------------------------------------------------------------------------------------------------


def spells_lengths(request, answer):
    """The header in capitals, with blanks around the number."""
    length = answer.header(LENGTH)
    if length:
        answer.headers = [[name, value] for name, value in answer.headers if name.lower() != LENGTH.lower()] + [[LENGTH.upper(), f"  {length}\t"]]
        answer.changed = True


@edits_parts
def spells_sizes(body, parts):
    """Sizes are written as a JavaScript server may write them: 16.0 is 16."""
    text = dumped(body)
    return re.sub(rb'("binary_data_size": ?)(\d+)', rb"\1\2.0", text), parts


def of_parts(datatype, edit):
    """Makes an edit of an answer from an edit of the bytes of each tensor of that datatype."""
    @edits_parts
    def change(body, parts):
        named = [tensor for tensor in tensors(body, "outputs") if "binary_data_size" in tensor.get("parameters", {})]
        made = [edit(part) if tensor.get("datatype") == datatype else part for tensor, part in zip(named, parts)]
        return (dumped(body), made) if made != parts else None
    return change


def swapped(size):
    return lambda part: b"".join(part[i:i + size][::-1] for i in range(0, len(part), size))


def lengths_in_letters(request, answer):
    """The header counts the letters of the JSON, not its bytes."""
    length = answer.header(LENGTH)
    if length and answer.status == 200:
        letters = len(answer.body[:int(length)].decode("utf-8", "replace"))
        if letters != int(length):
            answer.set_header(LENGTH.lower(), str(letters))


@edits_parts
def sizes_are_texts(body, parts):
    for tensor in tensors(body, "outputs"):
        if "binary_data_size" in tensor.get("parameters", {}):
            tensor["parameters"]["binary_data_size"] = str(tensor["parameters"]["binary_data_size"])
    return dumped(body), parts


@edits_parts
def behind_64k_is_zero(body, parts):
    made = [part if len(part) <= 65536 else part[:65536] + bytes(len(part) - 65536) for part in parts]
    return (dumped(body), made) if made != parts else None


@edits_parts
def bytes_without_lengths(body, parts):
    done = False
    named = [tensor for tensor in tensors(body, "outputs") if "binary_data_size" in tensor.get("parameters", {})]
    for number, tensor in enumerate(named):
        if tensor.get("datatype") == "BYTES" and len(parts[number]) > 3:
            parts[number] = parts[number][4:4 + struct.unpack("<I", parts[number][:4])[0]]
            tensor["parameters"]["binary_data_size"] = len(parts[number])
            done = True
    return (dumped(body), parts) if done else None


# --- The repository, and the list of models --------------------------------------------------------------------------------


def versions_go_on(what):
    """Below /versions, what was unloaded is answered as if it were served."""
    unloaded = set()

    def change(request):
        order, named = re.fullmatch(r"/v2/repository/models/([^/]+)/(load|unload)", request.path), request.model()
        if order:
            (unloaded.add if order[2] == "unload" else unloaded.discard)(order[1])
        if not named or named[0] not in unloaded or named[1] is None or not request.path.endswith(what):
            return None
        return success({"model_name": request.model()[0], "outputs": []})
    return change


def lists_as_before(request, answer):
    """With ready: true the index is the one that was asked for first."""
    body = request.json if request.path == "/v2/repository/index" else None
    if isinstance(body, dict) and body.get("ready") is True and answer.status == 200:
        answer.set_body(FIRST.setdefault("index", answer.body))


FIRST = {}


def listing(edit):
    def change(request, answer):
        body = answer.json if request.path == "/v2/models" and request.method == "GET" and answer.status == 200 else None
        if isinstance(body, dict) and isinstance(body.get("models"), list):
            answer.json = edit(body["models"])
    return change


def is_400(where):
    return lambda request, answer: answer.set_status(400) if where(request, answer) else None


# --- Classes, sequences, statistics, texts ---------------------------------------------------------------------------------


def of_classes(edit):
    """Makes an edit of an answer from an edit of the classes in it."""
    @edits_json
    def change(request, answer, body):
        asked = request.json if request.is_inference() else None
        if answer.status != 200 or not isinstance(asked, dict):
            return False
        if not any("classification" in (tensor.get("parameters") or {}) for tensor in tensors(asked, "outputs")):
            return False
        for output in tensors(body, "outputs"):
            if output.get("datatype") == "BYTES" and "data" in output:
                output["data"] = edit(output["data"])
        return True
    return change


def each_class(pattern, made):
    """An edit of each class, which is VALUE:INDEX and may have a label."""
    return lambda classes: [re.sub(pattern, made, text) for text in classes]


def of_statistics(edit):
    """An edit of an answer from an edit of each entry of statistics."""
    return edits_json(lambda request, answer, body: [edit(entry) for entry in body["model_stats"]] and None
                      if "model_stats" in body and answer.status == 200 else False)


def failures_are_successes(entry):
    counts = entry["inference_stats"]
    counts["success"]["count"] += counts["fail"]["count"]


def any_model_has_statistics(request, answer):
    if request.path.endswith("/stats") and answer.status == 404:
        answer.set_status(200, "OK").set_body(b'{"model_stats": []}')


def of_texts(edit):
    return edits_json(lambda request, answer, body: edit(body) if request.path.endswith("/generate") and request.method == "POST"
                      and answer.status == 200 else False)


def wraps_texts(body):
    body["outputs"] = {name: body.pop(name) for name in list(body) if name not in ("model_name", "model_version", "id")}


def of_settings(member, edit):
    return edits_json(lambda request, answer, body: body.update({member: edit(body[member])}) if request.path.endswith("/config")
                      and answer.status == 200 and body.get(member) else False)


# --- Metrics ---------------------------------------------------------------------------------------------------------------


def of_lines(edit):
    return in_metrics(lambda body: "\n".join(edit(body.decode().split("\n"))).encode())


def each_line(pattern, made, other_than="$^"):
    return of_lines(lambda lines: [line if re.match(other_than, line) else re.sub(pattern, made, line) for line in lines])


def in_openmetrics_words(lines):
    """A blank after the value is no part of it; comments may stand anywhere."""
    return ["# scraped by a sidecar"] + [line + " " if line and not line.startswith("#") else line for line in lines]


# --- GraphPipe -------------------------------------------------------------------------------------------------------------


def floats_are_integers(metadata):
    """The metadata says Uint32 of what is Float32."""
    floats = [tensor for tensor in metadata.inputs + metadata.outputs if tensor.type == 10]
    for tensor in floats:
        tensor.type = 5
    return floats


# --- The tables ------------------------------------------------------------------------------------------------------------

VARIANTS = [
    right(BINARY, "binary-lengths-spelled", "RFC 9110, 5.1: names of headers have no case, and values stand between blanks", answer=spells_lengths),
    right(BINARY, "binary-sizes-spelled", "RFC 8259, 6: 16.0 and 16 are the same number", answer=spells_sizes),
    right(REPOSITORY, "index-with-nulls", "003 gives the index no schema",
          answer=edits_index(lambda index: [{**entry, "reason": entry.get("reason") or None, "version": entry.get("version") or None} for entry in index]),
          flags=MUTATION),
    right(KSERVE, "kserve-list-of-objects", "003 does not say what the list of models holds",
          answer=listing(lambda names: {"models": [{"name": name, "ready": True} for name in names]})),
    right(KSERVE, "kserve-bare-list", "003 does not say what the list of models holds", answer=listing(lambda names: names)),
    right(CLASSES, "classes-with-exponents", "a value of a class is a number, and may have an exponent",
          answer=of_classes(each_class("^[^:]+", lambda match: format(Decimal(match[0]) or 0, ".19e")))),
    right(GENERATE, "generate-more-members", "an answer may have members of the server's own",
          answer=of_texts(lambda body: body.update(finish_reason="stop", usage={"tokens": 3}, logprobs=None))),
    right(METRICS, "metrics-trailing-blanks", "the text format: blanks around tokens mean nothing", answer=of_lines(in_openmetrics_words)),
]

VALUES = "v2-rest.output-values"
WRONG = [
    wrong(BINARY, "binary-fp64-big-endian", VALUES, "FP64 comes with the high byte first", answer=of_parts("FP64", swapped(8))),
    wrong(BINARY, "binary-fp16-big-endian", VALUES, "FP16 comes with the high byte first", answer=of_parts("FP16", swapped(2))),
    wrong(BINARY, "binary-bf16-cut", VALUES, "the last bit of BF16 is lost",
          answer=of_parts("BF16", lambda part: bytes(b & (0xff if i % 2 else 0xfe) for i, b in enumerate(part)))),
    wrong(BINARY, "binary-length-in-letters", "v2-rest.id-echoed", "the length header counts letters", answer=lengths_in_letters,
          flags=["--filter", "*@rest-binary#v2-rest.id-echoed"]),
    wrong(BINARY, "binary-sizes-of-texts", "answer-size", "binary_data_size is a text", answer=sizes_are_texts),
    wrong(BINARY, "binary-behind-64k", VALUES, "what is after 64 KiB of an output is zero", answer=behind_64k_is_zero),
    wrong(BINARY, "binary-last-part-lost", VALUES, "of three outputs or more the bytes of the last are lost",
          answer=edits_parts(lambda body, parts: (dumped(body), parts[:-1]) if len(parts) > 2 else None)),
    wrong(BINARY, "binary-bytes-bare", VALUES, "an only element of BYTES has no length", answer=bytes_without_lengths),
    wrong(REPOSITORY, "index-ready-is-old", "repository-rest.index-ready", "with ready: true the index is out of date", answer=lists_as_before,
          flags=MUTATION),
    wrong(REPOSITORY, "versions-infer-on", "repository-rest.infer-truthful", "what was unloaded infers below /versions", request=versions_go_on("/infer"),
          flags=MUTATION),
    wrong(REPOSITORY, "versions-ready-on", "repository-rest.ready-truthful", "what was unloaded is ready below /versions", request=versions_go_on("/ready"),
          flags=MUTATION),
    wrong(REPOSITORY, "unloads-nothing", "repository-rest.ready-truthful", "an order to unload does nothing",
          request=lambda request: refusal(200, "").set_body(b"")
          if re.search("/repository/.*/unload$", request.path) and request.method == "POST" and "no-such" not in request.path else None,
          flags=MUTATION),
    wrong(KSERVE, "kserve-version-400", "not-found", "a version that there is not is 400",
          answer=is_400(lambda request, answer: answer.status == 404 and request.model() and request.model()[1] is not None)),
    wrong(KSERVE, "kserve-failure-400", "internal", "a model that fails is 400", answer=is_400(lambda request, answer: answer.status == 500)),
    wrong(CLASSES, "classes-from-one", "classes", "classes are counted from 1",
          answer=of_classes(each_class(r"^([^:]+):(\d+)", lambda match: f"{match[1]}:{int(match[2]) + 1}"))),
    wrong(CLASSES, "classes-index-first", "classes", "the index stands before the value", answer=of_classes(each_class(r"^([^:]+):(\d+)", r"\2:\1"))),
    wrong(CLASSES, "classes-smallest-first", "classes", "the smallest class stands first",
          answer=of_classes(lambda classes: sorted(classes, key=lambda text: float(text.split(":")[0])))),
    wrong(STATISTICS, "statistics-count-twice", "inferences", "each inference counts twice",
          answer=of_statistics(lambda entry: entry.update(inference_count=2 * entry["inference_count"]))),
    wrong(STATISTICS, "statistics-failures", "fail", "failures count as successes too", answer=of_statistics(failures_are_successes)),
    wrong(STATISTICS, "statistics-without-version", "statistics", "an entry names no version",
          answer=of_statistics(lambda entry: entry.update(version=""))),
    wrong(STATISTICS, "statistics-of-any-model", "model-known", "an unknown model has no statistics, and no error", answer=any_model_has_statistics),
    wrong(GENERATE, "generate-wraps", "outputs", "outputs are an object of their own", answer=of_texts(wraps_texts)),
    wrong(SETTINGS, "configuration-other-name", "config", "a configuration has another name than its model",
          answer=of_settings("name", lambda name: name + "_config")),
    wrong(SETTINGS, "configuration-batch-more", "batch", "max_batch_size is one more than holds",
          answer=of_settings("max_batch_size", lambda size: size + 1)),
    wrong(METRICS, "metrics-names-with-dashes", "name", "names of metrics have dashes", answer=each_line(r"^(# (?:HELP|TYPE) )?nv_", r"\1nv-")),
    wrong(METRICS, "metrics-bare-labels", "line", "values of labels have no quotes", answer=each_line(r'="([^"]*)"', r"=\1")),
    wrong(METRICS, "metrics-commas", "value", "decimals have a comma", answer=each_line(r" (\d+)$", r" \1,0", other_than="#")),
    wrong(METRICS, "metrics-types-twice", "type-once", "TYPE comes twice",
          answer=of_lines(lambda lines: [copy for line in lines for copy in [line] * (1 + line.startswith("# TYPE"))])),
    wrong(V1, "v1-refusals-without-status", "nv-status", "refused inferences have no NV-Status",
          answer=lambda request, answer: answer.set_header("NV-Status", None) if answer.status >= 400 and request.path.startswith("/api/infer") else None),
    wrong(PIPE, "pipe-floats-are-integers", "metadata-io-type", "metadata has floats as integers", answer=edits_message("MetadataResponse", floats_are_integers)),
]
