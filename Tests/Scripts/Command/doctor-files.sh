#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Machines on which tokens do not work, because of the library, kanal.conf, directories, the clock or OpenSSL, as "kanal
# doctor" finds them; and its reading of logs.
set -euo pipefail
cd "$(dirname "$0")/../../.."
. Tests/Scripts/Command/machines.sh

# ---- The library ----

mv "$library" away
look
[ "$(head -n 1 names)" = "error library.installed" ] || fail "not without the library: $(cat found)"
mv away "$library"
passed "no library"
cp "$library" /usr/local/lib
finds warning library.copies "rm /usr/local/lib/libkanal-pkcs11.so"
mended "a second copy"
ln -s libkanal-pkcs11.so "$work/prefix/lib/librtpkcs11ecp.so"
healthy "the vendor's name as a link to the library"
rm "$work/prefix/lib/librtpkcs11ecp.so"
vendors=/usr/local/lib/librtpkcs11ecp.so
echo vendor > $vendors
finds warning library.vendor "mv $vendors $vendors.other"
mended "another library under the vendor's name"
mkdir -p "$work/prefix/lib/pkgconfig"
echo "Version: 0.0.1" > "$work/prefix/lib/pkgconfig/kanal-pkcs11.pc"
finds warning library.version "Install packages of one version, or in the directory of Kanal's sources: make install"
rm "$work/prefix/lib/pkgconfig/kanal-pkcs11.pc"
passed "a library of another version"
entry=/usr/share/p11-kit/modules/kanal.module
echo "module: /gone/libkanal-pkcs11.so" > $entry
finds error p11kit.entry "echo 'module: $library' | tee $entry"
mended "an entry of p11-kit that leads nowhere"
rm $entry
finds warning p11kit.entry "echo 'module: $library' | tee $entry"
mended "no entry of p11-kit"

# ---- kanal.conf ----

mkdir -p "${file%/*}"

printf '\nminimum_profile = nonsense\n' > "$file"
finds error configuration.line "editor +2 $file"
grep -q "kanal.conf:2: minimum_profile" found || fail "no file and line: $(cat found)"
passed "an error in kanal.conf"
mkdir -p "$work/folders/a.000"
printf '\ncontainers = %s\n' "$work/folders" > "$file"
chmod -R go= "$work/folders"
finds warning containers.none "Name the folder that has header.key, or one that has such folders, in containers"
touch "$work/folders/a.000/header.key"
chmod 640 "$work/folders/a.000/header.key"
finds error containers.mode "chmod -R go= $work/folders/a.000"
mended "a key container that others can read"
rm -r "$work/folders"
finds warning containers.missing "Create it, or remove it from containers"
passed "no folder of key containers"
printf '\n' > "$file"
chmod 666 "$file"
finds error configuration.access "chmod go-w $file"
mended "a kanal.conf that everybody can write"
install -D -m 644 -o nobody /dev/null /etc/kanal/kanal.conf
finds error configuration.access "chown root /etc/kanal/kanal.conf"
mended "the administrator's kanal.conf of another user"
printf 'syslog = off\n' > "$file"
finds warning configuration.effect "editor +1 $file"
rm "$file"
passed "a line of kanal.conf without effect"

# ---- Home and store ----

install -d -o nobody others-home
as=(env -u XDG_CONFIG_HOME -u XDG_DATA_HOME HOME="$work/others-home")
finds error home.foreign "export HOME=$work/home"
as=(sh -c "$(cat remedies); exec \"\$@\"" sh)
healthy "another user's HOME, mended by: $(cat remedies)"
rm -r nobody
as=("${as_nobody[@]}" -u HOME)
finds error home.missing "sudo install -d -m 700 -o $nobody -g $nobody $work/nobody"
mended "no home directory"
as=()

store=$XDG_DATA_HOME/kanal/pairings
mkdir -p "$store/tokens"
chmod -R 700 "$store"
chown -R nobody "$store"
finds error store.owner "chown -R 0 $store"
mended "a store of another user"
install -o nobody -m 600 /dev/null "$store/tokens/record"
finds error store.owner "chown -R 0 $store"
mended "a file of another user in the store"
chmod 755 "$store"
finds error store.mode "chmod -R go= $store"
mended "a store that everybody can read"
chmod 757 "${store%/*}"
finds error store.above "chmod go-w ${store%/*}"
mended "a directory above the store that everybody can write"
chmod 1777 "${store%/*}"
healthy "a directory above the store in which everybody can write only their own"
chmod 755 "${store%/*}"
chown nobody "${store%/*}"
finds error store.above "chown 0 ${store%/*}"
mended "a directory above the store of another user"
rm -r "$store"
touch "$store"
finds error store.kind "mv $store $store.other"
mended "a file in place of the store"
as=("${as_nobody[@]}" HOME="$work/nobody")
install -d -o root -m 755 nobody/.local
finds error store.parent "sudo chown $nobody $work/nobody/.local"
mended "a directory in which the store cannot be made"
as=()

