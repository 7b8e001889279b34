#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# mutants.sh [WORD]: breaks the kernels in one place after another, in a copy, and requires that the proof fails there: with the
# step and the words that are named. Each mutant is in docs/Proof.md. With a word, only those whose step has it.
set -euo pipefail
cd "$(dirname "$0")/../.."
. Tests/Scripts/common.sh

survivors=0 count=0 wanted=${1:-}

# mutant NAME FILE EXPRESSION STEP WORDS: applies the sed expression to the file of GOSTKernels, and runs the step, before which
# options of proof.sh may be.
mutant() {
    local name=$1 file=$2 expression=$3 words=$5 status=0 step
    read -ra step <<< "$4"
    [[ $4 == *"$wanted"* ]] || return 0
    rm -rf "$work/copy"
    cp -r Sources/GOSTKernels "$work/copy"
    sed -i "$expression" "$work/copy/$file"
    ! cmp -s "Sources/GOSTKernels/$file" "$work/copy/$file" || fail "$name: the mutation does not apply to $file"
    Tests/Proof/proof.sh -k "$work/copy" "${step[@]}" > "$work/output" 2>&1 || status=$?
    count=$((count + 1))
    # Code without a rule is not proven whatever it does.
    if [ $status != 0 ] && grep "^NOT proven: .*$words" "$work/output" | grep -qv 'no rule: '; then
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
mutant "a doubling too few in a doubling" $curves/WeierstrassSums.h 's/^    ADD(yy4, yy2, yy2);/    memcpy(yy4, yy2, sizeof yy4);/' \
    formulas 'y² = x³ − 3x'
mutant "a sign in a sum in Jacobian coordinates" $curves/WeierstrassSums.h 's/^    SUB(r->y, v, hhh);/    ADD(r->y, v, hhh);/' \
    formulas 'jacobian_add'
mutant "the last sum may be an exception" $curves/Group.h 's/^        if (i > 0) {$/        if (c != NULL) {/' \
    multiples 'may be an exception'
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
    multiples 'a different sum'
mutant "an entry of a table is read at a secret index" $curves/Group.h \
    's/for (size_t i = 0; i < count; i++) {$/for (size_t i = index; i <= index; i++) {/' secrets_curves 'address depends on a secret'
mutant "a branch on the lowest bit of k" $curves/Group.h \
    's/words_take(COUNT, odd, opposite, even);/if (even) { __asm__ __volatile__(""); memcpy(odd, opposite, sizeof opposite); }/' \
    secrets_curves 'a jump depends on a secret'
mutant "inverses count the bits of a number by a loop" $curves/Inverse.h \
    's/for (int i = 0; i < NUMBER(steps); i++) {/for (int i = 0; i < NUMBER(steps) \&\& x != 0; i++) {/' \
    secrets_curves 'invert: a jump depends on a secret'

public=$curves/PublicSum.h
mutant "a public point is not replaced by its opposite" $public 's/^    if (digit < 0) GROUP(negate_public)(c, &a);//' \
    multiples 'digits: another sum'
mutant "a public sum that is added to lacks a coordinate" $public 's/ || l_digits\[i + length \* j\] != 0;$/;/' \
    multiples 'digits: whether the sum has begun'
mutant "a public digit is too great" $public 's/if (digit > 1 << (width - 1)) digit/if (digit > (1 << (width - 1)) + 1) digit/' \
    digits 'the digit is one of the table'
mutant "the last number that is x modulo q is left out" $public 's/i < 5 && carry/i < 4 \&\& carry/' \
    digits 'each number below p'

inverse=$curves/Inverse.h
mutant "two rounds too few for an inverse" $inverse 's/(2 \* 64 \* COUNT + NUMBER(steps) - 1)/(2 * 64 * COUNT - NUMBER(steps) - 1)/' \
    inverses 'a may be more than 0'
mutant "a product has another factor's sign" $inverse 's/left_sign = (__int128)(int64_t)f_sign/left_sign = (__int128)(int64_t)g_sign/' \
    inverses 'combine: another sum'
mutant "an opposite has no carry" $inverse 's/word carry = bits & 1;/word carry = 0;/' inverses 'oppose: another number'
mutant "the bit above a number is not looked at" $inverse 's/mask(top | (1 ^ borrow))/mask(1 ^ borrow)/' inverses 'normalize'
mutant "a factor of u has the sign of b" $inverse 's/(word)f0 ^ next_sign) - next_sign/(word)f0 ^ other_sign) - other_sign/' \
    inverses 'a is not number·u'
mutant "the multiple of m is another" $inverse 's/word h1 = ((u\[0\] \* (word)f1/word h1 = ((u[0] * (word)f0/' \
    inverses 'the sum is no multiple'
mutant "a factor is not exchanged" $inverse 's/^            g1 ^= (int64_t)t;//' inverses 'step: the factors of'
mutant "the bits that decide begin one too low" $inverse 's/a_low >> 1 >> (63 - shift)/a_low >> 1 >> (62 - shift)/' \
    inverses 'the highest bits are those'

mutant "the stack is cleared less deep than it is used" include/GOSTCurves.h 's/gost_stack_depth = 10240/gost_stack_depth = 4096/' \
    stack 'bytes deep'
mutant "the stack is not cleared" $curves/Curve.c 's/^    gost_clear_stack();//' stack 'does not clear the stack'
mutant "a vector register is not cleared" $curves/Stack.c 's/ LOWER(7) / /' stack 'leaves registers: xmm7'

mutant "an entry of π" Substitution.h '0,/0xFC, 0xEE, 0xDD/s//0xFC, 0xEE, 0xDC/' '-c all_streebog ciphers' 'Streebog, AVX-512'
mutant "an entry of ν0, for AVX2" Substitution256.h '0,/0x05, 0x02, 0x04, 0x0C/s//0x05, 0x02, 0x04, 0x0D/' \
    '-c schedule ciphers' 'round keys, AVX2'
mutant "a term of L, for AVX2" Kuznyechik/Block256.h '0,/{0x01, 0x00, 0x02, 0x02/s//{0x01, 0x01, 0x02, 0x02/' \
    '-c all_kuznyechik_chains ciphers' 'chains, AVX2'
mutant "an element of L by its name in the field of AES" Kuznyechik/Block512.h '0,/0x54, 0x6C, 0xB2/s//0x54, 0x6C, 0xB3/' \
    '-c schedule ciphers' 'round keys, AVX-512'
mutant "a matrix of bits, for AVX-512" Kuznyechik/Many512.h 's/0xD868D0A04081DA6C/0xD868D0A04081DA6D/' \
    '-c all_kuznyechik_ctr ciphers' 'counters, AVX-512'
mutant "a rotation by ten" Rounds28147.h 's/_mm512_or_si512(low, high), 11)/_mm512_or_si512(low, high), 10)/' \
    '-c all_28147 ciphers' 'Magma, AVX-512'
mutant "the carry of N4 is lost" Modes28147.h 's/return sum + (sum < a);/return sum;/' '-c all_cnt ciphers' 'gamma, AVX2'
mutant "the right half's carry is lost" Modes28147.h 's/left += (n \& left_counts) + .*/left += n \& left_counts;/' \
    '-c all_ctr28147 ciphers' 'counters, AVX2'
mutant "what the rows lack comes to another bit" Chains28147.h 's/lack << 11 | lack >> 21/lack << 11 | lack >> 20/' \
    '-c all_imits ciphers' 'codes, AVX2'
mutant "a digit of the constant of key meshing" Modes28147.h 's/0x22720069/0x22720068/' '-c all_meshed ciphers' 'meshing, AVX2'
mutant "the sum of output and text is not fed back" Modes28147.h 's/state = kind == gost_chain_gamma ? block : sum;/state = block;/' \
    '-c all_chains28147 ciphers' 'chains, AVX-512'
mutant "an entry of the products, for AVX2" Streebog/Products256.h '0,/0xF4, 0x25, 0x3E/s//0xF4, 0x25, 0x3F/' \
    '-c all_streebog ciphers' 'Streebog, AVX2'
mutant "the carries of Σ are dropped" Streebog/Streebog.c 's/word, carry, &carry/word, 0, \&carry/' '-c all_streebog ciphers' 'the sum'
mutant "a word of ψ" GOSTR341194.c 's/y\[i + 12\] ^ y\[i + 15\]/y[i + 12] ^ y[i + 14]/' '-c all_hash94 ciphers' '34.11-94, AVX2'
mutant "what goes beyond a word is not folded again" Multilinear.c 's/^    add_product(&low, beyond, 0x1B);/    (void)beyond;/' \
    '-c all_multilinear ciphers' 'sums, AVX2'
mutant "the carry of a counter is looked for one bit too low" Kuznyechik/Batches.h 's/>> 63 & carries/>> 62 \& carries/' \
    counters 'the counter is n more'
mutant "a batch begins one counter too late" Modes28147.h 's/next = right + (n & ~/next = right + ((n + 1) \& ~/' \
    counters 'the block is its counter'
mutant "a factor, for NEON" Kuznyechik/BlockNEON.h '0,/0xCF, 0x20, 0x87/s//0xCF, 0x20, 0x86/' \
    '-c schedule ciphers_arm64' 'round keys, NEON'
mutant "a share of the upper byte, for NEON" ProductsNEON.h '0,/0x00, 0x1D, 0x3A/s//0x00, 0x1D, 0x3B/' \
    '-c all_streebog ciphers_arm64' 'Streebog, NEON'

mutant "a gate of σ" Planes.h 's/^    plane p = t3 ^ t2;/    plane p = t3 ^ t1;/' '-c all_kuznyechik ciphers' 'Kuznyechik, portable'
mutant "a gate of what undoes ν1" Planes.h 's/x.c ^ x.d ^ abd}/x.c ^ x.d ^ ab}/' '-c back_kuznyechik ciphers' 'deciphering, portable'
mutant "an element of L, for every processor" Kuznyechik/FewPortable.h '0,/{0xCF, 0x6E/s//{0xCF, 0x6F/' \
    '-c schedule ciphers' 'round keys, portable'
mutant "an element of Streebog's matrix" Streebog/StreebogPortable.h 's/{0x49, 0xA0/{0x4A, 0xA0/' \
    '-c all_streebog ciphers' 'Streebog, portable'
mutant "a rotation by twelve" Rounds28147Portable.h 's/x << 11 | x >> 21/x << 12 | x >> 20/' '-c all_imits ciphers' 'codes, portable'
mutant "a term of the field of 64 bits" Multilinear.c 's/0x1B & repeated/0x1C \& repeated/' \
    '-c all_multilinear ciphers' 'sums, portable'

[ $survivors = 0 ] || { echo "mutants.sh: $survivors survived" >&2; exit 1; }
echo "mutants.sh: $count mutants, passed"
