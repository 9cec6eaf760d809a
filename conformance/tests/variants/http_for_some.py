"""Servers of the extensions over HTTP, of metrics, of GraphPipe and of TensorRT Inference Server v1 that choose otherwise than the reference
server, or that are wrong for some values only: the reference server behind the relay of rest_relay.py.

The rows of VARIANTS and WRONG are as in http_variants.py. Numbers in the sentences are the documents of SPEC_NOTES.md."""
import re
import struct

from extension_meanings import MUTATION, edits_index
from flat_layout import answer_to, read, written
from http_choices import BINARY, KSERVE, LENGTH, PIPE, REPOSITORY, V1, edits_parts
from http_variants import METRICS
from rest_habits import closes_in_capitals, ends_silently, says_odd_reasons, writes_long_chunk_sizes
from meaning import edits_json, tensors
from rest_relay import Variant, dumped, refusal

CLASSES, SEQUENCE, STATISTICS, GENERATE, SETTINGS = ("classification-rest", "sequence-rest", "statistics-rest", "generate-rest",
                                                     "model-configuration-rest")

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
def last_part_is_lost(body, parts):
    return (dumped(body), parts[:-1]) if len(parts) > 2 else None


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


@edits_index
def has_nulls(index):
    """What is not known is null, and versions of one model stand apart."""
    return [{**entry, "reason": entry.get("reason") or None, "version": entry.get("version") or None} for entry in index]


def unloads_nothing(request):
    """An order to unload is taken, and forgotten."""
    if request.path.endswith("/unload") and request.method == "POST" and "repository" in request.path and "no-such" not in request.path:
        return refusal_of_nothing()
    return None


def refusal_of_nothing():
    answer = refusal(200, "")
    answer.set_body(b"")
    return answer


def versions_go_on(what):
    """Below /versions, what was unloaded is answered as if it were served."""
    unloaded = set()

    def change(request):
        order, named = re.fullmatch(r"/v2/repository/models/([^/]+)/(load|unload)", request.path), request.model()
        if order:
            (unloaded.add if order[2] == "unload" else unloaded.discard)(order[1])
        if not named or named[0] not in unloaded or named[1] is None or not request.path.endswith(what):
            return None
        answer = refusal(200, "")
        answer.json = {"model_name": request.model()[0], "outputs": []}
        return answer
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


def version_is_400(request, answer):
    named = request.model()
    if answer.status == 404 and named and named[1] is not None:
        answer.set_status(400, "Bad Request")


def failure_is_400(request, answer):
    if answer.status == 500:
        answer.set_status(400, "Bad Request")


# --- Classes, sequences, statistics, texts ---------------------------------------------------------------------------------


def of_classes(edit, other_than="$"):
    """Makes an edit of an answer from an edit of the classes in it. Models whose name begins so are left out."""
    @edits_json
    def change(request, answer, body):
        asked = request.json if request.is_inference() else None
        if answer.status != 200 or not isinstance(asked, dict) or re.match(other_than, request.model()[0]):
            return False
        if not any("classification" in (tensor.get("parameters") or {}) for tensor in tensors(asked, "outputs")):
            return False
        for output in tensors(body, "outputs"):
            if output.get("datatype") == "BYTES" and "data" in output:
                output["data"] = edit(output["data"])
        return True
    return change


def with_exponents(classes):
    return [re.sub(r"^[^:]+", lambda match: "%.9e" % float(match[0]), text) for text in classes]


def indexes_from_one(classes):
    return [re.sub(r"^([^:]+):(\d+)", lambda match: f"{match[1]}:{int(match[2]) + 1}", text) for text in classes]


def index_first(classes):
    return [re.sub(r"^([^:]+):(\d+)", r"\2:\1", text) for text in classes]


def smallest_first(classes):
    return sorted(classes, key=lambda text: float(text.split(":")[0]))


def of_statistics(edit):
    @edits_json
    def change(request, answer, body):
        return edit(body) if "model_stats" in body and answer.status == 200 else False
    return change


def counts_twice(body):
    for entry in body["model_stats"]:
        entry["inference_count"] *= 2


def failures_are_successes(body):
    for entry in body["model_stats"]:
        counts = entry["inference_stats"]
        counts["success"]["count"] += counts["fail"]["count"]


def names_no_version(body):
    for entry in body["model_stats"]:
        entry["version"] = ""


def any_model_has_statistics(request, answer):
    if request.path.endswith("/stats") and answer.status == 404:
        answer.set_status(200, "OK")
        answer.json = {"model_stats": []}


def is_generate(request):
    return request.path.endswith("/generate") and request.method == "POST"


