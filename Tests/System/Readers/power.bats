#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# Other programs that take a token's power, keep it, or end in the middle of a transaction, and a token that leaves or
# hangs, behind a real pcscd with a driver of the test's (Tests/Programs/Token/usb_driver.c) that sends a token without
# power no command.
# bats file_tags=apart
load ../common
load ../usb-reader
load ../application

setup_file() {
    prepare steps disturb
    if ./readers > /dev/null; then
        skip_all "it takes a pcscd of its own: Tests/System/apart bats …"
        return
    fi
    export KANAL_LOG=$work/log
    configure 'busy_window = 1'
    make_reader
    touch controls/virtual
    start_pcscd --config "$work/reader.conf"
    mkfifo hold
}

bring() {
    attach "$identity" "$identity"
    if [ "$identity" = bt ]; then ./activate "$serial" "$password" > /dev/null; fi
}

# An application that uses a token of this kind.
with() { on "$1" begin open "login $pin" keys sign; }

# Another program that holds something until it is released. Its process number is in $other.
hold() {
    exec 9<> hold
    rm -f held
    ./disturb "$@" < hold > held 3>&- 9>&- &
    other=$!
    adopt $other
    wait_until grep -q . held || fail "nothing is held by: $*"
}

release() {
    kill "-${1:-TERM}" $other
    wait $other 2> /dev/null || true
}

# The log behind this number of lines.
logged() { tail -n "+$1" log > news && printed "$2" news; }

unpower() {
    local call
    with "$1"
    for call in sign find; do
        ./disturb unpower > /dev/null
        step 0x0 $call
    done
    ./disturb unpower > /dev/null
    expect 0 pkcs11-tool --module "$module" -L
    printed "$serial"
    step 0x0 sign
    tail -n 5 log > news
    # No command goes to a token without power.
    not_printed transmission news
    end
}

kill_in_transaction() {
    with "$1"
    hold transaction
    send sign
    sleep 0.3
    release KILL
    hear sign
    [ "$answer" = 0x0 ] || fail "\"$answer\" behind a program that was killed in a transaction"
    end
}

wait_for_transaction() {
    local lines
    with "$1"
    lines=$(wc -l < log)
    hold transaction
    step 0x30 sign
    logged "$lines" "card.held.*another program keeps the token"
    lines=$(wc -l < log)
    timeout 20 pkcs11-tool --module "$module" -L > output 2>&1 || [ $? != 124 ] || fail "another program waits for ever"
    logged "$lines" "card.held.*another program keeps the token"
    release
    step 0x0 sign

    # The same behind a reset.
    ./disturb reset > /dev/null
    hold transaction
    step 0x30 sign
    release
    step 0x0 sign
    end
}

@test "usb: another program's SCARD_UNPOWER_CARD ends neither a session nor its login, nor keeps others out" { unpower usb; }
@test "usb: a program that is killed in the middle of a transaction costs others nothing" { kill_in_transaction usb; }
@test "usb: calls wait for another program's transaction for busy_window seconds, and say why they fail" { wait_for_transaction usb; }

@test "a token that leaves in the middle of a command is CKR_DEVICE_REMOVED" {
    local number
    with usb
    end
    # The commands of a signature ask for the serial number, present the PIN, and sign.
    for number in 0 1 2; do
        begin open "login $pin" key sign
        echo $number > controls/leaves
        step 0x32 sign
        step 0xB3 sign
        end
        rm controls/absent
        find_slot "$serial"
    done
}

@test "a program that keeps all connections to a reader is named as the cause" {
    local lines
    with usb
    end
    hold connections 400
    lines=$(wc -l < log)
    expect 1 sh -c "pkcs11-tool --module '$module' -L | grep -q '$serial'"
    logged "$lines" "service.refused.*connections to the reader are in use"
    release
    wait_until sh -c "pkcs11-tool --module '$module' -L | grep -q '$serial'" || fail "no slots behind a greedy program"
}

@test "C_Finalize ends although the card hangs" {
    local ended
    with usb
    kill -STOP "$token"
    sleep 0.6
    ended=$application_process
    close_input
    for _ in {1..80}; do
        kill -0 "$ended" 2> /dev/null || break
        sleep 0.1
    done
    refute kill -0 "$ended" 2> /dev/null
    kill -CONT "$token"
}

@test "bt: another program's SCARD_UNPOWER_CARD ends neither a session nor its login, nor keeps others out" { unpower bt; }
@test "bt: a program that is killed in the middle of a transaction costs others nothing" { kill_in_transaction bt; }
@test "bt: calls wait for another program's transaction for busy_window seconds, and say why they fail" { wait_for_transaction bt; }
