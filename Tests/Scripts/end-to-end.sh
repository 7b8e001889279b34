#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The built library in the hands of other people's programs, on emulated tokens behind a real pcscd.
set -euo pipefail
cd "$(dirname "$0")/../.."
. Tests/Scripts/common.sh

tool() { expect 0 pkcs11-tool --module "$module" --slot "$slot" "$@"; }

# ---- What the library shows and needs ----

prefix=$work/installed
modules=$work/home/.config/pkcs11/modules
p11_kit=yes
proxy=$(pkg-config p11-kit-1 --variable=proxy_module)
if [ "$(id -u)" = 0 ]; then
    # For root, p11-kit reads its own directory and no other.
    modules=$(pkg-config p11-kit-1 --variable=p11_module_configs)
    if [ -e "$modules/kanal.module" ]; then
        skipped "p11-kit: another Kanal is installed for it, $modules/kanal.module"
        modules=$prefix/share/p11-kit/modules
        p11_kit=
    else
        leftovers+=("$modules/kanal.module")
    fi
fi
make -s install PREFIX="$prefix" P11KIT_MODULES_DIR="$modules" > /dev/null
library=$prefix/lib/libkanal-pkcs11.so
! nm -D --defined-only "$library" | grep -v ' C_' || fail "the library exports more than C_*"
needed=$(readelf -d "$library" | sed -n 's/.*(NEEDED).*\[\(.*\)\.so.*/\1/p' | sort | xargs)
[ "$needed" = "libc libm" ] || fail "the library needs $needed"
passed "the library exports C_* only and needs $needed"

# ---- Activation, and what stays of it ----

