#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# Machines on which tokens do not work, because of pcscd, readers, cards or other programs: "kanal doctor" names the fault of
# each and its remedy, which is carried out if it is a command.
# bats file_tags=apart
load ../common
load machines

pcsclite=$(realpath "$(ldconfig -p | sed -n 's/.*libpcsclite\.so\.1 .*=> //p' | head -n 1)")

# pcscd has been started by a remedy.
has_started() {
    card_is_in
    pcscd=$(tr -d '\0' < /run/pcscd/pcscd.pid)
    keep pcscd
    adopt "$pcscd"
}

restart() {
    echo "Close the programs that use cards. As a last resort, which ends the work of all programs with cards: sh -c \
'kill -KILL $pcscd; sleep 1; rm -f $work/pcscd.pid; pcscd'"
}

# A card of another vendor: the port of its reader.
foreign_card() {
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
    launch timeout 300 python3 card.py "$1"
    foreign=$launched
}

# A token on USB that the driver does not know, with a serial line.
usb_device() {
    device=/sys/bus/usb/devices/1-1
    mkdir -p $device $device:1.1/tty/ttyACM0
    echo 0a89 > $device/idVendor
    echo ffff > $device/idProduct
    echo "Rutoken ECP" > $device/product
}

# finds_radio NAME REMEDY: expects this finding beside the missing token.
finds_radio() {
    look
    [ "$(xargs < names)" = "error token.none warning bluetooth.$1" ] || fail "not bluetooth.$1: $(cat found)"
    [ "$(tail -n 1 remedies)" = "$2" ] || fail "bluetooth.$1 has another remedy: $(cat found)"
}
bluez() { dbus-send --system --print-reply --dest=org.bluez "$@" > reply || fail "BlueZ: $*"; }

@test "a machine that is well: nothing is wrong, and no file is changed" {
    expect 0 "$kanal" doctor
    printed "Nothing is wrong"
    strace -V > /dev/null 2>&1 || skip "no strace"
    expect 0 strace -f -e trace=file,fchmod,fchown,ftruncate -o trace "$kanal" doctor
    printed 'openat(.*O_RDONLY' trace
    calls='(mk|rmdir|unlink|rename|link|symlink|f?ch(mod|own)|f?trunc|utime)'
    ! grep -E "O_(WRONLY|RDWR|CREAT|TRUNC)|^[0-9]* +$calls" trace \
        || fail "kanal doctor changes something"
}

@test "a machine that is well, to another user" {
    as=("${as_nobody[@]}" HOME="$work/nobody")
    healthy
}

@test "pcscd is stopped, or was killed, and another process has its number" {
    stop "$pcscd"
    finds error pcscd.running pcscd
    expect 0 /usr/bin/python3 -m jsonschema -i found "$root/docs/kanal.schema.json"
    expect 1 "$kanal" doctor
    printed "^error pcscd.running: pcscd does not run"
    printed "^  remedy: pcscd$"
    sh -c pcscd 3>&-
    has_started
    healthy
    kill -KILL "$pcscd"
    wait_until sh -c '! kill -0 "$0"' "$pcscd"
    echo $$ > /run/pcscd/pcscd.pid
    finds error pcscd.running "sh -c 'rm -f /run/pcscd/pcscd.pid; pcscd'"
    printed "belongs to [a-z.]* (process $$, user 0) now" found
    sh -c "$(cat remedies)" 3>&-
    has_started
    healthy
}

@test "pcscd is not installed, or its library" {
    mount --bind /dev/null /usr/sbin/pcscd
    export PCSCLITE_CSOCK_NAME=$work/missing
    finds error pcscd.installed "apt-get install pcscd libccid"
    unset PCSCLITE_CSOCK_NAME
    umount /usr/sbin/pcscd
    mount --bind /dev/null "$pcsclite"
    finds error pcscd.library "apt-get install libpcsclite1"
    umount "$pcsclite"
}

@test "the socket of pcscd, or its directory, is forbidden" {
    as=("${as_nobody[@]}" HOME="$work/nobody")
    chmod 700 /run/pcscd
    finds error pcscd.socket "sudo chmod a+rx /run/pcscd"
    mended
    chmod 600 /run/pcscd/pcscd.comm
    finds error pcscd.socket "sudo chmod a+rw /run/pcscd/pcscd.comm"
    mended
}

