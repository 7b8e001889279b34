#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# Every key of every container of the vectors signs, in a folder and on an emulated Rutoken Lite; and keys of containers sign
# while another program changes the containers. OpenSSL with gost-engine verifies.
# bats file_tags=pcscd,night
load ../common
load ../containers

setup_file() {
    prepare
    start_pcscd
}

teardown() { detach; }

# signs CONTAINER NUMBER ID DIGEST OPTION…: signs, reads the public key, and has OpenSSL verify.
signs() {
    rm -f data.sig
    expect 0 "$kanal" sign "${@:5}" --key "$3" data < /dev/null
    "$kanal" key export "${@:5:4}" "$3" < /dev/null > public.pem
    openssl pkey -pubin -in public.pem -outform der 2> /dev/null | xxd -p | tr -d '\n' | grep -q "$(cat "$1.$2")" \
        || fail "$1: the public key $3 is not that of the vector"
    expect 0 openssl dgst -engine gost "-$4" -verify public.pem -signature data.sig data
}

@test "every key of the vectors signs, and its public key is that of the vector" {
    local count=0 container number id digest CONTAINER source
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
}

verify() {
    local number=${1##*/} index digest=md_gost12_256
    index=$((number % 3))
    [ $index != 1 ] || digest=md_gost12_512
    printf 'message %s' "$number" | openssl dgst -engine gost -$digest -verify $index.pem -signature "$1" > /dev/null 2>&1 \
        || { echo "signature $number is wrong" && exit 255; }
}

# The other program rewrites masks and keys between the library's transactions, and is pulled between its two writes each
# fourth time.
@test "signatures beside a program that rewrites the containers are all made, and right" {
    local count=1000 names=(256-plain 512-b two-plain) mechanisms=(0xD4321008 0xD4321009 0xD4321008)
    local index changes pulls keys=()
    with_containers "${names[@]}"
    attach lite rotated "${containers[@]}" --rotate
    mkdir signed
    for index in "${!names[@]}"; do
        vector "${names[index]}"
        mv public.pem "$index.pem"
        keys+=("$(cat id):${mechanisms[index]}")
    done
    timeout 1200 /usr/bin/python3 "$root/Tests/Programs/Token/container_signatures.py" "$module" "$slot" $pin "$count" "${keys[@]}" \
        > output 2>&1 || fail "not all signatures are made: $(cat output)"
    changes=$(grep -c '^rotated:' emulator.log || true)
    pulls=$(grep -c '^rotated:.*pulled' emulator.log || true)
    not_printed '^not rotated' emulator.log
    detach
    [ "$changes" -ge $((count / 10)) ] && [ "$pulls" -ge $((count / 50)) ] || fail "rewritten $changes times, with $pulls pulls"
    [ "$(ls signed | wc -l)" = "$count" ] || fail "$(ls signed | wc -l) signatures"

    export -f verify
    find signed -type f -print0 | xargs -0 -n 1 -P "$(nproc)" bash -c 'verify "$0"' > output 2>&1 || fail "$(cat output)"
}
