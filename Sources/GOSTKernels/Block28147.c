/* SPDX-License-Identifier: Apache-2.0 */
// GOST 28147-89 (RFC 5830) and Magma (RFC 8891): the choice of the path.

#include "Chains28147.h"
#include "Rounds28147Portable.h"

MODES(portable, encrypt_portable, encrypt_few_portable, )
CHAINS(portable, encrypt_few_portable, )
#if defined(__x86_64__)
MODES(avx2, encrypt256, encrypt_few256, AVX2)
MODES(avx512, encrypt512, encrypt_few512, AVX512)
CHAINS(avx512, encrypt_few512, AVX512)
#elif defined(__aarch64__)
MODES(neon, encrypt_neon, encrypt_few_neon, )
CHAINS(neon, encrypt_few_neon, )
#endif

void gost_28147_encrypt(gost_path path, const gost_28147 *cipher, const uint8_t *input, uint8_t *output, size_t count) {
    DISPATCH(path, transform, cipher, false, input, output, count)
}

void gost_28147_decrypt(gost_path path, const gost_28147 *cipher, const uint8_t *input, uint8_t *output, size_t count) {
    DISPATCH(path, transform, cipher, true, input, output, count)
}

void gost_28147_cnt(gost_path path, const gost_28147 *cipher, uint64_t *counter, const uint8_t *input, uint8_t *output,
                    size_t count) {
    DISPATCH(path, cnt, cipher, counter, input, output, count)
}

void gost_28147_ctr(gost_path path, const gost_28147 *cipher, gost_counter *counter, const uint8_t *input,
                    uint8_t *output, size_t count) {
    DISPATCH(path, ctr, cipher, counter, input, output, count)
}

void gost_28147_chain(gost_path path, const gost_28147 *cipher, gost_chain chain, uint8_t *feedback,
                      const uint8_t *input, uint8_t *output, size_t count) {
    DISPATCH(path, chain, cipher, chain, feedback, input, output, count)
}

void gost_28147_imit(gost_path path, const gost_28147 *cipher, uint64_t *code, const uint8_t *input, size_t count) {
    DISPATCH(path, imit, cipher, code, input, count)
}

void gost_28147_cnt_meshed(gost_path path, const uint8_t *rows, uint32_t *key, uint64_t *counter, const uint8_t *input,
                           uint8_t *output, size_t sections) {
    DISPATCH(path, cnt_meshed, rows, key, counter, input, output, sections)
}
