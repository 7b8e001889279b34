# SPDX-License-Identifier: Apache-2.0
"""capture.py INTERFACE FILE: writes every frame of the interface to a file, until it is ended.
capture.py --check FILE SECRET...: what crossed the link to and from port 35963. Fails if a secret is in it, or a command
that is not the channel's: discovery, pairing, opening, GET RESPONSE, or a protected one. Tells how many there were."""
import os
import socket
import struct
import sys


def capture(interface, path):
    link = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(3))
    link.bind((interface, 0))
    with open(path + ".new", "wb") as file:
        os.rename(path + ".new", path)
        while True:
            frame = link.recv(65535)
            file.write(struct.pack(">I", len(frame)) + frame)
            file.flush()


def frames(path):
    with open(path, "rb") as file:
        while head := file.read(4):
            yield file.read(struct.unpack(">I", head)[0])


def streams(path):
    """The octets of each direction of each connection, in their order."""
    pieces = {}
    for frame in frames(path):
        if frame[12:14] != b"\x08\x00" or frame[23] != 6:
            continue
        packet = frame[14:14 + struct.unpack(">H", frame[16:18])[0]]
        segment = packet[(packet[0] & 15) * 4:]
        source, target, number = struct.unpack(">HHI", segment[:8])
        data = segment[(segment[12] >> 4) * 4:]
        if 35963 in (source, target) and data:
            pieces.setdefault((source, target), {})[number] = data
    for key, parts in pieces.items():
        stream, following = b"", min(parts)
        for number in sorted(parts):
            stream += parts[number][max(following - number, 0):]
            following = max(following, number + len(parts[number]))
        yield key, stream


def is_channels(command):
    cla, ins, p1 = command[0], command[1], command[2]
    discovery = cla == 0x80 and ins == 0xCA and p1 == 0x47
    handshake = cla == 0x80 and ins == 0x86 and 1 <= p1 <= 4
    rest = cla & 0xFC == 0 and ins == 0xC0
    return discovery or handshake or rest or cla & 0x6C == 0x0C


def check(path, secrets):
    commands = protected = 0
    everything = b"".join(frames(path))
    for secret in secrets:
        for form in (secret, secret.upper(), secret.replace("-", "")):
            if form.encode() in everything or form.encode().hex().encode() in everything:
                sys.exit("a secret crossed the link")
    for (source, _), stream in streams(path):
        # vpcd speaks first.
        if source != 35963:
            continue
        while len(stream) >= 2:
            length = struct.unpack(">H", stream[:2])[0]
            command, stream = stream[2:2 + length], stream[2 + length:]
            if length < 4:
                continue
            commands += 1
            protected += command[0] & 0x6C == 0x0C
            if not is_channels(command):
                sys.exit(f"the command {command[:4].hex()} crossed the link in clear")
    print(f"{commands} commands, {protected} of them protected")
    if not protected:
        sys.exit("nothing protected crossed the link")


if sys.argv[1] == "--check":
    check(sys.argv[2], sys.argv[3:])
else:
    capture(*sys.argv[1:])
