#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Breaks the arithmetic of curves in one place after another, in a copy, and requires that the proof fails there: with the step
# and the words that are named. Each mutant is a line of docs/Proof.md.
set -euo pipefail
cd "$(dirname "$0")/../.."
. Tests/Scripts/common.sh

survivors=0 count=0

# mutant NAME FILE EXPRESSION STEP WORDS: applies the sed expression to the file of Sources/GOSTKernels, and runs the step.
mutant() {
    local name=$1 file=$2 expression=$3 step=$4 words=$5 status=0
    rm -rf "$work/kernels"
    cp -r Sources/GOSTKernels "$work/kernels"
    sed -i "$expression" "$work/kernels/$file"
    ! cmp -s "Sources/GOSTKernels/$file" "$work/kernels/$file" || fail "$name: the mutation does not apply to $file"
    Tests/Proof/proof.sh -k "$work/kernels" "$step" > "$work/output" 2>&1 || status=$?
    count=$((count + 1))
    if [ $status != 0 ] && grep -q "^NOT proven: .*$words" "$work/output"; then
        echo "caught: $name, by \"$(sed -n "s/^NOT proven: \(.*$words.*\)/\1/p" "$work/output" | head -n 1 | cut -c 1-110)\""
    elif [ $status = 0 ]; then
        echo "SURVIVED: $name" >&2
        survivors=$((survivors + 1))
    else
        tail -n 20 "$work/output" >&2
        fail "$name: the step failed otherwise"
    fi
}

curves=Curves
mutant "the carry of a row of products is dropped" $curves/Words.h 's/^    return top + carry;/    return top;/' \
    fields256 'folded256_square'
mutant "the carry out of lower words is dropped" $curves/Words.h 's/= upper\[count - 1\] + carry;/= upper[count - 1];/' \
    fields256 'folded256_square'
mutant "two limbs are swapped" $curves/Words.h 's/r\[i\] = sum(r\[i\], upper\[i - 1\], &carry)/r[i] = sum(r[i], upper[count - 1 - i], \&carry)/' \
    fields256 'folded256_square'
mutant "a bit is lost as squares are doubled" $curves/Words.h 's/top = odd >> (word_bits - 1);/top = 0;/' \
    fields256 'folded256_square'
mutant "a wrong number is folded" $curves/Groups256.c 's/define FOLD 617/define FOLD 615/' fields256 'folded256_add'
mutant "what overflows twice is not folded again" $curves/Folded.h 's/^    r\[0\] += carry \* FOLD;//' \
    fields256 'folded256_add'
mutant "a difference below 0 is not corrected" $curves/Folded.h 's/^    r\[0\] -= more \* FOLD;//' \
    fields256 'folded256_subtract'
mutant "the bit above a sum is not looked at" $curves/Montgomery.h 's/mask(top | (1 ^ borrow))/mask(1 ^ borrow)/' \
    fields256 'any256_add'
mutant "the final subtraction is missing" $curves/Montgomery.h 's/words_take(COUNT, r, less, mask(top | (1 ^ borrow)));/(void)top, (void)borrow;/' \
    fields256 'any256_add'
mutant "an element may be p" $curves/Folded.h 's/words_take(COUNT, r, t, mask(1 ^ borrow));/words_take(COUNT, r, t, mask(0));/' \
    fields256 'folded256_leave'
mutant "a branch on a carry" $curves/Montgomery.h 's/words_take(COUNT, r, t, mask(borrow));/if (borrow) { __asm__ __volatile__(""); memcpy(r, t, sizeof t); }/' \
    fields256 'any256_subtract: a branch'
mutant "a sign in the sum of Edwards's form" $curves/Edwards.h 's/^    SUB(h, yy, xx);/    ADD(h, yy, xx);/' formulas 'u² + v²'
mutant "a sign in the sum of y² = x³ − 3x + b" $curves/Weierstrass.h 's/^    SUB(m, m, t2);/    ADD(m, m, t2);/' \
    formulas 'y² = x³ − 3x'
mutant "a doubling too few in a doubling" $curves/WeierstrassSums.h '0,/^    ADD(gamma, gamma, gamma);/s///' \
    formulas 'y² = x³ − 3x'
mutant "opposites are doubled" $curves/WeierstrassSums.h 's/if (GROUP(is_zero)(c, s)) GROUP/if (!GROUP(is_zero)(c, s)) GROUP/' \
    formulas 'y² = x³ − 3x'
mutant "Y = Z is not asked for at O" $curves/Edwards.h 's/return words_are_zero(COUNT, x) & words_are_zero(COUNT, y);/return words_are_zero(COUNT, x);/' \
    formulas 'u² + v²'
mutant "a window of the table begins one bit too low" $curves/Group.h 's/for (size_t j = 0; j < BASE_BITS; j++)/for (size_t j = 1; j < BASE_BITS; j++)/' \
    numbers 'of the table'
mutant "a digit of a curve" Parameters/Numbers256.c '0,/0x28, 0xAA/s//0x29, 0xAA/' numbers 'is on the curve'
mutant "R² is doubled once too often" $curves/Curve.c 's/i < 2 \* 64 \* count; i++/i <= 2 * 64 * count; i++/' numbers 'R²'
mutant "digits begin one bit too low" $curves/Group.h 's/size_t at = position + 1;/size_t at = position;/' multiples 'digit'
mutant "the bit above the last digit is missing" $curves/Group.h 's/if (is_last) bits |= /if (0) bits |= /' digits 'the digit is that of k'
mutant "a digit that two words have is cut" $curves/Group.h 's/if (at % 64 + width > 64 /if (at % 64 + width > 65 /' \
    digits 'the digit is that of k'
mutant "a word above the number is read" $curves/Group.h 's/at \/ 64 + 1 < COUNT) bits/at \/ 64 < COUNT) bits/' digits 'outside object bounds'
mutant "the wrong one of k and q − k is taken" $curves/Group.h 's/mask(1 ^ (k\[0\] & 1))/mask(k[0] \& 1)/' multiples 'digit'
mutant "an entry is never chosen" $curves/Group.h 's/word different = i ^ index;/word different = (i ^ index) | (i == 7);/' \
    digits 'the entry at the index'
mutant "a doubling too few between digits" $curves/Group.h 's/GROUP(double_times)(c, r, GROUP(window));/GROUP(double_times)(c, r, GROUP(window) - 1);/' \
    multiples 'another sum'
mutant "an entry of a table is read at a secret index" $curves/Group.h \
    's/for (size_t i = 0; i < count; i++) {$/for (size_t i = index; i <= index; i++) {/' secrets_curves 'address depends on a secret'
mutant "a branch on the lowest bit of k" $curves/Group.h \
    's/words_take(COUNT, odd, opposite, even);/if (even) { __asm__ __volatile__(""); memcpy(odd, opposite, sizeof opposite); }/' \
    secrets_curves 'a jump depends on a secret'
mutant "inverses count the bits of a number by a loop" $curves/Inverse.h \
    's/for (int i = 0; i < NUMBER(steps); i++) {/for (int i = 0; i < NUMBER(steps) \&\& x != 0; i++) {/' \
    secrets_curves 'invert: a jump depends on a secret'

[ $survivors = 0 ] || { echo "mutants.sh: $survivors survived" >&2; exit 1; }
echo "mutants.sh: $count mutants, passed"
