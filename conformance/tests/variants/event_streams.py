"""Servers that generate texts and write their events otherwise than the reference server, or wrongly: the reference server behind the relay
of rest_relay.py. Whatever HTML, "Server-sent events" (9.2.5, 9.2.6) has a reader understand is right.

The rows of VARIANTS and WRONG are as in http_variants.py."""
import re

from rest_relay import Variant
GENERATE = "generate-rest"


def is_stream(answer):
    return (answer.header("Content-Type") or "").startswith("text/event-stream")


def of_events(edit):
    """Makes an edit of an answer from an edit of the bytes of its events."""
    def change(request, answer):
        if is_stream(answer) and answer.body and edit(answer.body) != answer.body:
            answer.set_body(edit(answer.body))
    return change


def of_list(edit):
    """Makes an edit of an answer from an edit of the list of its events."""
    return of_events(lambda body: b"".join(event + b"\n\n" for event in edit(body.split(b"\n\n")[:-1])))


def named(event):
    return b"id: 7\nevent: message\nretry: 10\nunknown\n" + event + b"\n: ping"


def says_in_capitals(request, answer):
    if is_stream(answer):
        answer.set_header("Content-Type", "Text/Event-Stream ;charset=UTF-8")


def is_a_text(request, answer):
    if is_stream(answer):
        answer.set_header("Content-Type", "text/plain")


FORMS = [
    ("crlf", "lines end with CR LF", of_events(lambda body: body.replace(b"\n", b"\r\n"))),
    ("cr", "lines end with CR", of_events(lambda body: body.replace(b"\n", b"\r"))),
    ("bare", "no blank stands behind the colon", of_events(lambda body: body.replace(b"data: ", b"data:"))),
    ("mark", "a byte order mark stands before the events", of_events(lambda body: b"\xef\xbb\xbf" + body)),
    ("fields", "events have other fields, and comments", of_list(lambda events: [b": begins"] + [named(event) for event in events])),
    ("lines", "data stands in several lines", of_events(lambda body: re.sub(rb"data: ?\{", b"data: {\ndata:", body))),
    ("empty", "an event without data is none", of_list(lambda events: [b"event: ping"] + events + [b"retry: 5"])),
    ("capitals", "the media type is written in capitals", says_in_capitals),
]
VARIANTS = [(GENERATE, Variant("events-" + name, why, answer=edit, judged=60)) for name, why, edit in FORMS]

WRONG = [
    (GENERATE, Variant("events-of-text", "events are text/plain", answer=is_a_text), "stream-content-type"),
    (GENERATE, Variant("events-without-field", "lines have no name of a field", answer=of_events(lambda body: body.replace(b"data:", b""))),
     "stream-outputs"),
    (GENERATE, Variant("events-in-one", "events do not end", answer=of_events(lambda body: body.replace(b"\n\n", b"\n"))), "stream-outputs"),
    (GENERATE, Variant("events-cut", "the last event does not end", answer=of_events(lambda body: body.rstrip(b"\n"))), "stream-outputs"),
    (GENERATE, Variant("events-twice", "the first event comes twice", answer=of_list(lambda events: events[:1] + events)), "stream-outputs"),
    (GENERATE, Variant("events-backwards", "events come in the other order", answer=of_list(lambda events: events[::-1])), "stream-outputs"),
    (GENERATE, Variant("events-less", "the last event is lost", answer=of_list(lambda events: events[:-1])), "stream-outputs"),
    (GENERATE, Variant("events-without-errors", "an error behind an event is lost",
                       answer=of_list(lambda events: [event for event in events if b'"error"' not in event])), "stream-error"),
    (GENERATE, Variant("events-with-details", "an error behind an event is called detail",
                       answer=of_events(lambda body: body.replace(b'"error"', b'"detail"'))), "stream-error"),
]
