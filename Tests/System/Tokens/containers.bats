#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# Keys of containers on an emulated Rutoken Lite, and in folders without pcscd, used by pkcs11-tool, kanal and OpenSSL's
# engine "kanal", and listed by Java; the engine of GOST verifies, and encrypts what is opened. OpenSSL's provider is in
# Provider/provider.bats.
# bats file_tags=pcscd
load ../common
load ../containers

setup_file() {
    prepare
    export OPENSSL_ENGINES=$work/lib/engines-3
    # The engine's layout is the installed one: the library beside its directory.
    mkdir -p "$OPENSSL_ENGINES"
    ln -s "$(pkg-config libcrypto --variable=enginesdir)/gost.so" "$products/engines-3/kanal.so" "$OPENSSL_ENGINES"
    ln -s "$module" lib
    sed 's/gost/kanal/g; /^default_algorithms/d' openssl.cnf > kanal.cnf
    printf message > message
    printf %s $pin > pin
    start_pcscd
    with_containers card-one 512-b two-plain 256-plain two-password
    keep containers
    attach lite lite "${containers[@]}"
}

teardown() { unconfigure; }

tool() { expect 0 pkcs11-tool --module "$module" --slot "$slot" "$@"; }
key() { OPENSSL_CONF=$work/kanal.cnf expect 0 openssl "$1" -engine kanal -keyform engine "${@:2}"; }
verify_cms() { expect 0 openssl cms -engine gost -verify -inform DER -in message.p7s -content message -noverify -out /dev/null; }

# A container's key, and its signatures: sets $id, $mechanism and $digest.
known() {
    vector "$1"
    id=$(cat id)
    mechanism=0xD4321008 digest=md_gost12_256
    [[ $1 != 512* ]] || mechanism=0xD4321009 digest=md_gost12_512
}

# Signs by pkcs11-tool, with more options, and by the engine with the key of this URI.
sign_with() {
    expect 0 pkcs11-tool --module "$module" "${@:2}" --list-objects
    [ "$(grep -c "ID: *$id" output)" = 3 ] || fail "not three objects: $(cat output)"
    expect 0 pkcs11-tool --module "$module" "${@:2}" --id "$id" --sign --mechanism "$mechanism" --input-file message \
        --output-file signature
    expect 0 openssl dgst -engine gost "-$digest" -verify public.pem -signature signature message
    key cms -sign -nodetach -inkey "$1" -signer certificate.pem -in message -binary -outform DER -out signed
    expect 0 openssl cms -engine gost -verify -inform DER -in signed -noverify -binary -out opened
    cmp message opened
}

# No secret is left in a process that signs with a container's key: slot, PIN, password.
leaves_no_secret() {
    expect 0 python3 "$root/Tests/Programs/Token/container_traces.py" "$module" "$1" "$2" "$id" "$(cat secrets)" \
        < <(printf %s "$3")
    printed "no secret in"
}

# ---- Folders ----

# libpcsclite finds no pcscd, even if one runs on this machine.
without_pcscd() {
    export PCSCLITE_CSOCK_NAME=$work/nowhere
    configure "containers = $work/folders"
    rm -rf folders
    known "$1"
    mkdir -m 700 folders
    mv "$1" "folders/$1.000"
}

folder() {
    local login=() source=() uri
    export PASSWORD=${2:-}
    without_pcscd "$1"
    [ -z "$PASSWORD" ] || login=(--login --pin "$PASSWORD") source=(--pin-source env:PASSWORD)
    expect 0 pkcs11-tool --module "$module" --list-slots
    printed "serial num *: *$(cat serial)"
    expect 0 "$kanal" list "${source[@]}" --container "folders/$1.000"
    printed "$id"
    expect 0 "$kanal" sign --overwrite "${source[@]}" --container folders --key "$id" --cms --detached --output message.p7s message
    verify_cms
    uri="pkcs11:serial=$(cat serial);id=$(sed 's/../%&/g' id);type=private${PASSWORD:+?pin-value=$PASSWORD}"
    sign_with "$uri" "${login[@]}"
    [[ $1 = 512* ]] || leaves_no_secret 0 "" "$PASSWORD"
}

@test "256-plain in a folder, without pcscd, signs by pkcs11-tool, kanal and OpenSSL" { folder 256-plain; }
@test "512-b in a folder, without pcscd, signs by pkcs11-tool, kanal and OpenSSL" { folder 512-b; }
@test "two-plain in a folder, without pcscd, signs by pkcs11-tool, kanal and OpenSSL" { folder two-plain; }
@test "two-password in a folder, without pcscd, signs by pkcs11-tool, kanal and OpenSSL" { folder two-password secret; }

