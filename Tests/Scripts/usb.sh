#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# usb.sh [TRIES]: a plain token that is its own reader on USB, and one in a virtual reader, behind a real pcscd with a
# driver of the test's (Tests/Programs/Token/usb_driver.c). Which commands a call costs in each; and that no PIN reaches
# a token that takes the place of another after some number of commands, in as many tries.
set -euo pipefail
cd "$(dirname "$0")/../.."
. Tests/Scripts/common.sh

tries=${1:-6}
programs=$root/Tests/Programs/Token
prepare steps
if [ "$(id -u)" != 0 ] || [ "$(readlink /proc/self/ns/mnt)" = "$(readlink /proc/1/ns/mnt)" ] || ./readers > /dev/null
then
    skipped "it takes root, and mounts and a pcscd of its own: Tests/Scripts/apart.sh Tests/Scripts/usb.sh"
    exit 0
fi

vpcd=$(dpkg-query --listfiles vsmartcard-vpcd | grep '/libifdvpcd\.so$')
mkdir controls
cc -shared -fPIC -O2 -Wall -Wextra -Werror -I/usr/include/PCSC -DDIRECTORY="\"$work/controls\"" -DVPCD="\"$vpcd\"" \
    "$programs/usb_driver.c" -o driver.so -ldl
printf 'FRIENDLYNAME "Virtual PCD"\nDEVICENAME /dev/null:0x8C7B\nLIBPATH %s\nCHANNELID 0x8C7B\n' "$work/driver.so" \
    > reader.conf

# The first device of the first bus, with the descriptors of a token, or of a reader with a slot.
mount -t tmpfs tmpfs /sys/dev/char
mkdir /sys/dev/char/189:0
device() {
    {
        printf '\x12\x01\x00\x02\x00\x00\x00\x40\x89\x0a\x30\x00\x00\x01\x01\x02\x00\x01'
        printf '\x09\x02\x5d\x00\x01\x01\x00\xa0\x32\x09\x04\x00\x00\x02\x0b\x00\x00\x00'
        printf '\x36\x21\x00\x01\x00\x01\x02\x00\x00\x00\xfc\x0d\x00\x00\xfc\x0d\x00\x00\x00\x80\x25\x00\x00'
        printf '\x80\x25\x00\x00\x00\xfe\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00%b\x0f\x01\x00\x00' "$1"
        printf '\xff\xff\x00\x00\x00\x01\x07\x05\x02\x02\x40\x00\x00\x07\x05\x81\x02\x40\x00\x00'
    } > /sys/dev/char/189:0/descriptors
}
token_features='\x40\x08\x02\x00'
slot_features='\xb8\x04\x02\x00'
device "$token_features"

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
