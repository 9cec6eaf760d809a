"""A JSON reader that accepts what RFC 8259, section 9 lets a reader accept: comments, commas too many, commas that are missing, names
without quotes, other quotes, other spellings of numbers, bytes that are not UTF-8, and text behind the value."""
import re

SPACE = re.compile(r"(?:[\s\ufeff]|/\*.*?\*/|//[^\n]*|#[^\n]*)*", re.S)
NUMBER = re.compile(r"[+-]?(?:0[xX][0-9a-fA-F]+|Infinity|(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?)")
NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
ESCAPES = {"b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t"}
WORDS = {"true": True, "false": False, "null": None, "NaN": float("nan"), "Infinity": float("inf")}
DEPTH = 200


class Broken(Exception):
    """The text breaks off, or it is nothing that could be read."""


class Reader:
    def __init__(self, text):
        self.text, self.at = text, 0

    def space(self):
        self.at = SPACE.match(self.text, self.at).end()
        return self.text[self.at:self.at + 1]

    def value(self, depth=0):
        first = self.space()
        if not first or depth > DEPTH:
            raise Broken
        if first in "{[":
            return self.members(first, depth)
        if first in "\"'":
            return self.string(first)
        number = NUMBER.match(self.text, self.at)
        if number:
            self.at = number.end()
            return number_of(number[0])
        name = NAME.match(self.text, self.at)
        if not name or name[0] not in WORDS:
            raise Broken
        self.at = name.end()
        return WORDS[name[0]]

    def members(self, first, depth):
        found, end = ({}, "}") if first == "{" else ([], "]")
        self.at += 1
        while True:
            next_one = self.space()
            if next_one == end:
                self.at += 1
                return found
            if next_one == ",":
                self.at += 1
            elif first == "[":
                found.append(self.value(depth + 1))
            else:
                name = self.name(next_one)
                if self.space() != ":":
                    raise Broken
                self.at += 1
                found[name] = self.value(depth + 1)

    def name(self, first):
        if first and first in "\"'":
            return self.string(first)
        name = NAME.match(self.text, self.at)
        if not name:
            raise Broken
        self.at = name.end()
        return name[0]

    def string(self, quote):
        parts, self.at = [], self.at + 1
        while True:
            if self.at >= len(self.text):
                raise Broken
            letter = self.text[self.at]
            self.at += 1
            if letter == quote:
                return "".join(parts).encode("utf-16", "surrogatepass").decode("utf-16", "replace")
            parts.append(self.escape() if letter == "\\" else letter)

    def escape(self):
        letter = self.text[self.at:self.at + 1]
        self.at += 1
        digits = {"u": 4, "x": 2}.get(letter)
        if not digits:
            return ESCAPES.get(letter, letter)
        code = self.text[self.at:self.at + digits]
        if not re.fullmatch("[0-9a-fA-F]{%d}" % digits, code):
            raise Broken
        self.at += digits
        return chr(int(code, 16))


def number_of(text):
    sign = -1 if text[0] == "-" else 1
    digits = text.lstrip("+-")
    if digits[:2] in ("0x", "0X"):
        return sign * int(digits, 16)
    if digits == "Infinity":
        return sign * float("inf")
    return sign * int(digits) if digits.isdigit() else sign * float(digits)


def read(body):
    """Returns the value at the beginning of the bytes. Raises Broken."""
    encoding = "utf-16" if body[:2] in (b"\xff\xfe", b"\xfe\xff") else "utf-8"
    return Reader(body.decode(encoding, "replace")).value()
