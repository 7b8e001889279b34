/* SPDX-License-Identifier: Apache-2.0 */
// The numbers of curves, which parameter sets with several identifiers share.
#ifndef GOST_NUMBERS_H
#define GOST_NUMBERS_H

#include "GOSTCurves.h"

/// The number d of a curve that is not in Edwards's form.
extern const uint8_t gost_zero[64];

extern const gost_curve_numbers gost_numbers_test_2001;
extern const gost_curve_numbers gost_numbers_cryptopro_a;
extern const gost_curve_numbers gost_numbers_cryptopro_b;
extern const gost_curve_numbers gost_numbers_cryptopro_c;
extern const gost_curve_numbers gost_numbers_tc26_256_a;
extern const gost_curve_numbers gost_numbers_tc26_512_test;
extern const gost_curve_numbers gost_numbers_tc26_512_a;
extern const gost_curve_numbers gost_numbers_tc26_512_b;
extern const gost_curve_numbers gost_numbers_tc26_512_c;

#endif
