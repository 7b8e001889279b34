/* SPDX-License-Identifier: Apache-2.0 */
// Kuznyechik (RFC 7801) one block after another: the modes in which each waits for the one before, and the key
// schedule.

#include "../Path.h"
#include "Few.h"

#if defined(__x86_64__)
#include "Block256.h"
#include "Block512.h"

#define SET(name) name##256
#define KERNEL(name) avx2_##name
#define TARGET AVX2
#include "Serial.h"

#define SET(name) name##512
#define KERNEL(name) avx512_##name
#define TARGET AVX512
#include "Serial.h"

#elif defined(__aarch64__)
#include "BlockNEON.h"

#define SET(name) name##_neon
#define KERNEL(name) neon_##name
#define TARGET
#include "Serial.h"
#endif

bool gost_kuznyechik_few(gost_path path, const uint8_t *keys, const uint8_t *input, uint8_t *output, size_t count) {
    DISPATCH(path, few, keys, input, output, count)
}

bool gost_kuznyechik_schedule(gost_path path, uint8_t *keys, const uint8_t *constants) {
    DISPATCH(path, schedule, keys, constants)
}

bool gost_kuznyechik_chain(gost_path path, const uint8_t *keys, gost_chain chain, uint8_t *feedback,
                           const uint8_t *input, uint8_t *output, size_t count) {
    DISPATCH(path, chain, keys, chain, feedback, input, output, count)
}
