#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# The arithmetic of curves is right for all numbers of short words, and yields libcrypto's results for $PAIRS of numbers
# modulo each p and q, and for $SCALARS multiples of points of each curve, under the sanitizers for undefined behaviour and
# addresses.
#
# CROSS=aarch64-linux-gnu SDKS=DIRECTORY, as for "make install", has qemu compare with libcrypto on another processor, without
# the sanitizer for addresses: its library wants a later glibc than the SDK's.
# bats file_tags=unbuilt
load ../common
load ../compiler

kernels=$root/Sources/GOSTKernels
programs=$root/Tests/Programs/Curves
plain=(-O2 -Wall -Wextra -Werror -Wno-unused-function -Wno-pass-failed "-I$kernels/Curves")
checked=(-g -fuse-ld=lld -fno-sanitize-recover=all "-I$kernels/include" "-I$programs")
if [ -n "${CROSS:-}" ]; then
    sdk=$(realpath "$SDKS")/$CROSS.artifactbundle
    checked+=("--config=$sdk/c.cfg" -resource-dir "$sdk/root/usr/libexec/swift/lib/swift/clang" -fsanitize=undefined)
    qemu=("qemu-${CROSS%%-*}" -L "$sdk/root")
else
    checked+=("-fsanitize=undefined,address")
    qemu=()
fi

setup_file() {
    cd "$root"
    Tests/Programs/Curves/table.py > "$work/curves.c"
}

# compare COUNT SOURCE...
compare() {
    clang "${plain[@]}" "${checked[@]}" "${@:2}" curves.c -lcrypto -o program
    "${qemu[@]}" ./program "$1"
}

@test "no overflow and no wrong result for all numbers in words of a few bits" {
    local bits fold step
    [ -z "${CROSS:-}" ] || skip "they are the same on every processor"
    # Bits of a word, the number that is folded, and the step from one modulus to the next.
    while read -r bits fold step; do
        clang -x c++ -std=c++20 "${plain[@]}" -Wno-unknown-pragmas "-DWORD_BITS=$bits" "-DSMALL_FOLD=$fold" \
            "-DMODULUS_STEP=$step" "$programs/bounds.cpp" -o bounds
        ./bounds
    done <<< $'3 2 2\n4 3 2\n5 5 26'
}

@test "numbers of fields are libcrypto's" { compare "${PAIRS:-$(amount 3000 500000)}" "$programs/fields.c"; }

@test "multiples and sums of points are libcrypto's" {
    compare "${SCALARS:-$(amount 500 20000)}" "$programs"/{points,make}.c "$kernels"/Curves/*.c
}
