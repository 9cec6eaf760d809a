"""An HTTP relay that stands in front of a server and lets a variant change requests and answers.

A request that comes whole, with a plain head, is read, shown to the variant and sent on. Whatever else comes (chunks, Expect,
heads that are wrong, bodies that break off) is sent on byte by byte, because the server behind the relay must judge it. Answers are
always read to their end and shown to the variant, also those in chunks. What a variant does not change goes on as it came."""
import asyncio
import email.utils
import json
import re
import threading
import traceback
import urllib.parse

from forwarder import address_of

HEAD = re.compile(rb"([A-Z]+) ([!-~]+) HTTP/1\.1\r\n((?:[!-9;-~]+:[^\r\n\0]*\r\n)*)\r\n")
LOOSE_HEAD = re.compile(rb"(?:\r\n)*([A-Z]+) ([!-~]+) HTTP/(1\.[01])\r\n")
CHUNK = 1 << 16


def dumped(value):
    return json.dumps(value, ensure_ascii=False).encode("utf-8", "surrogatepass")


class Message:
    """What requests and answers have in common: headers, a list of [name, value as it is written], and a body. A function that sets something
    returns the message."""

    def header(self, name):
        for key, value in self.headers:
            if key.lower() == name.lower():
                return value.strip()
        return None

    def set_header(self, name, value):
        self.headers = [pair for pair in self.headers if pair[0].lower() != name.lower()]
        self.headers += [] if value is None else [[name, " " + value]]
        self.changed = True
        return self

    @property
    def json(self):
        """The body as JSON; None if it is none. Each look reads it anew: change it by assigning."""
        try:
            return json.loads(self.body)
        except (ValueError, RecursionError):
            return None

    @json.setter
    def json(self, value):
        self.set_body(dumped(value))

    def set_body(self, body):
        self.body = body
        self.set_header("Content-Length", str(len(body)))
        if self.header("Inference-Header-Content-Length"):  # the JSON has no bytes after it, else it would not have been read
            self.set_header("Inference-Header-Content-Length", str(len(body)))
        return self

    def edit_body(self, edit):
        made = edit(self.body)
        return self.set_body(made) if made != self.body else self

    def head_lines(self):
        return b"".join(f"{name}:{value}\r\n".encode("latin-1") for name, value in self.headers) + b"\r\n"


def headers_of(block):
    return [line.split(":", 1) for line in block.decode("latin-1").split("\r\n") if line]


class Request(Message):
    def __init__(self, raw, method="", target="", headers=(), body=b"", version="1.1"):
        self.raw, self.method, self.target, self.version = raw, method, target, version
        self.headers, self.body, self.changed = list(headers), body, False
        self.connection, self.number = None, 0  # number: on its connection, from 1

    @property
    def path(self):
        return self.target.split("?")[0]

    def set_target(self, target):
        self.target, self.changed = target, True

    def model(self):
        """(name, version or None, what follows them) of the URL of a model; None for any other."""
        match = re.fullmatch(r"/v2/models/([^/]+)(?:/versions/([^/]+))?(/ready|/infer)?", self.path)
        if not match:
            return None
        name, version, end = match.groups()
        return urllib.parse.unquote(name), None if version is None else urllib.parse.unquote(version), end or ""

    def is_inference(self):
        return self.method == "POST" and self.path.endswith("/infer")

    def name_model(self, name=None, version=None):
        """Asks for another model in the same way, or for another version."""
        target = self.target
        if name is not None:
            target = re.sub("^(/v2/models/)[^/?]+", lambda match: match[1] + urllib.parse.quote(name, safe=""), target)
        if version is not None:
            target = re.sub("^(/v2/models/[^/?]+)(/versions/[^/?]+)?", lambda match: f"{match[1]}/versions/{urllib.parse.quote(version, safe='')}", target)
        self.set_target(target)

    def encode(self):
        if not self.changed:
            return self.raw
        return f"{self.method} {self.target} HTTP/1.1\r\n".encode("latin-1") + self.head_lines() + self.body


class Answer(Message):
    def __init__(self, status, reason="", headers=(), body=b"", raw=None, version="1.1"):
        self.status, self.reason, self.version = status, reason, version
        self.headers, self.body, self.raw, self.changed, self.ends = list(headers), body, raw, raw is None, False
        self.before = b""  # interim answers
        self.piece = 0  # bytes that are sent at a time; 0: all
        self.late = b""  # what is said before the connection ends, if no other request comes for a moment

    def set_status(self, status, reason="Changed"):
        self.status, self.reason, self.changed = status, reason, True
        return self

    def close(self):
        """The connection ends after this answer."""
        self.set_header("Connection", "close")
        self.ends = True

    def until_the_end(self):
        """The end of the connection ends the body."""
        self.set_header("Content-Length", None)
        self.close()

    def in_chunks(self, size, extension="", trailers="", digits=b"%x"):
        """Sends the body in the chunked coding."""
        pieces = [self.body[i:i + size] for i in range(0, len(self.body), size)]
        self.set_header("Content-Length", None)
        self.set_header("Transfer-Encoding", "chunked")
        end = f"{extension}\r\n".encode()
        self.body = b"".join(digits % len(piece) + end + piece + b"\r\n" for piece in pieces) + digits % 0 + end + trailers.encode() + b"\r\n"

    def encode(self):
        if not self.changed:
            return self.raw
        return f"HTTP/{self.version} {self.status} {self.reason}\r\n".encode("latin-1") + self.head_lines() + self.body


