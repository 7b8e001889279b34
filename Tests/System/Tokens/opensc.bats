#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# An emulated token in the hands of OpenSC as Debian has it: its driver, its tools and its PKCS #11 module. OpenSSL
# verifies and decrypts against the same keys.
# bats file_tags=pcscd
load ../common
load ../opensc

setup_file() {
    prepare
    start_pcscd
    head -c 1000 /dev/urandom > message
    head -c 30 /dev/urandom > secret
    head -c 32 /dev/urandom > digest
    rsa_key imported.pem
    export OPENSC_CONF=$work/opensc.conf
    cat > "$OPENSC_CONF" << 'END'
app opensc-pkcs11 {
    pkcs11 {
        user_pin_unblock_style = init_pin_in_so_session;
    }
}
END
}

opensc=$(dpkg-query --listfiles opensc-pkcs11 | grep '/lib/[^/]*/opensc-pkcs11\.so$')

tool() { expect 0 pkcs11-tool --module "$opensc" --login --pin $pin "$@"; }
objects() { tool --list-objects; grep -c "^$1" output || true; }

# Formats the token, and looks at it.
formatted() {
    format "$1"
    expect 0 pkcs15-tool --dump
    printed "PKCS#15 Card \[$1\]"
    printed "Serial number  : 00000000$serial"
}

# ---- Formatting ----

formatting() {
    expect 1 pkcs15-init --create-pkcs15 --so-pin $so_pin --so-puk "" --label second
    grep -A 1 '^> 00e00000.*83023f00' trace | tail -n 1 | grep -q '^< 6a89$' || fail "a second MF was made"
    formatted again
}

# ---- RSA ----

# Signs and decrypts with the key of this number, whose public half is in public.pem.
use_rsa() {
    expect 0 pkcs15-tool --read-public-key "$1" --output public.pem
    tool --sign --mechanism SHA256-RSA-PKCS --id "$1" --input-file message --output-file signature
    expect 0 openssl dgst -sha256 -verify public.pem -signature signature message
    expect 0 openssl pkeyutl -encrypt -pubin -inkey public.pem -in secret -out encrypted
    rm -f decrypted
    tool --decrypt --mechanism RSA-PKCS --id "$1" --input-file encrypted --output-file decrypted
    cmp secret decrypted || fail "RSA: decrypted to something else"
    rm -f decrypted
    expect 0 pkcs15-crypt --decipher --pkcs1 --raw --key "$1" --pin $pin --input encrypted --output decrypted
    cmp secret decrypted || fail "RSA: pkcs15-crypt decrypted to something else"
}

rsa_keys() {
    local bits
    for bits in 512 1024 1536 2048; do
        init --generate-key rsa/$bits --key-usage sign,decrypt --id ${bits:0:2} --label "RSA $bits"
        use_rsa ${bits:0:2}
    done
    init --store-private-key imported.pem --passphrase "" --key-usage sign,decrypt --id 30 --label imported
    use_rsa 30
    expect 0 openssl pkey -in imported.pem -pubout -out expected.pem
    cmp expected.pem public.pem || fail "RSA: another public key than the imported one's"
    tool --keypairgen --key-type rsa:1024 --id 31 --label "by PKCS #11"
    use_rsa 31
    tool --test
    printed "No errors"
}

# ---- GOST R 34.10-2001 ----

# The bytes from the last to the first.
reverse() { bytes "$(od -An -v -tx1 -w1 | tac | tr -d ' \n')"; }

# Signs with the key of this number, which is of this parameter set.
use_gost() {
    tool --sign --mechanism GOSTR3410 --id "$1" --input-file digest --output-file signature
    tool --list-objects --type pubkey
    gost_public_key "$1" "$2"
    expect 0 openssl pkeyutl -engine gost -verify -pubin -keyform DER -inkey public.der -in digest -sigfile signature
    printed "Signature Verified Successfully"
}

gost_keys() {
    local set
    for set in 1 2 3; do
        tool --keypairgen --key-type "GOSTR3410:$(tr 123 ABC <<< $set)" --id 4$set --label "GOST $set"
        use_gost 4$set $set
    done
    init --generate-key gost2001 --key-usage sign,decrypt --id 44 --label "GOST by PKCS #15"
    use_gost 44 1
}

# VKO with another key of OpenSSL's. OpenSC reverses the data to and from the card.
agreement() {
    local ukm=0102030405060708
    init --generate-key gost2001 --key-usage sign,decrypt --id 45 --label "GOST for VKO"
    tool --list-objects --type pubkey
    gost_public_key 45 1
    openssl genpkey -engine gost -algorithm gost2001 -pkeyopt paramset:A -out peer.pem 2> /dev/null
    openssl pkey -pubin -inform DER -in public.der -out public.pem
    expect 0 openssl pkeyutl -engine gost -derive -inkey peer.pem -peerkey public.pem -pkeyopt ukmhex:$ukm \
        -pkeyopt vko:256 -out agreed
    openssl pkey -in peer.pem -pubout -outform DER | tail -c 64 > point
    bytes $ukm >> point
    reverse < point > reversed
    expect 0 pkcs15-crypt --decipher --raw --key 45 --pin $pin --input reversed --output decrypted
    reverse < decrypted | cmp agreed || fail "GOST: decrypted to something else"
}

# ---- Certificates and data ----

