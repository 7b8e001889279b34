/* SPDX-License-Identifier: Apache-2.0 */
/*
 * RSA keys. OpenSSL computes hashes and paddings; the token signs with the padding of PKCS #1 v1.5, or raw blocks,
 * which PSS and OAEP need.
 */
#include "engine.h"

static int slot = -1;
static RSA_METHOD *method;

static struct key *key_of(const RSA *rsa) { return RSA_get_ex_data(rsa, slot); }

static int run(
    int length, const unsigned char *data, unsigned char *result, RSA *rsa, int padding, bool is_signature) {
    struct key *key = key_of(rsa);
    bool is_padded = padding == RSA_PKCS1_PADDING;
    int size = RSA_size(rsa);
    size_t result_length;

    if (!key)
        return FAIL(REASON_INPUT, "the key is not the token's") - 1;
    if (padding != RSA_NO_PADDING && padding != RSA_PKCS1_PADDING)
        return FAIL(REASON_UNSUPPORTED, "the padding %d of RSA", padding) - 1;
    if (length < 0 || length > size || size > LARGEST_RSA || size <= RSA_PKCS1_PADDING_SIZE)
        return FAIL(REASON_INPUT, "%d bytes for a key of %d", length, size) - 1;
    if (is_signature)
        return key_sign_rsa(key, is_padded, data, (size_t)length, result, (size_t)size) ? size : -1;
    return key_decrypt_rsa(key, is_padded, data, (size_t)length, result, (size_t)size, &result_length)
        ? (int)result_length : -1;
}

static int sign(int length, const unsigned char *data, unsigned char *result, RSA *rsa, int padding) {
    return run(length, data, result, rsa, padding, true);
}

static int decrypt(int length, const unsigned char *data, unsigned char *result, RSA *rsa, int padding) {
    return run(length, data, result, rsa, padding, false);
}

static pthread_once_t made = PTHREAD_ONCE_INIT;
static void make(void) {
    slot = RSA_get_ex_new_index(0, NULL, NULL, key_share_data, key_free_data);
    method = RSA_meth_dup(RSA_PKCS1_OpenSSL());
    if (method && (!RSA_meth_set1_name(method, "Kanal") || !RSA_meth_set_priv_enc(method, sign)
                   || !RSA_meth_set_priv_dec(method, decrypt))) {
        RSA_meth_free(method);
        method = NULL;
    }
}

int rsa_prepare(void) {
    pthread_once(&made, make);
    return method && slot >= 0;
}

int rsa_attach(ENGINE *engine, EVP_PKEY *pkey, struct key *key) {
    RSA *rsa = EVP_PKEY_get1_RSA(pkey), *own = RSA_new();
    const BIGNUM *n = NULL, *e = NULL;
    BIGNUM *modulus, *exponent;
    int done = 0;

    (void)engine;
    if (rsa)
        RSA_get0_key(rsa, &n, &e, NULL);
    modulus = n ? BN_dup(n) : NULL;
    exponent = e ? BN_dup(e) : NULL;
    if (own && modulus && exponent && RSA_set0_key(own, modulus, exponent, NULL)) {
        modulus = exponent = NULL;
        RSA_set_flags(own, RSA_FLAG_EXT_PKEY);
        if (RSA_set_method(own, method) && RSA_set_ex_data(own, slot, key)) {
            key_retain(key);
            done = EVP_PKEY_set1_RSA(pkey, own);
        }
    }
    BN_free(modulus);
    BN_free(exponent);
    RSA_free(own);
    RSA_free(rsa);
    return done || NO_MEMORY();
}
