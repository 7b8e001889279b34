# SPDX-License-Identifier: Apache-2.0
# Shared by the files of "kanal doctor": a working machine, which they break, and the findings that they expect. Only the file
# sees the damage: Tests/System/apart provides mounts, among them a /run, and a network; an /etc is made here.

built_kanal=$kanal built_module=$module
kanal=$work/prefix/bin/kanal
library=$work/prefix/lib/libkanal-pkcs11.so
file=$work/home/.config/kanal/kanal.conf
bluetoothctl=$(command -v bluetoothctl || true)
nobody=$(id -u nobody)
as_nobody=(setpriv --reuid="$nobody" --regid="$nobody" --clear-groups env -u XDG_CONFIG_HOME -u XDG_DATA_HOME)
as=()

# Puts the token of setup_file back into the reader, without kanal.conf.
teardown() {
    [ -n "${KANAL_APART:-}" ] || return 0
    rm -rf "$file" /etc/kanal
    if [ -n "$token" ] && [ "$serial" = "$well" ]; then return 0; fi
    detach
    attach usb usb
}

# A machine that is well, with a token whose PIN is not the maker's.
setup_file() {
    prepare hold
    if [ -z "${KANAL_APART:-}" ]; then
        skip_all "only root can break a machine, in mounts and a network of its own: Tests/System/apart bats …"
        return 0
    fi
    # "names" then has severity and name of each finding in the file "found", "remedies" the remedies.
    cat > "$work/findings.py" << 'PROGRAM'
import json
found = json.load(open("found"))
assert found["version"] == 1
assert all(sorted(set(finding) - {"message"}) == ["check", "problem", "remedy", "severity"] for finding in found["findings"])
with open("names", "w") as names, open("remedies", "w") as remedies:
    for finding in found["findings"]:
        print(finding["severity"], finding["check"], file=names)
        print(finding["remedy"], file=remedies)
PROGRAM
    mount -t tmpfs tmpfs /usr/local/lib
    mkdir -p /usr/share/p11-kit/modules
    mount -t tmpfs tmpfs /usr/share/p11-kit/modules
    mount -t tmpfs tmpfs /sys/bus
    cp -a /etc "$work/etc"
    mount --bind "$work/etc" /etc
    mkdir -p /sys/bus/usb/devices
    # It has no BlueZ, unless a test wants one.
    [ -z "$bluetoothctl" ] || mount --bind /dev/null "$bluetoothctl"
    for user in nobody:nobody root:home; do
        sed -i "s|^\(${user%:*}:.*\):[^:]*:\([^:]*\)$|\1:$work/${user#*:}:\2|" /etc/passwd
    done
    rm -rf /etc/kanal
    chmod 755 "$BATS_RUN_TMPDIR" "$work"
    install -d -m 700 -o nobody "$work/nobody"
    install -D "$built_kanal" "$kanal"
    install -D "$built_module" "$library"
    echo "module: $library" > /usr/share/p11-kit/modules/kanal.module
    start_pcscd
    attach usb usb
    echo "$pin" > pin
    echo 11223344 > own
    finds warning pin.factory "kanal pin change --token $serial"
    own_pin
    healthy
    well=$serial
    keep well
}
own_pin() { "$kanal" pin change --token "$serial" --pin-source file:pin --new-pin-source file:own > output; }

# Looks, as the user of $as.
# shellcheck disable=SC2120
look() {
    local status=0 wanted=0
    timeout 60 "${as[@]}" "$kanal" doctor --json "$@" > found 2> said 3>&- || status=$?
    python3 findings.py || fail "no valid findings: $(cat found said)"
    ! grep -q ^error names || wanted=1
    [ "$status" = "$wanted" ] || fail "exit status $status instead of $wanted: $(cat found said)"
}

# Nothing is wrong.
healthy() {
    look
    [ ! -s names ] || fail "not healthy: $(cat found)"
}

# finds SEVERITY NAME REMEDY: expects this finding, and no other.
finds() {
    look
    [ "$(cat names)" = "$1 $2" ] || fail "not $2: $(cat found)"
    [ "$(cat remedies)" = "$3" ] || fail "$2 has another remedy: $(cat found)"$'\n'"$3"
}

# Carries out the remedy, the last resort if it has one, as root, and checks again.
mended() {
    local remedy
    remedy=$(sed 's/.*As a last resort, which [^:]*: //; s/^sudo //; s/| sudo /| /' remedies)
    sh -c "$remedy" > output 2>&1 3>&- || fail "$remedy: $(cat output)"
    healthy
}

card_is_in() { wait_until bash -c card_is_there || fail "no card in the reader"; }

# The remedy of "kanal doctor" for a program that has the card.
let_finish() {
    echo "Let $1 finish its work with the card, or close it. As a last resort, which ends the work of that program: kill $holder"
}

# holder NAME COMMAND...: a program of this name that holds the card, in the way $how; its number is in $holder.
how=
holder() {
    rm -f "$1" held
    cp hold "$1"
    launch "${@:2}" "./$1" $how > held
    holder=$launched
    wait_until grep -q held held || fail "$1 does not get the card"
}
let_go() { stop "$holder"; }
