#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# A pcscd that starts when a client comes, and ends when none is left (--auto-exit), as under systemd: a token in a
# virtual reader keeps it running, the first command gives its readers a moment, and one that ends or starts refuses no
# client.
set -euo pipefail
cd "$(dirname "$0")/../.."
. Tests/Scripts/common.sh

[ "$(id -u)" = 0 ] || {
    skipped "a pcscd that starts on demand: only root can start one"
    exit 0
}
[ ! -e /run/pcscd/pcscd.comm ] || fail "a pcscd runs: start this by Tests/Scripts/apart.sh"
prepare
# As systemd does for pcscd.socket: holds the socket, and starts the service for the first client that waits there.
# "hang-up" in the directory closes that number of connections without an answer, as a service that ends at that moment
# does.
cat > activation.py << 'END'
import os, select, socket, subprocess, time
os.makedirs("/run/pcscd", exist_ok=True)
path = "/run/pcscd/pcscd.comm"
if os.path.exists(path):
    os.unlink(path)
listener = socket.socket(socket.AF_UNIX)
listener.bind(path)
os.chmod(path, 0o666)
listener.listen(16)
open("listens", "w").close()
def prepared():
    os.dup2(listener.fileno(), 3)
    os.set_inheritable(3, True)
    os.environ.update(LISTEN_FDS="1", LISTEN_PID=str(os.getpid()))
while True:
    select.select([listener], [], [])
    if os.path.exists("hang-up"):
        listener.accept()[0].close()
        left = int(open("hang-up").read()) - 1
        if left > 0:
            with open("hang-up.new", "w") as file:
                file.write(str(left))
            os.rename("hang-up.new", "hang-up")
        else:
            os.unlink("hang-up")
        continue
    log = open("pcscd.log", "a")
    service = subprocess.Popen(["pcscd", "--foreground", "--auto-exit"], preexec_fn=prepared, close_fds=False,
                               stdout=log, stderr=log)
    with open("service", "w") as file:
        file.write(str(service.pid))
    service.wait()
    os.unlink("service")
    if os.path.exists("/run/pcscd/pcscd.pid"):
        os.unlink("/run/pcscd/pcscd.pid")
END
python3 activation.py &
others+=($!)
trap 'others+=($(cat "$work/service" 2> /dev/null || true)); clean_up' EXIT
wait_until test -e listens
# Sends the alarm that pcscd sets when its last client has gone, without the minute. It stays if it has not noticed yet
# that the client is gone.
ends() {
    # shellcheck disable=SC2016
    wait_until sh -c 'kill -ALRM "$(cat service)"; sleep 0.1; test ! -e service' || fail "pcscd does not end: $(tail -n 5 pcscd.log)"
}
has_client() { wait_until sh -c 'ss --unix --no-header --all | grep -q "ESTAB.*pcscd.comm"'; }

# ---- The emulator ----

"$emulator" --identity usb --state usb > emulator.log 2>&1 &
token=$!
wait_until grep -q '^attached:' emulator.log || fail "the emulator does not have pcscd started: $(cat emulator.log)"
serial=$(sed -n 's/^serial: \([0-9a-f]*\).*/\1/p' emulator.log)
passed "an emulated token has pcscd started, and gets into its reader"
expect 0 "$kanal" info
printed "$serial"
has_client || fail "the emulator is no client of pcscd"
passed "as long as it sits there it is a client of pcscd"

# ---- A service that is just starting ----

ends
expect 0 "$kanal" info
printed "$serial"
passed "the first command, which has pcscd started, waits for the token"
stop "$token"
token=
ends
begin=$SECONDS
expect 3 "$kanal" info
((SECONDS - begin <= 8)) || fail "a command waits $((SECONDS - begin)) s for a token that does not come"
printed "no token"
ends
KANAL_LOG=$work/log expect 0 timeout 4 pkcs11-tool --module "$module" -L
passed "without a token it waits for seconds only, and C_GetSlotList not at all"

# ---- The far end of a share ----

ends
mkfifo link
exec 8<> link
"$kanal" share --far-end <&8 > /dev/null 2> far.log &
far=$!
others+=($far)
has_client || fail "the far end of a share is no client of pcscd: $(cat far.log)"
kill -0 $far || fail "the far end does not reach its reader: $(cat far.log)"
stop $far
passed "so is the far end of a share, which has pcscd started, too"

# ---- A service that ends before its first answer ----

ends
echo 5 > hang-up
expect 3 "$kanal" info
printed "no token"
[ ! -e hang-up ] || fail "the connections were not made again"
ends
echo 1000 > hang-up
expect 1 "$kanal" info
printed "does not let its user in"
rm hang-up
passed "a connection that ends before its first answer is made again; one that always does is refused"
