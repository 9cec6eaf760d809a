"""Writes an answer of GraphPipe once more, in another layout that flatbuffers allow: tables share no vtable, their fields stand in
falling order with gaps between them, scalars are there although they have their default, and children follow their parents."""
import struct

SCHEMA = {
    "InferResponse": [["Tensor"], ["Error"]],
    "Tensor": ["B", ["q"], ["B"], ["string"]],
    "Error": ["q", "string"],
    "MetadataResponse": ["string", "string", "string", "string", ["IOMetadata"], ["IOMetadata"]],
    "IOMetadata": ["string", "string", ["q"], "B"],
}


def number(data, form, at):
    return struct.unpack_from("<" + form, data, at)[0]


def field_at(data, table, index):
    """The place of a field of the table; 0 if it is absent."""
    vtable = table - number(data, "i", table)
    offset = number(data, "H", vtable + 4 + 2 * index) if 4 + 2 * index < number(data, "H", vtable) else 0
    return table + offset if offset else 0


def read(data, kind, at):
    """What stands at `at`: a number, bytes, a list, or of a table the list of its fields (None: absent)."""
    if kind in ("B", "q"):
        return number(data, kind, at)
    at += number(data, "I", at)
    if kind == "string":
        return data[at + 4:at + 4 + number(data, "I", at)]
    if isinstance(kind, list):
        size = struct.calcsize("<" + kind[0]) if kind[0] in ("B", "q") else 4
        return [read(data, kind[0], at + 4 + size * n) for n in range(number(data, "I", at))]
    places = [field_at(data, at, index) for index in range(len(SCHEMA[kind]))]
    return [read(data, form, place) if place else None for form, place in zip(SCHEMA[kind], places)]


class Writer:
    def __init__(self):
        self.data = bytearray(8)  # the offset of the root, and nothing

    def align(self, size, behind=0):
        while (len(self.data) + behind) % size:
            self.data.append(0)

    def refer(self, place, kind, value):
        """Writes the value after all else, and its offset at the place."""
        write = self.string if kind == "string" else self.vector if isinstance(kind, list) else self.table
        at = write(kind, value)
        struct.pack_into("<I", self.data, place, at - place)

    def string(self, kind, value):
        self.align(4)
        at = len(self.data)
        self.data += struct.pack("<I", len(value)) + value + b"\0"
        return at

    def vector(self, kind, values):
        plain = kind[0] in ("B", "q")
        size = struct.calcsize("<" + kind[0]) if plain else 4
        self.align(max(size, 4), 4)
        self.align(4)
        at = len(self.data)
        self.data += struct.pack("<I", len(values))
        if plain:
            self.data += struct.pack(f"<{len(values)}{kind[0]}", *values)
            return at
        self.data += bytes(4 * len(values))
        for place, value in enumerate(values):
            self.refer(at + 4 + 4 * place, kind[0], value)
        return at

    def table(self, kind, values):
        self.align(8)
        count, vtable = len(values), len(self.data)
        present = [value is not None or form in ("B", "q") for form, value in zip(SCHEMA[kind], values)]
        offsets = [8 + 8 * (count - 1 - index) if there else 0 for index, there in enumerate(present)]
        self.data += struct.pack(f"<HH{count}H", 4 + 2 * count, 8 + 8 * count, *offsets)
        self.align(8)
        at = len(self.data)
        self.data += struct.pack("<i", at - vtable) + bytes(4 + 8 * count)
        for form, value, offset in zip(SCHEMA[kind], values, offsets):
            if form in ("B", "q"):
                struct.pack_into("<" + form, self.data, at + offset, value or 0)
            elif value is not None:
                self.refer(at + offset, form, value)
        return at


def written(fields, kind):
    writer = Writer()
    writer.refer(0, kind, fields)
    return bytes(writer.data)


def rewritten(data, kind):
    return written(read(data, kind, 0), kind)


def answer_to(request):
    """The kind of answer that a Request wants; None if it is none."""
    try:
        root = number(request, "I", 0)
        place = field_at(request, root, 0)
        return {1: "InferResponse", 2: "MetadataResponse"}.get(request[place] if place else 0)
    except (struct.error, IndexError):
        return None
