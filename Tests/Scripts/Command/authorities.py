# SPDX-License-Identifier: Apache-2.0
"""authorities.py PORT SECURE: addresses of certificates on the loopback address, for the present directory: responses of
"openssl ocsp", and files, such as lists of revoked certificates. The second port speaks TLS, with tls.pem and tls.key.

The file "mode" says how responders behave, "lists" how other addresses do; each request adds a line to "requests".
"""
import http.server
import ssl
import subprocess
import sys
import threading
import time

lock = threading.Lock()


def read(name):
    with open(name, "rb") as file:
        return file.read()


def respond(query, signer="responder", options=("-reqin", "query")):
    """A response of the program."""
    with open("query", "wb") as file:
        file.write(query)
    subprocess.run(
        ["openssl", "ocsp", "-index", "index", "-CA", "middle.pem", "-rsigner", signer + ".pem", "-rkey", signer + ".key",
         "-ndays", "1", "-respout", "response", *options], check=True, timeout=60, capture_output=True)
    return read("response")


def other_nonce(query):
    place = query.index(b"\x04\x12\x04\x10") + 4
    return query[:place] + bytes([query[place] ^ 1]) + query[place + 1:]


responses = {
    "plain": lambda query: respond(query, "plain"),
    "foreign": lambda query: respond(query, "foreign"),
    "certificate": lambda query: respond(
        query, options=("-issuer", "middle.pem", "-cert", "responder.pem", "-no_nonce")),
    "without": lambda query: respond(query, options=("-reqin", "query", "-no_nonce")),
    "nonce": lambda query: respond(other_nonce(query)),
    "truncated": lambda query: respond(query)[:-9],
    "text": lambda query: b"<html>hello</html>",
    "empty": lambda query: b"",
}


class Handler(http.server.BaseHTTPRequestHandler):
    def log_message(self, *words):
        pass

    def do_POST(self):
        query = self.rfile.read(int(self.headers["Content-Length"]))
        with lock:
            mode = self.begin("mode")
            assert self.headers["Content-Type"] == "application/ocsp-request"
            body = responses.get(mode, respond)(query)
        self.answer(mode, body)

    def do_GET(self):
        with lock:
            mode = self.begin("lists")
            body = read(self.path.strip("/").replace("moved-", ""))
        self.answer(mode, body)

    def begin(self, name):
        with open("requests", "a") as file:
            file.write(self.command + " " + self.path + "\n")
        return read(name).decode().strip()

    def answer(self, mode, body):
        if mode == "circle" or (mode == "moved" and "moved" not in self.path):
            self.send_response(302)
            self.send_header("Location", self.path if mode == "circle" else "/moved-" + self.path.strip("/"))
            self.end_headers()
        elif mode == "insecure" and isinstance(self.connection, ssl.SSLSocket):
            self.send_response(302)
            self.send_header("Location", "http://127.0.0.1:" + sys.argv[1] + self.path)
            self.end_headers()
        elif mode == "silent":
            time.sleep(20)
        elif mode == "broken":
            self.send_error(503)
        else:
            self.send_response(200)
            if mode not in ("slow", "endless"):
                self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            try:
                self.send(mode, body)
            except OSError:
                pass

    def send(self, mode, body):
        if mode == "slow":
            for byte in body[:40]:
                self.wfile.write(bytes([byte]))
                time.sleep(0.5)
        elif mode == "endless":
            for _ in range(1000):
                self.wfile.write(bytes(1 << 16))
        else:
            self.wfile.write(body)


def serve(port, context=None):
    server = http.server.ThreadingHTTPServer(("127.0.0.1", int(port)), Handler)
    server.daemon_threads = True
    if context:
        server.socket = context.wrap_socket(server.socket, server_side=True)
    server.serve_forever()


secure = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
secure.load_cert_chain("tls.pem", "tls.key")
threading.Thread(target=serve, args=(sys.argv[2], secure), daemon=True).start()
serve(sys.argv[1])
