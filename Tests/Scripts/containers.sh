#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Keys of containers on an emulated Rutoken Lite, and in folders without pcscd, used by pkcs11-tool, kanal and OpenSSL's
# engine "kanal", and listed by Java; the engine of GOST verifies, and encrypts what is opened. OpenSSL's provider is in
# Provider/provider.sh.
set -euo pipefail
cd "$(dirname "$0")/../.."
. Tests/Scripts/common.sh
. Tests/Scripts/container-vectors.sh

tool() { expect 0 pkcs11-tool --module "$module" --slot "$slot" "$@"; }

export OPENSSL_ENGINES=$work/lib/engines-3
key() { OPENSSL_CONF=$work/kanal.cnf expect 0 openssl "$1" -engine kanal -keyform engine "${@:2}"; }

prepare
# The engine lies as it is installed: the library beside its directory.
mkdir -p "$OPENSSL_ENGINES"
ln -s "$(pkg-config libcrypto --variable=enginesdir)/gost.so" "$root/.build/release/engines-3/kanal.so" "$OPENSSL_ENGINES"
ln -s "$module" lib
sed 's/gost/kanal/g' openssl.cnf > kanal.cnf
sed -i '/^default_algorithms/d' kanal.cnf

# ---- Folders ----

# Whatever runs on this machine: libpcsclite finds no pcscd.
export PCSCLITE_CSOCK_NAME=$work/nowhere
configure "containers = $work/folders"
printf 'message' > message
for vector in 256-plain 512-b two-plain two-password; do
    rm -rf folders
    vector $vector
    mkdir -m 700 folders
    mv $vector folders/$vector.000
    id=$(cat id)
    password=$([ $vector != two-password ] || echo secret)
    login=()
    source=()
    [ -z "$password" ] || login=(--login --pin "$password") source=(--pin-source env:PASSWORD)
    export PASSWORD=$password
    expect 0 pkcs11-tool --module "$module" "${login[@]}" --list-objects
    [ "$(grep -c "ID: *$id" output)" = 3 ] || fail "$vector: not three objects: $(cat output)"
    expect 0 pkcs11-tool --module "$module" --list-slots
    printed "serial num *: *$(cat serial)"
    case $vector in
        512*) mechanism=0xD4321009 digest=md_gost12_512 ;;
        *) mechanism=0xD4321008 digest=md_gost12_256 ;;
    esac
    expect 0 pkcs11-tool --module "$module" "${login[@]}" --id "$id" --sign --mechanism $mechanism --input-file message \
        --output-file signature
    expect 0 openssl dgst -engine gost -$digest -verify public.pem -signature signature message
    expect 0 "$kanal" list "${source[@]}" --container "folders/$vector.000"
    printed "$id"
    expect 0 "$kanal" sign --overwrite "${source[@]}" --container folders --key "$id" --cms --detached --output message.p7s message
    expect 0 openssl cms -engine gost -verify -inform DER -in message.p7s -content message -noverify -out /dev/null
    uri="pkcs11:serial=$(cat serial);id=$(sed 's/../%&/g' id);type=private${password:+?pin-value=$password}"
    key cms -sign -nodetach -inkey "$uri" -signer certificate.pem -in message -binary -outform DER -out signed
    expect 0 openssl cms -engine gost -verify -inform DER -in signed -noverify -binary -out opened
    cmp message opened
    case $vector in
        512*) ;;
        *)
            printf %s "$password" > password
            expect 0 python3 "$root/Tests/Programs/Token/container_traces.py" "$module" 0 "" "$id" "$(cat secrets)" \
                < password
            printed "no secret in"
            ;;
    esac
    passed "$vector in a folder, without pcscd: pkcs11-tool, kanal and OpenSSL sign, and the engine of GOST verifies"
done
expect 1 pkcs11-tool --module "$module" --login --pin wrong --list-objects
printed "CKR_PIN_INCORRECT"
expect 1 pkcs11-tool --module "$module" --init-token --label new --so-pin 87654321
printed "CKR_TOKEN_WRITE_PROTECTED\|0xe2"
expect 0 pkcs11-tool --module "$module" --list-mechanisms
! grep -q hw output || fail "the host's mechanisms are the card's: $(cat output)"
passed "a wrong password, and whatever would change a folder, are refused"

for change in "chmod g+w folders" "chmod o+r folders/$vector.000/masks.key" "chmod go+rx folders/$vector.000"; do
    $change
    KANAL_LOG=$work/log expect 1 pkcs11-tool --module "$module" --list-token-slots
    printed "No slots"
    grep -q "group or others have access" log || fail "after $change the log has no reason: $(cat log)"
    rm log
    expect 2 "$kanal" list --container folders
    printed "group or others have access"
    chmod -R go= folders
done
expect 0 pkcs11-tool --module "$module" --list-token-slots
printed CryptoPro
passed "a folder or file that others reach is refused, with the reason"
unset PCSCLITE_CSOCK_NAME PASSWORD
unconfigure

