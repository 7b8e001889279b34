/* SPDX-License-Identifier: Apache-2.0 */
// The comparisons of ciphers.
#include <string.h>

#include "kernels.h"
#include "reference.h"

static uint8_t plain[longest], expected[longest];

static const gost_chain chains[] = {gost_chain_input, gost_chain_output, gost_chain_gamma};
static const gost_part parts[] = {gost_part_whole, gost_part_left, gost_part_right};

static void sum(uint8_t *to, const uint8_t *other, size_t size) {
    for (size_t i = 0; i < size; i++) to[i] ^= other[i];
}

/// A counter that runs over soon in every second case.
static gost_counter some_counter(gost_part part, int bits) {
    gost_counter counter = {random_number(), random_number(), part};
    if (random_number() % 2) counter.left = -(random_number() % 100);
    if (random_number() % 2) counter.right = -(random_number() % 100);
    if (bits == 32) {
        counter.left = (uint32_t)counter.left;
        counter.right = (uint32_t)counter.right;
    }
    return counter;
}

/// Adds one to what counts, of halves of so many bits.
static void count_on(gost_counter *counter, int bits) {
    uint64_t mask = bits == 32 ? UINT32_MAX : UINT64_MAX;
    if (counter->part != gost_part_left) counter->right = (counter->right + 1) & mask;
    bool carries = counter->part == gost_part_whole && counter->right == 0;
    if (counter->part == gost_part_left || carries) counter->left = (counter->left + 1) & mask;
}

/// A cipher whose blocks are linked: its kernel, and how the standard enciphers a block in place.
struct linked {
    const char *name;
    size_t block_size;
    void (*kernel)(const void *cipher, gost_chain chain, uint8_t *feedback, const uint8_t *input, uint8_t *output,
                   size_t count);
    const void *cipher;
    void (*encrypt)(const void *reference, uint8_t *block);
    const void *reference;
};

/// Chains the blocks of a text as GOST R 34.13-2015 defines.
static void link(const struct linked *l, gost_chain chain, uint8_t *feedback, uint8_t *text, size_t count) {
    for (uint8_t *block = text; count > 0; count--, block += l->block_size) {
        if (chain == gost_chain_input) sum(feedback, block, l->block_size);
        l->encrypt(l->reference, feedback);
        if (chain == gost_chain_input) memcpy(block, feedback, l->block_size);
        else sum(block, feedback, l->block_size);
        if (chain == gost_chain_output) memcpy(feedback, block, l->block_size);
    }
}

/// Compares what all chains give, also without output.
static void compare_chains(const struct linked *l, size_t count) {
    for (int i = 0; i < 3; i++) {
        struct text text = make_text(plain, l->block_size * count);
        uint8_t feedback[16], right[16], absorbed[16];
        random_bytes(feedback, 16);
        memcpy(right, feedback, 16);
        memcpy(absorbed, feedback, 16);
        l->kernel(l->cipher, chains[i], absorbed, text.input, NULL, count);
        l->kernel(l->cipher, chains[i], feedback, text.input, text.output, count);
        memcpy(expected, plain, text.size);
        link(l, chains[i], right, expected, count);
        compare(&text, expected, l->name);
        compare_bytes(feedback, right, 16, l->name);
        compare_bytes(absorbed, right, 16, l->name);
    }
}

// GOST 28147-89 and Magma.

static gost_order order;

static uint64_t load(const uint8_t *from) {
    uint64_t number;
    memcpy(&number, from, 8);
    return order == gost_order_big ? __builtin_bswap64(number) : number;
}

static void store(uint8_t *to, uint64_t number) {
    if (order == gost_order_big) number = __builtin_bswap64(number);
    memcpy(to, &number, 8);
}

static void chain_28147(const void *cipher, gost_chain chain, uint8_t *feedback, const uint8_t *input, uint8_t *output,
                        size_t count) {
    gost_28147_chain(path, cipher, chain, feedback, input, output, count);
}

static void encrypt_magma(const void *cipher, uint8_t *block) { store(block, magma_encrypt(cipher, load(block))); }

/// Adds what a number is enciphered to.
static void add_gamma(const struct magma *cipher, uint64_t number, uint8_t *block) {
    uint8_t gamma[8];
    store(gamma, magma_encrypt(cipher, number));
    sum(block, gamma, 8);
}

static struct magma some_magma(void) {
    struct magma cipher;
    random_bytes(cipher.key, sizeof cipher.key);
    random_bytes(cipher.rows, sizeof cipher.rows);
    for (int i = 0; i < 128; i++) cipher.rows[i] &= 15;
    return cipher;
}

static void compare_blocks(const struct magma *reference, const gost_28147 *cipher, size_t count) {
    for (int back = 0; back < 2; back++) {
        struct text text = make_text(plain, 8 * count);
        (back ? gost_28147_decrypt : gost_28147_encrypt)(path, cipher, text.input, text.output, count);
        for (size_t i = 0; i < 8 * count; i += 8)
            store(expected + i, (back ? magma_decrypt : magma_encrypt)(reference, load(plain + i)));
        compare(&text, expected, "28147");
    }
}

