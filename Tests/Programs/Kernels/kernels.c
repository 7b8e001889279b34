/* SPDX-License-Identifier: Apache-2.0 */
// Compares the kernels of every path that the processor has with the standards' own words: kernels ROUNDS [SEED]. These
// are first held against the published values.
#include "kernels.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "reference.h"
#include "vectors.h"

gost_path path;

static const char *const names[] = {"portable", "avx2", "avx512", "neon"};
static uint64_t seed, state;
static unsigned long comparisons;

static void fail(const char *what, const char *fault) {
    fprintf(stderr, "%s, %s: %s; the seed was %llu\n", names[path], what, fault, (unsigned long long)seed);
    exit(1);
}

uint64_t random_number(void) {
    // xorshift64*.
    state ^= state >> 12;
    state ^= state << 25;
    state ^= state >> 27;
    return state * 0x2545F4914F6CDD1D;
}

void random_bytes(void *to, size_t size) {
    for (uint8_t *byte = to; size > 0; size--) *byte++ = (uint8_t)(random_number() >> 32);
}

size_t some_count(int round) {
    static const uint8_t bounds[] = {0,  1,  2,  7,  8,  9,  15, 16, 17, 31,  32,
                                     33, 47, 48, 49, 63, 64, 65, 96, 127, 128, 129};
    if (round < (int)sizeof bounds) return bounds[round];
    return random_number() % (round % 2 ? 20 : most_blocks + 1);
}

/// Memory between two pages without access, and what is in it.
struct room {
    uint8_t *start, *copy;
};

enum { room_size = 4 * 4096 };

static struct room rooms[2];

static void make_room(struct room *room) {
    size_t page = (size_t)sysconf(_SC_PAGESIZE), size = room_size + 2 * page;
    uint8_t *memory = mmap(NULL, size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED || room_size % page != 0) abort();
    if (mprotect(memory + page, room_size, PROT_READ | PROT_WRITE) != 0) abort();
    room->start = memory + page;
    room->copy = malloc(room_size);
    if (room->copy == NULL) abort();
}

static uint8_t *place(const struct room *room, size_t size) {
    switch (random_number() % 4) {
    case 0: return room->start;
    case 1: return room->start + room_size - size;
    default: return room->start + random_number() % (room_size - size);
    }
}

struct text make_text(uint8_t *copy, size_t size) {
    struct text text = {place(&rooms[0], size), place(&rooms[1], size), size};
    if (random_number() % 2) text.output = text.input;
    random_bytes(copy, size);
    for (int i = 0; i < 2; i++) memset(rooms[i].start, (int)random_number(), room_size);
    memcpy(text.input, copy, size);
    for (int i = 0; i < 2; i++) memcpy(rooms[i].copy, rooms[i].start, room_size);
    return text;
}

void compare(const struct text *text, const uint8_t *expected, const char *what) {
    compare_bytes(text->output, expected, text->size, what);
    const struct room *room = &rooms[text->output == text->input ? 0 : 1];
    memcpy(text->output, room->copy + (text->output - room->start), text->size);
    for (int i = 0; i < 2; i++) {
        if (memcmp(rooms[i].start, rooms[i].copy, room_size) != 0) fail(what, "wrote elsewhere");
    }
}

void compare_bytes(const void *result, const void *expected, size_t size, const char *what) {
    if (memcmp(result, expected, size) != 0) fail(what, "another result");
    comparisons++;
}

// The published values.

static struct magma magma_of(const struct vector *v) {
    struct magma cipher;
    for (int i = 0; i < 128; i++) {
        const char digit[2] = {v->rows[i]};
        cipher.rows[i] = (uint8_t)strtol(digit, NULL, 16);
    }
    for (size_t i = 0; i < v->key_size / 4; i++) {
        memcpy(&cipher.key[i], v->key + 4 * i, 4);
        if (v->kind == magma) cipher.key[i] = __builtin_bswap32(cipher.key[i]);
    }
    return cipher;
}

/// Adds a number of so many words, the least significant first.
static void add(uint64_t *sum, const void *number, int words) {
    uint64_t carry = 0;
    for (int i = 0; i < words; i++) {
        uint64_t word;
        memcpy(&word, (const uint8_t *)number + 8 * i, 8);
        __extension__ unsigned __int128 total = (unsigned __int128)sum[i] + word + carry;
        sum[i] = (uint64_t)total;
        carry = (uint64_t)(total >> 64);
    }
}

