/* SPDX-License-Identifier: Apache-2.0 */
// GOST 28147-89 (RFC 5830) and Magma (RFC 8891): the choice of the path.

#include "Modes28147.h"

#if defined(__x86_64__)
MODES(avx2, encrypt256, encrypt_few256, AVX2)
MODES(avx512, encrypt512, encrypt_few512, AVX512)
#elif defined(__aarch64__)
MODES(neon, encrypt_neon, encrypt_few_neon, )
#endif

/// Calls the kernel `name` of `path` and answers true, or answers false if there is none.
#if defined(__x86_64__)
#define DISPATCH(path, name, ...)                                                                                      \
    switch (path) {                                                                                                    \
    case gost_path_avx2: avx2_##name(__VA_ARGS__); return true;                                                        \
    case gost_path_avx512: avx512_##name(__VA_ARGS__); return true;                                                    \
    default: return false;                                                                                             \
    }
#elif defined(__aarch64__)
#define DISPATCH(path, name, ...)                                                                                      \
    if (path != gost_path_neon) return false;                                                                          \
    neon_##name(__VA_ARGS__);                                                                                          \
    return true;
#else
#define DISPATCH(path, name, ...) return false;
#endif

bool gost_28147_encrypt(gost_path path, const gost_28147 *cipher, const uint8_t *input, uint8_t *output, size_t count) {
    DISPATCH(path, transform, cipher, false, input, output, count)
}

bool gost_28147_decrypt(gost_path path, const gost_28147 *cipher, const uint8_t *input, uint8_t *output, size_t count) {
    DISPATCH(path, transform, cipher, true, input, output, count)
}

bool gost_28147_cnt(gost_path path, const gost_28147 *cipher, uint64_t *counter, const uint8_t *input, uint8_t *output,
                    size_t count) {
    DISPATCH(path, cnt, cipher, counter, input, output, count)
}

bool gost_28147_ctr(gost_path path, const gost_28147 *cipher, gost_counter *counter, const uint8_t *input,
                    uint8_t *output, size_t count) {
    DISPATCH(path, ctr, cipher, counter, input, output, count)
}

bool gost_28147_chain(gost_path path, const gost_28147 *cipher, gost_chain chain, uint8_t *feedback,
                      const uint8_t *input, uint8_t *output, size_t count) {
    DISPATCH(path, chain, cipher, chain, feedback, input, output, count)
}

bool gost_28147_imit(gost_path path, const gost_28147 *cipher, uint64_t *code, const uint8_t *input, size_t count) {
    DISPATCH(path, imit, cipher, code, input, count)
}

bool gost_28147_cnt_meshed(gost_path path, const uint8_t *rows, uint32_t *key, uint64_t *counter, const uint8_t *input,
                           uint8_t *output, size_t sections) {
    DISPATCH(path, cnt_meshed, rows, key, counter, input, output, sections)
}
