#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Machines on which tokens do not work, because of pcscd, readers, cards or other programs: "kanal doctor" names the
# fault of each and its remedy, which is carried out if it is a command.
set -euo pipefail
cd "$(dirname "$0")/../../.."
. Tests/Scripts/Command/machines.sh

expect 0 "$kanal" doctor
printed "Nothing is wrong"
if strace -V > /dev/null 2>&1; then
    expect 0 strace -f -e trace=file,fchmod,fchown,ftruncate -o trace "$kanal" doctor
    grep -q 'openat(.*O_RDONLY' trace || fail "nothing was traced"
    calls='(mk|rmdir|unlink|rename|link|symlink|f?ch(mod|own)|f?trunc|utime)'
    ! grep -E "O_(WRONLY|RDWR|CREAT|TRUNC)|^[0-9]* +$calls" trace \
        || fail "kanal doctor changes something"
    passed "no file is changed"
fi
as=("${as_nobody[@]}" HOME="$work/nobody")
healthy "another user of it"
as=()

# ---- pcscd ----

stop "$pcscd"
finds error pcscd.running pcscd
expect 0 /usr/bin/python3 -m jsonschema -i found "$root/docs/kanal.schema.json"
expect 1 "$kanal" doctor
printed "^error pcscd.running: pcscd does not run"
printed "^  remedy: pcscd$"
sh -c pcscd
card_is_in
pcscd=$(tr -d '\0' < /run/pcscd/pcscd.pid)
healthy "pcscd stopped, mended by: pcscd"
kill -KILL "$pcscd"
wait_until sh -c '! kill -0 "$0"' "$pcscd"
echo $$ > /run/pcscd/pcscd.pid
finds error pcscd.running "sh -c 'rm -f /run/pcscd/pcscd.pid; pcscd'"
grep -q "belongs to [a-z.]* (process $$, user 0) now" found || fail "whose number it is is not said: $(cat found)"
sh -c "$(cat remedies)"
card_is_in
pcscd=$(tr -d '\0' < /run/pcscd/pcscd.pid)
healthy "a killed pcscd whose number another process has"

mount --bind /dev/null /usr/sbin/pcscd
export PCSCLITE_CSOCK_NAME=$work/missing
finds error pcscd.installed "apt-get install pcscd libccid"
unset PCSCLITE_CSOCK_NAME
umount /usr/sbin/pcscd
library=$(realpath "$(ldconfig -p | sed -n 's/.*libpcsclite\.so\.1 .*=> //p' | head -n 1)")
mount --bind /dev/null "$library"
finds error pcscd.library "apt-get install libpcsclite1"
umount "$library"
passed "pcscd not installed, or its library"

as=("${as_nobody[@]}" HOME="$work/nobody")
chmod 700 /run/pcscd
finds error pcscd.socket "sudo chmod a+rx /run/pcscd"
mended "a closed directory of the socket"
chmod 600 /run/pcscd/pcscd.comm
finds error pcscd.socket "sudo chmod a+rw /run/pcscd/pcscd.comm"
mended "a forbidden socket"
as=()

kill -STOP "$pcscd"
finds error pcscd.answers "kill -CONT $pcscd"
mended "a pcscd that hangs"

# Debian 12 builds pcscd without polkit. This proxy hangs up on all clients, as such a pcscd does on clients that polkit
# refuses, until there is a rule.
cat > guard.py << 'PROGRAM'
import os, socket, threading
def forward(source, target):
    while data := source.recv(65536):
        target.sendall(data)
    target.shutdown(socket.SHUT_WR)
listener = socket.socket(socket.AF_UNIX)
listener.bind("guarded")
os.chmod("guarded", 0o666)
listener.listen()
while True:
    client = listener.accept()[0]
    if not os.path.exists("/etc/polkit-1/rules.d/00-kanal.rules"):
        client.close()
        continue
    service = socket.socket(socket.AF_UNIX)
    service.connect("/run/pcscd/pcscd.comm")
    for pair in (client, service), (service, client):
        threading.Thread(target=forward, args=pair, daemon=True).start()