mount -t tmpfs tmpfs /var/lib
store=/var/lib/kanal/groups/shared
echo "group = shared" > /etc/kanal/kanal.conf
finds error store.group "install -d -m 2770 -g GROUP $store"
install -d /var/lib/kanal /var/lib/kanal/groups
install -d -m 755 -g daemon "$store"
finds error store.mode "chmod 2770 $store"
mended "a directory of a group that everybody can read"
as=("${as_nobody[@]}" HOME="$work/nobody")
finds error store.group "sudo gpasswd -a nobody daemon"
grep -q "is not a member of group daemon" found || fail "the group is not named: $(cat found)"
detach
insert bt bt
printf '%s\n' "$password" > password
chmod 644 password
expect 10 "${as[@]}" "$kanal" pair --password-source file:password
printed "user nobody is not a member of group daemon.*Remedy: sudo gpasswd -a nobody daemon"
detach
attach usb usb
as=("${as_nobody[@]/--clear-groups/--groups=$(id -g daemon)}" HOME="$work/nobody")
healthy "a user who is no member of a group, and one who is"
as=()
rm /etc/kanal/kanal.conf
umount /var/lib

mkdir full
mount -t tmpfs -o size=256k tmpfs full
as=(env XDG_DATA_HOME="$work/full")
dd if=/dev/zero of=full/filling bs=4k > dd.log 2>&1 || true
finds error store.full "Delete files below $work/full that are not needed"
rm full/filling
healthy "a full disk, mended by deleting a file"
mount -o remount,ro full
finds error store.readonly "mount -o remount,rw $work/full"
mended "a disk that is read-only"
umount full
as=()

# ---- Clock and OpenSSL ----

echo '#include <time.h>
time_t time(time_t *result) { return result ? *result = 86400 : 86400; }' > clock.c
cc -shared -fPIC clock.c -o clock.so
as=(env LD_PRELOAD="$work/clock.so")
if [ -e /sys/class/rtc/rtc0/since_epoch ]; then
    finds error clock.drift "hwclock --hctosys"
else
    finds error clock.wrong "Set the clock, as root: date -s 'YYYY-MM-DD hh:mm:ss'"
fi
as=()
passed "a clock in 1970"

engines=$(openssl version -e | sed 's/.*"\(.*\)"/\1/')
mount -t tmpfs tmpfs "$engines"
finds warning openssl.gost "apt-get install libengine-gost-openssl"
# A system that has no package of it.
cp /etc/os-release os-release
rm /etc/os-release
printf 'NAME="Debian"\nID=debian\nVERSION_ID="13"\n' > /etc/os-release
finds warning openssl.gost "Install libengine-gost-openssl of the next Debian release or kanal-openssl-provider, or verify with kanal verify"
grep -q 'of which Debian 13 has no package' found || fail "the system is not named: $(cat found)"
printf 'ID=fedora\nVERSION_ID=41\n' > /etc/os-release
finds warning openssl.gost "Install kanal-openssl-provider, or verify with kanal verify"
printf 'ID=fedora\nVERSION_ID=40\n' > /etc/os-release
finds warning openssl.gost "dnf install openssl-gost-engine"
cp os-release /etc/os-release
umount "$engines"
healthy "OpenSSL without its engine for GOST, and with it"

# The provider kanal: its settings, and what they name.
mkdir modules
cp "$root/Packaging/kanal-provider.cnf" provider.cnf
as=(env OPENSSL_CONF="$work/provider.cnf" OPENSSL_MODULES="$work/modules")
finds error openssl.provider "Install kanal-openssl-provider, or remove kanal from [providers] of $work/provider.cnf"
touch modules/kanal.so
healthy "OpenSSL's provider kanal that is not installed, and that is"
sed -i '/^default = /d' provider.cnf
finds error openssl.default "In $work/provider.cnf add to [providers]: default = default_provider, and a section [default_provider] with: activate = 1"
sed -i 's/^\[providers\]/&\ndefault = default_provider/' provider.cnf
sed -i '/^\[default_provider\]/,/^$/s/^activate = 1/activate = 0/' provider.cnf
finds error openssl.default "In $work/provider.cnf add to [providers]: default = default_provider, and a section [default_provider] with: activate = 1"
sed -i 's/^activate = 0/activate = 1/' provider.cnf
healthy "the default provider turned off by a section of providers, and on"
sed -i 's|^#MODULE_PATH.*|MODULE_PATH = /nowhere.so|' provider.cnf
finds error openssl.provider "In $work/provider.cnf correct MODULE_PATH, or remove it, for libkanal-pkcs11.so is found without it"
sed -i /^MODULE_PATH/d provider.cnf
# With the provider the engine is not missed.
mount -t tmpfs tmpfs "$engines"
healthy "the provider kanal with a library that is missing, and without the engine for GOST"
umount "$engines"
as=()

