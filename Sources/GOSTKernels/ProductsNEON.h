/* SPDX-License-Identifier: Apache-2.0 */
// Products in fields of 256 elements on arm64. Products of bytes as polynomials have 15 bits; they are added up first,
// and the sum is reduced.
#ifndef GOST_PRODUCTS_NEON_H
#define GOST_PRODUCTS_NEON_H

#include <arm_neon.h>

#include "Path.h"

/// Products of the bytes of both lower, or of both upper halves.
INLINE uint8x16_t gost_multiply_low_neon(uint8x16_t a, uint8x16_t b) {
    poly8x16_t x = vreinterpretq_p8_u8(a), y = vreinterpretq_p8_u8(b);
    return vreinterpretq_u8_p16(vmull_p8(vget_low_p8(x), vget_low_p8(y)));
}

INLINE uint8x16_t gost_multiply_high_neon(uint8x16_t a, uint8x16_t b) {
    return vreinterpretq_u8_p16(vmull_high_p8(vreinterpretq_p8_u8(a), vreinterpretq_p8_u8(b)));
}

/// The share of the upper byte of a product in the lower one, by digits: n * t^8 and n * t^12 for n = 0, 1, …, 15.
typedef struct {
    uint8x16_t low, high;
} gost_reduction_neon;

/// The elements of the field for the lower and the upper bytes of products.
INLINE uint8x16_t gost_reduce_neon(const gost_reduction_neon *field, uint8x16_t lower, uint8x16_t upper) {
    uint8x16_t low = vqtbl1q_u8(field->low, upper & vdupq_n_u8(0x0F));
    return lower ^ low ^ vqtbl1q_u8(field->high, vshrq_n_u8(upper, 4));
}

/// The field of Kuznyechik, where t^8 + t^7 + t^6 + t + 1 = 0.
INLINE gost_reduction_neon gost_kuznyechik_field_neon(void) {
    return (gost_reduction_neon){
        {0x00, 0xC3, 0x45, 0x86, 0x8A, 0x49, 0xCF, 0x0C, 0xD7, 0x14, 0x92, 0x51, 0x5D, 0x9E, 0x18, 0xDB},
        {0x00, 0x6D, 0xDA, 0xB7, 0x77, 0x1A, 0xAD, 0xC0, 0xEE, 0x83, 0x34, 0x59, 0x99, 0xF4, 0x43, 0x2E}};
}

/// The field of GOST R 34.11-2012, where t^8 + t^4 + t^3 + t^2 + 1 = 0.
INLINE gost_reduction_neon gost_streebog_field_neon(void) {
    return (gost_reduction_neon){
        {0x00, 0x1D, 0x3A, 0x27, 0x74, 0x69, 0x4E, 0x53, 0xE8, 0xF5, 0xD2, 0xCF, 0x9C, 0x81, 0xA6, 0xBB},
        {0x00, 0xCD, 0x87, 0x4A, 0x13, 0xDE, 0x94, 0x59, 0x26, 0xEB, 0xA1, 0x6C, 0x35, 0xF8, 0xB2, 0x7F}};
}

#endif