PROGRAM
timeout 300 python3 guard.py 2> guard.log &
others+=($!)
wait_until test -S guarded
mkdir -p /etc/polkit-1/rules.d /usr/share/polkit-1/actions
mount -t tmpfs tmpfs /usr/share/polkit-1/actions
touch /usr/share/polkit-1/actions/org.debian.pcsc-lite.policy
for user in root nobody; do
    as=(env PCSCLITE_CSOCK_NAME="$work/guarded")
    [ $user = root ] || as=("${as_nobody[@]}" HOME="$work/nobody" PCSCLITE_CSOCK_NAME="$work/guarded")
    finds error pcscd.polkit "Start the system's D-Bus and polkit; where polkit is not wanted, start pcscd with --disable-polkit"
done
passed "pcscd refuses everybody, root too, where polkit cannot be asked"
mkdir -p /run/dbus
touch /run/dbus/system_bus_socket
as=("${as_nobody[@]}" HOME="$work/nobody" PCSCLITE_CSOCK_NAME="$work/guarded")
finds error pcscd.polkit "echo 'polkit.addRule(function(action, subject) {\
 if (action.id.indexOf(\"org.debian.pcsc-lite.\") == 0 && subject.user == \"nobody\") return polkit.Result.YES; });'\
 | sudo tee /etc/polkit-1/rules.d/00-kanal.rules"
mended "a user whom polkit does not let in"
rm /etc/polkit-1/rules.d/00-kanal.rules
umount /usr/share/polkit-1/actions
rmdir -p --ignore-fail-on-non-empty /usr/share/polkit-1/actions
as=(env PCSCLITE_CSOCK_NAME="$work/guarded")
restart() {
    echo "Close the programs that use cards. As a last resort, which ends the work of all programs with cards: sh -c \
'kill -KILL $pcscd; sleep 1; rm -f $work/pcscd.pid; pcscd'"
}
finds error pcscd.clients "$(restart)"
as=()
how=contexts
holder hog
finds error pcscd.clients "$(let_finish hog)"
grep -q "connections: hog (process $holder, user 0) with $(sed 's/held: //' held) connections" found \
    || fail "the connections are not counted: $(cat found)"
mended "a pcscd that has as many clients as it takes"
how=

# It answers only the first request of a client.
cat > silent.py << 'PROGRAM'
import socket, struct
listener = socket.socket(socket.AF_UNIX)
listener.bind("silent")
listener.listen()
clients = []
while True:
    clients.append(listener.accept()[0])
    clients[-1].recv(20, socket.MSG_WAITALL)
    clients[-1].sendall(struct.pack("III", 4, 4, 0))
PROGRAM
timeout 300 python3 silent.py &
others+=($!)
wait_until test -S silent
as=(env PCSCLITE_CSOCK_NAME="$work/silent")
finds error pcscd.readers "$(restart)"
as=()
passed "a pcscd that hangs later"

# As pcscd 2.3 answers libpcsclite of Debian 12.
cat > other.py << 'PROGRAM'
import socket, struct
listener = socket.socket(socket.AF_UNIX)
listener.bind("other")
listener.listen()
while True:
    client = listener.accept()[0]
    if len(client.recv(20, socket.MSG_WAITALL)) == 20:
        client.sendall(struct.pack("III", 4, 5, 0x8010001E))
PROGRAM
timeout 300 python3 other.py &
others+=($!)
wait_until test -S other
as=(env PCSCLITE_CSOCK_NAME="$work/other")
finds error pcscd.version "Use the same version of libpcsclite and pcscd: in a container or Flatpak that of the machine that \
runs pcscd"
grep -q "libpcsclite ($library, .*) and pcscd (pcscd (process $pcscd, user 0), .*[0-9], protocol 4.5) are of different" found \
    || fail "no versions: $(cat found)"
expect 3 "${as[@]}" "$kanal" info
printed "pcscd and libpcsclite are of different versions"
expect 2 env KANAL_LOG="$work/other.log" "${as[@]}" ./activate "$serial"
grep -q "\[service.incompatible\]" other.log || fail "the library does not log it: $(cat other.log)"
as=()
passed "a pcscd of another version than libpcsclite"

# ---- Readers and cards ----

