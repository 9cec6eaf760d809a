"""Servers of binary tensors, of the repository, of GraphPipe and of TensorRT Inference Server v1 over HTTP that choose otherwise than the
reference server, and some that are wrong: the reference server behind the relay of rest_relay.py.

The rows of VARIANTS and WRONG are as in http_variants.py. Numbers in the sentences are the documents of SPEC_NOTES.md."""
import json

from extension_meanings import MUTATION, edits_index, of_entries
from flat_layout import answer_to, edits_message, read, written
from http_variants import BINARY, PIPE, REPOSITORY, V1, right, wrong
from meaning import tensors
from rest_relay import dumped, refusal

# --- Binary tensors --------------------------------------------------------------------------------------------------------

LENGTH = "Inference-Header-Content-Length"


def edits_parts(edit):
    """Makes an edit of an answer from an edit of its JSON and of the bytes of each tensor after it, `edit(body, parts)`, which returns
    (the text of the JSON, the parts), or None."""
    def change(request, answer):
        length = answer.header(LENGTH)
        if answer.status != 200 or not length:
            return
        body, tail, parts = json.loads(answer.body[:int(length)]), answer.body[int(length):], []
        for tensor in tensors(body, "outputs"):
            size = tensor.get("parameters", {}).get("binary_data_size")
            if size is not None:
                parts.append(tail[:size])
                tail = tail[size:]
        made = edit(body, parts)
        if made:
            text, parts = made
            answer.set_body(text + b"".join(parts))
            answer.set_header(LENGTH.lower(), str(len(text)))
    return change


@edits_parts
def writes_binary_otherwise(body, parts):
    """The outputs and their bytes in falling order, more parameters, and blanks after the JSON."""
    body["outputs"].reverse()
    with_bytes = [tensor for tensor in body["outputs"] if "binary_data_size" in tensor.get("parameters", {})]
    for tensor in with_bytes:
        tensor["parameters"] = {"took_us": 1, **tensor["parameters"], "a": ""}
    return json.dumps(body, indent=1).encode() + b"\n \n", parts[::-1]


@edits_parts
def sizes_are_of_elements(body, parts):
    """binary_data_size counts elements."""
    for tensor in tensors(body, "outputs"):
        if tensor.get("datatype") == "INT32" and "binary_data_size" in tensor.get("parameters", {}):
            tensor["parameters"]["binary_data_size"] //= 4
    return dumped(body), parts


@edits_parts
def keeps_json_too(body, parts):
    """Where there are bytes, there is data too."""
    for tensor in tensors(body, "outputs"):
        if "binary_data_size" in tensor.get("parameters", {}):
            tensor["data"] = [0]
    return dumped(body), parts


@edits_parts
def pads_parts(body, parts):
    """The bytes of a tensor begin at a multiple of eight."""
    made = [part + bytes(-len(part) % 8) for part in parts]
    return (dumped(body), made) if made != parts else None


# --- The repository --------------------------------------------------------------------------------------------------------


def named_alone(entry):
    """Entries have a name and a state, and members of the server's own."""
    return {"size": 7, "name": entry["name"], "state": entry.get("state", "UNAVAILABLE"), "tags": {"a": []}}


def answers_orders(request, answer):
    """As KServe answers, and others: an object that says what was done."""
    if request.path.endswith(("/load", "/unload")) and answer.status == 200:
        answer.set_body(dumped({"name": request.path.split("/")[-2], request.path.split("/")[-1]: True})).set_header("Content-Type", "application/json")


# --- GraphPipe -------------------------------------------------------------------------------------------------------------


def lays_out_otherwise(request, answer):
    kind = None if request.method != "POST" else answer_to(request.body) if answer.status == 200 else "InferResponse"
    if kind and len(answer.body) > 8 and not answer.body.startswith(b"{") and request.header("Host"):
        answer.set_body(written(read(answer.body, kind)))


def any_size(metadata):
    """Metadata has -1 for each dimension."""
    for tensor in metadata.inputs + metadata.outputs:
        tensor.shape = [-1] * len(tensor.shape)
    return True


