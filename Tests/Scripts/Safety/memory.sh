#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Secrets in the memory of an application, with a channel and without: in a core dump, in a forked child, after C_Logout
# and after C_Finalize; also a PIN that the library has asked for, and the key of a container with its password. And calls without memory for a curve. Arguments: the
# identities, both by default.
set -euo pipefail
cd "$(dirname "$0")/../../.."
. Tests/Scripts/common.sh
. Tests/Scripts/container-vectors.sh

invert() { python3 -c 'import sys; sys.stdout.buffer.write(bytes(255 - b for b in sys.stdin.buffer.read()))'; }

# The keys of the channel's sessions are known only when they have gone: the program waits for them.
tell_keys() {
    wait_until test -e finalized || exit 1
    sed -n 's/^session key: //p' emulator.log | python3 -c '
import sys
sys.stdout.buffer.write(b"".join(bytes(255 - octet for octet in bytes.fromhex(line)) for line in sys.stdin))' > keys
}

# inspect IDENTITY SECRETS
inspect() {
    # The digits of the factory's PIN are in the memory of every program.
    pkcs11-tool --module "$module" --slot "$slot" --login --pin $pin --change-pin --new-pin kroet-81f > output 2>&1 \
        || fail "the PIN is not changed: $(cat output)"
    detach
    attach "$1" "memory-$1" --show-keys
    printf %s kroet-81f | invert > secret.pin
    look "$@"
    passed "N60: $1: no secret in $(sed -n 's/^looked into //p' output), in a child, after C_Logout and after C_Finalize"
    if [ "$1" = usb ]; then
        configure "authenticator = pinentry:$work/user"
        ASKED=yes look "$@"
        unconfigure
        passed "N60: $1: the same of a PIN that a user was asked for"
    fi
    detach
}

look() {
    rm -f finalized
    tell_keys &
    ./scan "$slot" secret.pin "${@:2}" > output || fail "$1: $(cat output)"
}

# A user who types the PIN.
cat > "$work/user" << 'END'
#!/bin/sh
echo OK
while read -r line; do
    case $line in
        GETPIN) printf 'D kroet-81f\nOK\n' ;;
        *) echo OK ;;
    esac
done
END
chmod 700 "$work/user"

# The key of a container with the password "secret": the number d, the one that is d times the mask, the key that it is
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

prepare scan tables
start_pcscd
mkfifo keys
for identity in ${@:-usb bt}; do
    rm -f container
    secrets=()
    containers=()
    if [ "$identity" = usb ]; then
        container_secrets
        secrets=(contained.*)
        containers=(--container two-password)
    fi
    attach $identity "memory-$identity" "${containers[@]}"
    if [ "$identity" = bt ]; then
        ./activate "$serial" "$password" > /dev/null
        printf %s "${password//-/}" | invert > secret.password
        for key in "$XDG_DATA_HOME"/kanal/pairings/host.*; do invert < "$key" > "secret.${key##*/}"; done
        secrets=(secret.password secret.host.*)
    fi
    if [ "$identity" = usb ]; then
        ./tables "$slot" "$pin" > output || fail "tables: $(cat output)"
        passed "a table of a curve that gets no memory is CKR_HOST_MEMORY, and made by the next call"
    fi
    inspect $identity "${secrets[@]}"
done
[ "$identity" = usb ] || grep -q '^looked for [1-9][0-9]* session keys' output || fail "no session keys: $(cat output)"
echo "memory.sh: passed"
