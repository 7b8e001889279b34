#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# A plain token that is its own reader on USB, and one in a virtual reader, behind a real pcscd with a driver of the test's
# (Tests/Programs/Token/usb_driver.c). Which commands a call costs in each; and that no PIN reaches a token that
# replaces another after some number of commands.
# bats file_tags=apart
load ../common
load ../usb-reader
load ../application

setup_file() {
    prepare steps
    can_seem_usb || { skip_all "it takes root, and mounts and a pcscd of its own: Tests/System/apart bats …"; return; }
    seem_usb
    start_pcscd --config "$work/reader.conf"
    attach usb3 first --trace "$work/first.trace"
    launch "$emulator" --identity usb3 --state second --port 35964 --trace "$work/second.trace" > other.log 2>&1
    wait_until grep -q '^attached:' other.log || fail "the other token is not attached: $(cat other.log)"
}

# The instructions of the commands that a step sends.
sends() {
    local before sent
    before=$(grep -c '^>' first.trace)
    step 0x0 "${@:2}"
    sent=$(grep '^>' first.trace | tail -n +$((before + 1)) | sed 's/^> ..\(..\).*/\1/' | paste -sd ' ')
    [ "$sent" = "$1" ] || fail "${*:2} sends \"$sent\" instead of \"$1\""
}

# The commands of signatures and searches, with this before each.
costs() {
    begin open "login $pin" keys find
    sends "${1}20 22 2a 40" sign
    sends "${1}20 2a 40" sign
    sends "${1}ca" find
    end
}

@test "a token that is its own reader on USB is not asked for its number again" {
    rm -f controls/virtual
    device "$token_features"
    costs ""
}

@test "a token in a reader with a slot is asked for its number each time" {
    rm -f controls/virtual
    device "$slot_features"
    costs "ca "
}

@test "a token in a virtual reader is asked for its number each time" {
    touch controls/virtual
    costs "ca "
}

# Exchanges the token: after some of the commands to one on USB, and between two calls to one in a virtual reader, which
# nothing reports.
exchange() {
    local tries try words swapped=0
    tries=$(amount 6 500)
    device "$token_features"
    : > second.trace
    for ((try = 0; try < tries; try++)); do
        begin open "login $pin"
        [ $((try % 3)) = 0 ] || step 0x0 key
        [ $((try % 3)) != 2 ] || step 0x0 sign
        if [ -e controls/virtual ]; then echo 0; else echo $((try % 7)); fi > controls/swap
        # shellcheck disable=SC2086
        for words in find key sign "login $pin" sign find; do ask $words; done
        [ ! -e controls/other ] || swapped=$((swapped + 1))
        end
        not_printed '^> ..\(20\|24\|2c\)' second.trace
        rm -f controls/{swap,other}
        find_slot "$serial"
    done
    [ $swapped = "$tries" ] || fail "the other token took the place $swapped times of $tries"
}

# bats test_tags=long
@test "no PIN reaches another token that takes the place of one on USB" {
    rm -f controls/virtual
    begin open "login $pin" keys
    end
    exchange
}

# bats test_tags=long
@test "no PIN reaches another token that takes the place of one in a virtual reader" {
    rm -f controls/virtual
    begin open "login $pin" keys
    end
    touch controls/virtual
    exchange
}