static void compare_counters(const struct magma *reference, const gost_28147 *cipher, size_t count) {
    for (int i = 0; i < 4; i++) {
        struct text text = make_text(plain, 8 * count);
        gost_counter counter = some_counter(parts[i % 3], 32), next = counter;
        uint64_t cnt = random_number() % 2 ? random_number() : -(random_number() % 0xFFFFFFFFFF), next_number = cnt;
        if (i == 3) gost_28147_cnt(path, cipher, &cnt, text.input, text.output, count);
        else gost_28147_ctr(path, cipher, &counter, text.input, text.output, count);
        memcpy(expected, plain, text.size);
        for (size_t j = 0; j < 8 * count; j += 8) {
            if (i == 3) next_number = next_cnt(next_number);
            add_gamma(reference, i == 3 ? next_number : next.left << 32 | next.right, expected + j);
            if (i < 3) count_on(&next, 32);
        }
        compare(&text, expected, "28147 gamma");
        compare_bytes(&counter.left, &next.left, 16, "28147 counter");
        compare_bytes(&cnt, &next_number, 8, "28147 counter");
    }
}

static void compare_imit(const struct magma *reference, const gost_28147 *cipher, size_t count) {
    struct text text = make_text(plain, 8 * count);
    uint64_t code = random_number(), right = code;
    memcpy(expected, text.output, text.size);
    gost_28147_imit(path, cipher, &code, text.input, count);
    for (size_t i = 0; i < count; i++) right = magma_imit(reference, right ^ load(plain + 8 * i));
    compare(&text, expected, "28147 imit");
    compare_bytes(&code, &right, 8, "28147 imit");
}

static void compare_meshing(const struct magma *reference, uint32_t *words, size_t sections) {
    struct magma cipher = *reference;
    struct text text = make_text(plain, 1024 * sections);
    uint64_t counter = random_number(), next = counter;
    gost_28147_cnt_meshed(path, cipher.rows, words, &counter, text.input, text.output, sections);
    memcpy(expected, plain, text.size);
    for (size_t i = 0; i < 128 * sections; i++) {
        if (i % 128 == 0) magma_mesh(&cipher, &next);
        next = next_cnt(next);
        add_gamma(&cipher, next, expected + 8 * i);
    }
    compare(&text, expected, "meshing");
    compare_bytes(&counter, &next, 8, "meshed counter");
    for (int i = 0; i < 8; i++) compare_bytes(&words[4 * i], &cipher.key[i], 4, "meshed key");
}

void compare_28147(int round) {
    struct magma reference = some_magma();
    uint32_t words[32];
    for (int i = 0; i < 32; i++) words[i] = reference.key[i / 4];
    size_t count = some_count(round);
    for (int i = 0; i < 2; i++) {
        order = i ? gost_order_big : gost_order_little;
        gost_28147 cipher = {reference.rows, words, order};
        compare_blocks(&reference, &cipher, count);
        compare_counters(&reference, &cipher, count);
        struct linked linked = {"28147 chain", 8, chain_28147, &cipher, encrypt_magma, &reference};
        compare_chains(&linked, count);
    }
    order = gost_order_little;
    gost_28147 cipher = {reference.rows, words, order};
    compare_imit(&reference, &cipher, count);
    if (round % 8 == 0) compare_meshing(&reference, words, random_number() % 4);
}

// Kuznyechik.

static void chain_kuznyechik(const void *keys, gost_chain chain, uint8_t *feedback, const uint8_t *input,
                             uint8_t *output, size_t count) {
    gost_kuznyechik_chain(path, keys, chain, feedback, input, output, count);
}

static void encrypt_kuznyechik(const void *keys, uint8_t *block) { kuznyechik_encrypt(keys, block); }

static void compare_kuznyechik_counter(const uint8_t (*keys)[16], gost_part part, size_t count) {
    struct text text = make_text(plain, 16 * count);
    gost_counter counter = some_counter(part, 64), next = counter;
    gost_kuznyechik_ctr(path, *keys, &counter, text.input, text.output, count);
    memcpy(expected, plain, text.size);
    for (size_t i = 0; i < 16 * count; i += 16, count_on(&next, 64)) {
        uint64_t words[2] = {__builtin_bswap64(next.left), __builtin_bswap64(next.right)};
        kuznyechik_encrypt(keys, (uint8_t *)words);
        sum(expected + i, (uint8_t *)words, 16);
    }
    compare(&text, expected, "Kuznyechik gamma");
    compare_bytes(&counter.left, &next.left, 16, "Kuznyechik counter");
}

void compare_kuznyechik(int round) {
    uint8_t keys[10][16], scheduled[10][16];
    random_bytes(keys, sizeof keys);
    memcpy(scheduled, keys, sizeof keys);
    gost_kuznyechik_schedule(path, scheduled[0], gost_kuznyechik_constants());
    kuznyechik_schedule(keys);
    compare_bytes(scheduled, keys, sizeof keys, "Kuznyechik schedule");

    size_t count = some_count(round);
    for (int back = 0; back < 2; back++) {
        const char *what = back ? "Kuznyechik back" : "Kuznyechik";
        struct text text = make_text(plain, 16 * count);
        (back ? gost_kuznyechik_decrypt : gost_kuznyechik_encrypt)(path, keys[0], text.input, text.output, count);
        memcpy(expected, plain, text.size);
        for (size_t i = 0; i < 16 * count; i += 16)
            (back ? kuznyechik_decrypt : kuznyechik_encrypt)((const uint8_t(*)[16])keys, expected + i);
        compare(&text, expected, what);
    }
    for (int i = 0; i < 3; i++) compare_kuznyechik_counter((const uint8_t(*)[16])keys, parts[i], count);
    struct linked linked = {"Kuznyechik chain", 16, chain_kuznyechik, keys, encrypt_kuznyechik, keys};
    compare_chains(&linked, count);
}
