/* SPDX-License-Identifier: Apache-2.0 */
// Kuznyechik (RFC 7801), many blocks at once: byte m of every block is in register m.

#include "../Substitution.h"
#include "Batches.h"

/// From how many blocks on a batch takes less time than block after block, though it is not full.
enum { enough = 9 };

/// Writes `body` for every byte of a block. The indices have to be constants for the registers to be registers.
#define EACH(body)                                                                                                     \
    body(0) body(1) body(2) body(3) body(4) body(5) body(6) body(7)                                                    \
    body(8) body(9) body(10) body(11) body(12) body(13) body(14) body(15)

#define EACH_BACK(body)                                                                                                \
    body(15) body(14) body(13) body(12) body(11) body(10) body(9) body(8)                                              \
    body(7) body(6) body(5) body(4) body(3) body(2) body(1) body(0)

/// The byte `i` places after the one at `place` of the shift register of L, which is a ring, and its sum with the one
/// that has the same coefficient.
#define AFTER(place, i) x[((place) + 1 + (i)) & 15]
#define PAIR(place, i) (AFTER(place, i) ^ AFTER(place, 14 - (i)))

#include "ManyPortable.h"

static const ways ways_portable = {
    {gost_path_portable, false, batch_portable, enough_portable, encrypt_portable},
    {gost_path_portable, true, batch_portable, enough_portable, decrypt_portable},
};

static void portable_ctr(const uint8_t *keys, gost_counter *counter, const uint8_t *input, uint8_t *output, size_t count) {
    add_gamma(&ways_portable.encryption, keys, counter, input, output, count);
}

#if defined(__x86_64__)
#include "Many256.h"
#include "Many512.h"

#define SET(name) name##256
#define KERNEL(name) avx2_##name
#define SET_PATH gost_path_avx2
#define TARGET AVX2
#include "Many.h"

#define SET(name) name##512
#define KERNEL(name) avx512_##name
#define SET_PATH gost_path_avx512
#define TARGET AVX512
#define HAS_INVERSE
#include "Many.h"

#elif defined(__aarch64__)
#include "ManyNEON.h"

#define SET(name) name##_neon
#define KERNEL(name) neon_##name
#define SET_PATH gost_path_neon
#define TARGET
#define HAS_INVERSE
#include "Many.h"
#endif

static const ways *ways_of(gost_path path) {
    switch (path) {
#if defined(__x86_64__)
    case gost_path_avx2: return &ways256;
    case gost_path_avx512: return &ways512;
#elif defined(__aarch64__)
    case gost_path_neon: return &ways_neon;
#endif
    default: return &ways_portable;
    }
}

void gost_kuznyechik_encrypt(gost_path path, const uint8_t *keys, const uint8_t *input, uint8_t *output, size_t count) {
    transform(&ways_of(path)->encryption, keys, input, output, count);
}

void gost_kuznyechik_decrypt(gost_path path, const uint8_t *keys, const uint8_t *input, uint8_t *output, size_t count) {
    transform(&ways_of(path)->decryption, keys, input, output, count);
}

void gost_kuznyechik_ctr(gost_path path, const uint8_t *keys, gost_counter *counter, const uint8_t *input,
                         uint8_t *output, size_t count) {
    DISPATCH(path, ctr, keys, counter, input, output, count)
}
