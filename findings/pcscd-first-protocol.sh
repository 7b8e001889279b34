#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Expectation: a card that offers T=0 first and T=1 second speaks T=0 until a program asks for T=1 (ISO/IEC 7816-3: the first
# offered protocol), so SCardConnect with both protocols chooses T=0, and a second program that wants T=0 has it, too.
# Seen: pcscd 1.9.9 chooses T=1. As long as that program is connected, a program that wants T=0 alone gets
# SCARD_E_PROTO_MISMATCH.
# Consequence: a program asks for T=0 and T=1 together and accepts either; T=0 alone fails beside all that do so. Commands
# must fit T=1 and T=0 both: 61xx occurs in T=0 only.
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

def connect(protocols):
    context, handle, active = word(), word(), word()
    pcsc.SCardEstablishContext(word(0), None, None, ctypes.byref(context))
    code = pcsc.SCardConnect(context, b"Virtual PCD 00 00", word(2), word(protocols), ctypes.byref(handle), ctypes.byref(active))
    return f"{code & 0xffffffff:x}/{active.value}"

print(connect(3), connect(1))
service.terminate()
service.wait()
END
run='ip link set lo up; mount -t tmpfs none /run; mkdir /run/pcscd; exec timeout 60 python3 "$0"'
seen=$(timeout 90 unshare --mount --net --pid --fork --mount-proc --propagation private bash -c "$run" "$dir/card.py")
echo "code/protocol of SCardConnect for T=0 and T=1 (3), then for T=0 (1) by a second program"
echo "expected: 0/1 0/1"
echo "seen: $seen"
[ "$seen" = "0/2 8010000f/0" ] && echo "as stated" || { echo "differs: another protocol is chosen, or both programs work"; exit 1; }
