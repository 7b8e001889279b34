/* SPDX-License-Identifier: Apache-2.0 */
// Kuznyechik (RFC 7801) one block after another: the modes in which each waits for the one before, and the key schedule.

#include "GOSTKernels.h"
#include "Few.h"

#if defined(__x86_64__)
#include "Block256.h"
#include "Block512.h"

#define SET(name) name##256
#define TARGET __attribute__((target("avx2")))
#include "Serial.h"
#undef SET
#undef TARGET

#define SET(name) name##512
#define TARGET __attribute__((target("avx512f,avx512bw,avx512vl,avx512vbmi,gfni"), min_vector_width(512)))
#include "Serial.h"

void gost_kuznyechik_few(gost_path path, const uint8_t *keys, const uint8_t *input, uint8_t *output, size_t count) {
    (path == gost_path_avx512 ? few512 : few256)(keys, input, output, count);
}

bool gost_kuznyechik_schedule(gost_path path, uint8_t *keys, const uint8_t *constants) {
    if (path != gost_path_avx2 && path != gost_path_avx512) return false;
    (path == gost_path_avx512 ? schedule512 : schedule256)(keys, constants);
    return true;
}

bool gost_kuznyechik_chain(gost_path path, const uint8_t *keys, gost_chain chain, uint8_t *feedback,
                           const uint8_t *input, uint8_t *output, size_t count) {
    if (path != gost_path_avx2 && path != gost_path_avx512) return false;
    (path == gost_path_avx512 ? chain512 : chain256)(keys, chain, feedback, input, output, count);
    return true;
}

#else

bool gost_kuznyechik_schedule(gost_path path, uint8_t *keys, const uint8_t *constants) {
    (void)path, (void)keys, (void)constants;
    return false;
}

bool gost_kuznyechik_chain(gost_path path, const uint8_t *keys, gost_chain chain, uint8_t *feedback,
                           const uint8_t *input, uint8_t *output, size_t count) {
    (void)path, (void)keys, (void)chain, (void)feedback, (void)input, (void)output, (void)count;
    return false;
}

#endif
