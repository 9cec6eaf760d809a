"""Servers that generate texts and write their events otherwise than the reference server, or wrongly: the reference server behind the relay
of rest_relay.py. Whatever HTML, "Server-sent events" (9.2.5, 9.2.6) has a reader understand is right.

The rows of VARIANTS and WRONG are as in http_variants.py."""
import re

from http_variants import GENERATE, right, wrong


def is_stream(answer):
    return (answer.header("Content-Type") or "").startswith("text/event-stream")


def of_events(edit):
    """Makes an edit of an answer from an edit of the bytes of its events."""
    return lambda request, answer: answer.edit_body(edit) if is_stream(answer) and answer.body else None


def of_list(edit):
    """Makes an edit of an answer from an edit of the list of its events."""
    return of_events(lambda body: b"".join(event + b"\n\n" for event in edit(body.split(b"\n\n")[:-1])))


def named(event):
    return b"id: 7\nevent: message\nretry: 10\nunknown\n" + event + b"\n: ping"


def is_of_type(kind):
    return lambda request, answer: answer.set_header("Content-Type", kind) if is_stream(answer) else None


FORMS = [
    ("crlf", "lines end with CR LF", of_events(lambda body: body.replace(b"\n", b"\r\n"))),
    ("cr", "lines end with CR", of_events(lambda body: body.replace(b"\n", b"\r"))),
    ("bare", "no blank follows the colon", of_events(lambda body: body.replace(b"data: ", b"data:"))),
    ("mark", "a byte order mark stands before the events", of_events(lambda body: b"\xef\xbb\xbf" + body)),
    ("fields", "events have other fields, and comments", of_list(lambda events: [b": begins"] + [named(event) for event in events])),
    ("lines", "data stands in several lines", of_events(lambda body: re.sub(rb"data: ?\{", b"data: {\ndata:", body))),
    ("empty", "an event without data is none", of_list(lambda events: [b"event: ping"] + events + [b"retry: 5"])),
    ("capitals", "the media type is written in capitals", is_of_type("Text/Event-Stream ;charset=UTF-8")),
]
VARIANTS = [right(GENERATE, "events-" + name, why, answer=edit) for name, why, edit in FORMS]

WRONG = [
    wrong(GENERATE, "events-of-text", "stream-content-type", "events are text/plain", answer=is_of_type("text/plain")),
    wrong(GENERATE, "events-without-field", "stream-outputs", "lines have no name of a field", answer=of_events(lambda body: body.replace(b"data:", b""))),
    wrong(GENERATE, "events-in-one", "stream-outputs", "events do not end", answer=of_events(lambda body: body.replace(b"\n\n", b"\n"))),
    wrong(GENERATE, "events-cut", "stream-outputs", "the last event does not end", answer=of_events(lambda body: body.rstrip(b"\n"))),
    wrong(GENERATE, "events-twice", "stream-outputs", "the first event comes twice", answer=of_list(lambda events: events[:1] + events)),
    wrong(GENERATE, "events-backwards", "stream-outputs", "events come in the other order", answer=of_list(lambda events: events[::-1])),
    wrong(GENERATE, "events-less", "stream-outputs", "the last event is lost", answer=of_list(lambda events: events[:-1])),
    wrong(GENERATE, "events-without-errors", "stream-error", "an error after an event is lost",
          answer=of_list(lambda events: [event for event in events if b'"error"' not in event])),
    wrong(GENERATE, "events-with-details", "stream-error", "an error after an event is called detail",
          answer=of_events(lambda body: body.replace(b'"error"', b'"detail"'))),
]
