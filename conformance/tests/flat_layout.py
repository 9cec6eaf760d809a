"""Reads messages of GraphPipe by flatbuffers' own library, and writes them in another layout than our server's that flatbuffers allow: tables
share no vtable, their fields stand in falling order with gaps between them, and scalars are there although they have their default."""
import functools
import struct

import flatbuffers

from schemas import graphpipe_schema

schema = functools.cache(graphpipe_schema)


class Layout(flatbuffers.Builder):
    def __init__(self):
        super().__init__()
        self.ForceDefaults(True)

    def StartObject(self, field_count):
        self.vtables = {}
        super().StartObject(field_count)

    def Slot(self, field):
        super().Slot(field)
        self.Pad(8)


def read(data, kind):
    """Returns the message as an object, whose members are lists, bytes and numbers; None: absent."""
    module = schema()[kind]
    return getattr(module, kind + "T").InitFromObj(getattr(module, kind).GetRootAs(data))


def made(kind, **members):
    message = getattr(schema()[kind], kind + "T")()
    vars(message).update(members)
    return message


def written(message, builder=Layout):
    made = builder()
    made.Finish(message.Pack(made))
    return bytes(made.Output())


def answer_to(request):
    """The kind of answer that a Request wants; None if it is none."""
    try:
        return {1: "InferResponse", 2: "MetadataResponse"}.get(schema()["Request"].Request.GetRootAs(request).ReqType())
    except (struct.error, IndexError, TypeError, ValueError):
        return None


def edits_message(kind, edit, builder=Layout):
    """An edit of an answer from an edit of the message in it, if it is of that kind: `edit(message)`, which returns whether it changed something."""
    def change(request, answer):
        if request.method == "POST" and answer.status == 200 and answer_to(request.body) == kind:
            message = read(answer.body, kind)
            if edit(message):
                answer.set_body(written(message, builder))
    return change
