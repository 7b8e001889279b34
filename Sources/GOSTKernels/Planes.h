/* SPDX-License-Identifier: Apache-2.0 */
// The substitution π of GOST R 34.11-2012 (RFC 6986, 6.2) and of Kuznyechik (RFC 7801, 4.1.1), and its inverse, as circuits
// over bit planes: for processors that look no bytes up in registers.
//
// The circuit is the decomposition of Biryukov, Perrin and Udovenko ("Reverse-Engineering the S-Box of Streebog, Kuznyechik
// and STRIBOBr1", EUROCRYPT 2016): between the linear maps α and ω, two halves l ‖ r of four bits become
//
//     l = ν0(l) where r = 0, else ν1(l · r⁻¹)
//     r = σ(r · φ(l))
#ifndef GOST_PLANES_H
#define GOST_PLANES_H

#include "Path.h"

/// One bit of each of 128 bytes.
typedef uint64_t plane __attribute__((vector_size(16)));

/// Sixteen bytes, which may be negative.
typedef int8_t octets __attribute__((vector_size(16)));

/// Multiplies every byte by t in GF(2^8), where t^8 is the sum of t^7, … that `reduction` has.
INLINE plane times_t(plane x, uint8_t reduction) {
    octets bytes = (octets)x;
    return (plane)((bytes + bytes) ^ ((bytes < 0) & (int8_t)reduction));
}

/// Eight words of 64 bits of each of two vectors; or bit b of all bytes at [b].
typedef struct {
    plane rows[8];
} planes;

/// Elements of four bits: `a` has bit 3 of each, `d` bit 0.
typedef struct {
    plane a, b, c, d;
} nibbles;

/// Ones where the element is zero.
INLINE plane are_zero(nibbles x) { return ~(x.a | x.b | x.c | x.d); }

INLINE nibbles sum_of(nibbles x, nibbles y) { return (nibbles){x.a ^ y.a, x.b ^ y.b, x.c ^ y.c, x.d ^ y.d}; }

INLINE nibbles masked(nibbles x, plane mask) { return (nibbles){x.a & mask, x.b & mask, x.c & mask, x.d & mask}; }

/// The product in GF(2^4), where t^4 + t^3 + 1 = 0.
INLINE nibbles product_of(nibbles x, nibbles y) {
    plane t6 = x.a & y.a;
    plane t5 = (x.a & y.b) ^ (x.b & y.a);
    plane t4 = (x.a & y.c) ^ (x.b & y.b) ^ (x.c & y.a);
    plane t3 = (x.a & y.d) ^ (x.b & y.c) ^ (x.c & y.b) ^ (x.d & y.a);
    plane t2 = (x.b & y.d) ^ (x.c & y.c) ^ (x.d & y.b);
    plane t1 = (x.c & y.d) ^ (x.d & y.c);
    plane t0 = x.d & y.d;
    // t^4 = t^3 + 1, t^5 = t^3 + t + 1, t^6 = t^3 + t^2 + t + 1.
    plane t56 = t5 ^ t6, t456 = t4 ^ t56;
    return (nibbles){t3 ^ t456, t2 ^ t6, t1 ^ t56, t0 ^ t456};
}

// The maps of four bits as circuits, the smallest that a search has found; p…s are bits 3…0 of the result.

/// The multiplicative inverse; 0 for 0.
INLINE nibbles inverse_of(nibbles x) {
    plane t1 = x.c ^ x.d;
    plane t2 = x.a & x.b;
    plane t3 = ~x.d & (x.a ^ x.c);
    plane t4 = t2 | t1;
    plane s = t4 ^ t3;
    plane t5 = ~x.c & x.a;
    plane q = (t3 | x.b) ^ t5;
    plane r = ((t3 ^ t2) & t1) ^ q ^ x.a;
    plane p = (~t5 & (t4 & (t1 ^ x.b))) ^ x.d;
    return (nibbles){p, q, r, s};
}

/// ν0(x) + ν1(0).
INLINE nibbles nu0_plus_seven(nibbles x) {
    plane t1 = ~x.a;
    plane t2 = (t1 | x.b) ^ x.c;
    plane t3 = t2 ^ x.d;
    plane r = (x.a | x.d) ^ (t3 & x.c);
    plane t4 = t1 ^ x.b ^ x.d;
    plane t5 = ~t4 & t3;
    plane p = t5 ^ x.b;
    plane t6 = ~t2 & (t5 ^ x.a);
    plane q = t6 ^ t4;
    plane s = (t6 | t3) ^ (~t4 & x.c);
    return (nibbles){p, q, r, s};
}

INLINE nibbles nu1(nibbles x) {
    plane t1 = x.a ^ x.d;
    plane p = (t1 & x.b) ^ x.c;
    plane t2 = ~x.b;
    plane q = (p & t1) ^ t2;
    plane s = (~x.c & t2) ^ t1;
    plane r = (~x.c & q) ^ x.a;
    return (nibbles){p, q, r, s};
}

INLINE nibbles phi(nibbles x) {
    plane t1 = ~x.d & (x.a | x.c);
    plane t2 = ~x.a & (t1 | x.b);
    plane q = t2 ^ t1;
    plane t3 = ~x.c;
    plane r = (t3 | x.b) ^ t2;
    plane t4 = (~x.b & (x.a ^ x.c)) | x.d;
    plane p = t4 ^ t3;
    plane s = (~(~x.a & t4) & r) ^ t1;
    return (nibbles){p, q, r, s};
}

