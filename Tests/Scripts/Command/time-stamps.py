# SPDX-License-Identifier: Apache-2.0
"""time-stamps.py: an authority for time stamps on the loopback address, in the present directory: "openssl ts" with tsa.cnf.

The file "mode" says how it behaves; its port is written to "port", and the number of requests to "requests".
"""
import http.server
import os
import subprocess
import threading
import time

lock = threading.Lock()
requests = 0


def openssl(*words):
    subprocess.run(["openssl", *words], check=True, timeout=60, capture_output=True)


def write(name, octets):
    with open(name, "wb") as file:
        file.write(octets)


def read(name):
    with open(name, "rb") as file:
        return file.read()


def sequence(octets):
    return b"\x30\x82" + len(octets).to_bytes(2, "big") + octets


def stamp(query):
    """The reply of the program."""
    write("query", query)
    openssl("ts", "-reply", "-config", "tsa.cnf", "-queryfile", "query", "-out", "reply")
    return read("reply")


def resigned(query, signer, change=lambda info: info, options=("-cades",)):
    """A reply whose stamp has another content or signer than the program gives it."""
    stamp(query)
    openssl("ts", "-reply", "-config", "tsa.cnf", "-in", "reply", "-token_out", "-out", "token")
    openssl("cms", "-verify", "-noverify", "-inform", "DER", "-in", "token", "-out", "info")
    write("info", change(read("info")))
    openssl(
        "cms", "-sign", "-in", "info", "-binary", "-nodetach", "-econtent_type", "1.2.840.113549.1.9.16.1.4", "-md",
        read("md").decode().strip(), *options, "-signer", signer + ".pem", "-inkey", signer + ".key", "-outform", "DER",
        "-out", "token")
    return sequence(b"\x30\x03\x02\x01\x00" + read("token"))


def at(shift):
    """A change of the time by so many seconds."""
    def change(info):
        place = info.index(b"\x18\x0f") + 2
        text = time.strftime("%Y%m%d%H%M%SZ", time.gmtime(time.time() + shift))
        return info[:place] + text.encode() + info[place + 15:]
    return change


def other_nonce(query):
    place = query.index(b"\x02\x08") + 9
    return query[:place] + bytes([query[place] ^ 1]) + query[place + 1:]


def other_imprint(query):
    place = query.index(b"\x04\x20") + 33
    return query[:place] + bytes([query[place] ^ 1]) + query[place + 1:]


replies = {
    "good": stamp,
    "modified": lambda query: stamp(query).replace(b"\x02\x01\x00", b"\x02\x01\x01", 1),
    "nonce": lambda query: stamp(other_nonce(query)),
    "imprint": lambda query: stamp(other_imprint(query)),
    "plain": lambda query: resigned(query, "plain"),
    "uncritical": lambda query: resigned(query, "uncritical"),
    "several": lambda query: resigned(query, "several"),
    "unnamed": lambda query: resigned(query, "tsa", options=()),
    "future": lambda query: resigned(query, "tsa", at(3600)),
    "past": lambda query: resigned(query, "tsa", at(-3600)),
    "signature": lambda query: (lambda reply: reply[:-1] + bytes([reply[-1] ^ 1]))(stamp(query)),
    "truncated": lambda query: stamp(query)[:-9],
    "text": lambda query: b"<html>hello</html>",
    "empty": lambda query: b"",
}


class Handler(http.server.BaseHTTPRequestHandler):
    def log_message(self, *words):
        pass

    def do_POST(self):
        global requests
        query = self.rfile.read(int(self.headers["Content-Length"]))
        with lock:
            requests += 1
            write("requests", str(requests).encode())
            mode = read("mode").decode().strip()
            assert self.headers["Content-Type"] == "application/timestamp-query"
            octets = replies.get(mode, stamp)(query)
        if mode == "circle" or (mode == "moved" and self.path == "/"):
            self.send_response(302)
            self.send_header("Location", self.path if mode == "circle" else "/new")
            self.end_headers()
        elif mode == "silent":
            time.sleep(20)
        elif mode == "broken":
            self.send_error(503)
        else:
            self.send_response(200)
            self.send_header("Content-Type", "application/timestamp-reply")
            if mode not in ("slow", "endless"):
                self.send_header("Content-Length", str(len(octets)))
            self.end_headers()
            try:
                self.send(mode, octets)
            except OSError:
                pass

    def send(self, mode, octets):
        if mode == "slow":
            for octet in octets[:40]:
                self.wfile.write(bytes([octet]))
                time.sleep(0.5)
        elif mode == "endless":
            for _ in range(1000):
                self.wfile.write(bytes(1 << 16))
        else:
            self.wfile.write(octets)

    do_GET = do_POST


server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
server.daemon_threads = True
write("port.new", str(server.server_port).encode())
os.rename("port.new", "port")
server.serve_forever()
