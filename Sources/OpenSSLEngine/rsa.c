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
    CK_MECHANISM mechanism = {padding == RSA_NO_PADDING ? CKM_RSA_X_509 : CKM_RSA_PKCS, NULL, 0};
    int size = RSA_size(rsa);
    size_t result_length;

    if (!key)
        return FAIL(REASON_INPUT, "the key is not the token's") - 1;
    if (padding != RSA_NO_PADDING && padding != RSA_PKCS1_PADDING)
        return FAIL(REASON_UNSUPPORTED, "the padding %d of RSA", padding) - 1;
    if (length < 0 || length > size || size > LARGEST_RSA || size <= RSA_PKCS1_PADDING_SIZE)
        return FAIL(REASON_INPUT, "%d bytes for a key of %d", length, size) - 1;
    if (is_signature)
        return key_sign(key, &mechanism, data, (size_t)length, result, (size_t)size) ? size : -1;
    /* OpenSSL's callers have room for what can be below the padding, and reads a raw block as a whole. */
    result_length = (size_t)(padding == RSA_NO_PADDING ? size : size - RSA_PKCS1_PADDING_SIZE);
    if (!key_decrypt(key, &mechanism, data, (size_t)length, result, &result_length, padding == RSA_NO_PADDING))
        return -1;
    return (int)result_length;
}

static int sign(int length, const unsigned char *data, unsigned char *result, RSA *rsa, int padding) {
    return run(length, data, result, rsa, padding, true);
}

static int decrypt(int length, const unsigned char *data, unsigned char *result, RSA *rsa, int padding) {
    return run(length, data, result, rsa, padding, false);
}

static void release(void *parent, void *data, CRYPTO_EX_DATA *all, int index, long number, void *pointer) {
    (void)parent, (void)all, (void)index, (void)number, (void)pointer;
    key_free(data);
}

static int share(CRYPTO_EX_DATA *to, const CRYPTO_EX_DATA *from, void **data, int index, long number, void *pointer) {
    (void)to, (void)from, (void)index, (void)number, (void)pointer;
    if (*data)
        key_retain(*data);
    return 1;
}

static pthread_once_t made = PTHREAD_ONCE_INIT;
static void make(void) {
    slot = RSA_get_ex_new_index(0, NULL, NULL, share, release);
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
