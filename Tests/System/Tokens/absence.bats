#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# A token that leaves its reader and returns, a token that another replaces, and a restarted pcscd, behind a real
# pcscd (GSC/1, 15.3); and operations on a token that only an application of the vendor's kind uses.
# bats file_tags=pcscd
load ../common
load ../application

setup_file() {
    prepare steps
    export KANAL_LOG=$work/log
    start_pcscd
}

teardown() { detach; }

# A token with a channel, and its application.
bluetooth() {
    configure 'wireless_readers = Virtual PCD *' 'reconnect_window = 8'
    attach bt bluetooth
    [ -e activated ] || expect 0 timeout 60 ./activate "$serial" "$password"
    touch activated
    begin open "login $pin" keys sign
}

# A token without one.
plain() {
    configure "reconnect_window_wired = ${1:-8}"
    attach usb3 "${2:-plain}"
    begin open "login $pin" keys sign
}

sleep_and() {
    sleep "$1"
    exec "${@:2}"
}

# Attaches a token after a number of seconds.
attach_after() {
    launch sleep_and "$1" "$emulator" --identity bt --state "$2" > emulator.log 2>&1
    token=$launched
    keep token
}

# A token without channel is logged in to while another one of its kind waits for its place, and moves there as soon as it
# is free: within one look of pcscd, which reports nothing. The commands to the other one are in the file "trace".
swap() {
    local other
    plain "$1" first
    rm -f trace
    launch "$emulator" --identity usb3 --state second --trace "$work/trace" > other.log 2>&1
    other=$launched
    # Two tokens are connected to the port of the reader, 35963.
    wait_until sh -c '[ "$(grep -c " [0-9A-F]*:8C7B 01 " /proc/net/tcp)" = 2 ]' \
        || fail "the other token does not wait: $(cat other.log)"
    kill "$token"
    for _ in {1..40}; do
        ask sign
        case $answer in
            0x30 | 0x32) ;;
            0xB3) break ;;
            *) fail "$answer from a signature with a token that is not there" ;;
        esac
        [ "$1" != 0 ] || sleep 0.1
    done
    [ "$answer" = 0xB3 ] || fail "the session has not ended: $(tail -n 40 log)"
    end
    wait_until grep -q '^attached:' other.log || fail "the other token does not come: $(cat other.log)"
    token=$other
    not_printed '^> ..\(20\|24\|2c\)' trace
}

# Restarts the pcscd that the test has started, and waits until it shows the token.
restart_pcscd() {
    stop "$pcscd"
    start_pcscd
    wait_until bash -c card_is_there || fail "the token does not come back"
}

# An application's session outlives two restarts of pcscd, in the middle of a call and between two.
outlives_restarts() {
    needs_own_pcscd
    "$1"
    stop "$pcscd"
    # It comes back while the application waits.
    launch sleep_and 1 $sudo pcscd --foreground > pcscd.log 2>&1
    pcscd=$launched
    keep pcscd
    step 0x0 sign
    step 0x0 find
    restart_pcscd
    step 0x0 sign
    end
}

# It outlives an absence of the token between two calls.
outlives_absence() {
    "$1"
    kill -USR1 "$token"
    wait_until bash -c no_card_is_there || fail "the token does not leave its reader"
    launch sleep_and 1 kill -USR2 "$token"
    step 0x0 sign
    step 0x0 find
    end
}

@test "N74: a token back within the window goes on with its session and login" {
    local call
    bluetooth
    for call in sign find; do
        detach
        attach_after 2 bluetooth
        step 0x0 "$call"
        step 0x0 sign
    done
    printed "waiting for token" log
    printed "completed" log
    end
}

@test "N77: after the window the session has ended" {
    bluetooth
    detach
    step 0x32 sign
    step 0xB3 sign
    end
}

@test "N76: another token ends the session, and gets no PIN" {
    bluetooth
    detach
    attach_after 1 another
    step 0x32 sign
    printed "wrong token" log
    end
}

@test "N53: a signature during which the token leaves succeeds or ends as CKR_DEVICE_REMOVED, and the next goes on" {
    bluetooth
    ask sign
    for _ in {1..5}; do
        for _ in {1..20}; do send sign; done
        stop "$token"
        # All these may be done by now: this one meets the absence.
        send sign
        attach_after 1 bluetooth
        for _ in {1..21}; do
            hear sign
            case $answer in
                0x0 | 0x32) ;;
                *) fail "$answer from a signature during which the token left: $(tail -n 40 log)" ;;
            esac
        done
        step 0x0 sign
    done
    end
}

@test "with a channel, a session and its login outlive two restarts of pcscd" { outlives_restarts bluetooth; }
@test "with a channel, a session and its login outlive a token's absence" { outlives_absence bluetooth; }
@test "without a channel, a session and its login outlive two restarts of pcscd" { outlives_restarts plain; }
@test "without a channel, a session and its login outlive a token's absence" { outlives_absence plain; }

@test "C_EX_InitToken formats by the shorter structure; the token's new activation password activates another user" {
    unconfigure
    attach bt formatted
    expect 0 timeout 60 ./activate "$serial" "$password"
    begin "format 87654321" open "administer 87654321" generate close
    end
    XDG_DATA_HOME=$work/another expect 0 timeout 60 ./activate "$serial" "$new_password"
}

@test "an agent of OpenSSH signs before and after a restart of pcscd" {
    needs_own_pcscd
    configure 'reconnect_window_wired = 8'
    attach usb3 agents-token
    expect 0 pkcs11-tool --module "$module" --login --pin $pin --keypairgen --key-type rsa:2048 --id 02
    start_agent
    expect 0 ssh-add -T key.pub
    restart_pcscd
    expect 0 ssh-add -T key.pub
    stop_agent
}

@test "N76a: a token that takes another's place, however fast, gets no PIN, and the session ends" {
    swap 8
    detach
    swap 0
}
