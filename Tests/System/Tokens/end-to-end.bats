#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# The built library in the hands of other people's programs, on emulated tokens behind a real pcscd.
# bats file_tags=pcscd
load ../common

prefix=$work/installed
library=$prefix/lib/libkanal-pkcs11.so
# The installed library, under valgrind.
checked=(env LD_LIBRARY_PATH="$prefix/lib" valgrind --quiet --error-exitcode=99)
# For root, p11-kit reads its own directory and no other.
proxy=$(pkg-config p11-kit-1 --variable=proxy_module)
modules=$([ "$(id -u)" != 0 ] && echo "$work/home/.config/pkcs11/modules" || pkg-config p11-kit-1 --variable=p11_module_configs)

setup_file() {
    hide_p11_kit_modules
    p11_kit=yes
    if [ -e "$modules/kanal.module" ]; then
        # Another Kanal is installed for it.
        modules=$prefix/share/p11-kit/modules
        p11_kit=
    fi
    keep p11_kit
    (cd "$root" && PREFIX=$prefix P11KIT_MODULES_DIR=$modules Packaging/install.sh install > /dev/null)
    prepare calls extended pairings walk
    start_pcscd
    head -c 32 /dev/urandom > digest
}

teardown_file() {
    local p11_kit=
    . "$work/.state"
    [ -z "$p11_kit" ] || rm -f "$modules/kanal.module"
    clean_up
}

tool() { expect 0 pkcs11-tool --module "$module" --slot "$slot" "$@"; }

# Has a token of this kind, and its own state, in the reader; one with a channel is activated.
token_of() {
    detach
    attach "$1" "$2"
    [ "$1" != bt ] || expect 0 ./activate "$serial" "$password"
}

@test "the library exports C_* only and needs libc and libm" {
    local needed
    refute grep -v ' C_' <(nm -D --defined-only "$library")
    needed=$(readelf -d "$library" | sed -n 's/.*(NEEDED).*\[\(.*\)\.so.*/\1/p' | sort | xargs)
    [ "$needed" = "libc libm" ] || fail "the library needs $needed"
}

# ---- Activation, and what stays of it ----

channel() {
    expect 0 "${checked[@]}" ./pairings channel "$slot"
    [ "$(cat output)" = "$1" ] || fail "the channel is $(cat output) instead of $1"
}

