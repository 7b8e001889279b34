#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# curves.sh [PAIRS SCALARS]: the arithmetic of curves is right for all numbers of short words, and gives libcrypto's
# results for PAIRS of numbers modulo each p and q, and for SCALARS multiples of points of each curve. It runs under the
# sanitizers for undefined behaviour and addresses.
#
# CROSS=aarch64-linux-gnu SDKS=DIRECTORY, as for "make install", has qemu compare with libcrypto on another processor, without
# the sanitizer for addresses: its library wants a later glibc than the SDK's.
set -euo pipefail
cd "$(dirname "$0")/../../.."
. Tests/Scripts/common.sh

kernels=Sources/GOSTKernels
clang=$(dirname "$(readlink -f "$(command -v swift)")")/clang
flags=(-O2 -g -fuse-ld=lld -Wall -Wextra -Werror -Wno-unused-function -Wno-pass-failed -fno-sanitize-recover=all
    "-I$kernels/include" "-I$kernels/Curves" -ITests/Programs/Curves)
if [ -n "${CROSS:-}" ]; then
    sdk=$SDKS/$CROSS.artifactbundle
    flags+=("--config=$sdk/c.cfg" -resource-dir "$sdk/root/usr/libexec/swift/lib/swift/clang" -fsanitize=undefined)
    run=("qemu-${CROSS%%-*}" -L "$sdk/root")
else
    flags+=(-fsanitize=undefined,address)
    run=()
    # Bits of a word, the number that is folded, and the step from one modulus to the next.
    for shape in "3 2 2" "4 3 2" "5 5 26"; do
        read -r bits fold step <<< "$shape"
        "$clang" -x c++ -std=c++20 -O2 -Wall -Wextra -Werror -Wno-unused-function -Wno-unknown-pragmas -Wno-pass-failed \
            "-DWORD_BITS=$bits" "-DSMALL_FOLD=$fold" "-DMODULUS_STEP=$step" "-I$kernels/Curves" \
            Tests/Programs/Curves/bounds.cpp -o "$work/bounds"
        "$work/bounds"
    done
fi

Tests/Programs/Curves/table.py > "$work/curves.c"
"$clang" "${flags[@]}" Tests/Programs/Curves/fields.c "$work/curves.c" -lcrypto -o "$work/fields"
"$clang" "${flags[@]}" Tests/Programs/Curves/points.c Tests/Programs/Curves/make.c "$work/curves.c" "$kernels"/Curves/*.c -lcrypto -o "$work/points"
"${run[@]}" "$work/fields" "${1:-3000}"
"${run[@]}" "$work/points" "${2:-500}"
echo "curves.sh: passed"