prepare calls extended pairings walk
# The installed library, under valgrind.
checked=(env LD_LIBRARY_PATH="${library%/*}" valgrind --quiet --error-exitcode=99)
start_pcscd
attach bt bluetooth
expect 2 ./activate 00000001
channel() {
    expect 0 "${checked[@]}" ./pairings channel "$slot"
    [ "$(cat output)" = "$1" ] || fail "the channel is $(cat output) instead of $1"
}
channel "2 activate 0 5"
# What is in the token's slot: its flags, and its name in lists.
reader() {
    expect 0 "${checked[@]}" ./pairings readers
    [ "$(sed -n "s/^$slot //p" output | cut -d ' ' -f 1,2)" = "$1" ] || fail "the readers are $(cat output) instead of $1"
}
reader "5 "
expect 1 ./activate "$serial"
for wrong in "${password%?}$([ "${password: -1}" = A ] && echo B || echo A)" OOOO; do
    expect 3 ./activate "$serial" "$wrong"
    printed "not the token's password"
done
channel "2 activate 0 4"
expect 0 "${checked[@]}" ./activate "$serial" "$password"
channel "1 - 2 5"
reader "13 rutoken_ecp_$serial"
expect 0 ./activate "$serial"
passed "a wrong password is refused; the right one activates, once for all"

detach
if [ -n "$pcscd" ]; then
    stop "$pcscd"
    start_pcscd
fi
attach bt bluetooth
expect 0 ./activate "$serial"
passed "the token is still activated after it and pcscd were started anew"

as_another() { XDG_DATA_HOME=$work/another "$@"; }
as_another expect 1 ./activate "$serial"
as_another expect 0 ./activate "$serial" "$password"
as_another expect 0 ./activate "$serial"
expect 0 ./activate "$serial"
[ "$(stat -c %a "$work/another/kanal" "$work/another/kanal/pairings" | xargs)" = "700 700" ] \
    || fail "a store can be read by others"
passed "another user activates for himself, and nobody loses anything"

expect 0 "${checked[@]}" ./pairings hosts "$slot"
[ "$(cut -d ' ' -f 1-3 output | xargs)" = "1 2 self 2 2 other" ] || fail "the token's hosts: $(cat output)"
expect 0 "${checked[@]}" ./pairings tokens
printed "^[0-9a-f]*$serial 2 "
expect 1 ./pairings remove "$slot" other
printed 0x101
expect 1 ./pairings remove "$slot" other 12345670
printed 0xA0
expect 0 "${checked[@]}" ./pairings remove "$slot" other 87654321
export KANAL_LOG=$work/refusal
as_another expect 1 ./activate "$serial"
unset KANAL_LOG
grep -q 'C_OpenSession 0x00000054 .*does not know this host any more' refusal || fail "no reason: $(cat refusal)"
as_another channel "3 activate 2 5"
as_another expect 0 ./activate "$serial" "$password"
as_another expect 0 "${checked[@]}" ./pairings remove "$slot" self
as_another expect 0 ./pairings tokens
[ ! -s output ] || fail "a removed pairing is still known: $(cat output)"
expect 0 ./pairings hosts "$slot"
[ "$(wc -l < output)" = 1 ] || fail "the token's hosts: $(cat output)"
token_number=$(./pairings tokens | cut -d ' ' -f 1)
expect 0 "${checked[@]}" ./pairings forget "$token_number"
expect 1 ./activate "$serial"
expect 0 ./activate "$serial" "$password"
passed "pairings are listed and removed on both sides; who is removed is refused, with a reason"

export KANAL_LOG=$work/log
tool --login --pin $pin --list-objects
unset KANAL_LOG
for word in C_OpenSession C_Login "> 808603"; do
    grep -q -e "$word" log || fail "no $word in the log"
done
for secret in $pin "$(printf %s $pin | od -An -tx1 | tr -d ' \n')" "${password//-/}"; do
    ! grep -qi -e "$secret" log || fail "a secret is in the log"
done
[ "$(stat -c %a log)" = 600 ] || fail "the log can be read by others"
passed "the log names calls and traffic, and no secret"

# ---- pkcs11-tool makes keys and signs, OpenSSL verifies ----

signatures() {
    tool -I -L -M
    printed "$serial"
    tool --login --pin $pin --keypairgen --key-type GOSTR3410-2012-256:A --id 01 --label one
    tool --login --pin $pin --list-objects
    [ "$(grep -c 'Key Object' output)" = 2 ] || fail "not two objects: $(cat output)"
    head -c 1000 /dev/urandom > message
    openssl dgst -md_gost12_256 -binary message > digest
    tool --login --pin $pin --sign -m GOSTR3410-WITH-GOSTR3411-12-256 --id 01 -i message -o hashed
    tool --login --pin $pin --sign -m GOSTR3410 --id 01 -i digest -o raw
    "${checked[@]}" ./public_key "$slot" 01 > public_key.der
    if [ -n "$p11_kit" ]; then
        expect 0 p11-kit list-modules
        printed "$serial"
        expect 0 pkcs11-tool --module "$proxy" --token-label "$(token_label)" --login --pin $pin --sign -m GOSTR3410 \
            --id 01 -i digest -o proxy
    fi
    for signature in hashed raw ${p11_kit:+proxy}; do
        expect 0 openssl dgst -md_gost12_256 -verify public_key.der -keyform DER -signature $signature message
    done
    for type in privkey pubkey; do tool --login --pin $pin --delete-object --type $type --id 01; done
    tool --login --pin $pin --list-objects
    ! grep -q 'Key Object' output || fail "a key is left after its deletion: $(cat output)"
    expect 0 "${checked[@]}" ./calls "$slot" $pin
    passed "$1: R15: lengths, short buffers, operations out of their order and unknown attributes have their codes"
    expect 0 "${checked[@]}" ./walk "$slot" $pin
    passed "$1: no wrong argument of any function does more than fail: $(tail -n 1 output)"
    passed "$1: OpenSSL verifies what pkcs11-tool signs${p11_kit:+, through p11-kit too}"
}

# The vendor's extension makes a request, OpenSSL certifies the key and verifies what it signs.
extension() {
    local status=0
    timeout 120 "${checked[@]}" ./extended "$slot" $pin 87654321 > request 2> output || status=$?
    [ "$status" = 0 ] || fail "extended: $(cat output)"
    expect 0 openssl req -in request -inform DER -verify -noout
    expect 0 openssl req -x509 -newkey gost2012_256 -pkeyopt paramset:A -nodes -keyout ca.key -out ca.pem \
        -subj /CN=Authority -addext basicConstraints=CA:true
    expect 0 openssl x509 -req -in request -inform DER -CA ca.pem -CAkey ca.key -set_serial 2 -outform DER -out signer
    expect 0 openssl x509 -in ca.pem -outform DER -out ca
    expect 0 "${checked[@]}" ./extended "$slot" $pin 87654321 unreadable signer
    timeout 120 "${checked[@]}" ./extended "$slot" $pin 87654321 signer ca > message 2> output || status=$?
    [ "$status" = 0 ] || fail "extended: $(cat output)"
    expect 0 openssl cms -verify -cades -in message -inform DER -CAfile ca.pem -purpose any -out signed
    grep -q "signed by the token" signed || fail "the message has another content"
    expect 0 "${checked[@]}" ./extended "$slot" $pin 87654321 restore
    passed "$1: the vendor's extension requests a certificate and signs with it; OpenSSL verifies both"
}

signatures "Bluetooth token"
extension "Bluetooth token"
detach
attach usb usb
signatures "USB token"
extension "USB token"

# ---- OpenSC's own driver takes the token for what it says it is ----

expect 0 opensc-tool -n
printed "Rutoken ECP"
expect 0 opensc-tool --serial
printed "$(sed 's/../& /g' <<< "$serial" | tr a-f A-F)"
expect 1 pkcs15-tool -D
printed "Unsupported card"
passed "OpenSC recognises the token, and that it holds no PKCS #15 application"
detach

# ---- Sudden death ----

# Kills the token or the application after so many seconds, and waits for both: victim, delay, the application's process,
# the token's identity and state. $struck counts the applications that did not come to their end.
strike() {
    local status=0
    sleep "$2"
    kill -KILL "$([ "$1" = token ] && echo "$token" || echo "$3")" 2> /dev/null || true
    wait "$3" 2> /dev/null || status=$?
    [ $status = 0 ] || struck=$((struck + 1))
    [ "$1" = token ] || return 0
    wait "$token" 2> /dev/null || true
    attach "$4" "$5"
}

moments="0.003 0.01 0.02 0.03 0.05 0.08"

# A token and an application killed while a key is made: there are whole pairs only, and everything works.
generation_struck() {
    local identity=$1 state=killed-$1-$2 moment struck=0
    attach "$identity" "$state"
    [ "$identity" = usb ] || expect 0 ./activate "$serial" "$password"
    for moment in $moments; do
        pkcs11-tool --module "$module" --slot "$slot" --login --pin $pin \
            --keypairgen --key-type GOSTR3410-2012-256:A --id 02 > /dev/null 2>&1 &
        strike "$2" "$moment" $! "$identity" "$state"
        tool --login --pin $pin --list-objects
        [ $(($(grep -c 'Key Object' output || true) % 2)) = 0 ] || fail "half of a key pair: $(cat output)"
    done
    tool --login --pin $pin --keypairgen --key-type GOSTR3410-2012-256:A --id 03
    tool --login --pin $pin --sign -m GOSTR3410 --id 03 -i digest -o raw
    [ $struck -gt 0 ] || fail "no kill met a key generation"
    passed "$identity: $2 killed in $struck key generations, everything works afterwards"
    detach
}

# The same while a new token is activated: it can be activated all the same.
activation_struck() {
    local state moment struck=0
    for moment in $moments; do
        state=young-$1-$moment
        attach bt "$state"
        XDG_DATA_HOME=$work/store-$state ./activate "$serial" "$password" > /dev/null 2>&1 &
        strike "$1" "$moment" $! bt "$state"
        XDG_DATA_HOME=$work/store-$state expect 0 ./activate "$serial" "$password"
        detach
    done
    [ $struck -gt 0 ] || fail "no kill met an activation"
    passed "bt: $1 killed in $struck activations, which then succeed"
}

for victim in token application; do
    generation_struck bt $victim
    generation_struck usb $victim
    activation_struck $victim
done

# ---- An application of one's own: its first activation, and signatures of all kinds of GOST keys ----

export PKG_CONFIG_PATH=$prefix/lib/pkgconfig
read -ra flags <<< "$(pkg-config --cflags --libs kanal-pkcs11)"
cc "$root/Tests/Programs/Token/first_activation.c" "${flags[@]}" -o first_activation
attach bt first
reader="Aktiv Rutoken ECP BT $((16#$serial))"
for wanted in "0 $reader" "10 $reader" "2 Aktiv Rutoken ECP BT 1"; do
    expect "${wanted%% *}" ./first_activation "${wanted#* }" "$password"
done
passed "a program built with what is installed activates, finds the token active, and misses one that is not there"

sign_and_verify() {
    expect 0 "$root/Tests/Programs/Token/sign_and_verify.py" "$library" "$serial" $pin
    passed "$1: PyKCS11 signs and OpenSSL verifies, by keys of all kinds: $(grep -c ^holds: output) rules hold"
}
sign_and_verify "Bluetooth token"
detach
attach usb first-usb
sign_and_verify "USB token"
