/* SPDX-License-Identifier: Apache-2.0 */
// libgcrypt. It has no CNT; its CTR counts in another way, over a block cipher at the same speed.
#include "private.h"

#include <gcrypt.h>
#include <string.h>

static gcry_cipher_hd_t ecb, cfb, cbc, ctr;
static gcry_mac_hd_t imit;

static bool cipher(gcry_cipher_hd_t *handle, int mode) {
    return gcry_cipher_open(handle, GCRY_CIPHER_GOST28147, mode, 0) == 0
        && gcry_cipher_ctl(*handle, GCRYCTL_SET_SBOX, (void *)"1.2.643.2.2.31.1", 0) == 0;
}

bool gcrypt_load(void) {
    if (!gcry_check_version(GCRYPT_VERSION)) return false;
    gcry_control(GCRYCTL_DISABLE_SECMEM, 0);
    gcry_control(GCRYCTL_INITIALIZATION_FINISHED, 0);
    return cipher(&ecb, GCRY_CIPHER_MODE_ECB) && cipher(&cfb, GCRY_CIPHER_MODE_CFB)
        && cipher(&cbc, GCRY_CIPHER_MODE_CBC) && cipher(&ctr, GCRY_CIPHER_MODE_CTR)
        && gcry_mac_open(&imit, GCRY_MAC_GOST28147_IMIT, 0, NULL) == 0;
}

static size_t encipher(gcry_cipher_hd_t handle, const uint8_t *message, size_t count, uint8_t *output) {
    gcry_cipher_reset(handle);
    bool done = gcry_cipher_setkey(handle, libraries_key, 32) == 0
        && (handle == ecb || gcry_cipher_setiv(handle, libraries_iv, 8) == 0)
        && (handle != ctr || gcry_cipher_setctr(handle, libraries_iv, 8) == 0)
        && gcry_cipher_encrypt(handle, output, count, message, count) == 0;
    return done ? count : 0;
}

static size_t run_ecb(const uint8_t *message, size_t count, uint8_t *output) {
    return encipher(ecb, message, count, output);
}
static size_t run_cfb(const uint8_t *message, size_t count, uint8_t *output) {
    return encipher(cfb, message, count, output);
}
static size_t run_cbc(const uint8_t *message, size_t count, uint8_t *output) {
    return encipher(cbc, message, count, output);
}
static size_t run_ctr(const uint8_t *message, size_t count, uint8_t *output) {
    return encipher(ctr, message, count, output);
}

static size_t run_imit(const uint8_t *message, size_t count, uint8_t *output) {
    size_t length = 4;
    gcry_mac_reset(imit);
    bool done = gcry_mac_setkey(imit, libraries_key, 32) == 0 && gcry_mac_write(imit, message, count) == 0
        && gcry_mac_read(imit, output, &length) == 0;
    return done ? length : 0;
}

static size_t hash(int algorithm, const uint8_t *message, size_t count, uint8_t *output) {
    gcry_md_hash_buffer(algorithm, output, message, count);
    return gcry_md_get_algo_dlen(algorithm);
}

static size_t run_hash94(const uint8_t *message, size_t count, uint8_t *output) {
    return hash(GCRY_MD_GOSTR3411_CP, message, count, output);
}
static size_t run_streebog256(const uint8_t *message, size_t count, uint8_t *output) {
    return hash(GCRY_MD_STRIBOG256, message, count, output);
}
static size_t run_streebog512(const uint8_t *message, size_t count, uint8_t *output) {
    return hash(GCRY_MD_STRIBOG512, message, count, output);
}

const struct message_function gcrypt_messages[] = {
    {"libgcrypt", "28147-89 ECB", run_ecb},
    {"libgcrypt", "28147-89 CNT", run_ctr},
    {"libgcrypt", "28147-89 CFB", run_cfb},
    {"libgcrypt", "28147-89 CBC", run_cbc},
    {"libgcrypt", "28147-89 IMIT", run_imit},
    {"libgcrypt", "GOST R 34.11-94", run_hash94},
    {"libgcrypt", "Streebog-256", run_streebog256},
    {"libgcrypt", "Streebog-512", run_streebog512},
    {0},
};
