#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The contract of a card through pcscd, with emulated tokens in the place of a real one: first as a user's own token,
# which must not change, then as one that may be formatted. Takes the tests of "make build-tests".
set -euo pipefail
cd "$(dirname "$0")/../.."
. Tests/Scripts/common.sh

# Runs the contract on the token in the reader, with more variables of the environment.
contract() {
    (cd "$root" && expect_in "$work/output" env KANAL_TEST_READER="Virtual PCD 00 00" KANAL_TEST_PIN=$pin "$@" \
        swift test -c release --skip-build --filter ContractTests)
    printed "Virtual PCD 00 00"
}

# Like "expect 0", for a program that runs elsewhere: the file of its output, the command.
expect_in() {
    timeout 300 "${@:2}" > "$1" 2>&1 || fail "$(grep 'recorded an issue' "$1" || tail -n 20 "$1")"
}

prepare
start_pcscd
for identity in usb3 sc; do
    insert $identity "contract-$identity"
    before=$(sha256sum "contract-$identity"/*)
    contract
    [ "$(sha256sum "contract-$identity"/*)" = "$before" ] || fail "$identity: the token was changed"
    contract KANAL_TEST_DESTRUCTIVE=1
    [ "$(sha256sum "contract-$identity"/*)" != "$before" ] || fail "$identity: nothing was tested"
    detach
    passed "$identity: keeps the contract behind pcscd, and is not changed without leave"
done
