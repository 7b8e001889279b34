#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# containers-rotation.sh [COUNT]: signs COUNT messages, 1000 by default, with keys of containers on a token, while another
# program rewrites masks and keys between the library's transactions, and is pulled between its two writes each fourth time.
# Every signature is made, and the engine of GOST verifies each.
set -euo pipefail
cd "$(dirname "$0")/../.."
. Tests/Scripts/common.sh
. Tests/Scripts/container-vectors.sh

count=${1:-1000}
names=(256-plain 512-b two-plain)
mechanisms=(0xD4321008 0xD4321009 0xD4321008)

prepare
start_pcscd
with_containers "${names[@]}"
attach lite lite "${containers[@]}" --rotate
mkdir signed
keys=()
for index in "${!names[@]}"; do
    vector "${names[index]}"
    mv public.pem "$index.pem"
    keys+=("$(cat id):${mechanisms[index]}")
done
timeout 1200 /usr/bin/python3 "$root/Tests/Programs/Token/container_signatures.py" "$module" "$slot" $pin "$count" "${keys[@]}" \
    > output 2>&1 || fail "not all signatures are made: $(cat output)"
changes=$(grep -c '^rotated:' emulator.log || true)
pulls=$(grep -c '^rotated:.*pulled' emulator.log || true)
! grep '^not rotated' emulator.log || fail "a container was not rewritten"
detach
[ "$changes" -ge $((count / 10)) ] && [ "$pulls" -ge $((count / 50)) ] || fail "rewritten $changes times, with $pulls pulls"
[ "$(ls signed | wc -l)" = "$count" ] || fail "$(ls signed | wc -l) signatures"

verify() {
    local number=${1##*/} index digest=md_gost12_256
    index=$((number % 3))
    [ $index != 1 ] || digest=md_gost12_512
    printf 'message %s' "$number" | openssl dgst -engine gost -$digest -verify $index.pem -signature "$1" > /dev/null 2>&1 \
        || { echo "signature $number is wrong" && exit 255; }
}
export -f verify
find signed -type f -print0 | xargs -0 -n 1 -P "$(nproc)" bash -c 'verify "$0"' > output 2>&1 || fail "$(cat output)"
passed "$count signatures beside $changes changes of masks and keys, $pulls of them with a pull in the middle; each verifies"
