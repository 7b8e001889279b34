#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# The contract of a card through pcscd, with emulated tokens in the place of a real one: first as a user's own token,
# which must not change, then as a token that may be formatted. Needs the tests of "make build-tests".
# bats file_tags=swift
load ../common

setup_file() {
    prepare
    start_pcscd
}

teardown() { detach; }

# Runs the contract on the token in the reader, with more variables of the environment.
contract() {
    (cd "$root" && timeout 300 env KANAL_TEST_READER="Virtual PCD 00 00" KANAL_TEST_PIN=$pin "$@" \
        swift test -c release --skip-build --filter ContractTests) > output 2>&1 \
        || fail "$(grep 'recorded an issue' output || tail -n 20 output)"
    printed "Virtual PCD 00 00"
}

keeps() {
    local before
    insert "$1" "$1"
    before=$(sha256sum "$1"/*)
    contract
    [ "$(sha256sum "$1"/*)" = "$before" ] || fail "the token was changed"
    contract KANAL_TEST_DESTRUCTIVE=1
    [ "$(sha256sum "$1"/*)" != "$before" ] || fail "nothing was tested"
}

@test "usb3 keeps the contract behind pcscd, and is not changed without leave" { keeps usb3; }
@test "sc keeps the contract behind pcscd, and is not changed without leave" { keeps sc; }
