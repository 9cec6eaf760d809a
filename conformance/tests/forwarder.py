"""Shared by scripts that speak over bare connections, and what may stand between the judge and a server: a program that hands on the bytes as
they come, or with a change."""
import socket
import ssl
import subprocess
import threading


class Listener:
    """Calls `serve(connection)` in a thread of its own for each connection that is made to its address."""

    def __init__(self, serve, host="127.0.0.1"):
        self.socket = socket.create_server((host, 0), family=socket.AF_INET6 if ":" in host else socket.AF_INET, backlog=128)
        self.address = ("[%s]:%d" if ":" in host else "%s:%d") % (host, self.socket.getsockname()[1])
        threading.Thread(target=self.accept, args=(serve,), daemon=True).start()

    def accept(self, serve):
        try:
            while True:
                threading.Thread(target=serve, args=(self.socket.accept()[0],), daemon=True).start()
        except OSError:  # it was closed
            pass


class Forwarder(Listener):
    """Connects each of its connections with the address.

    `change(bytes)` returns what the server gets instead of what the judge sent. `tls` is the ssl.SSLContext with which the judge is met."""

    def __init__(self, there, host="127.0.0.1", change=bytes, tls=None):
        self.there, self.change, self.tls = there, change, tls
        super().__init__(self.connect, host)

    def connect(self, client):
        try:
            client = self.tls.wrap_socket(client, server_side=True) if self.tls else client
            server = socket.create_connection(self.there)
        except OSError:  # ssl.SSLError is one: the judge did not trust us
            client.close()
            return
        for one in (client, server):
            one.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        threading.Thread(target=self.hand_on, args=(client, server, socket.SHUT_WR, self.change), daemon=True).start()
        self.hand_on(server, client, socket.SHUT_RDWR, self.answers())

    def answers(self):
        """Returns what makes of each piece that the server of a connection says what the judge gets."""
        return bytes

    def hand_on(self, source, sink, end, change):
        """Hands on what comes. When no more does, tells the other side so."""
        try:
            while piece := source.recv(1 << 16):
                sink.sendall(change(piece))
            sink.shutdown(end)
        except OSError:
            sink.close()


def address_of(text):
    """Returns ("127.0.0.1", 8000) for "http://127.0.0.1:8000" or "127.0.0.1:8000"."""
    host, _, port = text.rpartition("://")[2].rpartition(":")
    return host.strip("[]"), int(port)


def make_certificate(path, name="IP:127.0.0.1"):
    """Writes a key and a certificate that signs itself, for that name, into one file."""
    subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2", "-keyout",
                    path, "-out", path + ".pem", "-subj", "/CN=server", "-addext", f"subjectAltName={name}"], check=True, capture_output=True)
    with open(path, "a", encoding="ascii") as file, open(path + ".pem", encoding="ascii") as certificate:
        file.write(certificate.read())
    return path


def tls_context(path, protocol=None):
    """Returns the context of a server with that file of make_certificate."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(path)
    if protocol:
        context.set_alpn_protocols([protocol])
    return context