@test "pcscd hangs" {
    kill -STOP "$pcscd"
    finds error pcscd.answers "kill -CONT $pcscd"
    mended
}

@test "polkit lets nobody in, or not the user" {
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
    launch timeout 300 python3 guard.py 2> guard.log
    wait_until test -S guarded
    mkdir -p /etc/polkit-1/rules.d /usr/share/polkit-1/actions
    mount -t tmpfs tmpfs /usr/share/polkit-1/actions
    touch /usr/share/polkit-1/actions/org.debian.pcsc-lite.policy
    for user in root nobody; do
        as=(env PCSCLITE_CSOCK_NAME="$work/guarded")
        [ $user = root ] || as=("${as_nobody[@]}" HOME="$work/nobody" PCSCLITE_CSOCK_NAME="$work/guarded")
        finds error pcscd.polkit "Start the system's D-Bus and polkit; where polkit is not wanted, start pcscd with --disable-polkit"
    done
    mkdir -p /run/dbus
    touch /run/dbus/system_bus_socket
    as=("${as_nobody[@]}" HOME="$work/nobody" PCSCLITE_CSOCK_NAME="$work/guarded")
    finds error pcscd.polkit "echo 'polkit.addRule(function(action, subject) {\
 if (action.id.indexOf(\"org.debian.pcsc-lite.\") == 0 && subject.user == \"nobody\") return polkit.Result.YES; });'\
 | sudo tee /etc/polkit-1/rules.d/00-kanal.rules"
    mended
    rm /etc/polkit-1/rules.d/00-kanal.rules
    umount /usr/share/polkit-1/actions
    rmdir -p --ignore-fail-on-non-empty /usr/share/polkit-1/actions
    as=(env PCSCLITE_CSOCK_NAME="$work/guarded")
    finds error pcscd.clients "$(restart)"
    as=()
}

@test "pcscd has as many clients as it takes" {
    local how=contexts
    holder hog
    finds error pcscd.clients "$(let_finish hog)"
    printed "connections: hog (process $holder, user 0) with $(sed 's/held: //' held) connections" found
    mended
}

@test "pcscd hangs later" {
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
    launch timeout 300 python3 silent.py
    wait_until test -S silent
    as=(env PCSCLITE_CSOCK_NAME="$work/silent")
    finds error pcscd.readers "$(restart)"
    as=()
}

@test "pcscd is of another version than libpcsclite" {
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
    launch timeout 300 python3 other.py
    wait_until test -S other
    as=(env PCSCLITE_CSOCK_NAME="$work/other")
    finds error pcscd.version "Use the same version of libpcsclite and pcscd: in a container or Flatpak that of the machine that \
runs pcscd"
    printed "libpcsclite ($pcsclite, .*) and pcscd (pcscd (process $pcscd, user 0), .*[0-9], protocol 4.5) are of different" found
    expect 3 "${as[@]}" "$kanal" info
    printed "pcscd and libpcsclite are of different versions"
    expect 2 env KANAL_LOG="$work/other.log" "${as[@]}" ./activate "$serial"
    printed "\[service.incompatible\]" other.log
    as=()
}

@test "a program holds the reader, keeps the card, or has all handles" {
    local how=
    holder scdaemon
    finds error reader.held "gpgconf --kill scdaemon"
    let_go
    healthy
    holder scdaemon setpriv --reuid="$nobody" --regid="$nobody" --clear-groups
    finds error reader.held "$(let_finish scdaemon)"
    mended
    holder reader-program
    finds error reader.held "$(let_finish reader-program)"
    mended
    how=transaction
    holder reader-program
    finds error reader.busy "$(let_finish reader-program)"
    printed "reader-program (process $holder, user 0) keeps it" found
    mended
    how=handles
    holder reader-program
    finds error reader.crowded "$(let_finish reader-program)"
    mended
    how=
}

@test "a card does not answer" {
    kill -STOP "$token"
    finds error reader.busy "Take the token out, and put it in again"
    kill -CONT "$token"
    card_is_in
    healthy
}

@test "there is no token" {
    detach
    finds error token.none "Put the token into the reader"
}