certificates_and_data() {
    local object
    openssl req -x509 -key imported.pem -subj "/CN=Kanal" -out certificate.pem 2> /dev/null
    init --store-certificate certificate.pem --id 30 --label certificate
    expect 0 pkcs15-tool --read-certificate 30 --output read.pem
    cmp certificate.pem read.pem || fail "another certificate was read"
    openssl x509 -in certificate.pem -outform DER -out certificate.der
    tool --write-object certificate.der --type cert --id 31 --label "by PKCS #11"
    tool --read-object --type cert --id 31 --output-file read.der
    cmp certificate.der read.der || fail "another certificate was read by PKCS #11"
    init --store-data message --label private --application-name test --application-id 1.2.643.1
    tool --write-object secret --type data --label public --application-id 1.2.643.2
    for object in "private message" "public secret"; do
        tool --read-object --type data --label "${object% *}" --output-file read
        cmp "${object#* }" read || fail "another ${object% *} data object was read"
    done
}

# ---- PINs ----

# OpenSC presents no PIN when it unblocks: the administrator's login must still be on the card, which pcscd switches off
# when it is unused for half a second.
unblock() {
    pkcs15-tool --verify-pin --auth-id 01 --pin $so_pin \
        && pkcs15-tool --unblock-pin --auth-id 02 --puk $so_pin --new-pin $pin
}

pins() {
    tool --change-pin --new-pin 11112222
    pin=11112222
    expect 0 pkcs15-tool --change-pin --auth-id 02 --pin $pin --new-pin 33334444
    pin=33334444
    tool --list-objects
    for _ in {1..5}; do
        expect 1 pkcs11-tool --module "$opensc" --login --pin 00000000 --list-objects
    done
    expect 1 pkcs11-tool --module "$opensc" --login --pin $pin --list-objects
    printed "CKR_PIN_LOCKED"
    for _ in {1..5}; do ! unblock > output 2>&1 || break; done
    tool --list-objects
    expect 0 pkcs11-tool --module "$opensc" --login --login-type so --so-pin $so_pin --init-pin --new-pin 12345678
    pin=12345678
    tool --list-objects
}

# ---- Deletion ----

deletion() {
    local id type data
    formatted emptied
    init --store-private-key imported.pem --passphrase "" --key-usage sign,decrypt --id 30
    init --generate-key rsa/1024 --key-usage sign,decrypt --id 10
    tool --keypairgen --key-type rsa:1024 --id 31
    tool --keypairgen --key-type GOSTR3410:A --id 41
    init --generate-key gost2001 --key-usage sign,decrypt --id 44
    certificates_and_data
    [ "$(objects 'Private Key')" = 5 ] || fail "not five private keys: $(cat output)"
    for id in 30 31 41; do
        for type in privkey pubkey; do tool --delete-object --type $type --id $id; done
    done
    for id in 30 31; do tool --delete-object --type cert --id $id; done
    for data in private public; do tool --delete-object --type data --label $data; done
    for id in 10 44; do init --delete-objects privkey,pubkey --id $id; done
    [ "$(objects '\(Private Key\|Public Key\|Certificate\|Data\)')" = 0 ] || fail "objects are left: $(cat output)"
    expect 0 opensc-tool --list-files
    formatted last
}

# ---- The tokens ----

bring() {
    rm -f trace
    insert "$identity" "$identity" --trace "$work/trace"
    formatted first
}

# The card that speaks T=0.
on_smart_card() {
    on sc "$1"
    printed '^> 00c00000' trace
}

@test "usb3: OpenSC formats the token again" { on usb3 formatting; }
@test "usb3: RSA keys are made and imported, OpenSSL verifies their signatures and encrypts for them" { on usb3 rsa_keys; }
@test "usb3: GOST keys are made in all three sets, OpenSSL's engine verifies their signatures" { on usb3 gost_keys; }
@test "usb3: OpenSSL's engine and the token agree on a key" { on usb3 agreement; }
@test "usb3: certificates and data objects are stored and read" { on usb3 certificates_and_data; }
@test "usb3: PINs are changed, blocked, unblocked and set anew" { on usb3 pins; }
@test "usb3: objects are deleted, and OpenSC formats the token once more" { on usb3 deletion; }

@test "ecp2: OpenSC formats the token again" { on ecp2 formatting; }
@test "ecp2: RSA keys are made and imported, OpenSSL verifies their signatures and encrypts for them" { on ecp2 rsa_keys; }
@test "ecp2: GOST keys are made in all three sets, OpenSSL's engine verifies their signatures" { on ecp2 gost_keys; }
@test "ecp2: OpenSSL's engine and the token agree on a key" { on ecp2 agreement; }
@test "ecp2: certificates and data objects are stored and read" { on ecp2 certificates_and_data; }
@test "ecp2: PINs are changed, blocked, unblocked and set anew" { on ecp2 pins; }
@test "ecp2: objects are deleted, and OpenSC formats the token once more" { on ecp2 deletion; }

@test "sc: OpenSC formats the token again" { on_smart_card formatting; }
@test "sc: RSA keys are made and imported, OpenSSL verifies their signatures and encrypts for them" { on_smart_card rsa_keys; }
@test "sc: GOST keys are made in all three sets, OpenSSL's engine verifies their signatures" { on_smart_card gost_keys; }
@test "sc: OpenSSL's engine and the token agree on a key" { on_smart_card agreement; }
@test "sc: certificates and data objects are stored and read" { on_smart_card certificates_and_data; }
@test "sc: PINs are changed, blocked, unblocked and set anew" { on_smart_card pins; }
@test "sc: objects are deleted, and OpenSC formats the token once more" { on_smart_card deletion; }