@edits_json
def says_more_of_texts(request, answer, body):
    if not is_generate(request) or answer.status != 200:
        return False
    body.update(finish_reason="stop", usage={"tokens": 3}, logprobs=None)
    return True


@edits_json
def wraps_texts(request, answer, body):
    if not is_generate(request) or answer.status != 200:
        return False
    body["outputs"] = {name: body.pop(name) for name in list(body) if name not in ("model_name", "model_version", "id")}
    return True


@edits_json
def configuration_has_another_name(request, answer, body):
    if not request.path.endswith("/config") or answer.status != 200 or "name" not in body:
        return False
    body["name"] = body["name"] + "_config"
    return True


@edits_json
def batches_are_one_more(request, answer, body):
    if not request.path.endswith("/config") or answer.status != 200 or not body.get("max_batch_size"):
        return False
    body["max_batch_size"] += 1
    return True


# --- Metrics ---------------------------------------------------------------------------------------------------------------


def of_lines(edit):
    def change(request, answer):
        if answer.status == 200 and request.path == "/metrics" and request.method == "GET":
            answer.set_body("\n".join(edit(answer.body.decode().split("\n"))).encode())
    return change


def as_names(lines):
    return [re.sub(r"^(# (?:HELP|TYPE) )?nv_", r"\1nv-", line) for line in lines]


def without_quotes(lines):
    return [re.sub(r'="([^"]*)"', r"=\1", line) for line in lines]


def with_commas(lines):
    return [line if line.startswith("#") else re.sub(r" (\d+)$", r" \1,0", line) for line in lines]


def types_twice(lines):
    return [copy for line in lines for copy in ([line, line] if line.startswith("# TYPE") else [line])]


def in_openmetrics_words(lines):
    """A blank behind the value is no part of it; comments may stand anywhere."""
    return ["# scraped by a sidecar"] + [line + " " if line and not line.startswith("#") else line for line in lines]


# --- TensorRT Inference Server v1 ------------------------------------------------------------------------------------------


def refusals_have_no_status(request, answer):
    if answer.status >= 400 and request.path.startswith("/api/infer"):
        answer.set_header("NV-Status", None)


# --- GraphPipe -------------------------------------------------------------------------------------------------------------


def floats_are_integers(request, answer):
    """The metadata says Uint32 of what is Float32."""
    if answer.status == 200 and request.method == "POST" and answer_to(request.body) == "MetadataResponse":
        fields = read(answer.body, "MetadataResponse", 0)
        for tensor in fields[4] + fields[5]:
            tensor[3] = 5 if tensor[3] == 10 else tensor[3]
        answer.set_body(written(fields, "MetadataResponse"))


# --- The tables ------------------------------------------------------------------------------------------------------------

VARIANTS = [
    (BINARY, Variant("binary-lengths-spelled", "RFC 9110, 5.1: names of headers have no case, and values stand between blanks", answer=spells_lengths,
                     judged=150)),
    (BINARY, Variant("binary-sizes-spelled", "RFC 8259, 6: 16.0 and 16 are the same number", answer=spells_sizes, judged=150)),
    (BINARY, Variant("binary-ends-silently", "RFC 9112, 9.5: a server may close an idle connection at any time", answer=ends_silently, judged=150)),
    (REPOSITORY, Variant("index-with-nulls", "003 gives the index no schema", answer=has_nulls, judged=50, flags=MUTATION)),
    (KSERVE, Variant("kserve-list-of-objects", "003 does not say what the list of models holds", judged=20,
                     answer=listing(lambda names: {"models": [{"name": name, "ready": True} for name in names]}))),
    (KSERVE, Variant("kserve-bare-list", "003 does not say what the list of models holds", judged=20,
                     answer=listing(lambda names: names))),
    (CLASSES, Variant("classes-with-exponents", "a value of a class is a number, and FP32 has exponents",
                       answer=of_classes(with_exponents, "identity_u?int|simple|many_outputs"), judged=10)),
    (GENERATE, Variant("generate-more-members", "an answer may have members of the server's own", answer=says_more_of_texts, judged=60)),
    (METRICS, Variant("metrics-trailing-blanks", "the text format: blanks around tokens mean nothing", answer=of_lines(in_openmetrics_words), judged=4)),
    (METRICS, Variant("metrics-long-chunks", "RFC 9112, 7.1: a size has zeros in front", answer=writes_long_chunk_sizes, judged=4)),
    (V1, Variant("v1-ends-silently", "RFC 9112, 9.5: a server may close an idle connection at any time", answer=ends_silently, judged=900)),
    (V1, Variant("v1-odd-reasons", "RFC 9112, 4: a reason has any bytes but controls", answer=says_odd_reasons, judged=900)),
    (PIPE, Variant("pipe-closes-in-capitals", "RFC 9110, 7.6.1: options of a connection have no case", answer=closes_in_capitals, judged=700)),
]

