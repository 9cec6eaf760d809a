"""Reads what a printed command showed, and compares it with what a report says was received."""
import json
import re
import urllib.parse

from google.protobuf import descriptor_pb2, descriptor_pool, message_factory

CODES = ("OK CANCELLED UNKNOWN INVALID_ARGUMENT DEADLINE_EXCEEDED NOT_FOUND ALREADY_EXISTS PERMISSION_DENIED RESOURCE_EXHAUSTED "
         "FAILED_PRECONDITION ABORTED OUT_OF_RANGE UNIMPLEMENTED INTERNAL UNAVAILABLE DATA_LOSS UNAUTHENTICATED").split()
# Members that each answer has of its own: what else was counted and measured until then.
OWN = {"request_id", "uptime_ns", "last_inference", "inference_count", "execution_count", "inference_stats", "batch_stats"}
CUT = 1400  # what is longer is cut in a report
HARMLESS = re.compile(rb"^[\t\n\r -~\x80-\xff]*\Z")


def uncat(text):
    """Returns the bytes that `cat -v` spelled."""
    def plain(match):
        meta, caret, char = match[1], match[2], match[3]
        value = (ord(char) ^ 64) if caret else ord(char)
        return bytes([value | (128 if meta else 0)])
    return re.sub(rb"(M-)?(\^)?([\x00-\xff])", plain, text)


def harmless(output):
    """Whether a terminal obeys none of the bytes, except that curl prints names of headers bold, and all texts are whole."""
    try:
        output.decode()
    except UnicodeDecodeError:
        return False
    return bool(HARMLESS.match(re.sub(rb"\x1b\[[01]m", b"", output)))


def unprintable(text):
    r"""Returns the text of which a report spells some bytes as \xNN."""
    return re.sub(rb"\\x([0-9a-f]{2})", lambda match: bytes([int(match[1], 16)]), text.encode()).decode(errors="replace")


class Shown:
    """What curl printed of an answer: status, headers in lower case, the bytes after the head."""

    def __init__(self, output):
        self.output, self.status, self.headers, self.rest = output, 0, {}, output
        while self.status < 200 and self.rest.startswith(b"HTTP/"):
            head, _, self.rest = self.rest.partition(b"\r\n\r\n")
            lines = head.decode("latin-1").split("\r\n")
            self.status = int(lines[0].split()[1])
            self.headers = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in lines[1:])}

    @property
    def body(self):
        length = self.headers.get("content-length", "")
        return self.rest[:int(length)] if length.isdigit() else self.rest

    def call(self):
        """Returns what gRPC makes of it: message (or None), code and details."""
        message, fields, rest = None, dict(self.headers), self.rest
        if len(rest) >= 5 and rest[:1] in b"\0\1" and "grpc-status" not in fields:
            message = rest[5:5 + int.from_bytes(rest[1:5], "big")]
        for name, value in re.findall(rb"(grpc-status|grpc-message): ([^\r\n]*)\r\n", rest):
            fields[name.decode()] = value.decode("latin-1")
        code = int(fields.get("grpc-status", -1))
        return message, CODES[code] if 0 <= code < len(CODES) else None, urllib.parse.unquote(fields.get("grpc-message", ""))


class Schemas:
    """The messages of all services that the server shows by reflection."""

    def __init__(self, path):
        self.pool = descriptor_pool.DescriptorPool()
        files = descriptor_pb2.FileDescriptorSet()
        with open(path, "rb") as file:
            files.ParseFromString(file.read())
        for one in files.file:
            self.pool.Add(one)

    def answer(self, rpc, message):
        """Decodes the answer to "package.Service/Method", and returns it as a tree; None if the rpc is not known or it does not fit."""
        try:
            method = self.pool.FindMethodByName(rpc.replace("/", "."))
            decoded = message_factory.MessageFactory(self.pool).GetPrototype(method.output_type)()
            decoded.ParseFromString(message)
        except Exception:  # pylint: disable=broad-except  # whatever does not fit
            return None
        return tree_of(decoded)


def tree_of(message):
    """Returns the message as a report shows it: all fields, except messages that are absent and what was not chosen among others."""
    tree = {}
    for field in message.DESCRIPTOR.fields:
        value = getattr(message, field.name)
        many = field.label == field.LABEL_REPEATED
        if field.message_type and field.message_type.GetOptions().map_entry:
            tree[field.name] = {key: plain(one) for key, one in value.items()}
        elif many:
            tree[field.name] = [plain(one) for one in value]
        elif not field.has_presence or message.HasField(field.name):
            tree[field.name] = plain(value)
    return tree


