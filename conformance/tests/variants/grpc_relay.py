"""A gRPC relay that stands in front of a server and lets a variant change requests and answers.

Calls are relayed as bytes. A message that parses is shown to the variant; what a variant does not change goes on as it came, and so
does what does not parse, because the server behind the relay must judge it."""
import os
import sys
import threading
import traceback
import warnings
from concurrent import futures

import grpc

sys.path.insert(0, "proto/tests")
import schemas

# Libraries in C print what they do not like, which is what many cases send. Python's own errors go where they went.
sys.stderr = os.fdopen(os.dup(2), "w", buffering=1)
os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
warnings.simplefilter("ignore", RuntimeWarning)

SERVICE = "/inference.GRPCInferenceService/"
UNLIMITED = [("grpc.max_receive_message_length", -1), ("grpc.max_send_message_length", -1)]
CALLS = 64  # at once
LIBRARY = ["--skip", "grpc.*", "--skip", "http2.*", "--skip", "v2-grpc/framing/messages/gzip-*"]  # what the relay's library answers
PATIENCE = 60  # seconds that a call without a deadline may take: the library reads none as no time at all


schema = schemas.schema("inference")


def parsed(name, data):
    """The message of that name, or None if it does not parse or there is none of that name."""
    try:
        return getattr(schema, name).FromString(data)
    except Exception:  # the library has several kinds of them
        return None


class Refusal(Exception):
    def __init__(self, code, text):
        super().__init__(text)
        self.code, self.text = code, text


class Call:
    """A call and its answer. `message` and `reply` are None where the bytes do not parse; of an error `code` is not OK."""

    def __init__(self, method, data):
        self.method, self.data = method, data
        self.rpc = method[len(SERVICE):] if method.startswith(SERVICE) else ""
        self.message = parsed(self.rpc + "Request", data) if self.rpc else None
        self.code, self.details, self.answer, self.reply = grpc.StatusCode.OK, "", b"", None
        self.first_metadata, self.trailers, self.compressed = [], [], False

    def answered(self, data):
        self.answer = data
        self.reply = parsed(self.rpc + "Response", data) if self.rpc else None

    def empty_reply(self):
        return getattr(schema, self.rpc + "Response")()

    def failed(self, code, details):
        self.code, self.details = code, details


class Variant:
    """`request(call)` may change call.message, return the answer to it, or raise Refusal; `answer(call)` may change what is answered;
    `write(call, data)` returns the bytes of an answer. `server` are flags of the reference server. `breaks`: the requirements of level
    should that the server breaks knowingly. `judged`: how many assertions are judged at least. `flags` are for the judge, `options`
    for the library under the relay."""

    def __init__(self, name, why, request=None, answer=None, write=None, server=(), breaks=(), judged=1500, flags=(), options=()):
        self.name, self.why, self.server, self.breaks, self.judged, self.flags = name, why, list(server), set(breaks), judged, list(flags)
        self.options = list(options)
        self.request = request or (lambda call: None)
        self.answer = answer or (lambda call: None)
        self.write = write or (lambda call, data: data)


class Asking:
    """A call to the server behind the relay. When the client leaves, it is cancelled, but not before its first message is sent: for a call
    that is cancelled earlier, the C core of gRPC 1.51 may send RST_STREAM of a stream that it never began, and a server must end the
    connection for this (RFC 9113, 5.1)."""

    def __init__(self):
        self.lock, self.call, self.sent, self.left = threading.Lock(), None, False, False

    def messages(self, messages):
        """Yields them to the library, which comes back when it has sent one."""
        for message in messages:
            yield message
            self.settle(sent=True)
        self.settle(sent=True)

    def made(self, call):
        self.settle(call=call)
        return call

    def leave(self):
        self.settle(left=True)

    def settle(self, **state):
        with self.lock:
            vars(self).update(state)
            over = self.call is not None and self.sent and self.left
        if over:
            self.call.cancel()


def is_inference(call):
    return call.rpc == "ModelInfer" and call.message is not None


class AnyService(grpc.GenericRpcHandler):
    """A server of calls of any service, with a channel to the one behind it. `server` is HOST:PORT; `touched` counts what the variant
    changed; `faults` are the exceptions of its functions. The variant's `options` are those of the gRPC library."""

    def __init__(self, variant, server):
        self.variant, self.touched, self.faults, self.lock = variant, len(variant.options), [], threading.Lock()
        self.channel = grpc.insecure_channel(server, options=UNLIMITED)
        self.server = grpc.server(futures.ThreadPoolExecutor(CALLS), handlers=[self], options=UNLIMITED + variant.options)
        self.address = "127.0.0.1:%d" % self.server.add_insecure_port("127.0.0.1:0")

    def __enter__(self):
        self.server.start()
        return self

    def __exit__(self, *_):
        self.server.stop(0).wait()
        self.channel.close()

    def touch(self):
        with self.lock:
            self.touched += 1

    def service(self, details):
        metadata = [pair for pair in details.invocation_metadata if not pair[0].startswith(("grpc-", "user-agent", ":"))]
        return self.handler(details.method, metadata)


class Relay(AnyService):
    """Relays calls with one message each way."""

    def handler(self, method, metadata):
        return grpc.unary_unary_rpc_method_handler(lambda data, context: self.serve(method, metadata, data, context))

    def serve(self, method, metadata, data, context):
        call = Call(method, data)
        try:
            before = call.message.SerializeToString(deterministic=True) if call.message else None
            changed = self.ask(call, metadata, context, before)
            after = (call.code, call.details, call.answer)
            reply = call.reply.SerializeToString(deterministic=True) if call.reply else None
            self.variant.answer(call)
            if call.reply and call.reply.SerializeToString(deterministic=True) != reply:
                call.answer = call.reply.SerializeToString()
            if call.code == grpc.StatusCode.OK:
                call.answer = self.variant.write(call, call.answer)
            changed |= after != (call.code, call.details, call.answer) or bool(call.trailers) or call.compressed
        except Exception:  # the variant is wrong: the test must say so
            self.faults.append(traceback.format_exc())
            context.abort(grpc.StatusCode.ABORTED, "a fault of the variant")
        if changed:
            self.touch()
        if call.first_metadata:
            context.send_initial_metadata(call.first_metadata)
        context.set_trailing_metadata(call.trailers)
        if call.compressed:
            context.set_compression(grpc.Compression.Gzip)
        if call.code != grpc.StatusCode.OK:
            context.abort(call.code, call.details)
        return call.answer

    def ask(self, call, metadata, context, before):
        """Asks the variant, and the server unless the variant has answered. Returns whether the request was changed."""
        try:
            own = self.variant.request(call)
        except Refusal as refusal:
            call.failed(refusal.code, refusal.text)
            return True
        if own is not None:
            call.answered(own.SerializeToString())
            return True
        changed = call.message is not None and call.message.SerializeToString(deterministic=True) != before
        data = call.message.SerializeToString() if changed else call.data
        asking = Asking()
        asked = asking.made(self.channel.stream_unary(call.method).future(
            asking.messages([data]), timeout=min(context.time_remaining(), PATIENCE), metadata=metadata))
        if not context.add_callback(asking.leave):
            asking.leave()
        try:
            call.answered(asked.result())
        except grpc.RpcError:
            call.failed(asked.code(), asked.details())
        except grpc.FutureCancelledError:
            call.failed(grpc.StatusCode.CANCELLED, "the client has left")
        return changed