@test "a wrong password, and whatever would change a folder, are refused" {
    without_pcscd two-password
    expect 1 pkcs11-tool --module "$module" --login --pin wrong --list-objects
    printed "CKR_PIN_INCORRECT"
    expect 1 pkcs11-tool --module "$module" --init-token --label new --so-pin 87654321
    printed "CKR_TOKEN_WRITE_PROTECTED\|0xe2"
    expect 0 pkcs11-tool --module "$module" --list-mechanisms
    # The host's mechanisms are not the card's.
    not_printed hw
}

@test "a folder or file that others reach is refused, with the reason" {
    local change
    without_pcscd two-password
    for change in "chmod g+w folders" "chmod o+r folders/two-password.000/masks.key" "chmod go+rx folders/two-password.000"; do
        $change
        rm -f log
        KANAL_LOG=$work/log expect 1 pkcs11-tool --module "$module" --list-token-slots
        printed "No slots"
        printed "group or others have access" log
        expect 2 "$kanal" list --container folders
        printed "group or others have access"
        chmod -R go= folders
    done
    expect 0 pkcs11-tool --module "$module" --list-token-slots
    printed CryptoPro
}

# ---- A token ----

on_token() {
    local uri
    known "$1"
    uri="pkcs11:serial=$serial;id=$(sed 's/../%&/g' id);type=private?pin-value=$pin"
    sign_with "$uri" --slot "$slot" --login --pin $pin
    expect 0 "$kanal" sign --overwrite --pin-source file:pin --key "$id" --cms --detached --output message.p7s message
    verify_cms
    expect 0 openssl cms -encrypt -engine gost -gost89 -binary -in message -outform DER -out enveloped certificate.pem
    key cms -decrypt -inkey "$uri" -recip certificate.pem -inform DER -in enveloped -out opened
    cmp message opened
}

@test "card-one on a token signs by pkcs11-tool, kanal and OpenSSL, which opens a message" { on_token card-one; }
@test "512-b on a token signs by pkcs11-tool, kanal and OpenSSL, which opens a message" { on_token 512-b; }
@test "two-plain on a token signs by pkcs11-tool, kanal and OpenSSL, which opens a message" { on_token two-plain; }

@test "keytool lists private keys by the names of their certificates" {
    local name
    example java.cfg
    echo "slot = $slot" >> java.cfg
    expect 0 keytool -list -keystore NONE -storetype PKCS11 -providerClass sun.security.pkcs11.SunPKCS11 \
        -providerArg "$work/java.cfg" -storepass $pin
    for name in card-one 512-b 256-plain; do
        vector $name
        printed "^$(cat name).*, PrivateKeyEntry"
    done
}

@test "signatures leave no secret in the process, and no container's name in the log" {
    local name
    for name in 256-plain two-password; do
        known $name
        rm -f log
        KANAL_LOG=$work/log leaves_no_secret "$slot" $pin "$([ $name = 256-plain ] || echo secret)"
        [ -s log ] || fail "there is no log"
        refute grep -q -F -e "$(cat name)" log
    done
}

@test "a container's password comes from a source, and a wrong one is refused" {
    known two-password
    expect 0 "$kanal" sign --overwrite --pin-source - --container-password-source - --key "$id" --cms --output signed message \
        <<< $pin$'\n'secret
    expect 0 openssl cms -engine gost -verify -inform DER -in signed -noverify -binary -out opened
    cmp message opened
    expect 4 "$kanal" sign --pin-source file:pin --container-password-source file:pin --key "$id" message
}

@test "the doctor opens each container without a password, and tells no name" {
    # Other findings depend on the machine.
    "$kanal" doctor --pin-source file:pin --json > output || true
    for finding in container.found pin.factory; do printed "\"$finding\""; done
    not_printed '"container[.]\(login\|unusable\|reserve\)"'
    not_printed '"containers.hangs"'
    for name in card-one 512-b two-plain 256-plain two-password; do
        vector $name
        not_printed "$(cat name)"
    done
}

@test "a token of containers has no mechanisms of the card" {
    tool --list-mechanisms
    not_printed hw
}

@test "containers are erased by a word of its own alone" {
    detach
    attach lite formatted "${containers[@]}"
    expect 1 pkcs11-tool --module "$module" --slot "$slot" --init-token --label new --so-pin 87654321
    printed "CKR_ACTION_PROHIBITED\|0x1b"
    printf 87654321 > officer
    expect 1 "$kanal" format --pin-source file:officer --new-pin-source file:pin --yes
    printed "card-one.*--erase-containers"
    tool --login --pin $pin --list-objects
    [ "$(grep -c 'Private Key Object' output)" -ge $((${#containers[@]} / 2)) ] || fail "a refused format has erased: $(cat output)"
    expect 0 "$kanal" format --pin-source file:officer --new-pin-source file:pin --yes --erase-containers
    tool --login --pin $pin --list-objects
    not_printed Object
}
