#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Expectation: SCardGetStatusChange returns when the state of a reader differs from the state that was passed, so that a
# monitor that knows "card present" learns that a program has connected (SCARD_STATE_INUSE) and that it has left.
# Seen: pcscd 1.9.9 does not wake a waiting call for a connection, shared or exclusive: the call ends by its timeout, and
# reports INUSE or EXCLUSIVE only then. The end of a connection wakes calls that passed INUSE.
# Consequence: a program that shows who holds the token, or waits for its turn, asks with a timeout of 0 now and then.
set -euo pipefail
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
for package in pcscd=1.9.9-2 libpcsclite1=1.9.9-2 vsmartcard-vpcd=3.3+dfsg-2; do
    has=$(dpkg-query -W -f '${Version}' "${package%%=*}" || true)
    [ "$has" = "${package#*=}" ] || { echo "differs: ${package%%=*} has the version $has, not ${package#*=}"; exit 1; }
    echo "$package"
done
[ "$(id -u)" = 0 ] || { echo "differs: only root can give pcscd a /run of its own"; exit 1; }

cat >"$dir/card.py" <<'END'
import ctypes, socket, subprocess, threading, time
service = subprocess.Popen(["timeout", "60", "pcscd", "-f"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

def play(card, atr=bytes.fromhex("3b80800101")):  # TD1 = 80: T=0; TD2 = 01: T=1
    while head := card.recv(2, socket.MSG_WAITALL):
        message = card.recv(int.from_bytes(head, "big"), socket.MSG_WAITALL)
        answer = atr if message == b"\4" else b"\x90\0" if len(message) > 1 else None
        if answer:
            card.sendall(len(answer).to_bytes(2, "big") + answer)

for _ in range(100):
    try:
        card = socket.create_connection(("127.0.0.1", 35963))
        break
    except OSError:
        time.sleep(0.1)
threading.Thread(target=play, args=(card,), daemon=True).start()
time.sleep(2)
pcsc = ctypes.CDLL("libpcsclite.so.1")
word = ctypes.c_ulong

class State(ctypes.Structure):
    _fields_ = [("name", ctypes.c_char_p), ("user", ctypes.c_void_p), ("known", word), ("state", word), ("length", word),
                ("atr", ctypes.c_ubyte * 33)]

def establish():
    context = word()
    pcsc.SCardEstablishContext(word(0), None, None, ctypes.byref(context))
    return context

def wait(known, timeout=2000):
    states = (State * 1)(State(b"Virtual PCD 00 00", None, known))
    code = pcsc.SCardGetStatusChange(monitor, word(timeout), states, word(1)) & 0xffffffff
    return f"{'woken' if code == 0 else 'timeout' if code == 0x8010000a else hex(code)}:{states[0].state & 0xffff:x}"

monitor, user, handle, active = establish(), establish(), word(), word()

def connect(share):
    pcsc.SCardConnect(user, b"Virtual PCD 00 00", word(share), word(3), ctypes.byref(handle), ctypes.byref(active))

def during(action, known):
    timer = threading.Timer(0.5, action)
    timer.start()
    seen = wait(known)
    timer.join()
    return seen

shared = during(lambda: connect(2), 0x20)
left = during(lambda: pcsc.SCardDisconnect(handle, word(0)), 0x20 | 0x100)
exclusive = during(lambda: connect(1), 0x20)
print(shared, left, exclusive)
service.terminate()
service.wait()
END
run='ip link set lo up; mount -t tmpfs none /run; mkdir /run/pcscd; exec timeout 60 python3 "$0"'
seen=$(timeout 90 unshare --mount --net --pid --fork --mount-proc --propagation private bash -c "$run" "$dir/card.py")
echo "a program connects, leaves, and connects exclusively, while another one waits (state: 20 present, 100 in use, 80 exclusive)"
echo "expected: woken:122 woken:22 woken:a2"
echo "seen: $seen"
[ "$seen" = "timeout:120 woken:22 timeout:a0" ] && echo "as stated" || { echo "differs: connections wake the one that waits"; exit 1; }
