#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# A paired host of the far machine that sends chains of commands and unknown ones inside the channel of "kanal share". Needs the
# tests of "make build-tests".
# bats file_tags=swift
load ../common
load far

setup_file() {
    export user_home=${HOME:-/root}
    prepare
    can_be_two || return 0
    two_machines
    insert usb near --trace trace
    make_pinentry
}

teardown() { stop_share; }

# Runs one of the SharedTokenTests on the far machine.
attack() {
    timeout 200 far env HOME="$user_home" KANAL_TEST_SHARED_READER="Virtual PCD 00 00" KANAL_TEST_PASSWORD="$(told_password)" \
        swift test --package-path "$root" -c release --skip-build --filter "SharedTokenTests/$1" > output 2>&1 3>&- \
        || fail "$1: $(grep 'recorded an issue' output || tail -n 20 output)"
    printed 'with 1 test in 1 suite passed'
}
events() { grep -c "\"event\":\"$1\"" share.log || true; }
logins() { grep -c '^> [01]0200' trace || true; }

@test "--confirm login: twelve chained logins are asked for, unknown commands refused, and none reaches the token" {
    local before
    rm -f yes
    start_share --confirm login --new-password
    before=$(logins)
    attack refused
    [ "$(events declined)" = 12 ] || fail "$(events declined) questions instead of 12: $(cat share.log)"
    # Further ones are counted, not reported one by one.
    [ "$(events refused)" -ge 8 ] || fail "$(events refused) unknown commands were told of: $(cat share.log)"
    [ "$(logins)" = "$before" ] || fail "a login reached the token: $(cat trace)"
    not_printed '^> \(8020\|80 \?2a\|8059\|0088\|80c0\|002c\)' trace
}

@test "--once: a login in a chain ends the share" {
    local before
    touch yes
    start_share --confirm login --once --new-password
    before=$(logins)
    attack counted
    [ "$(logins)" -gt "$before" ] || fail "the login that was agreed to did not reach the token"
    wait_until sh -c "! kill -0 $share" || fail "the share goes on after a login in a chain: $(cat share.log)"
    wait "$share" || fail "the share failed: $(cat share.errors)"
    share=
    keep share
}
