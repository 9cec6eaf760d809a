"""Shared by the script tests of the server: starts a server and looks at its process, and has modules made of the published schemas."""
import atexit
import contextlib
import importlib
import os
import resource
import socket
import subprocess
import sys
import tempfile

import grpc

PATIENCE = 60  # seconds; reached only if the server is wrong
CHANNEL = [("grpc.enable_http_proxy", 0), ("grpc.enable_retries", 0), ("grpc.use_local_subchannel_pool", 1), ("grpc.max_receive_message_length", -1)]


class Server:
    """A reference server that has loaded the folders `models` of the build, on free ports.

    It has those of the endpoints http, grpc and graphpipe that are named, and may open `files` files: (at first, at most). `http` and so on
    are their addresses as text, `addresses` has them for sockets. If it does not start, RuntimeError has its exit code and what it said."""

    def __init__(self, build, *flags, models=("kit",), endpoints=("http", "grpc"), host="127.0.0.1", files=None, stderr=None):
        words = [f"{build}/oip-reference-server"]
        for folder in models:
            words += ["--models", f"{build}/models/{folder}"]
        for name in ("http", "grpc", "graphpipe"):
            words += [f"--{name}", f"{host}:0"] if name in endpoints else [f"--{name}", "none"] if name != "graphpipe" else []
        self.process = subprocess.Popen([*words, *flags], stdout=subprocess.PIPE, stderr=stderr, text=True,
                                        preexec_fn=files and (lambda: resource.setrlimit(resource.RLIMIT_NOFILE, files)))
        atexit.register(self.process.kill)
        told = {}
        for line in self.process.stdout:
            if line.startswith("listening "):
                told = dict(word.split("=", 1) for word in line.split()[1:])
            if line.startswith("loaded "):
                break
        else:
            said = self.process.communicate()[1]
            raise RuntimeError(f"{words} did not start", self.process.returncode, said)
        self.http, self.grpc, self.graphpipe = (told.get(name) for name in ("http", "grpc", "graphpipe"))
        self.addresses = {name: (host.strip("[]"), int(port)) for name, (host, _, port) in
                          ((name, address.rpartition(":")) for name, address in told.items())}

    def connect(self, name):
        return socket.create_connection(self.addresses[name], timeout=PATIENCE)

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
        self.process.terminate()
        code = self.process.wait(PATIENCE)
        assert code == 0, f"the server ended with {code}"

    def __enter__(self):
        return self

    def __exit__(self, error, *_):
        try:
            if not error:
                self.end()
        finally:
            self.process.kill()
            self.process.wait()


@contextlib.contextmanager
def folder_of_modules():
    with tempfile.TemporaryDirectory() as folder:
        sys.path.insert(0, folder)
        yield folder
        sys.path.remove(folder)


def schema(name):
    """Returns the module that protoc makes of a published schema."""
    with folder_of_modules() as folder:
        subprocess.run(["protoc", "-Iproto/schema", f"--python_out={folder}", f"{name}.proto", "model_config.proto"], check=True)
        return importlib.import_module(f"{name}_pb2")


def graphpipe_schema():
    """Returns the modules that flatc makes for the messages of GraphPipe, by their names."""
    with folder_of_modules() as folder:
        subprocess.run(["flatc", "--python", "-o", folder, "proto/schema/graphpipe.fbs"], check=True)
        names = [name[:-3] for name in os.listdir(f"{folder}/graphpipe") if name != "__init__.py"]
        return {name: importlib.import_module(f"graphpipe.{name}") for name in names}
