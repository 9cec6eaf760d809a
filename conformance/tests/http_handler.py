"""Shared by scripts that serve HTTP with Python's own server."""
import http.server
import json
import threading


class Handler(http.server.BaseHTTPRequestHandler):
    """Knows the form of requests and answers, and logs nothing."""

    protocol_version, wbufsize = "HTTP/1.1", -1  # head and body go in one write

    def log_message(self, *_):
        pass

    def body(self):
        """Reads the body of the request."""
        return self.rfile.read(int(self.headers.get("Content-Length") or 0))

    def answer(self, status, headers, body):
        self.send_response(status)
        for name, value in [*headers, ("Content-Length", str(len(body)))]:
            self.send_header(name, value)
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    def say(self, status, answer=None, headers=()):
        """Answers with JSON, or without a body."""
        if answer is None:
            return self.answer(status, headers, b"")
        return self.answer(status, [*headers, ("Content-Type", "application/json")], json.dumps(answer).encode())


def serve(handler):
    """Serves until `shutdown` is called or the program ends. Returns the server; its `http` is the address."""
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
    server.http = f"http://127.0.0.1:{server.server_port}"
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return server
