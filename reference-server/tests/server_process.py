"""Shared by the script tests of the server: starts a server and looks at its process. Behind it, modules of proto/tests/ can be imported."""
import argparse
import os
import resource
import subprocess
import sys
import threading
import time

import grpc

sys.path.insert(0, "proto/tests")
from program import PATIENCE, Program

CHANNEL = [("grpc.enable_http_proxy", 0), ("grpc.enable_retries", 0), ("grpc.use_local_subchannel_pool", 1), ("grpc.max_receive_message_length", -1)]


class Server(Program):
    """A reference server that has loaded the folders `models` of the build, on free ports.

    It has those of the endpoints http, grpc and graphpipe that are named, and may open `files` files: (at first, at most). `http` and so on
    are their addresses as text."""

    def __init__(self, build, *flags, models=("kit",), endpoints=("http", "grpc"), host="127.0.0.1", files=None, stderr=None, env=None):
        words = [f"{build}/oip-reference-server"]
        for folder in models:
            words += ["--models", f"{build}/models/{folder}"]
        for name in ("http", "grpc", "graphpipe"):
            words += [f"--{name}", f"{host}:0"] if name in endpoints else [f"--{name}", "none"] if name != "graphpipe" else []
        super().__init__(*words, *flags, ready="loaded ", stderr=stderr, env=env,
                         preexec_fn=files and (lambda: resource.setrlimit(resource.RLIMIT_NOFILE, files)))
        self.http, self.grpc, self.graphpipe = (self.listening.get(name) for name in ("http", "grpc", "graphpipe"))

    def open(self, name="http"):
        return Connection(self.connect(name))

    def channel(self):
        """Returns a channel of gRPC with a connection of its own."""
        return grpc.insecure_channel(self.grpc, options=CHANNEL)

    def memory(self, row):
        """Returns a row of the memory that Linux tells of the process, in KiB."""
        with open(f"/proc/{self.process.pid}/status", encoding="ascii") as file:
            return int(next(line for line in file if line.startswith(row + ":")).split()[1])

    def resident(self):
        """Returns the memory of the process in MiB."""
        return self.memory("VmRSS") // 1024

    def files(self):
        """Returns how many files are open."""
        return len(os.listdir(f"/proc/{self.process.pid}/fd"))

    def worked(self):
        """Returns the seconds for which processors have worked for the process."""
        with open(f"/proc/{self.process.pid}/stat", encoding="ascii") as file:
            return sum(map(int, file.read().rpartition(")")[2].split()[11:13])) / os.sysconf("SC_CLK_TCK")

    def end(self):
        """Tells the server to end, which it must do in good order."""
        code = self.stop()
        assert code == 0, f"the server ended with {code}"

    def __exit__(self, error, *_):
        try:
            if not error:
                self.end()
        finally:
            self.process.kill()
            self.process.wait()


def refused(build, *flags, files=None):
    """Returns the exit code of a server that must not start with these flags, and what it says."""
    try:
        Server(build, *flags, endpoints=["http"], files=files, stderr=subprocess.PIPE)
    except RuntimeError as error:
        return error.args[1:]
    raise AssertionError(f"a server with {flags} starts")


def read_answer(file, has_body=True):
    """Reads one answer of HTTP from a file of its connection. Returns (status, headers by their names in lower case, body); the status is 0 if
    the connection was closed."""
    line = file.readline()
    if not line:
        return 0, {}, b""
    headers = {}
    while header := file.readline().strip():
        name, _, value = header.decode("latin-1").partition(":")
        headers[name.lower()] = value.strip()
    body = file.read(int(headers.get("content-length", 0))) if has_body else b""
    return int(line.split()[1]), headers, body


class Connection:
    """A connection of HTTP, over which bytes are sent as they are."""

    def __init__(self, connected):
        self.socket, self.file = connected, connected.makefile("rb")

    def send(self, data):
        self.socket.sendall(data)
        return self

    def answer(self, has_body=True):
        return read_answer(self.file, has_body)

    def rest(self):
        """Returns all that comes until the server closes."""
        return self.file.read()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.file.close()
        self.socket.close()


class Probe(threading.Thread):
    """A client that asks again and again while the server is attacked, and looks at its memory. `ask(server, number)` makes one request, and
    returns what is wrong with the answer; `least` is how many are made at least."""

    def __init__(self, server, ask, least=1):
        super().__init__()
        self.server, self.ask, self.least = server, ask, least
        self.answers, self.slowest, self.peak = 0, 0, 0
        self.over, self.fault = threading.Event(), None

    def run(self):
        while not self.fault and (self.answers < self.least or not self.over.wait(0.05)):
            begun = time.monotonic()
            self.fault = self.ask(self.server, self.answers)
            self.slowest = max(self.slowest, time.monotonic() - begun)
            self.peak = max(self.peak, self.server.resident())
            self.answers += 1

    def during(self, attack):
        """Asks while the server is attacked, and some more after it. Returns what the attack returns."""
        self.start()
        try:
            seen = attack(self.server)
            enough = self.answers + 2 * self.least
            while not self.fault and self.answers < enough:
                time.sleep(0.02)
        finally:
            self.over.set()
            self.join()
        return seen


def arguments_of(text):
    """Returns the arguments of a script that attacks the server, whose docstring is given: `build`, and whether to print `figures`."""
    parser = argparse.ArgumentParser(description=text.splitlines()[0])
    parser.add_argument("build")
    parser.add_argument("--figures", action="store_true")
    return parser.parse_args()


def in_crowd(count, act):
    """Has so many threads act at once, and waits for all."""
    crowd = [threading.Thread(target=act) for _ in range(count)]
    for one in crowd:
        one.start()
    for one in crowd:
        one.join()


def run(script, *arguments):
    """Calls the functions of a script whose names begin with test_, in their order. `script` is its globals()."""
    for name, test in list(script.items()):
        if name.startswith("test_"):
            begun = time.monotonic()
            test(*arguments)
            print(f"ok {name} ({time.monotonic() - begun:.1f} s)", flush=True)
