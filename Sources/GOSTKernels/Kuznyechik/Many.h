/* SPDX-License-Identifier: Apache-2.0 */
// Kuznyechik (RFC 7801) on a batch of blocks, for one set of instructions: to be included once for each, after the
// definitions of SET(name), which is the name for the set, KERNEL(name), which is a kernel's name, SET_PATH, which is its
// path, TARGET, the attributes of its functions, and HAS_INVERSE, if it can undo π; and after the operations that
// Many256.h has for AVX2.

/// Exchanges rows and columns of each 16 blocks: four times a perfect shuffle of all registers.
TARGET INLINE void SET(transpose)(SET(lanes) x[16]) {
    for (int i = 0; i < 4; i++) {
        SET(lanes) y[16];
#define SHUFFLE(m)                                                                                                     \
    y[m] = (m) % 2 == 0 ? SET(zip_low)(x[(m) / 2], x[(m) / 2 + 8]) : SET(zip_high)(x[(m) / 2], x[(m) / 2 + 8]);
        EACH(SHUFFLE)
#undef SHUFFLE
#define COPY(m) x[m] = y[m];
        EACH(COPY)
#undef COPY
    }
}

#define LOAD(m) x[m] = SET(load_lanes)(blocks + sizeof x[m] * (m));
#define STORE(m) SET(store_lanes)(blocks + sizeof x[m] * (m), x[m]);
#define ADD(m) x[m] ^= SET(repeated)(key, m);
#define MIX(m) x[m] = SET(mixed)(&constants, x, m);

TARGET static void SET(encrypt)(const uint8_t *keys, uint8_t *blocks) {
    SET(lanes) x[16];
    EACH(LOAD)
    SET(transpose)(x);
    const uint8_t *key = keys;
    for (int round = 0; round < 9; round++, key += 16) {
        SET(constants) constants = SET(load_constants)(gost_pi);
        EACH(ADD)
        SET(substitute)(&constants, x);
        EACH_BACK(MIX)
    }
    EACH(ADD)
    SET(transpose)(x);
    EACH(STORE)
}

#ifdef HAS_INVERSE
TARGET static void SET(decrypt)(const uint8_t *keys, uint8_t *blocks) {
    SET(lanes) x[16];
    EACH(LOAD)
    SET(transpose)(x);
    const uint8_t *key = keys + 16 * 9;
    EACH(ADD)
    for (int round = 0; round < 9; round++) {
        SET(constants) constants = SET(load_constants)(gost_pi_inverse);
        key -= 16;
        EACH(MIX)
        SET(substitute)(&constants, x);
        EACH(ADD)
    }
    SET(transpose)(x);
    EACH(STORE)
}
#endif

#undef LOAD
#undef STORE
#undef ADD
#undef MIX

static const ways SET(ways) = {
    {SET_PATH, false, sizeof(SET(lanes)), enough, SET(encrypt)},
#ifdef HAS_INVERSE
    {SET_PATH, true, sizeof(SET(lanes)), 1, SET(decrypt)},
#else
    {SET_PATH, true, batch_portable, enough_portable, decrypt_portable},
#endif
};

TARGET static void KERNEL(ctr)(const uint8_t *keys, gost_counter *counter, const uint8_t *input, uint8_t *output,
                               size_t count) {
    add_gamma(&SET(ways).encryption, keys, counter, input, output, count);
}

#undef SET
#undef KERNEL
#undef SET_PATH
#undef TARGET
#undef HAS_INVERSE
