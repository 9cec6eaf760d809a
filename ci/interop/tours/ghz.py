"""A tour with ghz, which asks many times at once      GRPC: the server; the program is found in PATH"""
import base64
import json
import os
import re
import struct
import subprocess

from tour import GRPC, Tour

SCHEMA = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "..", "proto", "schema")
A, B = list(range(16)), [3] * 16
RAW = [base64.b64encode(struct.pack("<16i", *values)).decode() for values in (A, B)]
tour = Tour("ghz")


def tensor(name, **members):
    return {"name": name, "datatype": "INT32", "shape": [1, 16], **members}


def simple(**members):
    return {"model_name": "simple", "inputs": [tensor("INPUT0"), tensor("INPUT1")], "raw_input_contents": RAW, **members}


def ghz(method, request, *flags):
    """Returns how often each status came, and how many answers came in all."""
    command = ["ghz", "--insecure", "--import-paths", SCHEMA, "--proto", os.path.join(SCHEMA, "inference.proto"), "--call",
               f"inference.GRPCInferenceService.{method}", "--data", json.dumps(request), "--format", "json", *flags, GRPC]
    run = subprocess.run(command, capture_output=True, text=True, timeout=120)
    if run.returncode:
        raise ValueError(re.sub(r"\s+", " ", run.stderr))
    report = json.loads(run.stdout)
    return report["statusCodeDistribution"], report["count"]


load = ("--total", "2000", "--concurrency", "32")
tour.check("2000 raw requests, 32 at a time", lambda: ghz("ModelInfer", simple(), *load), ({"OK": 2000}, 2000))
tour.check("on 8 connections", lambda: ghz("ModelInfer", simple(), *load, "--connections", "8"), ({"OK": 2000}, 2000))
tour.check("with gzip", lambda: ghz("ModelInfer", simple(), *load, "--enable-compression"), ({"OK": 2000}, 2000))
tour.check("2000 typed requests", lambda: ghz("ModelInfer", {"model_name": "simple", "inputs": [
    tensor("INPUT0", contents={"int_contents": A}), tensor("INPUT1", contents={"int_contents": B})]}, *load),
    ({"OK": 2000}, 2000))
tour.check("2000 health requests", lambda: ghz("ServerLive", {}, *load), ({"OK": 2000}, 2000))
tour.check("2000 refusals", lambda: ghz("ModelInfer", simple(model_name="no_such_model"), *load), ({"NotFound": 2000}, 2000))
tour.check("2000 requests that lack an input", lambda: ghz("ModelInfer", {
    "model_name": "simple", "inputs": [tensor("INPUT0")], "raw_input_contents": RAW[:1]}, *load), ({"InvalidArgument": 2000}, 2000))
tour.end()