/// GOST R 34.11-94 from a hash value of zeros (RFC 5831, 6).
static void hash_94(const struct vector *v, uint8_t result[64]) {
    struct magma cipher = magma_of(v);
    uint64_t sum[4] = {0}, length[4] = {8 * v->size};
    memset(result, 0, 32);
    for (size_t done = 0; done < v->size; done += 32) {
        uint8_t block[32] = {0};
        memcpy(block, v->input + done, v->size - done < 32 ? v->size - done : 32);
        hash94(cipher.rows, result, block);
        add(sum, block, 4);
    }
    hash94(cipher.rows, result, (uint8_t *)length);
    hash94(cipher.rows, result, (uint8_t *)sum);
}

/// GOST R 34.11-2012 (RFC 6986, 9); returns the hash code's place in the hash value.
static const uint8_t *hash_2012(const struct vector *v, uint8_t result[64]) {
    uint64_t sum[8] = {0}, counter[8] = {0}, none[8] = {0};
    const uint8_t(*constants)[64] = (const uint8_t(*)[64])streebog_constants;
    memset(result, v->kind == streebog256 ? 1 : 0, 64);
    for (size_t done = 0; done <= v->size; done += 64) {
        size_t rest = v->size - done;
        uint8_t block[64] = {0};
        memcpy(block, v->input + done, rest < 64 ? rest : 64);
        if (rest < 64) block[rest] = 1;
        streebog(result, (uint8_t *)counter, block, constants);
        counter[0] += rest < 64 ? 8 * rest : 512;
        add(sum, block, 8);
    }
    streebog(result, (uint8_t *)none, (uint8_t *)counter, constants);
    streebog(result, (uint8_t *)none, (uint8_t *)sum, constants);
    return result + (v->kind == streebog256 ? 32 : 0);
}

static void check_ciphers(const struct vector *v, uint8_t *result) {
    uint8_t back[16], keys[10][16];
    if (v->kind == kuznyechik) {
        memcpy(keys, v->key, 32);
        kuznyechik_schedule(keys);
        memcpy(result, v->input, 16);
        kuznyechik_encrypt((const uint8_t(*)[16])keys, result);
        memcpy(back, result, 16);
        kuznyechik_decrypt((const uint8_t(*)[16])keys, back);
        compare_bytes(back, v->input, 16, v->name);
        return;
    }
    struct magma cipher = magma_of(v);
    for (size_t i = 0; i < v->size; i += 8) {
        uint64_t block, plain;
        memcpy(&plain, v->input + i, 8);
        if (v->kind == magma) plain = __builtin_bswap64(plain);
        block = magma_encrypt(&cipher, plain);
        if (magma_decrypt(&cipher, block) != plain) fail(v->name, "another result back");
        if (v->kind == magma) block = __builtin_bswap64(block);
        memcpy(result + i, &block, 8);
    }
}

static void check_vectors(void) {
    static uint8_t buffer[longest];
    for (const struct vector *v = vectors; v->name; v++) {
        const uint8_t *result = buffer;
        if (v->size > longest) fail(v->name, "too long");
        if (v->kind == gostr341194) hash_94(v, buffer);
        else if (v->kind == streebog256 || v->kind == streebog512) result = hash_2012(v, buffer);
        else check_ciphers(v, buffer);
        compare_bytes(result, v->result, v->result_size, v->name);
    }
}

int main(int count, char **arguments) {
    int rounds = count > 1 ? atoi(arguments[1]) : 100;
    if (count > 2) seed = strtoull(arguments[2], NULL, 10);
    else if (getentropy(&seed, sizeof seed) != 0) abort();
    state = seed | 1;
    for (int i = 0; i < 2; i++) make_room(&rooms[i]);
    check_vectors();
    printf("reference: %lu published values\n", comparisons);
    for (path = gost_path_portable; path <= gost_path_neon; path++) {
        if (!gost_has_path(path)) continue;
        comparisons = 0;
        for (int round = 0; round < rounds; round++) {
            compare_28147(round);
            compare_kuznyechik(round);
            compare_hashes(round);
        }
        printf("%s: %lu comparisons\n", names[path], comparisons);
    }
}
