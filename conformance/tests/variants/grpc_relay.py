"""A gRPC relay that stands in front of a server and lets a variant change requests and answers, of any service and any number of messages.

Every call is relayed as a stream of messages, as bytes: on the wire a call with one message each way is one too. A message that parses is
shown to the variant; what a variant does not change goes on as it came, and so does what does not parse, because the server behind the
relay must judge it. Between the judge and the relay may stand a second one, which changes the frames of HTTP/2 that the server sends."""
import itertools
import os
import subprocess
import sys
import threading
import traceback
import warnings
from concurrent import futures

import grpc
from forwarder import Forwarder, address_of
from google.protobuf import descriptor_pb2, descriptor_pool, message_factory

sys.path.insert(0, "proto/tests")
from wire import frame

# Libraries in C print what they do not like, which is what many cases send. Python's own errors go where they went.
sys.stderr = os.fdopen(os.dup(2), "w", buffering=1)
os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
warnings.simplefilter("ignore", RuntimeWarning)

UNLIMITED = [("grpc.max_receive_message_length", -1), ("grpc.max_send_message_length", -1)]
CALLS = 64  # at once
LIBRARY = [word for glob in ("grpc.*", "http2.*", "v2-grpc/framing/messages/gzip-*", "trtis-v1-grpc/framing/*", "trtis-v1-grpc/http2/*")
           for word in ("--skip", glob)]  # what the relay's library answers
PATIENCE = 60  # seconds that a call without a deadline may take: the library reads none as no time at all
FILES = ["inference.proto", "model_config.proto", "trtis_v1.proto", "grpc/health/v1/health.proto", "grpc/reflection/v1/reflection.proto",
         "grpc/reflection/v1alpha/reflection.proto"]


def load_pool():
    described = subprocess.run(["protoc", "-Iproto/schema", "--descriptor_set_out=/dev/stdout", *FILES], check=True, stdout=subprocess.PIPE).stdout
    pool = descriptor_pool.DescriptorPool()
    for file in sorted(descriptor_pb2.FileDescriptorSet.FromString(described).file, key=lambda file: len(file.dependency)):
        pool.Add(file)
    return pool


POOL = load_pool()
FACTORY = message_factory.MessageFactory(POOL)


def types_of(method):
    """(the message that is asked, the one that is answered) of `/package.Service/Method`, or (None, None) if no schema has it."""
    service, _, name = method[1:].rpartition("/")
    try:
        found = POOL.FindServiceByName(service).methods_by_name[name]
    except KeyError:
        return None, None
    return FACTORY.GetPrototype(found.input_type), FACTORY.GetPrototype(found.output_type)


def parsed(kind, data):
    """The message of that type, or None if it does not parse or there is no type."""
    try:
        return kind.FromString(data) if kind else None
    except Exception:  # the library has several kinds of them
        return None


def as_it_is(message):
    """Bytes by which a message is compared with itself."""
    return None if message is None else message.SerializeToString(deterministic=True)


class Refusal(Exception):
    def __init__(self, code, text):
        super().__init__(text)
        self.code, self.text = code, text


def refuse(code, text):
    raise Refusal(code, text)


class Call:
    """A call as the variant sees it: `rpc` is the method's name without its service, `asked` are the messages that came so far, None
    for one that does not parse; `message` is the last of them, and `data` its bytes. `ended` is set when the client has sent its last one."""

    def __init__(self, method):
        self.method, self.rpc = method, method.rpartition("/")[2]
        self.request_type, self.reply_type = types_of(method)
        self.asked, self.message, self.data, self.ended = [], None, b"", threading.Event()
        self.first_metadata, self.trailers, self.compressed = [], [], False


class Answer:
    """`message` is None where the bytes do not parse. `moved` says that the variant gives it at another place."""

    def __init__(self, kind, data=b"", message=None):
        self.moved = False
        self.data, self.message = data, message if message is not None else parsed(kind, data)
        self.before = as_it_is(self.message) if message is None else None

    def changed(self):
        return as_it_is(self.message) != self.before

    def written(self):
        return self.message.SerializeToString() if self.changed() else self.data


def answer_of(call, message):
    """An answer that the variant makes itself."""
    return Answer(call.reply_type, message=message)


def each_or_error(edit):
    """Makes what says the answers from an edit of each, and of the error, `edit(call)`, of which `call.code`, `call.details` and `call.reply`
    are what is answered. `reply` is None where the bytes do not parse, and of an error `code` is not OK."""
    def told(call, given, error=None):
        before = call.code, call.details, call.reply = (error.code(), error.details(), None) if error else (grpc.StatusCode.OK, "", given.message)
        edit(call)
        if call.code != grpc.StatusCode.OK:
            raise error if error and (call.code, call.details) == before[:2] else Refusal(call.code, call.details)
        yield given or answer_of(call, call.reply)
        if error:
            raise Refusal(call.code, "")

    def says(call, answers):
        try:
            for given in answers:
                yield from told(call, given)
        except grpc.RpcError as error:
            yield from told(call, None, error)
    return says