# --- Heads -----------------------------------------------------------------------------------------------------------------


def takes_short_heads(request):
    """Refuses what is longer than 4 KB, as small servers do, and says nothing of the protocol."""
    head = request.raw.partition(b"\r\n\r\n")[0]
    return refusal(431, "the head is too long", as_json=False) if len(head) > 4096 else None


def takes_one_type(request):
    """Refuses a length of JSON with another Content-Type than that of Triton's page."""
    if request.header(LENGTH) is None or request.header("Content-Type") == "application/octet-stream":
        return None
    return refusal(415, "binary data is application/octet-stream")


def is_plain_without_bytes(_, answer):
    """Where no bytes follow the JSON, nothing says where it ends, and it has the type of JSON."""
    if answer.header(LENGTH) == str(len(answer.body)):
        answer.set_header(LENGTH, None).set_header("Content-Type", "application/json")


# --- The tables ------------------------------------------------------------------------------------------------------------

ORDERS = ["--filter", "repository-rest/*"]

VARIANTS = [
    right(BINARY, "binary-otherwise", "binary data stands in the order of the outputs of its answer, and that may be any", answer=writes_binary_otherwise),
    right(REPOSITORY, "index-of-names", "003 gives the index no schema, and Triton's has optional members",
          answer=edits_index(lambda index: [named_alone(entry) for entry in reversed(index)]), flags=MUTATION),
    right(REPOSITORY, "index-of-loaded", "a server may know only the models that it serves",
          answer=edits_index(lambda index: [entry for entry in index if entry.get("state") == "READY"]), flags=MUTATION,
          breaks=["repository-rest.index-unloading"]),
    right(REPOSITORY, "orders-answered", "003 does not say what an order is answered with", answer=answers_orders, flags=MUTATION),
    right(PIPE, "pipe-other-layout", "flatbuffers: tables and fields stand in any order, with or without defaults", answer=lays_out_otherwise),
    right(PIPE, "pipe-any-size", "004, IOMetadata: -1 is a dimension of any size", answer=edits_message("MetadataResponse", any_size)),
    right(BINARY, "binary-type-parameters", "RFC 9110, 8.3.1: a media type may have parameters",
          answer=lambda request, answer: answer.set_header("Content-Type", "application/octet-stream; a=b") if answer.header(LENGTH) else None),
    right(BINARY, "binary-one-type", "Triton's page sends binary data as application/octet-stream", request=takes_one_type),
    right(BINARY, "binary-length-zeros", "RFC 9110, 8.6: a length is digits, also with zeros before them",
          answer=lambda request, answer: answer.set_header(LENGTH, answer.header(LENGTH).zfill(20)) if answer.header(LENGTH) else None),
    right(BINARY, "binary-empty", "SPEC_NOTES 76: binary outputs without bytes leave the answer as JSON alone", answer=is_plain_without_bytes),
    right(V1, "v1-short-heads", "RFC 6585, 5: a server may refuse a long head", request=takes_short_heads, refuses=takes_short_heads),
]

WRONG = [
    wrong(BINARY, "binary-swapped", "answer-order", "the bytes of two outputs are swapped",
          answer=edits_parts(lambda body, parts: (dumped(body), parts[::-1]) if len(parts) > 1 else None)),
    wrong(BINARY, "binary-sizes-of-elements", "answer-size", "binary_data_size counts elements", answer=sizes_are_of_elements),
    wrong(BINARY, "binary-and-json", "follows-json", "an output has bytes and data", answer=keeps_json_too),
    wrong(BINARY, "binary-padded", "v2-rest.output-values", "the bytes of tensors are padded", answer=pads_parts),
    wrong(REPOSITORY, "index-names-77", "repository-rest.index-version", "the index names versions that there are not",
          answer=of_entries(lambda entry: {"version": "77"} if entry.get("state") == "READY" else {}), flags=ORDERS),
    wrong(REPOSITORY, "index-wrapped", "repository-rest.index-array", "the index is an object", answer=edits_index(lambda index: {"models": index}),
          flags=ORDERS),
]
