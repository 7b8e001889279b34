/* SPDX-License-Identifier: Apache-2.0 */
// The beginning of all kernels: the attributes that compile a function for a set of instructions, and the
// choice of the path.
#ifndef GOST_PATH_H
#define GOST_PATH_H

#include "GOSTKernels.h"

#define INLINE static inline __attribute__((always_inline, unused))

#define AVX2 __attribute__((target("avx2")))
#define AVX512 __attribute__((target("avx512f,avx512bw,avx512vl,avx512vbmi,gfni"), min_vector_width(512)))

/// Calls the function `name` of `path`.
#if defined(__x86_64__)
#define DISPATCH(path, name, ...)                                                                                      \
    switch (path) {                                                                                                    \
    case gost_path_avx2: avx2_##name(__VA_ARGS__); break;                                                              \
    case gost_path_avx512: avx512_##name(__VA_ARGS__); break;                                                          \
    default: portable_##name(__VA_ARGS__); break;                                                                      \
    }
#elif defined(__aarch64__)
#define DISPATCH(path, name, ...)                                                                                      \
    if (path == gost_path_neon) neon_##name(__VA_ARGS__);                                                              \
    else portable_##name(__VA_ARGS__);
#else
#define DISPATCH(path, name, ...)                                                                                      \
    (void)path;                                                                                                        \
    portable_##name(__VA_ARGS__);
#endif

#endif
