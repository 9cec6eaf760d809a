#!/usr/bin/python3
"""SIGINT and SIGTERM end the judge at once, whatever the target does, and what is known by then is reported. Argument: BUILD.

Each target here would keep the judge busy for the whole of a long timeout, or for ever. A judge that ends long before the timeout
does not wait for it; how many seconds it takes is a matter of the machine's load as well, and nothing is demanded about it."""
import contextlib
import os
import signal
import socket
import subprocess
import tempfile
import time
import xml.etree.ElementTree as ElementTree
from concurrent import futures

from judge_process import build, checks, misfit_of, null_server, read_json, reference_server
from grpc_relay import Variant, Relay

LONG = 300  # seconds of a timeout that must not be waited for
PATIENCE = LONG / 5


@contextlib.contextmanager
def no_room():
    """An address at which a connection is never made: the queue of the listener is full."""
    with socket.socket() as listener, contextlib.ExitStack() as waiting:
        listener.bind(("127.0.0.1", 0))
        listener.listen(0)
        for _ in range(4):
            client = waiting.enter_context(socket.socket())
            client.setblocking(False)
            client.connect_ex(listener.getsockname())
        yield listener.getsockname()[1]


def await_handler(judge, number):
    """Waits until the judge catches the signal. One that comes before would end it by default, or be lost if the shell ignores it."""
    until = time.monotonic() + PATIENCE
    while judge.poll() is None and time.monotonic() < until:
        with open(f"/proc/{judge.pid}/status", encoding="utf-8") as status:
            caught = next(int(line.split()[1], 16) for line in status if line.startswith("SigCgt"))
        if caught >> (number - 1) & 1:
            return
        time.sleep(0.02)


def await_end(judge):
    """Waits until the judge ends, and ends it otherwise. Returns whether it ended by itself."""
    try:
        judge.wait(PATIENCE)
        return True
    except subprocess.TimeoutExpired:
        judge.kill()
        judge.wait()
        return False


def interrupt(name, flags, after, number=signal.SIGINT, command="run", unread=False, once=""):
    """Starts the judge, sends the signal after some seconds, or after the text `once` was printed, and looks how it ends."""
    with tempfile.TemporaryDirectory() as folder:
        junit, report = f"{folder}/junit.xml", f"{folder}/report.json"
        files = ["--junit", junit, "--json", report, "--evidence", f"{folder}/evidence"] if command == "run" else []
        with open(f"{folder}/output", "wb") as output:
            judge = subprocess.Popen([f"{build}/oip-conformance", command, *flags, "--timeout", str(LONG), *files],
                                     stdout=subprocess.PIPE if unread else output, stderr=output)
            time.sleep(after)
            until = time.monotonic() + PATIENCE
            while once and time.monotonic() < until and once not in open(f"{folder}/output", encoding="utf-8", errors="replace").read():
                time.sleep(0.05)
            await_handler(judge, number)
            checks.that(judge.poll() is None, f"{name}: the judge had ended before, with {judge.returncode}")
            judge.send_signal(number)
            ended = await_end(judge)
            if unread:
                judge.stdout.close()
        checks.that(judge.returncode == 130, f"{name}: exit code {judge.returncode}")
        checks.that(ended, f"{name}: the judge did not end after the signal")
        if command != "run":
            return
        checks.that(os.path.exists(junit) and os.path.exists(report), f"{name}: there are no reports")
        if not (os.path.exists(junit) and os.path.exists(report)):
            return
        root = ElementTree.parse(junit).getroot()
        told = read_json(report)
        checks.that(not misfit_of(told), f"{name}: the report does not fit its schema: {misfit_of(told)}")
        checks.that(told["exit_code"] == 130, f"{name}: the report says {told['exit_code']}")
        results = [result for result in told.get("results", []) if "replay" not in result]
        left_out = told["counts"].get("disabled", 0) if "counts" in told else 0
        checks.that(len(results) + left_out == told.get("planned", 0), f"{name}: {told.get('planned')} planned, {len(results)} reported")
        checks.that(all(result.get("why") for result in results if result["verdict"] == "blocked"), f"{name}: it is not said why something is blocked")
        checks.that(next(root.iter("testcase"), None) is not None, f"{name}: JUnit has no testcase")


