#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# Objects of a token: keys, certificates and data, made with Kanal by pkcs11-tool and used with it, and those that
# OpenSC's own programs have made, used with Kanal. OpenSSL makes, verifies and encrypts beside it.
# bats file_tags=pcscd
load ../common
load ../opensc

setup_file() {
    prepare attributes operations mechanisms secrets
    start_pcscd
    head -c 1000 /dev/urandom > message
    head -c 30 /dev/urandom > secret
    head -c 32 /dev/urandom > digest
    rsa_key imported.pem
    openssl rsa -in imported.pem -traditional -outform DER -out imported.der 2> /dev/null
    openssl rsa -in imported.pem -pubout -outform DER -out imported.pub 2> /dev/null
    openssl rsa -in imported.pem -pubout -out imported.public.pem 2> /dev/null
    openssl req -x509 -key imported.pem -subj "/CN=Kanal" -out certificate.pem 2> /dev/null
    openssl x509 -in certificate.pem -outform DER -out certificate.der
}

tool() { expect 0 pkcs11-tool --module "$module" --login --pin $pin "$@"; }
public() { expect 0 pkcs11-tool --module "$module" "$@"; }
count() { tool --list-objects; grep -c "^$1" output || true; }

# ---- RSA and ECDSA ----

# Signs and decrypts with the RSA key that has this identifier, by the public key that the token shows.
use_rsa() {
    tool --read-object --type pubkey --id "$1" --output-file public.der
    openssl rsa -pubin -inform DER -in public.der -out public.pem 2> /dev/null
    use_private_rsa "$1"
}

# The same with the public key in public.pem.
use_private_rsa() {
    tool --sign --mechanism SHA256-RSA-PKCS --id "$1" --input-file message --output-file signature
    expect 0 openssl dgst -sha256 -verify public.pem -signature signature message
    tool --sign --mechanism SHA256-RSA-PKCS-PSS --id "$1" --input-file message --output-file signature
    expect 0 openssl dgst -sha256 -sigopt rsa_padding_mode:pss -verify public.pem -signature signature message
    expect 0 openssl pkeyutl -encrypt -pubin -inkey public.pem -in secret -out encrypted
    rm -f decrypted
    tool --decrypt --mechanism RSA-PKCS --id "$1" --input-file encrypted --output-file decrypted
    cmp secret decrypted || fail "RSA: decrypted to something else"
    expect 0 openssl pkeyutl -encrypt -pubin -inkey public.pem -in secret -out encrypted -pkeyopt rsa_padding_mode:oaep \
        -pkeyopt rsa_oaep_md:sha256 -pkeyopt rsa_mgf1_md:sha256
    rm -f decrypted
    tool --decrypt --mechanism RSA-PKCS-OAEP --hash-algorithm SHA256 --mgf MGF1-SHA256 --id "$1" \
        --input-file encrypted --output-file decrypted
    cmp secret decrypted || fail "RSA: decrypted to something else by OAEP"
}

key_pairs() {
    local bits
    for bits in 1024 2048; do
        tool --keypairgen --key-type rsa:$bits --id ${bits:0:2} --label "RSA $bits"
        use_rsa ${bits:0:2}
    done
    cp imported.public.pem public.pem
    tool --write-object imported.der --type privkey --id 30 --label imported --usage-sign --usage-decrypt
    use_private_rsa 30
    tool --write-object imported.pub --type pubkey --id 30 --label imported
    use_rsa 30
}

p256() {
    tool --keypairgen --key-type EC:prime256v1 --id 40 --label "P-256"
    tool --sign --mechanism ECDSA-SHA256 --signature-format openssl --id 40 --input-file message \
        --output-file signature
    tool --read-object --type pubkey --id 40 --output-file public.der
    expect 0 openssl dgst -sha256 -keyform DER -verify public.der -signature signature message
}

# ---- Certificates and data ----

certificates_and_data() {
    local object
    tool --write-object certificate.der --type cert --id 30 --label certificate
    public --list-objects --type cert
    printed "subject:    DN: CN=Kanal"
    public --read-object --type cert --id 30 --output-file read.der
    cmp certificate.der read.der || fail "another certificate was read"
    tool --write-object message --type data --label private --private --application-id 1.2.643.1
    tool --write-object secret --type data --label public --application-label test
    for object in "private message" "public secret"; do
        tool --read-object --type data --label "${object% *}" --output-file read
        cmp "${object#* }" read || fail "another ${object% *} data object was read"
    done
    public --list-objects --type data
    not_printed private
}

# OpenSC knows its own directories only, but finds the key files, the records and the certificate's file.
files() {
    local file
    tool --keypairgen --key-type rsa:1024 --id 60 --label files
    tool --write-object certificate.der --type cert --id 60 --label files
    expect 0 opensc-tool --list-files
    for file in 60020001 60010001 10018000 80018000; do
        grep -qi "3f001000.*$file" output || fail "no file $file: $(cat output)"
    done
}

