/* SPDX-License-Identifier: Apache-2.0 */
#include "GOSTKernels.h"

// The C library has asked the processor and the operating system already; asking again takes a virtual machine long.
#if defined(__x86_64__)
#include <sys/platform/x86.h>
#endif

bool gost_has_path(gost_path path) {
    switch (path) {
#if defined(__x86_64__)
    case gost_path_avx2:
        return CPU_FEATURE_ACTIVE(AVX2) && CPU_FEATURE_ACTIVE(PCLMULQDQ);
    case gost_path_avx512:
        return CPU_FEATURE_ACTIVE(AVX512F) && CPU_FEATURE_ACTIVE(AVX512BW) && CPU_FEATURE_ACTIVE(AVX512VL) &&
               CPU_FEATURE_ACTIVE(AVX512_VBMI) && CPU_FEATURE_ACTIVE(GFNI) && CPU_FEATURE_ACTIVE(PCLMULQDQ);
#elif defined(__aarch64__)
    case gost_path_neon:
        return true;
#endif
    case gost_path_portable:
        return true;
    default:
        return false;
    }
}

gost_path gost_best_path(void) {
    static int chosen = -1;
    int path = __atomic_load_n(&chosen, __ATOMIC_RELAXED);
    if (path < 0) {
        path = gost_has_path(gost_path_avx512) ? gost_path_avx512
               : gost_has_path(gost_path_avx2) ? gost_path_avx2
               : gost_has_path(gost_path_neon) ? gost_path_neon
                                               : gost_path_portable;
        __atomic_store_n(&chosen, path, __ATOMIC_RELAXED);
    }
    return (gost_path)path;
}
