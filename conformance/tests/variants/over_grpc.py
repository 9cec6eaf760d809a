"""Carries an edit of the meaning (meaning.py) over gRPC: shows messages as the objects that 000 has for them in JSON, and writes back what
an edit changed of them. What no edit touches keeps its form, raw or typed; BYTES are shown as texts, and bytes that are no UTF-8 survive."""
import struct
import urllib.parse

import grpc
from grpc_relay import Variant, refuse
from rest_relay import Answer, Request

OF_INFERENCE = ("ModelInfer", "ModelStreamInfer")
ENDPOINTS = {"ServerLive": "/v2/health/live", "ServerReady": "/v2/health/ready", "ServerMetadata": "/v2", "RepositoryIndex": "/v2/repository/index"}
OF_MODELS = {"ModelReady": "/ready", "ModelMetadata": "", "ModelInfer": "/infer", "ModelStreamInfer": "/infer"}
ORDERS = {"RepositoryModelLoad": "load", "RepositoryModelUnload": "unload"}
CODES = {400: grpc.StatusCode.INVALID_ARGUMENT, 404: grpc.StatusCode.NOT_FOUND, 429: grpc.StatusCode.RESOURCE_EXHAUSTED,
         500: grpc.StatusCode.UNAVAILABLE}
STATUSES = {grpc.StatusCode.OK: 200, grpc.StatusCode.INVALID_ARGUMENT: 400, grpc.StatusCode.NOT_FOUND: 404, grpc.StatusCode.INTERNAL: 500}

TYPED = {"BOOL": ("bool_contents", "?"), "INT8": ("int_contents", "b"), "INT16": ("int_contents", "h"), "INT32": ("int_contents", "i"),
         "INT64": ("int64_contents", "q"), "UINT8": ("uint_contents", "B"), "UINT16": ("uint_contents", "H"),
         "UINT32": ("uint_contents", "I"), "UINT64": ("uint64_contents", "Q"), "FP32": ("fp32_contents", "f"), "FP64": ("fp64_contents", "d"),
         "BYTES": ("bytes_contents", None), "FP16": (None, "e"), "BF16": (None, "H")}


def replaces(field, values):
    values = list(values)
    del field[:]
    field.extend(values)


# --- Elements --------------------------------------------------------------------------------------------------------------


def text_of(element):
    return element.decode("utf-8", "surrogateescape")


def bytes_of(text):
    return text.encode("utf-8", "surrogateescape")


def with_length(element):
    return struct.pack("<I", len(element)) + element


def elements_of_bytes(raw):
    found = []
    while raw:
        size = struct.unpack("<I", raw[:4])[0]
        found.append(raw[4:4 + size])
        raw = raw[4 + size:]
    return found


def elements_of_raw(datatype, raw):
    """The elements of raw contents, or None if they cannot be read."""
    try:
        if datatype == "BYTES":
            return [text_of(element) for element in elements_of_bytes(raw)]
        letter = TYPED[datatype][1]
        numbers = list(struct.unpack(f"<{len(raw) // struct.calcsize(letter)}{letter}", raw))
    except (KeyError, struct.error):
        return None
    return [struct.unpack("<f", struct.pack("<I", number << 16))[0] for number in numbers] if datatype == "BF16" else numbers


def fitting(letter, number):
    """The number as that type of struct has it, which wraps around or is infinite."""
    if letter in "efd?":
        try:
            struct.pack("<" + letter, number)
            return number
        except OverflowError:
            return float("inf") if number > 0 else float("-inf")
    size = 8 * struct.calcsize("<" + letter)
    number = int(number) & (1 << size) - 1
    return number - (1 << size) if letter.islower() and number >> size - 1 else number


def raw_of(datatype, elements):
    if datatype == "BYTES":
        return b"".join(with_length(bytes_of(element)) for element in elements)
    if datatype == "BF16":
        return b"".join(struct.pack("<f", element)[2:] for element in elements)
    letter = TYPED[datatype][1]
    return struct.pack(f"<{len(elements)}{letter}", *(fitting(letter, element) for element in elements))


class Data(list):
    """The elements of a tensor, and the form in which they came: raw contents (None if there are none) and typed ones."""

    def __init__(self, elements, raw, contents):
        super().__init__(elements or [])
        self.raw, self.contents, self.before = raw, contents, list(self)