holder scdaemon
finds error reader.held "gpgconf --kill scdaemon"
let_go
healthy "the user's scdaemon held the reader, and is gone"
holder scdaemon setpriv --reuid="$nobody" --regid="$nobody" --clear-groups
finds error reader.held "$(let_finish scdaemon)"
mended "another user's scdaemon holds the reader"
holder reader-program
finds error reader.held "$(let_finish reader-program)"
mended "a program that is not known holds the reader"
how=transaction
holder reader-program
finds error reader.busy "$(let_finish reader-program)"
grep -q "reader-program (process $holder, user 0) keeps it" found || fail "nobody keeps it: $(cat found)"
mended "a program keeps the card in a transaction"
how=handles
holder reader-program
finds error reader.crowded "$(let_finish reader-program)"
mended "a program has as many handles of the reader as pcscd takes"
how=
kill -STOP "$token"
finds error reader.busy "Take the token out, and put it in again"
kill -CONT "$token"
card_is_in
healthy "a card that did not answer"

detach
finds error token.none "Put the token into the reader"
passed "no token"

# ---- Bluetooth ----

# finds_radio NAME REMEDY: expects this finding beside the missing token.
finds_radio() {
    look
    [ "$(xargs < names)" = "error token.none warning bluetooth.$1" ] || fail "not bluetooth.$1: $(cat found)"
    [ "$(tail -n 1 remedies)" = "$2" ] || fail "bluetooth.$1 has another remedy: $(cat found)"
}
bluez() { dbus-send --system --print-reply --dest=org.bluez "$@" > reply || fail "BlueZ: $*"; }

# bluetoothctl itself asks; behind it is BlueZ's interface of python-dbusmock, which needs no radio.
if [ -n "$bluetoothctl" ] && /usr/bin/python3 -c 'import dbusmock' 2> /dev/null; then
    umount "$bluetoothctl"
    mount -t tmpfs tmpfs /sys/class
    export DBUS_SYSTEM_BUS_ADDRESS=unix:path=$work/bus
    finds_radio radio "Plug in a Bluetooth adapter, or turn the radio on in the machine's settings"
    mkdir -p /sys/class/bluetooth/hci0
    finds_radio service "Start bluetoothd, the service of BlueZ"
    dbus-daemon --session --nofork --nopidfile --address="$DBUS_SYSTEM_BUS_ADDRESS" > bus.log 2>&1 &
    others+=($!)
    wait_until test -S bus
    finds_radio service "Start bluetoothd, the service of BlueZ"
    /usr/bin/python3 -m dbusmock --system --template bluez5 > bluez.log 2>&1 &
    others+=($!)
    wait_until sh -c 'timeout 2 "$0" show | grep -q "No default controller"' "$bluetoothctl" || fail "no BlueZ: $(cat bluez.log)"
    finds_radio radio "Plug in a Bluetooth adapter, or turn the radio on in the machine's settings"
    passed "no Bluetooth radio, and a service of Bluetooth that does not answer"

    bluez / org.bluez.Mock.AddAdapter string:hci0 string:desk
    address=00:11:22:33:44:55
    bluez / org.bluez.Mock.AddDevice string:hci0 string:00:11:22:33:44:66 string:Headphones
    finds_radio pairing "Hold the token's button until it blinks, find it by \"bluetoothctl --timeout 30 scan on\", \
then: bluetoothctl pair ADDRESS"
    bluez / org.bluez.Mock.AddDevice string:hci0 string:$address string:"Rutoken ECP BT 1"
    finds_radio pairing "Hold its button until it blinks, then: bluetoothctl pair $address"
    bluez / org.bluez.Mock.PairDevice string:hci0 string:$address int32:0
    finds_radio connection "Hold its button until it blinks, then: bluetoothctl connect $address"
    bluez /org/bluez/hci0 org.freedesktop.DBus.Properties.Set string:org.bluez.Adapter1 string:Powered variant:boolean:false
    finds_radio off "bluetoothctl power on"
    mkdir -p /sys/class/rfkill/rfkill0
    echo bluetooth > /sys/class/rfkill/rfkill0/type
    echo 1 > /sys/class/rfkill/rfkill0/soft
    finds_radio off "rfkill unblock bluetooth"
    echo 0 > /sys/class/rfkill/rfkill0/soft
    finds_radio off "bluetoothctl power on"
    sh -c "$(tail -n 1 remedies)" > output 2>&1 || fail "$(cat output)"
    finds_radio connection "Hold its button until it blinks, then: bluetoothctl connect $address"
    bluez / org.bluez.Mock.ConnectDevice string:hci0 string:$address
    finds error token.none "Put the token into the reader"
    unset DBUS_SYSTEM_BUS_ADDRESS
    umount /sys/class
    mount --bind /dev/null "$bluetoothctl"
    passed "a Bluetooth radio that is off, a token that is not known, not paired, not connected, and one that is"