deletion() {
    local key type
    bring
    cp imported.public.pem public.pem
    tool --write-object imported.der --type privkey --id 30 --label imported --usage-sign --usage-decrypt
    tool --write-object imported.pub --type pubkey --id 30 --label imported
    tool --keypairgen --key-type rsa:1024 --id 10
    tool --keypairgen --key-type EC:prime256v1 --id 40
    certificates_and_data
    tool --set-id 77 --type privkey --id 30
    use_private_rsa 77
    for key in 10 30 40; do tool --delete-object --type pubkey --id $key; done
    for key in 10 77 40; do tool --delete-object --type privkey --id $key; done
    tool --delete-object --type cert --id 30
    for type in private public; do tool --delete-object --type data --label $type; done
    [ "$(count '\(Private Key\|Public Key\|Certificate\|Data\)')" = 0 ] || fail "objects are left: $(cat output)"
}

# ---- What OpenSC has stored ----

foreign() {
    local object
    format OpenSC
    init --generate-key rsa/2048 --key-usage sign,decrypt --id 51 --label made
    init --store-private-key imported.pem --passphrase "" --key-usage sign,decrypt --id 52 --label imported
    init --store-certificate certificate.pem --id 52 --label certificate
    init --store-data message --label note --application-name test --application-id 1.2.643.1
    init --generate-key gost2001 --key-usage sign --id 53 --label GOST
    public --list-objects
    for object in made imported certificate GOST; do printed "label: *$object"; done
    not_printed "^Private Key"
    [ "$(count 'Private Key')" = 3 ] || fail "not three private keys: $(cat output)"
    use_rsa 51
    use_rsa 52
    public --read-object --type cert --id 52 --output-file read.der
    cmp certificate.der read.der || fail "another certificate was read"
    tool --read-object --type data --label note --output-file read
    cmp message read || fail "other data were read"
    tool --sign --mechanism GOSTR3410 --id 53 --input-file digest --output-file signature
    public --list-objects --type pubkey
    gost_public_key 53 1
    expect 0 openssl pkeyutl -engine gost -verify -pubin -keyform DER -inkey public.der -in digest -sigfile signature
    expect 1 pkcs11-tool --module "$module" --login --pin $pin --delete-object --type privkey --id 51
    # CKR_ACTION_PROHIBITED
    printed "0x1b"
    tool --keypairgen --key-type rsa:1024 --id 54 --label beside
    use_rsa 54
    expect 0 pkcs15-tool --dump
    printed made
}

# ---- What applications rely on ----

attributes() { expect 0 ./attributes 0 $pin; }
mechanisms() { expect 0 ./mechanisms 0 $pin; }
secrets() { expect 0 ./secrets 0 $pin; }

operations() {
    rm -f refusals
    KANAL_LOG=$work/refusals expect 0 ./operations 0 $pin
    # The log has a reason for each.
    not_printed ' C_[A-Za-z]* 0x[0-9A-F]* CKR_\(ARGUMENTS\|ATTRIBUTE\|TEMPLATE\|KEY\|MECHANISM\)_[A-Z_]*$' refusals
    printed 'C_Sign 0x00000007 CKR_ARGUMENTS_BAD: pData is NULL, and its length 5$' refusals
    printed 'C_SignInit 0x00000063 CKR_KEY_TYPE_INCONSISTENT: CKM_RSA_PKCS: the key is of CKK_GOSTR3410, ' refusals
}

# ---- The tokens ----

# A token without objects in the reader.
bring() {
    detach
    rm -rf "$identity"
    insert "$identity" "$identity"
}

@test "usb3: unknown attributes, encodings of elliptic curves and GOST templates are as applications expect" { on usb3 attributes; }
@test "usb3: an error ends an operation, a question for the length and a short buffer do not" { on usb3 operations; }
@test "usb3: every mechanism works in each way that its flags claim, in a session and on the token" { on usb3 mechanisms; }
@test "usb3: of a session's keys nothing is left in the process when they are gone" { on usb3 secrets; }
@test "usb3: RSA keys are made and imported, OpenSSL verifies their signatures and encrypts for them" { on usb3 key_pairs; }
@test "usb3: a key on P-256 is made, OpenSSL verifies its signature" { on usb3 p256; }
@test "usb3: certificates and data objects are stored and read" { on usb3 certificates_and_data; }
@test "usb3: OpenSC finds the files of what Kanal has stored" { on usb3 files; }
@test "usb3: objects are renamed and deleted" { on usb3 deletion; }
@test "usb3: what OpenSC has stored is listed and used, and left to OpenSC" { on usb3 foreign; }

@test "ecp2: unknown attributes, encodings of elliptic curves and GOST templates are as applications expect" { on ecp2 attributes; }
@test "ecp2: an error ends an operation, a question for the length and a short buffer do not" { on ecp2 operations; }
@test "ecp2: every mechanism works in each way that its flags claim, in a session and on the token" { on ecp2 mechanisms; }
@test "ecp2: of a session's keys nothing is left in the process when they are gone" { on ecp2 secrets; }
@test "ecp2: RSA keys are made and imported, OpenSSL verifies their signatures and encrypts for them" { on ecp2 key_pairs; }
@test "ecp2: a key on P-256 is made, OpenSSL verifies its signature" { on ecp2 p256; }
@test "ecp2: certificates and data objects are stored and read" { on ecp2 certificates_and_data; }
@test "ecp2: OpenSC finds the files of what Kanal has stored" { on ecp2 files; }
@test "ecp2: objects are renamed and deleted" { on ecp2 deletion; }
@test "ecp2: what OpenSC has stored is listed and used, and left to OpenSC" { on ecp2 foreign; }
