/* SPDX-License-Identifier: Apache-2.0 */
/*
 * computed < LINES
 *
 * What Sources/GOSTKernels/Messages computes and OpenSSL has no name for, against lines of hexadecimal fields:
 *
 *   acpkm KIND SECTION KEY IV PLAIN CIPHERED   in pieces, too; KIND is "magma" or "kuznyechik"
 *   imit ROWS MESHED KEY IV DATA CODE          ROWS is an identifier in DER, MESHED 00 or 01
 *   unwrap ROWS KEK UKM WRAPPED KEY            and each changed bit of what is wrapped is noticed
 *   kexp15 KIND KEYS IV KEY WRAPPED            the same
 *   hash NAME ROWS MESSAGE DIGEST              in pieces; NAME is 94, 256 or 512, ROWS are of 94
 *   hmac NAME KEY MESSAGE CODE                 in pieces
 *   tree NAME R KEY LABEL SEED KEYS
 *
 * Prints how many there were.
 */
#include "GOSTCiphers.h"
#include "GOSTHashes.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WORDS = 2, FIELDS = 4, LONGEST = 1 << 22 };
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

static gost_cipher_name kind_of(const char *name) { return strcmp(name, "magma") == 0 ? gost_cipher_magma : gost_cipher_kuznyechik; }

static gost_sbox_name rows_of(const char *identifier) {
    struct octets octets = read_octets(identifier);
    gost_sbox_name rows = gost_sbox_tc26_z;

    if (!gost_sbox_named(octets.bytes, octets.length, &rows))
        fail("no such rows");
    free(octets.bytes);
    return rows;
}

static void acpkm(char **words, struct octets *fields) {
    static const size_t pieces[] = {1, 7, 16, 33, 1 << 20};

    for (size_t i = 0; i < 2 * sizeof pieces / sizeof *pieces; i++) {
        struct octets in = fields[i % 2 ? 3 : 2], out = fields[i % 2 ? 2 : 3];
        unsigned char *result = malloc(in.length);
        gost_cipher cipher = {.mode = gost_mode_ctr, .section = (size_t)atol(words[1]), .is_encryption = i % 2 == 0};
        gost_block_begin(gost_best_path(), &cipher.block, kind_of(words[0]));
        gost_block_set_key(&cipher.block, fields[0].bytes);
        gost_cipher_begin(&cipher, fields[1].bytes);
        for (size_t done = 0, taken; done < in.length; done += taken) {
            taken = in.length - done < pieces[i / 2] ? in.length - done : pieces[i / 2];
            gost_cipher_update(&cipher, in.bytes + done, result + done, taken);
        }
        if (memcmp(result, out.bytes, out.length) != 0)
            fail("another text");
        free(result);
    }
}

static void imit(char **words, struct octets *fields) {
    static const size_t pieces[] = {1, 7, 8, 1000, 1 << 20};

    for (size_t i = 0; i < sizeof pieces / sizeof *pieces; i++) {
        struct octets data = fields[2];
        gost_block block;
        gost_mac mac;
        unsigned char code[8];
        gost_block_begin(gost_best_path(), &block, gost_cipher_gost28147);
        block.rows = rows_of(words[0]);
        gost_block_set_key(&block, fields[0].bytes);
        gost_mac_begin_imit(&mac, &block, fields[1].length ? fields[1].bytes : NULL, atoi(words[1]));
        for (size_t done = 0, taken; done < data.length; done += taken) {
            taken = data.length - done < pieces[i] ? data.length - done : pieces[i];
            gost_mac_update(&mac, data.bytes + done, taken);
        }
        gost_mac_end(&mac, code, fields[3].length);
        if (memcmp(code, fields[3].bytes, fields[3].length) != 0)
            fail("another code");
    }
}

static void unwrap(char **words, struct octets *fields) {
    gost_sbox_name rows = rows_of(words[0]);
    unsigned char kek[32], key[32], wrapped[36];

    gost_diversify(gost_best_path(), rows, fields[0].bytes, fields[1].bytes, kek);
    if (!gost_unwrap_28147(gost_best_path(), rows, kek, fields[1].bytes, fields[2].bytes, key)
        || memcmp(key, fields[3].bytes, sizeof key) != 0)
        fail("another key");
    gost_wrap_28147(gost_best_path(), rows, kek, fields[1].bytes, key, wrapped);
    if (memcmp(wrapped, fields[2].bytes, sizeof wrapped) != 0)
        fail("wrapped otherwise");
    for (size_t i = 0; i < 8 * fields[2].length; i++) {
        fields[2].bytes[i / 8] ^= (unsigned char)(1 << i % 8);
        if (gost_unwrap_28147(gost_best_path(), rows, kek, fields[1].bytes, fields[2].bytes, key))
            fail("a change goes unnoticed");
        fields[2].bytes[i / 8] ^= (unsigned char)(1 << i % 8);
    }
}