def refusal(status, text, as_json=True):
    """An answer that the relay makes itself."""
    answer = Answer(status, "Refused").set_header("Content-Type", "application/json" if as_json else "text/html")
    answer.set_header("Date", email.utils.formatdate(usegmt=True))
    return answer.set_body(dumped({"error": text}) if as_json else f"<html><h1>{text}</h1></html>".encode())


def success(body):
    return refusal(200, "").set_body(dumped(body))


class Variant:
    """`request(request)` may change a request, or return the answer to it; `answer(request, answer)` may change an answer;
    `refuses(request)` returns the answer to a request that the relay does not read, if its path is refused; `unread(bytes)`
    changes the bytes of those that are not. `prefix` is the path of the server's address. `breaks`: the requirements of level
    should that the server breaks knowingly. `judged`: how many assertions are judged at least. `flags` are for the judge."""

    def __init__(self, name, why, request=None, answer=None, refuses=None, unread=None, breaks=(), judged=3200, flags=(), prefix=""):
        self.name, self.why, self.breaks, self.judged, self.flags, self.prefix = name, why, set(breaks), judged, list(flags), prefix
        self.request = request or (lambda request: None)
        self.answer = answer or (lambda request, answer: None)
        self.path_refused = refuses or (lambda request: None)
        self.unread = unread or (lambda data: data)


