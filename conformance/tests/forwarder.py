"""What may stand between the judge and a server: a program that hands on the bytes as they come, or with a change."""
import socket
import ssl
import subprocess
import threading


class Forwarder:
    """Listens on a host of this machine, and connects each of its connections with the address.

    `change(bytes)` returns what the server gets instead of what the judge sent. `tls` is the ssl.SSLContext with which the judge is met."""

    def __init__(self, there, host="127.0.0.1", change=bytes, tls=None):
        self.there, self.change, self.tls, self.lines = there, change, tls, set()
        self.listener = socket.create_server((host, 0), family=socket.AF_INET6 if ":" in host else socket.AF_INET, backlog=128)
        self.address = ("[%s]:%d" if ":" in host else "%s:%d") % (host, self.listener.getsockname()[1])
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        while True:
            threading.Thread(target=self.connect, args=(self.listener.accept()[0],), daemon=True).start()

    def connect(self, client):
        try:
            client = self.tls.wrap_socket(client, server_side=True) if self.tls else client
            server = socket.create_connection(self.there)
        except OSError:  # ssl.SSLError is one: the judge did not trust us
            client.close()
            return
        threading.Thread(target=self.hand_on, args=(client, server, socket.SHUT_WR, True), daemon=True).start()
        self.hand_on(server, client, socket.SHUT_RDWR, False)

    def hand_on(self, source, sink, end, is_request):
        """Hands on what comes. When no more does, tells the other side so."""
        try:
            while piece := source.recv(1 << 16):
                if is_request:
                    self.lines |= {line.decode("latin-1") for line in piece.split(b"\r\n") if len(line) < 200}
                    piece = self.change(piece)
                sink.sendall(piece)
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
