# SPDX-License-Identifier: Apache-2.0
# Shared by the scripts of "kanal doctor": a working machine, which they break, and the findings that they expect. To be
# sourced from the project's root. Only the script sees the damage: it has mounts, among them an /etc and a /run, a
# network and a pcscd of its own.

if [ "$(id -u)" != 0 ] || ! unshare --mount --net true 2> /dev/null; then
    echo "skipped: only root can break a machine, in mounts and a network of its own"
    exit 0
fi
mounts=$(readlink /proc/self/ns/mnt)
if [ "${KANAL_OUTER_MOUNTS:-$mounts}" = "$mounts" ]; then
    KANAL_OUTER_MOUNTS=$mounts exec unshare --mount --net --propagation private "Tests/Scripts/Command/${0##*/}" "$@"
fi
. Tests/Scripts/common.sh

kanal=$root/.build/release/kanal
nobody=$(id -u nobody)
as_nobody=(setpriv --reuid="$nobody" --regid="$nobody" --clear-groups env -u XDG_CONFIG_HOME -u XDG_DATA_HOME)
as=()

# Reads the output of "kanal doctor --json" from "found". "names" then has severity and name of each finding, "remedies"
# the remedies.
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

# Looks, as the user of $as.
look() {
    local status=0 wanted=0
    timeout 60 "${as[@]}" "$kanal" doctor --json "$@" > found 2> said || status=$?
    python3 findings.py || fail "no valid findings: $(cat found said)"
    ! grep -q ^error names || wanted=1
    [ "$status" = "$wanted" ] || fail "exit status $status instead of $wanted: $(cat found said)"
}

healthy() {
    look
    [ ! -s names ] || fail "$1: $(cat found)"
    passed "$1"
}

# finds SEVERITY NAME REMEDY: expects this finding, and no other.
finds() {
    look
    [ "$(cat names)" = "$1 $2" ] || fail "not $2: $(cat found)"
    [ "$(cat remedies)" = "$3" ] || fail "$2 has another remedy: $(cat found)"$'\n'"$3"
}

# Carries out the remedy, the last resort if it has one, as root, and checks again.
mended() {
    local remedy=$(sed 's/.*As a last resort, which [^:]*: //; s/^sudo //; s/| sudo /| /' remedies)
    sh -c "$remedy" > output 2>&1 || fail "$remedy: $(cat output)"
    healthy "$1, mended by: $remedy"
}

card_is_in() { wait_until sh -c './readers | grep -q "^card .*Virtual PCD 00 00"' || fail "no card in the reader"; }

# What "kanal doctor" says of a program that has the card.
let_finish() {
    echo "Let $1 finish its work with the card, or close it. As a last resort, which ends the work of that program: kill $holder"
}

# holder NAME COMMAND...: a program of this name that holds the card, in the way $how; its number is in $holder.
how=
holder() {
    rm -f "$1" held
    cp hold "$1"
    "${@:2}" "./$1" $how > held &
    holder=$!
    others+=($holder)
    wait_until grep -q held held || fail "$1 does not get the card"
}
let_go() {
    kill "$holder"
    wait "$holder" || true
}

python3 -c 'import fcntl, socket, struct
fcntl.ioctl(socket.socket(), 0x8914, struct.pack("16sh", b"lo", 0x41))  # SIOCSIFFLAGS: up and running'
mount -t tmpfs tmpfs /run
mount -t tmpfs tmpfs /usr/local/lib
mkdir -p /usr/share/p11-kit/modules
mount -t tmpfs tmpfs /usr/share/p11-kit/modules
mount -t tmpfs tmpfs /sys/bus
cp -a /etc "$work/etc"
mount --bind "$work/etc" /etc
[ /etc -ef "$work/etc" ] || fail "/etc is not the script's own"
mkdir -p /sys/bus/usb/devices
# A machine of its own has no BlueZ, unless a script wants one.
bluetoothctl=$(command -v bluetoothctl || true)
[ -z "$bluetoothctl" ] || mount --bind /dev/null "$bluetoothctl"
for user in nobody:nobody root:home; do
    sed -i "s|^\(${user%:*}:.*\):[^:]*:\([^:]*\)$|\1:$work/${user#*:}:\2|" /etc/passwd
done
rm -rf /etc/kanal
chmod 755 "$work"
install -d -m 700 -o nobody "$work/nobody"
library=$work/prefix/lib/libkanal-pkcs11.so
install -D "$kanal" "$work/prefix/bin/kanal"
install -D "$module" "$library"
kanal=$work/prefix/bin/kanal
echo "module: $library" > /usr/share/p11-kit/modules/kanal.module
prepare hold
start_pcscd
attach usb usb
echo "$pin" > pin
echo 11223344 > own

# Gives the token a PIN that is not the maker's, as on a machine that is well.
own_pin() { "$kanal" pin change --token "$serial" --pin-source file:pin --new-pin-source file:own > output; }

finds warning pin.factory "kanal pin change --token $serial"
own_pin
healthy "a machine that is well, when the maker's PIN was changed"
file=$HOME/.config/kanal/kanal.conf
