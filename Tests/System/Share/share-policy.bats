#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# The commands that a share allows to the far machine, its questions to its own user, and its end by itself.
# bats file_tags=apart
load ../common
load far

tool=(far pkcs11-tool --module "$module")
login=(--login --pin "$pin")
sign=(--sign -m GOSTR3410-WITH-GOSTR3411-12-256 --id 01 -i message -o signature)
make_key=(--keypairgen --key-type GOSTR3410-2012-256:A --label more --id)

setup_file() {
    prepare steps
    can_be_two || return 0
    two_machines
    configure_far 'wireless_readers = Virtual PCD*'
    head -c 1000 /dev/urandom > message
}

teardown() {
    stop_share
    detach
    unconfigure
}

# A new token of this identity.
new_token() {
    detach
    rm -rf near trace home/.local home-far/.local yes asked
    insert "$1" near --trace trace
}
# A share with these options of a token without a channel, with key 01, which the far machine has activated.
paired() {
    new_token usb
    start_share
    pair_far
    expect 0 "${tool[@]}" "${login[@]}" "${make_key[@]}" 01
    stop_share
    start_share "$@"
}

asked() { grep -c ^CONFIRM asked || true; }

# refused COMMAND TOOL...: the far program fails, the share reports the command, and it does not reach the token.
refused() {
    local before
    before=$(grep -c "^> $1" trace || true)
    expect 1 "${tool[@]}" "${@:2}"
    happens 1 "\"command\":\"$1.*\"event\":\"refused\".*\"host\""
    [ "$(grep -c "^> $1" trace || true)" = "$before" ] || fail "the token got a command $1 that is not allowed"
}

# A login of the security officer returns this value.
administer() {
    printf '%s\n' open 'administer 87654321' | far ./steps "$slot" > output 2>&1 || fail "steps: $(cat output)"
    printed "^administer $1\$" output
}

# The share ends by itself, and leaves the token logged out and the far reader empty.
ends() {
    wait_until sh -c "! kill -0 $share" || fail "the share goes on: $(cat share.log)"
    wait "$share" || fail "the share failed: $(cat share.errors)"
    share=
    keep share
    happens 1 '"state":"completed"'
    wait_for far_has_no_card || fail "the far reader keeps the token"
    is_logged_out
}

@test "--allow read: public objects are listed, a login is refused" {
    paired --allow read
    expect 0 "${tool[@]}" --list-objects
    printed 'Public Key Object'
    refused 00200002 "${login[@]}" --list-objects
}

@test "--confirm login: nobody logs in without the user's consent, who is asked once" {
    new_token usb
    expect 9 "$kanal" share --host $far_address --confirm login
    printed authenticator
    make_pinentry
    paired --allow read,sign --confirm login
    expect 1 "${tool[@]}" "${login[@]}" "${sign[@]}"
    happens 1 '"event":"declined".*"reason":"login"'
    touch yes
    : > asked
    expect 0 "${tool[@]}" "${login[@]}" "${sign[@]}"
    [ "$(asked)" = 1 ] || fail "$(asked) questions instead of one: $(cat asked)"
    printed "SETDESC.*login.*$serial" asked
}

@test "--allow read,sign: signatures; no new key, no login of the security officer" {
    make_pinentry
    paired --allow read,sign --confirm login
    touch yes
    refused 00e0 "${login[@]}" "${make_key[@]}" 02
    : > asked
    administer 0x101
    happens 1 '"command":"00200001.*"event":"refused"'
    not_printed '^> 00200001' trace
    [ "$(asked)" = 0 ] || fail "the user was asked for what is not allowed: $(cat asked)"
}

# bats test_tags=night
@test "--allow read,write: a new key; no signature" {
    paired --allow read,write
    expect 0 "${tool[@]}" "${login[@]}" "${make_key[@]}" 02
    refused "002[2a]" "${login[@]}" "${sign[@]}"
}

# bats test_tags=night
@test "--allow read,admin: the security officer logs in; the user does not" {
    paired --allow read,admin
    administer 0x0
    refused 00200002 "${login[@]}" --list-objects
}

@test "--once: one run of a program with a login, however many sessions it opens; pairing is no use" {
    make_pinentry
    paired --once --confirm signature
    touch yes
    expect 0 far "$kanal" pair --password-source file:password
    sleep 4
    kill -0 "$share" || fail "--once: pairing has ended the share: $(cat share.log)"
    : > asked
    expect 0 "${tool[@]}" "${login[@]}" "${sign[@]}"
    [ "$(asked)" = 2 ] || fail "$(asked) questions instead of two: $(cat asked)"
    ends
}

@test "--for: the share ends in time, and the token is logged out" {
    paired --for 4s
    expect 0 "${tool[@]}" "${login[@]}" "${sign[@]}"
    ends
}

@test "a token that has the channel is not shared with limits that nobody could keep" {
    local option
    new_token bt
    for option in '--allow read' '--confirm login'; do
        [ "$option" != '--confirm login' ] || make_pinentry
        expect 1 "$kanal" share --host $far_address $option
        printed 'has the channel itself'
    done
}

@test "--once with a token that has the channel: one run of a program with a login; pairing and reading are no use" {
    new_token bt
    start_share --once
    pair_far
    expect 0 "${tool[@]}" --list-objects
    expect 0 far opensc-tool --atr
    sleep 4
    kill -0 "$share" || fail "--once: pairing, reading or a question for the card has ended the share: $(cat share.log)"
    expect 0 "${tool[@]}" "${login[@]}" "${make_key[@]}" 01
    ends
}

@test "--once with a token that has the channel: the share ends after a program that was killed, and not before" {
    local program
    new_token bt
    start_share --once
    pair_far
    mkfifo words
    launch sh -c "exec far ./steps $slot < words" > steps.log 2>&1
    program=$launched
    exec 9> words
    printf '%s\n' open "login $pin" keys sign >&9
    wait_until grep -q '^sign 0x0$' steps.log || fail "no signature: $(cat steps.log)"
    sleep 4
    kill -0 "$share" || fail "--once: the share has ended before the program did: $(cat share.log)"
    kill -KILL "$program"
    exec 9>&-
    ends
}