def plain(value):
    return tree_of(value) if hasattr(value, "DESCRIPTOR") else value


def same_tree(told, seen):
    """Whether what a report told is in what was seen. Bytes are told in several spellings, and are not compared."""
    if isinstance(seen, bytes):
        return isinstance(told, str)
    if isinstance(told, dict) and isinstance(seen, dict):
        return all(name in seen and (name in OWN or same_tree(value, seen[name])) for name, value in told.items())
    if isinstance(told, list) and isinstance(seen, list):
        return len(told) == len(seen) and all(map(same_tree, told, seen))
    if isinstance(seen, float) and isinstance(told, (int, float)):
        return told == seen or abs(told - seen) <= 1e-6 * abs(seen)
    return told == seen


def read_json(text):
    """Returns what the text says up to its end, or None: it is none, or it was cut."""
    for spelling in (text, unprintable(text)):
        try:
            return json.loads(spelling)
        except ValueError:
            pass
    return None


def words_missing(told, output):
    """Returns names and messages that were told and are not in the output."""
    words = set(re.findall(r'"(?:name|model_name|id|msg|message)":"([A-Za-z][\w .-]{3,})"', told))
    return [word for word in words if word.encode() not in output]


def http_differs(told, shown):
    """Returns how an answer over HTTP differs from what was told of it; empty if it does not."""
    match = re.match(r"HTTP (\d+)(?:, (.*?))??(?: \((\S*: .*?|no \S+)\))?(?:, no body|: (.*))\Z", told, re.S)
    if not match:  # it broke off, or never came
        return ""
    status, kind, headers, body = match.groups()
    if int(status) != shown.status:
        return f"status {shown.status} instead of {status}"
    if kind and kind != shown.headers.get("content-type"):
        return f"content-type {shown.headers.get('content-type')} instead of {kind}"
    for name in re.findall(r"(?:^|; )no (\S+?)(?=;|\Z)", headers or ""):
        if name.lower() in shown.headers:
            return f"a header {name}, of which the report says that there is none"
    return body_differs(body, shown)


def body_differs(told, shown):
    """The same for its body; None is told if there was none."""
    if told is None:
        return f"a body of {len(shown.body)} bytes" if shown.body and "transfer-encoding" not in shown.headers else ""
    if re.match(r"(?:decoded )?[a-z_]+ [\[{]", told):  # bytes that were decoded
        missing = [] if told.startswith("decoded outputs ") else words_missing(told[:CUT], shown.output)  # they may have the names of the request
        return f"no {missing[0]}" if missing else "" if shown.rest else "no body"
    size = shown.headers.get("inference-header-content-length", "")
    seen = (shown.body[:int(size)] if size.isdigit() else shown.body).decode(errors="replace")
    tree = read_json(told)
    if isinstance(tree, (dict, list)):
        return "" if same_tree(tree, read_json(seen)) else f"body {seen[:200]} instead of {told[:200]}"
    told, seen = ("".join(text.split()) for text in (unprintable(told[:CUT]), seen))
    return "" if told[:200] in seen else f"body {seen[:100]} instead of {told[:100]}"


def grpc_differs(told, shown, rpc, schemas):
    """The same for an answer of gRPC."""
    match = re.match(r"([A-Z_]+)(?:: (.*?))?(?:, (outputs \[.*|\{.*))?\Z", told, re.S)
    if not match or match[1] not in CODES:  # it broke off, or never came
        return ""
    code, details, decoded = match.groups()
    message, seen_code, seen_details = shown.call()
    if code != seen_code:
        return f"{seen_code} instead of {code}"
    if details and unprintable(details)[:200] != seen_details[:200]:
        return f"details {seen_details} instead of {details}"
    return message_differs(decoded, message, rpc, schemas) if decoded else ""


def message_differs(told, message, rpc, schemas):
    """The same for the message, or for the outputs that were decoded from it."""
    if message is None:
        return "" if told in ("outputs []", "{}") else f"no message instead of {told}"
    tree, seen = read_json(told.removeprefix("outputs ")), schemas.answer(rpc, message)
    if told.startswith("outputs ") and "outputs" in (seen or {}):
        tree = [{name: value for name, value in one.items() if name in ("name", "datatype", "shape") and value not in ("", [])} for one in tree or []]
        seen = seen["outputs"]
    if tree is None or seen is None or told.startswith("outputs ") and isinstance(seen, dict):
        # What was told is cut, or `cat -v` spelled two messages alike, or another one than V2 has the outputs.
        missing = words_missing(told[:CUT], message)
        return f"no {missing[0]}" if missing else ""
    return "" if same_tree(tree, seen) else f"message {seen} instead of {told}"
