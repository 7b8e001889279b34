#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Every key of every container of the vectors signs, in a folder and on an emulated Rutoken Lite: the public key is that of
# the vector, and OpenSSL with gost-engine verifies the signature.
set -euo pipefail
cd "$(dirname "$0")/../.."
. Tests/Scripts/common.sh
prepare
start_pcscd
umask 077
# Containers, numbers of keys, identifiers, digests of OpenSSL, passwords.
python3 - "$root/Tests/Vectors/containers.json" << 'END' > keys
import json, os, sys

for vector in json.load(open(sys.argv[1]))["containers"]:
    os.makedirs("folders/" + vector["id"])
    for name, content in vector["files"].items():
        open(f"folders/{vector['id']}/{name}", "wb").write(bytes.fromhex(content))
    for number, key in enumerate(vector["keys"]):
        is_old = key["algorithm"].startswith("1.2.643.2.")
        digest = "md_gost94" if is_old else "md_gost12_512" if len(key["Q"]) == 256 else "md_gost12_256"
        open(f"{vector['id']}.{number}", "w").write(key["Q"])
        print(vector["id"], number, key["Q"][:16], digest, vector["password"] or "-", sep="\t")
END
export PIN=$pin CONTAINER
echo data > data

# signs CONTAINER NUMBER ID DIGEST OPTION…: signs, reads the public key, and has OpenSSL verify.
signs() {
    rm -f data.sig
    expect 0 "$kanal" sign "${@:5}" --key "$3" data < /dev/null
    "$kanal" key export "${@:5:4}" "$3" < /dev/null > public.pem
    openssl pkey -pubin -in public.pem -outform der 2> /dev/null | xxd -p | tr -d '\n' | grep -q "$(cat "$1.$2")" \
        || fail "$1: the public key $3 is not that of the vector"
    expect 0 openssl dgst -engine gost "-$4" -verify public.pem -signature data.sig data
}

count=0
while IFS=$'\t' read -r container number id digest CONTAINER; do
    source=()
    [ "$CONTAINER" = - ] || source=(--pin-source env:CONTAINER)
    signs "$container" "$number" "$id" "$digest" --container "folders/$container" "${source[@]}"
    rm -rf lite
    insert lite lite --container "folders/$container"
    [ "$CONTAINER" = - ] || source=(--container-password-source env:CONTAINER)
    signs "$container" "$number" "$id" "$digest" --token "$serial" --pin-source env:PIN "${source[@]}"
    detach
    count=$((count + 1))
done < keys
[ $count -ge 28 ] || fail "$count keys"
passed "$count keys of containers sign in folders and on a token, and gost-engine verifies"