VALUES = "v2-rest.output-values"
WRONG = [
    (BINARY, Variant("binary-fp64-big-endian", "FP64 comes with the high byte first", answer=of_parts("FP64", swapped(8))), VALUES),
    (BINARY, Variant("binary-fp16-big-endian", "FP16 comes with the high byte first", answer=of_parts("FP16", swapped(2))), VALUES),
    (BINARY, Variant("binary-bf16-cut", "the last bit of BF16 is lost",
                     answer=of_parts("BF16", lambda part: bytes(b & (0xff if i % 2 else 0xfe) for i, b in enumerate(part)))), VALUES),
    (BINARY, Variant("binary-length-in-letters", "the length header counts letters", answer=lengths_in_letters,
                     flags=["--filter", "*@rest-binary#v2-rest.id-echoed"]), "v2-rest.id-echoed"),
    (BINARY, Variant("binary-sizes-of-texts", "binary_data_size is a text", answer=sizes_are_texts), "answer-size"),
    (BINARY, Variant("binary-behind-64k", "what is behind 64 KiB of an output is zero", answer=behind_64k_is_zero), VALUES),
    (BINARY, Variant("binary-last-part-lost", "of three outputs or more the bytes of the last are lost", answer=last_part_is_lost), VALUES),
    (BINARY, Variant("binary-bytes-bare", "an only element of BYTES has no length", answer=bytes_without_lengths), VALUES),
    (REPOSITORY, Variant("index-ready-is-old", "with ready: true the index is out of date", answer=lists_as_before, flags=MUTATION),
     "repository-rest.index-ready"),
    (REPOSITORY, Variant("versions-infer-on", "what was unloaded infers below /versions", request=versions_go_on("/infer"), flags=MUTATION),
     "repository-rest.infer-truthful"),
    (REPOSITORY, Variant("versions-ready-on", "what was unloaded is ready below /versions", request=versions_go_on("/ready"), flags=MUTATION),
     "repository-rest.ready-truthful"),
    (REPOSITORY, Variant("unloads-nothing", "an order to unload does nothing", request=unloads_nothing, flags=MUTATION), "repository-rest.ready-truthful"),
    (KSERVE, Variant("kserve-version-400", "a version that there is not is 400", answer=version_is_400), "not-found"),
    (KSERVE, Variant("kserve-failure-400", "a model that fails is 400", answer=failure_is_400), "internal"),
    (CLASSES, Variant("classes-from-one", "classes are counted from 1", answer=of_classes(indexes_from_one)), "classes"),
    (CLASSES, Variant("classes-index-first", "the index stands before the value", answer=of_classes(index_first)), "classes"),
    (CLASSES, Variant("classes-smallest-first", "the smallest class stands first", answer=of_classes(smallest_first)), "classes"),
    (STATISTICS, Variant("statistics-count-twice", "each inference counts twice", answer=of_statistics(counts_twice)), "inferences"),
    (STATISTICS, Variant("statistics-failures", "failures count as successes too", answer=of_statistics(failures_are_successes)), "fail"),
    (STATISTICS, Variant("statistics-without-version", "an entry names no version", answer=of_statistics(names_no_version)), "statistics"),
    (STATISTICS, Variant("statistics-of-any-model", "an unknown model has no statistics, and no error", answer=any_model_has_statistics), "model-known"),
    (GENERATE, Variant("generate-wraps", "outputs are an object of their own", answer=wraps_texts), "outputs"),
    (SETTINGS, Variant("configuration-other-name", "a configuration has another name than its model", answer=configuration_has_another_name), "config"),
    (SETTINGS, Variant("configuration-batch-more", "max_batch_size is one more than holds", answer=batches_are_one_more), "batch"),
    (METRICS, Variant("metrics-names-with-dashes", "names of metrics have dashes", answer=of_lines(as_names)), "name"),
    (METRICS, Variant("metrics-bare-labels", "values of labels have no quotes", answer=of_lines(without_quotes)), "line"),
    (METRICS, Variant("metrics-commas", "decimals have a comma", answer=of_lines(with_commas)), "value"),
    (METRICS, Variant("metrics-types-twice", "TYPE comes twice", answer=of_lines(types_twice)), "type-once"),
    (V1, Variant("v1-refusals-without-status", "refused inferences have no NV-Status", answer=refusals_have_no_status), "nv-status"),
    (PIPE, Variant("pipe-floats-are-integers", "metadata has floats as integers", answer=floats_are_integers), "metadata-io-type"),
]
