#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# A pcscd that starts when a client comes, and ends when none is left (--auto-exit), as under systemd: a token in a
# virtual reader keeps it running, the first command waits a moment for its readers, and a pcscd that ends or starts refuses no
# client.
# bats file_tags=apart
load ../common

setup_file() {
    prepare
    if [ "$(id -u)" != 0 ] || [ -e /run/pcscd/pcscd.comm ]; then
        skip_all "it takes root and no other pcscd: Tests/System/apart bats …"
        return
    fi
    # As systemd does for pcscd.socket: holds the socket, and starts the service for the first client that waits there.
    # "hang-up" in the directory closes that number of connections without an answer, as a service that ends at that
    # moment does.
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
    launch python3 activation.py > activation.log 2>&1
    wait_until test -e listens
}

teardown() {
    rm -f hang-up
    if [ -n "$token" ]; then
        stop "$token"
        token=
        keep token
    fi
    ends
}

teardown_file() {
    local service
    service=$(cat "$work/service" 2> /dev/null || true)
    [ -z "$service" ] || adopt "$service"
    clean_up
}

# Sends the alarm that pcscd sets when its last client has gone, without the minute. It stays if it has not noticed yet
# that the client is gone.
ends() {
    # shellcheck disable=SC2016
    wait_until sh -c 'test ! -e service || kill -ALRM "$(cat service)"; sleep 0.1; test ! -e service' \
        || fail "pcscd does not end: $(tail -n 5 pcscd.log)"
}
has_client() { wait_until sh -c 'ss --unix --no-header --all | grep -q "ESTAB.*pcscd.comm"'; }

begin() {
    launch "$emulator" --identity usb --state usb > emulator.log 2>&1
    token=$launched
    keep token
    wait_until grep -q '^attached:' emulator.log || fail "the emulator does not have pcscd started: $(cat emulator.log)"
    serial=$(sed -n 's/^serial: \([0-9a-f]*\).*/\1/p' emulator.log)
}

@test "an emulated token has pcscd started, gets into its reader, and is a client of pcscd as long as it sits there" {
    begin
    expect 0 "$kanal" info
    printed "$serial"
    has_client || fail "the emulator is no client of pcscd"
}

@test "the first command, which has pcscd started, waits for the token" {
    begin
    ends
    expect 0 "$kanal" info
    printed "$serial"
}

@test "without a token a command waits for seconds only, and C_GetSlotList not at all" {
    local begin=$SECONDS
    expect 3 "$kanal" info
    ((SECONDS - begin <= 8)) || fail "a command waits $((SECONDS - begin)) s for a token that does not come"
    printed "no token"
    ends
    KANAL_LOG=$work/log expect 0 timeout 4 pkcs11-tool --module "$module" -L
}

@test "the far end of a share has pcscd started, and is a client of it" {
    local far
    mkfifo link
    exec 8<> ./link
    launch "$kanal" share --far-end <&8 > /dev/null 2> far.log
    far=$launched
    has_client || fail "the far end of a share is no client of pcscd: $(cat far.log)"
    kill -0 "$far" || fail "the far end does not reach its reader: $(cat far.log)"
    stop "$far"
}

@test "a connection that ends before its first answer is made again; one that always does is refused" {
    echo 5 > hang-up
    expect 3 "$kanal" info
    printed "no token"
    [ ! -e hang-up ] || fail "the connections were not made again"
    ends
    echo 1000 > hang-up
    expect 1 "$kanal" info
    printed "does not let its user in"
}
