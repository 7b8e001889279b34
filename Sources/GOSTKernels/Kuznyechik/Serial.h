/* SPDX-License-Identifier: Apache-2.0 */
// Kuznyechik (RFC 7801) one block after another, for one set of instructions: to be included once for each, after the
// definitions of SET(name), which is the name for the set, KERNEL(name), which is a kernel's name, and TARGET, the
// attributes of its functions; and after the operations that Block256.h has for AVX2.

TARGET INLINE SET(gost_block)
    SET(encipher)(const SET(gost_cipher) *cipher, SET(gost_block) block) {
    block ^= SET(gost_key)(cipher, 0);
    for (int i = 1; i < 10; i++) block = SET(gost_round)(cipher, block, SET(gost_key)(cipher, i));
    return block;
}

/// The key schedule (RFC 7801, 4.3): eight steps of a Feistel network for every pair of round keys after the first.
TARGET static void KERNEL(schedule)(uint8_t *keys, const uint8_t *constants) {
    SET(gost_cipher) cipher;
    SET(gost_prepare)(&cipher);
    SET(gost_block) left = SET(gost_enter)(keys), right = SET(gost_enter)(keys + 16);
    for (int pair = 1; pair < 5; pair++) {
        for (int step = 0; step < 8; step++, constants += 16) {
            SET(gost_block) sum = SET(gost_round)(&cipher, left ^ SET(gost_enter)(constants), right);
            right = left;
            left = sum;
        }
        SET(gost_leave)(keys + 32 * pair, left);
        SET(gost_leave)(keys + 32 * pair + 16, right);
    }
}

TARGET static void KERNEL(few)(const uint8_t *keys, const uint8_t *input, uint8_t *output, size_t count) {
    SET(gost_cipher) cipher;
    SET(gost_set_keys)(&cipher, keys);
    for (size_t i = 0; i < 16 * count; i += 16)
        SET(gost_leave)(output + i, SET(encipher)(&cipher, SET(gost_enter)(input + i)));
}

TARGET static void KERNEL(chain)(const uint8_t *keys, gost_chain chain, uint8_t *feedback, const uint8_t *input,
                              uint8_t *output, size_t count) {
    SET(gost_cipher) cipher;
    SET(gost_set_keys)(&cipher, keys);
    SET(gost_block) block = SET(gost_enter)(feedback);
    for (size_t i = 0; i < 16 * count; i += 16) {
        SET(gost_block) text = SET(gost_enter)(input + i);
        if (chain == gost_chain_input) block ^= text;
        block = SET(encipher)(&cipher, block);
        if (chain == gost_chain_output) block ^= text;
        if (output) SET(gost_leave)(output + i, chain == gost_chain_gamma ? block ^ text : block);
    }
    SET(gost_leave)(feedback, block);
}

#undef SET
#undef KERNEL
#undef TARGET
