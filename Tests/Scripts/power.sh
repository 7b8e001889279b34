#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# power.sh: other programs that take a token's power, keep it, or end in the middle of a transaction, and a token that
# leaves or hangs, behind a real pcscd with a driver of the test's (Tests/Programs/Token/usb_driver.c) that gives a token
# without power no command.
set -euo pipefail
cd "$(dirname "$0")/../.."
. Tests/Scripts/common.sh
. Tests/Scripts/usb-reader.sh

prepare steps disturb
if ./readers > /dev/null; then
    skipped "it takes a pcscd of its own: Tests/Scripts/apart.sh Tests/Scripts/power.sh"
    exit 0
fi
export KANAL_LOG=$work/log
configure 'busy_window = 1'
make_reader
touch controls/virtual
start_pcscd --config "$work/reader.conf"
mkfifo hold
exec 9<> hold

# One step of the application, and the return value that it must have.
step() {
    local wanted=$1 answer=
    shift
    echo "$*" >&"${application[1]}"
    read -r -t 20 answer <&"${application[0]}" || fail "no answer to: $*"
    [ "${answer#* }" = "$wanted" ] || fail "$kind: \"$answer\" instead of $wanted from: $*"$'\n'"$(tail -n 30 log)"
}

begin() {
    coproc application { ./steps "$slot"; }
    step 0x0 open
    step 0x0 login $pin
    step 0x0 "$1"
    step 0x0 sign
}

end() {
    local ended=$application_PID
    eval "exec ${application[1]}>&-"
    wait "$ended" || fail "the application fails at its end"
}

# Another program that keeps something until it is ended. Its process number is in $other.
keep() {
    rm -f kept
    ./disturb "$@" < hold > kept 9>&- &
    other=$!
    wait_until grep -q . kept || fail "nothing is kept by: $*"
}

# The line of the log behind this number of lines.
log_says() { tail -n "+$1" log | grep -q "$2" || fail "$kind: no \"$2\" in the log: $(tail -n 20 log)"; }

for kind in usb bt; do
    attach $kind $kind
    [ $kind = usb ] || ./activate "$serial" "$password" > /dev/null
    begin keys
    for call in sign find; do
        ./disturb unpower > /dev/null
        step 0x0 $call
    done
    ./disturb unpower > /dev/null
    expect 0 pkcs11-tool --module "$module" -L
    printed "$serial"
    step 0x0 sign
    ! tail -n 5 log | grep -q transmission || fail "$kind: a command went to a token without power"
    passed "$kind: another program's SCARD_UNPOWER_CARD ends neither a session nor its login, nor keeps others out"

    keep transaction
    echo sign >&"${application[1]}"
    sleep 0.3
    kill -KILL $other
    wait $other 2> /dev/null || true
    read -r -t 20 answer <&"${application[0]}" || fail "$kind: no answer behind a program that was killed"
    [ "$answer" = "sign 0x0" ] || fail "$kind: \"$answer\" behind a program that was killed in a transaction"
    passed "$kind: a program that is killed in the middle of a transaction costs others nothing"

    lines=$(wc -l < log)
    keep transaction
    step 0x30 sign
    log_says "$lines" "card.held.*another program keeps the token"
    lines=$(wc -l < log)
    timeout 20 pkcs11-tool --module "$module" -L > output 2>&1 || [ $? != 124 ] || fail "$kind: another program waits for ever"
    log_says "$lines" "card.held.*another program keeps the token"
    kill -TERM $other
    wait $other 2> /dev/null || true
    step 0x0 sign
    passed "$kind: calls wait for another program's transaction for busy_window seconds, and say why they fail"

    ./disturb reset > /dev/null
    keep transaction
    step 0x30 sign
    kill -TERM $other
    wait $other 2> /dev/null || true
    step 0x0 sign
    passed "$kind: the same behind a reset"
    end
    detach
done

kind=usb
attach usb usb
# The commands of a signature ask for the serial number, present the PIN, and sign.
for number in 0 1 2; do
    begin key
    echo $number > controls/leaves
    step 0x32 sign
    step 0xB3 sign
    end
    rm controls/absent
    wait_until sh -c './activate "$0" | grep -q ^slot:' "$serial" || fail "the token does not come back"
done
passed "a token that leaves in the middle of a command is CKR_DEVICE_REMOVED"

keep connections 400
lines=$(wc -l < log)
expect 1 sh -c "pkcs11-tool --module '$module' -L | grep -q '$serial'"
log_says "$lines" "service.refused.*connections to the reader are in use"
kill -TERM $other
wait $other 2> /dev/null || true
wait_until sh -c "pkcs11-tool --module '$module' -L | grep -q '$serial'" || fail "no slots behind a greedy program"
passed "a program that keeps all connections to a reader is named as the cause"

begin key
kill -STOP "$token"
sleep 0.6
ended=$application_PID
eval "exec ${application[1]}>&-"
for _ in {1..80}; do
    kill -0 "$ended" 2> /dev/null || break
    sleep 0.1
done
! kill -0 "$ended" 2> /dev/null || fail "C_Finalize waits for a card that hangs"
kill -CONT "$token"
passed "C_Finalize ends although the card hangs"
