#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# Keys of all kinds and on all curves by the engine "kanal", and other modules than Kanal's: one without
# CKA_PUBLIC_KEY_INFO, one with more slots and keys than there is room for at first, and SoftHSM2, whose keys want the PIN each
# time. The provider finds the same.
# bats file_tags=apart
load ../common
load engine

setup_file() {
    local name
    prepare
    install_engine "PIN = $pin"
    for name in plain crowd; do
        # shellcheck disable=SC2046
        cc -O2 -Wall -Wextra -Werror -shared -fPIC "-DLIBRARY=\"$module\"" "$root/Tests/Programs/Engine/$name.c" \
            $(pkg-config --cflags p11-kit-1) -o $name.so
    done
    head -c 1000 /dev/urandom > message
    export SOFTHSM2_CONF=$work/softhsm2.conf
    start_pcscd
    attach usb usb
    uri="pkcs11:serial=$serial"
    keep uri
}

tool() { expect 0 pkcs11-tool --module "$module" --slot "$slot" --login --pin $pin "$@"; }
# public NAME FILE: the public half as the engine returns it.
public() {
    with 0 openssl pkey -engine kanal -inform engine -pubin -in "$1" -pubout -out "$2"
}
# signs NAME HASH FILE: a signature that the public half in a file verifies.
signs() {
    key dgst "-$2" -sign "$1" -out signature message
    expect 0 openssl dgst "-$2" -verify "$3" -signature signature message
}

# Keys that sign and agree: of each line the type for OpenSC, the digest, and the key of the other side for OpenSSL.
curves() {
    local type hash peer plain ukm=0102030405060708
    while read -r type hash peer; do
        tool --keypairgen --id 01 --label curve --key-type "$type" --usage-sign --usage-derive
        public "$uri;object=curve" curve.pub
        signs "$uri;object=curve" "$hash" curve.pub
        plain="$uri;object=curve?module-path=$work/plain.so"
        public "$plain" plain.pub
        cmp curve.pub plain.pub || fail "$type: without CKA_PUBLIC_KEY_INFO another public key is told"
        signs "$plain" "$hash" curve.pub
        if [ "$peer" != none ]; then
            # shellcheck disable=SC2086
            expect 0 openssl genpkey -algorithm ${peer/:/ -pkeyopt paramset:} -out peer.key
            expect 0 openssl pkey -in peer.key -pubout -out peer.pub
            key pkeyutl -derive -inkey "$uri;object=curve" -peerkey peer.pub -pkeyopt ukmhex:$ukm -out ours
            expect 0 openssl pkeyutl -derive -inkey peer.key -peerkey curve.pub -pkeyopt ukmhex:$ukm -out theirs
            cmp ours theirs || fail "$type: the sides agree on different secrets"
        fi
        tool --delete-object --type pubkey --id 01
        tool --delete-object --type privkey --id 01
    done
}

@test "keys sign and agree, also by a module without CKA_PUBLIC_KEY_INFO" {
    curves << 'END'
GOSTR3410:B md_gost94 gost2001:B
GOSTR3410-2012-256:D md_gost12_256 gost2012_256:C
GOSTR3410-2012-512:B md_gost12_512 gost2012_512:B
rsa:1024 sha256 none
EC:prime256v1 sha512 none
END
}

# bats test_tags=night
@test "so do keys of all other parameter sets" {
    curves << 'END'
GOSTR3410:A md_gost94 gost2001:A
GOSTR3410:C md_gost94 gost2001:C
GOSTR3410-2012-256:A md_gost12_256 gost2012_256:TCA
GOSTR3410-2012-256:B md_gost12_256 gost2012_256:A
GOSTR3410-2012-256:C md_gost12_256 gost2012_256:B
GOSTR3410-2012-512:A md_gost12_512 gost2012_512:A
GOSTR3410-2012-512:C md_gost12_512 gost2012_512:C
END
}

# Without CKA_PUBLIC_KEY_INFO the public half comes from an object with the same identifier.
@test "a public half comes from a certificate of the key's type and curve; without a private half nothing signs" {
    local plain="$uri;object=half?module-path=$work/plain.so"
    tool --keypairgen --id 02 --label half --key-type GOSTR3410-2012-256:A --usage-sign
    key req -new -x509 -key "$uri;object=half" -subj /CN=half -days 30 -outform der -out half.der
    expect 0 openssl x509 -inform der -in half.der -noout -pubkey -out half.pub
    expect 0 openssl req -x509 -newkey rsa:2048 -nodes -keyout other.key -outform der -out other.der -subj /CN=other
    tool --delete-object --type pubkey --id 02
    with 1 openssl dgst -engine kanal -keyform engine -md_gost12_256 -sign "$plain" message
    printed 'no usable public half.*neither a public key nor a certificate'
    tool --write-object other.der --type cert --id 02 --label other
    with 1 openssl dgst -engine kanal -keyform engine -md_gost12_256 -sign "$plain" message
    printed 'no usable public half.*is of another kind or curve'
    expect 0 openssl req -x509 -newkey gost2012_256 -pkeyopt paramset:B -nodes -keyout curve.key -outform der \
        -out curve.der -subj /CN=curve
    tool --write-object curve.der --type cert --id 02 --label curve
    with 1 openssl dgst -engine kanal -keyform engine -md_gost12_256 -sign "$plain" message
    printed 'no usable public half.*is of another kind or curve'
    tool --write-object half.der --type cert --id 02 --label half
    signs "$plain" md_gost12_256 half.pub
    tool --delete-object --type privkey --id 02
    with 1 openssl dgst -engine kanal -keyform engine -md_gost12_256 -sign "$uri;object=half" message
    printed 'no private key matches'
    public "$uri;object=half" certificate.pub
}

