"""Between a client and the API server: slow, broken and refusing as a test wants it.

It speaks TLS with the API server's certificate, and to the API server as a user of its own.
"""

import http.client
import http.server
import json
import socket
import ssl
import threading
import time

ADDRESS = "127.0.0.1"
BLOCK = 65536
# What belongs to one connection, not to what is passed on.
OF_A_CONNECTION = {"connection", "host", "content-length", "transfer-encoding", "keep-alive"}


class Fault:
    """What becomes of the requests that `hits(method, path)` chooses, `times` of them (None: all)."""

    def __init__(self, hits, *, answer=None, delay=0, lost=False, times=None):
        self.hits, self.times = hits, times
        self.answer = answer  # (status, headers), in the place of the API server's
        self.delay = delay  # seconds before it is passed on
        self.lost = lost  # it is carried out, but the connection breaks before the answer
        self.count = 0


def refusal(status, reason):
    return json.dumps({"kind": "Status", "apiVersion": "v1", "status": "Failure",
                       "message": f"{reason} (a fault of the test)", "reason": reason,
                       "code": status}).encode()


class Proxy:
    """As a user of the control plane; a context manager."""

    def __init__(self, plane, user):
        self.plane, self.user = plane, user
        self.faults, self.lock, self.open = [], threading.Lock(), set()
        self.slow = None  # bytes a second
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        at = plane.certificates.path
        context.load_cert_chain(at("server.crt"), at("server.key"))

        class Handler(_Handler):
            proxy = self

        class Server(http.server.ThreadingHTTPServer):
            daemon_threads = True
            request_queue_size = 128

            def get_request(self):
                connection, address = super().get_request()
                connection.settimeout(60)  # for its greeting
                return context.wrap_socket(connection, server_side=True,
                                           do_handshake_on_connect=False), address

            def handle_error(self, request, client_address):
                pass  # a connection that broke, mostly because it should

        self.server = Server((ADDRESS, 0), Handler)
        self.port = self.server.server_address[1]
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.server.shutdown()
        self.server.server_close()
        self.cut()

    def kubeconfig(self):
        return self.plane.kubeconfig(self.user, self.port)

    def add(self, fault):
        with self.lock:
            self.faults.append(fault)
        return fault

    def clear(self):
        with self.lock:
            self.faults.clear()

    def cut(self):
        """All connections break, as a network does it."""
        with self.lock:
            for connection in self.open:
                try:
                    connection.shutdown(socket.SHUT_RDWR)
                except OSError:
                    pass  # it is gone already

    def fault(self, method, path):
        with self.lock:
            for one in self.faults:
                if one.hits(method, path) and (one.times is None or one.count < one.times):
                    one.count += 1
                    return one
        return None

    def upstream(self):
        return self.plane.client(self.user).connection


class _Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    proxy = None

    def setup(self):
        super().setup()
        self.upstream = self.proxy.upstream()
        with self.proxy.lock:
            self.proxy.open.add(self.connection)

    def finish(self):
        with self.proxy.lock:
            self.proxy.open.discard(self.connection)
        self.upstream.close()
        super().finish()

    def log_message(self, *_):
        pass

    def pass_on(self):
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        fault = self.proxy.fault(self.command, self.path)
        if fault and fault.delay:
            time.sleep(fault.delay)
        if fault and fault.answer:
            status, headers = fault.answer
            return self.say(status, headers, refusal(status, "TestFault"))
        headers = {name: value for name, value in self.headers.items()
                   if name.lower() not in OF_A_CONNECTION}
        # A watch is over when the client says so.
        self.upstream.timeout = None if "watch=" in self.path else 60
        try:
            self.upstream.request(self.command, self.path, body=body or None, headers=headers)
            answer = self.upstream.getresponse()
        except (OSError, http.client.HTTPException):
            self.close_connection = True
            self.upstream.close()
            return None
        if fault and fault.lost:
            answer.read()
            self.close_connection = True
            return self.connection.shutdown(socket.SHUT_RDWR)
        return self.stream(answer)

    do_GET = do_POST = do_PUT = do_PATCH = do_DELETE = pass_on

    def say(self, status, headers, body):
        self.send_response_only(status)
        for name, value in {**headers, "Content-Type": "application/json",
                            "Content-Length": str(len(body))}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    def stream(self, answer):
        self.send_response_only(answer.status)
        for name, value in answer.headers.items():
            if name.lower() not in OF_A_CONNECTION:
                self.send_header(name, value)
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        while block := answer.read1(BLOCK):
            if self.proxy.slow:
                time.sleep(len(block) / self.proxy.slow)
            self.wfile.write(b"%x\r\n%b\r\n" % (len(block), block))
            self.wfile.flush()
        answer.close()  # else its connection takes no other request
        self.wfile.write(b"0\r\n\r\n")
