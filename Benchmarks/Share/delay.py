# SPDX-License-Identifier: Apache-2.0
"""delay.py MILLISECONDS FROM TO: passes connections on, each octet after half of so many milliseconds: a link whose round
trip takes them. FROM and TO are a port of 127.0.0.1, an address and a port with a colon between, or a socket's path.

delay.py MILLISECONDS - COMMAND...: the same between standard input and output and those of a command."""
import os
import queue
import socket
import subprocess
import sys
import threading
import time


def address(text):
    if "/" in text:
        return socket.AF_UNIX, text
    host, _, port = text.rpartition(":")
    return socket.AF_INET, (host or "127.0.0.1", int(port))


def acknowledge(link):
    """At once, as vpcd waits for it between the two halves of a frame."""
    if link.family == socket.AF_INET:
        link.setsockopt(socket.IPPROTO_TCP, socket.TCP_QUICKACK, 1)


def read(source, waiting, delay):
    data = True
    while data:
        acknowledge(source)
        try:
            data = source.recv(65536)
        except OSError:
            data = b""
        acknowledge(source)
        waiting.put((time.monotonic() + delay, data))


def write(target, waiting):
    while True:
        due, data = waiting.get()
        time.sleep(max(due - time.monotonic(), 0))
        try:
            if not data:
                target.shutdown(socket.SHUT_RDWR)
                return
            target.sendall(data)
        except OSError:
            return


def join(client, server, delay):
    threads = []
    for source, other in ((client, server), (server, client)):
        if other.family == socket.AF_INET:
            other.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        waiting = queue.Queue()
        threads.append(threading.Thread(target=read, args=(source, waiting, delay), daemon=True))
        threads.append(threading.Thread(target=write, args=(other, waiting), daemon=True))
    for thread in threads:
        thread.start()


def carry(client, family, target, delay):
    server = socket.socket(family)
    try:
        server.connect(target)
    except OSError:
        client.close()
        return
    join(client, server, delay)


def pump(source, target):
    while data := os.read(source, 65536):
        os.write(target, data)


def carry_standard(command, delay):
    ours, standard = socket.socketpair()
    theirs, end = socket.socketpair()
    with subprocess.Popen(command, stdin=end, stdout=end) as child:
        end.close()
        join(standard, theirs, delay)
        threading.Thread(target=pump, args=(ours.fileno(), 1), daemon=True).start()
        pump(0, ours.fileno())
        child.terminate()


delay = float(sys.argv[1]) / 2000
if sys.argv[2] == "-":
    carry_standard(sys.argv[3:], delay)
    sys.exit()
family, place = address(sys.argv[2])
listener = socket.socket(family)
if family == socket.AF_INET:
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
listener.bind(place)
if family == socket.AF_UNIX:
    os.chmod(place, 0o666)
listener.listen(64)
while True:
    carry(listener.accept()[0], *address(sys.argv[3]), delay)
