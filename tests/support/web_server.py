"""A web server on this machine with a certificate of its own, for tests that fetch."""

from __future__ import annotations

import socket
import ssl
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any


class Handler(BaseHTTPRequestHandler):
    """Answers with the server's `files`, and badly at the addresses below `/bad/`."""

    server: WebServer

    def do_GET(self) -> None:
        path = self.path.partition("?")[0]
        self.server.requests.append(self.path)
        if path.startswith("/bad/"):
            getattr(self, path.removeprefix("/bad/").removesuffix(".yaml"))()
            return
        data = self.server.files.get(self.path)
        if data is None:
            self.answer(404, b"<html>nothing here</html>")
        else:
            self.answer(200, data.encode() if isinstance(data, str) else data)

    def answer(self, status: int, body: bytes = b"", **headers: str) -> None:
        self.send_response(status)
        for key, value in headers.items():
            self.send_header(key.replace("_", "-"), value)
        if "Content_Length" not in headers:
            self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def denied(self) -> None:
        self.answer(403)

    def broken(self) -> None:
        self.answer(500)

    def truncated(self) -> None:
        self.answer(200, b"version: 2023-04-20\n", Content_Length="5000")

    def longer(self) -> None:
        self.answer(200, b"version: 2023-04-20\nresources: {}\n", Content_Length="9")

    def page(self) -> None:
        self.answer(200, b"\n<!DOCTYPE html>\n<html><body>Please log in</body></html>\n")

    def binary(self) -> None:
        self.answer(200, b"PK\x03\x04\xff\xfe\x80")

    def large(self) -> None:
        self.answer(200, b"#" * 200_001)

    def silent(self) -> None:
        time.sleep(3)

    def drip(self) -> None:
        self.send_response(200)
        self.end_headers()
        for _ in range(60):
            self.wfile.write(b"#")
            self.wfile.flush()
            time.sleep(0.1)

    def away(self) -> None:
        self.answer(302, Location="https://example.com/core.yaml")

    def inside(self) -> None:
        self.answer(302, Location="https://169.254.169.254/latest/meta-data")

    def plain(self) -> None:
        self.answer(302, Location=f"http://localhost:{self.server.port}/core.yaml")

    def round(self) -> None:
        self.answer(302, Location="/bad/round.yaml")

    def garbage(self) -> None:
        self.wfile.write(b"SSH-2.0-OpenSSH\r\n")

    def closed(self) -> None:
        self.connection.close()

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002
        pass


class WebServer(ThreadingHTTPServer):
    """A server; `files` are what it has by address, `requests` the addresses it was asked for."""

    daemon_threads = True

    def __init__(self, context: ssl.SSLContext) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.socket = context.wrap_socket(self.socket, server_side=True)
        self.files: dict[str, str | bytes] = {}
        self.requests: list[str] = []

    @property
    def port(self) -> int:
        return int(self.server_address[1])

    @property
    def host(self) -> str:
        """The host, as includes and allow lists name it."""
        return f"localhost:{self.port}"

    def handle_error(self, request: object, client_address: object) -> None:
        pass


@contextmanager
def web_server(folder: Path) -> Iterator[tuple[WebServer, Path]]:
    """A running server, and the file with the certificate that vouches for it."""
    import trustme

    authority: Any = trustme.CA()
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    authority.issue_cert("localhost").configure_cert(context)
    certificate = folder / "authority.pem"
    authority.cert_pem.write_to_path(str(certificate))
    server = WebServer(context)
    thread = threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True)
    thread.start()
    try:
        yield server, certificate
    finally:
        server.shutdown()
        server.server_close()


@contextmanager
def answering(reply: Callable[[], Iterable[bytes]]) -> Iterator[str]:
    """The host and port of a server that answers each request with these bytes, and closes."""
    with socket.create_server(("127.0.0.1", 0)) as listening:

        def serve() -> None:
            while True:
                try:
                    connection, _ = listening.accept()
                except OSError:  # the test is over
                    return
                with connection:
                    try:
                        connection.recv(65_536)
                        for part in reply():
                            connection.sendall(part)
                    except OSError:  # who asked has had enough
                        continue

        thread = threading.Thread(target=serve, daemon=True)
        thread.start()
        try:
            yield f"127.0.0.1:{listening.getsockname()[1]}"
        finally:
            listening.shutdown(socket.SHUT_RDWR)
            thread.join()
