"""Makes the calls of a table with grpcio:

    grpcio.py CALLS DESCRIPTORS      GRPC: the server

ci/interop/tours/calls.py describes the table. Messages are dynamic, from the descriptors that protoc wrote."""
import json
import os
import sys
import threading
from concurrent.futures import ThreadPoolExecutor

import grpc
from google.protobuf import descriptor_pb2, descriptor_pool, json_format, message_factory

SERVICE = "inference.GRPCInferenceService"
pool = descriptor_pool.DescriptorPool()
with open(sys.argv[2], "rb") as file:
    for described in descriptor_pb2.FileDescriptorSet.FromString(file.read()).file:
        pool.Add(described)
methods = pool.FindServiceByName(SERVICE).methods_by_name
channel = grpc.insecure_channel(os.environ["GRPC"], options=[
    ("grpc.max_receive_message_length", -1), ("grpc.max_send_message_length", -1), ("grpc.enable_http_proxy", 0)])


def ask(call, number):
    """Returns what came of one call: its code, its details, and its answer in JSON."""
    method = methods.get(call["rpc"], methods["ServerLive"])
    request = message_factory.GetMessageClass(method.input_type)()
    json_format.ParseDict(json.loads(json.dumps(call["message"]).replace("{i}", number)), request)
    rpc = channel.unary_unary(f"/{SERVICE}/{call['rpc']}", type(request).SerializeToString,
                              message_factory.GetMessageClass(method.output_type).FromString)
    metadata = [(key, value.encode("latin1") if key.endswith("-bin") else value) for key, value in call.get("metadata", [])]
    running = rpc.future(request, timeout=call.get("deadline"), metadata=metadata,
                         compression=grpc.Compression.Gzip if call.get("gzip") else None)
    if call.get("cancel"):
        threading.Timer(call["cancel"], running.cancel).start()
    try:
        answer = running.result()
    except (grpc.RpcError, grpc.FutureCancelledError):
        return running.code().name, running.details(), None
    return "OK", "", json_format.MessageToDict(answer, preserving_proto_field_name=True)


def difference(call, number):
    """Returns what differs from what the table wants; None if nothing does."""
    code, details, answer = ask(call, number)
    if code != call["code"]:
        return f"wanted {call['code']}, got {code}: {details[:300]}"
    for word in call.get("details", []):
        if word not in details:
            return f"the error does not say {word!r}: {details[:300]!r}"
    wanted = json.loads(json.dumps(call.get("answer")).replace("{i}", number))
    if wanted is not None and wanted != answer:
        return f"wanted {str(wanted)[:300]}\n       got    {str(answer)[:300]}"
    return None


def main():
    failed = 0
    with open(sys.argv[1], encoding="utf-8") as file:
        calls = json.load(file)
    for call in calls:
        numbers = [str(i) for i in range(call.get("times", 1))]
        with ThreadPoolExecutor(len(numbers)) as threads:
            problem = next((one for one in threads.map(lambda number: difference(call, number), numbers) if one), None)
        print(f"FAILED grpcio: {call['says']}\n       {problem}" if problem else f"ok     grpcio: {call['says']}", flush=True)
        failed += problem is not None
    print(f"grpcio: {len(calls) - failed} passed, {failed} failed")
    sys.exit(1 if failed else 0)


main()