mkdir hidden
touch hidden/libcrypto.so.{3,4}
as=(env LD_LIBRARY_PATH="$work/hidden")
finds error openssl.library "apt-get install libssl3"
as=()
healthy "OpenSSL without its library, and with it"

# OpenSSL 4 alone: the third is where the command finds it, and no other program.
libraries=$(dirname "$(realpath "$(ldconfig -p | sed -n 's/.*libcrypto\.so\.3 .*=> //p' | head -n 1)")")
mkdir third layers
cp "$libraries"/libcrypto.so.3 third
mount -t tmpfs tmpfs layers
mkdir layers/upper layers/work
mount -t overlay overlay -o "lowerdir=$libraries,upperdir=layers/upper,workdir=layers/work" "$libraries"
as=(env LD_LIBRARY_PATH="$work/third")
healthy "OpenSSL 3"
mv "$libraries/libcrypto.so.3" "$libraries/libcrypto.so.4"
finds warning openssl.engines "Install kanal-openssl-provider and take over the lines of kanal-provider.cnf, or verify with kanal verify"
umount --lazy "$libraries"
umount layers
as=()
healthy "OpenSSL 4 alone, and OpenSSL 3"

# OpenSSL's engine pkcs11 of Debian 12 finds no RSA key beside a GOST key.
cp "$engines/gost.so" .
mount -t tmpfs tmpfs "$engines"
cp gost.so "$engines"
echo secret > secret
import() {
    base64 -d "$root/Tests/Unit/KanalCommandTests/Files/$1.pfx.txt" > "$1.pfx"
    expect 0 "$kanal" key import "$1.pfx" --password-source file:secret --pin-source file:own
}
import ann
healthy "a GOST key without OpenSSL's engine pkcs11"
touch "$engines/pkcs11.so"
healthy "a GOST key beside which there is no RSA key"
import ben
remedy='In /etc/kanal/kanal.conf add, for each program that uses it: [program NAME], and below hide_gost_keys = on'
finds warning openssl.keys "$remedy"
grep -q "the token $serial has" found || fail "the token is not named as it is printed: $(cat found)"
mkdir -p /etc/kanal
printf '[program nginx]\nhide_gost_keys = on\n' > /etc/kanal/kanal.conf
healthy "a GOST key that is hidden from a program of OpenSSL's engine pkcs11"
rm -r /etc/kanal
umount "$engines"

# ---- PINs, keys and certificates ----

request="with your name in place of NAME: kanal cert request --token $serial --key"
rest="--subject CN=NAME --output request.pem"
for name in ann ben; do expect 0 "$kanal" key delete $name --yes --pin-source file:own; done
for name in ann ben; do expect 0 "$kanal" cert delete $name --yes --pin-source file:own; done
expect 0 "$kanal" key generate --kind rsa2048 --label mine --pin-source file:own
finds warning key.without-certificate \
    "Ask an authority for one, $request 01 $rest. Then import it: kanal cert import FILE --token $serial"
expect 0 "$kanal" cert request --subject CN=Ann --output request.pem --pin-source file:own
openssl req -x509 -newkey rsa:2048 -nodes -keyout authority.key -out root.pem -subj /CN=Authority -days 90 2> /dev/null
# certified DAYS: the certificate of the key, which is valid for so long.
certified() {
    openssl x509 -req -in request.pem -CA root.pem -CAkey authority.key -CAcreateserial -days "$1" -out certificate.pem \
        2> /dev/null
    expect 0 "$kanal" cert import --pin-source file:own certificate.pem
}
certified -1
finds warning certificate.expired "Ask an authority for a new one, $request 01 $rest"
echo text > text
expect 1 "$kanal" sign --cms --pin-source file:own text
[ ! -e text.p7m ] || fail "it was signed with an expired certificate"
expect 0 "$kanal" sign --cms --expired --pin-source file:own text
certified 20
finds warning certificate.expires-soon "Ask an authority for a new one, $request 01 $rest"
certified 60
healthy "an expired certificate, and one that expires soon, beside their successor"
echo 00000000 > wrong
for _ in {1..9}; do expect 4 "$kanal" label x --pin-source file:wrong; done
finds warning pin.last-try "Make sure of the PIN before you type it: the right one restores all tries, a wrong one locks it"
"$kanal" label x --pin-source file:wrong 2> /dev/null && fail "a wrong PIN is accepted"
finds error pin.locked "Have the security officer unblock it: kanal pin unblock --token $serial"
echo 87654321 > officer
expect 0 "$kanal" pin unblock --pin-source file:officer
healthy "a locked PIN, mended by: kanal pin unblock"

