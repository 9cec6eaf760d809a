"""A gRPC relay that stands in front of a server and lets a variant change requests and answers.

What is a message of its type is read, shown to the variant, and written anew only if the variant changed it. Any other bytes go on as
they came, and so do methods that the schema does not have."""
import concurrent.futures
import os
import subprocess
import sys
import tempfile
import traceback

import grpc

SERVICE = "/inference.GRPCInferenceService/"


def load_messages():
    """Returns the module of the messages, made from the published schema by protoc."""
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run(["protoc", "-Iproto/schema", f"--python_out={folder}", "proto/schema/inference.proto"], check=True)
        sys.path.insert(0, folder)
        try:
            import inference_pb2
        finally:
            sys.path.remove(folder)
    return inference_pb2


messages = load_messages()


class Refused(Exception):
    """What a variant raises to answer with an error."""

    def __init__(self, code, details):
        super().__init__(details)
        self.code, self.details = code, details


class Call:
    """One call: the method's name, the request, and the answer or the error, (code, details). What is no message is None."""

    def __init__(self, method, raw):
        self.method, self.raw_request, self.raw_answer = method, raw, None
        self.request, self.answer, self.error = read(method + "Request", raw), None, None

    def is_inference(self):
        return self.method == "ModelInfer" and self.request is not None


def read(name, raw):
    made = getattr(messages, name, None)
    try:
        return made.FromString(raw) if made else None
    except Exception:  # DecodeError has another base in each implementation of protobuf
        return None


class Relay(grpc.GenericRpcHandler):
    """A relay that runs in threads of its own. `touched` counts the calls that the variant changed; `faults` has its exceptions."""

    def __init__(self, variant, server):
        self.variant, self.touched, self.faults = variant, 0, []
        self.channel = grpc.insecure_channel(server, [("grpc.max_receive_message_length", -1), ("grpc.max_send_message_length", -1)])
        self.server = grpc.server(concurrent.futures.ThreadPoolExecutor(32), handlers=[self],
                                  options=[("grpc.max_receive_message_length", -1), ("grpc.max_send_message_length", -1)])
        self.address = "127.0.0.1:%d" % self.server.add_insecure_port("127.0.0.1:0")

    def service(self, details):
        method = details.method
        return grpc.unary_unary_rpc_method_handler(lambda raw, context: self.pass_on(method, raw, context))

    def pass_on(self, method, raw, context):
        call = Call(method[len(SERVICE):] if method.startswith(SERVICE) else "", raw)
        before = call.request.SerializeToString(deterministic=True) if call.request else b""
        try:
            self.variant.request(call)
        except Refused as refused:
            self.touched += 1
            context.abort(refused.code, refused.details)
        except Exception:
            self.faults.append(traceback.format_exc())
        changed = call.request is not None and call.request.SerializeToString(deterministic=True) != before
        sent = call.request.SerializeToString() if changed else raw
        metadata = [(key, value) for key, value in context.invocation_metadata() if not key.startswith(("user-agent", "grpc-"))]
        left = context.time_remaining()
        try:
            call.raw_answer = self.channel.unary_unary(method)(sent, metadata=metadata, timeout=left if left and left < 3600 else None)
            call.answer = read(call.method + "Response", call.raw_answer)
        except grpc.RpcError as error:
            call.error = (error.code(), error.details())
        said = (call.raw_answer, call.error)
        before = call.answer.SerializeToString(deterministic=True) if call.answer is not None else b""
        try:
            self.variant.answer(call)
        except Exception:
            self.faults.append(traceback.format_exc())
        if call.answer is not None and call.answer.SerializeToString(deterministic=True) != before:
            call.raw_answer = call.answer.SerializeToString()
        self.touched += changed or said != (call.raw_answer, call.error)
        if call.error:
            context.abort(*call.error)
        return call.raw_answer

    def __enter__(self):
        self.server.start()
        return self

    def __exit__(self, *_):
        self.server.stop(None).wait()
        self.channel.close()
