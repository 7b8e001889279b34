#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# Secrets in the memory of an application, with a channel and without: in a core dump, in a forked child, after C_Logout
# and after C_Finalize; also a PIN that the library has asked for, and the key of a container with its password. And calls
# without memory for a curve.
# bats file_tags=pcscd
load ../common
load ../containers

setup_file() {
    prepare scan tables
    start_pcscd
    mkfifo keys
    pinentry user kroet-81f
}

teardown() { unconfigure; }

invert() { python3 -c 'import sys; sys.stdout.buffer.write(bytes(255 - b for b in sys.stdin.buffer.read()))'; }

# The keys of the channel's sessions are known only when they have gone: the program waits for them.
tell_keys() {
    wait_until test -e finalized || exit 1
    sed -n 's/^session key: //p' emulator.log | python3 -c '
import sys
sys.stdout.buffer.write(b"".join(bytes(255 - octet for octet in bytes.fromhex(line)) for line in sys.stdin))' > keys
}

look() {
    rm -f finalized
    tell_keys 3>&- &
    ./scan "$slot" secret.pin "$@" > output || fail "$(cat output)"
}

# The key of a container with the password "secret": the number d, the product of d and the mask, the key that it is
# enciphered with, and the password as it is hashed. The latter two belong to the salt of the container's files.
container_secrets() {
    vector two-password
    python3 - "$root/Tests/Vectors/containers.json" << 'END'
import json, sys
vector = next(v for v in json.load(open(sys.argv[1]))["containers"] if v["id"] == "two-password")
invert = lambda data: bytes(255 - byte for byte in data)
d = int(vector["keys"][-1]["d"], 16)
mask = bytes.fromhex(vector["files"]["masks.key"])[4:36]
q = 0xFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFF6C611070995AD10045841B09B761B893
masked = d * int.from_bytes(mask, "little") % q
storage_key = bytes.fromhex("b64a4c3ac08c9b7eda8799d777363f89ef0daba3f3d61667b4863d47497d5c54")
secrets = [d.to_bytes(32, "little"), masked.to_bytes(32, "little"), storage_key, "secret".encode("utf-32-le")]
for number, secret in enumerate(secrets):
    open(f"contained.{number}", "wb").write(invert(secret))
open("container", "wb").write(invert(bytes.fromhex(vector["keys"][-1]["Q"][:16]) + b"secret"))
END
}

# A token with a PIN of its own: the digits of the factory's are in the memory of every program. $secrets are the files of
# what is looked for.
bring() {
    local containers=() key
    rm -f container
    if [ "$identity" = usb ]; then
        container_secrets
        secrets=(contained.*)
        containers=(--container two-password)
    fi
    attach "$identity" "$identity" "${containers[@]}"
    if [ "$identity" = bt ]; then
        ./activate "$serial" "$password" > /dev/null
        printf %s "${password//-/}" | invert > secret.password
        for key in "$XDG_DATA_HOME"/kanal/pairings/host.*; do invert < "$key" > "secret.${key##*/}"; done
        secrets=(secret.password secret.host.*)
    fi
    keep secrets
    expect 0 pkcs11-tool --module "$module" --slot "$slot" --login --pin $pin --change-pin --new-pin kroet-81f
    detach
    attach "$identity" "$identity" --show-keys
    printf %s kroet-81f | invert > secret.pin
}

usb() { look "${secrets[@]}"; }

asked() {
    configure "authenticator = pinentry:$work/user"
    ASKED=yes look "${secrets[@]}"
}

channel() {
    look "${secrets[@]}"
    printed '^looked for [1-9][0-9]* session keys'
}

@test "a table of a curve that gets no memory is CKR_HOST_MEMORY, and made by the next call" {
    detach
    attach usb tables-token
    expect 0 ./tables "$slot" "$pin"
    detach
    identity=
    keep identity
}

@test "N60: usb: no secret is in a core dump, in a child, after C_Logout and after C_Finalize" { on usb usb; }
@test "N60: usb: no PIN that a user was asked for is there" { on usb asked; }
@test "N60: bt: no secret is in a core dump, in a child, after C_Logout and after C_Finalize" { on bt channel; }