static void kexp15(char **words, struct octets *fields) {
    gost_cipher_name kind = kind_of(words[0]);
    unsigned char key[256];
    struct octets whole = fields[3];

    if (!gost_kimp15(gost_best_path(), kind, fields[0].bytes, fields[1].bytes, whole.bytes, whole.length, key)
        || memcmp(key, fields[2].bytes, fields[2].length) != 0)
        fail("another key");
    for (size_t i = 0; i < 8 * whole.length; i++) {
        whole.bytes[i / 8] ^= (unsigned char)(1 << i % 8);
        if (gost_kimp15(gost_best_path(), kind, fields[0].bytes, fields[1].bytes, whole.bytes, whole.length, key))
            fail("a change goes unnoticed");
        whole.bytes[i / 8] ^= (unsigned char)(1 << i % 8);
    }
    for (size_t i = 0; i < whole.length; i++)
        if (gost_kimp15(gost_best_path(), kind, fields[0].bytes, fields[1].bytes, whole.bytes, i, key))
            fail("a shorter one goes unnoticed");
}

static gost_hash_name hash_of(const char *name) {
    return strcmp(name, "94") == 0 ? gost_hash_r341194 : strcmp(name, "256") == 0 ? gost_hash_streebog256 : gost_hash_streebog512;
}

/* Appends a message by pieces of this many octets. */
static void append(gost_hash *hash, struct octets message, size_t piece) {
    for (size_t done = 0, taken; done < message.length; done += taken) {
        taken = message.length - done < piece ? message.length - done : piece;
        gost_hash_update(hash, message.bytes + done, taken);
    }
}

static void hash(char **words, struct octets *fields) {
    for (size_t piece = 1; piece <= 200; piece++) {
        gost_hash hash;
        unsigned char digest[gost_hash_largest];
        gost_hash_begin(gost_best_path(), &hash, hash_of(words[0]));
        if (strcmp(words[1], "-") != 0)
            hash.rows = rows_of(words[1]);
        append(&hash, fields[0], piece);
        gost_hash_end(&hash, digest);
        if (memcmp(digest, fields[1].bytes, fields[1].length) != 0)
            fail("another digest");
    }
}

static void hmac(char **words, struct octets *fields) {
    for (size_t piece = 1; piece <= 200; piece++) {
        gost_hmac hmac;
        unsigned char code[gost_hash_largest];
        gost_hmac_begin(gost_best_path(), &hmac, hash_of(words[0]), fields[0].bytes, fields[0].length);
        append(&hmac.inner, fields[1], piece);
        gost_hmac_end(&hmac, code);
        if (memcmp(code, fields[2].bytes, fields[2].length) != 0)
            fail("another code");
    }
}

static void tree(char **words, struct octets *fields) {
    unsigned char keys[512];

    gost_kdf_tree(
        gost_best_path(), hash_of(words[0]), (gost_octets){fields[0].bytes, fields[0].length},
        (gost_octets){fields[1].bytes, fields[1].length}, (gost_octets){fields[2].bytes, fields[2].length},
        (size_t)atol(words[1]), keys, fields[3].length);
    if (memcmp(keys, fields[3].bytes, fields[3].length) != 0)
        fail("other keys");
}

static const struct {
    const char *name;
    int words, fields;
    void (*check)(char **words, struct octets *fields);
} kinds[] = {
    {"acpkm", 2, 4, acpkm}, {"imit", 2, 4, imit}, {"unwrap", 1, 4, unwrap}, {"kexp15", 1, 4, kexp15},
    {"hash", 2, 2, hash},   {"hmac", 1, 3, hmac}, {"tree", 2, 4, tree},
};

static void check(char *rest) {
    char *name = strsep(&rest, " \n"), *words[WORDS];
    struct octets fields[FIELDS];
    size_t kind = 0;

    while (strcmp(name, kinds[kind].name) != 0)
        if (++kind == sizeof kinds / sizeof *kinds)
            fail("no such line");
    for (int i = 0; i < kinds[kind].words + kinds[kind].fields; i++) {
        char *word = strsep(&rest, " \n");
        if (!word || !*word)
            fail("a field is missing");
        if (i < kinds[kind].words)
            words[i] = word;
        else
            fields[i - kinds[kind].words] = read_octets(word);
    }
    kinds[kind].check(words, fields);
    for (int i = 0; i < kinds[kind].fields; i++)
        free(fields[i].bytes);
}

int main(void) {
    int count = 0;

    while (fgets(line, sizeof line, stdin)) {
        char *copy = strdup(line);
        check(copy);
        free(copy);
        count++;
    }
    printf("%d vectors\n", count);
    return count == 0;
}