def printed_to_nobody(address):
    """A report goes to standard output, which nobody reads: a signal before the end and one during it end the judge."""
    for printing, cases in ((False, "v2*"), (True, "v2-rest/health/*")):
        with tempfile.TemporaryDirectory() as folder:
            judge = subprocess.Popen([f"{build}/oip-conformance", "run", *address, "--filter", cases, "--junit", f"{folder}/junit.xml", "--json", "-",
                                      "--evidence", f"{folder}/evidence"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
            patience = time.monotonic() + PATIENCE
            while printing and not os.path.exists(f"{folder}/junit.xml") and time.monotonic() < patience:
                time.sleep(0.1)  # files are written before anything is printed
            time.sleep(1 if printing else 0.5)
            await_handler(judge, signal.SIGINT)
            checks.that(judge.poll() is None, f"a printed report, {cases}: the judge had ended before, with {judge.returncode}")
            judge.send_signal(signal.SIGINT)
            ended = await_end(judge)
            checks.that(judge.returncode == 130, f"a printed report, {cases}: exit code {judge.returncode}")
            checks.that(ended, f"a printed report, {cases}: the judge did not end after the signal")
            checks.that(os.path.exists(f"{folder}/junit.xml"), f"a printed report, {cases}: the other report is not there")
            judge.stdout.close()


def never_ends(call, answers):
    """Gives the first answer of a stream of inferences again and again."""
    if call.rpc not in ("ModelStreamInfer", "StreamInfer"):
        yield from answers
        return
    for answer in answers:
        answer.moved = True
        while True:
            yield answer
            time.sleep(0.02)


def on_null(name, http, grpc, *flags, after=1, **more):
    with null_server(http, grpc) as server:
        address = ["--target", server.http] if grpc == "dead" else ["--grpc", server.grpc]
        interrupt(name, [*address, *flags], after, **more)


def without_connection():
    with no_room() as port:
        interrupt("no connection over HTTP", ["--target", f"http://127.0.0.1:{port}"], 1)
        interrupt("no connection over gRPC", ["--grpc", f"127.0.0.1:{port}"], 1, signal.SIGTERM)
        interrupt("no connection, mutation", ["--target", f"http://127.0.0.1:{port}"], 1, command="mutation")


LIVE = ("--filter", "v2-rest/health/live*")
with futures.ThreadPoolExecutor(4) as pool:
    waited = [pool.submit(without_connection)]
    for kind in ("hang", "trickle", "trickle-headers"):
        waited.append(pool.submit(on_null, f"discovery over HTTP, {kind}", kind, "dead"))
    for kind in ("hang", "silent", "trickle", "endless-frames"):
        waited.append(pool.submit(on_null, f"discovery over gRPC, {kind}", "dead", kind))
    waited.append(pool.submit(on_null, "waiting for a server that is not ready", "503", "dead", "--wait", str(LONG)))
    waited.append(pool.submit(on_null, "a run of which no answer comes", "mute-health", "dead", *LIVE, after=0, once="judging"))
    waited.append(pool.submit(on_null, "the same by SIGTERM", "mute-health", "dead", *LIVE, "--jobs", "1", after=0,
                              number=signal.SIGTERM, once="judging"))
    waited.append(pool.submit(on_null, "events without end", "endless-events", "dead", "--filter", "generate-rest/*", after=0,
                              once="judging"))
    for each in waited:
        each.result()
with null_server("endless-graphpipe", "dead") as pipe:
    interrupt("an answer over GraphPipe without end", ["--graphpipe", pipe.http], 1)
on_null("eight thousand outputs", "many-outputs", "dead", after=2)
with reference_server("--models", f"{build}/models/kit", "--models", f"{build}/models/builtin", "--deviate-by-header") as server:
    both = ["--target", server.http, "--grpc", server.grpc]
    interrupt("a run", both, 0, once="judging")
    for cases in ("streaming-grpc/stream/*", "trtis-v1-grpc/stream/*"):
        with Relay(Variant("endless", "its streams never end", says=never_ends), server.grpc) as endless:
            interrupt(f"a stream without end, {cases}", ["--grpc", endless.address, "--filter", cases], 2, once="judging")
        checks.that(endless.touched, f"{cases}: no stream was begun")
    printed_to_nobody(both)
    interrupt("output that nobody reads", [*both, "--verbose"], 2, unread=True)
    interrupt("mutation", both, 3, command="mutation")
checks.end()