INLINE nibbles sigma(nibbles x) {
    plane t1 = x.b ^ x.d ^ x.a;
    plane t2 = (~x.c ^ x.a) | t1;
    plane t3 = (x.c & x.d) | x.a;
    plane p = t3 ^ t2;
    plane t4 = t2 ^ x.b;
    plane t5 = t4 & t3;
    plane s = t5 ^ x.d;
    plane r = (t5 | x.b) ^ (t1 & (x.b ^ x.c));
    plane q = (~p & r) ^ t4;
    return (nibbles){p, q, r, s};
}

/// π on all bytes.
INLINE planes substitute(planes x) {
    const plane *v = x.rows;
    // α
    plane x60 = v[6] ^ v[0], x31 = v[3] ^ v[1];
    nibbles l = {v[3], x60, x60 ^ v[1], v[7] ^ v[5] ^ v[2] ^ x31 ^ x60};
    nibbles r = {v[7] ^ x31, v[6] ^ v[2], v[4] ^ x31, v[5]};
    // If r is 0, so is the quotient, and ν1 maps it to 7.
    l = sum_of(nu1(product_of(l, inverse_of(r))), masked(nu0_plus_seven(l), are_zero(r)));
    r = sigma(product_of(r, phi(l)));
    // ω
    plane ac = r.a ^ r.c;
    return (planes){{r.d, l.a ^ r.c, l.b ^ r.b, r.a, l.a ^ l.d ^ ac, l.c, r.b, ac}};
}

// The inverse: r = σ⁻¹(r) · φ(l)⁻¹, and l = ν0⁻¹(l) where r = 0, else ν1⁻¹(l) · r.

INLINE nibbles nu0_inverse(nibbles x) {
    plane a = x.a, b = x.b, c = x.c, d = x.d;
    plane ab = a & b, ac = a & c, ad = a & d, bc = b & c, bd = b & d, cd = c & d;
    plane abc = ab & c, abd = ab & d, acd = ac & d, bcd = bc & d;
    return (nibbles){
        ~(c ^ ad ^ bd ^ acd),
        a ^ bc ^ abc ^ acd,
        d ^ ab ^ ac ^ ad ^ bd ^ abc ^ bcd,
        b ^ d ^ ab ^ ac ^ bc ^ bd ^ cd ^ abd,
    };
}

INLINE nibbles nu1_inverse(nibbles x) {
    plane ab = x.a & x.b, ad = x.a & x.d, bd = x.b & x.d, abd = ab & x.d;
    return (nibbles){x.b ^ x.c ^ ab ^ abd, ~(x.b ^ ad), x.a ^ x.d ^ ad ^ bd, x.c ^ x.d ^ abd};
}

INLINE nibbles sigma_inverse(nibbles x) {
    plane a = x.a, b = x.b, c = x.c, d = x.d;
    plane ab = a & b, ac = a & c, ad = a & d, bc = b & c, bd = b & d, cd = c & d;
    plane abc = ab & c, abd = ab & d, acd = ac & d, bcd = bc & d;
    return (nibbles){
        c ^ d ^ ac ^ cd ^ abd,
        a ^ d ^ ab ^ bc ^ bd ^ cd ^ bcd,
        ~(a ^ d ^ ac ^ ad ^ bd ^ abd ^ acd),
        b ^ c ^ d ^ ab ^ ac ^ abc,
    };
}

/// The inverse of π on all bytes.
INLINE planes substitute_back(planes x) {
    const plane *v = x.rows;
    plane x13 = v[1] ^ v[3];
    nibbles l = {x13 ^ v[7], v[2] ^ v[6], v[5], x13 ^ v[4]}, r = {v[3], v[6], v[3] ^ v[7], v[0]};
    r = product_of(sigma_inverse(r), inverse_of(phi(l)));
    l = sum_of(product_of(nu1_inverse(l), r), masked(nu0_inverse(l), are_zero(r)));
    plane bc = l.b ^ l.c, ad = l.d ^ r.a ^ r.d;
    return (planes){{ad ^ r.b, bc, l.b ^ ad, l.a, l.a ^ bc ^ r.c, r.d, l.b ^ ad ^ r.b, l.a ^ bc ^ r.a}};
}

/// Exchanges the bits at `mask` in one row with those `shift` places higher in the row `distance` before it.
INLINE void exchange_rows(planes *x, int distance, int shift, uint64_t mask) {
    for (int low = 0; low < 8; low++) {
        if (low & distance) continue;
        plane difference = ((x->rows[low] >> shift) ^ x->rows[low + distance]) & mask;
        x->rows[low + distance] ^= difference;
        x->rows[low] ^= difference << shift;
    }
}

/// Turns rows into bit planes and back: bit b of byte i of row j becomes bit j of byte i of row b.
INLINE void transpose_bits(planes *x) {
    exchange_rows(x, 1, 1, 0x5555555555555555);
    exchange_rows(x, 2, 2, 0x3333333333333333);
    exchange_rows(x, 4, 4, 0x0F0F0F0F0F0F0F0F);
}

/// Byte i of row j becomes byte j of row i.
INLINE void transpose_bytes(planes *x) {
    exchange_rows(x, 1, 8, 0x00FF00FF00FF00FF);
    exchange_rows(x, 2, 16, 0x0000FFFF0000FFFF);
    exchange_rows(x, 4, 32, 0x00000000FFFFFFFF);
}

#endif