class Connection:
    """One connection of a client, and the one to the server that belongs to it."""

    def __init__(self, relay, reader, writer):
        self.relay, self.reader, self.writer = relay, reader, writer
        self.taken = 0
        self.expected = asyncio.Queue()  # (request, an answer that the relay gives itself or None), in order
        self.opaque = None  # from here on requests are not read any more: the request that this began with

    async def run(self):
        host, port = self.relay.server
        self.from_server, self.to_server = await asyncio.open_connection(host, port, limit=1 << 30)
        tasks = [asyncio.create_task(self.requests()), asyncio.create_task(self.answers())]
        try:
            await asyncio.wait(tasks, return_when=asyncio.FIRST_EXCEPTION)
            await asyncio.gather(*tasks)
        except (ConnectionError, asyncio.IncompleteReadError, asyncio.LimitOverrunError):
            pass
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
            self.to_server.close()
            self.writer.close()

    # --- Requests ---

    def whole_request(self, buffer):
        """(request, its size) if one stands at the beginning of the buffer; (None, 0) if it is not whole; raises ValueError if
        it will not be read."""
        end = buffer.find(b"\r\n\r\n")
        if end < 0:
            return None, 0
        head = HEAD.fullmatch(buffer[:end + 4])
        if not head:
            raise ValueError
        method, target, block = head.groups()
        headers = headers_of(block)
        names = [name.lower() for name, _ in headers]
        lengths = [value.strip() for name, value in headers if name.lower() == "content-length"]
        if {"transfer-encoding", "expect"} & set(names) or len(lengths) > 1 \
                or names.count("host") != 1 or not all(re.fullmatch("[0-9]{1,12}", length) for length in lengths):
            raise ValueError
        size = end + 4 + (int(lengths[0]) if lengths else 0)
        if len(buffer) < size:
            return None, 0
        raw = bytes(buffer[:size])
        request = Request(raw, method.decode(), target.decode(), headers, raw[end + 4:])
        if request.target.startswith(self.relay.address + "/"):  # to the server behind it this would be the URL of another
            request.target = request.target[len(self.relay.address):]
            request.raw = raw.replace(target, request.target.encode(), 1)
        return request, size

    async def requests(self):
        buffer = bytearray()
        while True:
            piece = await self.reader.read(CHUNK)
            buffer += piece
            try:
                request, size = self.whole_request(buffer)
                while request:
                    del buffer[:size]
                    await self.take(request)
                    request, size = self.whole_request(buffer)
            except ValueError:
                return await self.relay_the_rest(buffer)
            if not piece:
                if buffer:
                    return await self.relay_the_rest(buffer)
                self.expected.put_nowait((None, None))
                if self.to_server.can_write_eof():
                    self.to_server.write_eof()
                return None

    async def take(self, request):
        self.taken += 1
        request.number, request.connection = self.taken, self
        own = self.relay.variant.request(request)
        if own is not None or request.changed:
            self.relay.touched += 1
        self.expected.put_nowait((request, own))
        if own is None:
            self.to_server.write(request.encode())
            await self.to_server.drain()

    async def relay_the_rest(self, buffer):
        loose = LOOSE_HEAD.match(buffer)
        words = [word.decode() for word in loose.groups()] if loose else ["GET", "", "1.1"]
        request = Request(bytes(buffer), words[0], words[1], version=words[2])
        if loose and b"\r\n\r\n" in buffer:  # a head that is only unusual may be refused for its path
            own = self.relay.variant.path_refused(request)
            if own is not None:
                own.close()
                self.expected.put_nowait((request, own))
                return
        self.opaque = request
        self.expected.put_nowait((request, None))
        self.to_server.write(self.relay.variant.unread(bytes(buffer)))
        while piece := await self.reader.read(CHUNK):
            self.to_server.write(self.relay.variant.unread(piece))
            await self.to_server.drain()
        if self.to_server.can_write_eof():
            self.to_server.write_eof()

    # --- Answers ---

    async def answers(self):
        request, own = await self.expected.get()
        while request:
            answer = own or await self.read_answer(request)
            if answer is None:
                break
            self.relay.variant.answer(request, answer)
            if answer.changed or answer.before or answer.piece or answer.late:
                self.relay.touched += 1
            await self.send(answer.before + answer.encode(), answer.piece)
            if answer.late and not self.opaque:
                asyncio.create_task(self.give_up(request.number, answer.late))
            if answer.ends:
                break
            if answer.status >= 200 and request is not self.opaque:
                request, own = await self.expected.get()
        if request is None:  # the client sends no more; whatever the server still says goes on
            while piece := await self.from_server.read(CHUNK):
                self.writer.write(piece)
        self.writer.close()

    async def give_up(self, number, words):
        await asyncio.sleep(0.2)
        if self.taken == number and not self.opaque:
            self.writer.write(words)
            self.writer.close()

    async def send(self, data, piece):
        for at in range(0, len(data), piece or len(data) or 1):
            self.writer.write(data[at:at + piece] if piece else data)
            await self.writer.drain()
            await asyncio.sleep(0.0002 if piece else 0)

    async def read_answer(self, request):
        try:
            head = await self.from_server.readuntil(b"\r\n\r\n")
        except asyncio.IncompleteReadError:
            return None
        first, _, block = head.decode("latin-1").partition("\r\n")
        version, status, reason = (first.split(" ", 2) + [""])[:3]
        headers = headers_of(block.encode("latin-1"))
        answer = Answer(int(status), reason, headers, b"", head, version[5:])
        length = answer.header("Content-Length")
        if answer.header("Transfer-Encoding"):
            return await self.read_chunks(answer, head)
        if request.method != "HEAD" and answer.status >= 200 and answer.status not in (204, 304):
            answer.body = await (self.from_server.readexactly(int(length)) if length else self.from_server.read())
            answer.ends = length is None
        answer.ends |= "close" in (answer.header("Connection") or "").lower()
        answer.raw = head + answer.body
        return answer


    async def read_chunks(self, answer, head):
        """Reads an answer in chunks to its end. If the variant changes it, it goes on with its length."""
        answer.raw, size = head, 1
        while size:
            line = await self.from_server.readuntil(b"\r\n")
            size = int(line.split(b";")[0], 16)
            chunk = await self.from_server.readexactly(size + 2)
            answer.raw += line + chunk
            answer.body += chunk[:-2]
        answer.headers = [pair for pair in answer.headers if pair[0].lower() != "transfer-encoding"]
        answer.headers.append(["Content-Length", f" {len(answer.body)}"])
        return answer


class Relay:
    """A relay that runs in a thread of its own. `server` is its address; `touched` counts what the variant changed; `faults` are the
    exceptions of its functions, each as a text."""

    def __init__(self, variant, server):
        self.variant, self.server, self.touched, self.faults = variant, address_of(server), 0, []
        self.serving = set()  # asyncio itself keeps no task alive
        self.loop = asyncio.new_event_loop()
        self.thread = threading.Thread(target=self.loop.run_forever, daemon=True)

    async def serve(self, reader, writer):
        self.serving.add(asyncio.current_task())
        try:
            await Connection(self, reader, writer).run()
        except OSError:
            writer.close()
        except Exception:  # the variant is wrong: the test must say so
            self.faults.append(traceback.format_exc())
            writer.close()
        finally:
            self.serving.discard(asyncio.current_task())

    def __enter__(self):
        self.thread.start()
        opened = asyncio.run_coroutine_threadsafe(asyncio.start_server(self.serve, "127.0.0.1", 0, limit=1 << 30), self.loop).result()
        self.address = "http://127.0.0.1:%d" % opened.sockets[0].getsockname()[1]
        return self

    async def end(self):
        rest = asyncio.all_tasks() - {asyncio.current_task()}
        for task in rest:
            task.cancel()
        await asyncio.gather(*rest, return_exceptions=True)

    def __exit__(self, *_):
        asyncio.run_coroutine_threadsafe(self.end(), self.loop).result()
        self.loop.call_soon_threadsafe(self.loop.stop)
        self.thread.join()
        self.loop.close()
