#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# proof.sh [-j COUNT] [-k KERNELS] [-c CLAIM] [STEP…]: proves the claims of docs/Proof.md about the arithmetic, or a part of them,
# and fails after the first step that is not proven. COUNT is how many steps run at once, KERNELS is a folder like
# Sources/GOSTKernels, in which a mutant may be, and CLAIM is the only one of ciphers.py. Needs no build of the library; if there is
# one, its code is compared with the code that is proven, or is that.
set -euo pipefail
cd "$(dirname "$0")/../.."
. Tests/Scripts/common.sh

kernels=Sources/GOSTKernels
warnings=(-Wall -Wextra -Werror -Wno-unused-function -Wno-unknown-pragmas)
claim=()
at_once=1
while getopts j:k:c: option; do
    case $option in
        j) at_once=$OPTARG ;;
        k)
            kernels=$OPTARG
            warnings=(-w)
            ;;
        c) claim=(-- "$OPTARG") ;;
        *) exit 64 ;;
    esac
done
shift $((OPTIND - 1))
proof=Tests/Proof
clang=$(dirname "$(readlink -f "$(command -v swift)")")/clang
for program in z3 gp objdump python3; do
    command -v $program > "$work/found" || fail "$program is missing: make proof installs it"
done
includes=("-I$kernels/include" "-I$kernels/Curves" "-I$kernels/Parameters")
# As SwiftPM compiles the library: "hardenedC" of Package.swift.
hardened=(-O2 -DSWIFT_PACKAGE=1 -fblocks -fstack-protector-strong -U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=3 -fPIC
    -fno-omit-frame-pointer)
shipped=(-target x86_64-unknown-linux-gnu "${hardened[@]}" -fcf-protection=full)
arm64=(-target aarch64-unknown-linux-gnu "${hardened[@]}" -mbranch-protection=standard)

# The field functions of one length.
fields() {
    local built=.build/release/GOSTKernels.build/Curves/Groups$1.c.o
    [ -f "$built" ] && [ "$kernels" = Sources/GOSTKernels ] && [ "$(uname -m)" = x86_64 ] || built=
    "$clang" "${shipped[@]}" "${warnings[@]}" "${includes[@]}" "-DSOURCE=\"Groups$1.c\"" -c $proof/fields.c -o "$work/fields$1.o"
    $proof/fields.py z3 "$work/fields$1.o" "$1" ${built:+"$built"}
}
fields256() { fields 256; }
fields512() { fields 512; }

# The formulas of the forms.
formulas() {
    local shape
    for shape in 0 1 2; do
        "$clang" -O0 "${warnings[@]}" "${includes[@]}" -DSHAPE=$shape $proof/formulas.c -o "$work/formulas"
        "$work/formulas" > "$work/list"
        $proof/formulas.py $shape "$work/list"
    done
}

