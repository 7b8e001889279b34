#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# usb.sh [TRIES]: a plain token that is its own reader on USB, and one in a virtual reader, behind a real pcscd with a
# driver of the test's (Tests/Programs/Token/usb_driver.c). Which commands a call costs in each; and that no PIN reaches
# a token that takes the place of another after some number of commands, in as many tries.
set -euo pipefail
cd "$(dirname "$0")/../.."
. Tests/Scripts/common.sh
. Tests/Scripts/usb-reader.sh

tries=${1:-6}
prepare steps
if ! can_seem_usb; then
    skipped "it takes root, and mounts and a pcscd of its own: Tests/Scripts/apart.sh Tests/Scripts/usb.sh"
    exit 0
fi

seem_usb
start_pcscd --config "$work/reader.conf"
attach usb3 first --trace "$work/first.trace"
"$emulator" --identity usb3 --state second --port 35964 --trace "$work/second.trace" > other.log 2>&1 &
others+=("$!")
wait_until grep -q '^attached:' other.log || fail "the other token is not attached: $(cat other.log)"

# One step of the application; "answer" is its return value.
step() {
    answer=
    echo "$*" >&"${application[1]}"
    read -r -t 60 answer <&"${application[0]}" || fail "no answer to: $*"
    answer=${answer#* }
}

# A step that must succeed.
done_by() {
    step "$@"
    [ "$answer" = 0x0 ] || fail "$answer from: $*"
}

begin() {
    coproc application { ./steps "$slot"; }
    done_by open
    done_by login $pin
}

end() {
    local ended=$application_PID
    eval "exec ${application[1]}>&-"
    wait "$ended" || true
}

# The instructions of the commands that a step sends.
instructions() {
    local before
    before=$(grep -c '^>' first.trace)
    done_by "$@"
    sent=$(grep '^>' first.trace | tail -n +$((before + 1)) | sed 's/^> ..\(..\).*/\1/' | paste -sd ' ')
}

sends() {
    local expected=$1
    shift
    instructions "$@"
    [ "$sent" = "$expected" ] || fail "$kind: $* sends \"$sent\" instead of \"$expected\""
}

for kind in token slot virtual; do
    case $kind in
        token) device "$token_features" ;;
        slot) device "$slot_features" ;;
        virtual) touch controls/virtual ;;
    esac
    case $kind in
        token) number= ;;
        *) number="ca " ;;
    esac
    begin
    done_by keys
    done_by find
    sends "${number}20 22 2a 40" sign
    sends "${number}20 2a 40" sign
    sends "${number}ca" find
    end
    case $kind in
        token) passed "a token that is its own reader on USB is not asked for its number again" ;;
        slot) passed "in a reader with a slot it is asked for each time" ;;
        virtual) passed "in a virtual reader it is asked for each time" ;;
    esac
done

# The first token is back, and pcscd knows.
restore() {
    rm -f controls/{swap,other}
    wait_until sh -c './activate "$0" | grep -q ^slot:' "$serial" || fail "the first token does not come back"
}

rm controls/virtual
device "$token_features"
: > second.trace
for kind in token virtual; do
    [ "$kind" = token ] || touch controls/virtual
    swapped=0
    for ((try = 0; try < tries; try++)); do
        begin
        [ $((try % 3)) = 0 ] || done_by key
        [ $((try % 3)) != 2 ] || done_by sign
        # A virtual reader's token is replaced between two calls: nothing tells of it.
        moment=0
        [ "$kind" = virtual ] || moment=$((try % 7))
        echo $moment > controls/swap
        for call in find key sign "login $pin" sign find; do
            # shellcheck disable=SC2086
            step $call
        done
        [ ! -e controls/other ] || swapped=$((swapped + 1))
        end
        ! grep -q '^> ..\(20\|24\|2c\)' second.trace || fail "$kind, try $try: the other token got a PIN: $(cat second.trace)"
        restore
    done
    [ $swapped = "$tries" ] || fail "$kind: the other token took the place $swapped times of $tries"
    passed "$kind: no PIN reaches another token in $tries tries"
done