class Variant:
    """`hears(call, message)` may change a message, or raise Refusal, which ends the call; `says(call, answers)` yields what is said for
    the answers of the server, each an Answer, and may raise Refusal. In their place may stand `request(call)`, which changes call.message,
    and `answer(call)` as each_or_error has it. `write(call, data)` returns the bytes of an answer; `frame(kind, flags, stream, payload)`
    returns the frames that are sent for one of the server's. `server` are flags of the reference server, `flags` are for the judge,
    `options` for the library under the relay. `breaks`: the requirements of level should that the server breaks knowingly. `judged`: how
    many assertions are judged at least."""

    def __init__(self, name, why, request=None, answer=None, hears=None, says=None, write=None, frame=None, breaks=(), judged=1500, server=(), flags=(),
                 options=()):
        self.name, self.why, self.breaks, self.judged, self.server, self.flags = name, why, set(breaks), judged, list(server), list(flags)
        self.hears = hears or (lambda call, message: request(call) if request else None)
        self.says = each_or_error(answer) if answer else says or (lambda call, answers: answers)
        self.write = write or (lambda call, data: data)
        self.frame, self.options = frame, list(options)


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


class Frames(Forwarder):
    """Stands in front of a server and has `edit` change each frame that comes from it. Counts what is changed in `touched`."""

    def __init__(self, there, edit):
        self.edit, self.touched = edit, 0
        super().__init__(address_of(there))

    def answers(self):
        data = b""

        def edited(piece):
            """Returns the frames that are whole by now, edited."""
            nonlocal data
            data, made, at = data + piece, [], 0
            while len(data) - at >= 9 and len(data) - at >= 9 + int.from_bytes(data[at:at + 3], "big"):
                end = at + 9 + int.from_bytes(data[at:at + 3], "big")
                frames = self.edit(data[at + 3], data[at + 4], int.from_bytes(data[at + 5:at + 9], "big"), data[at + 9:end])
                made += [frame(*one) for one in frames]
                self.touched += len(frames) != 1
                at = end
            data = data[at:]
            return b"".join(made)
        return edited


class Relay(grpc.GenericRpcHandler):
    """A server of calls of any service, with a channel to the one behind it. `server` is HOST:PORT; `touched` counts what the variant
    changed; `faults` are the exceptions of its functions."""

    def __init__(self, variant, server):
        self.variant, self.touched, self.faults, self.lock = variant, len(variant.options) + len(variant.server), [], threading.Lock()
        self.channel = grpc.insecure_channel(server, options=UNLIMITED)
        self.server = grpc.server(futures.ThreadPoolExecutor(CALLS), handlers=[self], options=UNLIMITED + variant.options)
        self.address = "127.0.0.1:%d" % self.server.add_insecure_port("127.0.0.1:0")
        self.frames = Frames(self.address, variant.frame) if variant.frame else None
        self.address = self.frames.address if self.frames else self.address

    def __enter__(self):
        self.server.start()
        return self

    def __exit__(self, *_):
        self.server.stop(0).wait()
        self.channel.close()
        if self.frames:
            self.frames.socket.close()
            self.touched += self.frames.touched

    def touch(self):
        with self.lock:
            self.touched += 1

    def service(self, details):
        metadata = [pair for pair in details.invocation_metadata if not pair[0].startswith(("grpc-", "user-agent", ":"))]
        return grpc.stream_stream_rpc_method_handler(lambda requests, context: self.serve(Call(details.method), metadata, requests, context))

    def serve(self, call, metadata, requests, context):
        """Yields the bytes of the answers. What the variant refuses, or the server, ends the call. The server is asked when the first message
        has come, so nothing is asked for a client that has left by then."""
        asked, asking, refused, said = None, Asking(), [], 0
        context.add_callback(asking.leave)
        try:
            heard = self.heard(call, requests, refused)
            messages = asking.messages(itertools.chain(list(itertools.islice(heard, 1)), heard))
            asked = asking.made(self.channel.stream_stream(call.method)(messages, metadata=metadata,
                                                                        timeout=min(context.time_remaining(), PATIENCE)))
            for answer in self.variant.says(call, (Answer(call.reply_type, data) for data in asked)):
                if not said and call.compressed:
                    context.set_compression(grpc.Compression.Gzip)
                if not said and call.first_metadata:
                    context.send_initial_metadata(call.first_metadata)
                said += 1
                data = self.variant.write(call, answer.written())
                if answer.moved or answer.changed() or data != answer.data or call.compressed or call.trailers:
                    self.touch()
                yield data
            code, details = asked.code(), asked.details()
        except Refusal as refusal:
            self.touch()
            code, details = refusal.code, refusal.text
        except grpc.RpcError:
            if asked is None:  # the client has left
                return
            code, details = asked.code(), asked.details()
        except Exception:  # the variant is wrong: the test must say so
            self.faults.append(traceback.format_exc())
            code, details = grpc.StatusCode.ABORTED, "a fault of the variant"
        asking.leave()
        if refused:
            self.touch()
            code, details = refused[0].code, refused[0].text
        context.set_trailing_metadata(call.trailers)
        if code != grpc.StatusCode.OK:
            context.abort(code, details)

    def heard(self, call, requests, refused):
        """Yields the bytes of the requests, changed by the variant."""
        try:
            for data in requests:
                call.message, call.data = parsed(call.request_type, data), data
                before = as_it_is(call.message)
                call.asked.append(call.message)
                self.variant.hears(call, call.message)
                if as_it_is(call.message) != before:
                    self.touch()
                    data = call.message.SerializeToString()
                yield data
        except Refusal as refusal:
            refused.append(refusal)
            raise
        finally:
            call.ended.set()
