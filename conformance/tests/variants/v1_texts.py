"""Servers of TensorRT Inference Server v1 that write the text form of their headers otherwise than the reference server, in ways that
readers of protobuf's text format understand: the reference server behind the relay of rest_relay.py.

The rows of VARIANTS are as in http_variants.py."""
import re

from http_variants import V1, right


def of_header(name, edit):
    def change(request, answer):
        text = answer.header(name)
        if text and edit(text) != text:
            answer.set_header(name, edit(text))
    return change


def as_list(text):
    """A repeated field may be a list."""
    return re.sub(r"((?:dims: -?\d+ )+)", lambda match: "dims: [" + ", ".join(re.findall(r"-?\d+", match[1])) + "] ", text)


def in_octal_escapes(text):
    return re.sub(r'name: "(\w+)"', lambda match: 'name: "' + "".join(f"\\{ord(letter):03o}" for letter in match[1]) + '"', text)


def in_two_strings(text):
    """Strings that stand side by side are one."""
    return re.sub(r'name: "(\w)(\w+)"', r'name: "\1" ' + r"'\2'", text)


RESPONSE = "NV-InferResponse"
VARIANTS = [right(V1, "v1-" + name, "text format: " + why, answer=of_header(header, edit)) for name, why, header, edit in [
    ("lists", "values of a repeated field may stand in brackets", RESPONSE, as_list),
    ("hexadecimal", "an integer may be hexadecimal", RESPONSE,
     lambda text: re.sub(r"(batch_byte_size: )(\d+)", lambda match: match[1] + hex(int(match[2])), text)),
    ("octal-escapes", "a letter may be an escape", RESPONSE, in_octal_escapes),
    ("two-strings", "adjacent strings are one string", RESPONSE, in_two_strings),
    ("colons", "a colon may stand before a message", RESPONSE, lambda text: re.sub(r"(output|raw|cls) \{", r"\1: {", text)),
    ("semicolons", "fields may be divided by semicolons", "NV-Status", lambda text: re.sub(r"(code: \w+) ", r"\1 ; ", text)),
]]
