#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# Operations on curves leave nothing on the stack and in registers that reveals a secret: each runs with several
# secrets, all else being the same, on a painted stack, and its remains are compared: the kernels' functions, and keys,
# signatures, agreements and SESPAKE of `GOST`. They are the installed objects.
# bats file_tags=alone
load ../common
load ../compiler

kernels=$root/Sources/GOSTKernels

setup_file() {
    cd "$root"
    swift build -c release --disable-local-rpath --product constant-time 3>&-
    Tests/Programs/Curves/table.py > "$work/curves.c"
}

# Builds the program with these objects of the kernels.
build() {
    clang -O2 -fuse-ld=lld -Wl,-z,now -Wall -Wextra -Werror "-I$kernels/include" "-I$root/Tests/Programs/Curves" \
        "-I$root/Tests/Support/CStack/include" "$root"/Tests/Support/CStack/CStack.c "$root"/Tests/Programs/Curves/{stack,make}.c \
        curves.c "$@" -o stack
}

@test "without clearing, a trace of each operation of the kernels is noticed" {
    local objects
    mapfile -t objects < <(find "$root/.build/release/GOSTKernels.build/Curves" -name '*.c.o' ! -name Stack.c.o)
    printf 'void gost_clear_%s(void); void gost_clear_%s(void) {}\n' stack stack little little > none.c
    build "${objects[@]}" none.c
    expect 1 ./stack
    printed '^0 of'
}

@test "the kernels' operations leave no trace of a secret" {
    build "$root"/.build/release/GOSTKernels.build/Curves/*.c.o
    expect 0 ./stack
}

@test "keys, signatures, agreements and SESPAKE leave no trace of a secret" {
    expect 0 "$root/.build/release/constant-time" traces
}