def is_raw(tensor):
    return isinstance(tensor.get("data"), Data) and tensor["data"].raw is not None


def data_of(tensor, raw):
    field = TYPED.get(tensor.datatype, (None, None))[0]
    contents = list(getattr(tensor.contents, field)) if field else []
    if raw is not None or not contents:
        return Data(elements_of_raw(tensor.datatype, raw) if raw is not None else [], raw, tensor.contents)
    return Data([text_of(element) for element in contents] if field == "bytes_contents" else contents, None, tensor.contents)


def put_data(made, data, in_raw):
    """Writes the data of an output or input. Returns its raw contents, or None."""
    if isinstance(data, Data) and repr(data) == repr(data.before):
        made.contents.CopyFrom(data.contents) if data.contents.ListFields() else None
        return data.raw
    field, letter = TYPED[made.datatype]
    if in_raw or not field:
        return raw_of(made.datatype, data)
    getattr(made.contents, field).extend(bytes_of(e) if letter is None else fitting(letter, e) for e in data)
    return None


# --- Objects ---------------------------------------------------------------------------------------------------------------


def parameters_of(message):
    return {name: getattr(value, value.WhichOneof("parameter_choice") or "string_param") for name, value in sorted(message.parameters.items())}


def put_parameters(message, parameters):
    before = parameters_of(message)
    for name in before.keys() - parameters.keys():
        del message.parameters[name]
    for name, value in parameters.items():
        kind = "bool" if isinstance(value, bool) else "int64" if isinstance(value, int) else "double" if isinstance(value, float) else "string"
        if name not in before or repr(before[name]) != repr(value):
            setattr(message.parameters[name], kind + "_param", value)


def tensors_of(message, side):
    """The tensors of that side as a list of objects, with their data where the message is an inference."""
    raws = list(getattr(message, f"raw_{side[:-1]}_contents", []))
    listed = []
    for number, tensor in enumerate(getattr(message, side)):
        shown = {"name": tensor.name}
        if hasattr(tensor, "datatype"):
            shown.update(datatype=tensor.datatype, shape=list(tensor.shape))
        if tensor.parameters:
            shown["parameters"] = parameters_of(tensor)
        if hasattr(tensor, "contents"):
            shown["data"] = data_of(tensor, raws[number] if number < len(raws) else None)
        listed.append(shown)
    return listed


def put_tensors(message, side, shown):
    raw_field = getattr(message, f"raw_{side[:-1]}_contents", [])
    raws, count = list(raw_field), len(getattr(message, side))
    kept = []
    made_anew = type(message)()
    for tensor in shown:
        made = getattr(made_anew, side).add(name=tensor.get("name", ""))
        if hasattr(made, "datatype"):
            made.datatype = tensor.get("datatype", "")
            made.shape.extend(tensor.get("shape", []))
        if tensor.get("parameters"):
            put_parameters(made, tensor["parameters"])
        raw = put_data(made, tensor["data"], bool(raws)) if "data" in tensor else None
        kept += [raw] if raw is not None else []
    replaces(getattr(message, side), getattr(made_anew, side))
    if raws or kept:
        replaces(raw_field, kept + raws[count:])


def shown(message):
    """The object of a message. Members that are empty are left out."""
    if hasattr(message, "models"):
        return [{member: value for member, value in (("name", model.name), ("version", model.version), ("state", model.state),
                                                     ("reason", model.reason)) if value} for model in message.models]
    made = {}
    for field in message.DESCRIPTOR.fields:
        value = getattr(message, field.name)
        if field.name in ("inputs", "outputs"):
            made[field.name] = tensors_of(message, field.name)
        elif field.name == "parameters":
            made.update({"parameters": parameters_of(message)} if value else {})
        elif field.name in ("versions", "extensions"):
            made[field.name] = list(value)
        elif field.cpp_type == field.CPPTYPE_STRING and field.label != field.LABEL_REPEATED and value:
            made[field.name] = value
    if "raw_input_contents" in message.DESCRIPTOR.fields_by_name and not made["outputs"]:
        del made["outputs"]
    return made


