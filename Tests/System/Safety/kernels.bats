#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# The kernels of ciphers and hash functions yield the standards' values in $ROUNDS, on every path that this processor has,
# under the sanitizers for undefined behaviour and addresses; and the kernels for arm64 in an emulator, if there is one. There
# the instructions that are executed do not depend on keys and data either.
# bats file_tags=unbuilt
load ../common
load ../compiler

kernels=$root/Sources/GOSTKernels
programs=$root/Tests/Programs/Kernels
mapfile -t sources < <(find "$kernels" -name '*.c' -not -path '*/Curves/*' -not -path '*/Signatures/*' -o -name Answer.c)
rounds=${ROUNDS:-300}

setup_file() {
    cd "$root"
    Tests/Programs/Kernels/vectors.py > "$work/vectors.c"
}

build() {
    clang -O2 -g -fuse-ld=lld -Wall -Wextra -Werror "-I$kernels/include" "-I$programs" "$@" "${sources[@]}" vectors.c
}

build_for_arm64() {
    [ "$(uname -m)" != aarch64 ] || skip "this processor is one"
    aarch64-linux-gnu-gcc -E - > found 2>&1 <<< '#include <string.h>' && command -v qemu-aarch64-static > found \
        || skip "qemu-user-static, gcc-aarch64-linux-gnu or libc6-dev-arm64-cross is missing"
    build --target=aarch64-linux-gnu -static -mbranch-protection=standard "$@"
}

# The C library's own header shifts a one into the sign. To halt at a fault is asked for when the program runs: compiled into
# it, that costs minutes.
@test "all paths of this processor yield the standards' values" {
    build -fsanitize=undefined,address -fno-sanitize=shift-base "$programs"/{kernels,ciphers,hashes,reference}.c -o kernels
    UBSAN_OPTIONS=halt_on_error=1 ./kernels "$rounds"
}

@test "arm64: kernels yield the standards' values" {
    build_for_arm64 "$programs"/{kernels,ciphers,hashes,reference}.c -o arm64
    qemu-aarch64-static ./arm64 $((rounds / 3))
}

# The addresses of all instructions that are executed for a letter, as one number.
trace() { qemu-aarch64-static -singlestep -d exec,nochain -D /dev/stdout ./steps "$@" | cut -d / -f 2 | md5sum; }
@test "arm64: the same instructions are executed for three keys and texts, and a branch on data is noticed" {
    local first letter
    build_for_arm64 "$programs"/{steps,reference}.c -o steps
    first=$(trace a)
    for letter in b Z; do
        [ "$(trace $letter)" = "$first" ] || fail "what is executed depends on keys or data"
    done
    [ "$(trace a more)" != "$(trace b more)" ] || fail "a branch on data was not noticed"
}