@test "the radio of Bluetooth is off, or its token is not known, not paired, not connected" {
    [ -n "$bluetoothctl" ] && /usr/bin/python3 -c 'import dbusmock' 2> /dev/null || skip "no bluez or python3-dbusmock"
    detach
    umount "$bluetoothctl"
    mount -t tmpfs tmpfs /sys/class
    export DBUS_SYSTEM_BUS_ADDRESS=unix:path=$work/bus
    finds_radio radio "Plug in a Bluetooth adapter, or turn the radio on in the machine's settings"
    mkdir -p /sys/class/bluetooth/hci0
    finds_radio service "Start bluetoothd, the service of BlueZ"
    launch dbus-daemon --session --nofork --nopidfile --address="$DBUS_SYSTEM_BUS_ADDRESS" > bus.log 2>&1
    wait_until test -S bus
    finds_radio service "Start bluetoothd, the service of BlueZ"
    launch /usr/bin/python3 -m dbusmock --system --template bluez5 > bluez.log 2>&1
    wait_until sh -c 'timeout 2 "$0" show | grep -q "No default controller"' "$bluetoothctl" || fail "no BlueZ: $(cat bluez.log)"
    finds_radio radio "Plug in a Bluetooth adapter, or turn the radio on in the machine's settings"

    bluez / org.bluez.Mock.AddAdapter string:hci0 string:desk
    local address=00:11:22:33:44:55
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
}

@test "a foreign card" {
    detach
    foreign_card 35963
    card_is_in
    finds error token.foreign "Put a Rutoken into the reader instead of this card"
    stop "$foreign"
    wait_until sh -c '! ./readers | grep -q "^card"'
}

@test "a Bluetooth token in a virtual reader, and one that is not activated" {
    local line
    detach
    attach bt bt
    printf '%s\n' "$password" > password
    expect 0 "$kanal" pair --password-source file:password
    own_pin
    line="wireless_readers = Virtual PCD*"
    finds warning reader.wireless "mkdir -p $HOME/.config/kanal && echo '$line' > $file"
    mended
    echo "[program other]" > "$file"
    finds warning reader.wireless "sed -i '1i$line' $file"
    mended
    mv "$XDG_DATA_HOME/kanal" pairings
    finds error channel.inactive "kanal pair $serial"
    rm -rf "$XDG_DATA_HOME/kanal"
    mv pairings "$XDG_DATA_HOME/kanal"
    rm "$file"
}

@test "a foreign card beside a token, taken out" {
    foreign_card 35964
    wait_until sh -c '[ "$(./readers | grep -c "^card .*Virtual PCD")" = 2 ]'
    finds warning token.foreign "Put a Rutoken into the reader instead of this card"
    stop "$foreign"
    wait_until sh -c '[ "$(./readers | grep -c "^card .*Virtual PCD")" = 1 ]'
    healthy
}

@test "ModemManager and a token with a serial line" {
    usb_device
    cp /bin/sleep ModemManager
    launch ./ModemManager 300
    finds warning reader.modem "echo 'ATTRS{idVendor}==\"0a89\", ENV{ID_MM_DEVICE_IGNORE}=\"1\"'\
 | tee /etc/udev/rules.d/78-kanal.rules"
    stop "$launched"
    rm -r $device $device:1.1
}

@test "there is no reader, no driver of it, or a program has taken it from pcscd" {
    usb_device
    mv /etc/reader.conf.d readers.conf
    stop "$pcscd"
    launch pcscd --foreground > pcscd.log 2>&1
    pcscd=$launched
    keep pcscd
    wait_until ./readers
    look
    [ "$(xargs < names)" = "error reader.none error reader.driver" ] || fail "not two: $(cat found)"
    printed 'install libccid$' remedies
    rm -r $device $device:1.1
    cp /bin/sleep openct
    launch ./openct 300
    finds error reader.none "Plug in the token, or its reader"
    mkdir $device:1.0
    echo 0b > $device:1.0/bInterfaceClass
    holder=$launched
    finds error reader.held "$(let_finish openct)"
    stop "$launched"
    rm -r $device:1.0
    finds error reader.none "Plug in the token, or its reader"
    mv readers.conf /etc/reader.conf.d
    stop "$pcscd"
    start_pcscd
    card_is_in
    healthy
}

@test "the pages have every finding" {
    local name page
    for name in $(grep -rhoE '"(pcscd|bluetooth|reader|token|library|p11kit|configuration|home|store|clock|openssl|containers?)\.[a-z-]+"' \
        "$root/Sources/KanalCommand/Doctor" | tr -d '"' | sort -u); do
        for page in docs/Doctor.md docs/ru/Doctor.md; do
            printed "\`$name\`" "$root/$page"
        done
    done
}