else
    skipped "Bluetooth: bluez and python3-dbusmock are not installed"
fi

cat > card.py << 'PROGRAM'
import socket, struct, sys
reader = socket.create_connection(("127.0.0.1", int(sys.argv[1])))
def take(count):
    data = b""
    while len(data) < count:
        part = reader.recv(count - len(data))
        if not part:
            sys.exit()
        data += part
    return data
def give(data):
    reader.sendall(struct.pack(">H", len(data)) + data)
while True:
    frame = take(struct.unpack(">H", take(2))[0])
    if frame == b"\4":
        give(bytes.fromhex("3b021450"))
    elif len(frame) > 1:
        give(b"\x6d\x00")
PROGRAM
timeout 300 python3 card.py 35963 &
foreign=$!
others+=($foreign)
card_is_in
finds error token.foreign "Put a Rutoken into the reader instead of this card"
passed "a foreign card"
stop "$foreign"
wait_until sh -c '! ./readers | grep -q "^card"'

attach bt bt
printf '%s\n' "$password" > password
expect 0 "$kanal" pair --password-source file:password
own_pin
line="wireless_readers = Virtual PCD*"
finds warning reader.wireless "mkdir -p $HOME/.config/kanal && echo '$line' > $file"
mended "a Bluetooth token in a virtual reader"
echo "[program other]" > "$file"
finds warning reader.wireless "sed -i '1i$line' $file"
mended "the same, with a file"
mv "$XDG_DATA_HOME/kanal" pairings
finds error channel.inactive "kanal pair $serial"
passed "a token that is not activated"
rm -rf "$XDG_DATA_HOME/kanal"
mv pairings "$XDG_DATA_HOME/kanal"
rm "$file"
detach
attach usb usb
timeout 300 python3 card.py 35964 &
foreign=$!
others+=($foreign)
wait_until sh -c '[ "$(./readers | grep -c "^card .*Virtual PCD")" = 2 ]'
finds warning token.foreign "Put a Rutoken into the reader instead of this card"
stop "$foreign"
wait_until sh -c '[ "$(./readers | grep -c "^card .*Virtual PCD")" = 1 ]'
healthy "a foreign card beside a token, taken out"

# ---- Tokens on USB ----

device=/sys/bus/usb/devices/1-1
mkdir -p $device $device:1.1/tty/ttyACM0
echo 0a89 > $device/idVendor
echo ffff > $device/idProduct
echo "Rutoken ECP" > $device/product
cp /bin/sleep ModemManager
./ModemManager 300 &
others+=($!)
finds warning reader.modem "echo 'ATTRS{idVendor}==\"0a89\", ENV{ID_MM_DEVICE_IGNORE}=\"1\"'\
 | tee /etc/udev/rules.d/78-kanal.rules"
stop "${others[-1]}"
passed "ModemManager and a token with a serial line"
mv /etc/reader.conf.d readers.conf
stop "$pcscd"
pcscd --foreground > pcscd.log 2>&1 &
pcscd=$!
wait_until ./readers
look
[ "$(xargs < names)" = "error reader.none error reader.driver" ] || fail "not two: $(cat found)"
grep -q 'install libccid$' remedies || fail "another remedy: $(cat found)"
rm -r $device $device:1.1
cp /bin/sleep openct
./openct 300 &
others+=($!)
finds error reader.none "Plug in the token, or its reader"
mkdir $device:1.0
echo 0b > $device:1.0/bInterfaceClass
holder=${others[-1]}
finds error reader.held "$(let_finish openct)"
passed "another program that has taken the reader from pcscd"
stop "${others[-1]}"
rm -r $device:1.0
finds error reader.none "Plug in the token, or its reader"
passed "no reader, and a token that is younger than the driver"
mv readers.conf /etc/reader.conf.d
stop "$pcscd"
start_pcscd
card_is_in
healthy "well again"

# ---- The page ----

for name in $(grep -hoE '"(pcscd|bluetooth|reader|token|library|p11kit|configuration|home|store|clock|openssl|containers?)\.[a-z-]+"' \
    "$root"/Sources/KanalCommand/Doctor/*.swift | tr -d '"' | sort -u); do
    for page in docs/Doctor.md docs/ru/Doctor.md; do
        grep -q "\`$name\`" "$root/$page" || fail "$page does not have $name"
    done
done
passed "the pages have every finding"