# ---- What a log means ----

# A service that hangs up on its clients.
cat > refuse.py << 'PROGRAM'
import socket
listener = socket.socket(socket.AF_UNIX)
listener.bind("refusing")
listener.listen()
while True:
    listener.accept()[0].close()
PROGRAM
timeout 300 python3 refuse.py &
others+=($!)
wait_until test -S refusing

# explained NAME REMEDY PROGRAM...: runs a program and finds this among the meanings of its log.
explained() {
    rm -f log
    KANAL_LOG=$work/log "${@:3}" > output 2>&1 || true
    look --log log
    grep -q "log.$1\$" names || fail "the log does not say $1: $(cat found log)"
    grep -qxF "$2" remedies || fail "the log's $1 has another remedy: $(cat found)"
    passed "a log that means $1"
}
tool=(timeout 60 pkcs11-tool --module "$module")
explained pin "Give the program the right PIN: each wrong PIN uses up a try" "${tool[@]}" --login --pin 00000000 -O
explained service pcscd env PCSCLITE_CSOCK_NAME="$work/missing" "${tool[@]}" -L
explained service-refuses "Run kanal doctor as the user of that program, in the same session or service" \
    env PCSCLITE_CSOCK_NAME="$work/refusing" "${tool[@]}" -L
holder scdaemon
explained held "kanal doctor" "${tool[@]}" -L
let_go
echo "unknown = 1" > "$file"
explained configuration "kanal doctor" "${tool[@]}" -O
rm "$file"
detach
attach bt bt
explained activation "kanal pair" "${tool[@]}" -O
store=$XDG_DATA_HOME/kanal/pairings
mkdir -p "$store"
chmod 755 "$store"
explained store "Run kanal doctor as the user of that program" "${tool[@]}" -O
# Each identifier has the finding that docs/Messages.md names. Words alone mean nothing, nor does what others write.
sed -n 's/^| `\([a-z.-]*\)` | .* | `\(log[a-z.-]*\)` | .*/\1 \2/p' "$root/docs/Messages.md" > identifiers
[ "$(wc -l < identifiers)" -gt 40 ] || fail "the page lists no identifiers"
while read -r id finding; do
    echo "2026-01-01T00:00:00.000000Z [1] warning: [$id] words" > log
    look --log log
    grep -q " $finding\$" names || fail "$id is not $finding: $(cat found)"
    grep -q "\"message\" *: *\"$id\"" found || fail "$id is not in the JSON: $(cat found)"
done < identifiers
words='possible attack: a reply in the secure channel has a wrong MAC'
for line in "2026-01-01T00:00:00.000000Z [1] warning: $words" "[attack.wrong-mac] $words" \
    "2026-01-01T00:00:00.000000Z [1] warning: [attack.unheard-of] $words" \
    "2026-01-01T00:00:00.000000Z [1] notice: asked the user: [attack.wrong-mac] $words"; do
    echo "$line" > log
    look --log log
    [ ! -s names ] || fail "a finding for: $line"
done
passed "each identifier is explained, and nothing else"
line='2026-01-01T00:00:00.000000Z [1] debug: [call.refused] C_Any 0x00000005 CKR_GENERAL_ERROR'
printf '%s: odd\e[2J\n\e[2J\n%s: even\n%s: odd\e[2J\n' "$line" "$line" "$line" > log
look --log log
[ "$(sort names | uniq -c | xargs)" = "2 warning log.refusal" ] || fail "other refusals: $(cat found)"
expect 0 "$kanal" doctor --log log
printed 'line 1, 2 times until line 4: a call of the program was refused ("\[call.refused\] C_Any 0x00000005 CKR_GENERAL_ERROR: odd'
! grep -q $'\e' output || fail "a control character of the log is shown"
expect 1 "$kanal" doctor --log missing
printed "the log missing cannot be read"
passed "a log with a refusal that is not known, and none"
