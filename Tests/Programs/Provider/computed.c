/* SPDX-License-Identifier: Apache-2.0 */
/*
 * computed < LINES
 *
 * What Sources/OpenSSLProvider/GOST computes and OpenSSL has no name for, against lines of hexadecimal fields:
 *
 *   acpkm KIND SECTION KEY IV PLAIN CIPHERED   in pieces, too; KIND is "magma" or "kuznyechik"
 *   imit ROWS MESHED KEY IV DATA CODE          ROWS is an identifier in DER, MESHED 00 or 01
 *   unwrap ROWS KEK UKM WRAPPED KEY            and each changed bit of what is wrapped is noticed
 *   kexp15 KIND KEYS IV KEY WRAPPED            the same
 *
 * Prints how many there were.
 */
#include "cipher.h"
#include "wrap.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FIELDS = 7, LONGEST = 1 << 22 };
static char line[2 * LONGEST];
struct octets {
    unsigned char *bytes;
    size_t length;
};

static void fail(const char *what) {
    fprintf(stderr, "%s: %.200s\n", what, line);
    exit(1);
}

static struct octets read_octets(const char *text) {
    struct octets octets = {malloc(strlen(text) / 2 + 1), 0};

    if (strcmp(text, "-") != 0)
        for (; *text; text += 2)
            if (sscanf(text, "%2hhx", &octets.bytes[octets.length++]) != 1)
                fail("no hexadecimal number");
    return octets;
}

static enum block_kind kind_of(const char *name) { return strcmp(name, "magma") == 0 ? BLOCK_MAGMA : BLOCK_KUZNYECHIK; }

static const uint8_t *rows_of(const char *identifier) {
    struct octets octets = read_octets(identifier);
    const gost_sbox_set *set = gost_sbox_set_of(octets.bytes, octets.length);

    free(octets.bytes);
    if (!set)
        fail("no such rows");
    return set->rows;
}

static void acpkm(const char *kind, const char *section, struct octets *fields) {
    static const size_t pieces[] = {1, 7, 16, 33, 1 << 20};

    for (size_t i = 0; i < 2 * sizeof pieces / sizeof *pieces; i++) {
        struct octets in = fields[i % 2 ? 3 : 2], out = fields[i % 2 ? 2 : 3];
        unsigned char *result = malloc(in.length);
        struct cipher cipher = {.mode = CIPHER_CTR, .section = (size_t)atol(section), .is_encryption = i % 2 == 0};
        block_begin(&cipher.block, kind_of(kind));
        memcpy(cipher.iv, fields[1].bytes, fields[1].length);
        memcpy(cipher.key, fields[0].bytes, sizeof cipher.key);
        cipher.has_key = true;
        cipher_restart(&cipher);
        for (size_t done = 0, taken; done < in.length; done += taken) {
            taken = in.length - done < pieces[i / 2] ? in.length - done : pieces[i / 2];
            cipher_update(&cipher, in.bytes + done, result + done, taken);
        }
        if (memcmp(result, out.bytes, out.length) != 0)
            fail("another text");
        free(result);
    }
}

static void imit(const char *rows, const char *meshed, struct octets *fields) {
    static const size_t pieces[] = {1, 7, 8, 1000, 1 << 20};

    for (size_t i = 0; i < sizeof pieces / sizeof *pieces; i++) {
        struct octets data = fields[2];
        struct block block;
        struct mac mac;
        unsigned char code[8];
        block_begin(&block, BLOCK_28147);
        block.rows = rows_of(rows);
        block_set_key(&block, fields[0].bytes);
        mac_begin_imit(&mac, &block, fields[1].length ? fields[1].bytes : NULL, atoi(meshed));
        for (size_t done = 0, taken; done < data.length; done += taken) {
            taken = data.length - done < pieces[i] ? data.length - done : pieces[i];
            mac_update(&mac, data.bytes + done, taken);
        }
        mac_end(&mac, code, fields[3].length);
        if (memcmp(code, fields[3].bytes, fields[3].length) != 0)
            fail("another code");
    }
}

static void unwrap(const char *rows, struct octets *fields) {
    unsigned char key[32];

    if (!unwrap_28147(rows_of(rows), fields[0].bytes, fields[1].bytes, fields[2].bytes, key)
        || memcmp(key, fields[3].bytes, sizeof key) != 0)
        fail("another key");
    for (size_t i = 0; i < 8 * fields[2].length; i++) {
        fields[2].bytes[i / 8] ^= (unsigned char)(1 << i % 8);
        if (unwrap_28147(rows_of(rows), fields[0].bytes, fields[1].bytes, fields[2].bytes, key))
            fail("a change goes unnoticed");
        fields[2].bytes[i / 8] ^= (unsigned char)(1 << i % 8);
    }
}

static void kexp15(const char *kind, struct octets *fields) {
    unsigned char key[256];
    struct octets whole = fields[3];

    if (!unwrap_kexp15(kind_of(kind), fields[0].bytes, fields[1].bytes, whole.bytes, whole.length, key)
        || memcmp(key, fields[2].bytes, fields[2].length) != 0)
        fail("another key");
    for (size_t i = 0; i < 8 * whole.length; i++) {
        whole.bytes[i / 8] ^= (unsigned char)(1 << i % 8);
        if (unwrap_kexp15(kind_of(kind), fields[0].bytes, fields[1].bytes, whole.bytes, whole.length, key))
            fail("a change goes unnoticed");
        whole.bytes[i / 8] ^= (unsigned char)(1 << i % 8);
    }
    for (size_t i = 0; i < whole.length; i++)
        if (unwrap_kexp15(kind_of(kind), fields[0].bytes, fields[1].bytes, whole.bytes, i, key))
            fail("a shorter one goes unnoticed");
}

int main(void) {
    int count = 0;

    while (fgets(line, sizeof line, stdin)) {
        char *copy = strdup(line), *rest = copy, *name = strsep(&rest, " \n"), *first = strsep(&rest, " \n"), *second = NULL, *word;
        struct octets fields[FIELDS];
        int found = 0;
        if (strcmp(name, "acpkm") == 0 || strcmp(name, "imit") == 0)
            second = strsep(&rest, " \n");
        while (found < FIELDS && (word = strsep(&rest, " \n")) && *word)
            fields[found++] = read_octets(word);
        if (found != 4)
            fail("no such line");
        if (strcmp(name, "acpkm") == 0)
            acpkm(first, second, fields);
        else if (strcmp(name, "imit") == 0)
            imit(first, second, fields);
        else if (strcmp(name, "unwrap") == 0)
            unwrap(first, fields);
        else
            kexp15(first, fields);
        while (found > 0)
            free(fields[--found].bytes);
        free(copy);
        count++;
    }
    printf("%d vectors\n", count);
    return count == 0;
}
