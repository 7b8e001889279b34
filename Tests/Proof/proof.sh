#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# proof.sh [-k KERNELS] [STEP…]: proves what docs/Proof.md says of the arithmetic, or a part of it, and fails at the first step
# that is not proven. KERNELS is a folder like Sources/GOSTKernels, in which a mutant may be. Needs no build of the library; if
# there is one, its code is compared with the code that is proven.
set -euo pipefail
cd "$(dirname "$0")/../.."
. Tests/Scripts/common.sh

kernels=Sources/GOSTKernels
warnings=(-Wall -Wextra -Werror -Wno-unused-function -Wno-unknown-pragmas)
while getopts k: option; do
    case $option in
        k)
            kernels=$OPTARG
            warnings=(-w)
            ;;
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
shipped=(-target x86_64-unknown-linux-gnu -O2 -DSWIFT_PACKAGE=1 -fblocks -fstack-protector-strong -fcf-protection=full
    -U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=3 -fPIC -fno-omit-frame-pointer)

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

steps=(formulas numbers fields256 fields512)
for step in "${@:-${steps[@]}}"; do
    [[ " ${steps[*]} " == *" $step "* ]] || { echo "there is no step $step, but: ${steps[*]}" >&2; exit 64; }
    begin=$SECONDS
    $step
    echo "$step: $((SECONDS - begin)) s"
done
echo "proof.sh: passed"
