# SPDX-License-Identifier: Apache-2.0
"""authorities.py [PORT [SECURE]]: what authorities answer on the loopback address, made by openssl in the present directory:
responses about certificates, time stamps by tsa.cnf, and files, such as lists of revoked certificates. The first port is
written to "port"; the second speaks TLS, with tls.pem and tls.key.

The file "mode" says how those behave that are asked by POST, "lists" how files do; each request adds a line to "requests".
"""
import http.server
import os
import ssl
import subprocess
import sys
import threading
import time

lock = threading.Lock()


def read(name):
    with open(name, "rb") as file:
        return file.read()


def write(name, content):
    with open(name, "wb") as file:
        file.write(content)


def openssl(*words):
    subprocess.run(["openssl", *words], check=True, timeout=60, capture_output=True)


def other(start):
    """A change of the last byte of the part that begins so, with its length last."""
    def change(query):
        place = query.index(start) + len(start) + start[-1] - 1
        return query[:place] + bytes([query[place] ^ 1]) + query[place + 1:]
    return change


def respond(query, signer="responder", options=("-reqin", "query")):
    """A response about a certificate."""
    write("query", query)
    openssl("ocsp", "-index", "index", "-CA", "middle.pem", "-rsigner", signer + ".pem", "-rkey", signer + ".key",
            "-ndays", "1", "-respout", "response", *options)
    return read("response")


def stamp(query):
    """A reply with a time stamp."""
    write("query", query)
    openssl("ts", "-reply", "-config", "tsa.cnf", "-queryfile", "query", "-out", "reply")
    return read("reply")


def resigned(query, signer, change=lambda info: info, options=("-cades",)):
    """A reply whose stamp has another content or signer than openssl gives it."""
    stamp(query)
    openssl("ts", "-reply", "-config", "tsa.cnf", "-in", "reply", "-token_out", "-out", "token")
    openssl("cms", "-verify", "-noverify", "-inform", "DER", "-in", "token", "-out", "info")
    write("info", change(read("info")))
    openssl(
        "cms", "-sign", "-in", "info", "-binary", "-nodetach", "-econtent_type", "1.2.840.113549.1.9.16.1.4", "-md",
        read("md").decode().strip(), *options, "-signer", signer + ".pem", "-inkey", signer + ".key", "-outform", "DER",
        "-out", "token")
    content = b"\x30\x03\x02\x01\x00" + read("token")
    return b"\x30\x82" + len(content).to_bytes(2, "big") + content


def at(shift):
    """A change of the time by so many seconds."""
    def change(info):
        place = info.index(b"\x18\x0f") + 2
        text = time.strftime("%Y%m%d%H%M%SZ", time.gmtime(time.time() + shift))
        return info[:place] + text.encode() + info[place + 15:]
    return change


responses = {
    "good": respond,
    "plain": lambda query: respond(query, "plain"),
    "foreign": lambda query: respond(query, "foreign"),
    "certificate": lambda query: respond(
        query, options=("-issuer", "middle.pem", "-cert", "responder.pem", "-no_nonce")),
    "without": lambda query: respond(query, options=("-reqin", "query", "-no_nonce")),
    "nonce": lambda query: respond(other(b"\x04\x12\x04\x10")(query)),
}
replies = {
    "good": stamp,
    "modified": lambda query: stamp(query).replace(b"\x02\x01\x00", b"\x02\x01\x01", 1),
    "nonce": lambda query: stamp(other(b"\x02\x08")(query)),
    "imprint": lambda query: stamp(other(b"\x04\x20")(query)),
    "plain": lambda query: resigned(query, "plain"),
    "uncritical": lambda query: resigned(query, "uncritical"),
    "several": lambda query: resigned(query, "several"),
    "unnamed": lambda query: resigned(query, "tsa", options=()),
    "future": lambda query: resigned(query, "tsa", at(3600)),
    "past": lambda query: resigned(query, "tsa", at(-3600)),
    "signature": lambda query: (lambda reply: reply[:-1] + bytes([reply[-1] ^ 1]))(stamp(query)),
}
bodies = {"truncated": lambda body: body[:-9], "text": lambda body: b"<html>hello</html>", "empty": lambda body: b""}


class Handler(http.server.BaseHTTPRequestHandler):
    def log_message(self, *words):
        pass

    def do_POST(self):
        query = self.rfile.read(int(self.headers["Content-Length"]))
        known = {"application/ocsp-request": responses, "application/timestamp-query": replies}[self.headers["Content-Type"]]
        self.answer("mode", lambda mode: bodies.get(mode, bytes)(known.get(mode, known["good"])(query)))

    def do_GET(self):
        self.answer("lists", lambda mode: read(self.path.strip("/").replace("moved-", "")))

    def answer(self, name, make):
        with lock:
            with open("requests", "a") as file:
                file.write(self.command + " " + self.path + "\n")
            mode = read(name).decode().strip()
            body = make(mode)
        place = None
        if mode == "circle":
            place = self.path
        elif mode == "moved" and "moved" not in self.path:
            place = "/moved-" + self.path.strip("/")
        elif mode == "insecure" and isinstance(self.connection, ssl.SSLSocket):
            place = "http://127.0.0.1:" + sys.argv[1] + self.path
        if place:
            self.send_response(302)
            self.send_header("Location", place)
            self.end_headers()
        elif mode == "silent":
            time.sleep(20)
        elif mode == "broken":
            self.send_error(503)
        else:
            self.send_response(200)
            # The type of the reply (RFC 3161, 3.4; RFC 6960, A.2).
            kind = self.headers.get("Content-Type", "").replace("query", "reply").replace("request", "response")
            if kind:
                self.send_header("Content-Type", kind)
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


def listen(port):
    server = http.server.ThreadingHTTPServer(("127.0.0.1", int(port)), Handler)
    server.daemon_threads = True
    return server


server = listen((sys.argv + [0])[1])
if len(sys.argv) > 2:
    secure = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    secure.load_cert_chain("tls.pem", "tls.key")
    other_server = listen(sys.argv[2])
    other_server.socket = secure.wrap_socket(other_server.socket, server_side=True)
    threading.Thread(target=other_server.serve_forever, daemon=True).start()
write("port.new", str(server.server_port).encode())
os.rename("port.new", "port")
server.serve_forever()
