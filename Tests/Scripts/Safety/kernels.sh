#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# kernels.sh [ROUNDS]: the kernels of ciphers and hash functions give what the standards say, on every path that this
# processor has, under the sanitizers for undefined behaviour and addresses; and those of arm64 in an emulator, if there is one.
# There the instructions that are executed do not depend on keys and data either.
set -euo pipefail
cd "$(dirname "$0")/../../.."
. Tests/Scripts/common.sh

kernels=Sources/GOSTKernels
clang=$(dirname "$(readlink -f "$(command -v swift)")")/clang
rounds=${1:-300}
mapfile -t kernel_sources < <(find "$kernels" -name '*.c' -not -path '*/Curves/*')
sources=("${kernel_sources[@]}" Tests/Programs/Kernels/{kernels,ciphers,hashes,reference}.c "$work/vectors.c")
flags=(-O2 -g -fuse-ld=lld -Wall -Wextra -Werror "-I$kernels/include" -ITests/Programs/Kernels)
Tests/Programs/Kernels/vectors.py > "$work/vectors.c"

# The C library's own header shifts a one into the sign. To halt at a fault is asked for when the program runs: compiled into
# it, that takes minutes.
"$clang" "${flags[@]}" -fsanitize=undefined,address -fno-sanitize=shift-base "${sources[@]}" -o "$work/kernels"
UBSAN_OPTIONS=halt_on_error=1 "$work/kernels" "$rounds"

if [ "$(uname -m)" = aarch64 ]; then
    echo "kernels.sh: passed"
    exit 0
elif ! command -v qemu-aarch64-static > "$work/found" \
    || ! aarch64-linux-gnu-gcc -E - > "$work/found" 2>&1 <<< '#include <string.h>'; then
    skipped "the kernels of arm64: qemu-user-static, gcc-aarch64-linux-gnu or libc6-dev-arm64-cross is missing"
    exit 0
fi
arm64=("$clang" --target=aarch64-linux-gnu -static -mbranch-protection=standard "${flags[@]}")
"${arm64[@]}" "${sources[@]}" -o "$work/arm64"
qemu-aarch64-static "$work/arm64" "$((rounds / 3))"

# The addresses of all instructions that are executed for a letter, as one number.
trace() {
    qemu-aarch64-static -singlestep -d exec,nochain -D /dev/stdout "$work/steps" "$@" | cut -d / -f 2 | md5sum
}
"${arm64[@]}" "${kernel_sources[@]}" Tests/Programs/Kernels/{steps,reference}.c "$work/vectors.c" -o "$work/steps"
first=$(trace a)
for letter in b Z; do
    [ "$(trace $letter)" = "$first" ] || fail "arm64: what is executed depends on keys or data"
done
[ "$(trace a more)" != "$(trace b more)" ] || fail "a branch on data was not noticed"
passed "arm64: the same instructions are executed for three keys and texts"
echo "kernels.sh: passed"
