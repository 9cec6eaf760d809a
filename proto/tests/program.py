"""Shared by scripts: a program that serves until it is told to end."""
import atexit
import socket
import subprocess
import threading

PATIENCE = 60  # seconds; reached only if a program hangs


class Program:
    """A program that prints `listening NAME=ADDRESS...` and then serves. It is started when it has printed a line that begins with `ready`.

    `listening` has its addresses as text, `addresses` has them for sockets. If it ends or hangs before, RuntimeError has its exit code and
    what it said. `how` is for subprocess.Popen."""

    def __init__(self, *command, ready="listening ", **how):
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, **how)
        self.listening = {}
        atexit.register(self.process.kill)
        guard = threading.Timer(PATIENCE, self.process.kill)
        guard.start()
        started = self.follow(ready)
        guard.cancel()
        if not started:
            said = self.process.communicate()[1]
            raise RuntimeError(f"{command} did not start", self.process.returncode, said)
        self.addresses = {name: (host.strip("[]"), int(port)) for name, (host, _, port) in
                          ((name, address.rpartition(":")) for name, address in self.listening.items())}

    def follow(self, start):
        """Reads what the program prints, to a line that begins so. Returns whether there was one."""
        for line in self.process.stdout:
            if line.startswith("listening "):
                self.listening = dict(word.split("=", 1) for word in line.split()[1:])
            if line.startswith(start):
                return True
        return False

    def connect(self, name):
        return socket.create_connection(self.addresses[name], timeout=PATIENCE)

    def stop(self):
        """Tells the program to end, and returns its exit code: None if it had to be killed."""
        self.process.terminate()
        try:
            return self.process.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
            return None

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.stop()
