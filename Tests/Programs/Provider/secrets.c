/* SPDX-License-Identifier: Apache-2.0 */
/*
 * secrets [branch]
 *
 * Computes with keys, noise and texts that valgrind treats as unknown, so that it reports each branch and each address that
 * depends on them, in what Sources/OpenSSLProvider/GOST claims to be constant time. With "branch" there is one.
 */
#include "cipher.h"
#include "curve.h"
#include "mgm.h"
#include "wrap.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <valgrind/memcheck.h>

#define SECRET(array) VALGRIND_MAKE_MEM_UNDEFINED(array, sizeof array)
#define KNOWN(array) VALGRIND_MAKE_MEM_DEFINED(array, sizeof array)

static void curves(void) {
    static const gost_curve_name names[] = {gost_curve_tc26_256_a, gost_curve_cryptopro_a, gost_curve_tc26_512_b, gost_curve_tc26_512_c};

    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const gost_curve_set *set = gost_curve_set_at(names[i]);
        unsigned char noise[CURVE_NOISE], number[64] = {0}, point[128], digest[64], signature[128], secret[64], ukm[32];
        memset(noise, (int)i + 1, sizeof noise);
        memset(digest, 7, sizeof digest);
        memset(ukm, 9, sizeof ukm);
        SECRET(noise);
        if (!private_generate(set, noise, number) || !private_point(set, number, point))
            exit(1);
        KNOWN(point);
        SECRET(number);
        if (!private_sign(set, number, digest, noise, signature) || !private_agree(set, number, point, ukm, 8, HASH_256, secret)
            || !private_keg(set, number, point, ukm, secret) || !private_unmask(set, number, 1, secret))
            exit(1);
        KNOWN(signature);
        if (!curve_verify(set, point, digest, signature))
            exit(1);
    }
}

static void ciphers(void) {
    static const struct {
        enum block_kind kind;
        enum cipher_mode mode;
        size_t section;
    } list[] = {
        {BLOCK_28147, CIPHER_CFB, 1024}, {BLOCK_28147, CIPHER_CNT, 1024}, {BLOCK_MAGMA, CIPHER_CTR, 8192},
        {BLOCK_MAGMA, CIPHER_CBC, 0},    {BLOCK_KUZNYECHIK, CIPHER_CTR, 4096}, {BLOCK_KUZNYECHIK, CIPHER_CBC, 0},
        {BLOCK_KUZNYECHIK, CIPHER_CFB, 0}, {BLOCK_KUZNYECHIK, CIPHER_ECB, 0},
    };

    for (size_t i = 0; i < sizeof list / sizeof *list; i++)
        for (int is_encryption = 0; is_encryption < 2; is_encryption++) {
            struct cipher cipher = {.mode = list[i].mode, .section = list[i].section, .is_encryption = is_encryption};
            unsigned char key[32] = {1}, text[5 * 1024] = {2};
            SECRET(key);
            SECRET(text);
            block_begin(&cipher.block, list[i].kind);
            memcpy(cipher.key, key, sizeof key);
            cipher.has_key = true;
            cipher_restart(&cipher);
            cipher_update(&cipher, text, text, sizeof text);
        }
}

static void codes(void) {
    for (enum block_kind kind = BLOCK_28147; kind <= BLOCK_KUZNYECHIK; kind++) {
        unsigned char key[64] = {3}, text[2100] = {4}, code[16], nonce[16] = {5}, wrapped[64];
        struct block block;
        struct mac mac;
        struct mgm mgm;
        SECRET(key);
        SECRET(text);
        block_begin(&block, kind);
        block_set_key(&block, key);
        if (kind == BLOCK_28147) {
            mac_begin_imit(&mac, &block, NULL, true);
        } else {
            mac_begin_omac(&mac, &block);
        }
        mac_update(&mac, text, sizeof text);
        mac_end(&mac, code, 8);
        if (kind == BLOCK_28147) {
            unwrap_28147(block.rows, key, nonce, text, wrapped);
            continue;
        }
        unwrap_kexp15(kind, key, nonce, text, kind == BLOCK_MAGMA ? 40 : 48, wrapped);
        mgm_begin(&mgm, &block, nonce);
        mgm_authenticate(&mgm, text, 100);
        mgm_update(&mgm, true, text, text, sizeof text);
        mgm_end(&mgm, code);
    }
}

int main(int argc, char **argv) {
    unsigned char key[200] = {6}, code[64];
    struct hmac hmac;

    SECRET(key);
    if (argc > 1 && key[0] == 6)
        puts(argv[1]);
    for (enum hash_kind kind = HASH_256; kind < HASHES; kind++) {
        hmac_begin(&hmac, kind, key, sizeof key);
        hmac_update(&hmac, key, sizeof key);
        hmac_end(&hmac, code);
    }
    kdf_tree(key, key + 32, code);
    curves();
    ciphers();
    codes();
    puts("good");
    return 0;
}
