"""A gRPC relay in front of a server, whose streams of inferences never end: each call of a stream gets one message for ever."""
import time
from concurrent import futures

import grpc

import hostile_models as hostile
from hostile_models import field

STREAMS = {"/ModelStreamInfer": field(2, hostile.v2_inference(1)), "/StreamInfer": hostile.v1_inference(1)}


class EndlessStreams(grpc.GenericRpcHandler):
    def __init__(self, server):
        self.channel = grpc.insecure_channel(server)
        self.server = grpc.server(futures.ThreadPoolExecutor(32), handlers=[self])
        self.address = "127.0.0.1:%d" % self.server.add_insecure_port("127.0.0.1:0")
        self.begun = 0  # streams

    def __enter__(self):
        self.server.start()
        return self

    def __exit__(self, *_):
        self.server.stop(0)
        self.channel.close()

    def service(self, details):
        stem = details.method[details.method.rfind("/"):]
        if stem in STREAMS:
            return grpc.stream_stream_rpc_method_handler(lambda requests, context: self.speak(STREAMS[stem], context))
        return grpc.unary_unary_rpc_method_handler(lambda data, context: self.relay(details.method, data, context))

    def speak(self, message, context):
        self.begun += 1
        while context.is_active():
            yield message
            time.sleep(0.02)

    def relay(self, method, data, context):
        try:
            return self.channel.unary_unary(method)(data, timeout=20)
        except grpc.RpcError as error:
            context.abort(error.code(), error.details())