# A key wants the PIN each time, and it has become wrong.
@test "a PIN that a key wants each time is not presented again if it was wrong" {
    local presented
    local again='C_Login for this operation: the token has refused this PIN before'
    tool --keypairgen --id 03 --label each --key-type GOSTR3410-2012-256:A --usage-sign
    sed "s|^engine_id.*|&\nVERBOSE = EMPTY|" kanal.cnf > verbose.cnf
    printf 'sign\nsign\nsign\n' > lines
    OPENSSL_CONF=$work/verbose.cnf REFUSES=yes expect 0 \
        ./engine wait "$uri;object=each?module-path=$work/plain.so" < lines
    [ "$(grep -c failed output)" = 3 ] || fail "a signature with a PIN that is wrong: $(cat output)"
    presented=$(grep -c 'the PIN is presented' output)
    [ "$presented" = 2 ] || fail "the PIN is presented $presented times instead of two: $(cat output)"
    [ "$(grep -c ":$again" output)" = 2 ] || fail "$(cat output)"
}

# provider STATUS COMMAND…: what OpenSSL does by the provider.
provider() {
    OPENSSL_CONF=/dev/null OPENSSL_MODULES=$products/ossl-modules expect "$1" openssl "$2" -provider kanal \
        -provider default "${@:3}"
}

@test "keys are found by names of 400 bytes, among 600 others, and beside 70 tokens that were never initialised" {
    local label id last
    label=$(printf 'Ж%.0s' {1..200}) id=$(printf '%%61%.0s' {1..200})
    provider 0 genpkey -propquery provider=kanal -algorithm EC -pkeyopt group:P-256 -out made.key \
        -pkeyopt "pkcs11_uri:$uri;object=$label;id=$id?pin-value=$pin&module-path=$module"
    for last in "object=$label" "id=$id" "id=$id;object=$label"; do
        public "$uri;$last;type=private?pin-value=$pin" name.pub
        provider 0 pkey -noout -in "$uri;$last;type=private?pin-value=$pin&module-path=$module"
    done
    public "$uri;object=$label;type=private?pin-value=$pin&module-path=$work/crowd.so" crowd.pub
    cmp name.pub crowd.pub || fail "another key was found among many"
    provider 0 pkey -noout -in "pkcs11:object=$label;type=private?pin-value=$pin&module-path=$work/crowd.so"
    provider 1 pkey -noout -in "$uri;object=$label%00;type=private?pin-value=$pin&module-path=$module"
    provider 1 pkey -noout -in "$uri;object=Ж;type=private?pin-value=$pin&module-path=$module"
    by_kanal key delete "$label" --yes
    # A label in CP1251, as old programs wrote it.
    tool --keypairgen --id 0c --label $'\xca\xeb\xfe\xf7' --key-type EC:prime256v1 --usage-sign
    by_kanal key file 0c --output raw.key
    provider 0 pkey -noout -in raw.key -passin "pass:$pin"
    tool --delete-object --type privkey --id 0c
    tool --delete-object --type pubkey --id 0c
}

@test "a hidden certificate is found by a URI with the PIN" {
    key req -new -x509 -newkey rsa:2048 -keyout /dev/null -nodes -subj /CN=hidden -days 30 -outform der -out hidden.der
    tool --write-object hidden.der --type cert --id 0e --label hidden --private
    provider 0 x509 -noout -subject -in "$uri;object=hidden;type=cert?pin-value=$pin&module-path=$module"
    printed 'CN = hidden'
    tool --delete-object --type cert --id 0e
}

@test "SoftHSM2's keys sign, and get the PIN each time if they want it" {
    local soft uri="pkcs11:token=engine" kind presented
    soft=$(dpkg-query --listfiles libsofthsm2 | grep -m 1 '/libsofthsm2\.so$')
    mkdir tokens
    echo "directories.tokendir = $work/tokens" > softhsm2.conf
    expect 0 softhsm2-util --init-token --free --label engine --so-pin 87654321 --pin $pin
    sed "s|^engine_id.*|&\nMODULE_PATH = $soft\nVERBOSE = EMPTY|" kanal.cnf > softhsm.cnf
    local -x OPENSSL_CONF=$work/softhsm.cnf
    for kind in rsa:2048 EC:prime256v1; do
        expect 0 pkcs11-tool --module "$soft" --token-label engine --login --pin $pin --keypairgen --id 01 \
            --label "$kind" --key-type "$kind" --always-auth
        expect 0 ./engine sign "$uri;object=$kind" 3
        presented=$(grep -c 'the PIN is presented' output)
        [ "$presented" = 4 ] || fail "$kind: the PIN is presented $presented times for three signatures"
    done
}