def put(message, body):
    """Writes into the message what differs in its object."""
    before = shown(message)
    if isinstance(body, list):
        replaces(message.models, [])
        for entry in body:
            message.models.add(**{member: value for member, value in entry.items() if value})
        return
    for name in dict.fromkeys([*before, *body]):
        if repr(before.get(name)) == repr(body.get(name)) or name not in message.DESCRIPTOR.fields_by_name:
            continue
        if name in ("inputs", "outputs"):
            put_tensors(message, name, body.get(name, []))
        elif name == "parameters":
            put_parameters(message, body.get(name) or {})
        elif isinstance(body.get(name), list) or name in ("versions", "extensions"):
            replaces(getattr(message, name), body.get(name, []))
        else:
            setattr(message, name, body.get(name) or "")


class Asked(Request):
    """A message of a request as one over REST."""

    def __init__(self, rpc, message):
        super().__init__(b"", "POST" if rpc in OF_INFERENCE or rpc in ORDERS or rpc == "RepositoryIndex" else "GET", "", body=b"{}")
        self.rpc, self.message = rpc, message

    def names(self):
        """The fields of the message that hold the name and the version of a model."""
        return ("model_name", "model_version") if hasattr(self.message, "model_version") else ("name", "version")

    @property
    def path(self):
        if self.rpc in ORDERS:
            return f"/v2/repository/models/{urllib.parse.quote(self.message.model_name, safe='')}/{ORDERS[self.rpc]}"
        if self.rpc not in OF_MODELS:
            return ENDPOINTS.get(self.rpc, "")
        name, version = (urllib.parse.quote(getattr(self.message, field), safe="") for field in self.names())
        return f"/v2/models/{name}{f'/versions/{version}' if version else ''}{OF_MODELS[self.rpc]}"

    def model(self):
        """As of a path, but a name may be empty here."""
        if self.rpc not in OF_MODELS:
            return None
        name, version = (getattr(self.message, field) for field in self.names())
        return name, version or None, OF_MODELS[self.rpc]

    def name_model(self, name=None, version=None):
        for field, value in zip(self.names(), (name, version)):
            setattr(self.message, field, getattr(self.message, field) if value is None else value)

    @property
    def json(self):
        return shown(self.message)

    @json.setter
    def json(self, body):
        put(self.message, body)


class Answered(Answer):
    """A message of an answer as one over REST. A health that is false is an error, as over REST; errors have no object."""

    def __init__(self, message, status):
        super().__init__(status if getattr(message, "ready", True) else 400, body=b"{}" if status == 200 else b"")
        self.message, self.made = message, False

    def set_status(self, status, reason=""):
        self.status, self.made = status, True
        if hasattr(self.message, "ready"):
            self.message.ready = status == 200

    def set_body(self, body):
        """Over gRPC only messages are changed."""

    @property
    def json(self):
        return shown(self.message) if self.status == 200 else None

    @json.setter
    def json(self, body):
        self.made = True
        put(self.message, body)


# --- The carrier -----------------------------------------------------------------------------------------------------------


def over_grpc(edit, name="", **more):
    """The variant that has this edit. Where messages come in streams, an answer is shown with the last request."""
    def request(call):
        call.shown = Asked(call.rpc, call.message) if call.message is not None else None
        own = edit.request(call.shown) if edit.request and call.shown else None
        if own is not None:
            refuse(CODES[own.status], own.json["error"])

    def answer(call):
        failed, asked = call.code != grpc.StatusCode.OK, getattr(call, "shown", None)
        message = call.reply_type() if failed and call.reply_type else getattr(call.reply, "infer_response", call.reply)
        if asked is None or message is None or failed and call.code not in STATUSES or getattr(call.reply, "error_message", ""):
            return
        answered = Answered(message, STATUSES[call.code])
        edit.answer(asked, answered)
        if failed and answered.made and answered.status == 200:
            call.code, call.reply = grpc.StatusCode.OK, message

    own = {"judged": edit.judged[1], "flags": edit.flags, "breaks": edit.breaks, **edit.grpc}
    own["breaks"] = ["v2-grpc." + slug for slug in own["breaks"]]
    return Variant(name or "grpc-" + edit.name, edit.why, request=request, answer=edit.answer and answer, **{**own, **more})


def wrong_over_grpc(edits):
    return [(over_grpc(edit), "v2-grpc." + edit.slug) for edit in edits]
