/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Linked as the library is, with the runtime of C++ in itself and the functions of Sources/CGlibc in the places of glibc's:
 * exceptions find their way through frames of this program and of the C library, and hypotf is glibc's to the last bit but
 * one.
 */
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <stdexcept>

extern "C" float __real_hypotf(float x, float y);

static int unwound;

struct Frame {
    ~Frame() { unwound++; }
};

__attribute__((noinline)) static int descend(int depth) {
    Frame frame;
    if (depth == 0) throw std::runtime_error("thrown");
    return descend(depth - 1) + 1;
}

/* Called by the C library, through whose frames the exception goes. */
static int compare(const void *, const void *) { return descend(10); }

static bool is_caught() {
    int numbers[] = {1, 2};
    try {
        std::qsort(numbers, 2, sizeof *numbers, compare);
    } catch (const std::runtime_error &error) {
        return unwound == 11 && std::strcmp(error.what(), "thrown") == 0;
    }
    return false;
}

static std::uint32_t bits(float number) {
    std::uint32_t result;
    std::memcpy(&result, &number, sizeof result);
    return result;
}

/* Whether two lengths are equal or neighbours; all that are not numbers are alike. */
static bool is_near(float left, float right) {
    if (std::isnan(left) || std::isnan(right)) return std::isnan(left) && std::isnan(right);
    std::int64_t distance = static_cast<std::int64_t>(bits(left)) - bits(right);
    return distance >= -1 && distance <= 1;
}

static bool is_right(float x, float y) {
    float length = hypotf(x, y);
    bool result = is_near(length, __real_hypotf(x, y));
    if (!result) std::printf("hypotf(%a, %a) = %a, not %a\n", x, y, length, __real_hypotf(x, y));
    return result;
}

int main() {
    using Limits = std::numeric_limits<float>;
    const float special[] = {
        0, -0.0F, 1, -1, 3, 4, Limits::infinity(), -Limits::infinity(), Limits::quiet_NaN(), Limits::max(),
        Limits::lowest(), Limits::min(), Limits::denorm_min(), 1e20F, 1e-20F};
    std::uint64_t state = 1;
    if (!is_caught()) return 1;
    for (float x : special)
        for (float y : special)
            if (!is_right(x, y)) return 2;
    for (int i = 0; i < 1000000; i++) {
        float pair[2];
        for (float &number : pair) {
            state = state * 6364136223846793005U + 1442695040888963407U;
            std::uint32_t word = static_cast<std::uint32_t>(state >> 32);
            std::memcpy(&number, &word, sizeof number);
        }
        if (!is_right(pair[0], pair[1])) return 3;
    }
    return 0;
}
