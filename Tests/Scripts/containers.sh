#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Keys of containers on an emulated Rutoken Lite, used by pkcs11-tool, kanal and OpenSSL's engine "kanal"; the engine of GOST
# verifies, and encrypts what is opened.
set -euo pipefail
cd "$(dirname "$0")/../.."
. Tests/Scripts/common.sh

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
start_pcscd
attach lite lite

# store VECTOR DIRECTORY: puts a container of the vectors on the token, as another program does, and writes certificate.der.
store() {
    python3 - "$root/Tests/Vectors/containers.json" "$@" > commands << 'END'
import json, sys
vector = next(v for v in json.load(open(sys.argv[1]))["containers"] if v["id"] == sys.argv[2])
directory = int(sys.argv[3], 16)
open("certificate.der", "wb").write(bytes.fromhex(vector["keys"][-1]["certificate"]))
open("id", "w").write(vector["keys"][-1]["Q"][:16])
open("name", "w").write(vector["name"])
# The private key in both orders, and the password as it is hashed, inverted.
d = bytes.fromhex(vector["keys"][-1]["d"])
secrets = [d, d[::-1]] + [vector["password"].encode("utf-32-le")] * bool(vector["password"])
open("secrets", "w").write(",".join(bytes(255 - byte for byte in secret).hex() for secret in secrets))
names = ["masks", "primary", "header", "masks2", "primary2", "name"]

def send(header, data=b""): print((bytes.fromhex(header) + bytes([len(data)]) * bool(data) + data).hex())
def path(*files): return b"".join(file.to_bytes(2, "big") for file in (0x1000, 0x1003) + files)
def create(file, size, kind, access):
    objects = [(0x80, size.to_bytes(2, "big")), (0x82, bytes([kind, 0])), (0x83, file.to_bytes(2, "big")),
               (0x86, bytes([0x43] + access + [0] * 7))]
    content = b"".join(bytes([tag, len(value)]) + value for tag, value in objects)
    send("00E00000", b"\x62" + bytes([len(content)]) + content)

send("00200002", b"12345678")
send("00A40800", path())
create(directory, 0, 0x38, [2, 2, 0, 0, 0, 0, 0xFF])
for number, name in enumerate(names, 1):
    content = bytes.fromhex(vector["files"].get(name + ".key", ""))
    if not content:
        continue
    send("00A40800", path(directory))
    create(directory & 0xFF00 | number, len(content), 1, [0 if name == "name" else 2, 2, 0, 0, 0, 0, 2])
    for start in range(0, len(content), 200):
        send("00D6" + start.to_bytes(2, "big").hex(), content[start:start + 200])
send("80400002")
END
    expect 0 opensc-tool --reader "Virtual PCD 00 00" --card-driver default $(sed 's/^/--send-apdu /' commands)
    [ "$(grep -c 'SW1=0x90, SW2=0x00' output)" = "$(wc -l < commands)" ] || fail "the container is not stored: $(cat output)"
    openssl x509 -engine gost -inform DER -in certificate.der -outform PEM > certificate.pem 2> /dev/null
    openssl x509 -engine gost -in certificate.pem -pubkey -noout > public.pem 2> /dev/null
}

printf 'message' > message
for vector in card-one 512-b two-plain; do
    directories=$((${directories:-9} + 1))
    store $vector "$(printf '%02X00' $directories)"
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
    expect 0 "$kanal" sign --pin-source file:pin --key "$id" --cms --detached --output message.p7s message
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

# ---- Traces ----

export KANAL_LOG=$work/log
for vector in 256-plain two-password; do
    directories=$((directories + 1))
    store $vector "$(printf '%02X00' $directories)"
    secret=$([ $vector = 256-plain ] || echo secret)
    printf %s "$secret" > password
    expect 0 python3 "$root/Tests/Programs/Token/container_traces.py" "$module" "$slot" $pin "$(cat id)" "$(cat secrets)" \
        < password
    ! grep -q -F -e "$(cat name)" log || fail "$vector: the container's name is in the log"
    passed "$vector: $(cat output) after signatures, and no name in the log"
done
[ -s log ] || fail "there is no log"
unset KANAL_LOG

tool --list-mechanisms
! grep -q hw output || fail "the host's mechanisms are the card's: $(cat output)"

# ---- Formatting ----

expect 1 pkcs11-tool --module "$module" --slot "$slot" --init-token --label new --so-pin 87654321
printed "CKR_ACTION_PROHIBITED\|0x1b"
printf 87654321 > officer
expect 1 "$kanal" format --pin-source file:officer --new-pin-source file:pin --yes
printed "card-one.*--erase-containers"
tool --login --pin $pin --list-objects
[ "$(grep -c 'Private Key Object' output)" -ge $((directories - 9)) ] || fail "a refused format has erased: $(cat output)"
expect 0 "$kanal" format --pin-source file:officer --new-pin-source file:pin --yes --erase-containers
tool --login --pin $pin --list-objects
! grep -q Object output || fail "not everything was erased: $(cat output)"
passed "containers are erased by a word of its own alone"
