/* SPDX-License-Identifier: Apache-2.0 */
/*
 * secrets [branch]
 *
 * Computes with keys, noise and texts that valgrind treats as unknown, so that it reports each branch and each address that
 * depends on them, in what Sources/GOSTKernels claims to be constant time. With "branch" there is one.
 */
#include "GOSTCiphers.h"
#include "GOSTSignatures.h"

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
        unsigned char noise[gost_noise_size], number[64] = {0}, point[128], digest[64], signature[128], secret[64], ukm[32];
        gost_curve *curve = aligned_alloc(64, (gost_curve_size(true) + 63) / 64 * 64);
        gost_domain domain = {gost_best_path(), set, curve};
        gost_prepared_point prepared;
        if (!curve || !gost_curve_prepare(curve, set->numbers, true))
            exit(1);
        memset(noise, (int)i + 1, sizeof noise);
        memset(digest, 7, sizeof digest);
        memset(ukm, 9, sizeof ukm);
        SECRET(noise);
        if (!gost_generate(domain.path, set, noise, number) || !gost_curve_multiply_base(curve, point, number))
            exit(1);
        KNOWN(point);
        SECRET(number);
        if (!gost_sign(&domain, number, digest, noise, signature)
            || !gost_vko(&domain, number, point, ukm, 8, gost_hash_streebog256, secret)
            || !gost_keg(&domain, number, point, ukm, secret) || !gost_unmask(&domain, number, 1, secret))
            exit(1);
        KNOWN(signature);
        gost_curve_prepare_point(curve, &prepared, point);
        if (!gost_is_point(&domain, point) || !gost_verify(&domain, point, NULL, digest, signature)
            || !gost_verify(&domain, point, &prepared, digest, signature))
            exit(1);
        free(curve);
    }
}

static void ciphers(void) {
    static const struct {
        gost_cipher_name kind;
        gost_mode mode;
        size_t section;
    } list[] = {
        {gost_cipher_gost28147, gost_mode_cfb, 1024}, {gost_cipher_gost28147, gost_mode_cnt, 1024}, {gost_cipher_magma, gost_mode_ctr, 8192},
        {gost_cipher_magma, gost_mode_cbc, 0},    {gost_cipher_kuznyechik, gost_mode_ctr, 4096}, {gost_cipher_kuznyechik, gost_mode_cbc, 0},
        {gost_cipher_kuznyechik, gost_mode_cfb, 0}, {gost_cipher_kuznyechik, gost_mode_ecb, 0},
    };

    for (size_t i = 0; i < sizeof list / sizeof *list; i++)
        for (int is_encryption = 0; is_encryption < 2; is_encryption++) {
            gost_cipher cipher = {.mode = list[i].mode, .section = list[i].section, .is_encryption = is_encryption};
            unsigned char key[32] = {1}, text[5 * 1024] = {2}, iv[16] = {3};
            SECRET(key);
            SECRET(text);
            gost_block_begin(gost_best_path(), &cipher.block, list[i].kind);
            gost_block_set_key(&cipher.block, key);
            gost_cipher_begin(&cipher, iv);
            gost_cipher_update(&cipher, text, text, sizeof text);
        }
}

static void codes(void) {
    for (gost_cipher_name kind = gost_cipher_gost28147; kind <= gost_cipher_kuznyechik; kind++) {
        unsigned char key[64] = {3}, text[2100] = {4}, code[16], nonce[16] = {5}, wrapped[64];
        gost_block block;
        gost_mac mac;
        gost_mgm mgm;
        SECRET(key);
        SECRET(text);
        gost_block_begin(gost_best_path(), &block, kind);
        gost_block_set_key(&block, key);
        if (kind == gost_cipher_gost28147) {
            gost_mac_begin_imit(&mac, &block, NULL, true);
        } else {
            gost_mac_begin_omac(&mac, &block);
        }
        gost_mac_update(&mac, text, sizeof text);
        gost_mac_end(&mac, code, 8);
        if (kind == gost_cipher_gost28147) {
            gost_diversify(gost_best_path(), block.rows, key, nonce, wrapped);
            gost_unwrap_28147(gost_best_path(), block.rows, wrapped, nonce, text, key);
            gost_wrap_28147(gost_best_path(), block.rows, wrapped, nonce, text, key);
            continue;
        }
        gost_kimp15(gost_best_path(), kind, key, nonce, text, kind == gost_cipher_magma ? 40 : 48, wrapped);
        gost_mgm_begin(&mgm, &block, nonce);
        gost_mgm_authenticate(&mgm, text, 100);
        gost_mgm_update(&mgm, true, text, text, sizeof text);
        gost_mgm_end(&mgm, code);
    }
}

int main(int argc, char **argv) {
    unsigned char key[200] = {6}, code[64];
    gost_hmac hmac;

    SECRET(key);
    if (argc > 1 && key[0] == 6)
        puts(argv[1]);
    for (int kind = 0; kind < gost_hash_count; kind++) {
        gost_hmac_begin(gost_best_path(), &hmac, (gost_hash_name)kind, key, sizeof key);
        gost_hmac_update(&hmac, key, sizeof key);
        gost_hmac_end(&hmac, code);
    }
    gost_kdf_tree_keys(gost_best_path(), key, key + 32, code);
    curves();
    ciphers();
    codes();
    puts("good");
    return 0;
}
