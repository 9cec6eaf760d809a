"""A relay for gRPC calls of any service and any number of messages, which lets a variant change what is asked and answered.

Every call is relayed as a stream: on the wire a call with one message each way is one too. Between the judge and the relay may stand
a second one, which changes the frames of HTTP/2 that the server sends."""
import atexit
import itertools
import shutil
import socket
import struct
import subprocess
import tempfile
import threading
import traceback

import grpc
from forwarder import address_of
from google.protobuf import descriptor_pb2, descriptor_pool, message_factory
from grpc_relay import PATIENCE, AnyService, Asking, Refusal

FILES = ["inference.proto", "model_config.proto", "trtis_v1.proto", "grpc/health/v1/health.proto", "grpc/reflection/v1/reflection.proto",
         "grpc/reflection/v1alpha/reflection.proto"]


def load_pool():
    folder = tempfile.mkdtemp()
    atexit.register(shutil.rmtree, folder)
    subprocess.run(["protoc", "-Iproto/schema", f"--descriptor_set_out={folder}/set", *FILES], check=True)
    pool = descriptor_pool.DescriptorPool()
    with open(f"{folder}/set", "rb") as file:
        files = {file.name: file for file in descriptor_pb2.FileDescriptorSet.FromString(file.read()).file}
    for name in sorted(files, key=lambda name: len(files[name].dependency)):
        pool.Add(files[name])
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
    try:
        return kind.FromString(data) if kind else None
    except Exception:  # the library has several kinds of them
        return None


class Call:
    """A call as the variant sees it: `rpc` is the method's name without its service, `asked` are the messages that came so far, None
    for one that does not parse. `ended` is set when the client has sent its last one."""

    def __init__(self, method):
        self.method, self.rpc = method, method.rpartition("/")[2]
        self.request, self.reply = types_of(method)
        self.asked, self.ended, self.compressed, self.metadata = [], threading.Event(), False, []


class Answer:
    """`message` is None where the bytes do not parse. `moved` says that the variant gives it at another place."""

    def __init__(self, kind, data=b"", message=None):
        self.moved = False
        self.data, self.message = data, message if message is not None else parsed(kind, data)
        self.before = self.message.SerializeToString(deterministic=True) if message is None and self.message is not None else None

    def changed(self):
        return self.message is not None and self.message.SerializeToString(deterministic=True) != self.before

    def written(self):
        return self.message.SerializeToString() if self.changed() else self.data


class StreamVariant:
    """`hears(call, message)` may change a message, or raise Refusal, which ends the call; `says(call, answers)` yields what is said for
    the answers of the server, each an Answer, and may raise Refusal; `write(call, data)` returns the bytes of an answer;
    `frame(kind, flags, stream, payload)` returns the frames that are sent for one of the server's. The others are as in grpc_relay.py.
    """

    def __init__(self, name, why, hears=None, says=None, write=None, frame=None, breaks=(), judged=1, server=(), flags=(), options=()):
        self.name, self.why, self.breaks, self.judged, self.server, self.flags = name, why, set(breaks), judged, list(server), list(flags)
        self.hears = hears or (lambda call, message: None)
        self.says = says or (lambda call, answers: answers)
        self.write = write or (lambda call, data: data)
        self.frame, self.options = frame, list(options)


def answer_of(call, message):
    """An answer that the variant makes itself."""
    return Answer(call.reply, message=message)


class Frames:
    """Stands in front of a server and has `edit` change each frame that comes from it. Counts what is changed in `touched`."""

    def __init__(self, there, edit):
        self.there, self.edit, self.touched = address_of(there), edit, 0
        self.listener = socket.create_server(("127.0.0.1", 0), backlog=128)
        self.address = "127.0.0.1:%d" % self.listener.getsockname()[1]
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        while True:
            try:
                client = self.listener.accept()[0]
            except OSError:  # closed
                return
            server = socket.create_connection(self.there)
            for one in (client, server):
                one.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            threading.Thread(target=self.hand_on, args=(client, server, None), daemon=True).start()
            threading.Thread(target=self.hand_on, args=(server, client, self.edit), daemon=True).start()

    def hand_on(self, source, sink, edit):
        rest = b""
        try:
            while piece := source.recv(1 << 16):
                made, rest = self.edited(rest + piece, edit) if edit else (piece, b"")
                sink.sendall(made)
            sink.shutdown(socket.SHUT_WR)
        except OSError:
            sink.close()

    def edited(self, data, edit):
        """Returns the whole frames of the data, edited, and what is left of it."""
        made, at = [], 0
        while len(data) - at >= 9 and len(data) - at >= 9 + int.from_bytes(data[at:at + 3], "big"):
            end = at + 9 + int.from_bytes(data[at:at + 3], "big")
            frames = edit(data[at + 3], data[at + 4], int.from_bytes(data[at + 5:at + 9], "big"), data[at + 9:end])
            made += [len(payload).to_bytes(3, "big") + struct.pack(">BBI", kind, flags, stream) + payload
                     for kind, flags, stream, payload in frames]
            self.touched += len(frames) != 1
            at = end
        return b"".join(made), data[at:]

    def close(self):
        self.listener.close()


class StreamRelay(AnyService):
    """Relays calls with any number of messages, and the frames of HTTP/2 that the variant changes."""

    def __init__(self, variant, server):
        super().__init__(variant, server)
        self.frames = Frames(self.address, variant.frame) if variant.frame else None
        self.address = self.frames.address if self.frames else self.address

    def __exit__(self, *_):
        super().__exit__()
        if self.frames:
            self.frames.close()
            self.touched += self.frames.touched

    def handler(self, method, metadata):
        return grpc.stream_stream_rpc_method_handler(lambda requests, context: self.serve(Call(method), metadata, requests, context))

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
            for answer in self.variant.says(call, (Answer(call.reply, data) for data in asked)):
                if not said and call.compressed:
                    context.set_compression(grpc.Compression.Gzip)
                if not said and call.metadata:
                    context.send_initial_metadata(call.metadata)
                said += 1
                data = self.variant.write(call, answer.written())
                if answer.moved or answer.changed() or data != answer.data or call.compressed or call.metadata:
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
        context.set_trailing_metadata(call.metadata)
        if code != grpc.StatusCode.OK:
            context.abort(code, details)

    def heard(self, call, requests, refused):
        """Yields the bytes of the requests, changed by the variant."""
        try:
            for data in requests:
                message = parsed(call.request, data)
                before = message.SerializeToString(deterministic=True) if message is not None else None
                call.asked.append(message)
                self.variant.hears(call, message)
                if message is not None and message.SerializeToString(deterministic=True) != before:
                    self.touch()
                    data = message.SerializeToString()
                yield data
        except Refusal as refusal:
            refused.append(refusal)
            raise
        except grpc.RpcError:  # the client has left
            raise
        finally:
            call.ended.set()