# ---- A token ----

start_pcscd
with_containers card-one 512-b two-plain 256-plain two-password
attach lite lite "${containers[@]}"

for vector in card-one 512-b two-plain; do
    vector $vector
    id=$(cat id)
    tool --login --pin $pin --list-objects
    [ "$(grep -c "ID: *$id" output)" = 3 ] || fail "$vector: not three objects: $(cat output)"
    case $vector in
        512*) mechanism=0xD4321009 digest=md_gost12_512 ;;
        *) mechanism=0xD4321008 digest=md_gost12_256 ;;
    esac
    tool --login --pin $pin --id "$id" --sign --mechanism $mechanism --input-file message --output-file signature
    expect 0 openssl dgst -engine gost -$digest -verify public.pem -signature signature message
    printf %s $pin > pin
    expect 0 "$kanal" sign --overwrite --pin-source file:pin --key "$id" --cms --detached --output message.p7s message
    expect 0 openssl cms -engine gost -verify -inform DER -in message.p7s -content message -noverify -out /dev/null
    uri="pkcs11:serial=$serial;id=$(sed 's/../%&/g' id);type=private?pin-value=$pin"
    key cms -sign -nodetach -inkey "$uri" -signer certificate.pem -in message -binary -outform DER -out signed
    expect 0 openssl cms -engine gost -verify -inform DER -in signed -noverify -binary -out opened
    cmp message opened
    expect 0 openssl cms -encrypt -engine gost -gost89 -binary -in message -outform DER -out enveloped certificate.pem
    key cms -decrypt -inkey "$uri" -recip certificate.pem -inform DER -in enveloped -out opened
    cmp message opened
    passed "$vector: pkcs11-tool, kanal and OpenSSL sign, and the engine of GOST verifies; OpenSSL opens a message"
done

# ---- Java ----

# Private keys go by the names of their certificates.
java_lists() {
    local name
    example java.cfg
    echo "slot = $slot" >> java.cfg
    expect 0 keytool -list -keystore NONE -storetype PKCS11 -providerClass sun.security.pkcs11.SunPKCS11 \
        -providerArg "$work/java.cfg" -storepass $pin
    cp output listed
    for name in card-one 512-b 256-plain; do
        vector $name
        grep -q "^$(cat name).*, PrivateKeyEntry" listed || fail "no entry of $name: $(cat listed)"
    done
    passed "keytool lists $(grep -c PrivateKeyEntry listed) entries"
}
java_lists

# ---- Traces ----

export KANAL_LOG=$work/log
for vector in 256-plain two-password; do
    vector $vector
    secret=$([ $vector = 256-plain ] || echo secret)
    printf %s "$secret" > password
    expect 0 python3 "$root/Tests/Programs/Token/container_traces.py" "$module" "$slot" $pin "$(cat id)" "$(cat secrets)" \
        < password
    ! grep -q -F -e "$(cat name)" log || fail "$vector: the container's name is in the log"
    passed "$vector: $(cat output) after signatures, and no name in the log"
done
[ -s log ] || fail "there is no log"
unset KANAL_LOG

# ---- Sources of the password, and the doctor ----

printf '%s\n%s\n' $pin secret > both
expect 0 "$kanal" sign --overwrite --pin-source - --container-password-source - --key "$(cat id)" --cms --output signed message < both
expect 0 openssl cms -engine gost -verify -inform DER -in signed -noverify -binary -out opened
cmp message opened
expect 4 "$kanal" sign --pin-source file:pin --container-password-source file:pin --key "$(cat id)" message
passed "a container's password comes from a source, and a wrong one is refused"

# Other findings depend on the machine.
"$kanal" doctor --pin-source file:pin --json > output || true
for finding in container.found pin.factory; do printed "\"$finding\""; done
! grep -q -e '"container[.]\(login\|unusable\|reserve\)"' -e '"containers.hangs"' -e "$(cat name)" output ||
    fail "the doctor finds faults, or tells a name: $(cat output)"
passed "the doctor opens each container without a password, and tells no name"

tool --list-mechanisms
! grep -q hw output || fail "the host's mechanisms are the card's: $(cat output)"

# ---- Formatting ----

expect 1 pkcs11-tool --module "$module" --slot "$slot" --init-token --label new --so-pin 87654321
printed "CKR_ACTION_PROHIBITED\|0x1b"
printf 87654321 > officer
expect 1 "$kanal" format --pin-source file:officer --new-pin-source file:pin --yes
printed "card-one.*--erase-containers"
tool --login --pin $pin --list-objects
[ "$(grep -c 'Private Key Object' output)" -ge $((${#containers[@]} / 2)) ] || fail "a refused format has erased: $(cat output)"
expect 0 "$kanal" format --pin-source file:officer --new-pin-source file:pin --yes --erase-containers
tool --login --pin $pin --list-objects
! grep -q Object output || fail "not everything was erased: $(cat output)"
passed "containers are erased by a word of its own alone"