# The numbers of the curves, and what is prepared of them.
numbers() {
    "$clang" -O1 "${warnings[@]}" "${includes[@]}" $proof/numbers.c "$kernels"/Curves/*.c "$kernels"/Parameters/*.c -o "$work/numbers"
    "$work/numbers" > "$work/list"
    $proof/numbers.py "$work/list" gp
}

# The vectors of the edges: by affine formulas, by libcrypto, and by the kernels.
edges() {
    "$clang" -O1 "${warnings[@]}" "${includes[@]}" $proof/edges.c "$kernels"/Curves/*.c "$kernels"/Parameters/*.c -o "$work/edges"
    $proof/edges.py check
    $proof/edges.py lines > "$work/list"
    "$work/edges" < "$work/list"
}

# Divides PublicSum.h where digits.c and multiples.c include its parts.
public_parts() {
    local source=$kernels/Curves/PublicSum.h part
    mkdir -p "$work/public"
    sed -n '/^    for (size_t i = 0; i <= GROUP(bits); i++) {$/,/^    }$/{//!p}' "$source" > "$work/public/digit.h"
    sed -n '/^    for (size_t i = length; i-- > 0;) {$/,/^    }$/{//!p}' "$source" > "$work/public/sum.h"
    sed -n '/^    \/\/ The numbers below p that/,/^}$/{/^}$/!p}' "$source" > "$work/public/candidates.h"
    for part in digit sum candidates; do [ -s "$work/public/$part.h" ] || fail "PublicSum.h has no part $part"; done
}

# The digits of all numbers, and the numbers that are x modulo q: words of a number, bits of a window of P's table, entries of both tables and
# words of an entry, which is of affine coordinates or of three or four others.
digits() {
    local shape count bits size function
    $proof/cbmc.sh .build/cbmc
    public_parts
    for shape in "4 6 32 8" "8 4 8 16"; do
        read -r count bits entries size <<< "$shape"
        for function in candidates public_digit recode_other recode_base make_odd; do check_digits "$function" "$count" "$bits" 1 1; done
        check_digits choose "$count" "$bits" "$entries" "$size"
        check_digits choose "$count" "$bits" 16 $((2 * count))
        check_digits choose "$count" "$bits" 16 $((3 * count))
        check_digits choose "$count" "$bits" 16 $((4 * count))
    done
}
check_digits() {
    by_cbmc digits.c "$1" "-DCOUNT=$2" "-DBASE_BITS=$3" "-DENTRIES=$4" "-DSIZE=$5" "-I$work/public"
    echo "proven: $1 with $2 words, $(conditions) conditions, $4 entries of $5 words"
}
# by_cbmc FILE FUNCTION FLAG…
by_cbmc() {
    .build/cbmc/cbmc "$proof/$1" --function "$2" "${includes[@]}" -I$proof "-I$kernels" "${@:3}" --unwind 600 \
        --unwinding-assertions > "$work/log" 2>&1 || true
    grep -q '^VERIFICATION SUCCESSFUL$' "$work/log" || {
        sed -n 's/^\[.*\] \(.*\): FAILURE$/NOT proven: '"$2"': \1/p' "$work/log" >&2
        tail -n 3 "$work/log" >&2
        exit 1
    }
}
conditions() { sed -n 's/^\*\* 0 of \([0-9]*\) failed.*/\1/p' "$work/log"; }

# Inverses: Inverse.h is divided where files of "Inverses" include its parts.
inverses() {
    local source=$kernels/Curves/Inverse.h parts=$work/inverse count rounds steps
    local first='^        \/\/ The highest words' last='^        word x = '
    local loop='^        for (int i = 0; i < NUMBER(steps); i++) {$' end='^        }$'
    $proof/cbmc.sh .build/cbmc
    mkdir -p "$parts"
    sed '/^\/\/\/ r = 1 \/ a modulo m/,$d' "$source" > "$parts/functions.h"
    sed -n "/$first/,/$last/p" "$source" > "$parts/approximate.h"
    sed -n "/$loop/,/$end/{//!p}" "$source" > "$parts/step.h"
    sed -n '/NUMBER(invert)(/,$p' "$source" | sed -e "/$first/,/$last/d" \
        -e "/$loop/,/$end/c\        NUMBER(reduce)(a, b, \&f0, \&g0, \&f1, \&g1);" > "$parts/invert.h"
    for count in approximate step invert; do [ -s "$parts/$count.h" ] || fail "Inverse.h has no part $count"; done
    for count in 4 8; do
        "$clang" -x c++ -std=c++20 -O0 -fno-exceptions -fno-rtti "${warnings[@]}" -DCOUNT=$count "${includes[@]}" "-I$parts" \
            $proof/Inverses/inverse.cpp -o "$work/inverse$count"
        "$work/inverse$count" > "$work/list"
        $proof/Inverses/inverse.py z3 "$work/list"
        rounds=$(sed -n 's/^rounds //p' "$work/list") steps=$(sed -n 's/^steps //p' "$work/list")
        $proof/Inverses/descent.py z3 $count "$rounds" "$steps"
        by_cbmc Inverses/inverse.c approximate -DCOUNT=$count "-I$parts"
        echo "proven: the bits that decide the steps, of $count words, $(conditions) conditions"
    done
}

# The counters of all modes, in the sources.
counters() {
    local function
    $proof/cbmc.sh .build/cbmc
    for function in kuznyechik magma gamma_mode; do
        by_cbmc counters.c $function -DBLOCKS=66 --object-bits 12 $([ $function != kuznyechik ] || echo -DKUZNYECHIK)
        echo "proven: the counters of $function, $(conditions) conditions"
    done
}

# The use of the digits.
multiples() {
    local shape count bits form
    public_parts
    for shape in "4 6" "8 4" "4 6 -DMINUS_3" "8 4 -DMINUS_3"; do
        read -r count bits form <<< "$shape"
        "$clang" -O0 "${warnings[@]}" -Wno-unused-const-variable "${includes[@]}" -I$proof "-I$work/public" "-DCOUNT=$count" \
            "-DBASE_BITS=$bits" ${form:+"$form"} $proof/multiples.c -o "$work/multiples"
        "$work/multiples" > "$work/list"
        $proof/multiples.py "$work/list" $((64 * count))
    done
}

# Makes `objects` of sources: those that are built, or by the compiler that is named, with its flags.
objects_of() {
    local count=$1 source
    local compile=("${@:2:count}")
    shift $((count + 1))
    objects=()
    if [ "$kernels" = Sources/GOSTKernels ] && [ "${compile[*]}" = "${shipped[*]}" ]; then
        for source in "$@"; do objects+=(".build/release/GOSTKernels.build/${source#"$kernels"/}.o"); done
        ls "${objects[@]}" > "$work/found" 2>&1 || objects=()
    fi
    [ ${#objects[@]} = 0 ] || return 0
    for source in "$@"; do
        objects+=("$work/$(basename "$source").o")
        "$clang" "${compile[@]}" "${warnings[@]}" "${includes[@]}" -c "$source" -o "${objects[-1]}"
    done
}

# Jumps and addresses.
secrets_of() {
    objects_of ${#shipped[@]} "${shipped[@]}" "$@"
    $proof/secrets.py "${objects[@]}"
}
secrets_curves() { secrets_of "$kernels"/Curves/*.c; }
secrets_ciphers() { secrets_of "$kernels"/*.c "$kernels"/{Kuznyechik,Streebog}/*.c "$kernels"/Curves/Answer.c; }

# Secrets left on the stack and in registers.
stack() {
    objects_of ${#shipped[@]} "${shipped[@]}" "$kernels"/Curves/*.c
    $proof/stack.py "${objects[@]}"
}

# Ciphers and hash functions, on each path.
cipher_sources=("$kernels"/{Block28147,GOSTR341194,Multilinear}.c "$kernels"/{Kuznyechik,Streebog}/*.c)
ciphers() {
    objects_of ${#shipped[@]} "${shipped[@]}" "${cipher_sources[@]}"
    $proof/Ciphers/ciphers.py "$(dirname "$clang")/ld.lld" x86-64 "${objects[@]}" "${claim[@]}"
}
# Batches of 128 blocks, which take long.
portable_many() {
    claim=(-- many_kuznyechik many_back_kuznyechik many_kuznyechik_ctr)
    ciphers
}
ciphers_arm64() {
    objects_of ${#arm64[@]} "${arm64[@]}" "${cipher_sources[@]}"
    $proof/Ciphers/ciphers.py "$(dirname "$clang")/ld.lld" arm64 "${objects[@]}" "${claim[@]}"
}

# Without a name, all but those that take long, which have a place in "make nightly".
steps=(formulas numbers edges multiples inverses stack secrets_curves secrets_ciphers fields256 counters ciphers fields512)
long=(digits ciphers_arm64 portable_many)
chosen=("${@:-${steps[@]}}")
for step in "${chosen[@]}"; do
    [[ " ${steps[*]} ${long[*]} " == *" $step "* ]] || { echo "there is no step $step, but: ${steps[*]} ${long[*]}" >&2; exit 64; }
done
run() {
    local begin=$SECONDS
    "$1"
    echo "$1: $((SECONDS - begin)) s"
}
if [ "$at_once" = 1 ]; then
    for step in "${chosen[@]}"; do run "$step"; done
else
    # Each with files of its own, and with its output when it ends. After a failure none begins.
    running=0 failed=
    for step in "${chosen[@]}"; do
        if [ $running = "$at_once" ]; then
            wait -n || failed=yes
            running=$((running - 1))
        fi
        [ -z "$failed" ] || break
        (
            work=$work/step-$step
            mkdir "$work"
            trap 'cat "$work/output"' EXIT
            run "$step" > "$work/output" 2>&1
        ) &
        running=$((running + 1))
    done
    for ((; running > 0; running--)); do wait -n || failed=yes; done
    [ -z "$failed" ] || { echo "proof.sh: a step failed" >&2; exit 1; }
fi
echo "proof.sh: passed"
