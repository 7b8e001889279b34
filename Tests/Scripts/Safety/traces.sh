#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Operations on curves leave nothing on the stack and in registers that reveals a secret: each runs with several
# secrets, all else being the same, on a painted stack, and its remains are compared: the kernels' functions, and keys,
# signatures, agreements and SESPAKE of `GOST`. They are the installed objects.
set -euo pipefail
cd "$(dirname "$0")/../../.."
. Tests/Scripts/common.sh

clang=$(dirname "$(readlink -f "$(command -v swift)")")/clang
kernels=Sources/GOSTKernels

swift build -c release --disable-local-rpath --product constant-time

# compare NAME OBJECT...: builds the program with these objects of the kernels, and runs it.
compare() {
    "$clang" -O2 -fuse-ld=lld -Wl,-z,now -Wall -Wextra -Werror "-I$kernels/include" -ITests/Programs/Curves \
        -ITests/Support/CStack/include Tests/Support/CStack/CStack.c Tests/Programs/Curves/stack.c \
        Tests/Programs/Curves/make.c "$work/curves.c" "${@:2}" -o "$work/$1"
    "$work/$1" > "$work/$1.log"
}

Tests/Programs/Curves/table.py > "$work/curves.c"
objects=(.build/release/GOSTKernels.build/Curves/*.c.o)
others=()
for object in "${objects[@]}"; do [[ $object = */Stack.c.o ]] || others+=("$object"); done

# Without clearing, each of them must be noticed.
echo 'void gost_clear_stack(void); void gost_clear_little(void); void gost_clear_stack(void) {} void gost_clear_little(void) {}' \
    > "$work/none.c"
"$clang" -c "$work/none.c" -o "$work/none.o"
! compare none "${others[@]}" "$work/none.o" || fail "traces go unnoticed"
grep -q '^0 of' "$work/none.log" || fail "traces go unnoticed: $(tail -n 1 "$work/none.log")"

compare stack "${objects[@]}" || fail "$(cat "$work/stack.log")"
tail -n 1 "$work/stack.log"
.build/release/constant-time traces > "$work/traces.log" || fail "$(cat "$work/traces.log")"
tail -n 1 "$work/traces.log"
echo "traces.sh: passed"
