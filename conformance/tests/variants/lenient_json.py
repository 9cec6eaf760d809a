"""A JSON reader that accepts what RFC 8259, section 9 lets a reader accept: comments, commas too many, commas that are missing, names
without quotes, other quotes, other spellings of numbers, bytes that are not UTF-8, and text after the value. It writes the text as strict JSON
and has that read."""
import json
import re

TOKEN = re.compile(r"""(?P<space>(?:[\s\ufeff,]|/\*.*?\*/|//[^\n]*|\#[^\n]*)+)
                     | (?P<string>"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*')
                     | (?P<number>[+-]?(?:0[xX][0-9a-fA-F]+|Infinity|(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?))
                     | (?P<name>[A-Za-z_][A-Za-z0-9_]*)
                     | (?P<mark>[][{}:])""", re.S | re.X)
ESCAPE = re.compile(r"""\\(?:(?P<kept>u[0-9a-fA-F]{4}|["\\/bfnrt])|x(?P<code>[0-9a-fA-F]{2})|(?P<other>[^ux]))|(?P<quote>")""", re.S)
DEPTH = 200


def strict_escape(match):
    if match["kept"]:
        return match[0]
    return "\\u00" + match["code"] if match["code"] else '\\"' if match["quote"] else match["other"]


def strict_number(text):
    digits = text.lstrip("+-")
    value = int(digits, 16) if digits[:2] in ("0x", "0X") else int(digits) if digits.isdigit() else float(digits)
    return json.dumps(-value if text[0] == "-" else value)


def strict(kind, text):
    if kind == "string":
        return '"' + ESCAPE.sub(strict_escape, text[1:-1]) + '"'
    if kind == "number":
        return strict_number(text)
    return text


def read(body):
    """Returns the value at the beginning of the bytes. Raises ValueError if the text breaks off, or is nothing that could be read."""
    text = body.decode("utf-16" if body[:2] in (b"\xff\xfe", b"\xfe\xff") else "utf-8", "replace")
    made, depth, at = [], 0, 0
    while at < len(text) and (depth or not made):
        token = TOKEN.match(text, at)
        if not token:
            raise ValueError
        at, kind = token.end(), token.lastgroup
        if kind == "space":
            continue
        depth += (token[0] in "[{") - (token[0] in "]}") if kind == "mark" else 0
        if depth > DEPTH:
            raise ValueError
        if made and made[-1] not in ("[", "{", ":") and token[0] not in ("]", "}", ":"):
            made.append(",")
        if token[0] == ":" and made and made[-1][0] != '"':
            made[-1] = json.dumps(made[-1])
        made.append(strict(kind, token[0]))
    return json.loads("".join(made), strict=False)
