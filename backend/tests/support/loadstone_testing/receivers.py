"""The other ends: a web server that does what it is told, and a mail server that keeps what it gets."""

import socketserver
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


@dataclass
class Received:
    path: str
    headers: dict[str, str]
    body: bytes


@dataclass
class WebReceiver:
    """`answers` are the statuses to give, the last one from then on; 0 hangs until the receiver closes."""

    port: int = 0
    answers: list[int] = field(default_factory=lambda: [200])
    text: bytes = b"thanks"
    redirect_to: str | None = None
    received: list[Received] = field(default_factory=list)
    closing: threading.Event = field(default_factory=threading.Event)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}/hook?key=1"

    def next_status(self) -> int:
        return self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]


@contextmanager
def web_receiver(receiver: WebReceiver) -> Iterator[WebReceiver]:
    class Answer(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            length = int(self.headers.get("content-length") or 0)
            headers = {name.lower(): value for name, value in self.headers.items()}
            receiver.received.append(Received(self.path, headers, self.rfile.read(length)))
            status = receiver.next_status()
            if status == 0:
                receiver.closing.wait(60)
                return
            self.send_response(status)
            if receiver.redirect_to:
                self.send_header("Location", receiver.redirect_to)
            self.end_headers()
            self.wfile.write(receiver.text)

        def log_message(self, *_: object) -> None: ...

    with ThreadingHTTPServer(("127.0.0.1", 0), Answer) as server:
        server.daemon_threads = True
        receiver.port = server.server_address[1]
        thread = threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True)
        thread.start()
        try:
            yield receiver
        finally:
            receiver.closing.set()
            server.shutdown()
            thread.join(5)


@dataclass
class MailReceiver:
    port: int = 0
    mails: list[str] = field(default_factory=list)
    recipients: list[str] = field(default_factory=list)


@contextmanager
def mail_receiver() -> Iterator[MailReceiver]:
    """As much of SMTP (RFC 5321) as a client needs to get rid of a mail."""
    receiver = MailReceiver()

    class Session(socketserver.StreamRequestHandler):
        def handle(self) -> None:
            self._say("220 here")
            while line := self.rfile.readline().decode().strip():
                verb = line[:4].upper()
                if verb == "RCPT":
                    receiver.recipients.append(line.partition("<")[2].partition(">")[0])
                if verb == "DATA":
                    self._say("354 go on")
                    self._keep_mail()
                self._say("221 bye" if verb == "QUIT" else "250 ok")
                if verb == "QUIT":
                    return

        def _keep_mail(self) -> None:
            lines = []
            while (line := self.rfile.readline().decode()) != ".\r\n":
                lines.append(line)
            receiver.mails.append("".join(lines))

        def _say(self, text: str) -> None:
            self.wfile.write(f"{text}\r\n".encode())

    with socketserver.ThreadingTCPServer(("127.0.0.1", 0), Session) as server:
        server.daemon_threads = True
        receiver.port = server.server_address[1]
        thread = threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True)
        thread.start()
        yield receiver
        server.shutdown()
        thread.join(5)
