#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Secrets in the memory of an application, with a channel and without: in a core dump, in a forked child, after C_Logout
# and after C_Finalize; also a PIN that the library has asked for. And calls without memory for a curve. Arguments: the
# identities, both by default.
set -euo pipefail
cd "$(dirname "$0")/../../.."
. Tests/Scripts/common.sh

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

prepare scan tables
start_pcscd
mkfifo keys
for identity in ${@:-usb bt}; do
    attach $identity "memory-$identity"
    secrets=()
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
