"""V2 over REST as a stranger writes it with http.server: models with one input and one output of FP32, both of shape [-1, 4].

    with Stranger(models=3, threads=True, pause=0.0, opens_after=0.0, ready_after=0.0) as server: ..."""
import http.server
import json
import threading
import time

import http_handler


class Stranger:
    """`threads`: each connection has a thread; without, a second connection waits until the first is closed. `pause`: seconds of an
    answer. `opens_after`: seconds until somebody listens at the port. `ready_after`: seconds until answers are not 503. `counts`: data that does not
    fill its shape is refused. `handler`: the class that answers, if it is another."""

    def __init__(self, models=1, threads=True, pause=0.0, opens_after=0.0, ready_after=0.0, counts=True, handler=None):
        self.names, self.pause, self.ready_after, self.counts = [f"model-{i}" for i in range(models)], pause, ready_after, counts
        self.asked, self.now, self.most = 0, 0, 0  # requests so far, at this moment, and at any moment
        self.mutex = threading.Lock()
        kind = http.server.ThreadingHTTPServer if threads else http.server.HTTPServer
        self.server = kind(("127.0.0.1", 0), type("Bound", (handler or Handler,), {"stranger": self}), bind_and_activate=False)
        self.server.daemon_threads = True
        self.server.request_queue_size = 128
        self.server.server_bind()
        self.http = "http://127.0.0.1:%d" % self.server.server_address[1]
        self.thread = threading.Thread(target=self.serve, args=(opens_after,), daemon=True)

    def serve(self, after):
        time.sleep(after)
        self.server.server_activate()
        self.since = time.monotonic()
        self.server.serve_forever()

    def __enter__(self):
        self.thread.start()
        return self

    def __exit__(self, *_):
        threading.Thread(target=self.server.shutdown, daemon=True).start()  # without threads a connection may hold the server


class Handler(http_handler.Handler):
    def take(self, respond):
        stranger = self.stranger
        with stranger.mutex:
            stranger.asked += 1
            stranger.now += 1
            stranger.most = max(stranger.most, stranger.now)
        time.sleep(stranger.pause)
        with stranger.mutex:
            stranger.now -= 1
        if time.monotonic() - stranger.since < stranger.ready_after:
            self.say(503, {"error": "not yet"})
        else:
            respond(self.path.partition("?")[0].split("/")[1:])

    def do_GET(self):
        self.take(self.describe)

    def do_POST(self):
        body = self.body()
        self.take(lambda path: self.infer(path, body))

    def describe(self, path):
        tensors = [[{"name": name, "datatype": "FP32", "shape": [-1, 4]}] for name in "xy"]
        if path in (["v2", "health", "live"], ["v2", "health", "ready"]) or (path[-1] == "ready" and path[2] in self.stranger.names):
            self.say(200)
        elif path == ["v2"]:
            self.say(200, {"name": "stranger", "version": "1", "extensions": []})
        elif path == ["v2", "models"]:
            self.say(200, {"models": self.stranger.names})
        elif path[:2] == ["v2", "models"] and len(path) == 3 and path[2] in self.stranger.names:
            self.say(200, {"name": path[2], "versions": ["1"], "platform": "py", "inputs": tensors[0], "outputs": tensors[1]})
        else:
            self.say(404, {"error": "there is nothing"})

    def infer(self, path, body):
        if path[:2] != ["v2", "models"] or path[2] not in self.stranger.names or path[3:] != ["infer"]:
            self.say(404, {"error": "there is nothing"})
            return
        try:
            request = json.loads(body)
            (tensor,) = request["inputs"]
            data = flat(tensor["data"])
            is_filled = tensor["shape"][0] * 4 == len(data) or not self.stranger.counts
            if (tensor["name"], tensor["datatype"], tensor["shape"][1:]) != ("x", "FP32", [4]) or not is_filled:
                raise ValueError("that is no x")
        except (ValueError, KeyError, TypeError, IndexError) as error:
            self.say(400, {"error": repr(error)})
            return
        named = {"id": request["id"]} if "id" in request else {}
        self.say(200, {"model_name": path[2], "model_version": "1", **named, "outputs": [{**tensor, "name": "y", "data": data}]})


def flat(data):
    return [number for one in data for number in (flat(one) if isinstance(one, list) else [float(one)])]