# The state of the token's slot: its flags, and its name in lists.
reader() {
    expect 0 "${checked[@]}" ./pairings readers
    [ "$(sed -n "s/^$slot //p" output | cut -d ' ' -f 1,2)" = "$1" ] || fail "the readers are $(cat output) instead of $1"
}

as_another() { XDG_DATA_HOME=$work/another "$@"; }

@test "a wrong password is refused; the right one activates, once for all" {
    local wrong
    detach
    attach bt bluetooth
    expect 2 ./activate 00000001
    channel "2 activate 0 5"
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
}

@test "a token is still activated after it and pcscd were started anew" {
    token_of bt anew
    detach
    if [ -n "$pcscd" ]; then
        stop "$pcscd"
        start_pcscd
    fi
    attach bt anew
    expect 0 ./activate "$serial"
}

@test "another user activates for himself, and nobody loses anything" {
    token_of bt users
    as_another expect 1 ./activate "$serial"
    as_another expect 0 ./activate "$serial" "$password"
    as_another expect 0 ./activate "$serial"
    expect 0 ./activate "$serial"
    [ "$(stat -c %a "$work/another/kanal" "$work/another/kanal/pairings" | xargs)" = "700 700" ] \
        || fail "a store can be read by others"
}

@test "pairings are listed and removed on both sides; who is removed is refused, with a reason" {
    local token_number
    token_of bt pairings-token
    as_another expect 0 ./activate "$serial" "$password"
    expect 0 "${checked[@]}" ./pairings hosts "$slot"
    [ "$(cut -d ' ' -f 1-3 output | xargs)" = "1 2 self 2 2 other" ] || fail "the token's hosts: $(cat output)"
    expect 0 "${checked[@]}" ./pairings tokens
    printed "^[0-9a-f]*$serial 2 "
    expect 1 ./pairings remove "$slot" other
    printed 0x101
    expect 1 ./pairings remove "$slot" other 12345670
    printed 0xA0
    expect 0 "${checked[@]}" ./pairings remove "$slot" other 87654321
    KANAL_LOG=$work/refusal as_another expect 1 ./activate "$serial"
    printed 'C_OpenSession 0x00000054 .*does not know this host any more' refusal
    as_another channel "3 activate 2 5"
    as_another expect 0 ./activate "$serial" "$password"
    as_another expect 0 "${checked[@]}" ./pairings remove "$slot" self
    as_another expect 0 ./pairings tokens
    not_printed "$serial"
    expect 0 ./pairings hosts "$slot"
    [ "$(wc -l < output)" = 1 ] || fail "the token's hosts: $(cat output)"
    token_number=$(./pairings tokens | grep "$serial" | cut -d ' ' -f 1)
    expect 0 "${checked[@]}" ./pairings forget "$token_number"
    expect 1 ./activate "$serial"
    expect 0 ./activate "$serial" "$password"
}

@test "the log names calls and traffic, and no secret" {
    local word secret
    token_of bt logged
    KANAL_LOG=$work/log tool --login --pin $pin --list-objects
    for word in C_OpenSession C_Login "> 808603"; do printed "$word" log; done
    for secret in $pin "$(printf %s $pin | od -An -tx1 | tr -d ' \n')" "${password//-/}"; do
        refute grep -qi -e "$secret" log
    done
    [ "$(stat -c %a log)" = 600 ] || fail "the log can be read by others"
}

# ---- Keys and signatures ----

bring() { token_of "$identity" "keys-$identity"; }

codes() { expect 0 "${checked[@]}" ./calls "$slot" $pin; }
wrong_arguments() { expect 0 "${checked[@]}" ./walk "$slot" $pin; }

signatures() {
    head -c 1000 /dev/urandom > message
    openssl dgst -md_gost12_256 -binary message > digest
    tool -I -L -M
    printed "$serial"
    tool --login --pin $pin --keypairgen --key-type GOSTR3410-2012-256:A --id 01 --label one
    tool --login --pin $pin --list-objects
    [ "$(grep -c 'Key Object' output)" = 2 ] || fail "not two objects: $(cat output)"
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
    not_printed 'Key Object'
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
    printed "signed by the token" signed
    expect 0 "${checked[@]}" ./extended "$slot" $pin 87654321 restore
}

# A program built with what is installed: its first activation.
@test "a program activates, finds the token active, and misses one that is not there" {
    local flags reader wanted
    read -ra flags <<< "$(PKG_CONFIG_PATH=$prefix/lib/pkgconfig pkg-config --cflags --libs kanal-pkcs11)"
    cc "$root/Tests/Programs/Token/first_activation.c" "${flags[@]}" -o first_activation
    detach
    attach bt first
    reader="Aktiv Rutoken ECP BT $((16#$serial))"
    for wanted in "0 $reader" "10 $reader" "2 Aktiv Rutoken ECP BT 1"; do
        expect "${wanted%% *}" ./first_activation "${wanted#* }" "$password"
    done
}

sign_and_verify() { expect 0 "$root/Tests/Programs/Token/sign_and_verify.py" "$library" "$serial" $pin; }

@test "bt: OpenSSL verifies what pkcs11-tool signs, through p11-kit too" { on bt signatures; }
@test "bt: R15: lengths, short buffers, operations out of their order and unknown attributes have their codes" { on bt codes; }
@test "bt: no wrong argument of any function does more than fail" { on bt wrong_arguments; }
@test "bt: the vendor's extension requests a certificate and signs with it; OpenSSL verifies both" { on bt extension; }
@test "bt: PyKCS11 signs and OpenSSL verifies, by keys of all kinds" { on bt sign_and_verify; }

@test "usb: OpenSSL verifies what pkcs11-tool signs, through p11-kit too" { on usb signatures; }
@test "usb: R15: lengths, short buffers, operations out of their order and unknown attributes have their codes" { on usb codes; }
@test "usb: no wrong argument of any function does more than fail" { on usb wrong_arguments; }
@test "usb: the vendor's extension requests a certificate and signs with it; OpenSSL verifies both" { on usb extension; }
@test "usb: PyKCS11 signs and OpenSSL verifies, by keys of all kinds" { on usb sign_and_verify; }

@test "OpenSC recognises the token, and that it holds no PKCS #15 application" {
    detach
    attach usb for-opensc
    expect 0 opensc-tool -n
    printed "Rutoken ECP"
    expect 0 opensc-tool --serial
    printed "$(sed 's/../& /g' <<< "$serial" | tr a-f A-F)"
    expect 1 pkcs15-tool -D
    printed "Unsupported card"
}

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
    wait_until bash -c no_card_is_there || fail "the token does not leave its reader"
    attach "$4" "$5"
}

moments="0.003 0.01 0.02 0.03 0.05 0.08"

# A token and an application killed while a key is made: there are whole pairs only, and everything works.
generation_struck() {
    local identity=$1 state=killed-$1-$2 moment struck=0
    token_of "$identity" "$state"
    for moment in $moments; do
        pkcs11-tool --module "$module" --slot "$slot" --login --pin $pin \
            --keypairgen --key-type GOSTR3410-2012-256:A --id 02 > /dev/null 2>&1 3>&- &
        strike "$2" "$moment" $! "$identity" "$state"
        tool --login --pin $pin --list-objects
        [ $(($(grep -c 'Key Object' output || true) % 2)) = 0 ] || fail "half of a key pair: $(cat output)"
    done
    tool --login --pin $pin --keypairgen --key-type GOSTR3410-2012-256:A --id 03
    tool --login --pin $pin --sign -m GOSTR3410 --id 03 -i digest -o raw
    [ $struck -gt 0 ] || fail "no kill met a key generation"
    detach
}

# The same while a new token is activated: it can be activated all the same.
activation_struck() {
    local state moment struck=0
    for moment in $moments; do
        state=young-$1-$moment
        attach bt "$state"
        XDG_DATA_HOME=$work/store-$state ./activate "$serial" "$password" > /dev/null 2>&1 3>&- &
        strike "$1" "$moment" $! bt "$state"
        XDG_DATA_HOME=$work/store-$state expect 0 ./activate "$serial" "$password"
        detach
    done
    [ $struck -gt 0 ] || fail "no kill met an activation"
}

@test "bt: a token killed in key generations leaves whole pairs, and works" { generation_struck bt token; }
@test "usb: a token killed in key generations leaves whole pairs, and works" { generation_struck usb token; }
@test "bt: an application killed in key generations leaves whole pairs, and a token that works" { generation_struck bt application; }
@test "usb: an application killed in key generations leaves whole pairs, and a token that works" { generation_struck usb application; }
@test "a token killed in activations can be activated" { activation_struck token; }
@test "a token can be activated whose applications were killed in activations" { activation_struck application; }
