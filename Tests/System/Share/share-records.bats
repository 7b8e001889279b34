#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# Directories in which a share cannot keep its records, wrong passwords and shares that are killed, and far sides that send
# anything.
# bats file_tags=share
load ../common
load far

shares=$work/home/.local/share/kanal/shares

setup_file() {
    prepare
    can_be_two || return 0
    two_machines
    configure_far 'wireless_readers = Virtual PCD*'
    insert usb near --trace trace
}

teardown() {
    stop_share
    umount --lazy "$shares" 2> /dev/null || true
    rm -rf "$shares"
}

# A directory of shares that is small.
small_directory() {
    mkdir -p "$shares"
    chmod 700 "$shares"
    mount -t tmpfs -o size=64k,mode=700 tmpfs "$shares"
}
fill() { cat /dev/zero > "$shares/filler" 2> /dev/null || true; }

# The file "password" has the share's, "wrong" another one.
wrong_password() {
    told_password > password
    echo "$(head -c 1 password)AAA-AAAA-AAAA-AAAA" > wrong
}

cannot_begin() {
    expect 1 "$kanal" share --host $far_address --for 5s
    printed "$1"
    not_printed 'activation password'
}

kill_share() {
    kill -KILL "$share"
    wait_for far_has_no_card || fail "the far reader keeps the token"
}

@test "a share does not begin, and says why, in a directory that is another's, open to others, read-only or full" {
    mkdir -p "$shares"
    chmod 700 "$shares"
    chown nobody "$shares"
    cannot_begin 'belongs to another user'
    chown root "$shares"
    chmod 750 "$shares"
    cannot_begin 'group or others have access'
    small_directory
    mount -o remount,ro "$shares"
    cannot_begin 'read-only'
    mount -o remount,rw "$shares"
    fill
    cannot_begin 'no space left'
    rm "$shares/filler"
}

@test "no password is tried that cannot be counted, in a directory that fills up" {
    small_directory
    start_share
    wrong_password
    # Nothing is computed from a password whose try cannot be counted.
    fill
    expect 1 far "$kanal" pair --password-source file:wrong
    not_printed wrongPassword share.log
    rm "$shares/filler"
}

@test "a try of the password is spent, though the share is killed after it; after five wrong ones none is taken" {
    local left
    start_share
    wrong_password
    expect 4 far "$kanal" pair --password-source file:wrong
    happens 1 '"triesLeft":4'
    kill_share
    start_share
    for left in 3 2 1 0; do
        expect $((left > 0 ? 4 : 5)) far "$kanal" pair --password-source file:wrong
        happens 1 "\"triesLeft\":$left"
    done
    refute far "$kanal" pair --password-source file:password
    stop_share
    wait_for far_has_no_card || fail "the far reader keeps the token"
    start_share --new-password
    pair_far
    stop_share
}

@test "a far side that sends anything reaches no token, and no share grows" {
    local connections far_side before files memory files_after memory_after
    connections=$(amount 8 1000)
    # A hostile far side that sends arbitrary commands, different ones with each connection.
    cat > hostile.py << 'PROGRAM'
import os, random, socket, struct, sys
listener = socket.create_server(("127.0.0.1", 35999))
print("ready", flush=True)
random.seed(1)
frame = lambda data: struct.pack(">H", len(data)) + data
plain = bytes.fromhex("0020000208") + b"12345678"
for number in range(int(sys.argv[1])):
    peer = listener.accept()[0]
    peer.settimeout(2)
    kind = number % 8
    try:
        if kind != 7:
            peer.sendall(frame(b"\1") + frame(b"\4"))
        data = [
            lambda: frame(os.urandom(65535)), lambda: frame(b"\0\xa4")[:3], lambda: os.urandom(3000),
            lambda: frame(plain) * 50, lambda: frame(b"\x0c\x20\0\x02\x0a\x8e\x08" + bytes(8) + b"\0") * 50,
            lambda: frame(b""), lambda: frame(b"\2") * 500, lambda: b"",
        ][kind]()
        peer.sendall(data)
        if kind in (0, 3, 4):
            peer.recv(4096)
    except OSError:
        pass
    peer.close()
print("done", flush=True)
PROGRAM
    launch python3 hostile.py "$connections" > hostile.log 2>&1
    far_side=$launched
    wait_until grep -q ready hostile.log
    before=$(grep -c '^> 0020' trace || true)
    launch "$kanal" share --port 35999 --json > share.log 2> share.errors
    share=$launched
    happens 2 '"event":"disconnected"'
    read -r files memory <<< "$(used_by $share)"
    wait_for grep -q 'done' hostile.log || { [ "$connections" -gt 8 ] && wait "$far_side"; } \
        || fail "the far side: $(cat hostile.log share.log)"
    sleep 1
    read -r files_after memory_after <<< "$(used_by $share)"
    [ "$files_after" -le "$files" ] || fail "the share keeps files open: $files, then $files_after"
    [ $((memory_after - memory)) -lt 4096 ] || fail "the share grows: $memory kB, then $memory_after kB"
    printed '"command":"00200002".*"event":"refusedPlain"' share.log
    [ "$(grep -c '^> 0020' trace || true)" = "$before" ] || fail "a PIN of a hostile far side reached the token"
    stop_share
}
