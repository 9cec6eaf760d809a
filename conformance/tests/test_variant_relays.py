#!/usr/bin/python3
"""A relay of variants ends a call that its client has left, and never resets a stream that it did not begin. Argument: BUILD (not used).

A server must end the connection when a stream is reset that was not begun (RFC 9113, 5.1), and with it all calls on it. The peer here
is a bare socket, which answers no call and notes the frames that come. Each call is left before it is made, the earliest moment there
is: if the relay cancelled it there, the library would reset many of these streams without having begun them."""
import threading

import grpc

from judge_process import checks
from forwarder import Listener
from grpc_relay import Asking
from wire import ACK, DATA, HEADERS, PING, PREFACE, RST_STREAM, SETTINGS, WINDOW_UPDATE, frame, frames_of

CALLS = 500
PATIENCE = 60  # seconds until a call that does not end is a failure


class Wire(Listener):
    """Keeps a connection alive, and notes (kind, stream) of each frame that comes."""

    def __init__(self):
        self.seen, self.more = [], threading.Condition()
        super().__init__(self.listen)

    def listen(self, connection):
        with connection, connection.makefile("rb") as come:
            come.read(len(PREFACE))
            connection.sendall(frame(SETTINGS, 0, 0))
            for kind, flags, stream, payload in frames_of(come):
                if kind in (SETTINGS, PING) and not flags & ACK:
                    connection.sendall(frame(kind, ACK, 0, payload if kind == PING else b""))
                if kind == DATA and payload:
                    connection.sendall(frame(WINDOW_UPDATE, 0, 0, len(payload).to_bytes(4, "big")))
                with self.more:
                    self.seen.append((kind, stream))
                    self.more.notify()

    def resets(self, count):
        """Waits for that many resets. Returns the streams that were reset before they began, and those that were not reset."""
        with self.more:
            self.more.wait_for(lambda: sum(kind == RST_STREAM for kind, _ in self.seen) >= count, PATIENCE)
            begun, too_early, open_streams = set(), [], set()
            for kind, stream in self.seen:
                if kind == HEADERS:
                    begun.add(stream)
                    open_streams.add(stream)
                elif kind == RST_STREAM:
                    too_early += [stream] if stream not in begun else []
                    open_streams.discard(stream)
            return too_early, open_streams


def left(channel):
    """A call that its client leaves before it is made."""
    asking = Asking()
    asking.leave()
    return asking.made(channel.stream_unary("/service/method").future(asking.messages([b"message"]), timeout=PATIENCE))


def code_of(call):
    try:
        call.result()
    except grpc.FutureCancelledError:
        return grpc.StatusCode.CANCELLED
    except grpc.RpcError:
        pass
    return call.code()


wire = Wire()
with grpc.insecure_channel(wire.address) as channel:
    grpc.channel_ready_future(channel).result(PATIENCE)
    codes = {code_of(call) for call in [left(channel) for _ in range(CALLS)]}
    checks.that(codes == {grpc.StatusCode.CANCELLED}, f"calls that their client left ended with {codes}")
    too_early, open_streams = wire.resets(CALLS)
    checks.that(not too_early, f"{len(too_early)} of {CALLS} streams were reset and never begun")
    checks.that(not open_streams, f"{len(open_streams)} of {CALLS} streams were begun and not reset")
checks.end()
