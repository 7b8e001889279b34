#include "GOSTKernels.h"

bool gost_has_path(gost_path path) {
    switch (path) {
#if defined(__x86_64__)
    case gost_path_avx2:
        return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("pclmul");
    case gost_path_avx512:
        return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
               __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512vbmi") &&
               __builtin_cpu_supports("gfni") && __builtin_cpu_supports("pclmul");
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
