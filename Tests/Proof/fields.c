/* SPDX-License-Identifier: Apache-2.0 */
// The field functions of one length, each under a name of its own, for proofs on what the compiler makes of them. Compiled with
// SOURCE, which names the file of that length, and with the flags that build the library.
#include SOURCE

#define PROVE3(field, name) \
    void prove_##field##_##name(const modulus *m, word *r, const word *a, const word *b); \
    void prove_##field##_##name(const modulus *m, word *r, const word *a, const word *b) { field##_##name(m, r, a, b); }
#define PROVE2(field, name) \
    void prove_##field##_##name(const modulus *m, word *r, const word *a); \
    void prove_##field##_##name(const modulus *m, word *r, const word *a) { field##_##name(m, r, a); }
#define PROVE(field) \
    PROVE3(field, multiply) \
    PROVE3(field, add) \
    PROVE3(field, subtract) \
    PROVE2(field, square) \
    PROVE2(field, enter) \
    PROVE2(field, leave)

#if COUNT == 4
PROVE(folded256)
PROVE(any256)
#else
PROVE(folded512)
PROVE(any512)
#endif
